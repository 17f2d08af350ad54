//! One stroke's maps over many points, as the engine computes them: on lanes, in either
//! precision.

use super::kernel::{Adjoint, Hard, Regenerate};
use super::{Frame, Operator, uncentred, vectorized};
use crate::error::{Error, Result};
use crate::numbers::lanes::{F32s, F64s, LANES, Lanes, Scalar, level, with_double_simd};
use crate::numbers::{Precision, Vec2, vec2};

/// A stroke whose maps are wanted at many points. Points and results are f64; what is between
/// them has the precision that is asked for.
pub struct Batch {
    operator: Operator,
    stroke: Frame<f64>,
    precision: Precision,
}

/// Calls a function of this module with the lanes at hand (as float64 is: that is enough for
/// what is measured here).
macro_rules! with_lanes {
    ($precision:expr, $function:ident($($arg:expr),*)) => {
        match $precision {
            Precision::Single => with_double_simd!(level(), simd => $function::<F32s<_>>(simd, $($arg),*)),
            Precision::Double => with_double_simd!(level(), simd => $function::<F64s<_>>(simd, $($arg),*)),
        }
    };
}

impl Batch {
    /// Refuses operators that have no forward map on lanes: the sixteen drops and the line
    /// source.
    pub fn new(operator: Operator, stroke: &Frame<f64>, precision: Precision) -> Result<Self> {
        if matches!(operator, Operator::Drops | Operator::LineSource) {
            let message = format!("the operator {operator} has no forward map on lanes");
            return Err(Error::Request(message));
        }
        Ok(Self { operator, stroke: *stroke, precision })
    }

    /// [`Transport::psi`](super::Transport::psi) at every point.
    pub fn psi(&self, points: &[Vec2<f64>]) -> Vec<Vec2<f64>> {
        with_lanes!(self.precision, psi(self.operator, &self.stroke, points))
    }

    /// [`Transport::phi`](super::Transport::phi) at every point.
    pub fn phi(&self, points: &[Vec2<f64>]) -> Vec<Vec2<f64>> {
        with_lanes!(self.precision, phi(self.operator, &self.stroke, points))
    }

    /// The point's part of [`Transport::psi_vjp`](super::Transport::psi_vjp) at every point,
    /// for one `d_out`.
    pub fn psi_vjp(&self, points: &[Vec2<f64>], d_out: Vec2<f64>) -> Vec<Vec2<f64>> {
        with_lanes!(self.precision, psi_vjp(self.operator, &self.stroke, points, d_out))
    }

    /// [`uncentred::psi`] of the stroke at every point, whatever the operator.
    pub fn uncentred_psi(&self, points: &[Vec2<f64>]) -> Vec<Vec2<f64>> {
        with_lanes!(self.precision, uncentred_psi(&self.stroke, points))
    }
}

fn psi<V: Lanes>(
    simd: V::Simd,
    operator: Operator,
    stroke: &Frame<f64>,
    points: &[Vec2<f64>],
) -> Vec<Vec2<f64>> {
    let kernel: &dyn Hard<V> = operator.hard();
    each::<V>(simd, stroke, points, |stroke, x| kernel.psi(simd, stroke, x))
}

fn phi<V: Lanes>(
    simd: V::Simd,
    operator: Operator,
    stroke: &Frame<f64>,
    points: &[Vec2<f64>],
) -> Vec<Vec2<f64>> {
    let kernel: Option<&dyn Regenerate<V>> = operator.regenerate();
    each::<V>(simd, stroke, points, |stroke, x| {
        kernel.map_or(x, |kernel| kernel.phi(simd, stroke, x))
    })
}

fn psi_vjp<V: Lanes>(
    simd: V::Simd,
    operator: Operator,
    stroke: &Frame<f64>,
    points: &[Vec2<f64>],
    d_out: Vec2<f64>,
) -> Vec<Vec2<f64>> {
    let kernel: &dyn Adjoint<V> = operator.adjoint();
    let splat = |v: f64| V::splat(simd, V::Scalar::from_f64(v));
    let d_out = vec2(splat(d_out.x), splat(d_out.y));
    each::<V>(simd, stroke, points, |stroke, x| kernel.psi_vjp(simd, stroke, x, d_out).0)
}

fn uncentred_psi<V: Lanes>(
    simd: V::Simd,
    stroke: &Frame<f64>,
    points: &[Vec2<f64>],
) -> Vec<Vec2<f64>> {
    let map = |stroke: &Frame<V>, x: Vec2<V>| vectorized!(simd, uncentred::psi(stroke, x));
    each(simd, stroke, points, map)
}

/// A map of sixteen points at a time, over all of them.
fn each<V: Lanes>(
    simd: V::Simd,
    stroke: &Frame<f64>,
    points: &[Vec2<f64>],
    map: impl Fn(&Frame<V>, Vec2<V>) -> Vec2<V>,
) -> Vec<Vec2<f64>> {
    let stroke = stroke.map(|v| V::splat(simd, V::Scalar::from_f64(v)));
    let mut all = Vec::with_capacity(points.len());
    for chunk in points.chunks(LANES) {
        let load =
            |number: fn(&Vec2<f64>) -> f64| V::of_f64(simd, |k| chunk.get(k).map_or(0.0, number));
        let mapped = map(&stroke, vec2(load(|p| p.x), load(|p| p.y)));
        let (x, y) = (mapped.x.to_array(), mapped.y.to_array());
        all.extend((0..chunk.len()).map(|k| vec2(x[k].to_f64(), y[k].to_f64())));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stroke::Shape;

    #[test]
    fn a_batch_is_the_map_at_every_point() {
        let shape = Shape::line(vec2(0.4, 0.5), vec2(0.1, 0.05), 0.03);
        let frame = Frame::of(&shape);
        let points: Vec<Vec2<f64>> =
            (0..37).map(|k| vec2(0.02 * f64::from(k), 0.4 + 0.005 * f64::from(k))).collect();
        for (precision, tolerance) in [(Precision::Single, 3e-6), (Precision::Double, 1e-13)] {
            let batch = Batch::new(Operator::Capsule, &frame, precision).unwrap();
            let (back, ahead) = (batch.psi(&points), batch.phi(&points));
            for ((x, back), ahead) in points.iter().zip(back).zip(ahead) {
                assert!((back - Operator::Capsule.psi(&frame, *x)).norm() < tolerance);
                assert!((ahead - Operator::Capsule.phi(&frame, *x)).norm() < tolerance);
            }
        }
        assert!(Batch::new(Operator::Drops, &frame, Precision::Single).is_err());
    }
}
