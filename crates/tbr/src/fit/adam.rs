//! The optimiser Adam (Kingma and Ba), whose steps are in units of a step size that the caller
//! chooses.

use serde::{Deserialize, Serialize};

/// Added to the root of the mean square, so that a number with no gradient stays. Gradients
/// here are of a mean over pixels: far larger than this where they mean anything.
const EPSILON: f64 = 1e-12;
/// A gradient more than this many times its usual size is cut to that: one pixel in a rim
/// can make one number's gradient huge, and would freeze it for a hundred steps.
const CLIP: f64 = 10.0;

/// More steps than anyone waits for, and far from what they are counted in.
const MOST_STEPS: i32 = 1 << 30;

/// Decays of the means of gradients and of their squares.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Decays {
    pub beta1: f64,
    pub beta2: f64,
}

/// Running means of gradients and of their squares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Adam {
    first: Vec<f64>,
    second: Vec<f64>,
    decays: Decays,
    steps: i32,
}

impl Adam {
    pub fn new(count: usize, decays: Decays) -> Self {
        Self { first: vec![0.0; count], second: vec![0.0; count], decays, steps: 0 }
    }

    /// Does it remember so many numbers, as steps with these decays would have left them?
    pub fn is_for(&self, count: usize, decays: Decays) -> bool {
        let whole = |means: &[f64]| means.len() == count && means.iter().all(|v| v.is_finite());
        whole(&self.first)
            && whole(&self.second)
            && self.second.iter().all(|v| *v >= 0.0)
            && self.decays == decays
            && (0..MOST_STEPS).contains(&self.steps)
    }

    /// Goes on with other numbers: each as it was at its old place, or with nothing remembered.
    pub fn rearrange(&mut self, places: impl Iterator<Item = Option<usize>> + Clone) {
        for means in [&mut self.first, &mut self.second] {
            *means = places.clone().map(|place| place.map_or(0.0, |k| means[k])).collect();
        }
    }

    /// The change for each number, in units of its step size, from the gradient. What
    /// is not finite is taken as 0.
    pub fn step(&mut self, gradient: &[f64]) -> Vec<f64> {
        let Decays { beta1, beta2 } = self.decays;
        self.steps += 1;
        let correct_first = 1.0 - beta1.powi(self.steps);
        let correct_second = 1.0 - beta2.powi(self.steps);
        let usual = 1.0 - beta2.powi(self.steps - 1);
        let numbers = gradient.iter().zip(&mut self.first).zip(&mut self.second);
        let change = |((g, first), second): ((&f64, &mut f64), &mut f64)| {
            let mut g = if g.is_finite() { *g } else { 0.0 };
            if *second > 0.0 {
                let most = CLIP * (*second / usual).sqrt();
                g = g.clamp(-most, most);
            }
            *first = beta1 * *first + (1.0 - beta1) * g;
            *second = beta2 * *second + (1.0 - beta2) * g * g;
            -(*first / correct_first) / ((*second / correct_second).sqrt() + EPSILON)
        };
        numbers.map(change).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a negative number of steps, or a decay above 1, what is usual is no number.
    #[test]
    fn what_no_step_leaves_is_refused() {
        let decays = Decays { beta1: 0.9, beta2: 0.99 };
        let [slow_first, slow_second] =
            [Decays { beta1: 0.95, ..decays }, Decays { beta2: 0.999, ..decays }];
        let mut adam = Adam::new(2, decays);
        adam.step(&[1.0, -2.0]);
        assert!(adam.is_for(2, decays) && !adam.is_for(3, decays));
        assert!(!adam.is_for(2, slow_first) && !adam.is_for(2, slow_second));
        for steps in [-1, i32::MIN, i32::MAX] {
            assert!(!Adam { steps, ..adam.clone() }.is_for(2, decays), "{steps}");
        }
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(!Adam { second: vec![1.0, bad], ..adam.clone() }.is_for(2, decays), "{bad}");
        }
    }
}
