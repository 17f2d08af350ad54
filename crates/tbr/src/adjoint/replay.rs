//! The paper's replay adjoint: on the way back, states are regenerated instead
//! of read. Positions by `phi`, transmittance in logarithms, colour by
//! subtraction, Eqs. (20) to (22); what `psi` has lost, in the deposits, comes
//! from a side table, and now and then positions are put right by a checkpoint.

use super::PixelLoss;
use super::chain::{Backward, Composite, CompositeGrad, Met, SoftKernel, SoftStroke, soft_kernel};
use super::checkpointed::{CHUNK, add_up};
use super::part::{Part, no_loss};
use super::scene::{Outcome, Scene, SideTable};
use super::step::{SoftStep, StepGrad};
use crate::cells::bits;
use crate::image::Image;
use crate::numbers::lanes::{LANES, Lanes, Scalar};
use crate::numbers::{Vec2, vec2};
use crate::parallel::{Stop, map_mut, map_mut_until};
use crate::stroke::{Regenerate, vectorized};
use crate::tool;
use crate::{Error, Result};
use std::ops::Range;
use std::sync::atomic::{AtomicIsize, Ordering};

/// The most that coverage counts for: nothing can be divided by what is left
/// beyond it. Fixed by the paper.
const MOST_COVERAGE: f64 = 1.0 - 1e-7;

/// The most bytes of a side table. (The paper's programs need 14 records a pixel: 180 MB for a
/// megapixel in f32. Programs can be written that need one for each stroke.)
const MAX_SIDE_TABLE: usize = 512 << 20;

/// Strokes whose sums are held for all chunks at once.
const SUMMED_TOGETHER: usize = 32;

/// A pixel's position where `psi` loses it.
#[derive(Clone, Copy)]
struct Record<S> {
    /// Vector and lane in the chunk.
    pixel: u16,
    x: [S; 2],
}

/// How many records there may be, counted down by all chunks.
struct Room(AtomicIsize);

impl Room {
    fn new(records: usize) -> Self {
        Self(AtomicIsize::new(records as isize))
    }

    fn take(&self, records: usize) {
        self.0.fetch_sub(records as isize, Ordering::Relaxed);
    }

    fn is_used_up(&self) -> bool {
        self.0.load(Ordering::Relaxed) < 0
    }
}

/// A chunk of the picture's pixels.
struct Chunk<V: Lanes> {
    first_pixel: usize,
    pixels: Vec<Pixels<V>>,
    d_x: Vec<Vec2<V>>,
    d_composites: Vec<CompositeGrad<V>>,
    /// A stack: the last stroke's records are at the bottom.
    records: Vec<Record<V::Scalar>>,
    /// How many records each stroke has, in the same order.
    counts: Vec<u16>,
    /// Positions before every so many strokes, the last stroke's at the bottom.
    checkpoints: Vec<Vec<Vec2<V>>>,
}

/// A vector of pixels: s_i of the paper with the transmittance in logarithms.
#[derive(Clone, Copy)]
struct Pixels<V> {
    x: Vec2<V>,
    colour: [V; 3],
    log_transmittance: V,
}

/// Loss, its gradient and the picture.
pub(super) fn gradient<V: Lanes>(
    simd: V::Simd,
    scene: &Scene,
    interval: usize,
    loss: &PixelLoss,
    stop: &Stop,
) -> Result<Outcome> {
    let steps = scene.soft_steps::<V::Scalar>();
    let kernel = soft_kernel::<V>(scene.operator());
    let maps = regenerate::<V>(scene)?;
    let mut chunks = all_chunks::<V>(simd, scene);
    let room = Room::new(MAX_SIDE_TABLE / size_of::<Record<V::Scalar>>());
    map_mut_until(stop, &mut chunks, |chunk| {
        vectorized!(simd, chunk.forward(simd, maps, &steps, interval, &room));
    })?;
    if room.is_used_up() {
        let limit = format!("{} MB", MAX_SIDE_TABLE >> 20);
        return Err(Error::limit("the replay adjoint's side table for this program", limit));
    }
    let mut outcome = Outcome::empty(scene);
    let parts = map_mut(&mut chunks, |chunk| vectorized!(simd, chunk.finish(simd, scene, loss)));
    parts.into_iter().for_each(|part| part.add_to(&mut outcome));
    outcome.side_table = side_table(&chunks);
    let mut sums = Vec::with_capacity(steps.len());
    for first in (0..steps.len()).step_by(SUMMED_TOGETHER) {
        let range = first..(first + SUMMED_TOGETHER).min(steps.len());
        let back = |chunk: &mut Chunk<V>| {
            vectorized!(simd, chunk.backward(simd, (kernel, maps), &steps, range.clone(), interval))
        };
        add_up(&map_mut_until(stop, &mut chunks, back)?, &mut sums);
    }
    outcome.gradient.set(scene, &sums);
    outcome.side_table.drift = chunks.iter().map(Chunk::drift).fold(0.0, f64::max);
    Ok(outcome)
}

/// The picture alone: nothing is recorded on the way.
pub(super) fn picture<V: Lanes>(simd: V::Simd, scene: &Scene, stop: &Stop) -> Result<Image> {
    let steps = scene.soft_steps::<V::Scalar>();
    let maps = regenerate::<V>(scene)?;
    let parts = map_mut_until(stop, &mut all_chunks::<V>(simd, scene), |chunk| {
        vectorized!(simd, chunk.look(simd, maps, &steps));
        vectorized!(simd, chunk.finish(simd, scene, &no_loss))
    })?;
    Ok(Part::image(scene, parts))
}

/// The maps of the scene's operator, both ways.
fn regenerate<V: Lanes>(scene: &Scene) -> Result<&'static dyn Regenerate<V>> {
    scene.operator().regenerate::<V>().ok_or_else(|| {
        Error::Request(
            "the replay adjoint is not made for sixteen drops: use another engine".into(),
        )
    })
}

/// The whole picture's pixels before their first step.
fn all_chunks<V: Lanes>(simd: V::Simd, scene: &Scene) -> Vec<Chunk<V>> {
    scene.chunks(CHUNK).map(|vectors| Chunk::new(simd, scene, vectors)).collect()
}

fn side_table<V: Lanes>(chunks: &[Chunk<V>]) -> SideTable {
    let sum = |size: fn(&Chunk<V>) -> usize| chunks.iter().map(size).sum::<usize>();
    let records = sum(|chunk| chunk.records.len());
    let bytes =
        records * size_of::<Record<V::Scalar>>() + sum(|c| size_of_val(c.counts.as_slice()));
    SideTable { records, bytes, drift: 0.0 }
}

impl<V: Lanes> Chunk<V> {
    fn new(simd: V::Simd, scene: &Scene, vectors: Range<usize>) -> Self {
        let zero = V::splat(simd, V::Scalar::default());
        let pixels = |vector: usize| Pixels {
            x: scene.positions::<V>(simd, |lane| vector * LANES + lane),
            colour: [zero; 3],
            log_transmittance: zero,
        };
        Self {
            first_pixel: vectors.start * LANES,
            pixels: vectors.clone().map(pixels).collect(),
            d_x: vec![vec2(zero, zero); vectors.len()],
            d_composites: Vec::new(),
            records: Vec::new(),
            counts: Vec::new(),
            checkpoints: Vec::new(),
        }
    }

    /// Takes the pixels through all steps, the last first.
    #[inline(always)]
    fn forward(
        &mut self,
        simd: V::Simd,
        maps: &dyn Regenerate<V>,
        steps: &[SoftStep<V::Scalar>],
        interval: usize,
        room: &Room,
    ) {
        for (index, step) in steps.iter().enumerate().rev() {
            if room.is_used_up() {
                return;
            }
            if is_checkpoint(index, interval) {
                self.checkpoints.push(self.pixels.iter().map(|p| p.x).collect());
            }
            let before = self.records.len();
            match step.splat(simd) {
                SoftStep::Stroke(stroke) => self.lay(simd, maps, &stroke),
                SoftStep::Move(tool) => {
                    for pixels in &mut self.pixels {
                        pixels.x = tool::lanewise::psi(simd, &tool, pixels.x);
                    }
                }
            }
            let count = self.records.len() - before;
            room.take(count);
            self.counts.push(count as u16);
        }
        self.records.shrink_to_fit();
    }

    /// Takes the pixels through all steps, the last first, and records nothing.
    #[inline(always)]
    fn look(&mut self, simd: V::Simd, maps: &dyn Regenerate<V>, steps: &[SoftStep<V::Scalar>]) {
        for step in steps.iter().rev() {
            let step = step.splat(simd);
            for pixels in &mut self.pixels {
                match &step {
                    SoftStep::Stroke(stroke) => pixels.composite(simd, maps, stroke),
                    SoftStep::Move(tool) => pixels.x = tool::lanewise::psi(simd, tool, pixels.x),
                }
            }
        }
    }

    /// Takes the pixels through one stroke, and records those that it loses.
    #[inline(always)]
    fn lay(&mut self, simd: V::Simd, maps: &dyn Regenerate<V>, stroke: &SoftStroke<V>) {
        for (vector, pixels) in self.pixels.iter_mut().enumerate() {
            let lost = maps.collapses(simd, &stroke.frame, pixels.x);
            if lost != 0 {
                record(&mut self.records, vector, lost, pixels.x);
            }
            pixels.composite(simd, maps, stroke);
        }
    }

    /// Takes the loss of the finished pixels and starts their way back.
    #[inline(always)]
    fn finish(&mut self, simd: V::Simd, scene: &Scene, loss: &PixelLoss) -> Part {
        let mut part = Part::default();
        let mut composites = Vec::with_capacity(self.pixels.len());
        for pixels in &self.pixels {
            composites.push(pixels.finished());
        }
        self.d_composites = part.finish_row(simd, scene, self.first_pixel, &composites, loss);
        part
    }

    /// The backward pass over some steps, the first first: the sums for each.
    #[inline(always)]
    fn backward(
        &mut self,
        simd: V::Simd,
        (kernel, maps): (&dyn SoftKernel<V>, &dyn Regenerate<V>),
        steps: &[SoftStep<V::Scalar>],
        range: Range<usize>,
        interval: usize,
    ) -> Vec<StepGrad<f64>> {
        let mut sums = Vec::with_capacity(range.len());
        let mut met = Vec::with_capacity(self.pixels.len());
        for index in range {
            let step = steps[index].splat(simd);
            self.regenerate_positions(simd, maps, &step, is_checkpoint(index, interval));
            met.clear();
            // A loop, not an iterator's `map`: that would not be inlined, and lose its
            // instruction set.
            for pixels in &mut self.pixels {
                met.push(match &step {
                    SoftStep::Stroke(stroke) => pixels.regenerate(simd, maps, stroke),
                    SoftStep::Move(_) => pixels.met(),
                });
            }
            let (d_x, d_composites) = (&mut *self.d_x, &mut *self.d_composites);
            let back = Backward { d_x, d_composites, limit: None };
            sums.push(step.composite_vjp(simd, kernel, &met, back).sum());
        }
        sums
    }

    /// x_i from x_{i-1}: by `phi`, by the side table, or from a checkpoint.
    #[inline(always)]
    fn regenerate_positions(
        &mut self,
        simd: V::Simd,
        maps: &dyn Regenerate<V>,
        step: &SoftStep<V>,
        checkpoint: bool,
    ) {
        let count = usize::from(self.counts.pop().unwrap_or(0));
        let records = self.records.split_off(self.records.len() - count);
        if checkpoint && let Some(kept) = self.checkpoints.pop() {
            for (pixels, x) in self.pixels.iter_mut().zip(kept) {
                pixels.x = x;
            }
            return;
        }
        for pixels in &mut self.pixels {
            pixels.x = match step {
                SoftStep::Stroke(stroke) => maps.phi(simd, &stroke.frame, pixels.x),
                SoftStep::Move(tool) => tool::lanewise::psi(simd, &tool.undone(), pixels.x),
            };
        }
        for Record { pixel, x: [x, y] } in records {
            let (vector, lane) = (usize::from(pixel) / LANES, u32::from(pixel) % LANES as u32);
            let only = V::mask(simd, 1 << lane);
            let at = vec2(V::splat(simd, x), V::splat(simd, y));
            let pixels = &mut self.pixels[vector];
            pixels.x = Vec2::select(only, at, pixels.x);
        }
    }

    /// The largest colour that is left when all has been taken away.
    fn drift(&self) -> f64 {
        let largest = |c: &V| c.abs().largest().to_f64();
        self.pixels.iter().flat_map(|p| p.colour.iter().map(largest)).fold(0.0, f64::max)
    }
}

/// Are positions kept before this stroke?
fn is_checkpoint(index: usize, interval: usize) -> bool {
    index % interval == interval - 1
}

/// Keeps the positions of the lanes that `lost` names.
#[inline(always)]
fn record<V: Lanes>(records: &mut Vec<Record<V::Scalar>>, vector: usize, lost: u32, x: Vec2<V>) {
    let (xs, ys) = (x.x.to_array(), x.y.to_array());
    for lane in bits(lost) {
        records.push(Record { pixel: (vector * LANES + lane) as u16, x: [xs[lane], ys[lane]] });
    }
}

impl<V: Lanes> Pixels<V> {
    #[inline(always)]
    fn finished(&self) -> Composite<V> {
        Composite { colour: self.colour, transmittance: self.log_transmittance.exp_negative() }
    }

    /// Where they are, with how much transmittance left.
    #[inline(always)]
    fn met(&self) -> Met<V> {
        Met { x: self.x, transmittance: self.log_transmittance.exp_negative() }
    }

    /// Composites a stroke, Eq. (18), with the transmittance in logarithms.
    #[inline(always)]
    fn composite(&mut self, simd: V::Simd, maps: &dyn Regenerate<V>, stroke: &SoftStroke<V>) {
        let (alpha, before) = maps.soft_step(simd, &stroke.frame, self.x, stroke.softness);
        let alpha = alpha.min(alpha.lit(MOST_COVERAGE));
        let weight = self.log_transmittance.exp_negative() * alpha;
        for (sum, c) in self.colour.iter_mut().zip(stroke.colour) {
            *sum = weight.mul_add(c, *sum);
        }
        self.log_transmittance = self.log_transmittance + (alpha.lit(1.0) - alpha).ln_unit();
        self.x = before;
    }

    /// Undoes [`Pixels::composite`] for pixels whose position has been regenerated,
    /// Eqs. (21) and (22).
    #[inline(always)]
    fn regenerate(
        &mut self,
        simd: V::Simd,
        maps: &dyn Regenerate<V>,
        stroke: &SoftStroke<V>,
    ) -> Met<V> {
        let alpha = maps.coverage(simd, &stroke.frame, self.x, stroke.softness);
        let alpha = alpha.min(alpha.lit(MOST_COVERAGE));
        let log = self.log_transmittance - (alpha.lit(1.0) - alpha).ln_unit();
        // Drift may leave a trace above 0, which no transmittance has.
        self.log_transmittance = log.min(log.zero());
        let transmittance = self.log_transmittance.exp_negative();
        let weight = transmittance * alpha;
        for (sum, c) in self.colour.iter_mut().zip(stroke.colour) {
            *sum = *sum - weight * c;
        }
        Met { x: self.x, transmittance }
    }
}
