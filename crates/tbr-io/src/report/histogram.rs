//! Histograms with logarithmic bins: their edges grow by a constant factor.

use std::f64::consts::SQRT_2;

/// Bins: enough to see a shape, and some strokes in most of them. An odd number has a middle
/// one, for numbers that are all alike.
pub const BINS: usize = 29;
/// The largest value over the least that has a bin. Strokes have lengths down to a millionth
/// of a pixel that mean a drop; they are counted together.
const MOST_SPAN: f64 = 1e4;
/// The least span: numbers that are all alike fill one bin, not all.
const LEAST_SPAN: f64 = 2.0;

/// The bins and what is in them.
pub struct Histogram {
    /// Lower edge of the first bin, upper edge of the last.
    pub low: f64,
    pub high: f64,
    /// Numbers in each bin.
    pub counts: [usize; BINS],
    /// Numbers below all bins.
    pub below: usize,
}

impl Histogram {
    /// Of numbers that are 0 or more; none if none is more.
    pub fn of(values: &[f64]) -> Option<Self> {
        let high = values.iter().copied().fold(0.0, f64::max);
        if high <= 0.0 {
            return None;
        }
        let has_bin = |v: &f64| *v >= high / MOST_SPAN;
        let low = values.iter().copied().filter(has_bin).fold(high, f64::min);
        let (low, high) = if high / low < LEAST_SPAN {
            let middle = (low * high).sqrt();
            (middle / SQRT_2, middle * SQRT_2)
        } else {
            (low, high)
        };
        let mut histogram = Self { low, high, counts: [0; BINS], below: 0 };
        for value in values {
            match histogram.bin(*value) {
                Some(bin) => histogram.counts[bin] += 1,
                None => histogram.below += 1,
            }
        }
        Some(histogram)
    }

    fn bin(&self, value: f64) -> Option<usize> {
        let place = self.place(value) * BINS as f64;
        (value >= self.low).then(|| (place as usize).min(BINS - 1))
    }

    /// How far along the logarithmic axis a number lies, 0 to 1.
    pub fn place(&self, value: f64) -> f64 {
        libm::log(value / self.low) / libm::log(self.high / self.low)
    }

    /// Lower edge of a bin; the upper edge of the one before.
    pub fn edge(&self, bin: usize) -> f64 {
        self.low * libm::pow(self.high / self.low, bin as f64 / BINS as f64)
    }

    /// The fullest bin's count, that below included.
    pub fn most(&self) -> usize {
        self.counts.iter().copied().fold(self.below, usize::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_counted_once_and_in_its_bin() {
        let values: Vec<f64> = (0..500).map(|k| 1e-4 * f64::from(k * k % 997)).collect();
        let histogram = Histogram::of(&values).unwrap();
        assert_eq!(histogram.below + histogram.counts.iter().sum::<usize>(), 500);
        assert_eq!(histogram.below, values.iter().filter(|v| **v == 0.0).count());
        for bin in 0..BINS {
            let inside = histogram.edge(bin) * 1.000_001..histogram.edge(bin + 1) * 0.999_999;
            let count = values.iter().filter(|v| inside.contains(v)).count();
            assert!(histogram.counts[bin] >= count, "bin {bin}");
        }
    }

    #[test]
    fn numbers_that_are_alike_fill_one_bin_and_zeros_none() {
        let same = Histogram::of(&[0.02; 9]).unwrap();
        assert_eq!(same.counts.iter().filter(|n| **n > 0).count(), 1);
        assert_eq!(same.below, 0);
        assert!(Histogram::of(&[0.0; 9]).is_none() && Histogram::of(&[]).is_none());
        let tiny = Histogram::of(&[1.0, 1e-9]).unwrap();
        assert_eq!((tiny.below, tiny.most()), (1, 1));
    }
}
