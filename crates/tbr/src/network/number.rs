//! What networks compute with.

use std::ops::{Add, AddAssign, Mul, Sub};

/// f32 for use; f64 so that gradients can be checked to many digits. No other
/// type: [`super::matmul`] counts on it.
pub trait Number:
    Copy
    + Default
    + Send
    + Sync
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + AddAssign
    + 'static
{
    /// 1.
    const ONE: Self;
    /// The nearest number.
    fn of(value: f64) -> Self;
    /// Exact.
    fn to_f64(self) -> f64;
}

impl Number for f32 {
    const ONE: Self = 1.0;
    fn of(value: f64) -> Self {
        value as f32
    }
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Number for f64 {
    const ONE: Self = 1.0;
    fn of(value: f64) -> Self {
        value
    }
    fn to_f64(self) -> f64 {
        self
    }
}
