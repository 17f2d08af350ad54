//! The picture that a fit is to recover.

use super::mean::Mean;
use crate::error::{Error, Result};
use crate::program::{CANVAS_HEIGHTS, Colour};
use crate::view::{Region, View};
use rayon::prelude::*;

/// A picture, with how much each pixel matters.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Pixels across.
    pub width_px: u32,
    /// Pixels down.
    pub height_px: u32,
    /// Colours, row by row.
    pub colours: Vec<Colour>,
    /// How much each pixel's error counts, from 0; the mean over the picture is 1.
    pub weights: Vec<f32>,
}

impl Target {
    /// A picture whose pixels matter alike, or as `weights` say (any scale; 0 is
    /// not at all).
    pub fn new(
        (width_px, height_px): (u32, u32),
        colours: Vec<Colour>,
        weights: Option<Vec<f64>>,
    ) -> Result<Self> {
        let pixels = width_px as usize * height_px as usize;
        let weights = weights.unwrap_or_else(|| vec![1.0; pixels]);
        if pixels == 0 || colours.len() != pixels || weights.len() != pixels {
            let message = format!(
                "{width_px} x {height_px} pixels, but {} colours and {} weights",
                colours.len(),
                weights.len()
            );
            return Err(Error::Request(message));
        }
        let height = f64::from(height_px) / f64::from(width_px);
        if !(CANVAS_HEIGHTS[0]..=CANVAS_HEIGHTS[1]).contains(&height) {
            let what = format!("a picture of {width_px} x {height_px} pixels");
            return Err(Error::limit(what, "sides of 1 : 1000"));
        }
        let mean = weights.iter().sum::<f64>() / pixels as f64;
        if !(mean.is_finite() && mean > 0.0 && weights.iter().all(|w| *w >= 0.0)) {
            return Err(Error::Request(
                "no pixel of the picture matters: its weights are all 0".into(),
            ));
        }
        let weights = weights.iter().map(|w| (w / mean) as f32).collect();
        Ok(Self { width_px, height_px, colours, weights })
    }

    /// Height of the canvas; its width is 1.
    pub fn height(&self) -> f64 {
        f64::from(self.height_px) / f64::from(self.width_px)
    }

    /// The view with its pixels.
    pub fn view(&self) -> View {
        let region = Region { x: 0.0, y: 0.0, width: 1.0, height: self.height() };
        View { region, width_px: self.width_px, height_px: self.height_px }
    }

    /// The weighted mean colour: the best constant picture.
    pub fn mean(&self) -> Colour {
        let mut mean = Mean::default();
        for (colour, weight) in self.colours.iter().zip(&self.weights) {
            mean.add(*colour, f64::from(*weight));
        }
        mean.get().unwrap_or_default()
    }

    /// Weighted mean squared error over pixels and channels of a picture given pixel
    /// by pixel.
    pub fn error(&self, colour: impl Fn(usize) -> Colour) -> f64 {
        let mut sum = 0.0;
        for (pixel, (target, weight)) in self.colours.iter().zip(&self.weights).enumerate() {
            sum += f64::from(*weight) * square(*target, colour(pixel));
        }
        sum / (3 * self.colours.len()) as f64
    }

    /// The error of the best constant picture.
    pub fn floor(&self) -> f64 {
        let mean = self.mean();
        self.error(|_| mean)
    }

    /// [`Target::error`] as a loss for [`crate::adjoint::gradient`].
    pub fn loss(&self) -> impl Fn(usize, Colour) -> (f64, Colour) + Sync {
        let scale = 1.0 / (3 * self.colours.len()) as f64;
        move |pixel: usize, colour: Colour| {
            let (target, scale) = (self.colours[pixel], scale * f64::from(self.weights[pixel]));
            let loss = scale * square(colour, target);
            (loss, std::array::from_fn(|c| 2.0 * scale * (colour[c] - target[c])))
        }
    }

    /// The picture with its longer side at most `side_px`: pixels are averaged by
    /// the area that they share; never made larger.
    pub fn at_most(&self, side_px: u32) -> Self {
        let longer = self.width_px.max(self.height_px);
        if longer <= side_px {
            return self.clone();
        }
        let scale = f64::from(side_px) / f64::from(longer);
        let scaled = |px: u32| ((f64::from(px) * scale).round() as u32).max(1);
        let (width_px, height_px) = (scaled(self.width_px), scaled(self.height_px));
        let (columns, rows) = (shares(self.width_px, width_px), shares(self.height_px, height_px));
        let pixel = |index: usize| {
            let (i, j) = (index % width_px as usize, index / width_px as usize);
            self.average(&columns[i], &rows[j])
        };
        let pixels: Vec<(Colour, f32)> =
            (0..width_px as usize * height_px as usize).into_par_iter().map(pixel).collect();
        let (colours, weights) = pixels.into_iter().unzip();
        Self { width_px, height_px, colours, weights }
    }

    /// Mean colour and weight over some shares of columns and rows.
    fn average(&self, columns: &[(u32, f64)], rows: &[(u32, f64)]) -> (Colour, f32) {
        let (mut mean, mut weight) = (Mean::default(), 0.0);
        for (j, down) in rows {
            for (i, across) in columns {
                let pixel = (*j * self.width_px + *i) as usize;
                mean.add(self.colours[pixel], across * down);
                weight += across * down * f64::from(self.weights[pixel]);
            }
        }
        (mean.get().unwrap_or_default(), weight as f32)
    }
}

/// For each of `to` equal cells, the cells among `from` that it overlaps and the share
/// of it that each fills.
fn shares(from: u32, to: u32) -> Vec<Vec<(u32, f64)>> {
    let size = f64::from(from) / f64::from(to);
    let cell = |k: u32| {
        let (start, end) = (f64::from(k) * size, (f64::from(k) * size + size).min(f64::from(from)));
        let inner = start.floor() as u32..end.ceil() as u32;
        let share =
            |i: u32| (end.min(f64::from(i) + 1.0) - start.max(f64::from(i))) / (end - start);
        inner.map(|i| (i, share(i))).filter(|(_, share)| *share > 0.0).collect()
    };
    (0..to).map(cell).collect()
}

/// Squared distance of two colours.
pub(super) fn square(a: Colour, b: Colour) -> f64 {
    (0..3).map(|c| (a[c] - b[c]) * (a[c] - b[c])).sum()
}
