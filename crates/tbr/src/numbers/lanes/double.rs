//! Sixteen f64, four and four.

use super::register::register;
use super::{LANES, Lanes, Part};
use crate::numbers::real::{
    DOUBLE, Mask, Real, angle_double, ln_near_1, polynomial, sin_and_cos_less_1,
};
use fearless_simd::{Simd, f64x4, i64x4, mask64x4, prelude::*};
use std::ops::{Add, Div, Mul, Neg, Sub};

register! {
    /// Four f64: an AVX2 register.
    Quarter(f64x4 of f64),
    /// A mask for a [`Quarter`].
    QuarterMask(mask64x4),
    {
        #[inline(always)]
        fn angle_quadrant(self, cos: Self) -> Self {
            angle_double(self, cos)
        }
        #[inline(always)]
        fn sin_and_cos_less_1(self) -> (Self, Self) {
            sin_and_cos_less_1(self, &DOUBLE)
        }
        #[inline(always)]
        fn exp_negative(self) -> Self {
            let x = self.max(self.lit(-700.0));
            let k = (x * self.lit(std::f64::consts::LOG2_E)).round();
            let f = k.mul_add(self.lit(-std::f64::consts::LN_2), x);
            let power = ((k.0.to_int::<i64x4<S>>() + 1023) << 52).bitcast::<f64x4<S>>();
            Self(power) * polynomial(f, DOUBLE.exp)
        }
        #[inline(always)]
        fn ln_unit(self) -> Self {
            const ROOT: i64 = 0x3fe6_a09e_667f_3bcd;
            let bits = self.0.bitcast::<i64x4<S>>();
            let exponent: i64x4<S> = (bits - ROOT) >> 52;
            let mantissa = Self((bits - (exponent << 52)).bitcast::<f64x4<S>>());
            let whole = Self(exponent.to_float::<f64x4<S>>());
            whole.mul_add(self.lit(std::f64::consts::LN_2), ln_near_1(mantissa, 11))
        }
    }
}

/// Sixteen f64.
#[derive(Clone, Copy, Debug)]
pub struct F64s<S: Simd>([Quarter<S>; 4]);

/// A mask for [`F64s`].
#[derive(Clone, Copy, Debug)]
pub struct Mask64<S: Simd>([QuarterMask<S>; 4]);

/// An expression for every quarter `$k`. (A macro, not a function that takes a closure: closures
/// are not always inlined, and then lose their instruction set.)
macro_rules! quarters {
    ($k:ident => $quarter:expr) => {
        [
            {
                const $k: usize = 0;
                $quarter
            },
            {
                const $k: usize = 1;
                $quarter
            },
            {
                const $k: usize = 2;
                $quarter
            },
            {
                const $k: usize = 3;
                $quarter
            },
        ]
    };
}

impl<S: Simd> Mask for Mask64<S> {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(quarters!(K => self.0[K].and(other.0[K])))
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(quarters!(K => self.0[K].or(other.0[K])))
    }
    #[inline(always)]
    fn not(self) -> Self {
        Self(quarters!(K => self.0[K].not()))
    }
    #[inline(always)]
    fn any(self) -> bool {
        let [a, b, c, d] = self.0;
        a.or(b).or(c.or(d)).any()
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        let [a, b, c, d] = self.0.map(Mask::bits);
        a | b << 4 | c << 8 | d << 12
    }
}

macro_rules! binary_operator {
    ($trait:ident, $method:ident) => {
        impl<S: Simd> $trait for F64s<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                Self(quarters!(K => self.0[K].$method(o.0[K])))
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
        Self(quarters!(K => self.0[K].neg()))
    }
}

impl<S: Simd> Real for F64s<S> {
    type Mask = Mask64<S>;

    #[inline(always)]
    fn lit(self, c: f64) -> Self {
        Self([self.0[0].lit(c); 4])
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(quarters!(K => self.0[K].sqrt()))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(quarters!(K => self.0[K].abs()))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(quarters!(K => self.0[K].min(other.0[K])))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(quarters!(K => self.0[K].max(other.0[K])))
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        Self(quarters!(K => self.0[K].mul_add(factor.0[K], term.0[K])))
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        Self(quarters!(K => self.0[K].copysign(sign.0[K])))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Self::Mask {
        Mask64(quarters!(K => self.0[K].lt(other.0[K])))
    }
    #[inline(always)]
    fn le(self, other: Self) -> Self::Mask {
        Mask64(quarters!(K => self.0[K].le(other.0[K])))
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self(quarters!(K => Quarter::select(mask.0[K], yes.0[K], no.0[K])))
    }
    #[inline(always)]
    fn angle_quadrant(self, cos: Self) -> Self {
        Self(quarters!(K => self.0[K].angle_quadrant(cos.0[K])))
    }
    #[inline(always)]
    fn sin_and_cos_less_1(self) -> (Self, Self) {
        let pairs = quarters!(K => self.0[K].sin_and_cos_less_1());
        let [a, b, c, d] = pairs;
        (Self([a.0, b.0, c.0, d.0]), Self([a.1, b.1, c.1, d.1]))
    }
    #[inline(always)]
    fn round(self) -> Self {
        Self(quarters!(K => self.0[K].round()))
    }
    #[inline(always)]
    fn exp_negative(self) -> Self {
        Self(quarters!(K => self.0[K].exp_negative()))
    }
    #[inline(always)]
    fn ln_unit(self) -> Self {
        Self(quarters!(K => self.0[K].ln_unit()))
    }
}

impl<S: Simd> Lanes for F64s<S> {
    type Scalar = f64;
    type Simd = S;
    type Part = Quarter<S>;

    #[inline(always)]
    fn splat(simd: S, value: f64) -> Self {
        Self([Quarter(f64x4::splat(simd, value)); 4])
    }
    #[inline(always)]
    fn load(simd: S, values: &[f64; LANES]) -> Self {
        Self(quarters!(K => Quarter(f64x4::from_slice(simd, &values[4 * K..4 * K + 4]))))
    }
    #[inline(always)]
    fn to_array(self) -> [f64; LANES] {
        let mut all = [0.0; LANES];
        for (quarter, four) in self.0.iter().zip(all.chunks_exact_mut(4)) {
            quarter.0.store_slice(four);
        }
        all
    }
    #[inline(always)]
    fn smallest(self) -> f64 {
        let [a, b, c, d] = self.0;
        a.min(c).min(b.min(d)).0.reduce_min()
    }
    #[inline(always)]
    fn largest(self) -> f64 {
        let [a, b, c, d] = self.0;
        a.max(c).max(b.max(d)).0.reduce_max()
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        let [a, b, c, d] = self.0;
        ((a + c) + (b + d)).0.reduce_sum()
    }
    #[inline(always)]
    fn sums(all: [Self; LANES]) -> Self {
        let mut sums = [0.0; LANES];
        for (sum, v) in sums.iter_mut().zip(&all) {
            *sum = v.sum();
        }
        Self::load(all[0].0[0].0.token(), &sums)
    }
    #[inline(always)]
    fn mask(simd: S, bits: u32) -> Self::Mask {
        let four = |k: usize| u64::from(bits >> (4 * k) & 0xf);
        Mask64(quarters!(K => QuarterMask(mask64x4::from_bitmask(simd, four(K)))))
    }
}

impl<S: Simd> Part<F64s<S>> for Quarter<S> {
    #[inline(always)]
    fn of_all(all: F64s<S>) -> Self {
        all.0[0]
    }
    #[inline(always)]
    fn each<const IN: usize, const OUT: usize>(
        simd: S,
        from: [F64s<S>; IN],
        mut map: impl FnMut(u32, [Self; IN]) -> [Self; OUT],
    ) -> [F64s<S>; OUT] {
        let mut all = [F64s::splat(simd, 0.0); OUT];
        for k in 0..4 {
            let some = map(
                4 * k as u32,
                from.map(
                    #[inline(always)]
                    |v| v.0[k],
                ),
            );
            for (all, some) in all.iter_mut().zip(some) {
                all.0[k] = some;
            }
        }
        all
    }
}
