//! Replay: the hard render of a program, at any size.
//!
//! [`naive`] is the definition. [`Replay`] gives the same picture fast, in
//! strips of rows, so that a picture of any size fits in memory.

mod engine;
mod hard;
pub mod naive;
pub mod plain;

#[cfg(test)]
mod tests;

pub use crate::image::{MAX_IMAGE_PX, MAX_SIDE_PX, Region, View};

use crate::cells::{PixelOrder, Window};
use crate::error::{Error, Result};
use crate::image::Image;
use crate::parallel::{self, Stop};
use crate::program::{Colour, Program};
use crate::stroke::Operator;
use crate::stroke::Shape;
use engine::HardEngine;
use hard::{BLOCK_PX, BLOCK_VECTORS};
use rayon::prelude::*;
use std::ops::Range;

/// The most samples along one side of a pixel.
pub const MAX_SAMPLES: u32 = 32;

/// The largest tolerance: beyond it, edges could be seen to jump.
pub const MAX_TOLERANCE_PX: f64 = 1.0;

/// The most samples times strokes that the line source is integrated for: some
/// ten microseconds each.
pub const MAX_LINE_SOURCE_WORK: u64 = 10_000_000;

/// The most bytes of a strip's pixels. Strips are as high as the blocks that are rendered as one,
/// up to a width of 65 536 pixels at one sample; in wider pictures a row of blocks makes several
/// strips and is rendered for each of them: slower, but a million pixels fit.
const STRIP_BYTES: u64 = 256 << 20;

/// Blocks that are rendered before their pixels are put in place, at least: 64 MB.
const BLOCKS_AT_ONCE: u32 = 64;

/// What shows where no stroke has left paint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Background {
    /// The program's own colour.
    Program,
    /// Nothing: transparent.
    Bare,
    /// Another colour.
    Colour(Colour),
}

/// How to replay a program.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayOptions {
    /// Another operator than the program's own.
    pub operator: Option<Operator>,
    /// Only so many steps from the first; all if none.
    pub first: Option<usize>,
    /// Samples along each side of a pixel: 1 is the plain hard render, more are
    /// smoother edges at `samples`^2 the cost.
    pub samples: u32,
    /// What shows where there is no paint.
    pub background: Background,
    /// How far a stroke may misplace paint that is far from it, in pixels. 0 is the least
    /// that pays; a few hundredths are twice as fast, and let some pixels on edges fall to
    /// the other side: for pictures that move.
    pub tolerance_px: f64,
}

impl Default for ReplayOptions {
    fn default() -> Self {
        let background = Background::Program;
        Self { operator: None, first: None, samples: 1, background, tolerance_px: 0.0 }
    }
}

/// A program as a picture, so many pixels wide: the hard render, one sample at the centre of
/// each pixel, colours as the program has them, at most [`MAX_IMAGE_PX`] pixels. [`Replay`] has
/// more options, and makes larger pictures strip by strip.
///
/// ```
/// # fn main() -> tbr::Result<()> {
/// let program = tbr::prior::program(100, 0.75, 0)?;
/// let image = tbr::render(&program, 400)?;
/// assert_eq!(image.size(), (400, 300));
/// # Ok(())
/// # }
/// ```
pub fn render(program: &Program, width_px: u32) -> Result<Image> {
    render_view(program, View::of_canvas(program, width_px)?)
}

/// [`render`], of what a view sees.
pub fn render_view(program: &Program, view: View) -> Result<Image> {
    view.check_pixels()?;
    let replay = Replay::new(program, view, &ReplayOptions::default())?;
    let colour = |owner: u32| match owner {
        0 => program.background(),
        stroke => program.colour(program.strokes()[stroke as usize - 1].paint),
    };
    Ok(Image::of_view(&view, replay.all_owners().into_iter().map(colour).collect()))
}

/// A program being replayed.
pub struct Replay {
    engine: HardEngine,
    view: View,
    samples: u32,
    /// Rows of pixels in a strip, but for the last one of a row of blocks.
    strip_px: u32,
    /// Premultiplied RGBA by owner: the background, then the strokes.
    colours: Vec<[f32; 4]>,
}

impl Replay {
    /// Prepares the steps of a program for a view.
    pub fn new(program: &Program, view: View, options: &ReplayOptions) -> Result<Self> {
        let (first, tools) = program.first_steps(options.first)?;
        if !(1..=MAX_SAMPLES).contains(&options.samples) {
            let what = format!("{} samples along the side of a pixel", options.samples);
            return Err(Error::limit(what, format!("1 to {MAX_SAMPLES}")));
        }
        if !(0.0..=MAX_TOLERANCE_PX).contains(&options.tolerance_px) {
            let what = format!("a tolerance of {} pixels", options.tolerance_px);
            return Err(Error::limit(what, format!("0 to {MAX_TOLERANCE_PX}")));
        }
        let operator = options.operator.unwrap_or(program.operator());
        let fine = view.refined(options.samples);
        if operator == Operator::LineSource {
            check_line_source(&fine, first)?;
        }
        let strokes = &program.strokes()[..first];
        let shapes: Vec<Shape> = strokes.iter().map(|s| s.shape).collect();
        let paints = strokes.iter().map(|s| opaque(program.colour(s.paint)));
        let background = match options.background {
            Background::Program => opaque(program.background()),
            Background::Bare => [0.0; 4],
            Background::Colour(colour) => opaque(colour),
        };
        Ok(Self {
            engine: HardEngine::new(operator, &shapes, tools, fine, options.tolerance_px),
            view,
            samples: options.samples,
            strip_px: most_rows(view.width_px).min(BLOCK_PX / options.samples),
            colours: std::iter::once(background).chain(paints).collect(),
        })
    }

    /// Width of the picture in pixels.
    pub fn width_px(&self) -> u32 {
        self.view.width_px
    }

    /// Height of the picture in pixels.
    pub fn height_px(&self) -> u32 {
        self.view.height_px
    }

    /// Pixels along the side of the blocks that are rendered as one.
    fn block_px(&self) -> u32 {
        BLOCK_PX / self.samples
    }

    /// Strips in a row of blocks.
    fn strips_per_block(&self) -> u32 {
        self.block_px().div_ceil(self.strip_px)
    }

    /// How many strips the picture has.
    pub fn strips(&self) -> u32 {
        let (height, side) = (self.view.height_px, self.block_px());
        height / side * self.strips_per_block() + (height % side).div_ceil(self.strip_px)
    }

    /// Rows of pixels in a range of strips.
    pub fn rows(&self, strips: Range<u32>) -> Range<u32> {
        let row = |strip: u32| {
            let parts = self.strips_per_block();
            let (block, part) = (strip / parts, strip % parts);
            (block * self.block_px() + part * self.strip_px).min(self.view.height_px)
        };
        row(strips.start)..row(strips.end)
    }

    /// The pixels of some strips, row by row, as premultiplied RGBA: the mean of
    /// the samples' sRGB values as stored.
    pub fn pixels(&self, strips: Range<u32>) -> Vec<[f32; 4]> {
        self.pixels_unless(strips, &Stop::never())
    }

    /// The same, unless it is stopped, between blocks of 256 x 256 samples: pixels that were not
    /// rendered are transparent then.
    pub fn pixels_unless(&self, strips: Range<u32>, stop: &Stop) -> Vec<[f32; 4]> {
        self.assemble(strips, stop, |owners, at| self.mean(owners, at))
    }

    /// The number of the stroke (from 1; 0 is the bare canvas) that owns each
    /// pixel, row by row; with several samples, that of the first.
    pub fn owners(&self, strips: Range<u32>) -> Vec<u32> {
        self.owners_unless(strips, &Stop::never())
    }

    fn owners_unless(&self, strips: Range<u32>, stop: &Stop) -> Vec<u32> {
        let n = self.samples;
        self.assemble(strips, stop, |owners, (i, j)| owners[(j * n * BLOCK_PX + i * n) as usize])
    }

    /// How many pixels the bare canvas and each stroke own, a few strips at a time.
    pub fn count_owned(&self) -> Vec<u64> {
        let mut owned = vec![0; self.colours.len()];
        for strip in 0..self.strips() {
            for owner in self.owners(strip..strip + 1) {
                owned[owner as usize] += 1;
            }
        }
        owned
    }

    /// [`Replay::owners`] of the whole picture.
    pub fn all_owners(&self) -> Vec<u32> {
        self.owners(0..self.strips())
    }

    /// The same in an order of the picture's pixels that somebody has found already, with one
    /// sample for each, unless it is stopped.
    pub(crate) fn owners_in_order(&self, order: &PixelOrder, stop: &Stop) -> Result<Vec<u32>> {
        let blocks: Vec<&[u32]> = order.blocks(BLOCK_VECTORS).collect();
        let work = |k: usize| self.engine.owners_of(blocks[k]);
        let mut all = vec![0; self.view.pixels()];
        for (pixels, owners) in blocks.iter().zip(parallel::map_until(stop, blocks.len(), work)?) {
            for (pixel, owner) in pixels.iter().zip(owners) {
                all[*pixel as usize] = owner;
            }
        }
        Ok(all)
    }

    /// The same, unless it is stopped, between blocks of 256 x 256 samples.
    pub fn all_owners_until(&self, stop: &Stop) -> Result<Vec<u32>> {
        let owners = self.owners_unless(0..self.strips(), stop);
        stop.check()?;
        Ok(owners)
    }

    /// The whole picture, without its transparency: bare canvas that shows nothing is black.
    pub fn image(&self) -> Image {
        let pixels = self.pixels(0..self.strips());
        let colour = |[r, g, b, _]: [f32; 4]| [r, g, b].map(f64::from);
        Image::of_view(&self.view, pixels.into_iter().map(colour).collect())
    }

    /// Renders blocks in parallel and puts their pixels together. As soon as it is to stop,
    /// blocks stay empty.
    fn assemble<T: Copy + Default + Send>(
        &self,
        strips: Range<u32>,
        stop: &Stop,
        pixel: impl Fn(&[u32], (u32, u32)) -> T + Sync,
    ) -> Vec<T> {
        let (side, width) = (self.block_px(), self.view.width_px);
        let across = width.div_ceil(side);
        let rows = self.rows(strips);
        let blocks = rows.start / side * across..rows.end.div_ceil(side) * across;
        let at_once = BLOCKS_AT_ONCE.max(4 * rayon::current_num_threads() as u32);
        let mut all = vec![T::default(); width as usize * rows.len()];
        for first in blocks.clone().step_by(at_once as usize) {
            let some = first..(first + at_once).min(blocks.end);
            let place = |b: u32| (b % across, b / across);
            let render = |b: u32| match stop.is_wanted() {
                true => Vec::new(),
                false => self.block(place(b), &rows, &pixel),
            };
            let rendered: Vec<Vec<T>> = some.clone().into_par_iter().map(render).collect();
            for (b, pixels) in some.zip(&rendered) {
                let (i, j) = (place(b).0 * side, (place(b).1 * side).max(rows.start) - rows.start);
                let columns = side.min(width - i) as usize;
                for (row, pixels) in (j as usize..).zip(pixels.chunks(columns)) {
                    let start = row * width as usize + i as usize;
                    all[start..start + columns].copy_from_slice(pixels);
                }
            }
        }
        all
    }

    /// One block: those of its pixels that lie in `wanted` rows of the picture, row by row. The
    /// others are rendered too, for cells follow all the paint that they hold.
    fn block<T>(
        &self,
        (block_i, block_j): (u32, u32),
        wanted: &Range<u32>,
        pixel: impl Fn(&[u32], (u32, u32)) -> T,
    ) -> Vec<T> {
        let (side, n) = (self.block_px(), self.samples);
        let span = |start: u32, end: u32| start.min(end)..(start + side).min(end);
        let columns = span(block_i * side, self.view.width_px);
        let rows = span(block_j * side, self.view.height_px);
        let window = Window {
            columns: columns.start * n..columns.end * n,
            rows: rows.start * n..rows.end * n,
        };
        let owners = self.engine.owners(&window);
        let wanted = wanted.start.max(rows.start)..wanted.end.min(rows.end);
        let mut out = Vec::with_capacity(columns.len() * wanted.len());
        for j in wanted.start - rows.start..wanted.end - rows.start {
            for i in 0..columns.len() as u32 {
                out.push(pixel(&owners, (i, j)));
            }
        }
        out
    }

    /// Mean colour of a pixel's samples.
    fn mean(&self, owners: &[u32], (i, j): (u32, u32)) -> [f32; 4] {
        let n = self.samples;
        let mut sum = [0.0; 4];
        for y in j * n..(j + 1) * n {
            let row = (y * BLOCK_PX + i * n) as usize;
            for owner in &owners[row..row + n as usize] {
                for (total, value) in sum.iter_mut().zip(self.colours[*owner as usize]) {
                    *total += value;
                }
            }
        }
        sum.map(|total| total / (n * n) as f32)
    }
}

/// The most rows of a strip in a picture of some width.
fn most_rows(width_px: u32) -> u32 {
    let row_bytes = u64::from(width_px) * size_of::<[f32; 4]>() as u64;
    (STRIP_BYTES / row_bytes).clamp(1, u64::from(BLOCK_PX)) as u32
}

fn opaque(colour: Colour) -> [f32; 4] {
    [colour[0] as f32, colour[1] as f32, colour[2] as f32, 1.0]
}

fn check_line_source(view: &View, strokes: usize) -> Result<()> {
    let pixels = u64::from(view.width_px) * u64::from(view.height_px);
    let work = pixels.saturating_mul(strokes as u64);
    if work <= MAX_LINE_SOURCE_WORK {
        return Ok(());
    }
    Err(Error::limit(
        format!(
            "the line source is integrated step by step, and {work} samples times strokes are too many"
        ),
        format!("{MAX_LINE_SOURCE_WORK}"),
    ))
}
