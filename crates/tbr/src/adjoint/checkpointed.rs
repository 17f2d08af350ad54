//! The checkpointed adjoint: whole-image states are kept every few steps, and between them
//! states are computed again. With one segment of all steps, every state is kept: that is
//! [`Engine::Stored`](super::Engine::Stored).

use super::PixelLoss;
use super::chain::{Backward, Composite, CompositeGrad, Met, SoftKernel, soft_kernel};
use super::part::{Part, no_loss};
use super::scene::{Outcome, Scene};
use super::step::{SoftStep, StepGrad};
use crate::error::Result;
use crate::image::Image;
use crate::numbers::lanes::{LANES, Lanes};
use crate::numbers::{Vec2, vec2};
use crate::parallel::{Stop, map_mut, map_mut_until};
use crate::stroke::vectorized;
use std::ops::Range;

/// Vectors of pixels that one task takes through a segment: enough to share the
/// sums over lanes, few enough to share out.
pub(super) const CHUNK: usize = 64;

/// A chunk of the picture's pixels, with what is kept of its states.
struct Chunk<V: Lanes> {
    first_pixel: usize,
    /// Now.
    states: States<V>,
    /// At the start of each segment.
    checkpoints: Vec<States<V>>,
    /// Before each step of the current segment.
    segment: Vec<Vec<Met<V>>>,
    d_x: Vec<Vec2<V>>,
    d_composites: Vec<CompositeGrad<V>>,
}

/// Where pixels are and what they have seen.
#[derive(Clone)]
struct States<V: Lanes> {
    x: Vec<Vec2<V>>,
    composites: Vec<Composite<V>>,
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
    let segments = segments(steps.len(), interval);
    let mut chunks = all_chunks::<V>(simd, scene);
    // The states of the last segment are kept at once: it is the first to be gone back through.
    // (With one segment that is all of them, and nothing is computed again.)
    let last = segments.len().saturating_sub(1);
    map_mut_until(stop, &mut chunks, |chunk| {
        for (k, segment) in segments.iter().enumerate() {
            if k < last {
                chunk.checkpoints.push(chunk.states.clone());
            }
            vectorized!(simd, chunk.forward(simd, kernel, &steps[segment.clone()], k == last));
        }
    })?;
    let mut outcome = Outcome::empty(scene);
    let mut sums = Vec::with_capacity(steps.len());
    let parts = map_mut(&mut chunks, |chunk| vectorized!(simd, chunk.finish(simd, scene, loss)));
    parts.into_iter().for_each(|part| part.add_to(&mut outcome));
    for (k, segment) in segments.iter().enumerate().rev() {
        let steps = &steps[segment.clone()];
        let back = |chunk: &mut Chunk<V>| {
            if k < last
                && let Some(states) = chunk.checkpoints.pop()
            {
                chunk.states = states;
                vectorized!(simd, chunk.forward(simd, kernel, steps, true));
            }
            vectorized!(simd, chunk.backward(simd, kernel, steps))
        };
        add_up(&map_mut_until(stop, &mut chunks, back)?, &mut sums);
    }
    outcome.gradient.set(scene, &sums);
    Ok(outcome)
}

/// The picture alone: nothing is kept on the way.
pub(super) fn picture<V: Lanes>(simd: V::Simd, scene: &Scene, stop: &Stop) -> Result<Image> {
    let steps = scene.soft_steps::<V::Scalar>();
    let kernel = soft_kernel::<V>(scene.operator());
    let parts = map_mut_until(stop, &mut all_chunks::<V>(simd, scene), |chunk| {
        vectorized!(simd, chunk.forward(simd, kernel, &steps, false));
        vectorized!(simd, chunk.finish(simd, scene, &no_loss))
    })?;
    Ok(Part::image(scene, parts))
}

/// The whole picture's pixels before their first step.
fn all_chunks<V: Lanes>(simd: V::Simd, scene: &Scene) -> Vec<Chunk<V>> {
    scene.chunks(CHUNK).map(|vectors| Chunk::new(simd, scene, vectors)).collect()
}

/// Appends the sums over all parts of the picture for the steps that come next.
pub(super) fn add_up(parts: &[Vec<StepGrad<f64>>], sums: &mut Vec<StepGrad<f64>>) {
    let Some((first, others)) = parts.split_first() else { return };
    for (k, grad) in first.iter().enumerate() {
        sums.push(others.iter().fold(*grad, |sum, part| sum.plus(part[k])));
    }
}

/// Ranges of steps, the last first, of `interval` steps each.
fn segments(steps: usize, interval: usize) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut end = steps;
    while end > 0 {
        let start = end.saturating_sub(interval);
        all.push(start..end);
        end = start;
    }
    all
}

impl<V: Lanes> Chunk<V> {
    fn new(simd: V::Simd, scene: &Scene, vectors: Range<usize>) -> Self {
        let zero = V::splat(simd, V::Scalar::default());
        let position = |v: usize| scene.positions::<V>(simd, |lane| v * LANES + lane);
        Self {
            first_pixel: vectors.start * LANES,
            states: States {
                composites: vec![Composite::none(simd); vectors.len()],
                x: vectors.clone().map(position).collect(),
            },
            checkpoints: Vec::new(),
            segment: Vec::new(),
            d_x: vec![vec2(zero, zero); vectors.len()],
            d_composites: Vec::new(),
        }
    }

    /// Takes the pixels through steps, the last first, keeping every state or none.
    #[inline(always)]
    fn forward(
        &mut self,
        simd: V::Simd,
        kernel: &dyn SoftKernel<V>,
        steps: &[SoftStep<V::Scalar>],
        keep: bool,
    ) {
        self.segment.clear();
        let States { x, composites } = &mut self.states;
        for step in steps.iter().rev() {
            if keep {
                let mut met = Vec::with_capacity(x.len());
                for (x, composite) in x.iter().zip(&*composites) {
                    met.push(Met { x: *x, transmittance: composite.transmittance });
                }
                self.segment.push(met);
            }
            step.splat(simd).composite(simd, kernel, x, composites);
        }
    }

    /// Takes the loss of the finished pixels and starts their way back.
    #[inline(always)]
    fn finish(&mut self, simd: V::Simd, scene: &Scene, loss: &PixelLoss) -> Part {
        let mut part = Part::default();
        let composites = &self.states.composites;
        self.d_composites = part.finish_row(simd, scene, self.first_pixel, composites, loss);
        part
    }

    /// The backward pass over some steps: the sums over this chunk for each of them.
    #[inline(always)]
    fn backward(
        &mut self,
        simd: V::Simd,
        kernel: &dyn SoftKernel<V>,
        steps: &[SoftStep<V::Scalar>],
    ) -> Vec<StepGrad<f64>> {
        let kept = self.segment.iter().rev();
        let mut sums = Vec::with_capacity(steps.len());
        for (step, met) in steps.iter().zip(kept) {
            let (d_x, d_composites) = (&mut *self.d_x, &mut *self.d_composites);
            let back = Backward { d_x, d_composites, limit: None };
            sums.push(step.splat::<V>(simd).composite_vjp(simd, kernel, met, back).sum());
        }
        sums
    }
}
