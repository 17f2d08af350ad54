//! An operator's maps on lanes, [part](Part) by part. Called by `with_part!`.

use super::{Frame, FrameGrad, Softness, Transport};
use crate::numbers::lanes::{Lanes, Part};
use crate::numbers::{Dual, Mask, Vec2, vec2};

/// [`Transport::psi`].
#[inline(always)]
pub(crate) fn psi<V: Lanes, P: Part<V>, O: Transport>(
    simd: V::Simd,
    stroke: &Frame<V>,
    x: Vec2<V>,
) -> Vec2<V> {
    let stroke = part_of::<V, P>(stroke);
    each_point(
        simd,
        x,
        #[inline(always)]
        |_, x: Vec2<P>| O::psi(&stroke, x),
    )
}

/// [`Transport::phi`].
#[inline(always)]
pub(crate) fn phi<V: Lanes, P: Part<V>, O: Transport>(
    simd: V::Simd,
    stroke: &Frame<V>,
    x: Vec2<V>,
) -> Vec2<V> {
    let stroke = part_of::<V, P>(stroke);
    each_point(
        simd,
        x,
        #[inline(always)]
        |_, x: Vec2<P>| O::phi(&stroke, x),
    )
}

/// [`Transport::phi`] with its derivative along the points' tangents.
#[inline(always)]
pub(crate) fn phi_along<V: Lanes, P: Part<V>, O: Transport>(
    simd: V::Simd,
    stroke: &Frame<Dual<V>>,
    x: Vec2<Dual<V>>,
) -> Vec2<Dual<V>> {
    let stroke = stroke.map(
        #[inline(always)]
        |v| Dual::new(P::of_all(v.value), P::of_all(v.derivative)),
    );
    dual_point(P::each(
        simd,
        dual_numbers(x),
        #[inline(always)]
        |_, x| dual_numbers(O::phi(&stroke, dual_point(x))),
    ))
}

/// [`Transport::step`], with a bit for each lane.
#[inline(always)]
pub(crate) fn step<V: Lanes, P: Part<V>, O: Transport>(
    simd: V::Simd,
    stroke: &Frame<V>,
    x: Vec2<V>,
) -> (u32, Vec2<V>) {
    let stroke = part_of::<V, P>(stroke);
    let mut bits = 0;
    let before = each_point(
        simd,
        x,
        #[inline(always)]
        |lane, x: Vec2<P>| {
            let (covered, before) = O::step(&stroke, x);
            bits |= covered.bits() << lane;
            before
        },
    );
    (bits, before)
}

/// [`Transport::collapses`], a bit for each lane.
#[inline(always)]
pub(crate) fn collapses<V: Lanes, P: Part<V>, O: Transport>(
    simd: V::Simd,
    stroke: &Frame<V>,
    x: Vec2<V>,
) -> u32 {
    let stroke = part_of::<V, P>(stroke);
    let mut bits = 0;
    let [] = P::each(
        simd,
        numbers(x),
        #[inline(always)]
        |lane, x| {
            bits |= O::collapses(&stroke, point(x)).bits() << lane;
            []
        },
    );
    bits
}

/// [`Transport::coverage`].
#[inline(always)]
pub(crate) fn coverage<V: Lanes, P: Part<V>, O: Transport>(
    simd: V::Simd,
    stroke: &Frame<V>,
    x: Vec2<V>,
    softness: Softness<V>,
) -> V {
    let (stroke, softness) = (part_of::<V, P>(stroke), part_of_softness::<V, P>(softness));
    let [coverage] = P::each(
        simd,
        numbers(x),
        #[inline(always)]
        |_, x| [O::coverage(&stroke, point(x), softness)],
    );
    coverage
}

/// [`Transport::soft_step`].
#[inline(always)]
pub(crate) fn soft_step<V: Lanes, P: Part<V>, O: Transport>(
    simd: V::Simd,
    stroke: &Frame<V>,
    x: Vec2<V>,
    softness: Softness<V>,
) -> (V, Vec2<V>) {
    let (stroke, softness) = (part_of::<V, P>(stroke), part_of_softness::<V, P>(softness));
    let [coverage, x, y] = P::each(
        simd,
        numbers(x),
        #[inline(always)]
        |_, x| {
            let (coverage, before) = O::soft_step(&stroke, point(x), softness);
            [coverage, before.x, before.y]
        },
    );
    (coverage, vec2(x, y))
}

/// [`Transport::psi_vjp`].
#[inline(always)]
pub(crate) fn psi_vjp<V: Lanes, P: Part<V>, O: Transport>(
    simd: V::Simd,
    stroke: &Frame<V>,
    x: Vec2<V>,
    d_out: Vec2<V>,
) -> (Vec2<V>, FrameGrad<V>) {
    let stroke = part_of::<V, P>(stroke);
    let from = [x.x, x.y, d_out.x, d_out.y];
    let [d_x, d_y, grad @ ..] = P::each(
        simd,
        from,
        #[inline(always)]
        |_, [x, y, d_x, d_y]| {
            let (d, grad) = O::psi_vjp(&stroke, vec2(x, y), vec2(d_x, d_y));
            let [a, b, c, e, f, g] = grad.numbers();
            [d.x, d.y, a, b, c, e, f, g]
        },
    );
    (vec2(d_x, d_y), FrameGrad::of_numbers(grad))
}

/// [`Transport::soft_step_vjp`].
#[inline(always)]
pub(crate) fn soft_step_vjp<V: Lanes, P: Part<V>, O: Transport>(
    simd: V::Simd,
    stroke: &Frame<V>,
    x: Vec2<V>,
    softness: Softness<V>,
    d_coverage: V,
    d_out: Vec2<V>,
) -> (V, Vec2<V>, FrameGrad<V>) {
    let (stroke, softness) = (part_of::<V, P>(stroke), part_of_softness::<V, P>(softness));
    let from = [x.x, x.y, d_coverage, d_out.x, d_out.y];
    let [coverage, d_x, d_y, grad @ ..] = P::each(
        simd,
        from,
        #[inline(always)]
        |_, [x, y, d_coverage, d_x, d_y]| {
            let (coverage, d, grad) =
                O::soft_step_vjp(&stroke, vec2(x, y), softness, d_coverage, vec2(d_x, d_y));
            let [a, b, c, e, f, g] = grad.numbers();
            [coverage, d.x, d.y, a, b, c, e, f, g]
        },
    );
    (coverage, vec2(d_x, d_y), FrameGrad::of_numbers(grad))
}

/// Where a map takes the points of every part; it gets the number of the part's first lane, too.
#[inline(always)]
fn each_point<V: Lanes, P: Part<V>>(
    simd: V::Simd,
    x: Vec2<V>,
    mut map: impl FnMut(u32, Vec2<P>) -> Vec2<P>,
) -> Vec2<V> {
    point(P::each(
        simd,
        numbers(x),
        #[inline(always)]
        |lane, x| numbers(map(lane, point(x))),
    ))
}

/// The stroke that all lanes hold.
#[inline(always)]
fn part_of<V: Lanes, P: Part<V>>(stroke: &Frame<V>) -> Frame<P> {
    stroke.map(P::of_all)
}

#[inline(always)]
fn part_of_softness<V: Lanes, P: Part<V>>(softness: Softness<V>) -> Softness<P> {
    Softness { tau: P::of_all(softness.tau), tau_min: P::of_all(softness.tau_min) }
}

#[inline(always)]
fn numbers<R>(p: Vec2<R>) -> [R; 2] {
    [p.x, p.y]
}

#[inline(always)]
fn point<R>([x, y]: [R; 2]) -> Vec2<R> {
    vec2(x, y)
}

#[inline(always)]
fn dual_numbers<R>(p: Vec2<Dual<R>>) -> [R; 4] {
    [p.x.value, p.y.value, p.x.derivative, p.y.derivative]
}

#[inline(always)]
fn dual_point<R>([x, y, along_x, along_y]: [R; 4]) -> Vec2<Dual<R>> {
    vec2(Dual { value: x, derivative: along_x }, Dual { value: y, derivative: along_y })
}
