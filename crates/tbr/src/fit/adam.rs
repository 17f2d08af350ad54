//! Adam, in units of a step size that the caller knows.

use serde::{Deserialize, Serialize};

/// How fast the first mean forgets.
const FIRST: f64 = 0.9;
/// Under the square root, so that a number with no gradient stays. Gradients here are
/// of a mean over pixels: far larger than this where they mean anything.
const LEAST: f64 = 1e-12;
/// A gradient more than this many times its usual size is cut to that: one pixel in a rim
/// can make one number's gradient huge, and would freeze it for a hundred steps.
const MOST: f64 = 10.0;

/// Running means of gradients and of their squares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Adam {
    first: Vec<f64>,
    second: Vec<f64>,
    /// How fast the second mean forgets.
    forget: f64,
    steps: i32,
}

impl Adam {
    pub fn new(count: usize, forget: f64) -> Self {
        Self { first: vec![0.0; count], second: vec![0.0; count], forget, steps: 0 }
    }

    /// The change for each number, in units of its step size, from the gradient. What
    /// is not finite is taken as 0.
    pub fn step(&mut self, gradient: &[f64]) -> Vec<f64> {
        let forget = self.forget;
        self.steps += 1;
        let correct_first = 1.0 - FIRST.powi(self.steps);
        let correct_second = 1.0 - forget.powi(self.steps);
        let usual = 1.0 - forget.powi(self.steps - 1);
        let numbers = gradient.iter().zip(&mut self.first).zip(&mut self.second);
        let change = |((g, first), second): ((&f64, &mut f64), &mut f64)| {
            let mut g = if g.is_finite() { *g } else { 0.0 };
            if *second > 0.0 {
                let most = MOST * (*second / usual).sqrt();
                g = g.clamp(-most, most);
            }
            *first = FIRST * *first + (1.0 - FIRST) * g;
            *second = forget * *second + (1.0 - forget) * g * g;
            -(*first / correct_first) / ((*second / correct_second).sqrt() + LEAST)
        };
        numbers.map(change).collect()
    }
}
