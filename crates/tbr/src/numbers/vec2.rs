//! Points and vectors of the plane.

use crate::numbers::Real;
use serde::{Deserialize, Serialize};
use std::ops::{Add, Mul, Neg, Sub};

/// A point or vector of the plane: x to the right, y down, canvas units unless
/// the name says otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Vec2<R> {
    /// To the right.
    pub x: R,
    /// Down.
    pub y: R,
}

/// The [`Vec2`] with these coordinates.
#[inline(always)]
pub fn vec2<R>(x: R, y: R) -> Vec2<R> {
    Vec2 { x, y }
}

impl<R: Real> Vec2<R> {
    /// Scalar product.
    #[inline(always)]
    pub fn dot(self, other: Self) -> R {
        self.x.mul_add(other.x, self.y * other.y)
    }
    /// `self` in the frame whose first axis is the unit vector `dir`.
    #[inline(always)]
    pub fn into_frame(self, dir: Self) -> Self {
        vec2(self.dot(dir), self.y.mul_add(dir.x, -(self.x * dir.y)))
    }
    /// The inverse (and transpose) of [`Vec2::into_frame`].
    #[inline(always)]
    pub fn out_of_frame(self, dir: Self) -> Self {
        vec2(self.x.mul_add(dir.x, -(self.y * dir.y)), self.x.mul_add(dir.y, self.y * dir.x))
    }
    /// `yes` where the mask is true, else `no`.
    #[inline(always)]
    pub fn select(mask: R::Mask, yes: Self, no: Self) -> Self {
        vec2(R::select(mask, yes.x, no.x), R::select(mask, yes.y, no.y))
    }
}

impl Vec2<f64> {
    /// Euclidean length.
    pub fn norm(self) -> f64 {
        libm::hypot(self.x, self.y)
    }
    /// True unless a coordinate is infinite or not a number.
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite()
    }
}

impl<R: Add<Output = R>> Add for Vec2<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        vec2(self.x + o.x, self.y + o.y)
    }
}
impl<R: Sub<Output = R>> Sub for Vec2<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        vec2(self.x - o.x, self.y - o.y)
    }
}
impl<R: Mul<Output = R> + Copy> Mul<R> for Vec2<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: R) -> Self {
        vec2(self.x * factor, self.y * factor)
    }
}
impl<R: Neg<Output = R>> Neg for Vec2<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        vec2(-self.x, -self.y)
    }
}
