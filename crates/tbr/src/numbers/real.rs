//! The number types that every map is written for.
//!
//! Each map of [`crate::stroke`] is written once, over [`Real`], and runs for
//! `f64` (the definition), for [`Dual`](crate::numbers::Dual) numbers (its
//! derivative, exactly) and for the sixteen-lane vectors of [`crate::numbers::lanes`]
//! (the engine). The transcendental functions are short polynomials of our own:
//! no SIMD crate that chooses its instruction set at run time has them, and the
//! platform's differ from machine to machine.

use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// What a comparison of two [`Real`]s gives: one truth value per lane.
pub trait Mask: Copy + Debug {
    /// True where both are.
    fn and(self, other: Self) -> Self;
    /// True where either is.
    fn or(self, other: Self) -> Self;
    /// True where `self` is not.
    fn not(self) -> Self;
    /// True if any lane is.
    fn any(self) -> bool;
    /// One bit per lane, lane 0 lowest.
    fn bits(self) -> u32;
}

impl Mask for bool {
    fn and(self, other: Self) -> Self {
        self & other
    }
    fn or(self, other: Self) -> Self {
        self | other
    }
    fn not(self) -> Self {
        !self
    }
    fn any(self) -> bool {
        self
    }
    fn bits(self) -> u32 {
        u32::from(self)
    }
}

/// A real number, or several side by side.
///
/// Angles are found in the first quadrant only: the charts fold every point into it.
pub trait Real:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// What comparing two of these gives.
    type Mask: Mask;

    /// The constant `c` as a number of the same kind as `self`, whose value does
    /// not matter. (A vector carries the proof that its instructions exist, so a
    /// constant can only be made from another vector.)
    fn lit(self, c: f64) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// The smaller of two.
    fn min(self, other: Self) -> Self;
    /// The larger of two.
    fn max(self, other: Self) -> Self;
    /// `self * factor + term`, fused where the instruction set fuses.
    fn mul_add(self, factor: Self, term: Self) -> Self;
    /// `self` with the sign of `sign` (both zeros included).
    fn copysign(self, sign: Self) -> Self;
    /// `self < other`.
    fn lt(self, other: Self) -> Self::Mask;
    /// `self <= other`.
    fn le(self, other: Self) -> Self::Mask;
    /// `yes` where the mask is true, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// The angle in [0, pi/2] whose sine is `self` and whose cosine is `cos`.
    fn angle_quadrant(self, cos: Self) -> Self;
    /// Sine, and cosine less 1 (exact where it is small), of an angle in [-pi/2, pi/2].
    fn sin_and_cos_less_1(self) -> (Self, Self);
    /// The nearest whole number. (Its derivative is 0.)
    fn round(self) -> Self;
    /// The exponential of a number that is at most 0 (in f32 never less than 1e-13).
    fn exp_negative(self) -> Self;

    /// The natural logarithm of a number in (0, 1] (not denormal).
    fn ln_unit(self) -> Self;
    /// Sine and cosine of an angle in [-pi/2, pi/2].
    #[inline(always)]
    fn sin_and_cos(self) -> (Self, Self) {
        let (sin, cos_less_1) = self.sin_and_cos_less_1();
        (sin, cos_less_1 + self.lit(1.0))
    }
    /// Sine, and cosine less 1, of any angle.
    #[inline(always)]
    fn sin_and_cos_less_1_anywhere(self) -> (Self, Self) {
        let turns = self * self.lit(1.0 / std::f64::consts::TAU);
        let half = (turns - turns.round()) * self.lit(std::f64::consts::PI);
        let (sin, cos_less_1) = half.sin_and_cos_less_1();
        let twice = sin + sin;
        (twice.mul_add(cos_less_1, twice), -(twice * sin))
    }
    /// Zero.
    #[inline(always)]
    fn zero(self) -> Self {
        self.lit(0.0)
    }
    /// `self * self`.
    #[inline(always)]
    fn squared(self) -> Self {
        self * self
    }
    /// `1 / (1 + exp(-self))`, without overflow.
    #[inline(always)]
    fn sigmoid(self) -> Self {
        let one = self.lit(1.0);
        let e = (-self.abs()).exp_negative();
        let upper = one / (one + e);
        Self::select(self.lt(self.zero()), e * upper, upper)
    }
}

/// Coefficients of the polynomials behind [`Real`]'s functions, for one precision.
/// Each is the interpolant at Chebyshev nodes, computed with 50 digits.
pub(crate) struct Polynomials {
    /// sin(z)/z in powers of z^2, on [-1.58, 1.58].
    pub sin: &'static [f64],
    /// (cos(z) - 1)/z^2 in powers of z^2, on [-1.58, 1.58].
    pub cos: &'static [f64],
    /// exp(z) in powers of z, on [-ln 2 / 2, ln 2 / 2].
    pub exp: &'static [f64],
}

/// Errors below 5e-9: a tenth of a unit in the last place of f32 at 1.
pub(crate) const SINGLE: Polynomials = Polynomials {
    sin: &[0.99999999544, -0.16666657535, 0.0083330401985, -0.0001980826797, 2.6033831274e-6],
    cos: &[-0.49999999962, 0.041666659013, -0.0013888643277, 2.4773950606e-5, -2.6283039298e-7],
    exp: &[
        1.0,
        1.0000000377,
        0.50000000471,
        0.16666415515,
        0.041666352897,
        0.0083751263982,
        0.0013941108434,
    ],
};

/// Errors below 1e-19: the rounding of f64 is all that remains.
#[expect(clippy::excessive_precision, reason = "the digits as they were computed")]
pub(crate) const DOUBLE: Polynomials = Polynomials {
    sin: &[
        1.0,
        -0.166666666666666667,
        0.00833333333333333297,
        -0.000198412698412696553,
        2.75573192239374453e-6,
        -2.50521083781926863e-8,
        1.60590431763053704e-10,
        -7.64712646513456037e-13,
        2.81018543077509142e-15,
        -7.97975996302183445e-18,
    ],
    cos: &[
        -0.5,
        0.0416666666666666667,
        -0.00138888888888888887,
        0.0000248015873015872169,
        -2.75573192239638261e-7,
        2.087675698456666e-9,
        -1.14707452969311903e-11,
        4.77946036307804847e-14,
        -1.56134168636854375e-16,
        4.00069976851780394e-19,
    ],
    exp: &[
        1.0,
        0.999999999999999998,
        0.5,
        0.166666666666667024,
        0.0416666666666666922,
        0.00833333333330952708,
        0.00138888888888718882,
        0.000198412699092171014,
        0.0000248015873501107956,
        2.75572249583926227e-6,
        2.75572519041749126e-7,
        2.51148695286577649e-8,
        2.09215799649503001e-9,
    ],
};

/// asin(z)/z in powers of z^2, on [0, sqrt(1/2)], for f32.
const ASIN_SINGLE: &[f64] = &[
    1.0000000016,
    0.16666614238,
    0.075027573164,
    0.044091616734,
    0.035814239284,
    -0.0070205791523,
    0.1074000213,
    -0.13591627124,
    0.12391349491,
];

/// atan(z)/z in powers of z^2, on [0, tan(pi/8)], for f64.
#[expect(clippy::excessive_precision, reason = "the digits as they were computed")]
const ATAN_DOUBLE: &[f64] = &[
    1.0,
    -0.333333333333333242,
    0.199999999999970079,
    -0.142857142853290089,
    0.11111111085280352,
    -0.0909090805756511589,
    0.076922810674103273,
    -0.0666620478626167725,
    0.0587682941415808584,
    -0.0521728326088525215,
    0.0449938227281598173,
    -0.0333850798832311304,
    0.0151109877702382681,
];

#[inline(always)]
pub(crate) fn polynomial<R: Real>(z: R, coefficients: &[f64]) -> R {
    let (last, rest) = coefficients.split_last().expect("a polynomial has a coefficient");
    let mut sum = z.lit(*last);
    for c in rest.iter().rev() {
        sum = sum.mul_add(z, z.lit(*c));
    }
    sum
}

/// The angle by way of pi/4 + asin((sin - cos)/sqrt 2): no division. Small angles
/// have an absolute error only, which is all that a place on an arc needs.
#[inline(always)]
pub(crate) fn angle_single<R: Real>(sin: R, cos: R) -> R {
    let z = (sin - cos) * sin.lit(std::f64::consts::FRAC_1_SQRT_2);
    z.mul_add(polynomial(z.squared(), ASIN_SINGLE), z.lit(std::f64::consts::FRAC_PI_4))
}

/// The angle by way of its tangent, or past pi/8 that of its distance from pi/4.
#[inline(always)]
pub(crate) fn angle_double<R: Real>(sin: R, cos: R) -> R {
    let steep = cos.lt(sin);
    let low = R::select(steep, cos, sin);
    let high = R::select(steep, sin, cos);
    let upper = (high.lit(0.41421356237309503) * high).lt(low);
    let z = R::select(upper, low - high, low) / R::select(upper, low + high, high);
    let small = z * polynomial(z.squared(), ATAN_DOUBLE);
    let angle = R::select(upper, small + z.lit(std::f64::consts::FRAC_PI_4), small);
    R::select(steep, z.lit(std::f64::consts::FRAC_PI_2) - angle, angle)
}

/// The natural logarithm of a number in [sqrt(1/2), sqrt 2], by way of
/// 2 artanh((m - 1)/(m + 1)): the series in powers of the square of that, which
/// is at most 0.0295.
#[inline(always)]
pub(crate) fn ln_near_1<R: Real>(m: R, terms: usize) -> R {
    let one = m.lit(1.0);
    let z = (m - one) / (m + one);
    let square = z.squared();
    let mut sum = z.zero();
    for k in (0..terms).rev() {
        sum = sum.mul_add(square, z.lit(2.0 / (2 * k + 1) as f64));
    }
    z * sum
}

#[inline(always)]
pub(crate) fn sin_and_cos_less_1<R: Real>(angle: R, with: &Polynomials) -> (R, R) {
    let z = angle.squared();
    (angle * polynomial(z, with.sin), z * polynomial(z, with.cos))
}

impl Real for f64 {
    type Mask = bool;

    fn lit(self, c: f64) -> Self {
        c
    }
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    fn abs(self) -> Self {
        f64::abs(self)
    }
    fn min(self, other: Self) -> Self {
        if self < other { self } else { other }
    }
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    fn mul_add(self, factor: Self, term: Self) -> Self {
        self * factor + term
    }
    fn copysign(self, sign: Self) -> Self {
        f64::copysign(self, sign)
    }
    fn lt(self, other: Self) -> bool {
        self < other
    }
    fn le(self, other: Self) -> bool {
        self <= other
    }
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
    fn angle_quadrant(self, cos: Self) -> Self {
        angle_double(self, cos)
    }
    fn sin_and_cos_less_1(self) -> (Self, Self) {
        sin_and_cos_less_1(self, &DOUBLE)
    }
    fn round(self) -> Self {
        self.round_ties_even()
    }
    fn exp_negative(self) -> Self {
        libm::exp(self)
    }
    fn ln_unit(self) -> Self {
        libm::log(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_double_functions_are_right_to_two_ulps() {
        for i in 0..=20_000 {
            let angle = f64::from(i) / 20_000.0 * std::f64::consts::FRAC_PI_2;
            let (s, c) = angle.sin_and_cos();
            assert!((s - libm::sin(angle)).abs() <= 4.5e-16, "sin {angle}");
            assert!((c - libm::cos(angle)).abs() <= 4.5e-16, "cos {angle}");
            let got = s.angle_quadrant(c.max(0.0));
            assert!((got - libm::atan2(s, c)).abs() <= 4.5e-16, "angle {angle}");
        }
    }

    #[test]
    fn sigmoid_does_not_overflow() {
        assert_eq!(Real::sigmoid(-1e9), 0.0);
        assert_eq!(Real::sigmoid(1e9), 1.0);
        assert!((Real::sigmoid(0.3) + Real::sigmoid(-0.3) - 1.0).abs() < 1e-16);
    }
}
