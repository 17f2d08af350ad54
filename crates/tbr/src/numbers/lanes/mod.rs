//! Sixteen numbers side by side, in f32 or f64, on whatever vector unit the
//! machine has.
//!
//! The vector types come from `fearless_simd`, which chooses the instruction set
//! at run time; here they learn to be [`Real`]. Both precisions have sixteen
//! lanes, so that one engine serves both.

mod double;
mod part;
mod register;
mod single;

pub use double::F64s;
pub use part::Part;
pub(crate) use part::with_part;
pub use single::F32s;

use crate::numbers::Real;
use fearless_simd::{Level, Simd};

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
    /// The lanes that are computed with at once in an operator's maps.
    type Part: Part<Self>;

    /// `value` in every lane.
    fn splat(simd: Self::Simd, value: Self::Scalar) -> Self;
    /// One lane from each number.
    fn load(simd: Self::Simd, values: &[Self::Scalar; LANES]) -> Self;
    /// The lanes as an array.
    fn to_array(self) -> [Self::Scalar; LANES];
    /// One lane from each number, rounded.
    #[inline(always)]
    fn of_f64(simd: Self::Simd, number: impl Fn(usize) -> f64) -> Self {
        let mut values = [Self::Scalar::default(); LANES];
        for (lane, value) in values.iter_mut().enumerate() {
            *value = Self::Scalar::from_f64(number(lane));
        }
        Self::load(simd, &values)
    }
    /// The lanes as an array of f64, exactly.
    #[inline(always)]
    fn to_f64s(self) -> [f64; LANES] {
        let mut all = [0.0; LANES];
        for (number, lane) in all.iter_mut().zip(self.to_array()) {
            *number = lane.to_f64();
        }
        all
    }
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

/// Are the machine's registers so narrow that hardly two vectors of sixteen lanes fit? So are
/// those of x86-64 without AVX2, that is, before 2013.
pub(crate) const fn is_narrow<S: Simd>() -> bool {
    cfg!(target_arch = "x86_64") && size_of::<S::f32s>() <= 16
}

/// The instruction set to use: the best that the machine has, or, in tests, the one that
/// `forced` names for this thread.
pub(crate) fn level() -> Level {
    #[cfg(test)]
    if let Some(level) = FORCED.get() {
        return level;
    }
    Level::new()
}

#[cfg(test)]
thread_local! {
    static FORCED: std::cell::Cell<Option<Level>> = const { std::cell::Cell::new(None) };
}

/// Runs a test's code with another instruction set than the best.
#[cfg(test)]
pub(crate) fn forced<T>(level: Level, run: impl FnOnce() -> T) -> T {
    FORCED.set(Some(level));
    let result = run();
    FORCED.set(None);
    result
}

/// The instruction sets that the machine has and [`with_simd`] tells apart, the best first.
#[cfg(test)]
pub(crate) fn levels() -> Vec<Level> {
    let best = Level::new();
    #[cfg(target_arch = "x86_64")]
    return [
        best.as_avx512().map(Level::Avx512),
        best.as_avx2().map(Level::Avx2),
        best.as_sse2().map(Level::Sse2),
    ]
    .into_iter()
    .flatten()
    .collect();
    #[cfg(not(target_arch = "x86_64"))]
    vec![best]
}

/// Does an instruction set multiply and add with one rounding? (Others round the product, too,
/// and give other last digits.)
#[cfg(test)]
pub(crate) fn is_fused(level: Level) -> bool {
    #[cfg(target_arch = "x86_64")]
    return level.as_avx2().is_some();
    #[cfg(target_arch = "aarch64")]
    return level.as_neon().is_some();
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    false
}

/// Runs an expression with the widest instruction set of the machine that pays:
/// AVX-512, AVX2 with FMA, or whatever every machine of its kind has. (Like
/// `fearless_simd::dispatch`, with fewer levels to compile.) With `narrow`, another expression
/// where registers [are narrow](is_narrow).
macro_rules! with_simd {
    ($level:expr, $simd:ident => $op:expr) => {
        with_simd!($level, $simd => $op, narrow => $op)
    };
    ($level:expr, $simd:ident => $op:expr, narrow => $narrow:expr) => {{
        let level: fearless_simd::Level = $level;
        #[cfg(target_arch = "x86_64")]
        if let Some($simd) = level.as_avx512() {
            fearless_simd::Simd::vectorize($simd, #[inline(always)] || $op)
        } else {
            $crate::numbers::lanes::with_double_simd!(level, $simd => $op, narrow => $narrow)
        }
        #[cfg(not(target_arch = "x86_64"))]
        fearless_simd::dispatch!(level, $simd => $op)
    }};
}
pub(crate) use with_simd;

/// The same for float64, with AVX2 where there is AVX-512 too: what is computed in float64 is
/// seldom waited for, and a third instruction set would be a tenth of the library's build.
macro_rules! with_double_simd {
    ($level:expr, $simd:ident => $op:expr) => {
        with_double_simd!($level, $simd => $op, narrow => $op)
    };
    ($level:expr, $simd:ident => $op:expr, narrow => $narrow:expr) => {{
        let level: fearless_simd::Level = $level;
        #[cfg(target_arch = "x86_64")]
        if let Some($simd) = level.as_avx2() {
            fearless_simd::Simd::vectorize($simd, #[inline(always)] || $op)
        } else {
            $crate::numbers::lanes::with_narrow_simd!(level, $simd => $narrow)
        }
        #[cfg(not(target_arch = "x86_64"))]
        fearless_simd::dispatch!(level, $simd => $op)
    }};
}
pub(crate) use with_double_simd;

/// The same where there is no AVX2, in builds that are made for that: see `build.rs`.
#[cfg(any(test, narrow))]
macro_rules! with_narrow_simd {
    ($level:ident, $simd:ident => $op:expr) => {{
        let $simd = $level.as_sse2().expect("every x86-64 has SSE2");
        fearless_simd::Simd::vectorize(
            $simd,
            #[inline(always)]
            || $op,
        )
    }};
}
#[cfg(not(any(test, narrow)))]
macro_rules! with_narrow_simd {
    ($level:ident, $simd:ident => $op:expr) => {
        panic!("{}", $crate::numbers::lanes::NO_AVX2)
    };
}
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_imports))]
pub(crate) use with_narrow_simd;

/// What is wrong on a machine that the build is not made for.
pub(crate) const NO_AVX2: &str =
    "this build of tbr needs a processor with AVX2, and this one has none";

/// Tells whether this build can compute on this machine. Other functions panic if it cannot:
/// that is, on x86-64 machines without AVX2 (from before 2013, and a few small ones since), if
/// the library was built on another machine and without its feature `sse2`.
pub fn check_machine() -> crate::Result<()> {
    let made_for_all = cfg!(any(test, narrow, not(target_arch = "x86_64")));
    #[cfg(target_arch = "x86_64")]
    let made_for_all = made_for_all || level().as_avx2().is_some();
    if made_for_all { Ok(()) } else { Err(crate::Error::Request(NO_AVX2.into())) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
