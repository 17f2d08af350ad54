//! Moves of sixteen points at a time. A move is in f64, and is rounded to the precision of the
//! points.

use super::{Move, MoveGrad};
use crate::numbers::lanes::{LANES, Lanes, Part, Scalar, with_part};
use crate::numbers::{Dual, Vec2, vec2};
use crate::stroke::vectorized;

/// [`Move::psi`].
pub(crate) fn psi<V: Lanes>(simd: V::Simd, tool: &Move<f64>, x: Vec2<V>) -> Vec2<V> {
    let mut at = [x];
    psi_all(simd, tool, &mut at);
    at[0]
}

/// [`Move::psi_vjp`].
pub(crate) fn psi_vjp<V: Lanes>(
    simd: V::Simd,
    tool: &Move<f64>,
    x: Vec2<V>,
    d_out: Vec2<V>,
) -> (Vec2<V>, MoveGrad<V>) {
    let (mut before, mut d) = ([psi(simd, tool, x)], [d_out]);
    let grad = psi_vjp_all(simd, tool, &mut before, &mut d);
    (d[0], grad)
}

/// [`Move::psi`] of many points, in place. (One copy for all who call it: tools are few.)
#[inline(never)]
pub(crate) fn psi_all<V: Lanes>(simd: V::Simd, tool: &Move<f64>, x: &mut [Vec2<V>]) {
    vectorized!(simd, with_part!(self::psi_by_part::<V>(simd, tool, x)));
}

/// [`Move::psi_vjp_from`] of many points and the derivatives with respect to them, both in place.
/// What all say about the move is added up, lane by lane.
#[inline(never)]
pub(crate) fn psi_vjp_all<V: Lanes>(
    simd: V::Simd,
    tool: &Move<f64>,
    x: &mut [Vec2<V>],
    d: &mut [Vec2<V>],
) -> MoveGrad<V> {
    vectorized!(simd, with_part!(self::psi_vjp_by_part::<V>(simd, tool, x, d)))
}

/// The move in every lane.
#[inline(always)]
fn splat<V: Lanes, P: Part<V>>(simd: V::Simd, tool: &Move<f64>) -> Move<P> {
    tool.map(
        #[inline(always)]
        |v| P::of_all(V::splat(simd, V::Scalar::from_f64(v))),
    )
}

#[inline(always)]
fn psi_by_part<V: Lanes, P: Part<V>>(simd: V::Simd, tool: &Move<f64>, x: &mut [Vec2<V>]) {
    let tool = splat::<V, P>(simd, tool);
    for x in x {
        let [before_x, before_y] = P::each(
            simd,
            [x.x, x.y],
            #[inline(always)]
            |_, [x, y]| {
                let before = tool.psi(vec2(x, y));
                [before.x, before.y]
            },
        );
        *x = vec2(before_x, before_y);
    }
}

#[inline(always)]
fn psi_vjp_by_part<V: Lanes, P: Part<V>>(
    simd: V::Simd,
    tool: &Move<f64>,
    x: &mut [Vec2<V>],
    d: &mut [Vec2<V>],
) -> MoveGrad<V> {
    let tool = splat::<V, P>(simd, tool);
    let mut sums = MoveGrad::zero(V::splat(simd, V::Scalar::default()));
    for (x, d) in x.iter_mut().zip(d) {
        let [x0, x1, d0, d1, o0, o1, angle, strength, reach, width, spacing] = P::each(
            simd,
            [x.x, x.y, d.x, d.y],
            #[inline(always)]
            |_, [x, y, d_x, d_y]| {
                let (x, d, grad) = tool.psi_vjp_from(vec2(x, y), vec2(d_x, d_y));
                let MoveGrad { origin: o, angle, strength, reach, width, spacing } = grad;
                [x.x, x.y, d.x, d.y, o.x, o.y, angle, strength, reach, width, spacing]
            },
        );
        *x = vec2(x0, x1);
        *d = vec2(d0, d1);
        let grad = MoveGrad { origin: vec2(o0, o1), angle, strength, reach, width, spacing };
        sums = sums + grad;
    }
    sums
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
    let mut moved = [vec2(Dual::constant(0.0), Dual::constant(0.0)); LANES];
    for (k, moved) in moved.iter_mut().enumerate() {
        *moved = tool.phi(vec2(Dual::new(at_x[k], along_x[k]), Dual::new(at_y[k], along_y[k])));
    }
    let lanes = |at: fn(&Vec2<Dual>) -> f64| V::of_f64(simd, |k| at(&moved[k]));
    vec2(
        Dual::new(lanes(|p| p.x.value), lanes(|p| p.x.derivative)),
        Dual::new(lanes(|p| p.y.value), lanes(|p| p.y.derivative)),
    )
}
