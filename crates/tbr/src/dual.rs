//! Dual numbers: a value and its derivative in one direction.
//!
//! Running a map of [`crate::stroke`] on these differentiates the very code that
//! renders, exactly. The hand-written adjoints are checked against it.

use crate::real::Real;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// `value + derivative * epsilon`, with `epsilon^2 = 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual {
    /// The value.
    pub value: f64,
    /// The derivative along the chosen direction.
    pub derivative: f64,
}

impl Dual {
    /// A number that does not vary.
    pub fn constant(value: f64) -> Self {
        Self { value, derivative: 0.0 }
    }
    /// A number that varies with speed `derivative`.
    pub fn new(value: f64, derivative: f64) -> Self {
        Self { value, derivative }
    }
    fn chain(self, value: f64, slope: f64) -> Self {
        Self::new(value, slope * self.derivative)
    }
}

impl Add for Dual {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self::new(self.value + o.value, self.derivative + o.derivative)
    }
}
impl Sub for Dual {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self::new(self.value - o.value, self.derivative - o.derivative)
    }
}
impl Mul for Dual {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self::new(self.value * o.value, self.derivative * o.value + self.value * o.derivative)
    }
}
impl Div for Dual {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let value = self.value / o.value;
        Self::new(value, (self.derivative - value * o.derivative) / o.value)
    }
}
impl Neg for Dual {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.value, -self.derivative)
    }
}

impl Real for Dual {
    type Mask = bool;

    fn lit(self, c: f64) -> Self {
        Self::constant(c)
    }
    /// At 0 the derivative is taken as 0: there the chart's distance has a cone.
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        let slope = if root > 0.0 { 0.5 / root } else { 0.0 };
        self.chain(root, slope)
    }
    fn abs(self) -> Self {
        self.chain(self.value.abs(), 1f64.copysign(self.value))
    }
    fn min(self, other: Self) -> Self {
        if self.value < other.value { self } else { other }
    }
    fn max(self, other: Self) -> Self {
        if self.value > other.value { self } else { other }
    }
    fn mul_add(self, factor: Self, term: Self) -> Self {
        self * factor + term
    }
    /// The sign is taken as constant.
    fn copysign(self, sign: Self) -> Self {
        if self.value.is_sign_negative() == sign.value.is_sign_negative() { self } else { -self }
    }
    fn lt(self, other: Self) -> bool {
        self.value < other.value
    }
    fn le(self, other: Self) -> bool {
        self.value <= other.value
    }
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
    fn angle_quadrant(self, cos: Self) -> Self {
        let slope = self.derivative * cos.value - self.value * cos.derivative;
        Self::new(self.value.angle_quadrant(cos.value), slope)
    }
    fn sin_and_cos_less_1(self) -> (Self, Self) {
        let (sin, cos_less_1) = self.value.sin_and_cos_less_1();
        (self.chain(sin, cos_less_1 + 1.0), self.chain(cos_less_1, -sin))
    }
    fn ln_unit(self) -> Self {
        self.chain(self.value.ln_unit(), 1.0 / self.value)
    }
    fn exp_negative(self) -> Self {
        let e = self.value.exp_negative();
        self.chain(e, e)
    }
}
