//! Weighted means of colours.

use crate::program::Colour;

/// Weight and weighted sum of colours so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mean {
    weight: f64,
    sum: Colour,
}

impl Mean {
    pub fn add(&mut self, colour: Colour, weight: f64) {
        self.weight += weight;
        for (sum, value) in self.sum.iter_mut().zip(colour) {
            *sum += weight * value;
        }
    }

    pub fn plus(mut self, other: Self) -> Self {
        self.weight += other.weight;
        for (sum, value) in self.sum.iter_mut().zip(other.sum) {
            *sum += value;
        }
        self
    }

    /// The mean; none of nothing.
    pub fn get(&self) -> Option<Colour> {
        (self.weight > 0.0).then(|| self.sum.map(|s| (s / self.weight).clamp(0.0, 1.0)))
    }
}
