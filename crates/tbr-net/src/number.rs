//! What networks compute with.

use crate::matmul;
use std::ops::{Add, AddAssign, Mul, Sub};

/// f32 for use; f64 so that gradients can be checked to many digits.
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
    /// [`matmul::add_product`], sizes checked.
    fn add_product(out: &mut [Self], a: &[Self], b: &[Self], sizes: [usize; 3]);
}

impl Number for f32 {
    const ONE: Self = 1.0;
    fn of(value: f64) -> Self {
        value as f32
    }
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    fn add_product(out: &mut [Self], a: &[Self], b: &[Self], sizes: [usize; 3]) {
        matmul::add_product_f32(out, a, b, sizes);
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
    /// Loops: only tests compute in f64.
    fn add_product(out: &mut [Self], a: &[Self], b: &[Self], [_, k, n]: [usize; 3]) {
        for (out, a) in out.chunks_exact_mut(n).zip(a.chunks_exact(k)) {
            for (a, b) in a.iter().zip(b.chunks_exact(n)) {
                out.iter_mut().zip(b).for_each(|(out, b)| *out += a * b);
            }
        }
    }
}
