//! Rendering of sheets: samples are traced back to the drop that holds them.

use super::maps::PaintDrop;
use super::{Sheet, Step};
use crate::numbers::{Vec2, vec2};
use crate::program::Colour;
use rayon::prelude::*;
use std::ops::Range;

/// Samples along each side of a pixel: with fewer, combed lines show steps; with
/// more, nothing is seen to change.
pub const SAMPLES: u32 = 3;
/// Pixels that go back together: their samples stay in the first cache, and they
/// are enough to keep the processor busy. More do not pay, fewer do less at once.
const SPAN_PX: u32 = 64;

impl Sheet {
    /// Some rows, from left to right and down, of the sheet drawn `width_px` pixels
    /// wide: opaque, as stored values, edges smoothed by [`SAMPLES`] along each side
    /// of a pixel. The same whatever the threads.
    pub fn pixels(&self, width_px: u32, rows: Range<u32>) -> Vec<[f32; 4]> {
        let spans = width_px.div_ceil(SPAN_PX);
        let span = |j: u32, k: u32| {
            let columns = k * SPAN_PX..((k + 1) * SPAN_PX).min(width_px);
            self.span(columns, j, 1.0 / f64::from(width_px))
        };
        let row = |j: u32| (0..spans).flat_map(|k| span(j, k)).collect::<Vec<_>>();
        rows.into_par_iter().flat_map_iter(row).collect()
    }

    /// The pixels of some columns of row `j`: their samples go back through the steps
    /// all together, until a drop holds them.
    fn span(&self, columns: Range<u32>, j: u32, size: f64) -> Vec<[f32; 4]> {
        let mut mean = PixelMeans { sums: vec![[0.0; 3]; columns.len()] };
        let mut samples = Samples::new(columns, j, size);
        for step in self.steps.iter().rev() {
            match step {
                Step::Drop(drop, colour) => samples.undo_drop(drop, |k| mean.add(k, *colour)),
                Step::Tool(tool) => {
                    for (x, y) in samples.x.iter_mut().zip(&mut samples.y) {
                        let before = tool.inverse(vec2(*x, *y));
                        (*x, *y) = (before.x, before.y);
                    }
                }
            }
            if samples.pixel.is_empty() {
                break;
            }
        }
        samples.pixel.iter().for_each(|k| mean.add(*k, self.paper));
        mean.pixels()
    }
}

/// Samples that no drop has held yet: where their paint was, and their pixel.
struct Samples {
    x: Vec<f64>,
    y: Vec<f64>,
    pixel: Vec<usize>,
}

impl Samples {
    fn new(columns: Range<u32>, j: u32, size: f64) -> Self {
        let place = |k: u32, sample: u32| {
            (f64::from(k) + (f64::from(sample) + 0.5) / f64::from(SAMPLES)) * size
        };
        let mut samples = Self { x: Vec::new(), y: Vec::new(), pixel: Vec::new() };
        for (pixel, i) in columns.enumerate() {
            for k in 0..SAMPLES * SAMPLES {
                samples.x.push(place(i, k % SAMPLES));
                samples.y.push(place(j, k / SAMPLES));
                samples.pixel.push(pixel);
            }
        }
        samples
    }

    /// All samples before the drop; those that it holds are handed over and
    /// forgotten.
    fn undo_drop(&mut self, drop: &PaintDrop, mut held: impl FnMut(usize)) {
        let centre = drop.centre;
        if drawn_in(&mut self.x, &mut self.y, drop) {
            return;
        }
        let mut kept = 0;
        for k in 0..self.pixel.len() {
            if self.x[k] == centre.x && self.y[k] == centre.y {
                held(self.pixel[k]);
            } else {
                (self.x[kept], self.y[kept]) = (self.x[k], self.y[k]);
                self.pixel[kept] = self.pixel[k];
                kept += 1;
            }
        }
        self.x.truncate(kept);
        self.y.truncate(kept);
        self.pixel.truncate(kept);
    }
}

/// [`PaintDrop::inverse`] of many points, without branches; those that the drop holds
/// end in its centre. Does it hold none?
fn drawn_in(xs: &mut [f64], ys: &mut [f64], drop: &PaintDrop) -> bool {
    let (Vec2 { x: cx, y: cy }, square) = (drop.centre, drop.radius * drop.radius);
    let mut held = false;
    for (x, y) in xs.iter_mut().zip(ys) {
        let (dx, dy) = (*x - cx, *y - cy);
        let left = 1.0 - square / (dx * dx + dy * dy);
        let scale = left.max(0.0).sqrt();
        *x = cx + dx * scale;
        *y = cy + dy * scale;
        held |= left <= 0.0;
    }
    !held
}

/// Colours of pixels, as the mean of their samples.
struct PixelMeans {
    sums: Vec<Colour>,
}

impl PixelMeans {
    fn add(&mut self, pixel: usize, colour: Colour) {
        let sum = &mut self.sums[pixel];
        *sum = std::array::from_fn(|c| sum[c] + colour[c]);
    }

    fn pixels(self) -> Vec<[f32; 4]> {
        let share = 1.0 / f64::from(SAMPLES * SAMPLES);
        let pixel = |sum: Colour| {
            let [r, g, b] = sum.map(|v| (v * share).min(1.0) as f32);
            [r, g, b, 1.0]
        };
        self.sums.into_iter().map(pixel).collect()
    }
}
