//! Whole-image states every few strokes; between them, states are computed
//! again. With one segment of all strokes, every state is kept: that is
//! [`Engine::Stored`](super::Engine::Stored).

use super::PixelLoss;
use super::chain::{SoftStroke, State, StateGrad, StrokeGrad};
use super::scene::{Gradient, Outcome, Scene, SideTable};
use crate::lanes::{LANES, Lanes, Scalar};
use crate::program::Colour;
use crate::stroke::Transport;
use fearless_simd::Simd;
use rayon::prelude::*;
use std::ops::Range;

/// Vectors of pixels that one task takes through a segment: enough to share the
/// sums over lanes, few enough to share out.
const CHUNK: usize = 64;

/// A chunk of the picture's pixels, with what is kept of its states.
struct Chunk<V: Lanes> {
    first_pixel: usize,
    /// Now.
    states: Vec<State<V>>,
    /// At the start of each segment.
    checkpoints: Vec<Vec<State<V>>>,
    /// Before each stroke of the current segment.
    segment: Vec<Vec<State<V>>>,
    adjoints: Vec<StateGrad<V>>,
}

/// Loss, its gradient and the picture.
pub(super) fn gradient<V: Lanes, O: Transport>(
    simd: V::Simd,
    scene: &Scene,
    interval: usize,
    loss: &impl PixelLoss,
) -> Outcome {
    let strokes = scene.soft_strokes::<V::Scalar>();
    let segments = segments(strokes.len(), interval);
    let mut chunks = chunks::<V>(simd, scene);
    chunks.par_iter_mut().for_each(|chunk| {
        for segment in &segments {
            chunk.checkpoints.push(chunk.states.clone());
            simd.vectorize(
                #[inline(always)]
                || chunk.forward::<O>(simd, &strokes[segment.clone()], false),
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
                || chunk.forward::<O>(simd, part, true),
            );
        });
        let sums: Vec<Vec<StrokeGrad<f64>>> = chunks
            .par_iter_mut()
            .map(|chunk| {
                simd.vectorize(
                    #[inline(always)]
                    || chunk.backward::<O>(simd, part),
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
        let states: Vec<_> =
            range.map(|v| State::start(scene.positions::<V>(simd, v * LANES))).collect();
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
    loss: &impl PixelLoss,
) -> Outcome {
    let mut outcome = Outcome {
        image: Vec::with_capacity(scene.pixels()),
        loss: 0.0,
        gradient: Gradient::zero(scene.shapes.len()),
        side_table: SideTable::default(),
    };
    let background = scene.background.map(|c| V::splat(simd, V::Scalar::from_f64(c)));
    for chunk in chunks {
        for (k, state) in chunk.states.iter().enumerate() {
            let first = chunk.first_pixel + k * LANES;
            let count = LANES.min(scene.pixels() - first);
            let colours = state.finish(background).map(|c| c.to_array().map(Scalar::to_f64));
            let left = state.transmittance.to_array().map(Scalar::to_f64);
            let mut d_colour = [[V::Scalar::default(); LANES]; 3];
            for lane in 0..count {
                let colour: Colour = std::array::from_fn(|c| colours[c][lane]);
                let (part, d) = loss(first + lane, colour);
                outcome.loss += part;
                outcome.image.push(colour);
                for c in 0..3 {
                    outcome.gradient.background[c] += left[lane] * d[c];
                    d_colour[c][lane] = V::Scalar::from_f64(d[c]);
                }
            }
            let d_colour = d_colour.map(|d| V::load(simd, &d));
            chunk.adjoints.push(StateGrad::start(d_colour, background));
        }
    }
    outcome
}

fn add_up(parts: impl Iterator<Item = StrokeGrad<f64>>) -> StrokeGrad<f64> {
    parts.fold(StrokeGrad::<f64>::zero_f64(), StrokeGrad::plus)
}

impl<V: Lanes> Chunk<V> {
    /// Takes the pixels through strokes, the last first, keeping every state or none.
    #[inline(always)]
    fn forward<O: Transport>(
        &mut self,
        simd: V::Simd,
        strokes: &[SoftStroke<V::Scalar>],
        keep: bool,
    ) {
        self.segment.clear();
        for stroke in strokes.iter().rev() {
            if keep {
                self.segment.push(self.states.clone());
            }
            let stroke = stroke.splat(simd);
            for state in &mut self.states {
                state.meet::<O>(&stroke);
            }
        }
    }

    /// And back: the sums over this chunk for each stroke.
    #[inline(always)]
    fn backward<O: Transport>(
        &mut self,
        simd: V::Simd,
        strokes: &[SoftStroke<V::Scalar>],
    ) -> Vec<StrokeGrad<f64>> {
        let zero = V::splat(simd, V::Scalar::default());
        let kept = self.segment.iter().rev();
        let mut sums = Vec::with_capacity(strokes.len());
        for (stroke, states) in strokes.iter().zip(kept) {
            let stroke = stroke.splat(simd);
            let mut sum = StrokeGrad::zero(zero);
            for (state, adjoint) in states.iter().zip(&mut self.adjoints) {
                sum.add(adjoint.unmeet::<O>(&stroke, state.x, state.transmittance));
            }
            sums.push(sum.sum());
        }
        sums
    }
}
