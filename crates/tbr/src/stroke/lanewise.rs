//! An operator's maps on lanes: on all of them at once, or, where registers are narrow (see
//! [`is_narrow`]), one after the other in f64. There sixteen lanes of a map would be a hundred
//! kilobytes of code for each operator, and its build a third of the library's, for machines
//! that hardly anybody has: x86-64 without AVX2.

use super::{Frame, FrameGrad, Softness, Transport};
use crate::numbers::lanes::{LANES, Lanes, Scalar, is_narrow};
use crate::numbers::{Dual, Mask, Vec2, vec2};

/// Evaluates the first expression where registers are narrow, else the second.
macro_rules! if_narrow {
    ($v:ty, $by_lane:expr, $at_once:expr) => {
        if const { is_narrow::<<$v as Lanes>::Simd>() } { $by_lane } else { $at_once }
    };
}
pub(crate) use if_narrow;

/// [`Transport::psi`].
#[inline(always)]
pub(crate) fn psi<O: Transport, V: Lanes>(simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>) -> Vec2<V> {
    if_narrow!(
        V,
        {
            let stroke = first_lane(stroke);
            let before = each(x, |_, x| called(|| O::psi(&stroke, x)));
            point(simd, |k| before[k])
        },
        O::psi(stroke, x)
    )
}

/// [`Transport::phi`].
#[inline(always)]
pub(crate) fn phi<O: Transport, V: Lanes>(simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>) -> Vec2<V> {
    if_narrow!(
        V,
        {
            let stroke = first_lane(stroke);
            let after = each(x, |_, x| called(|| O::phi(&stroke, x)));
            point(simd, |k| after[k])
        },
        O::phi(stroke, x)
    )
}

/// [`Transport::phi`] with its derivative along the points' tangents.
#[inline(always)]
pub(crate) fn phi_along<O: Transport, V: Lanes>(
    simd: V::Simd,
    stroke: &Frame<Dual<V>>,
    x: Vec2<Dual<V>>,
) -> Vec2<Dual<V>> {
    if_narrow!(
        V,
        {
            let first = |v: V| v.to_array()[0].to_f64();
            let stroke = stroke.map(|v| Dual::new(first(v.value), first(v.derivative)));
            let (along_x, along_y) = (x.x.derivative.to_f64s(), x.y.derivative.to_f64s());
            let moved = each(vec2(x.x.value, x.y.value), |k, at| {
                let dual = vec2(Dual::new(at.x, along_x[k]), Dual::new(at.y, along_y[k]));
                let to = called(|| O::phi(&stroke, dual));
                [vec2(to.x.value, to.y.value), vec2(to.x.derivative, to.y.derivative)]
            });
            let [to, along] = [0, 1].map(|part| point::<V>(simd, |k| moved[k][part]));
            vec2(Dual::new(to.x, along.x), Dual::new(to.y, along.y))
        },
        O::phi(stroke, x)
    )
}

/// [`Transport::step`], with a bit for each lane.
#[inline(always)]
pub(crate) fn step<O: Transport, V: Lanes>(
    simd: V::Simd,
    stroke: &Frame<V>,
    x: Vec2<V>,
) -> (u32, Vec2<V>) {
    if_narrow!(
        V,
        {
            let stroke = first_lane(stroke);
            let steps = each(x, |_, x| called(|| O::step(&stroke, x)));
            (bits(|k| steps[k].0), point(simd, |k| steps[k].1))
        },
        {
            let (covered, before) = O::step(stroke, x);
            (covered.bits(), before)
        }
    )
}

/// [`Transport::collapses`], a bit for each lane.
#[inline(always)]
pub(crate) fn collapses<O: Transport, V: Lanes>(stroke: &Frame<V>, x: Vec2<V>) -> u32 {
    if_narrow!(
        V,
        {
            let stroke = first_lane(stroke);
            let lost = each(x, |_, x| called(|| O::collapses(&stroke, x)));
            bits(|k| lost[k])
        },
        O::collapses(stroke, x).bits()
    )
}

/// [`Transport::coverage`].
#[inline(always)]
pub(crate) fn coverage<O: Transport, V: Lanes>(
    simd: V::Simd,
    stroke: &Frame<V>,
    x: Vec2<V>,
    softness: Softness<V>,
) -> V {
    if_narrow!(
        V,
        {
            let (stroke, softness) = (first_lane(stroke), first_softness(softness));
            let coverage = each(x, |_, x| called(|| O::coverage(&stroke, x, softness)));
            V::of_f64(simd, |k| coverage[k])
        },
        O::coverage(stroke, x, softness)
    )
}

/// [`Transport::soft_step`].
#[inline(always)]
pub(crate) fn soft_step<O: Transport, V: Lanes>(
    simd: V::Simd,
    stroke: &Frame<V>,
    x: Vec2<V>,
    softness: Softness<V>,
) -> (V, Vec2<V>) {
    if_narrow!(
        V,
        {
            let (stroke, softness) = (first_lane(stroke), first_softness(softness));
            let steps = each(x, |_, x| called(|| O::soft_step(&stroke, x, softness)));
            (V::of_f64(simd, |k| steps[k].0), point(simd, |k| steps[k].1))
        },
        O::soft_step(stroke, x, softness)
    )
}

/// [`Transport::psi_vjp`].
#[inline(always)]
pub(crate) fn psi_vjp<O: Transport, V: Lanes>(
    simd: V::Simd,
    stroke: &Frame<V>,
    x: Vec2<V>,
    d_out: Vec2<V>,
) -> (Vec2<V>, FrameGrad<V>) {
    if_narrow!(
        V,
        {
            let (stroke, d_out) = (first_lane(stroke), each(d_out, |_, d| d));
            let back = each(x, |k, x| called(|| O::psi_vjp(&stroke, x, d_out[k])));
            (point(simd, |k| back[k].0), gradient(simd, |k| back[k].1))
        },
        O::psi_vjp(stroke, x, d_out)
    )
}

/// [`Transport::soft_step_vjp`].
#[inline(always)]
pub(crate) fn soft_step_vjp<O: Transport, V: Lanes>(
    simd: V::Simd,
    stroke: &Frame<V>,
    x: Vec2<V>,
    softness: Softness<V>,
    d_coverage: V,
    d_out: Vec2<V>,
) -> (V, Vec2<V>, FrameGrad<V>) {
    if_narrow!(
        V,
        {
            let (stroke, softness) = (first_lane(stroke), first_softness(softness));
            let (d_coverage, d_out) = (d_coverage.to_f64s(), each(d_out, |_, d| d));
            let back = each(x, |k, x| {
                called(|| O::soft_step_vjp(&stroke, x, softness, d_coverage[k], d_out[k]))
            });
            let coverage = V::of_f64(simd, |k| back[k].0);
            (coverage, point(simd, |k| back[k].1), gradient(simd, |k| back[k].2))
        },
        O::soft_step_vjp(stroke, x, softness, d_coverage, d_out)
    )
}

/// Calls a closure, and is not inlined: one copy of a map, not sixteen.
#[inline(never)]
pub(crate) fn called<R>(body: impl FnOnce() -> R) -> R {
    body()
}

/// The stroke that all lanes hold.
fn first_lane<V: Lanes>(stroke: &Frame<V>) -> Frame<f64> {
    stroke.map(|v| v.to_array()[0].to_f64())
}

fn first_softness<V: Lanes>(softness: Softness<V>) -> Softness<f64> {
    let first = |v: V| v.to_array()[0].to_f64();
    Softness { tau: first(softness.tau), tau_min: first(softness.tau_min) }
}

/// What a map gives for every lane (its number and its point).
pub(crate) fn each<V: Lanes, T: Copy + Default>(
    x: Vec2<V>,
    map: impl Fn(usize, Vec2<f64>) -> T,
) -> [T; LANES] {
    let (x, y) = (x.x.to_f64s(), x.y.to_f64s());
    let mut all = [T::default(); LANES];
    for (k, value) in all.iter_mut().enumerate() {
        *value = map(k, vec2(x[k], y[k]));
    }
    all
}

pub(crate) fn point<V: Lanes>(simd: V::Simd, at: impl Fn(usize) -> Vec2<f64>) -> Vec2<V> {
    vec2(V::of_f64(simd, |k| at(k).x), V::of_f64(simd, |k| at(k).y))
}

fn gradient<V: Lanes>(simd: V::Simd, at: impl Fn(usize) -> FrameGrad<f64>) -> FrameGrad<V> {
    FrameGrad {
        mid: point(simd, |k| at(k).mid),
        offset: point(simd, |k| at(k).offset),
        half_width: V::of_f64(simd, |k| at(k).half_width),
        kappa: V::of_f64(simd, |k| at(k).kappa),
    }
}

/// A bit for each lane.
fn bits(at: impl Fn(usize) -> bool) -> u32 {
    (0..LANES).fold(0, |bits, k| bits | u32::from(at(k)) << k)
}
