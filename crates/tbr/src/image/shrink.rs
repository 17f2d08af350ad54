//! Downsampling by area: pixels are averaged by the area that they share.

use crate::program::Colour;
use rayon::prelude::*;

/// The way from a picture to a smaller one.
#[derive(Debug)]
pub struct Shrink {
    /// Pixels across the larger picture.
    width_px: usize,
    /// For each column and each row of the smaller one, what it is made of.
    columns: Vec<Vec<Share>>,
    rows: Vec<Vec<Share>>,
}

/// A column or row of the larger picture, and the share of a smaller one that it fills.
type Share = (usize, f64);

impl Shrink {
    /// To a longer side of at most `side_px`; none if the picture is no larger.
    pub fn new((width_px, height_px): (u32, u32), side_px: u32) -> Option<Self> {
        let longer = width_px.max(height_px);
        if longer <= side_px {
            return None;
        }
        let scale = f64::from(side_px) / f64::from(longer);
        let scaled = |px: u32| ((f64::from(px) * scale).round() as u32).max(1);
        Some(Self {
            width_px: width_px as usize,
            columns: shares(width_px, scaled(width_px)),
            rows: shares(height_px, scaled(height_px)),
        })
    }

    /// The smaller picture's size.
    pub fn size(&self) -> (u32, u32) {
        (self.columns.len() as u32, self.rows.len() as u32)
    }

    /// The smaller picture of some values a pixel.
    pub fn apply<const N: usize>(&self, value: impl Fn(usize) -> [f64; N] + Sync) -> Vec<[f64; N]> {
        let across = self.columns.len();
        let average = |index: usize| {
            let mut sum = [0.0; N];
            for (j, down) in &self.rows[index / across] {
                for (i, along) in &self.columns[index % across] {
                    let value = value(j * self.width_px + i);
                    for (sum, value) in sum.iter_mut().zip(value) {
                        *sum += along * down * value;
                    }
                }
            }
            sum
        };
        (0..across * self.rows.len()).into_par_iter().map(average).collect()
    }

    /// Adjoint of [`Shrink::apply`] for colours.
    pub fn apply_vjp(&self, d_small: &[Colour]) -> Vec<Colour> {
        let height_px = self.rows.last().and_then(|r| r.last()).map_or(0, |(j, _)| j + 1);
        let mut d_large = vec![[0.0; 3]; self.width_px * height_px];
        let across = self.columns.len();
        for (index, d) in d_small.iter().enumerate() {
            for (j, down) in &self.rows[index / across] {
                for (i, along) in &self.columns[index % across] {
                    for (sum, d) in d_large[j * self.width_px + i].iter_mut().zip(d) {
                        *sum += along * down * d;
                    }
                }
            }
        }
        d_large
    }
}

/// For each of `to` equal cells, the cells among `from` that it overlaps and the share
/// of it that each fills.
fn shares(from: u32, to: u32) -> Vec<Vec<Share>> {
    let size = f64::from(from) / f64::from(to);
    let cell = |k: u32| {
        let (start, end) = (f64::from(k) * size, (f64::from(k) * size + size).min(f64::from(from)));
        let inner = start.floor() as u32..end.ceil() as u32;
        let share =
            |i: u32| (end.min(f64::from(i) + 1.0) - start.max(f64::from(i))) / (end - start);
        inner.map(|i| (i as usize, share(i))).filter(|(_, share)| *share > 0.0).collect()
    };
    (0..to).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_kept_and_the_adjoint_agrees() {
        let (width, height) = (7, 5);
        let shrink = Shrink::new((width, height), 3).unwrap();
        assert_eq!(shrink.size(), (3, 2));
        let value = |k: usize| [(k * k % 11) as f64, 1.0, k as f64];
        let small = shrink.apply(value);
        let mean = |values: &[Colour], c: usize| {
            values.iter().map(|v| v[c]).sum::<f64>() / values.len() as f64
        };
        let large: Vec<Colour> = (0..35).map(value).collect();
        for c in 0..3 {
            assert!((mean(&small, c) - mean(&large, c)).abs() < 1e-12);
        }
        // <A x, y> = <x, A' y>.
        let y: Vec<Colour> = (0..6).map(|k| [f64::from(k), 2.0, f64::from(k * k % 5)]).collect();
        let dot = |a: &[Colour], b: &[Colour]| -> f64 {
            a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| a * b).sum()
        };
        let back = shrink.apply_vjp(&y);
        assert!((dot(&small, &y) - dot(&large, &back)).abs() < 1e-9);
        assert!(Shrink::new((3, 2), 3).is_none());
    }
}
