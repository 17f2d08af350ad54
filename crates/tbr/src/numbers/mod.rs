//! Numbers: one trait, [`Real`], for f64, for dual numbers and for the lanes of the engine,
//! and vectors in the plane.

mod dual;
pub(crate) mod lanes;
mod real;
mod vec2;

pub use dual::Dual;
pub use real::{Mask, Real};
pub use vec2::{Vec2, vec2};

/// How far a coordinate may lie from the canvas's corner, and how long or wide
/// a stroke may be. Beyond it squares would lose all precision in float32.
pub const MAX_COORDINATE: f64 = 1e3;

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

/// A number in the fewest digits that read back as the same number; tiny and huge ones are
/// written with an exponent.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-5..1e16).contains(&size) {
        format!("{value:e}")
    } else {
        format!("{value}")
    }
}
