//! Strokes that would mend a picture: searched as in peeling, on what a replay has wrong.

use super::search::{Aim, Candidate};
use super::{CELL, Peel, PeelJob, PeelOptions, Peeling};
use crate::error::Result;
use crate::fit::Target;
use crate::numbers::lanes::{F32s, Lanes, level, with_simd};
use crate::program::Colour;
use crate::stroke::Shape;

/// Area of strokes that mend a picture, as a share of a stroke's mean area, and what area costs them,
/// as a multiple of the picture's error by area: they push paint away that was right.
const BIRTH_AREA: f64 = 0.2;
const BIRTH_PRICE: f64 = 2.0;

/// A stroke that would mend a picture.
#[derive(Clone, Debug)]
pub(in crate::fit) struct Birth {
    pub shape: Shape,
    /// The pixels that it would cover.
    pub pixels: Vec<u32>,
    pub colour: Colour,
    /// How much less error there would be where it lies.
    pub gain: f64,
}

/// Strokes over what is wrong with a replay, to be laid after all others: the best that lie apart,
/// at most `count`, in the order of what they gain. `errors` are those of the picture's pixels.
pub(in crate::fit) fn mend(
    target: &Target,
    job: &PeelJob,
    options: &PeelOptions,
    errors: &[f32],
    count: usize,
) -> Result<Vec<Birth>> {
    with_simd!(level(), simd => {
        let mut peel = Peel::<F32s<_>>::new(simd, target, job, options, Peeling::default())?;
        peel.mend(errors, count)
    })
}

impl<V: Lanes<Scalar = f32>> Peel<'_, V> {
    /// The strokes of [`mend`].
    fn mend(&mut self, errors: &[f32], count: usize) -> Result<Vec<Birth>> {
        let area = BIRTH_AREA * self.canvas / self.job.strokes as f64;
        self.sheet.sort_by_error((CELL * area.sqrt()) as f32, errors);
        let error: f64 = errors.iter().map(|error| f64::from(*error)).sum();
        let price = BIRTH_PRICE * error / self.canvas;
        let PeelJob { drops, bends, palette, .. } = *self.job;
        let aim = Aim { area, price, strictness: 1.0, drops, bends, palette };
        let chosen = self.choose(&aim, count);
        let covered = |c: &Candidate| (c.gain, self.sheet.pixels_under(&c.capsule));
        let covered: Vec<(f64, Vec<u32>)> = chosen.iter().map(covered).collect();
        self.lay(&chosen);
        let births = self.shapes.iter().zip(&self.colours).zip(covered);
        let birth = |((shape, colour), (gain, pixels)): ((&Shape, &Colour), (f64, Vec<u32>))| {
            Birth { shape: *shape, pixels, colour: *colour, gain }
        };
        Ok(births.map(birth).collect())
    }
}
