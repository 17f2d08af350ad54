//! The picture that a fit is to recover.

use super::mean::Mean;
use crate::error::{Error, Result};
use crate::image::{Image, Region, Shrink, View};
use crate::numbers::{Vec2, vec2};
use crate::program::colour::squared_distance;
use crate::program::{CANVAS_HEIGHTS, Colour};
use std::sync::Arc;

/// A picture, with how much each pixel matters. Clones share the pixels: a fit has its target
/// more than once.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    image: Arc<Image>,
    weights: Arc<[f32]>,
    bare: Option<Arc<Bare>>,
    /// Where the picture's upper left corner lies on the canvas.
    corner: Vec2<f64>,
}

/// The parts of a picture that are to stay unpainted.
#[derive(Clone, Debug, PartialEq)]
pub struct Bare {
    /// Which pixels, row by row. They carry no weight.
    pub pixels: Vec<bool>,
    /// The colour of the bare canvas in the program; no error depends on it.
    pub colour: Colour,
}

/// What gradient steps take for the colour of the bare canvas where parts are to stay bare:
/// outside of what paint can be, so that paint there costs, and cracks in paint do.
const OUTSIDE: Colour = [-0.5; 3];

impl Target {
    /// A picture whose pixels matter alike, or as `weights` say (any scale; 0 is
    /// not at all).
    pub fn new(image: Image, weights: Option<Vec<f64>>) -> Result<Self> {
        Self::of_shared(Arc::new(image), weights)
    }

    fn of_shared(image: Arc<Image>, weights: Option<Vec<f64>>) -> Result<Self> {
        let (width_px, height_px) = image.size();
        let height = f64::from(height_px) / f64::from(width_px);
        if !(CANVAS_HEIGHTS[0]..=CANVAS_HEIGHTS[1]).contains(&height) {
            let what = format!("a picture of {width_px} x {height_px} pixels");
            return Err(Error::limit(what, "sides of 1 : 1000"));
        }
        let pixels = image.pixels().len();
        let weights = match weights {
            Some(weights) => with_mean_one(&weights, pixels)?,
            None => std::iter::repeat_n(1.0, pixels).collect(),
        };
        Ok(Self { image, weights, bare: None, corner: vec2(0.0, 0.0) })
    }

    /// The same, with parts that are to stay unpainted. An error if they are all of it.
    pub fn with_bare(self, bare: Bare) -> Result<Self> {
        let all = self.image.pixels().len();
        if bare.pixels.len() != all {
            let bare = bare.pixels.len();
            return Err(Error::Request(format!("{bare} pixels are bare or not, of {all}")));
        }
        let weight = |(weight, bare): (&f32, &bool)| if *bare { 0.0 } else { f64::from(*weight) };
        let weights = self.weights.iter().zip(&bare.pixels).map(weight).collect();
        Ok(Self { bare: Some(Arc::new(bare)), ..Self::of_shared(self.image, Some(weights))? })
    }

    /// The same with every pixel's weight multiplied by a factor.
    pub(super) fn weighed(&self, factors: impl Iterator<Item = f64>) -> Result<Self> {
        let weights = self.weights.iter().zip(factors).map(|(w, factor)| f64::from(*w) * factor);
        let weights = with_mean_one(&weights.collect::<Vec<_>>(), self.weights.len())?;
        Ok(Self { weights, ..self.clone() })
    }

    /// The picture.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// The picture itself.
    pub fn into_image(self) -> Image {
        Arc::unwrap_or_clone(self.image)
    }

    /// How much each pixel's error counts, from 0; the mean over the picture is 1.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The parts that are to stay unpainted, if any.
    pub fn bare(&self) -> Option<&Bare> {
        self.bare.as_deref()
    }

    /// Each pixel's colour and weight, row by row.
    pub(super) fn weighted(&self) -> impl Iterator<Item = (Colour, f64)> {
        let weights = self.weights.iter().map(|w| f64::from(*w));
        self.image.pixels().iter().copied().zip(weights)
    }

    /// Is a pixel to stay unpainted?
    pub(super) fn is_bare(&self, pixel: usize) -> bool {
        self.bare.as_ref().is_some_and(|bare| bare.pixels[pixel])
    }

    /// The colour of the bare canvas in gradient steps.
    pub(super) fn backdrop(&self, background: Colour) -> Colour {
        if self.bare.is_some() { OUTSIDE } else { background }
    }

    /// Height of the canvas; its width is 1.
    pub fn height(&self) -> f64 {
        f64::from(self.image.height_px()) / f64::from(self.image.width_px())
    }

    /// Pixels along its longer side.
    pub fn longer_px(&self) -> u32 {
        let (width, height) = self.image.size();
        width.max(height)
    }

    /// The view with its pixels.
    pub fn view(&self) -> View {
        let Vec2 { x, y } = self.corner;
        let region = Region { x, y, width: 1.0, height: self.height() };
        let (width_px, height_px) = self.image.size();
        View { region, width_px, height_px }
    }

    /// The weighted mean colour: the best constant picture.
    pub fn mean(&self) -> Colour {
        let mut mean = Mean::default();
        for (colour, weight) in self.weighted() {
            mean.add(colour, weight);
        }
        mean.get().unwrap_or_default()
    }

    /// Weighted mean squared error over pixels and channels of a picture given pixel
    /// by pixel.
    pub fn error(&self, colour: impl Fn(usize) -> Colour) -> f64 {
        let mut sum = 0.0;
        for (pixel, (target, weight)) in self.weighted().enumerate() {
            sum += weight * squared_distance(target, colour(pixel));
        }
        sum / (3 * self.weights.len()) as f64
    }

    /// The error of the best constant picture.
    pub fn floor(&self) -> f64 {
        let mean = self.mean();
        self.error(|_| mean)
    }

    /// [`Target::error`] as a loss for [`crate::adjoint::gradient_of`]; what is to stay bare is
    /// to look like a bare canvas outside of what paint can be.
    pub fn loss(&self) -> impl Fn(usize, Colour) -> (f64, Colour) + Sync {
        let pixels = self.image.pixels();
        let scale = 1.0 / (3 * pixels.len()) as f64;
        move |pixel: usize, colour: Colour| {
            let (target, weight) = match self.is_bare(pixel) {
                true => (OUTSIDE, 1.0),
                false => (pixels[pixel], f64::from(self.weights[pixel])),
            };
            let scale = scale * weight;
            let loss = scale * squared_distance(colour, target);
            (loss, std::array::from_fn(|c| 2.0 * scale * (colour[c] - target[c])))
        }
    }

    /// The picture with its longer side at most `side_px`: pixels are averaged by
    /// the area that they share; never made larger.
    pub fn at_most(&self, side_px: u32) -> Self {
        let Some(shrink) = Shrink::new(self.image.size(), side_px) else {
            return self.clone();
        };
        // Colour, weight, and the share that is not bare, which alone gives colour.
        let value = |pixel: usize| {
            let [r, g, b] = self.image.pixels()[pixel];
            let weight = f64::from(self.weights[pixel]);
            if self.is_bare(pixel) { [0.0; 5] } else { [r, g, b, weight, 1.0] }
        };
        let averages = shrink.apply(value);
        let colour = |[r, g, b, _, share]: &[f64; 5]| {
            if *share > 0.0 { [r / share, g / share, b / share] } else { [0.0; 3] }
        };
        let bare = self.bare.as_ref().map(|bare| {
            let pixels = averages.iter().map(|average| average[4] < 0.5).collect();
            Arc::new(Bare { pixels, colour: bare.colour })
        });
        let (width_px, height_px) = shrink.size();
        let view = View { width_px, height_px, ..self.view() };
        Self {
            image: Arc::new(Image::of_view(&view, averages.iter().map(colour).collect())),
            weights: averages.iter().map(|average| average[3] as f32).collect(),
            bare,
            corner: self.corner,
        }
    }

    /// The picture seen through other pixels, as many as `grid` has and shifted by a share of one:
    /// at the centre of each, its colour is interpolated.
    pub fn sampled(&self, grid: &Self, shift: Vec2<f64>) -> Self {
        let pixel = grid.view().pixel();
        let corner = vec2(shift.x * pixel.x, shift.y * pixel.y);
        let mut sampled = Self { corner, ..grid.clone() };
        let view = sampled.view();
        let (width, height) = self.image.size();
        let pixels = self.image.pixels();
        let per = vec2(f64::from(width), f64::from(height) / self.height());
        // The pixels before and after a place along a side, and the share of the second.
        let between = |at: f64, count: u32| {
            let at = (at - 0.5).clamp(0.0, f64::from(count - 1));
            let first = at as usize;
            (first, (first + 1).min(count as usize - 1), at - first as f64)
        };
        let value = |k: usize| {
            let at = view.centre(k as u32 % view.width_px, k as u32 / view.width_px);
            let (left, right, u) = between(at.x * per.x, width);
            let (above, below, v) = between(at.y * per.y, height);
            let row = width as usize;
            let corners = [
                (above * row + left, (1.0 - u) * (1.0 - v)),
                (above * row + right, u * (1.0 - v)),
                (below * row + left, (1.0 - u) * v),
                (below * row + right, u * v),
            ];
            let (mut sum, mut weight, mut total) = ([0.0; 3], 0.0, 0.0);
            for (k, share) in corners {
                if !self.is_bare(k) {
                    let colour = pixels[k];
                    sum = std::array::from_fn(|c| sum[c] + share * colour[c]);
                    weight += share * f64::from(self.weights[k]);
                    total += share;
                }
            }
            let colour = if total > 0.0 { sum.map(|s| s / total) } else { [0.0; 3] };
            (colour, weight as f32, total < 0.5)
        };
        let values = crate::parallel::map(view.pixels(), value);
        sampled.image = Arc::new(Image::of_view(&view, values.iter().map(|v| v.0).collect()));
        sampled.weights = values.iter().map(|v| v.1).collect();
        if let Some(bare) = &self.bare {
            let pixels = values.iter().map(|v| v.2).collect();
            sampled.bare = Some(Arc::new(Bare { pixels, colour: bare.colour }));
        }
        sampled
    }
}

/// Weights of so many pixels, scaled; refuses what are none.
fn with_mean_one(weights: &[f64], pixels: usize) -> Result<Arc<[f32]>> {
    if weights.len() != pixels {
        let message = format!("{pixels} pixels have {} weights", weights.len());
        return Err(Error::Request(message));
    }
    if !weights.iter().all(|w| w.is_finite() && *w >= 0.0) {
        let message = "a pixel's weight is negative or not finite";
        return Err(Error::Request(message.into()));
    }
    let mean = weights.iter().sum::<f64>() / pixels as f64;
    if !(mean.is_finite() && mean > 0.0) {
        return Err(Error::Request(
            "no pixel of the picture matters: its weights are all 0".into(),
        ));
    }
    Ok(weights.iter().map(|w| (w / mean) as f32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slope, which interpolation keeps as it is.
    fn slope(size: (u32, u32)) -> Target {
        let view = View {
            region: Region { x: 0.0, y: 0.0, width: 1.0, height: 0.5 },
            width_px: size.0,
            height_px: size.1,
        };
        let colour = |k: u32| slope_at(view.centre(k % size.0, k / size.0));
        let pixels = (0..size.0 * size.1).map(colour).collect();
        Target::new(Image::new(size, pixels).unwrap(), None).unwrap()
    }

    fn slope_at(p: Vec2<f64>) -> Colour {
        [0.2 + 0.5 * p.x, 0.1 + p.y, 0.9 - 0.3 * p.x - 0.4 * p.y]
    }

    #[test]
    fn a_picture_through_its_own_pixels_is_itself() {
        let picture = slope((24, 12));
        assert_eq!(picture.sampled(&picture, vec2(0.0, 0.0)), picture);
    }

    #[test]
    fn shifted_pixels_see_what_lies_at_their_centres() {
        let (fine, grid) = (slope((48, 24)), slope((24, 12)));
        let shifted = fine.sampled(&grid, vec2(0.3, -0.4));
        let view = shifted.view();
        assert_eq!((view.region.x, view.region.y), (0.3 / 24.0, -0.4 / 24.0));
        for j in 1..11 {
            for i in 1..23 {
                let seen = shifted.image().pixels()[(j * 24 + i) as usize];
                let off = squared_distance(seen, slope_at(view.centre(i, j)));
                assert!(off < 1e-24, "{i},{j}: {off:e}");
            }
        }
    }

    /// What is bare has no colour to give, and no weight.
    #[test]
    fn shifted_pixels_know_what_is_bare() {
        let bare = (0..24 * 12).map(|k| k % 24 < 8).collect();
        let picture = slope((24, 12)).with_bare(Bare { pixels: bare, colour: [1.0; 3] }).unwrap();
        let shifted = picture.sampled(&picture, vec2(0.25, 0.0));
        for i in 0..24 {
            assert_eq!(shifted.is_bare(5 * 24 + i), i < 8);
            let red = shifted.image().pixels()[5 * 24 + i][0];
            assert!(i < 8 || red >= picture.image().pixels()[5 * 24 + 8][0] - 1e-12, "{i}: {red}");
        }
    }
}
