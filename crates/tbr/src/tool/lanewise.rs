//! Moves on lanes: on all of them at once, or one after the other where registers are narrow
//! (see [`crate::stroke::lanewise`]).

use super::{Move, MoveGrad};
use crate::numbers::lanes::{LANES, Lanes, Scalar, is_narrow};
use crate::numbers::{Dual, Vec2, vec2};
use crate::stroke::lanewise::{called, each, if_narrow, point};
use crate::stroke::vectorized;

/// [`Move::psi`].
pub(crate) fn psi<V: Lanes>(simd: V::Simd, tool: &Move<V>, x: Vec2<V>) -> Vec2<V> {
    vectorized!(
        simd,
        if_narrow!(
            V,
            {
                let tool = first_lane(tool);
                let before = each(x, |_, x| called(|| tool.psi(x)));
                point(simd, |k| before[k])
            },
            tool.psi(x)
        )
    )
}

/// [`Move::psi_vjp`].
pub(crate) fn psi_vjp<V: Lanes>(
    simd: V::Simd,
    tool: &Move<V>,
    x: Vec2<V>,
    d_out: Vec2<V>,
) -> (Vec2<V>, MoveGrad<V>) {
    vectorized!(
        simd,
        if_narrow!(
            V,
            {
                let (tool, d_out) = (first_lane(tool), each(d_out, |_, d| d));
                let back = each(x, |k, x| called(|| tool.psi_vjp(x, d_out[k])));
                let number = |at: fn(&MoveGrad<f64>) -> f64| V::of_f64(simd, |k| at(&back[k].1));
                let grad = MoveGrad {
                    origin: vec2(number(|g| g.origin.x), number(|g| g.origin.y)),
                    angle: number(|g| g.angle),
                    strength: number(|g| g.strength),
                    reach: number(|g| g.reach),
                    width: number(|g| g.width),
                    spacing: number(|g| g.spacing),
                };
                (point(simd, |k| back[k].0), grad)
            },
            tool.psi_vjp(x, d_out)
        )
    )
}

/// [`Move::phi`], and its derivative along the points' tangents, for outlines.
pub(crate) fn phi_along<V: Lanes<Scalar = f64>>(
    simd: V::Simd,
    tool: &Move<f64>,
    x: Vec2<Dual<V>>,
) -> Vec2<Dual<V>> {
    // Lane by lane: a comb passes once, and a vector of duals of every profile would be as much
    // code as a stroke's operator.
    let tool = tool.map(Dual::constant);
    let (at_x, at_y) = (x.x.value.to_f64s(), x.y.value.to_f64s());
    let (along_x, along_y) = (x.x.derivative.to_f64s(), x.y.derivative.to_f64s());
    let moved: [Vec2<Dual>; LANES] = std::array::from_fn(|k| {
        called(|| tool.phi(vec2(Dual::new(at_x[k], along_x[k]), Dual::new(at_y[k], along_y[k]))))
    });
    let lanes = |at: fn(&Vec2<Dual>) -> f64| V::of_f64(simd, |k| at(&moved[k]));
    vec2(
        Dual::new(lanes(|p| p.x.value), lanes(|p| p.x.derivative)),
        Dual::new(lanes(|p| p.y.value), lanes(|p| p.y.derivative)),
    )
}

/// The move that all lanes hold.
fn first_lane<V: Lanes>(tool: &Move<V>) -> Move<f64> {
    tool.map(|v| v.to_array()[0].to_f64())
}
