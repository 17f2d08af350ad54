//! Where the way forward ends and the way back begins: finished pixels, their
//! loss, and the adjoints that they start with.

use super::PixelLoss;
use super::chain::{Light, LightGrad};
use super::scene::{Outcome, Scene};
use crate::lanes::{LANES, Lanes, Scalar};
use crate::program::Colour;

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
    pub fn finish_row<V: Lanes>(
        &mut self,
        simd: V::Simd,
        scene: &Scene,
        first: usize,
        lights: impl Iterator<Item = Light<V>>,
        loss: &PixelLoss,
    ) -> Vec<LightGrad<V>> {
        let mut d_lights = Vec::with_capacity(lights.size_hint().0);
        for (k, light) in lights.enumerate() {
            let pixel_of =
                |lane: usize| Some(first + k * LANES + lane).filter(|p| *p < scene.pixels());
            d_lights.push(self.finish(simd, scene, &light, pixel_of, loss));
        }
        d_lights
    }

    /// Finishes a vector of pixels, of which lane k is pixel `pixel_of(k)` of the
    /// picture or none, and starts its way back.
    pub fn finish<V: Lanes>(
        &mut self,
        simd: V::Simd,
        scene: &Scene,
        light: &Light<V>,
        pixel_of: impl Fn(usize) -> Option<usize>,
        loss: &PixelLoss,
    ) -> LightGrad<V> {
        let background = scene.background.map(|c| V::splat(simd, V::Scalar::from_f64(c)));
        let colours = light.finish(background).map(|c| c.to_array().map(Scalar::to_f64));
        let left = light.transmittance.to_array().map(Scalar::to_f64);
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
        LightGrad::start(d_colour.map(|d| V::load(simd, &d)), background)
    }

    /// How large the derivative with respect to a pixel is, typically.
    pub fn rms_adjoint(&self) -> f64 {
        (self.squares / self.pixels.len().max(1) as f64).sqrt()
    }

    /// Puts the part in its place.
    pub fn add_to(self, outcome: &mut Outcome) {
        outcome.loss += self.loss;
        for (total, part) in outcome.gradient.background.iter_mut().zip(self.background) {
            *total += part;
        }
        for (pixel, colour) in self.pixels {
            outcome.image[pixel] = colour;
        }
    }
}
