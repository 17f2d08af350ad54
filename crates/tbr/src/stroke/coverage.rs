//! Coverage of the capsule, hard and relaxed, Eq. (12).

use super::frame::{Frame, LawGrad, PlaceGrad};
use super::frame_grad::FrameGrad;
use crate::numbers::Real;
use crate::numbers::Vec2;

/// How soft the rim of a deposit is: its width is `max(tau r, tau_min)`.
#[derive(Clone, Copy, Debug)]
pub struct Softness<R> {
    /// Rim width as a share of the half-width.
    pub tau: R,
    /// Least rim width, canvas units.
    pub tau_min: R,
}

impl<R: Real> Softness<R> {
    /// One over the rim's width for a stroke, and the width's derivative with
    /// respect to the half-width.
    #[inline(always)]
    fn per_rim(&self, half_width: R) -> (R, R) {
        let scaled = self.tau * half_width;
        let slope = R::select(self.tau_min.lt(scaled), self.tau, scaled.zero());
        (scaled.lit(1.0) / scaled.max(self.tau_min), slope)
    }

    /// sigmoid((edge - sigma)/rim): coverage of a deposit whose edge lies at `edge`.
    #[inline(always)]
    pub(super) fn coverage(&self, half_width: R, edge: R, sigma: R) -> R {
        ((edge - sigma) * self.per_rim(half_width).0).sigmoid()
    }

    /// The coverage again, and its adjoint: derivatives with respect to `edge`
    /// (that for `sigma` is its negative) and to `half_width` by way of the rim.
    #[inline(always)]
    pub(super) fn coverage_vjp(
        &self,
        half_width: R,
        edge: R,
        sigma: R,
        d_coverage: R,
    ) -> (R, R, R) {
        let (per_rim, slope) = self.per_rim(half_width);
        let z = (edge - sigma) * per_rim;
        let alpha = z.sigmoid();
        let d_edge = d_coverage * alpha * (alpha.lit(1.0) - alpha) * per_rim;
        (alpha, d_edge, -(d_edge * z * slope))
    }
}

/// Is `x` in the capsule?
#[inline(always)]
pub(super) fn covers<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> R::Mask {
    distance(stroke, x).le(stroke.half_width)
}

/// Distance from the segment, without the rest of the chart.
#[inline(always)]
pub(super) fn distance<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> R {
    let local = stroke.into_straight(x);
    let half = stroke.length * local.x.lit(0.5);
    let past = (local.x.abs() - half).max(half.zero());
    past.mul_add(past, local.y.squared()).sqrt()
}

/// Relaxed coverage of the capsule.
#[inline(always)]
pub(super) fn relaxed<R: Real>(stroke: &Frame<R>, x: Vec2<R>, softness: Softness<R>) -> R {
    softness.coverage(stroke.half_width, stroke.half_width, distance(stroke, x))
}

/// Adjoint of [`relaxed`].
#[inline(always)]
pub(super) fn relaxed_vjp<R: Real>(
    stroke: &Frame<R>,
    x: Vec2<R>,
    softness: Softness<R>,
    d_coverage: R,
) -> (Vec2<R>, FrameGrad<R>) {
    let chart = stroke.chart(x);
    let r = stroke.half_width;
    let (_, d_edge, d_rim) = softness.coverage_vjp(r, r, chart.sigma, d_coverage);
    let zero = r.zero();
    let law =
        LawGrad { d_sigma: -d_edge, d_nu: zero, d_length: zero, d_half_width: d_edge + d_rim };
    stroke.chart_vjp(&chart, PlaceGrad::none(&chart), law)
}
