//! Parts of a vector: as many of its lanes as fit a register.

use super::{LANES, Lanes, Scalar};
use crate::numbers::Real;

/// Some lanes of the vectors `V`. An operator's maps are computed part by part: of sixteen f64
/// at once, hardly four would fit into all registers, and they would be four times the code.
pub trait Part<V: Lanes>: Real {
    /// The number that all lanes hold.
    fn of_all(all: V) -> Self;

    /// What a map gives for every part of some vectors; it gets the number of the part's first
    /// lane, too.
    fn each<const IN: usize, const OUT: usize>(
        simd: V::Simd,
        from: [V; IN],
        map: impl FnMut(u32, [Self; IN]) -> [Self; OUT],
    ) -> [V; OUT];
}

/// A single lane, in f64 whatever the vectors hold: for machines with [narrow](super::is_narrow)
/// registers. There a map of more lanes would be a hundred kilobytes of code for each operator,
/// and its build a third of the library's, for machines that hardly anybody has: x86-64 without
/// AVX2.
impl<V: Lanes> Part<V> for f64 {
    fn of_all(all: V) -> Self {
        all.to_array()[0].to_f64()
    }
    fn each<const IN: usize, const OUT: usize>(
        simd: V::Simd,
        from: [V; IN],
        mut map: impl FnMut(u32, [Self; IN]) -> [Self; OUT],
    ) -> [V; OUT] {
        let from = from.map(V::to_f64s);
        let mut all = [[0.0; LANES]; OUT];
        for k in 0..LANES {
            let lane = std::array::from_fn(|channel| from[channel][k]);
            let some = called(|| map(k as u32, lane));
            for (all, some) in all.iter_mut().zip(some) {
                all[k] = some;
            }
        }
        all.map(|values| V::of_f64(simd, |k| values[k]))
    }
}

/// Calls a closure, and is not inlined: one copy of a map, not sixteen.
#[inline(never)]
fn called<T>(body: impl FnOnce() -> T) -> T {
    body()
}

/// Calls a function that has vectors and their parts as its first types, with the parts in which
/// the vectors are computed: `with_part!(module::function::<V, …>(…))` calls it with
/// `<V, part of V, …>`.
macro_rules! with_part {
    ($module:tt::$function:ident::<$v:ident $(, $type:ident)*>($($arg:expr),* $(,)?)) => {
        if const { $crate::numbers::lanes::is_narrow::<<$v as Lanes>::Simd>() } {
            $module::$function::<$v, f64 $(, $type)*>($($arg),*)
        } else {
            $module::$function::<$v, <$v as Lanes>::Part $(, $type)*>($($arg),*)
        }
    };
}
pub(crate) use with_part;
