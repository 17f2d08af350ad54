//! Moves of sixteen points at a time, in f64 whatever the engine's precision: a program has few
//! tools, and one copy of their code is enough. (A copy for each precision and instruction set
//! would be a sixth of the library's build.)

use super::{Move, MoveGrad};
use crate::numbers::lanes::{F64s, LANES, Lanes, Part, level, with_double_simd, with_part};
use crate::numbers::{Dual, Vec2, vec2};

/// Sixteen numbers.
pub(crate) type Sixteen = [f64; LANES];

/// [`Move::psi`].
pub(crate) fn psi<V: Lanes>(simd: V::Simd, tool: &Move<f64>, x: Vec2<V>) -> Vec2<V> {
    let before = psi_of(tool, vec2(x.x.to_f64s(), x.y.to_f64s()));
    vec2(V::of_f64(simd, |k| before.x[k]), V::of_f64(simd, |k| before.y[k]))
}

/// [`Move::psi_vjp`].
pub(crate) fn psi_vjp<V: Lanes>(
    simd: V::Simd,
    tool: &Move<f64>,
    x: Vec2<V>,
    d_out: Vec2<V>,
) -> (Vec2<V>, MoveGrad<V>) {
    let sixteen = |p: Vec2<V>| vec2(p.x.to_f64s(), p.y.to_f64s());
    let (d_x, grad) = psi_vjp_of(tool, sixteen(x), sixteen(d_out));
    let lanes = |values: Sixteen| V::of_f64(simd, |k| values[k]);
    (vec2(lanes(d_x.x), lanes(d_x.y)), grad.map(lanes))
}

/// [`Move::psi`] of sixteen points.
pub(crate) fn psi_of(tool: &Move<f64>, x: Vec2<Sixteen>) -> Vec2<Sixteen> {
    with_double_simd!(level(), simd => on_lanes::<F64s<_>>(simd, tool, &x))
}

/// [`Move::psi_vjp`] of sixteen points.
pub(crate) fn psi_vjp_of(
    tool: &Move<f64>,
    x: Vec2<Sixteen>,
    d_out: Vec2<Sixteen>,
) -> (Vec2<Sixteen>, MoveGrad<Sixteen>) {
    with_double_simd!(level(), simd => vjp_on_lanes::<F64s<_>>(simd, tool, &x, &d_out))
}

#[inline(always)]
fn on_lanes<V: Lanes<Scalar = f64>>(
    simd: V::Simd,
    tool: &Move<f64>,
    x: &Vec2<Sixteen>,
) -> Vec2<Sixteen> {
    with_part!(self::psi_by_part::<V>(simd, tool, x))
}

#[inline(always)]
fn vjp_on_lanes<V: Lanes<Scalar = f64>>(
    simd: V::Simd,
    tool: &Move<f64>,
    x: &Vec2<Sixteen>,
    d_out: &Vec2<Sixteen>,
) -> (Vec2<Sixteen>, MoveGrad<Sixteen>) {
    with_part!(self::psi_vjp_by_part::<V>(simd, tool, x, d_out))
}

/// The move in every lane.
#[inline(always)]
fn splat<V: Lanes<Scalar = f64>, P: Part<V>>(simd: V::Simd, tool: &Move<f64>) -> Move<P> {
    tool.map(
        #[inline(always)]
        |v| P::of_all(V::splat(simd, v)),
    )
}

#[inline(always)]
fn psi_by_part<V: Lanes<Scalar = f64>, P: Part<V>>(
    simd: V::Simd,
    tool: &Move<f64>,
    x: &Vec2<Sixteen>,
) -> Vec2<Sixteen> {
    let tool = splat::<V, P>(simd, tool);
    let from = [&x.x, &x.y].map(|v| V::load(simd, v));
    let [x, y] = P::each(
        simd,
        from,
        #[inline(always)]
        |_, [x, y]| {
            let before = tool.psi(vec2(x, y));
            [before.x, before.y]
        },
    );
    vec2(x.to_array(), y.to_array())
}

#[inline(always)]
fn psi_vjp_by_part<V: Lanes<Scalar = f64>, P: Part<V>>(
    simd: V::Simd,
    tool: &Move<f64>,
    x: &Vec2<Sixteen>,
    d_out: &Vec2<Sixteen>,
) -> (Vec2<Sixteen>, MoveGrad<Sixteen>) {
    let tool = splat::<V, P>(simd, tool);
    let from = [&x.x, &x.y, &d_out.x, &d_out.y].map(|v| V::load(simd, v));
    let [d_x, d_y, x, y, angle, strength, reach, width, spacing] = P::each(
        simd,
        from,
        #[inline(always)]
        |_, [x, y, d_x, d_y]| {
            let (d, grad) = tool.psi_vjp(vec2(x, y), vec2(d_x, d_y));
            let MoveGrad { origin, angle, strength, reach, width, spacing } = grad;
            [d.x, d.y, origin.x, origin.y, angle, strength, reach, width, spacing]
        },
    )
    .map(Lanes::to_array);
    let grad = MoveGrad { origin: vec2(x, y), angle, strength, reach, width, spacing };
    (vec2(d_x, d_y), grad)
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
