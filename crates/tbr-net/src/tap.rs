//! What two pictures' features are compared by: directions of channel vectors.

use crate::band::{Band, MapSize};
use crate::number::Number;
use rayon::prelude::*;
use std::ops::Range;

/// Added to a channel vector's norm, as LPIPS does: a place with no features at
/// all is 0 rather than 0 / 0. Features are of the order of 1.
const NORM_FLOOR: f64 = 1e-10;

/// |v|.
fn norm<T: Number>(v: &[T]) -> f64 {
    v.iter().map(|v| v.to_f64() * v.to_f64()).sum::<f64>().sqrt()
}

/// 1 / (|v| + floor).
fn inverse_norm<T: Number>(v: &[T]) -> f64 {
    1.0 / (norm(v) + NORM_FLOOR)
}

/// Every place's channel vector v becomes v / (|v| + floor).
pub fn normalise<T: Number>(map: &mut Band<T>) {
    let MapSize { channels, .. } = map.size;
    map.values.par_chunks_exact_mut(channels).for_each(|place| {
        let scale = inverse_norm(place);
        place.iter_mut().for_each(|v| *v = T::of(v.to_f64() * scale));
    });
}

/// A tap: what it is compared with, and how much channels count.
pub struct Tap<'a, T> {
    /// The target's features, normalised, all rows.
    pub target: &'a Band<T>,
    /// One weight for each channel.
    pub weights: &'a [T],
}

impl<T: Number> Tap<'_, T> {
    /// Places of the whole map, over which the distance is a mean.
    fn places(&self) -> f64 {
        let MapSize { width, height, .. } = self.target.size;
        (width * height) as f64
    }

    /// The part that some rows have in the distance: sum over places and
    /// channels of w (u - t)^2 / places, where u is the normalised feature and t
    /// the target's. Summed in the same order, whatever the threads.
    pub fn distance(&self, map: &Band<T>, rows: Range<usize>) -> f64 {
        let length = map.size.row_numbers();
        let lines = map.part(rows.clone()).par_chunks_exact(length);
        let lines = lines.zip(self.target.part(rows).par_chunks_exact(length));
        let sums: Vec<f64> = lines.map(|(line, target)| self.line_distance(line, target)).collect();
        sums.iter().sum::<f64>() / self.places()
    }

    fn line_distance(&self, line: &[T], target: &[T]) -> f64 {
        let channels = self.weights.len();
        let mut sum = 0.0;
        for (v, t) in line.chunks_exact(channels).zip(target.chunks_exact(channels)) {
            let scale = inverse_norm(v);
            for ((v, t), weight) in v.iter().zip(t).zip(self.weights) {
                let off = (T::of(v.to_f64() * scale) - *t).to_f64();
                sum += weight.to_f64() * off * off;
            }
        }
        sum
    }

    /// The adjoint, added to the same rows of `d_map`. With u = v / n, n = |v| +
    /// floor and g = 2 w (u - t) / places, d_v = (g - (u . g) v / |v|) / n.
    pub fn distance_vjp(&self, map: &Band<T>, rows: Range<usize>, d_map: &mut Band<T>) {
        let length = map.size.row_numbers();
        let lines = map.part(rows.clone()).par_chunks_exact(length);
        let lines = lines.zip(self.target.part(rows.clone()).par_chunks_exact(length));
        let lines = lines.zip(d_map.part_mut(rows).par_chunks_exact_mut(length));
        lines.for_each(|((line, target), d_line)| self.line_distance_vjp(line, target, d_line));
    }

    fn line_distance_vjp(&self, line: &[T], target: &[T], d_line: &mut [T]) {
        let channels = self.weights.len();
        let mut slope = vec![0.0; channels];
        let places = line.chunks_exact(channels).zip(target.chunks_exact(channels));
        for ((v, t), d_v) in places.zip(d_line.chunks_exact_mut(channels)) {
            let norm = norm(v);
            if norm == 0.0 {
                continue; // no feature got through the rectifier, so no derivative will
            }
            let scale = 1.0 / (norm + NORM_FLOOR);
            let mut along = 0.0;
            for (c, slope) in slope.iter_mut().enumerate() {
                let u = v[c].to_f64() * scale;
                *slope = 2.0 * self.weights[c].to_f64() * (u - t[c].to_f64()) / self.places();
                along += u * *slope;
            }
            for (c, d) in d_v.iter_mut().enumerate() {
                *d += T::of((slope[c] - along * v[c].to_f64() / norm) * scale);
            }
        }
    }
}
