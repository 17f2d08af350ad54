//! The capsule operator: every point moves to the parallel curve that encloses
//! A(r) more area and keeps its centred arclength.

use super::Transport;
use super::coverage::{self, Softness};
use super::frame::{Chart, Frame, LawGrad, PlaceGrad, floored};
use super::frame_grad::FrameGrad;
use crate::numbers::Real;
use crate::numbers::Vec2;
use std::f64::consts::PI;

/// psi_A of the paper, Eqs. (5) to (8).
#[derive(Clone, Copy, Debug)]
pub struct Capsule;

impl Capsule {
    /// C = A(sigma') - A(r), factored so that nothing cancels at the rim, Eq. (6).
    #[inline(always)]
    fn exposed<R: Real>(stroke: &Frame<R>, sigma: R) -> R {
        let r = stroke.half_width;
        (sigma - r) * r.lit(PI).mul_add(sigma + r, stroke.length + stroke.length)
    }

    /// The backward map of a point at `chart`.
    #[inline(always)]
    fn psi_at<R: Real>(stroke: &Frame<R>, x: Vec2<R>, chart: &Chart<R>) -> Vec2<R> {
        let inserted = stroke.area_at(stroke.half_width);
        let (area, removed) = stroke.floor_area(Self::exposed(stroke, chart.sigma), inserted);
        stroke.place(x, chart, area, removed)
    }

    /// B = A(sigma) + A(r), Eq. (8).
    #[inline(always)]
    fn pushed<R: Real>(stroke: &Frame<R>, sigma: R) -> R {
        stroke.area_at(sigma) + stroke.area_at(stroke.half_width)
    }
}

impl Transport for Capsule {
    #[inline(always)]
    fn psi<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> Vec2<R> {
        Self::step(stroke, x).1
    }

    #[inline(always)]
    fn phi<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> Vec2<R> {
        let chart = stroke.chart(x);
        let inserted = stroke.area_at(stroke.half_width);
        stroke.place(x, &chart, Self::pushed(stroke, chart.sigma), -inserted)
    }

    #[inline(always)]
    fn covers<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> R::Mask {
        coverage::covers(stroke, x)
    }

    #[inline(always)]
    fn collapses<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> R::Mask {
        floored(Self::exposed(stroke, coverage::distance(stroke, x)), stroke.floor())
    }

    #[inline(always)]
    fn step<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> (R::Mask, Vec2<R>) {
        let chart = stroke.chart(x);
        (chart.sigma.le(stroke.half_width), Self::psi_at(stroke, x, &chart))
    }

    #[inline(always)]
    fn coverage<R: Real>(stroke: &Frame<R>, x: Vec2<R>, softness: Softness<R>) -> R {
        coverage::relaxed(stroke, x, softness)
    }

    #[inline(always)]
    fn psi_vjp<R: Real>(stroke: &Frame<R>, x: Vec2<R>, d_out: Vec2<R>) -> (Vec2<R>, FrameGrad<R>) {
        let chart = stroke.chart(x);
        let (raw, floor) = (Self::exposed(stroke, chart.sigma), stroke.floor());
        let place = stroke.place_vjp(&chart, raw.max(floor), d_out);
        let law = exposed_vjp(stroke, &chart, raw, floor, &place);
        stroke.chart_vjp(&chart, place, law)
    }

    #[inline(always)]
    fn phi_vjp<R: Real>(stroke: &Frame<R>, x: Vec2<R>, d_out: Vec2<R>) -> (Vec2<R>, FrameGrad<R>) {
        let chart = stroke.chart(x);
        let place = stroke.place_vjp(&chart, Self::pushed(stroke, chart.sigma), d_out);
        let twice = place.d_area + place.d_area;
        let r = stroke.half_width;
        let law = LawGrad {
            d_sigma: twice * chart.half_perimeter,
            d_nu: twice.zero(),
            d_length: twice * (chart.sigma + r),
            d_half_width: twice * r.lit(PI).mul_add(r, stroke.length),
        };
        stroke.chart_vjp(&chart, place, law)
    }

    #[inline(always)]
    fn soft_step<R: Real>(stroke: &Frame<R>, x: Vec2<R>, softness: Softness<R>) -> (R, Vec2<R>) {
        let chart = stroke.chart(x);
        let r = stroke.half_width;
        (softness.coverage(r, r, chart.sigma), Self::psi_at(stroke, x, &chart))
    }

    #[inline(always)]
    fn soft_step_vjp<R: Real>(
        stroke: &Frame<R>,
        x: Vec2<R>,
        softness: Softness<R>,
        d_coverage: R,
        d_out: Vec2<R>,
    ) -> (R, Vec2<R>, FrameGrad<R>) {
        let chart = stroke.chart(x);
        let (raw, floor) = (Self::exposed(stroke, chart.sigma), stroke.floor());
        let place = stroke.place_vjp(&chart, raw.max(floor), d_out);
        let mut law = exposed_vjp(stroke, &chart, raw, floor, &place);
        let r = stroke.half_width;
        let (alpha, d_edge, d_rim) = softness.coverage_vjp(r, r, chart.sigma, d_coverage);
        law.d_sigma = law.d_sigma - d_edge;
        law.d_half_width = law.d_half_width + d_edge + d_rim;
        let (d_x, grad) = stroke.chart_vjp(&chart, place, law);
        (alpha, d_x, grad)
    }

    #[inline(always)]
    fn coverage_vjp<R: Real>(
        stroke: &Frame<R>,
        x: Vec2<R>,
        softness: Softness<R>,
        d_coverage: R,
    ) -> (Vec2<R>, FrameGrad<R>) {
        coverage::relaxed_vjp(stroke, x, softness, d_coverage)
    }
}

/// Adjoint of `max(exposed, floor)`.
#[inline(always)]
fn exposed_vjp<R: Real>(
    stroke: &Frame<R>,
    chart: &Chart<R>,
    raw: R,
    floor: R,
    place: &PlaceGrad<R>,
) -> LawGrad<R> {
    let bound = floored(raw, floor);
    let r = stroke.half_width;
    let zero = r.zero();
    let twice = place.d_area + place.d_area;
    let live = R::select(bound, zero, twice);
    let d_half_width = R::select(
        bound,
        twice * stroke.floor_per_width(),
        -(twice * r.lit(PI).mul_add(r, stroke.length)),
    );
    LawGrad {
        d_sigma: live * chart.half_perimeter,
        d_nu: zero,
        d_length: live * (chart.sigma - r),
        d_half_width,
    }
}
