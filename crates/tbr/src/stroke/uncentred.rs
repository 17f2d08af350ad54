//! The map that keeps the *uncentred* arclength, counted from a corner of the
//! flank: area-preserving too, but it breaks the capsule's mirror symmetry. Kept
//! for the comparison of the paper's `tab:detj`.

use super::frame::Frame;
use crate::numbers::{Mask, Real};
use crate::numbers::{Vec2, vec2};
use std::f64::consts::PI;

/// The backward map that keeps raw q.
#[inline(always)]
pub fn psi<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> Vec2<R> {
    let chart = stroke.chart(x);
    let r = stroke.half_width;
    let raw = (chart.sigma - r) * r.lit(PI).mul_add(chart.sigma + r, stroke.length + stroke.length);
    let (s, s_big) = stroke.curve_of_area(raw.max(stroke.floor()));

    // Signed arclength from the midpoint of the upper flank, clockwise, in
    // (-half_perimeter, half_perimeter]; then from the flank's left corner, kept as a share.
    let zero = r.zero();
    let upper = zero.le(chart.local.y);
    let t = chart.arclength;
    let around = R::select(upper, t, chart.half_perimeter - t).copysign(chart.local.x);
    let half = stroke.length * r.lit(0.5);
    let moved = (around + half) * (s_big / chart.half_perimeter) - half;
    let turn = s_big + s_big;
    let moved = R::select(s_big.lt(moved), moved - turn, moved);
    let moved = R::select(moved.lt(-s_big), moved + turn, moved);

    let distance = moved.abs();
    let below = (s_big * r.lit(0.5)).lt(distance);
    let t = R::select(below, s_big - distance, distance);
    let base = t.min(half);
    let (sin, cos) = ((t - base) / s).sin_and_cos();
    let y = s * cos;
    let local = vec2(s.mul_add(sin, base).copysign(moved), R::select(below.not(), y, -y));
    stroke.out_of_straight(local)
}
