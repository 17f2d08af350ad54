//! Sixteen numbers side by side, in f32 or f64, on whatever vector unit the
//! machine has.
//!
//! The vector types come from `fearless_simd`, which chooses the instruction set
//! at run time; here they learn to be [`Real`]. Both precisions have sixteen
//! lanes, so that one engine serves both.

use crate::real::{
    DOUBLE, Mask, Real, SINGLE, angle_double, angle_single, ln_near_1, polynomial,
    sin_and_cos_less_1,
};
use fearless_simd::{Simd, f32x16, f64x8, i32x16, i64x8, mask32x16, mask64x8, prelude::*};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Lanes in a vector.
pub const LANES: usize = 16;

/// A single number as it is stored.
pub trait Scalar: Copy + Send + Sync + PartialOrd + Default + 'static {
    /// Rounds to this precision.
    fn from_f64(value: f64) -> Self;
    /// Exact.
    fn to_f64(self) -> f64;
}

impl Scalar for f32 {
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value as f32
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Scalar for f64 {
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
}

/// Sixteen [`Scalar`]s that are computed with at once.
pub trait Lanes: Real + Send + Sync + 'static {
    /// The number in one lane.
    type Scalar: Scalar;
    /// The instruction set.
    type Simd: Simd + Send + Sync;
    /// Lanes of f64 with the same instruction set.
    type Wide: Lanes<Scalar = f64, Simd = Self::Simd>;

    /// `value` in every lane.
    fn splat(simd: Self::Simd, value: Self::Scalar) -> Self;
    /// One lane from each number.
    fn load(simd: Self::Simd, values: &[Self::Scalar; LANES]) -> Self;
    /// The lanes as an array.
    fn to_array(self) -> [Self::Scalar; LANES];
    /// The smallest lane.
    fn smallest(self) -> Self::Scalar;
    /// The largest lane.
    fn largest(self) -> Self::Scalar;
    /// All lanes added up.
    fn sum(self) -> f64;
    /// The sums over the lanes of sixteen vectors: lane k is that of vector k.
    fn sums(all: [Self; LANES]) -> Self;
    /// The mask with the given bits, lane 0 lowest.
    fn mask(simd: Self::Simd, bits: u32) -> Self::Mask;
}

/// Sixteen f32.
#[derive(Clone, Copy, Debug)]
pub struct F32s<S: Simd>(f32x16<S>);

/// Sixteen f64, as two registers of eight.
#[derive(Clone, Copy, Debug)]
pub struct F64s<S: Simd>(f64x8<S>, f64x8<S>);

/// A mask for [`F32s`].
#[derive(Clone, Copy, Debug)]
pub struct Mask32<S: Simd>(mask32x16<S>);

/// A mask for [`F64s`].
#[derive(Clone, Copy, Debug)]
pub struct Mask64<S: Simd>(mask64x8<S>, mask64x8<S>);

impl<S: Simd> Mask for Mask32<S> {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
    #[inline(always)]
    fn any(self) -> bool {
        self.0.any_true()
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        self.0.to_bitmask() as u32
    }
}

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
        impl<S: Simd> $trait for F32s<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                Self(self.0.$method(o.0))
            }
        }
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

impl<S: Simd> Neg for F32s<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}
impl<S: Simd> Neg for F64s<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl<S: Simd> Real for F32s<S> {
    type Mask = Mask32<S>;

    #[inline(always)]
    fn lit(self, c: f64) -> Self {
        Self(f32x16::splat(self.0.token(), c as f32))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs())
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        Self(self.0.mul_add(factor.0, term.0))
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        Self(self.0.copysign(sign.0))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Self::Mask {
        Mask32(self.0.simd_lt(other.0))
    }
    #[inline(always)]
    fn le(self, other: Self) -> Self::Mask {
        Mask32(self.0.simd_le(other.0))
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self(mask.0.select(yes.0, no.0))
    }
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

impl<S: Simd> Lanes for F32s<S> {
    type Scalar = f32;
    type Simd = S;
    type Wide = F64s<S>;

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

impl<S: Simd> Lanes for F64s<S> {
    type Scalar = f64;
    type Simd = S;
    type Wide = Self;

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

/// Runs an expression with the widest instruction set of the machine that pays:
/// AVX-512, AVX2 with FMA, or whatever every machine of its kind has. (Like
/// `fearless_simd::dispatch`, with fewer levels to compile.)
macro_rules! with_simd {
    ($level:expr, $simd:ident => $op:expr) => {{
        let level: fearless_simd::Level = $level;
        #[cfg(target_arch = "x86_64")]
        if let Some($simd) = level.as_avx512() {
            fearless_simd::Simd::vectorize($simd, #[inline(always)] || $op)
        } else if let Some($simd) = level.as_avx2() {
            fearless_simd::Simd::vectorize($simd, #[inline(always)] || $op)
        } else {
            let $simd = level.as_sse2().expect("every x86-64 has SSE2");
            fearless_simd::Simd::vectorize($simd, #[inline(always)] || $op)
        }
        #[cfg(not(target_arch = "x86_64"))]
        fearless_simd::dispatch!(level, $simd => $op)
    }};
}
pub(crate) use with_simd;

#[cfg(test)]
mod tests {
    use super::*;
    use fearless_simd::Level;

    /// Every function of every lane type against f64, on the whole domain.
    fn check<V: Lanes>(simd: V::Simd, tolerance: f64) {
        for block in 0..400 {
            let angles: [f64; LANES] = std::array::from_fn(|lane| {
                (block * LANES + lane) as f64 / 6399.0 * std::f64::consts::FRAC_PI_2
            });
            let lanes = V::load(simd, &angles.map(V::Scalar::from_f64));
            let (sin, cos) = lanes.sin_and_cos();
            let angle = sin.angle_quadrant(cos.max(cos.zero()));
            let exp = (lanes.lit(-40.0) * lanes).exp_negative();
            let ln = (exp.max(exp.lit(1e-7))).ln_unit();
            let results = [sin, cos, angle, exp, ln].map(|v| v.to_array().map(Scalar::to_f64));
            for (lane, &a) in angles.iter().enumerate() {
                let (exp, ln) = (libm::exp(-40.0 * a), (-40.0 * a).max(libm::log(1e-7)));
                let exact = [libm::sin(a), libm::cos(a), a, exp, ln];
                for (got, exact) in results.iter().zip(exact) {
                    assert!((got[lane] - exact).abs() <= tolerance, "{a}: {} {exact}", got[lane]);
                }
            }
        }
    }

    fn sums<V: Lanes>(simd: V::Simd) {
        let row = |k: usize| std::array::from_fn(|lane| V::Scalar::from_f64((k * k + lane) as f64));
        let all: [V; LANES] = std::array::from_fn(|k| V::load(simd, &row(k)));
        let got = V::sums(all).to_array().map(Scalar::to_f64);
        assert_eq!(got, std::array::from_fn(|k| (16 * k * k + 120) as f64));
    }

    #[test]
    fn sixteen_sums_are_in_order() {
        with_simd!(Level::new(), simd => sums::<F32s<_>>(simd));
        with_simd!(Level::new(), simd => sums::<F64s<_>>(simd));
    }

    #[test]
    fn functions_hold_their_precision() {
        with_simd!(Level::new(), simd => check::<F32s<_>>(simd, 1.5e-6));
        with_simd!(Level::new(), simd => check::<F64s<_>>(simd, 5e-15));
    }
}
