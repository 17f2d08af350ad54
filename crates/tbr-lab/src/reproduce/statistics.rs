//! Means, intervals and paired comparisons, as in the paper's Sec. 6.6: the picture is the
//! unit, and ratios are compared as logarithms.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Share of intervals that hold the truth.
const CONFIDENCE: f64 = 0.95;

/// The mean of some numbers, with what a paired t test says of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Test {
    pub count: usize,
    pub mean: f64,
    /// Of the mean; none for fewer than two numbers.
    pub interval: Option<[f64; 2]>,
    /// The mean over its standard error.
    pub t: Option<f64>,
    /// The mean over the standard deviation.
    pub d_z: Option<f64>,
    /// How many are above 0.
    pub positive: usize,
}

impl Test {
    /// Of numbers that are 0 if there is no effect.
    pub fn of(values: &[f64]) -> Self {
        let count = values.len();
        let n = count as f64;
        let mean = values.iter().sum::<f64>() / n.max(1.0);
        let positive = values.iter().filter(|v| **v > 0.0).count();
        let plain = Self { count, mean, interval: None, t: None, d_z: None, positive };
        if count < 2 {
            return plain;
        }
        let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
        let (deviation, error) = (variance.sqrt(), (variance / n).sqrt());
        let Ok(student) = StudentsT::new(0.0, 1.0, n - 1.0) else { return plain };
        let half = student.inverse_cdf(0.5 + 0.5 * CONFIDENCE) * error;
        let over = |spread: f64| (spread > 0.0).then(|| mean / spread);
        let interval = Some([mean - half, mean + half]);
        Self { interval, t: over(error), d_z: over(deviation), ..plain }
    }
}

/// A geometric mean of ratios with its interval, and the test of their logarithms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ratios {
    pub mean: f64,
    pub interval: Option<[f64; 2]>,
    pub logarithms: Test,
}

impl Ratios {
    /// Of positive numbers.
    pub fn of(ratios: &[f64]) -> Self {
        let logarithms: Vec<f64> = ratios.iter().map(|r| libm::log(*r)).collect();
        let logarithms = Test::of(&logarithms);
        let interval = logarithms.interval.map(|i| i.map(libm::exp));
        Self { mean: libm::exp(logarithms.mean), interval, logarithms }
    }

    /// The interval, as text.
    pub fn interval_text(&self) -> String {
        self.interval.map_or_else(|| "one picture".into(), |[a, b]| format!("[{a:.2}, {b:.2}]"))
    }

    /// How many are above 1, of how many.
    pub fn sign(&self) -> String {
        format!("{}/{}", self.logarithms.positive, self.logarithms.count)
    }
}

/// The geometric mean.
pub fn geometric_mean(values: &[f64]) -> f64 {
    Ratios::of(values).mean
}

/// The one in the middle, or the mean of the two there.
pub fn median(values: &[f64]) -> f64 {
    tbr::info::Spread::of(values.to_vec()).median
}

/// By how much the largest is above the smallest, per cent.
pub fn spread_percent(values: &[f64]) -> f64 {
    let (low, high) = range(values);
    100.0 * (high / low - 1.0)
}

/// The smallest and the largest.
pub fn range(values: &[f64]) -> (f64, f64) {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    (least, values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's own rows: its 2 x 2 gives its table of paired comparisons.
    #[test]
    fn the_papers_intervals_come_out() {
        let floors = [0.0151, 0.0393, 0.0317, 0.0865, 0.0138];
        let joint = [0.004649, 0.013519, 0.006070, 0.033431, 0.002633];
        let inert = [0.0282, 0.0643, 0.0544, 0.1531, 0.0259];
        let over =
            |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a / b).collect() };
        let close = |value: f64, paper: f64| {
            assert!((value / paper - 1.0).abs() < 0.01, "{value} is not {paper}")
        };
        let recovered = Ratios::of(&over(&floors, &joint));
        close(recovered.mean, 3.67);
        close(recovered.interval.unwrap()[0], 2.43);
        close(recovered.interval.unwrap()[1], 5.54);
        let executed = Ratios::of(&over(&inert, &joint));
        close(executed.mean, 6.50);
        close(executed.interval.unwrap()[0], 4.19);
        close(executed.interval.unwrap()[1], 10.09);
        close(executed.logarithms.t.unwrap(), 11.8);
        close(executed.logarithms.d_z.unwrap(), 5.3);
        assert_eq!(executed.sign(), "5/5");
    }

    #[test]
    fn one_number_has_no_interval() {
        let test = Test::of(&[2.0]);
        assert_eq!((test.mean, test.interval, test.t, test.positive), (2.0, None, None, 1));
        assert_eq!(Test::of(&[1.0, 1.0]).t, None, "no spread, no t");
        assert_eq!(median(&[3.0, 1.0, 2.0, 10.0]), 2.5);
        assert!((spread_percent(&[2.0, 1.0]) - 100.0).abs() < 1e-12);
    }
}
