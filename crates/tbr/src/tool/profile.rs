//! How far a move takes the paint, by its distance from a line or a centre: the only thing in
//! which moves of one family differ. Each profile gives its derivatives too; what a caller does
//! not use, the compiler leaves out.

use super::moves::{Move, MoveKind};
use crate::numbers::Real;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Keeps 0/0 away from teeth of no width, and from centres.
const TINY: f64 = 1e-30;

/// A profile at one place, for a strength of 1.
#[derive(Clone, Copy)]
pub(super) struct Profile<R> {
    pub value: R,
    /// Derivative with respect to the place: the distance d from a line, or the square q of that
    /// from a centre.
    pub slope: R,
    /// Derivatives with respect to the move's numbers.
    pub reach: R,
    pub width: R,
    pub spacing: R,
}

impl<R: Real> Profile<R> {
    /// Of a move along lines, at the distance `d` from the line through its origin.
    #[inline(always)]
    pub fn along(m: &Move<R>, d: R) -> Self {
        match m.kind {
            MoveKind::Tine => Self::tine(d, m.reach, m.width),
            MoveKind::Comb | MoveKind::Rake => Self::teeth(m, d),
            MoveKind::Wave | MoveKind::Ring | MoveKind::Swirl => Self::wave(d, m.reach),
        }
    }

    /// Of a turn, at the square `q` of the distance from its centre: an angle.
    #[inline(always)]
    pub fn about(m: &Move<R>, q: R) -> Self {
        if m.kind == MoveKind::Ring {
            Self::ring(q, m.spacing, m.reach, m.width)
        } else {
            Self::swirl(q, m.reach)
        }
    }

    /// One tooth, Eq. (T2): exp(-(rho - b)/lambda), rho^2 = d^2 + b^2.
    #[inline(always)]
    fn tine(d: R, reach: R, width: R) -> Self {
        let one = d.lit(1.0);
        let square = d.squared();
        let rho = width.mul_add(width, square).sqrt().max(d.lit(TINY));
        let per_reach = one / reach;
        let far = square / (rho + width) * per_reach;
        let value = (-far).exp_negative();
        let per_rho = one / rho;
        Self {
            value,
            slope: -(value * per_reach * d * per_rho),
            reach: value * far * per_reach,
            width: value * per_reach * (one - width * per_rho),
            spacing: d.zero(),
        }
    }

    /// Many teeth, drawn together, Eq. (T3), or to and fro, Eq. (T4).
    #[inline(always)]
    fn teeth(m: &Move<R>, d: R) -> Self {
        let Move { reach, width, spacing, .. } = *m;
        let (one, half) = (d.lit(1.0), d.lit(0.5));
        let per_spacing = one / spacing;
        let place = d * per_spacing;
        let tooth = place.round();
        let Between { left, by_angle, by_beta } =
            Between::new((place - tooth) * d.lit(PI), width * per_spacing * d.lit(PI));
        // How far it is to the middle between two teeth, and how that changes.
        let x = spacing * half * left;
        let per_both = half * d.lit(PI) * per_spacing;
        let x_by_d = spacing * per_both * by_angle;
        let x_by_width = spacing * per_both * by_beta;
        let x_by_spacing = half * left - (by_angle * d + by_beta * width) * per_both;

        let per_reach = one / reach;
        let (near, far) = ((spacing * half - x) * per_reach, (spacing * half + x) * per_reach);
        let (nearer, farther) = ((-near).exp_negative(), (-far).exp_negative());
        let round = (-(spacing * per_reach)).exp_negative();
        let is_comb = m.kind == MoveKind::Comb;
        // Teeth that go to and fro have alternating signs.
        let odd = tooth - (tooth * half).round() * d.lit(2.0);
        let sign = if is_comb { one } else { one - odd.squared() * d.lit(2.0) };
        let flip = if is_comb { one } else { -one };
        let per_whole = one / (one - flip * round);
        let sum = sign * (nearer + flip * farther) * per_whole;
        let by_x = sign * (nearer - flip * farther) * per_whole * per_reach;
        let by_whole = flip * sum * per_whole * round;
        let weighted = sign * (nearer * near + flip * farther * far) * per_whole;
        let reach_slope = (weighted + by_whole * spacing * per_reach) * per_reach;
        let spacing_slope = -(sum * half + by_whole) * per_reach;
        // The mean of teeth that go together is taken off: the sheet stays where it is.
        let mean = if is_comb { d.lit(2.0) * per_spacing } else { d.zero() };
        Self {
            value: sum - mean * reach,
            slope: by_x * x_by_d,
            reach: reach_slope - mean,
            width: by_x * x_by_width,
            spacing: spacing_slope + by_x * x_by_spacing + mean * reach * per_spacing,
        }
    }

    /// sin(2 pi d/w), Eq. (T5).
    #[inline(always)]
    fn wave(d: R, wavelength: R) -> Self {
        let angle_per_d = d.lit(TAU) / wavelength;
        let (sin, cos_less_1) = (d * angle_per_d).sin_and_cos_less_1_anywhere();
        let slope = angle_per_d * (cos_less_1 + d.lit(1.0));
        let zero = d.zero();
        Self { value: sin, slope, reach: -(slope * d / wavelength), width: zero, spacing: zero }
    }

    /// A tooth led around, Eq. (T7): that of a tine at r - R, over sqrt(r^2 + b^2).
    #[inline(always)]
    fn ring(q: R, radius: R, reach: R, width: R) -> Self {
        let r = q.sqrt().max(q.lit(TINY));
        let tine = Self::tine(r - radius, reach, width);
        let per_way = q.lit(1.0) / width.mul_add(width, q).sqrt().max(q.lit(TINY));
        let (half, cube) = (q.lit(0.5), per_way.squared() * per_way);
        Self {
            value: tine.value * per_way,
            slope: half * (tine.slope * per_way / r - tine.value * cube),
            reach: tine.reach * per_way,
            width: tine.width * per_way - tine.value * cube * width,
            spacing: -(tine.slope * per_way),
        }
    }

    /// (1 - q/R^2)^2 within the radius, Eq. (T8), and nothing beyond.
    #[inline(always)]
    fn swirl(q: R, radius: R) -> Self {
        let (one, zero) = (q.lit(1.0), q.zero());
        let per_radius = one / radius;
        let per_square = per_radius.squared();
        let share = q * per_square;
        let left = (one - share).max(zero);
        let twice = left + left;
        let reach = (twice + twice) * share * per_radius;
        Self {
            value: left.squared(),
            slope: -(twice * per_square),
            reach,
            width: zero,
            spacing: zero,
        }
    }
}

/// A place between two teeth of a comb.
struct Between<R> {
    /// How far it is to the middle between them, as a share: 1 at a tooth, 0 in the middle.
    left: R,
    /// Its derivatives with respect to the angle from the nearest tooth (a spacing is pi) and to
    /// the teeth's width, as an angle.
    by_angle: R,
    by_beta: R,
}

impl<R: Real> Between<R> {
    /// For teeth of no width 1 - 2 abs(theta)/pi, whose kink at the tooth the width takes away,
    /// analytically and all along: phi/phi_0 with phi the angle of (cos theta,
    /// sqrt(sin^2 theta + beta^2)), Eq. (T3).
    #[inline(always)]
    fn new(theta: R, beta: R) -> Self {
        let one = theta.lit(1.0);
        let (sin, cos) = theta.sin_and_cos();
        let whole = beta.mul_add(beta, one);
        let per_size = one / whole.sqrt();
        let across = beta.mul_add(beta, sin.squared()).sqrt().max(theta.lit(TINY));
        // (Rounding may put the cosine of a right angle below 0.)
        let phi = (cos.max(theta.zero()) * per_size).angle_quadrant(across * per_size);
        let widest = per_size.angle_quadrant(beta * per_size);
        let per_widest = one / widest;
        let left = (phi * per_widest).min(one);
        let phi_by_beta = -(cos * beta / (across * whole));
        Self {
            left,
            by_angle: -(sin / across * per_widest),
            by_beta: (phi_by_beta + left / whole) * per_widest,
        }
    }
}

/// How a profile of teeth changes with the way x to the middle between them: bounds of its even
/// and odd derivatives, over powers of the reach; and how much faster x changes than the place.
pub(super) struct Steepness {
    pub even: f64,
    pub odd: f64,
    pub steep: f64,
}

impl Steepness {
    /// Of one tooth.
    pub const TOOTH: Self = Self { even: 1.0, odd: 1.0, steep: 1.0 };

    /// Of many, drawn together or to and fro.
    pub fn of_teeth(m: &Move<f64>) -> Self {
        let tanh = libm::tanh(0.5 * m.spacing / m.reach);
        let even = if m.kind == MoveKind::Comb { 1.0 / tanh } else { tanh };
        Self { even, odd: 1.0, steep: FRAC_PI_2 / libm::atan2(1.0, PI * m.width / m.spacing) }
    }

    /// A bound of the fourth derivative, for teeth of that reach and width of which the nearest
    /// lies `gap` away, Eq. (T13). Infinite right at a tooth of no width.
    pub fn fourth_derivative(&self, reach: f64, width: f64, gap: f64) -> f64 {
        let per_reach = 1.0 / reach;
        let straight = self.even * (self.steep * per_reach).powi(4);
        if width == 0.0 {
            return if gap > 0.0 { straight } else { f64::INFINITY };
        }
        // Derivatives of rho, at their largest from the gap on.
        let rho = libm::hypot(gap, width);
        let second = width * width / (rho * rho * rho);
        let third = if gap < 0.5 * width { 0.86 / (width * width) } else { 3.0 * second / rho };
        let fourth =
            if gap < width { 3.0 / (width * width * width) } else { 12.0 * second / (rho * rho) };
        let s = self.steep;
        straight
            + 6.0 * self.odd * s.powi(3) * second * per_reach.powi(3)
            + self.even * s * s * (3.0 * second * second + 4.0 * third) * per_reach.powi(2)
            + self.odd * s * fourth * per_reach
    }
}
