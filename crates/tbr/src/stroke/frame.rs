//! The stroke's own coordinates: distance from its segment and arclength along
//! the parallel curve, with both reflections folded away.

use super::bow::{Bow, BowGrad};
use super::frame_grad::FrameGrad;
use super::shape::Shape;
use crate::numbers::lanes::{Lanes, Scalar};
use crate::numbers::map3;
use crate::numbers::{Mask, Real};
use crate::numbers::{Vec2, vec2};
use crate::stroke::coupling;
use std::f64::consts::PI;

/// Where the regularised root stops: C is kept at or above (FLOOR r)^2, Eq. (6).
/// Part of the model, fixed by the paper.
pub const FLOOR: f64 = 1e-3;

/// Keeps 0/0 away from strokes of no length, and from their centres.
const TINY: f64 = 1e-30;

/// Half a perimeter is at least this many half-widths where a map divides by it:
/// at the centre of a drop alone.
const NO_PERIMETER: f64 = 1e-12;

/// Half a perimeter is at least this many half-widths where an adjoint divides by
/// it. All directions meet in the centre of a drop, so that the derivative there
/// grows without bound: a pixel that lies right in it (fits put strokes where
/// pixels are) would outweigh all others, and float32 could not tell its
/// direction. A hundredth of this leaves gradient errors of a tenth on fitted
/// programs; this is felt by one point in 1e9 of a drop.
const LEAST_PERIMETER: f64 = 1e-4;

/// A stroke, prepared for many points: its frame has the segment's midpoint as
/// origin and the segment's direction as first axis.
#[derive(Clone, Copy, Debug)]
pub struct Frame<R> {
    /// Midpoint of the segment.
    pub mid: Vec2<R>,
    /// Unit vector along the segment; (1, 0) for a drop.
    pub dir: Vec2<R>,
    /// Length of the segment.
    pub length: R,
    /// One over the length (or over next to nothing, for a drop).
    pub per_length: R,
    /// Radius of the capsule.
    pub half_width: R,
    /// How it bends, if it does or might.
    pub bow: Option<Bow<R>>,
    /// Coefficients c_1..c_3 of the calibrated variant's profile, Eq. (9).
    pub coupling: [R; 3],
    /// Their derivatives with respect to the aspect ratio.
    pub coupling_slope: [R; 3],
}

impl Frame<f64> {
    /// The frame of a stroke, coupling coefficients from the frozen table.
    pub fn of(shape: &Shape) -> Self {
        let (coupling, coupling_slope) = coupling::at(shape.aspect());
        let straight = Self::uncoupled(shape.anchor, shape.offset, shape.half_width);
        let frame = Self { coupling, coupling_slope, ..straight };
        if shape.bend == 0.0 { frame } else { frame.bent(shape.bend) }
    }
}

impl<R: Real> Frame<R> {
    /// The frame of a stroke with g = 1 (no coupling).
    pub fn uncoupled(anchor: Vec2<R>, offset: Vec2<R>, half_width: R) -> Self {
        let length = offset.dot(offset).sqrt();
        let (zero, one) = (length.zero(), length.lit(1.0));
        let is_line = zero.lt(length);
        let safe = R::select(is_line, length, one);
        Self {
            mid: anchor + offset * length.lit(0.5),
            dir: Vec2::select(is_line, vec2(offset.x / safe, offset.y / safe), vec2(one, zero)),
            length,
            per_length: one / length.max(one.lit(TINY)),
            half_width,
            bow: None,
            coupling: [zero; 3],
            coupling_slope: [zero; 3],
        }
    }

    /// The same with a bow, be its bend 0: adjoints then have its derivative.
    pub fn bent(self, bend: R) -> Self {
        Self { bow: Some(Bow::new(bend, self.length, self.half_width)), ..self }
    }

    /// The same stroke in another number type.
    #[inline(always)]
    pub fn map<T>(&self, f: impl Fn(R) -> T) -> Frame<T> {
        Frame {
            mid: vec2(f(self.mid.x), f(self.mid.y)),
            dir: vec2(f(self.dir.x), f(self.dir.y)),
            length: f(self.length),
            per_length: f(self.per_length),
            half_width: f(self.half_width),
            bow: self.bow.as_ref().map(|bow| bow.map(&f)),
            coupling: map3(self.coupling, &f),
            coupling_slope: map3(self.coupling_slope, &f),
        }
    }

    /// A(sigma) = 2 l sigma + pi sigma^2, Eq. (1).
    #[inline(always)]
    pub fn area_at(&self, sigma: R) -> R {
        sigma * sigma.lit(PI).mul_add(sigma, self.length + self.length)
    }

    /// The smallest C that the root is taken of, Eq. (6).
    #[inline(always)]
    pub fn floor(&self) -> R {
        (self.half_width * self.half_width.lit(FLOOR)).squared()
    }

    /// [`Frame::floor`] over the half-width.
    #[inline(always)]
    pub(super) fn floor_per_width(&self) -> R {
        self.half_width * self.half_width.lit(FLOOR * FLOOR)
    }

    /// The parallel curve that encloses `area`: its distance s and S = l + pi s, Eq. (5).
    #[inline(always)]
    pub fn curve_of_area(&self, area: R) -> (R, R) {
        let s_big = self.length.mul_add(self.length, area * area.lit(PI)).sqrt();
        (area / (self.length + s_big), s_big)
    }

    /// Chart coordinates of a point, Eqs. (2) to (4).
    #[inline(always)]
    pub fn chart(&self, x: Vec2<R>) -> Chart<R> {
        let local = self.into_straight(x);
        let (along, across) = (local.x.abs(), local.y.abs());
        let half = self.length * along.lit(0.5);
        let past = (along - half).max(along.zero());
        let sigma = past.mul_add(past, across.squared()).sqrt();
        let one = sigma.lit(1.0);
        let at_segment = sigma.le(sigma.zero());
        let per_sigma = one / R::select(at_segment, one, sigma);
        let normal = vec2(past * per_sigma, R::select(at_segment, one, across * per_sigma));
        let angle = normal.x.angle_quadrant(normal.y);
        let base = along.min(half);
        let least = self.half_width * one.lit(LEAST_PERIMETER);
        let half_perimeter = sigma.lit(PI).mul_add(sigma, self.length);
        let divisor = half_perimeter.max(least);
        let arclength = sigma.mul_add(angle, base);
        Chart { local, base, sigma, angle, normal, half_perimeter, divisor, arclength }
    }

    /// The area that the place of a point encloses when a stroke that inserted
    /// `inserted` is taken away and `raw` is left, and how much less that is than
    /// before, Eq. (6).
    #[inline(always)]
    pub(super) fn floor_area(&self, raw: R, inserted: R) -> (R, R) {
        let floor = self.floor();
        (raw.max(floor), inserted + (raw - floor).min(raw.zero()))
    }

    /// Moves `x`, at `chart`, along its leaf to the parallel curve that encloses
    /// `area`, which is less by `removed` than what its own curve encloses, Eq. (7).
    ///
    /// Written as x plus a displacement in which nothing cancels: what rounding
    /// does to a point is then as small as the point's own last place, however
    /// long the chain.
    #[inline(always)]
    pub fn place(&self, x: Vec2<R>, chart: &Chart<R>, area: R, removed: R) -> Vec2<R> {
        let Chart { base, angle, normal, half_perimeter, .. } = *chart;
        let divisor = half_perimeter.max(self.half_width * base.lit(NO_PERIMETER));
        let (s, s_big) = self.curve_of_area(area);
        let share = removed / (divisor * (half_perimeter + s_big));
        let nearer = share * divisor;
        // How far the point slides towards the flank's middle, and how much of
        // that turns it around the cap.
        let slide = share * (base * base.lit(PI) - self.length * angle);
        let to_cap = self.length * base.lit(0.5) - base;
        let turn = angle.min((slide + to_cap) / s);
        let along = s.mul_add(angle, -slide).min(to_cap);
        let (sin, cos_less_1) = turn.sin_and_cos_less_1();
        let moved = vec2(
            s * (normal.x * cos_less_1 - normal.y * sin) - nearer * normal.x + along,
            s * (normal.y * cos_less_1 + normal.x * sin) - nearer * normal.y,
        );
        x + self.bend(chart.local.x, chart.unfold(moved)).out_of_frame(self.dir)
    }

    /// The point at distance `sigma` and leaf coordinate `nu` in the quadrant
    /// that the signs of `quadrant` choose.
    pub fn point_at(&self, quadrant: Vec2<R>, nu: R, sigma: R) -> Vec2<R> {
        let t = nu * sigma.lit(PI).mul_add(sigma, self.length);
        let base = t.min(self.length * t.lit(0.5));
        let (sin, cos) = ((t - base) / sigma).sin_and_cos();
        let folded = vec2(sigma.mul_add(sin, base), sigma * cos);
        let local = vec2(folded.x.copysign(quadrant.x), folded.y.copysign(quadrant.y));
        self.out_of_straight(local)
    }

    /// Adjoint of [`Frame::place`] up to the chart: what the derivative with
    /// respect to the placed point says about `area`, `nu` and the frame, Eq. (14).
    #[inline(always)]
    pub(super) fn place_vjp(&self, chart: &Chart<R>, area: R, d_out: Vec2<R>) -> PlaceGrad<R> {
        let (s, s_big) = self.curve_of_area(area);
        let per_both = s.lit(1.0) / (chart.divisor * s_big);
        let per_perimeter = s_big * per_both;
        let nu = chart.arclength * per_perimeter;
        let t = nu * s_big;
        let half = self.length * t.lit(0.5);
        let base = t.min(half);
        let angle = (t - base) / s;
        let (sin, cos) = angle.sin_and_cos();

        let d_out = d_out.into_frame(self.dir);
        let placed = chart.unfold(vec2(s.mul_add(sin, base), s * cos));
        let (d_straight, bow) = self.bend_vjp(placed, d_out);
        let d_folded = chart.unfold(d_straight);
        let d_t = d_folded.x.mul_add(cos, -(d_folded.y * sin));
        let d_s = d_folded.x.mul_add(sin, d_folded.y * cos) - angle * d_t;
        let d_s_big = nu * d_t;

        let half_over_s_big = s.lit(0.5) * chart.divisor * per_both;
        PlaceGrad {
            d_out,
            d_area: s.lit(PI).mul_add(d_s_big, d_s) * half_over_s_big,
            d_nu: s_big * d_t,
            d_length: (self.length * d_s_big - s * d_s) * (half_over_s_big + half_over_s_big),
            d_half: d_folded.x - d_t,
            d_turn: d_t * (chart.sigma - s) * per_perimeter,
            swing: base * d_folded.y,
            per_perimeter,
            bow,
        }
    }
}

impl<S: Scalar> Frame<S> {
    /// The stroke in every lane.
    #[inline(always)]
    pub(crate) fn splat<V: Lanes<Scalar = S>>(&self, simd: V::Simd) -> Frame<V> {
        let s = |value| V::splat(simd, value);
        Frame {
            mid: vec2(s(self.mid.x), s(self.mid.y)),
            dir: vec2(s(self.dir.x), s(self.dir.y)),
            length: s(self.length),
            per_length: s(self.per_length),
            half_width: s(self.half_width),
            bow: match &self.bow {
                Some(bow) => Some(Bow {
                    per_length: s(bow.per_length),
                    kappa: s(bow.kappa),
                    reach: s(bow.reach),
                }),
                None => None,
            },
            coupling: map3(self.coupling, s),
            coupling_slope: map3(self.coupling_slope, s),
        }
    }
}

/// A point in the coordinates of a stroke.
#[derive(Clone, Copy, Debug)]
pub struct Chart<R> {
    /// The point in the stroke's frame, straightened, signs and all.
    pub local: Vec2<R>,
    /// How far from the midpoint to the nearest point of the segment.
    base: R,
    /// Distance from the segment.
    pub sigma: R,
    /// Angle from the flank's normal around the cap; 0 on the flank.
    angle: R,
    /// Unit normal of the parallel curve: sine and cosine of `angle`.
    normal: Vec2<R>,
    /// Half the perimeter of the parallel curve: l + pi sigma.
    pub half_perimeter: R,
    /// The same, but not too small for an adjoint to divide by.
    divisor: R,
    /// Arclength from the flank's midpoint, in [0, half_perimeter/2].
    pub arclength: R,
}

impl<R: Real> Chart<R> {
    /// Arclength over `half_perimeter`: 2 v of the paper, in [0, 1/2].
    #[inline(always)]
    pub fn nu(&self) -> R {
        self.arclength / self.half_perimeter.max(self.sigma.lit(TINY))
    }

    /// Puts the signs of `local` on a point of the first quadrant. (Its own
    /// adjoint, and its own inverse when the argument carries those signs.)
    #[inline(always)]
    fn unfold(&self, folded: Vec2<R>) -> Vec2<R> {
        let one = folded.x.lit(1.0);
        vec2(folded.x * one.copysign(self.local.x), folded.y * one.copysign(self.local.y))
    }
}

/// Derivatives that [`Frame::place_vjp`] has taken so far.
pub(super) struct PlaceGrad<R> {
    /// The derivative with respect to the placed point, in the stroke's frame.
    d_out: Vec2<R>,
    pub d_area: R,
    /// Of the map along the leaf alone; the area's part is added by `chart_vjp`.
    d_nu: R,
    d_length: R,
    d_half: R,
    d_turn: R,
    /// base * d_y of the placed point.
    swing: R,
    /// One over the chart's divisor.
    per_perimeter: R,
    /// What the placed point says about the bow.
    bow: BowGrad<R>,
}

impl<R: Real> PlaceGrad<R> {
    /// No map at all: only coverage is to be pulled back.
    #[inline(always)]
    pub fn none(chart: &Chart<R>) -> Self {
        let zero = chart.sigma.zero();
        Self {
            d_out: vec2(zero, zero),
            d_area: zero,
            d_nu: zero,
            d_length: zero,
            d_half: zero,
            d_turn: zero,
            swing: zero,
            per_perimeter: zero.lit(1.0) / chart.divisor,
            bow: BowGrad::zero(zero),
        }
    }
}

/// What depends on the chart besides the place: derivatives with respect to
/// sigma, nu, length and half-width that an area law or a coverage contributes.
pub(super) struct LawGrad<R> {
    pub d_sigma: R,
    pub d_nu: R,
    pub d_length: R,
    pub d_half_width: R,
}

impl<R: Real> Frame<R> {
    /// Adjoint of [`Frame::chart`]: collects everything on the point and the stroke, Eq. (15).
    #[inline(always)]
    pub(super) fn chart_vjp(
        &self,
        chart: &Chart<R>,
        place: PlaceGrad<R>,
        law: LawGrad<R>,
    ) -> (Vec2<R>, FrameGrad<R>) {
        let zero = chart.sigma.zero();
        let one = zero.lit(1.0);
        let Vec2 { x: sin, y: cos } = chart.normal;

        let d_nu = place.d_nu + law.d_nu;
        let d_t = d_nu * place.per_perimeter;
        let d_half_perimeter = -(chart.arclength * place.per_perimeter * d_t);
        let d_sigma = law.d_sigma + chart.angle.mul_add(d_t, d_half_perimeter * zero.lit(PI));

        let d_folded = vec2(sin.mul_add(d_sigma, cos * d_t), cos.mul_add(d_sigma, -(sin * d_t)));
        let (d_local, bow) = self.straighten_vjp(chart.local, chart.unfold(d_folded));
        let d_half = place.d_half + d_t - d_folded.x;
        let d_length = place.d_length + law.d_length + d_half_perimeter + d_half * zero.lit(0.5);

        // Everything in the turn is proportional to l and has been divided by it
        // before it could cancel: see Eq. (16).
        let d_turn = place.d_turn
            + self.per_length
                * (law.d_nu * chart.sigma * place.per_perimeter + place.swing
                    - chart.base * d_folded.y);
        let handed = one.copysign(chart.local.x) * one.copysign(chart.local.y);

        // The cone at l = 0: only the odd part, half the anchor's derivative, is kept.
        let is_line = zero.lt(self.length);
        let d_mid = place.d_out - d_local;
        let grad = FrameGrad {
            mid: d_mid,
            offset: Vec2::select(is_line, vec2(d_length, d_turn * handed), vec2(zero, zero)),
            half_width: law.d_half_width,
            // (Minus zero: adding it changes nothing, and compilers leave it out.)
            kappa: zero.lit(-0.0),
        };
        (d_local.out_of_frame(self.dir), grad.plus_bow(self, place.bow + bow))
    }
}

/// True where the root was floored: the sample cannot be regenerated by `phi`.
#[inline(always)]
pub(super) fn floored<R: Real>(raw_area: R, floor: R) -> R::Mask {
    floor.le(raw_area).not()
}
