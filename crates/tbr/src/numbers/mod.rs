//! Numbers: one trait, [`Real`], for f64, for dual numbers and for the lanes of the engine,
//! and vectors in the plane.

mod dual;
pub(crate) mod lanes;
mod real;
mod vec2;

pub use dual::Dual;
pub use real::{Mask, Real};
pub use vec2::{Vec2, vec2};

/// An array's `map` for three. (The standard one is not always inlined, and then vector code
/// loses its instruction set.)
#[inline(always)]
pub(crate) fn map3<T, R>([a, b, c]: [T; 3], f: impl Fn(T) -> R) -> [R; 3] {
    [f(a), f(b), f(c)]
}

/// The numbers that an engine computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// f32.
    Single,
    /// f64.
    Double,
}
