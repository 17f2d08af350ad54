//! A picture with tools undone, and how simple it is then.

use crate::image::{Image, Shrink};
use crate::numbers::{Vec2, vec2};
use crate::program::Colour;
use crate::tool::{Move, Tool};
use rayon::prelude::*;

/// Longer side of the picture that is looked at: finer combs than it can show are not found.
const SIDE_PX: u32 = 512;
/// Longer side of the sheets whose variation is taken: a third of the time of the picture's own
/// size, and the same combs.
const SHEET_PX: u32 = 224;

/// A picture that is uncombed again and again.
pub(super) struct Sheet {
    image: Image,
    size: (u32, u32),
}

impl Sheet {
    pub fn new(image: &Image) -> Self {
        let image = shrunk(image, SIDE_PX);
        let size = Shrink::new(image.size(), SHEET_PX).map_or(image.size(), |s| s.size());
        Self { image, size }
    }

    /// The picture as it is looked at.
    pub fn picture(&self) -> &Image {
        &self.image
    }

    /// The middle of the canvas.
    pub fn middle(&self) -> Vec2<f64> {
        let (width, height) = self.image.size();
        vec2(0.5, 0.5 * f64::from(height) / f64::from(width))
    }

    /// The total variation of the sheet before some tools: the mean length of its gradient,
    /// where the picture shows it. Infinite if it shows less than half of it: what tools bring in
    /// from beyond the edge is of one colour, and would pass for simple.
    pub fn variation(&self, tools: &[Tool]) -> f64 {
        let pixels = undone(&self.image, tools, self.size);
        let (width, height) = (self.size.0 as usize, self.size.1 as usize);
        let rows = (0..height.saturating_sub(1)).into_par_iter();
        let sum_row = |j: usize| {
            let (row, below) = (&pixels[j * width..], &pixels[(j + 1) * width..]);
            let mut sums = (0.0, 0_usize);
            for i in 0..width - 1 {
                let (here, right, down) = (row[i], row[i + 1], below[i]);
                if here.is_inside && right.is_inside && down.is_inside {
                    sums.0 += (here.square_to(right) + here.square_to(down)).sqrt();
                    sums.1 += 1;
                }
            }
            sums
        };
        let sums: Vec<(f64, usize)> = rows.map(sum_row).collect();
        let (total, count) = sums.iter().fold((0.0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        let enough = 2 * count >= (width - 1) * (height - 1) && count > 0;
        if enough { total / count as f64 } else { f64::INFINITY }
    }
}

/// A pixel of a sheet.
#[derive(Clone, Copy)]
struct SheetPixel {
    colour: Colour,
    /// Does the picture show it?
    is_inside: bool,
}

impl SheetPixel {
    fn square_to(self, other: Self) -> f64 {
        self.colour.iter().zip(other.colour).map(|(a, b)| (a - b) * (a - b)).sum()
    }
}

/// The sheet as it was before some tools were drawn through it, at the picture's size. What the
/// tools brought in from beyond the edge is filled with the colours there.
pub fn uncombed(image: &Image, tools: &[Tool]) -> Image {
    let mut before = image.clone();
    for (k, pixel) in undone(image, tools, image.size()).into_iter().enumerate() {
        before.set(k, pixel.colour);
    }
    before
}

/// The pixels of the sheet before some tools, at a size: each is looked up where the tools took
/// it to.
fn undone(image: &Image, tools: &[Tool], (width, height): (u32, u32)) -> Vec<SheetPixel> {
    let moves: Vec<Move<f64>> = tools.iter().flat_map(Tool::moves).collect();
    let pixel = 1.0 / f64::from(width);
    let canvas = f64::from(image.height_px()) / f64::from(image.width_px());
    let row = |j: u32| {
        let moves = &moves;
        (0..width).map(move |i| {
            let at = vec2((f64::from(i) + 0.5) * pixel, (f64::from(j) + 0.5) * pixel);
            let to = moves.iter().fold(at, |x, tool| tool.phi(x));
            let is_inside = (0.0..=1.0).contains(&to.x) && (0.0..=canvas).contains(&to.y);
            SheetPixel { colour: between(image, to), is_inside }
        })
    };
    (0..height).into_par_iter().flat_map_iter(row).collect()
}

/// The colour at a point of the canvas, between the four pixels about it; beyond the edge, that
/// of the edge.
fn between(image: &Image, at: Vec2<f64>) -> Colour {
    let (width, height) = image.size();
    let place = |v: f64, count: u32| {
        let v = (v * f64::from(width) - 0.5).clamp(0.0, f64::from(count - 1));
        let low = (v as u32).min(count.saturating_sub(2));
        (low as usize, ((low + 1).min(count - 1)) as usize, v - f64::from(low))
    };
    let (left, right, x) = place(at.x, width);
    let (above, below, y) = place(at.y, height);
    let mix = |a: Colour, b: Colour, share: f64| -> Colour {
        std::array::from_fn(|c| a[c] + (b[c] - a[c]) * share)
    };
    let (above, below) = (image.row(above), image.row(below));
    mix(mix(above[left], above[right], x), mix(below[left], below[right], x), y)
}

/// A picture made smaller, if its longer side is longer than that.
pub(super) fn shrunk(image: &Image, side_px: u32) -> Image {
    let Some(shrink) = Shrink::new(image.size(), side_px) else { return image.clone() };
    let pixels = shrink.apply(|k| image.pixels()[k]);
    Image::new(shrink.size(), pixels).unwrap_or_else(|_| image.clone())
}
