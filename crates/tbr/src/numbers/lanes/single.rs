//! Sixteen f32 in one register.

use super::register::register;
use super::{LANES, Lanes, Part};
use crate::numbers::real::{
    Mask, Real, SINGLE, angle_single, ln_near_1, polynomial, sin_and_cos_less_1,
};
use fearless_simd::{Simd, f32x16, i32x16, mask32x16, prelude::*};
use std::ops::{Add, Div, Mul, Neg, Sub};

register! {
    /// Sixteen f32.
    F32s(f32x16 of f32),
    /// A mask for [`F32s`].
    Mask32(mask32x16),
    {
        #[inline(always)]
        fn angle_quadrant(self, cos: Self) -> Self {
            angle_single(self, cos)
        }
        #[inline(always)]
        fn sin_and_cos_less_1(self) -> (Self, Self) {
            sin_and_cos_less_1(self, &SINGLE)
        }
        #[inline(always)]
        fn exp_negative(self) -> Self {
            // Nothing less than this shows next to 1 in f32, and products of two such
            // numbers with a derivative stay clear of denormals, which are slow.
            let x = self.max(self.lit(-30.0));
            let k = (x * self.lit(std::f64::consts::LOG2_E)).0.round_ties_even();
            let f = Self(k).mul_add(self.lit(-std::f64::consts::LN_2), x);
            let exponent: i32x16<S> = k.to_int::<i32x16<S>>() + 127;
            Self((exponent << 23).bitcast::<f32x16<S>>()) * polynomial(f, SINGLE.exp)
        }
        #[inline(always)]
        fn ln_unit(self) -> Self {
            // Bits of sqrt(1/2): what they exceed goes into the exponent.
            const ROOT: i32 = 0x3f35_04f3;
            let bits = self.0.bitcast::<i32x16<S>>();
            let exponent: i32x16<S> = (bits - ROOT) >> 23;
            let mantissa = (bits - (exponent << 23)).bitcast::<f32x16<S>>();
            let whole = Self(exponent.to_float::<f32x16<S>>());
            whole.mul_add(self.lit(std::f64::consts::LN_2), ln_near_1(Self(mantissa), 5))
        }
    }
}

impl<S: Simd> Lanes for F32s<S> {
    type Scalar = f32;
    type Simd = S;
    type Part = Self;

    #[inline(always)]
    fn splat(simd: S, value: f32) -> Self {
        Self(f32x16::splat(simd, value))
    }
    #[inline(always)]
    fn load(simd: S, values: &[f32; LANES]) -> Self {
        Self(f32x16::from_slice(simd, values))
    }
    #[inline(always)]
    fn to_array(self) -> [f32; LANES] {
        self.0.into()
    }
    #[inline(always)]
    fn smallest(self) -> f32 {
        self.0.reduce_min()
    }
    #[inline(always)]
    fn largest(self) -> f32 {
        self.0.reduce_max()
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        f64::from(self.0.reduce_sum())
    }
    #[inline(always)]
    fn sums(mut all: [Self; LANES]) -> Self {
        // Each round adds neighbouring lanes of two vectors into one.
        let mut count = LANES;
        while count > 1 {
            count /= 2;
            for k in 0..count {
                let (a, b) = (all[2 * k].0, all[2 * k + 1].0);
                all[k] = Self(a.unzip_low(b) + a.unzip_high(b));
            }
        }
        all[0]
    }
    #[inline(always)]
    fn mask(simd: S, bits: u32) -> Self::Mask {
        Mask32(mask32x16::from_bitmask(simd, u64::from(bits)))
    }
}

impl<S: Simd> Part<Self> for F32s<S> {
    #[inline(always)]
    fn of_all(all: Self) -> Self {
        all
    }
    #[inline(always)]
    fn each<const IN: usize, const OUT: usize>(
        _simd: S,
        from: [Self; IN],
        mut map: impl FnMut(u32, [Self; IN]) -> [Self; OUT],
    ) -> [Self; OUT] {
        map(0, from)
    }
}
