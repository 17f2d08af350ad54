//! Moves of sixteen points at a time, in f64 whatever the engine's precision: a program has few
//! tools, and one copy of their code is enough. (A copy for each precision and instruction set
//! would be a sixth of the library's build.)

use super::{Move, MoveGrad};
use crate::numbers::lanes::{F64s, LANES, Lanes, is_narrow, level, with_double_simd};
use crate::numbers::{Dual, Vec2, vec2};
use crate::stroke::lanewise::{called, each, if_narrow, point};
use fearless_simd::Simd;

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
    with_double_simd!(level(), simd => on_lanes(simd, tool, &x))
}

/// [`Move::psi_vjp`] of sixteen points.
pub(crate) fn psi_vjp_of(
    tool: &Move<f64>,
    x: Vec2<Sixteen>,
    d_out: Vec2<Sixteen>,
) -> (Vec2<Sixteen>, MoveGrad<Sixteen>) {
    with_double_simd!(level(), simd => vjp_on_lanes(simd, tool, &x, &d_out))
}

#[inline(always)]
fn load<S: Simd + Send + Sync>(simd: S, x: &Vec2<Sixteen>) -> Vec2<F64s<S>> {
    vec2(F64s::load(simd, &x.x), F64s::load(simd, &x.y))
}

/// The move in every lane.
#[inline(always)]
fn splat<S: Simd + Send + Sync>(simd: S, tool: &Move<f64>) -> Move<F64s<S>> {
    tool.map(
        #[inline(always)]
        |v| F64s::splat(simd, v),
    )
}

#[inline(always)]
fn on_lanes<S: Simd + Send + Sync>(simd: S, tool: &Move<f64>, x: &Vec2<Sixteen>) -> Vec2<Sixteen> {
    let x = load(simd, x);
    let before = if_narrow!(
        F64s<S>,
        {
            let before = each(x, |_, x| called(|| tool.psi(x)));
            point(simd, |k| before[k])
        },
        splat(simd, tool).psi(x)
    );
    vec2(before.x.to_array(), before.y.to_array())
}

#[inline(always)]
fn vjp_on_lanes<S: Simd + Send + Sync>(
    simd: S,
    tool: &Move<f64>,
    x: &Vec2<Sixteen>,
    d_out: &Vec2<Sixteen>,
) -> (Vec2<Sixteen>, MoveGrad<Sixteen>) {
    if_narrow!(
        F64s<S>,
        {
            let back: [_; LANES] = std::array::from_fn(|k| {
                let (x, d) = (vec2(x.x[k], x.y[k]), vec2(d_out.x[k], d_out.y[k]));
                called(|| tool.psi_vjp(x, d))
            });
            let number = |at: fn(&MoveGrad<f64>) -> f64| back.each_ref().map(|(_, g)| at(g));
            let grad = MoveGrad {
                origin: vec2(number(|g| g.origin.x), number(|g| g.origin.y)),
                angle: number(|g| g.angle),
                strength: number(|g| g.strength),
                reach: number(|g| g.reach),
                width: number(|g| g.width),
                spacing: number(|g| g.spacing),
            };
            (vec2(back.map(|(d, _)| d.x), back.map(|(d, _)| d.y)), grad)
        },
        {
            let (d_x, grad) = splat(simd, tool).psi_vjp(load(simd, x), load(simd, d_out));
            let grad = grad.map(
                #[inline(always)]
                |v| v.to_array(),
            );
            (vec2(d_x.x.to_array(), d_x.y.to_array()), grad)
        }
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
