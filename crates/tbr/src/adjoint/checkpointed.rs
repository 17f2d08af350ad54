//! Whole-image states every few strokes; between them, states are computed
//! again. With one segment of all strokes, every state is kept: that is
//! [`Engine::Stored`](super::Engine::Stored).

use super::PixelLoss;
use super::chain::{Met, SoftKernel, SoftStroke, State, StateGrad, StrokeGrad, soft_kernel};
use super::part::Part;
use super::scene::{Outcome, Scene};
use crate::lanes::{LANES, Lanes};
use fearless_simd::Simd;
use rayon::prelude::*;
use std::ops::Range;

/// Vectors of pixels that one task takes through a segment: enough to share the
/// sums over lanes, few enough to share out.
pub(super) const CHUNK: usize = 64;

/// A chunk of the picture's pixels, with what is kept of its states.
struct Chunk<V: Lanes> {
    first_pixel: usize,
    /// Now.
    states: Vec<State<V>>,
    /// At the start of each segment.
    checkpoints: Vec<Vec<State<V>>>,
    /// Before each stroke of the current segment.
    segment: Vec<Vec<Met<V>>>,
    adjoints: Vec<StateGrad<V>>,
}

/// Loss, its gradient and the picture.
pub(super) fn gradient<V: Lanes>(
    simd: V::Simd,
    scene: &Scene,
    interval: usize,
    loss: &PixelLoss,
) -> Outcome {
    let strokes = scene.soft_strokes::<V::Scalar>();
    let kernel = soft_kernel::<V>(scene.operator);
    let segments = segments(strokes.len(), interval);
    let mut chunks = chunks::<V>(simd, scene);
    chunks.par_iter_mut().for_each(|chunk| {
        for segment in &segments {
            chunk.checkpoints.push(chunk.states.clone());
            simd.vectorize(
                #[inline(always)]
                || chunk.forward(simd, kernel, &strokes[segment.clone()], false),
            );
        }
    });
    let mut outcome = finish(simd, scene, &mut chunks, loss);
    for segment in segments.iter().rev() {
        let part = &strokes[segment.clone()];
        chunks.par_iter_mut().for_each(|chunk| {
            chunk.states = chunk.checkpoints.pop().unwrap_or_default();
            simd.vectorize(
                #[inline(always)]
                || chunk.forward(simd, kernel, part, true),
            );
        });
        let sums: Vec<Vec<StrokeGrad<f64>>> = chunks
            .par_iter_mut()
            .map(|chunk| {
                simd.vectorize(
                    #[inline(always)]
                    || chunk.backward(simd, kernel, part),
                )
            })
            .collect();
        for (k, i) in segment.clone().enumerate() {
            let total = add_up(sums.iter().map(|chunk| chunk[k]));
            outcome.gradient.set(i, &scene.shapes[i], &total);
        }
    }
    outcome
}

/// Ranges of strokes, the last first, of `interval` strokes each.
fn segments(strokes: usize, interval: usize) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut end = strokes;
    while end > 0 {
        let start = end.saturating_sub(interval);
        all.push(start..end);
        end = start;
    }
    all
}

fn chunks<V: Lanes>(simd: V::Simd, scene: &Scene) -> Vec<Chunk<V>> {
    let vectors = scene.pixels().div_ceil(LANES);
    let chunk = |first: usize| {
        let range = first..(first + CHUNK).min(vectors);
        let states: Vec<_> = range
            .map(|v| State::start(scene.positions::<V>(simd, |lane| v * LANES + lane)))
            .collect();
        Chunk {
            first_pixel: first * LANES,
            states,
            checkpoints: Vec::new(),
            segment: Vec::new(),
            adjoints: Vec::new(),
        }
    };
    (0..vectors).step_by(CHUNK).map(chunk).collect()
}

/// Takes the loss of the finished picture and starts every pixel's way back.
fn finish<V: Lanes>(
    simd: V::Simd,
    scene: &Scene,
    chunks: &mut [Chunk<V>],
    loss: &PixelLoss,
) -> Outcome {
    let mut outcome = Outcome::empty(scene);
    let finish = |chunk: &mut Chunk<V>| {
        let mut part = Part::default();
        for (k, state) in chunk.states.iter().enumerate() {
            let first = chunk.first_pixel + k * LANES;
            let pixel_of = |lane: usize| Some(first + lane).filter(|p| *p < scene.pixels());
            chunk.adjoints.push(part.finish(simd, scene, state, pixel_of, loss));
        }
        part
    };
    for part in chunks.par_iter_mut().map(finish).collect::<Vec<_>>() {
        part.add_to(&mut outcome);
    }
    outcome
}

pub(super) fn add_up(parts: impl Iterator<Item = StrokeGrad<f64>>) -> StrokeGrad<f64> {
    parts.fold(StrokeGrad::<f64>::zero_f64(), StrokeGrad::plus)
}

impl<V: Lanes> Chunk<V> {
    /// Takes the pixels through strokes, the last first, keeping every state or none.
    #[inline(always)]
    fn forward(
        &mut self,
        simd: V::Simd,
        kernel: &dyn SoftKernel<V>,
        strokes: &[SoftStroke<V::Scalar>],
        keep: bool,
    ) {
        self.segment.clear();
        for stroke in strokes.iter().rev() {
            if keep {
                self.segment.push(self.states.iter().map(State::met).collect());
            }
            kernel.meet(simd, &stroke.splat(simd), &mut self.states);
        }
    }

    /// And back: the sums over this chunk for each stroke.
    #[inline(always)]
    fn backward(
        &mut self,
        simd: V::Simd,
        kernel: &dyn SoftKernel<V>,
        strokes: &[SoftStroke<V::Scalar>],
    ) -> Vec<StrokeGrad<f64>> {
        let zero = V::splat(simd, V::Scalar::default());
        let kept = self.segment.iter().rev();
        let mut sums = Vec::with_capacity(strokes.len());
        for (stroke, met) in strokes.iter().zip(kept) {
            let mut sum = StrokeGrad::zero(zero);
            kernel.unmeet(simd, &stroke.splat(simd), met, &mut self.adjoints, &mut sum);
            sums.push(sum.sum());
        }
        sums
    }
}
