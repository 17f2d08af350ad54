//! Losses that are not sums over pixels: the library has none of its own and takes any.

use crate::error::Result;
use crate::image::Image;
use crate::parallel::Stop;
use crate::program::Colour;

/// A loss that compares whole pictures, like the distance of a network's features.
pub trait PictureLoss: Send + Sync {
    /// The shortest side, in pixels, of a picture that it can compare.
    fn least_side_px(&self) -> u32;

    /// The loss of pictures against one target. What takes long asks `stop` now and then, in the
    /// distances as well, and gives [`Error::Stopped`](crate::Error::Stopped).
    fn against(&self, target: &Image, stop: &Stop) -> Result<Box<dyn Distance>>;
}

/// How far pictures are from a target. They are of the target's size.
pub trait Distance: Send + Sync {
    /// The distance.
    fn loss(&self, image: &Image) -> Result<f64>;

    /// The distance, and its derivative with respect to every pixel.
    fn loss_and_gradient(&self, image: &Image) -> Result<(f64, Vec<Colour>)>;
}
