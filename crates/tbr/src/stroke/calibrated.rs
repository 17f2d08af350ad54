//! The calibrated operator: the capsule's chart with an area increment that
//! varies along the leaf, closer to a line source, Eqs. (9) to (11).

use super::Transport;
use super::coverage::Softness;
use super::frame::{Chart, Frame, LawGrad, PlaceGrad, floored};
use super::frame_grad::FrameGrad;
use crate::numbers::Real;
use crate::numbers::Vec2;
use std::f64::consts::PI;

/// The additive coupling layer of the paper's Sec. 4.2.
#[derive(Clone, Copy, Debug)]
pub struct Calibrated;

/// The profile g at one point of a leaf.
#[derive(Clone, Copy)]
struct Profile<R> {
    /// g - 1.
    excess: R,
    /// dg/dnu.
    slope: R,
    /// cos(2 pi k nu), k = 1, 2, 3: dg/dc_k.
    modes: [R; 3],
}

impl<R: Real> Profile<R> {
    #[inline(always)]
    fn at(stroke: &Frame<R>, nu: R) -> Self {
        let [c1, c2, c3] = stroke.coupling;
        // The half angle stays in the first quadrant: nu runs from 0 to 1/2.
        let (sin, cos) = (nu * nu.lit(PI)).sin_and_cos();
        let w = cos.mul_add(cos, -sin.squared());
        let z = (sin + sin) * cos;
        let ww = w.squared();
        let modes = [w, ww + ww - w.lit(1.0), w * w.lit(4.0).mul_add(ww, w.lit(-3.0))];
        Self {
            excess: c1.mul_add(modes[0], c2.mul_add(modes[1], c3 * modes[2])),
            slope: z
                * w.lit(-2.0 * PI)
                * (c1
                    + w.lit(4.0) * c2 * w
                    + w.lit(3.0) * c3 * w.lit(4.0).mul_add(ww, w.lit(-1.0))),
            modes,
        }
    }

    /// What a derivative with respect to g says about the stroke's length and
    /// half-width, by way of the coefficients.
    #[inline(always)]
    fn coefficients_vjp(&self, stroke: &Frame<R>, d_g: R) -> (R, R) {
        let [s1, s2, s3] = stroke.coupling_slope;
        let [m1, m2, m3] = self.modes;
        let d_aspect = d_g * s1.mul_add(m1, s2.mul_add(m2, s3 * m3));
        let d_length = d_aspect / stroke.half_width;
        (d_length, -(d_length * stroke.length / stroke.half_width))
    }
}

impl Calibrated {
    /// C = A(sigma') - A(r) g(nu), written so that nothing cancels at the rim, Eq. (10).
    #[inline(always)]
    fn exposed<R: Real>(stroke: &Frame<R>, sigma: R, profile: &Profile<R>) -> R {
        let r = stroke.half_width;
        let plain = (sigma - r) * r.lit(PI).mul_add(sigma + r, stroke.length + stroke.length);
        plain - stroke.area_at(r) * profile.excess
    }

    /// A(r) g(nu): the area that is inserted along the leaf.
    #[inline(always)]
    fn inserted<R: Real>(stroke: &Frame<R>, profile: &Profile<R>) -> R {
        stroke.area_at(stroke.half_width) * (profile.excess + profile.excess.lit(1.0))
    }

    /// B = A(sigma) + A(r) g(nu).
    #[inline(always)]
    fn pushed<R: Real>(stroke: &Frame<R>, sigma: R, profile: &Profile<R>) -> R {
        stroke.area_at(sigma) + Self::inserted(stroke, profile)
    }

    /// rho and l + pi rho. A profile is positive, so the area is.
    #[inline(always)]
    fn edge_of<R: Real>(stroke: &Frame<R>, profile: &Profile<R>) -> (R, R) {
        stroke.curve_of_area(Self::inserted(stroke, profile))
    }

    /// Adjoint of an area `sign * A(r) g(nu)` added to `plain_d_*`'s own terms.
    #[inline(always)]
    fn law_vjp<R: Real>(
        stroke: &Frame<R>,
        chart: &Chart<R>,
        profile: &Profile<R>,
        sign: f64,
        d_area: R,
    ) -> LawGrad<R> {
        let r = stroke.half_width;
        let one = r.lit(1.0);
        let g = one + profile.excess;
        let inserted = stroke.area_at(r);
        let signed = d_area * r.lit(sign);
        let (d_length_c, d_width_c) = profile.coefficients_vjp(stroke, signed * inserted);
        let twice = signed + signed;
        LawGrad {
            d_sigma: (d_area + d_area) * chart.half_perimeter,
            d_nu: signed * inserted * profile.slope,
            d_length: (d_area + d_area) * chart.sigma + twice * r * g + d_length_c,
            d_half_width: twice * g * r.lit(PI).mul_add(r, stroke.length) + d_width_c,
        }
    }
}

impl Transport for Calibrated {
    /// A(rho) = A(r) g(nu), Eq. (11).
    #[inline(always)]
    fn edge<R: Real>(stroke: &Frame<R>, nu: R) -> R {
        Self::edge_of(stroke, &Profile::at(stroke, nu)).0
    }

    #[inline(always)]
    fn psi<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> Vec2<R> {
        Self::step(stroke, x).1
    }

    #[inline(always)]
    fn phi<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> Vec2<R> {
        let chart = stroke.chart(x);
        let profile = Profile::at(stroke, chart.nu());
        let inserted = Self::inserted(stroke, &profile);
        stroke.place(x, &chart, Self::pushed(stroke, chart.sigma, &profile), -inserted)
    }

    #[inline(always)]
    fn covers<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> R::Mask {
        let chart = stroke.chart(x);
        let raw = Self::exposed(stroke, chart.sigma, &Profile::at(stroke, chart.nu()));
        raw.le(raw.zero())
    }

    #[inline(always)]
    fn collapses<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> R::Mask {
        let chart = stroke.chart(x);
        let raw = Self::exposed(stroke, chart.sigma, &Profile::at(stroke, chart.nu()));
        floored(raw, stroke.floor())
    }

    #[inline(always)]
    fn step<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> (R::Mask, Vec2<R>) {
        let chart = stroke.chart(x);
        let profile = Profile::at(stroke, chart.nu());
        let raw = Self::exposed(stroke, chart.sigma, &profile);
        let (area, removed) = stroke.floor_area(raw, Self::inserted(stroke, &profile));
        (raw.le(raw.zero()), stroke.place(x, &chart, area, removed))
    }

    #[inline(always)]
    fn coverage<R: Real>(stroke: &Frame<R>, x: Vec2<R>, softness: Softness<R>) -> R {
        let chart = stroke.chart(x);
        softness.coverage(stroke.half_width, Self::edge(stroke, chart.nu()), chart.sigma)
    }

    #[inline(always)]
    fn psi_vjp<R: Real>(stroke: &Frame<R>, x: Vec2<R>, d_out: Vec2<R>) -> (Vec2<R>, FrameGrad<R>) {
        let chart = stroke.chart(x);
        let profile = Profile::at(stroke, chart.nu());
        let (raw, floor) = (Self::exposed(stroke, chart.sigma, &profile), stroke.floor());
        let place = stroke.place_vjp(&chart, raw.max(floor), d_out);
        let bound = floored(raw, floor);
        let live = R::select(bound, floor.zero(), place.d_area);
        let mut law = Self::law_vjp(stroke, &chart, &profile, -1.0, live);
        let held = (place.d_area - live) * stroke.floor_per_width();
        law.d_half_width = law.d_half_width + held + held;
        stroke.chart_vjp(&chart, place, law)
    }

    #[inline(always)]
    fn phi_vjp<R: Real>(stroke: &Frame<R>, x: Vec2<R>, d_out: Vec2<R>) -> (Vec2<R>, FrameGrad<R>) {
        let chart = stroke.chart(x);
        let profile = Profile::at(stroke, chart.nu());
        let place = stroke.place_vjp(&chart, Self::pushed(stroke, chart.sigma, &profile), d_out);
        let law = Self::law_vjp(stroke, &chart, &profile, 1.0, place.d_area);
        stroke.chart_vjp(&chart, place, law)
    }

    #[inline(always)]
    fn coverage_vjp<R: Real>(
        stroke: &Frame<R>,
        x: Vec2<R>,
        softness: Softness<R>,
        d_coverage: R,
    ) -> (Vec2<R>, FrameGrad<R>) {
        let chart = stroke.chart(x);
        let profile = Profile::at(stroke, chart.nu());
        let r = stroke.half_width;
        let (edge, edge_big) = Self::edge_of(stroke, &profile);
        let (_, d_edge, d_rim) = softness.coverage_vjp(r, edge, chart.sigma, d_coverage);

        // A(rho) = A(r) g: d_rho = (d(A(r) g) - 2 rho dl) / (2 (l + pi rho)).
        let d_inserted = d_edge * r.lit(0.5) / edge_big;
        let inserted = stroke.area_at(r);
        let g = r.lit(1.0) + profile.excess;
        let (d_length_c, d_width_c) = profile.coefficients_vjp(stroke, d_inserted * inserted);
        let twice = d_inserted + d_inserted;
        let law = LawGrad {
            d_sigma: -d_edge,
            d_nu: d_inserted * inserted * profile.slope,
            d_length: twice * (r * g - edge) + d_length_c,
            d_half_width: twice * g * r.lit(PI).mul_add(r, stroke.length) + d_width_c + d_rim,
        };
        stroke.chart_vjp(&chart, PlaceGrad::none(&chart), law)
    }
}
