//! What is left of the picture while it is peeled: sample points, where they lie
//! under the strokes chosen so far, and what the paint about them looks like.

use super::blur::{BARE_LOSS, Blur};
use super::search::MidCapsule;
use crate::cells::bits;
use crate::error::{Error, Result};
use crate::fit::Target;
use crate::fit::mean::Mean;
use crate::numbers::lanes::{LANES, Lanes};
use crate::numbers::{Vec2, vec2};
use crate::parallel::map_mut;
use crate::stroke::{Frame, Hard, vectorized};
use crate::tool::{Move, Tool};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Vectors of points that one task takes through a batch of strokes.
const CHUNK: usize = 256;

/// A sample point's colour, and how much it matters.
#[derive(Clone, Copy, Default)]
pub(super) struct Sample {
    pub colour: [f32; 3],
    pub weight: f32,
    /// The pixel of the picture that it is.
    pixel: u32,
    /// Is it to stay unpainted?
    pub bare: bool,
}

/// Points that are left of a sheet, to be kept: their pixels, and where they are, as bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Points {
    pixels: Vec<u32>,
    x: Vec<u32>,
    y: Vec<u32>,
}

impl Points {
    /// Does every point have a place?
    pub fn is_whole(&self) -> bool {
        self.pixels.len() == self.x.len() && self.pixels.len() == self.y.len()
    }
}

/// Points in the order of the cells they lie in.
#[derive(Default)]
pub(super) struct PointSheet {
    pub x: Vec<f32>,
    pub y: Vec<f32>,
    pub samples: Vec<Sample>,
    /// Which points of each vector of sixteen are left.
    live: Vec<u16>,
    /// What a point would gain by being painted: the square of how far its colour is from
    /// that of the paint about it, times its weight.
    pub gain: Vec<f32>,
    /// The cells, square; empty before the first [`PointSheet::sort`].
    pub cells: Cells,
    /// Points at the start.
    total: usize,
    /// Are some to stay unpainted?
    some_bare: bool,
}

/// A grid of square cells over the points.
#[derive(Default)]
pub(super) struct Cells {
    pub origin: Vec2<f32>,
    pub per_side: f32,
    pub across: usize,
    pub down: usize,
    /// Where each cell's points begin; one more than there are cells.
    starts: Vec<u32>,
}

impl PointSheet {
    /// The picture's pixels as points: all of them where they lay before some tools, or those
    /// that are left where they have come to.
    pub fn new(target: &Target, tools: &[Tool], left: Option<&Points>) -> Result<Self> {
        let view = target.view();
        let (total, some_bare) = (view.pixels(), target.bare().is_some());
        let mut sheet = Self { total, some_bare, ..Self::default() };
        let sample = |pixel: u32| {
            let at = pixel as usize;
            let colour = target.image().pixels()[at].map(|c| c as f32);
            Sample { colour, weight: target.weights()[at], pixel, bare: target.is_bare(at) }
        };
        match left {
            None => {
                let moves: Vec<Move<f64>> = tools.iter().flat_map(Tool::moves).collect();
                for pixel in 0..total as u32 {
                    let centre = view.centre(pixel % view.width_px, pixel / view.width_px);
                    let before = moves.iter().rev().fold(centre, |x, tool| tool.psi(x));
                    sheet.x.push(before.x as f32);
                    sheet.y.push(before.y as f32);
                    sheet.samples.push(sample(pixel));
                }
            }
            Some(points) => {
                if points.pixels.iter().any(|pixel| *pixel as usize >= total) {
                    let message = "the checkpoint has pixels that the picture does not have";
                    return Err(Error::Request(message.into()));
                }
                sheet.x = points.x.iter().copied().map(f32::from_bits).collect();
                sheet.y = points.y.iter().copied().map(f32::from_bits).collect();
                sheet.samples = points.pixels.iter().copied().map(sample).collect();
            }
        }
        sheet.pad();
        Ok(sheet)
    }

    /// The points that are left, in their order.
    pub fn left_points(&self) -> Points {
        let left = self.left();
        let bits = |values: &[f32]| left.iter().map(|k| values[*k as usize].to_bits()).collect();
        Points {
            pixels: left.iter().map(|k| self.samples[*k as usize].pixel).collect(),
            x: bits(&self.x),
            y: bits(&self.y),
        }
    }

    /// Fills the last vector up with points that are not live.
    fn pad(&mut self) {
        let points = self.x.len();
        self.live = vec![u16::MAX; points.div_ceil(LANES)];
        let rest = points % LANES;
        if rest != 0 {
            *self.live.last_mut().expect("there is a vector") = (1 << rest) - 1;
            let padded = points + LANES - rest;
            self.x.resize(padded, 0.0);
            self.y.resize(padded, 0.0);
            self.samples.resize(padded, Sample::default());
        }
    }

    /// Points that are left to paint.
    pub fn points(&self) -> usize {
        let mut points = 0;
        for (live, samples) in self.live.iter().zip(self.samples.chunks(LANES)) {
            points += live.count_ones() as usize;
            if self.some_bare {
                for lane in bits(u32::from(*live)) {
                    points -= usize::from(samples[lane].bare);
                }
            }
        }
        points
    }

    /// The share of the picture that is left.
    pub fn share(&self) -> f64 {
        self.points() as f64 / self.total as f64
    }

    /// Puts the points that are left in the order of square cells, and compares each
    /// with the paint within `blur` cells about it.
    pub fn sort(&mut self, side: f32, blur: usize) {
        self.sort_into_cells(side);
        let blur = Blur::new(self, blur);
        let gain = |k: usize| blur.gain(vec2(self.x[k], self.y[k]), self.samples[k]);
        self.gain = (0..self.x.len()).into_par_iter().with_min_len(4096).map(gain).collect();
        self.pad();
    }

    /// Puts the points that are left in the order of square cells; what each would gain is the
    /// error of its pixel.
    pub fn sort_by_error(&mut self, side: f32, errors: &[f32]) {
        self.sort_into_cells(side);
        let gain = |sample: &Sample| match sample.bare {
            true => -BARE_LOSS,
            false => errors[sample.pixel as usize],
        };
        self.gain = self.samples.iter().map(gain).collect();
        self.pad();
    }

    /// Puts the points that are left in the order of square cells.
    fn sort_into_cells(&mut self, side: f32) {
        let left: Vec<u32> = self.left();
        self.cells = Cells::over(&left, &self.x, &self.y, side);
        let cell_of = |k: &u32| self.cells.at(vec2(self.x[*k as usize], self.y[*k as usize]));
        let cells: Vec<u32> =
            left.par_iter().map(|k| self.cells.index(cell_of(k)) as u32).collect();
        let order = self.cells.sorted(&left, &cells);
        self.x = order.iter().map(|k| self.x[*k as usize]).collect();
        self.y = order.iter().map(|k| self.y[*k as usize]).collect();
        self.samples = order.iter().map(|k| self.samples[*k as usize]).collect();
    }

    fn left(&self) -> Vec<u32> {
        let mut left = Vec::with_capacity(self.x.len());
        for (vector, live) in self.live.iter().enumerate() {
            for lane in bits(u32::from(*live)) {
                left.push((vector * LANES + lane) as u32);
            }
        }
        left
    }

    /// Lays strokes one after the other: takes the points that they cover and pulls the
    /// others back. Gives the mean colour of what each has taken.
    pub fn lay<V: Lanes<Scalar = f32>>(
        &mut self,
        simd: V::Simd,
        kernel: &dyn Hard<V>,
        strokes: &[Frame<f32>],
    ) -> Vec<Mean> {
        let splat = |stroke: &Frame<f32>| vectorized!(simd, stroke.splat::<V>(simd));
        let strokes: Vec<Frame<V>> = strokes.iter().map(splat).collect();
        let points = CHUNK * LANES;
        let places = self.x.chunks_mut(points).zip(self.y.chunks_mut(points));
        let samples = self.samples.chunks(points);
        let mut chunks: Vec<_> = places.zip(self.live.chunks_mut(CHUNK)).zip(samples).collect();
        let parts = map_mut(&mut chunks, |(((x, y), live), samples)| {
            vectorized!(simd, lay_chunk(simd, kernel, &strokes, (x, y), live, samples))
        });
        let total = |k: usize| parts.iter().fold(Mean::default(), |sum, part| sum.plus(part[k]));
        (0..strokes.len()).map(total).collect()
    }

    /// The pixels whose points lie in a capsule.
    pub fn pixels_under(&self, capsule: &MidCapsule) -> Vec<u32> {
        let (mid, reach) = (capsule.mid, capsule.reach());
        let corner = |sign: f64| {
            self.cells.at(vec2((mid.x + sign * reach) as f32, (mid.y + sign * reach) as f32))
        };
        let ((left, top), (right, bottom)) = (corner(-1.0), corner(1.0));
        let mut pixels = Vec::new();
        for row in top..=bottom {
            for k in self.row(left..right + 1, row) {
                if capsule.holds(vec2(f64::from(self.x[k]), f64::from(self.y[k]))) {
                    pixels.push(self.samples[k].pixel);
                }
            }
        }
        pixels
    }

    /// The points in some cells of one row.
    pub fn row(&self, columns: Range<usize>, row: usize) -> Range<usize> {
        let first = row * self.cells.across;
        let start = |column: usize| self.cells.starts[first + column] as usize;
        start(columns.start)..start(columns.end)
    }
}

/// Takes vectors of points through the strokes.
#[inline(always)]
fn lay_chunk<V: Lanes<Scalar = f32>>(
    simd: V::Simd,
    kernel: &dyn Hard<V>,
    strokes: &[Frame<V>],
    (x, y): (&mut [f32], &mut [f32]),
    live: &mut [u16],
    samples: &[Sample],
) -> Vec<Mean> {
    let mut taken = vec![Mean::default(); strokes.len()];
    let places = x.as_chunks_mut::<LANES>().0.iter_mut().zip(y.as_chunks_mut::<LANES>().0);
    let samples = samples.as_chunks::<LANES>().0;
    for (((x, y), live), samples) in places.zip(live).zip(samples) {
        let mut at = vec2(V::load(simd, x), V::load(simd, y));
        for (stroke, taken) in strokes.iter().zip(&mut taken) {
            if *live == 0 {
                break;
            }
            let (covered, before) = kernel.step(simd, stroke, at);
            for lane in bits(covered & u32::from(*live)) {
                let Sample { colour, weight, .. } = samples[lane];
                taken.add(colour.map(f64::from), f64::from(weight));
            }
            *live &= !(covered as u16);
            at = before;
        }
        *x = at.x.to_array();
        *y = at.y.to_array();
    }
    taken
}

impl Cells {
    /// Cells of a given side over the points that `left` names.
    fn over(left: &[u32], x: &[f32], y: &[f32], side: f32) -> Self {
        let (mut low, mut high) = (vec2(f32::MAX, f32::MAX), vec2(f32::MIN, f32::MIN));
        for k in left {
            let (x, y) = (x[*k as usize], y[*k as usize]);
            low = vec2(low.x.min(x), low.y.min(y));
            high = vec2(high.x.max(x), high.y.max(y));
        }
        let count = |from: f32, to: f32| ((to - from) / side).max(0.0) as usize + 1;
        let (across, down) = (count(low.x, high.x), count(low.y, high.y));
        Self { origin: low, per_side: 1.0 / side, across, down, starts: Vec::new() }
    }

    /// Column and row of the cell at a point, or of the one nearest to it.
    pub fn at(&self, p: Vec2<f32>) -> (usize, usize) {
        let place = |v: f32, count: usize| (v.max(0.0) as usize).min(count - 1);
        let column = place((p.x - self.origin.x) * self.per_side, self.across);
        (column, place((p.y - self.origin.y) * self.per_side, self.down))
    }

    pub fn index(&self, (column, row): (usize, usize)) -> usize {
        row * self.across + column
    }

    /// Points in the order of their cells; fills `starts`.
    fn sorted(&mut self, points: &[u32], cells: &[u32]) -> Vec<u32> {
        self.starts = vec![0; self.across * self.down + 1];
        for cell in cells {
            self.starts[*cell as usize + 1] += 1;
        }
        for k in 1..self.starts.len() {
            self.starts[k] += self.starts[k - 1];
        }
        let mut next = self.starts.clone();
        let mut order = vec![0; points.len()];
        for (point, cell) in points.iter().zip(cells) {
            let place = &mut next[*cell as usize];
            order[*place as usize] = *point;
            *place += 1;
        }
        order
    }
}
