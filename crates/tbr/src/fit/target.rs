//! The picture that a fit is to recover.

use super::mean::Mean;
use crate::error::{Error, Result};
use crate::image::{Image, Region, Shrink, View};
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
        Ok(Self { image, weights, bare: None })
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

    /// The view with its pixels.
    pub fn view(&self) -> View {
        let region = Region { x: 0.0, y: 0.0, width: 1.0, height: self.height() };
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
        }
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
