//! Dual numbers: a value and its derivative in one direction.
//!
//! Running a map of [`crate::stroke`] on these differentiates the very code that
//! renders, exactly. The hand-written adjoints are checked against it, and
//! outlines carry their tangents with it, sixteen at a time.

use crate::numbers::Real;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// `value + derivative * epsilon`, with `epsilon^2 = 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<R = f64> {
    /// The value.
    pub value: R,
    /// The derivative along the chosen direction.
    pub derivative: R,
}

impl<R: Real> Dual<R> {
    /// A number that does not vary.
    #[inline(always)]
    pub fn constant(value: R) -> Self {
        Self { value, derivative: value.zero() }
    }
    /// A number that varies with speed `derivative`.
    #[inline(always)]
    pub fn new(value: R, derivative: R) -> Self {
        Self { value, derivative }
    }
    #[inline(always)]
    fn chain(self, value: R, slope: R) -> Self {
        Self::new(value, slope * self.derivative)
    }
}

impl<R: Real> Add for Dual<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::new(self.value + o.value, self.derivative + o.derivative)
    }
}
impl<R: Real> Sub for Dual<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::new(self.value - o.value, self.derivative - o.derivative)
    }
}
impl<R: Real> Mul for Dual<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self::new(self.value * o.value, self.derivative * o.value + self.value * o.derivative)
    }
}
impl<R: Real> Div for Dual<R> {
    type Output = Self;
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        let per = o.value.lit(1.0) / o.value;
        let value = self.value * per;
        Self::new(value, (self.derivative - value * o.derivative) * per)
    }
}
impl<R: Real> Neg for Dual<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.value, -self.derivative)
    }
}

impl<R: Real> Real for Dual<R> {
    type Mask = R::Mask;

    #[inline(always)]
    fn lit(self, c: f64) -> Self {
        Self::constant(self.value.lit(c))
    }
    /// At 0 the derivative is taken as 0: there the chart's distance has a cone.
    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        let positive = root.zero().lt(root);
        let slope = root.lit(0.5) / R::select(positive, root, root.lit(1.0));
        self.chain(root, R::select(positive, slope, root.zero()))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.chain(self.value.abs(), self.value.lit(1.0).copysign(self.value))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(self.value.lt(other.value), self, other)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(other.value.lt(self.value), self, other)
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        let slope = self.derivative.mul_add(factor.value, self.value * factor.derivative);
        Self::new(self.value.mul_add(factor.value, term.value), slope + term.derivative)
    }
    /// The sign is taken as constant.
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        let one = self.value.lit(1.0);
        let flip = one.copysign(self.value) * one.copysign(sign.value);
        Self::new(self.value.copysign(sign.value), self.derivative * flip)
    }
    #[inline(always)]
    fn lt(self, other: Self) -> R::Mask {
        self.value.lt(other.value)
    }
    #[inline(always)]
    fn le(self, other: Self) -> R::Mask {
        self.value.le(other.value)
    }
    #[inline(always)]
    fn select(mask: R::Mask, yes: Self, no: Self) -> Self {
        Self::new(
            R::select(mask, yes.value, no.value),
            R::select(mask, yes.derivative, no.derivative),
        )
    }
    #[inline(always)]
    fn angle_quadrant(self, cos: Self) -> Self {
        let slope = self.derivative * cos.value - self.value * cos.derivative;
        Self::new(self.value.angle_quadrant(cos.value), slope)
    }
    #[inline(always)]
    fn sin_and_cos_less_1(self) -> (Self, Self) {
        let (sin, cos_less_1) = self.value.sin_and_cos_less_1();
        let cos = cos_less_1 + sin.lit(1.0);
        (self.chain(sin, cos), self.chain(cos_less_1, -sin))
    }
    #[inline(always)]
    fn round(self) -> Self {
        Self::constant(self.value.round())
    }
    #[inline(always)]
    fn ln_unit(self) -> Self {
        self.chain(self.value.ln_unit(), self.value.lit(1.0) / self.value)
    }
    #[inline(always)]
    fn exp_negative(self) -> Self {
        let e = self.value.exp_negative();
        self.chain(e, e)
    }
}
