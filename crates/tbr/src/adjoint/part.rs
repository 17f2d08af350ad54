//! Finished pixels of the relaxed render: their colours, their loss, and the derivatives
//! that the backward pass starts with.

use super::PixelLoss;
use super::chain::{Composite, CompositeGrad};
use super::scene::{Outcome, Scene};
use crate::image::Image;
use crate::numbers::lanes::{LANES, Lanes, Scalar};
use crate::program::Colour;

/// The loss of a picture that is to be seen and no more.
pub(super) fn no_loss(_pixel: usize, _colour: Colour) -> (f64, Colour) {
    (0.0, [0.0; 3])
}

/// Finished pixels of a part of the picture.
#[derive(Default)]
pub(super) struct Part {
    pixels: Vec<(usize, Colour)>,
    loss: f64,
    /// Derivative of the loss with respect to the background.
    background: Colour,
    /// Sum of the squares of the derivatives with respect to the pixels.
    squares: f64,
}

impl Part {
    /// Finishes neighbouring pixels of the picture, `first` and on, and starts
    /// their way back.
    #[inline(always)]
    pub fn finish_row<V: Lanes>(
        &mut self,
        simd: V::Simd,
        scene: &Scene,
        first: usize,
        composites: &[Composite<V>],
        loss: &PixelLoss,
    ) -> Vec<CompositeGrad<V>> {
        let mut d_composites = Vec::with_capacity(composites.len());
        for (k, composite) in composites.iter().enumerate() {
            let pixel_of =
                |lane: usize| Some(first + k * LANES + lane).filter(|p| *p < scene.pixels());
            d_composites.push(self.finish(simd, scene, composite, pixel_of, loss));
        }
        d_composites
    }

    /// Finishes a vector of pixels, of which lane k is pixel `pixel_of(k)` of the
    /// picture or none, and starts its way back.
    #[inline(always)]
    pub fn finish<V: Lanes>(
        &mut self,
        simd: V::Simd,
        scene: &Scene,
        composite: &Composite<V>,
        pixel_of: impl Fn(usize) -> Option<usize>,
        loss: &PixelLoss,
    ) -> CompositeGrad<V> {
        let [r, g, b] = scene.background().map(V::Scalar::from_f64);
        let background = [V::splat(simd, r), V::splat(simd, g), V::splat(simd, b)];
        let [r, g, b] = composite.finish(background);
        let colours = [r.to_f64s(), g.to_f64s(), b.to_f64s()];
        let left = composite.transmittance.to_f64s();
        let mut d_colour = [[V::Scalar::default(); LANES]; 3];
        for lane in 0..LANES {
            let Some(pixel) = pixel_of(lane) else { continue };
            let colour: Colour = std::array::from_fn(|c| colours[c][lane]);
            let (part, d) = loss(pixel, colour);
            self.loss += part;
            self.pixels.push((pixel, colour));
            for c in 0..3 {
                self.background[c] += left[lane] * d[c];
                self.squares += d[c] * d[c];
                d_colour[c][lane] = V::Scalar::from_f64(d[c]);
            }
        }
        let [r, g, b] = d_colour;
        let d_colour = [V::load(simd, &r), V::load(simd, &g), V::load(simd, &b)];
        CompositeGrad::start(d_colour, background)
    }

    /// The colour of a pixel, if it is one of these.
    pub fn colour(&self, pixel: usize) -> Option<Colour> {
        self.pixels.iter().find(|(own, _)| *own == pixel).map(|(_, colour)| *colour)
    }

    /// How large the derivative with respect to a pixel is, typically.
    pub fn rms_adjoint(&self) -> f64 {
        (self.squares / self.pixels.len().max(1) as f64).sqrt()
    }

    /// The picture that all parts make up.
    pub fn image(scene: &Scene, parts: Vec<Self>) -> Image {
        let mut colours = vec![[0.0; 3]; scene.pixels()];
        for (pixel, colour) in parts.into_iter().flat_map(|part| part.pixels) {
            colours[pixel] = colour;
        }
        Image::of_view(scene.view(), colours)
    }

    /// Adds the part's loss, colours and derivatives to those of the whole picture.
    pub fn add_to(self, outcome: &mut Outcome) {
        outcome.loss += self.loss;
        for (total, part) in outcome.gradient.background.iter_mut().zip(self.background) {
            *total += part;
        }
        for (pixel, colour) in self.pixels {
            outcome.image.set(pixel, colour);
        }
    }
}
