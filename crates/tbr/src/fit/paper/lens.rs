//! The eyes of a network on a fit: the deep-feature distance at a size of its own.

use crate::error::Result;
use crate::fit::Target;
use crate::fit::shrink::Shrink;
use crate::network::{VggFeatures, Weights};
use crate::program::Colour;
use crate::raster::Raster;

/// The distance of renders from a target.
pub(in crate::fit) struct Lens {
    features: VggFeatures,
    /// Pixels across the renders.
    width_px: usize,
    shrink: Option<Shrink>,
}

impl Lens {
    /// On renders of a target's size, looked at with the longer side at most `side_px`.
    pub fn new(weights: &Weights, target: &Target, side_px: u32) -> Result<Self> {
        let small = target.at_most(side_px);
        let picture = Raster::new(small.width_px as usize, &small.colours)?;
        Ok(Self {
            features: VggFeatures::new(weights, picture)?,
            width_px: target.width_px as usize,
            shrink: Shrink::new((target.width_px, target.height_px), side_px),
        })
    }

    /// The distance.
    pub fn loss(&self, image: &[Colour]) -> Result<f64> {
        self.features.loss(self.raster(&self.small(image))?)
    }

    /// The distance, and its derivative with respect to every pixel.
    pub fn loss_and_gradient(&self, image: &[Colour]) -> Result<(f64, Vec<Colour>)> {
        let small = self.small(image);
        let (loss, d_small) = self.features.loss_and_gradient(self.raster(&small)?)?;
        let d_image = match &self.shrink {
            Some(shrink) => shrink.apply_vjp(&d_small),
            None => d_small,
        };
        Ok((loss, d_image))
    }

    fn small(&self, image: &[Colour]) -> Vec<Colour> {
        match &self.shrink {
            Some(shrink) => shrink.apply(|pixel| image[pixel]),
            None => image.to_vec(),
        }
    }

    fn raster<'a>(&self, small: &'a [Colour]) -> Result<Raster<'a>> {
        let width_px = self.shrink.as_ref().map_or(self.width_px, |s| s.size().0 as usize);
        Raster::new(width_px, small)
    }
}
