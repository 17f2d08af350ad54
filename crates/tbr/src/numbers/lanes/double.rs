//! Sixteen f64 in two registers.

use super::{LANES, Lanes};
use crate::numbers::real::{
    DOUBLE, Mask, Real, angle_double, ln_near_1, polynomial, sin_and_cos_less_1,
};
use fearless_simd::{Simd, f64x8, i64x8, mask64x8, prelude::*};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Sixteen f64, as two registers of eight.
#[derive(Clone, Copy, Debug)]
pub struct F64s<S: Simd>(f64x8<S>, f64x8<S>);

/// A mask for [`F64s`].
#[derive(Clone, Copy, Debug)]
pub struct Mask64<S: Simd>(mask64x8<S>, mask64x8<S>);

impl<S: Simd> Mask for Mask64<S> {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(self.0 & other.0, self.1 & other.1)
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0, self.1 | other.1)
    }
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0, !self.1)
    }
    #[inline(always)]
    fn any(self) -> bool {
        self.0.any_true() || self.1.any_true()
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        self.0.to_bitmask() as u32 | ((self.1.to_bitmask() as u32) << 8)
    }
}

macro_rules! binary_operator {
    ($trait:ident, $method:ident) => {
        impl<S: Simd> $trait for F64s<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                Self(self.0.$method(o.0), self.1.$method(o.1))
            }
        }
    };
}
binary_operator!(Add, add);
binary_operator!(Sub, sub);
binary_operator!(Mul, mul);
binary_operator!(Div, div);

impl<S: Simd> Neg for F64s<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl<S: Simd> Real for F64s<S> {
    type Mask = Mask64<S>;

    #[inline(always)]
    fn lit(self, c: f64) -> Self {
        let half = f64x8::splat(self.0.token(), c);
        Self(half, half)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt(), self.1.sqrt())
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs(), self.1.abs())
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0), self.1.min(other.1))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0), self.1.max(other.1))
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        Self(self.0.mul_add(factor.0, term.0), self.1.mul_add(factor.1, term.1))
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        Self(self.0.copysign(sign.0), self.1.copysign(sign.1))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Self::Mask {
        Mask64(self.0.simd_lt(other.0), self.1.simd_lt(other.1))
    }
    #[inline(always)]
    fn le(self, other: Self) -> Self::Mask {
        Mask64(self.0.simd_le(other.0), self.1.simd_le(other.1))
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self(mask.0.select(yes.0, no.0), mask.1.select(yes.1, no.1))
    }
    #[inline(always)]
    fn angle_quadrant(self, cos: Self) -> Self {
        angle_double(self, cos)
    }
    #[inline(always)]
    fn sin_and_cos_less_1(self) -> (Self, Self) {
        sin_and_cos_less_1(self, &DOUBLE)
    }
    #[inline(always)]
    fn round(self) -> Self {
        Self(self.0.round_ties_even(), self.1.round_ties_even())
    }
    #[inline(always)]
    fn exp_negative(self) -> Self {
        let x = self.max(self.lit(-700.0));
        let scaled = x * self.lit(std::f64::consts::LOG2_E);
        let k = Self(scaled.0.round_ties_even(), scaled.1.round_ties_even());
        let f = k.mul_add(self.lit(-std::f64::consts::LN_2), x);
        let power = |k: f64x8<S>| ((k.to_int::<i64x8<S>>() + 1023) << 52).bitcast::<f64x8<S>>();
        Self(power(k.0), power(k.1)) * polynomial(f, DOUBLE.exp)
    }
    #[inline(always)]
    fn ln_unit(self) -> Self {
        const ROOT: i64 = 0x3fe6_a09e_667f_3bcd;
        let split = |v: f64x8<S>| {
            let bits = v.bitcast::<i64x8<S>>();
            let exponent: i64x8<S> = (bits - ROOT) >> 52;
            let mantissa = (bits - (exponent << 52)).bitcast::<f64x8<S>>();
            (exponent.to_float::<f64x8<S>>(), mantissa)
        };
        let ((k0, m0), (k1, m1)) = (split(self.0), split(self.1));
        Self(k0, k1).mul_add(self.lit(std::f64::consts::LN_2), ln_near_1(Self(m0, m1), 11))
    }
}

impl<S: Simd> Lanes for F64s<S> {
    type Scalar = f64;
    type Simd = S;

    #[inline(always)]
    fn splat(simd: S, value: f64) -> Self {
        let half = f64x8::splat(simd, value);
        Self(half, half)
    }
    #[inline(always)]
    fn load(simd: S, values: &[f64; LANES]) -> Self {
        Self(f64x8::from_slice(simd, &values[..8]), f64x8::from_slice(simd, &values[8..]))
    }
    #[inline(always)]
    fn to_array(self) -> [f64; LANES] {
        let mut all = [0.0; LANES];
        self.0.store_slice(&mut all[..8]);
        self.1.store_slice(&mut all[8..]);
        all
    }
    #[inline(always)]
    fn smallest(self) -> f64 {
        self.0.min(self.1).reduce_min()
    }
    #[inline(always)]
    fn largest(self) -> f64 {
        self.0.max(self.1).reduce_max()
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        (self.0 + self.1).reduce_sum()
    }
    #[inline(always)]
    fn sums(all: [Self; LANES]) -> Self {
        Self::load(all[0].0.token(), &all.map(Self::sum))
    }
    #[inline(always)]
    fn mask(simd: S, bits: u32) -> Self::Mask {
        Mask64(
            mask64x8::from_bitmask(simd, u64::from(bits & 0xff)),
            mask64x8::from_bitmask(simd, u64::from(bits >> 8)),
        )
    }
}
