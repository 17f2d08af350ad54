//! Peeling: a program is constructed from its last stroke to its first.
//!
//! The chain is walked from the last stroke to the first, and passing a stroke takes
//! its deposit away and closes the sheet over it. So strokes are chosen in that
//! order: a capsule over paint of nearly one colour; the points it covers are
//! taken; the others are pulled back through `psi`; the next is chosen on what is
//! left. Every stroke covers what no later one covers, so every stroke is seen,
//! and the whole program lays down about one canvas of paint.

mod blur;
mod mend;
mod peeling;
mod search;
mod sheet;

pub(super) use mend::{Birth, mend};
pub use peeling::{PeelStep, Peeling};

use super::Target;
use super::mean::Mean;
use crate::error::{Error, Result};
use crate::numbers::lanes::Lanes;
use crate::numbers::{Vec2, vec2};
use crate::parallel;
use crate::program::{Colour, nearest};
use crate::stroke::Operator;
use crate::stroke::{Frame, Hard, Shape, vectorized};
use crate::tool::Tool;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use search::{Aim, Candidate, Neighbours, reach_of_all};
use serde::{Deserialize, Serialize};
use sheet::PointSheet;
use std::collections::HashMap;

/// How a picture is peeled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeelOptions {
    /// Longer side of the grid of points. More see finer detail; time grows with
    /// their number.
    pub points: u32,
    /// Share of the mean area that the first strokes chosen (the last laid) get; the rest
    /// rise to 1. Less leaves more area for later, larger strokes.
    pub first_area: f64,
    /// How much a stroke's own error counts against what it gains. More takes safer,
    /// smaller patches.
    pub strictness: f64,
    /// What area costs at first, as a share of what it has gained so far; it falls to
    /// nothing. More favours small strokes where there is detail.
    pub price: f64,
    /// Places that are looked at for each stroke. More is slower and greedier.
    pub seeds: usize,
}

impl Default for PeelOptions {
    fn default() -> Self {
        Self { points: 512, first_area: 0.35, strictness: 1.0, price: 0.5, seeds: 32 }
    }
}

impl PeelOptions {
    /// Refuses what peeling could not end with, or would not begin with.
    pub(super) fn check(&self) -> Result<()> {
        let request = |message: String| Err(Error::Request(message));
        let (points, seeds) = (self.points, self.seeds);
        if !(1..=MAX_POINTS).contains(&points) {
            return request(format!("{points} points a side are not between 1 and {MAX_POINTS}"));
        }
        if !(1..=MAX_SEEDS).contains(&seeds) {
            return request(format!("{seeds} seeds a stroke are not between 1 and {MAX_SEEDS}"));
        }
        let first = self.first_area;
        if !(first > 0.0 && first <= 1.0) {
            return request(format!("the first area {first} is not above 0 and at most 1"));
        }
        if ![self.strictness, self.price].iter().all(|v| *v >= 0.0 && v.is_finite()) {
            return request("strictness and price are finite, and neither is negative".into());
        }
        Ok(())
    }
}

/// The most points a side: as many as the largest picture that is fitted has pixels.
const MAX_POINTS: u32 = 8192;
/// The most places that are looked at for a stroke.
const MAX_SEEDS: usize = 10_000;

/// The program that peeling is to construct.
#[derive(Clone, Debug)]
pub struct PeelJob<'a> {
    /// How many strokes to lay.
    pub strokes: usize,
    /// How they move paint.
    pub operator: Operator,
    /// Drops only.
    pub drops: bool,
    /// May strokes bend?
    pub bends: bool,
    /// The colours there are; empty for any.
    pub palette: &'a [Colour],
    /// Tools that come after all strokes: what is peeled is the picture before them.
    pub tools: &'a [Tool],
    /// Seed of the random numbers.
    pub seed: u64,
}

/// The result of peeling.
#[derive(Clone, Debug)]
pub struct Peeled {
    /// Shapes in the order in which they are laid.
    pub shapes: Vec<Shape>,
    /// Their colours.
    pub colours: Vec<Colour>,
    /// What was left when all strokes were laid, as a colour.
    pub background: Colour,
}

/// Strokes that are chosen on the same sheet, at most, or one in so many of all: they lie apart,
/// so that none would have been chosen otherwise had the others been laid before. (Each time,
/// all points are sorted anew: with eight of 64,000 strokes, that was most of the time.)
const MOST_AT_ONCE: usize = 8;
const AT_ONCE_OF_ALL: usize = 500;
/// And at most one in so many of those to come.
const AT_ONCE_SHARE: usize = 40;
/// How far apart, in the sum of their reaches: 1 would let them touch.
const APART: f64 = 1.5;
/// Points that are drawn for each seed that is kept: those with the most to gain.
const POOL: usize = 8;
/// Side of a cell and radius of the blur, in square roots of a stroke's area.
const CELL: f64 = 0.5;
const BLUR: f64 = 1.5;
/// Half-width of a drop that no pixel sees, canvas units.
const UNSEEN: f64 = 1e-6;
/// How far a stroke may move and grow while it is refined, beyond its reach.
const REFINED_REACH: f64 = 2.0;

/// Peels a picture, in one go.
pub fn peel(target: &Target, job: &PeelJob, options: &PeelOptions) -> Result<Peeled> {
    let mut peeling = Peeling::new(job, options)?;
    loop {
        match peeling.step(target, job, options)? {
            PeelStep::More(rest) => peeling = rest,
            PeelStep::Done(peeled) => return Ok(peeled),
        }
    }
}

struct Peel<'a, V: Lanes<Scalar = f32>> {
    simd: V::Simd,
    kernel: &'static dyn Hard<V>,
    job: &'a PeelJob<'a>,
    options: &'a PeelOptions,
    sheet: PointSheet,
    /// Area of the canvas.
    canvas: f64,
    background: Colour,
    rng: ChaCha8Rng,
    /// Chosen so far, the last laid first.
    shapes: Vec<Shape>,
    colours: Vec<Colour>,
    /// What all have gained, and their area.
    gained: f64,
    laid: f64,
}

impl<'a, V: Lanes<Scalar = f32>> Peel<'a, V> {
    /// Goes on with what has been peeled.
    fn new(
        simd: V::Simd,
        target: &Target,
        job: &'a PeelJob,
        options: &'a PeelOptions,
        peeling: Peeling,
    ) -> Result<Self> {
        let Peeling { shapes, colours, gained, laid, drawn, left, .. } = peeling;
        let mut rng = ChaCha8Rng::seed_from_u64(job.seed);
        rng.set_word_pos(u128::from(drawn));
        Ok(Self {
            simd,
            kernel: job.operator.hard(),
            job,
            options,
            sheet: PointSheet::new(target, job.tools, left.as_ref())?,
            canvas: target.height(),
            background: target.mean(),
            rng,
            shapes,
            colours,
            gained,
            laid,
        })
    }

    /// What is kept of it.
    fn pause(self) -> Peeling {
        Peeling {
            drawn: self.rng.get_word_pos() as u64,
            left: Some(self.sheet.left_points()),
            shapes: self.shapes,
            colours: self.colours,
            gained: self.gained,
            laid: self.laid,
            ..Peeling::default()
        }
    }

    /// Are all strokes chosen, or is nothing left to paint?
    fn is_done(&self) -> bool {
        self.shapes.len() >= self.job.strokes || self.sheet.points() == 0
    }

    /// Chooses some strokes, and lays them.
    fn round(&mut self) {
        let area = self.area_due();
        self.sheet.sort((CELL * area.sqrt()) as f32, (BLUR / CELL) as usize);
        let left = 1.0 - self.shapes.len() as f64 / self.job.strokes as f64;
        let price = self.options.price * left * self.gained / self.laid.max(area);
        let aim = Aim {
            area,
            price,
            strictness: self.options.strictness,
            drops: self.job.drops,
            bends: self.job.bends,
            palette: self.job.palette,
        };
        let left = self.job.strokes - self.shapes.len();
        let most = MOST_AT_ONCE.max(self.job.strokes / AT_ONCE_OF_ALL);
        let chosen = self.choose(&aim, most.min(left.div_ceil(AT_ONCE_SHARE)));
        self.lay(&chosen);
    }

    /// The strokes, and a colour for what is left.
    fn finish(mut self) -> Peeled {
        self.fill_up();
        self.background = self.left_over();
        self.shapes.reverse();
        self.colours.reverse();
        Peeled { shapes: self.shapes, colours: self.colours, background: self.background }
    }

    /// The mean area of the strokes that come next.
    fn area_due(&self) -> f64 {
        let (done, all) = (self.shapes.len() as f64, self.job.strokes as f64);
        let ramp = self.options.first_area + (1.0 - self.options.first_area) * done / all;
        ramp * self.sheet.share() * self.canvas / (all - done)
    }

    /// The best strokes that lie apart, at most `count`.
    fn choose(&mut self, aim: &Aim, count: usize) -> Vec<Candidate> {
        let (simd, sheet) = (self.simd, &self.sheet);
        let reach = reach_of_all(aim.area);
        let seeds = seeds(&mut self.rng, sheet, count * self.options.seeds);
        let mut found = parallel::map(seeds.len(), |k| {
            vectorized!(simd, Neighbours::<V>::gather(simd, sheet, seeds[k], reach).best(simd, aim))
        });
        found.sort_by(|a, b| b.worth.total_cmp(&a.worth));
        let apart = apart(&found, count);
        parallel::map(apart.len(), |k| {
            let candidate = &apart[k];
            let number = (self.shapes.len() + k) as u64;
            let mut rng = ChaCha8Rng::seed_from_u64(self.job.seed ^ (number << 32));
            let (mid, reach) = (candidate.capsule.mid, REFINED_REACH * candidate.capsule.reach());
            vectorized!(simd, {
                let about = Neighbours::<V>::gather(simd, sheet, mid, reach);
                about.refined(simd, *candidate, aim, &mut rng)
            })
        })
    }

    /// Lays strokes, the first of them last in the program.
    fn lay(&mut self, chosen: &[Candidate]) {
        let mut frames: Vec<Frame<f32>> = Vec::new();
        for candidate in chosen {
            let shape = self.carried(candidate.capsule.shape(), &frames);
            self.gained += candidate.gain.max(0.0);
            self.laid += shape.area();
            frames.push(Frame::of(&shape).map(|v| v as f32));
            self.shapes.push(shape);
        }
        for taken in self.sheet.lay(self.simd, self.kernel, &frames) {
            self.colours.push(self.colour(&taken));
        }
    }

    /// A shape with both ends pulled back through strokes, and its middle if it bends.
    fn carried(&self, shape: Shape, strokes: &[Frame<f32>]) -> Shape {
        let carry = |end: Vec2<f64>| vectorized!(self.simd, self.carried_point(end, strokes));
        if shape.bend != 0.0 && shape.length() > 0.0 {
            let skeleton = shape.skeleton().map(carry);
            return Shape::through(skeleton, shape.half_width).with_area(shape.area());
        }
        let (start, end) = (carry(shape.anchor), carry(shape.anchor + shape.offset));
        let offset = if shape.length() > 0.0 { end - start } else { shape.offset };
        Shape { anchor: start, offset, ..shape }.with_area(shape.area())
    }

    #[inline(always)]
    fn carried_point(&self, at: Vec2<f64>, strokes: &[Frame<f32>]) -> Vec2<f64> {
        let simd = self.simd;
        let mut at = vec2(V::splat(simd, at.x as f32), V::splat(simd, at.y as f32));
        for stroke in strokes {
            at = self.kernel.psi(simd, &stroke.splat(simd), at);
        }
        vec2(f64::from(at.x.to_array()[0]), f64::from(at.y.to_array()[0]))
    }

    /// The colour of a stroke that has taken something.
    fn colour(&self, taken: &Mean) -> Colour {
        let mean = taken.get().unwrap_or(self.background);
        nearest(self.job.palette, mean).map_or(mean, |k| self.job.palette[k])
    }

    /// Where the sheet ran out before the strokes did: drops too small to see, beside
    /// the canvas's middle, so that the count is exact.
    fn fill_up(&mut self) {
        let middle = vec2(0.5, 0.5 * self.canvas);
        let shape = Shape::drop(middle, UNSEEN);
        self.shapes.resize(self.job.strokes, shape);
        self.colours.resize(self.job.strokes, self.background);
    }

    /// The mean colour of what is left.
    fn left_over(&mut self) -> Colour {
        let whole = Shape::drop(vec2(0.5, 0.5), 100.0);
        let frame = Frame::of(&whole).map(|v| v as f32);
        let taken = self.sheet.lay(self.simd, self.kernel, &[frame]);
        self.colour(&taken[0])
    }
}

/// Places with much to gain.
fn seeds(rng: &mut ChaCha8Rng, sheet: &PointSheet, count: usize) -> Vec<Vec2<f64>> {
    let points = sheet.gain.len();
    let mut drawn: Vec<usize> = (0..count * POOL).map(|_| rng.random_range(0..points)).collect();
    drawn.sort_by(|a, b| sheet.gain[*b].total_cmp(&sheet.gain[*a]).then(a.cmp(b)));
    drawn.dedup();
    drawn.truncate(count);
    drawn.iter().map(|k| vec2(f64::from(sheet.x[*k]), f64::from(sheet.y[*k]))).collect()
}

/// The first candidates, at most `count`, of which no two touch.
fn apart(sorted: &[Candidate], count: usize) -> Vec<Candidate> {
    let clear = |one: &Candidate, other: &Candidate| {
        let distance = (one.capsule.mid - other.capsule.mid).norm();
        distance > APART * (one.capsule.reach() + other.capsule.reach())
    };
    // Those that touch are in cells side by side.
    let most = sorted.iter().map(|c| c.capsule.reach()).fold(0.0, f64::max);
    let per_side = 1.0 / (2.0 * APART * most);
    let cell_of =
        |at: Vec2<f64>| ((at.x * per_side).floor() as i64, (at.y * per_side).floor() as i64);
    let mut cells: HashMap<(i64, i64), Vec<usize>> = HashMap::new();
    let mut chosen: Vec<Candidate> = Vec::new();
    for candidate in sorted {
        if chosen.len() >= count {
            break;
        }
        let (i, j) = cell_of(candidate.capsule.mid);
        let about = (i - 1..=i + 1).flat_map(|i| (j - 1..=j + 1).map(move |j| (i, j)));
        let near = about.filter_map(|cell| cells.get(&cell)).flatten();
        if near.copied().all(|k| clear(candidate, &chosen[k])) {
            cells.entry((i, j)).or_default().push(chosen.len());
            chosen.push(*candidate);
        }
    }
    chosen
}
