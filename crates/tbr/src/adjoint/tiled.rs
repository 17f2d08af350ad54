//! Our engine: each block of pixels goes forward and back on its own, far
//! strokes move cells of pixels as one, and nothing is kept beyond the block.
//!
//! Forward, the tree of [`crate::cells`] walks the strokes and a [`Tape`] notes
//! what happened. Backward, the tape is read from its end: pixels hand their
//! adjoints to the control grids of the cells they followed, and the grids go
//! back through the far strokes by the same `psi_vjp`.

use super::PixelLoss;
use super::chain::{SoftStroke, State, StateGrad, StrokeGrad};
use super::scene::{Gradient, Outcome, Scene, SideTable};
use crate::cells::{
    BLOCK_PX, BLOCK_VECTORS, CellId, Event, Motion, NodeGrads, Payload, Prepared, Tree, Window,
    pixel_place,
};
use crate::lanes::{LANES, Lanes, Scalar};
use crate::program::Colour;
use crate::real::Mask;
use crate::stroke::{Frame, Transport};
use crate::vec2::{Vec2, vec2};
use fearless_simd::Simd;
use rayon::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Coverage below this is taken as none. At tau = 0.35 a hundredth of it doubles
/// the strokes that a pixel meets, and the gradient is no better for it: what is
/// cut off is that share of a rim's whole slope.
const LEAST_COVERAGE: f64 = 1e-4;

/// A pixel with less transmittance than this is done: what lies behind cannot
/// change an 8-bit value.
const LEAST_TRANSMITTANCE: f64 = 1e-4;

/// Interpolation error of one far stroke that is let pass, canvas units. The
/// gradient feels its derivative, so it is stricter than for a hard render.
const FAR_ERROR: f64 = 1e-6;

/// Blocks whose gradients are held at once, to be added in order.
const BLOCKS_AT_ONCE: usize = 16;

/// Loss, its gradient and the picture.
pub(super) fn gradient<V: Lanes, O: Transport>(
    simd: V::Simd,
    scene: &Scene,
    loss: &impl PixelLoss,
) -> Outcome {
    let soft = scene.soft_strokes::<V::Scalar>();
    let rim = |half_width: f64| {
        let width = (scene.relaxation.tau * half_width).max(scene.relaxation.tau_min);
        -libm::log(LEAST_COVERAGE) * width
    };
    let prepare = |s| Prepared::new(s, scene.operator, FAR_ERROR, rim(s.half_width));
    let far: Vec<Prepared<V::Scalar>> = scene.shapes.iter().map(prepare).collect();
    let mut outcome = Outcome {
        image: vec![[0.0; 3]; scene.pixels()],
        loss: 0.0,
        gradient: Gradient::zero(scene.shapes.len()),
        side_table: SideTable::default(),
    };
    let mut sums = vec![StrokeGrad::zero_f64(); soft.len()];
    let tapes = Mutex::new(Vec::new());
    for windows in windows(scene).chunks(BLOCKS_AT_ONCE) {
        let blocks: Vec<Block> = windows
            .par_iter()
            .map(|window| {
                let mut tape = lock(&tapes).pop().unwrap_or_default();
                let block = block::<V, O>(simd, scene, &far, &soft, window, loss, &mut tape);
                lock(&tapes).push(tape);
                block
            })
            .collect();
        for block in blocks {
            block.add_to(&mut outcome, &mut sums);
        }
    }
    for (i, sum) in sums.iter().enumerate() {
        outcome.gradient.set(i, &scene.shapes[i], sum);
    }
    outcome
}

/// Tapes that wait to be written over: memory that has been used once is cheaper
/// than new memory.
fn lock<T>(pool: &Mutex<T>) -> MutexGuard<'_, T> {
    pool.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The blocks of the picture, row by row.
fn windows(scene: &Scene) -> Vec<Window> {
    let (width, height) = (scene.view.width_px, scene.view.height_px);
    let span = |start: u32, end: u32| start..(start + BLOCK_PX).min(end);
    let rows = (0..height).step_by(BLOCK_PX as usize);
    rows.flat_map(|j| {
        let columns = (0..width).step_by(BLOCK_PX as usize);
        columns.map(move |i| Window { columns: span(i, width), rows: span(j, height) })
    })
    .collect()
}

/// What one block contributes.
struct Block {
    pixels: Vec<(usize, Colour)>,
    loss: f64,
    background: Colour,
    sums: Vec<StrokeGrad<f64>>,
}

impl Block {
    fn add_to(self, outcome: &mut Outcome, sums: &mut [StrokeGrad<f64>]) {
        outcome.loss += self.loss;
        for (total, part) in outcome.gradient.background.iter_mut().zip(self.background) {
            *total += part;
        }
        for (pixel, colour) in self.pixels {
            outcome.image[pixel] = colour;
        }
        for (total, part) in sums.iter_mut().zip(self.sums) {
            *total = total.plus(part);
        }
    }
}

/// Forward and back.
fn block<V: Lanes, O: Transport>(
    simd: V::Simd,
    scene: &Scene,
    far: &[Prepared<V::Scalar>],
    soft: &[SoftStroke<V::Scalar>],
    window: &Window,
    loss: &impl PixelLoss,
    tape: &mut Tape<V>,
) -> Block {
    tape.clear();
    let pixels = SoftPixels::new(simd, soft, tape);
    let mut tree = Tree::<V, O, _>::new(simd, far, &scene.view, window, pixels);
    tree.walk();
    let SoftPixels { states, .. } = tree.payload;
    let (mut block, adjoints) = finish(simd, scene, window, &states, loss);
    block.sums = simd.vectorize(
        #[inline(always)]
        || WayBack::new(simd, adjoints).read::<O>(tape, soft),
    );
    block
}

/// Takes the loss of the block's pixels and starts their way back.
fn finish<V: Lanes>(
    simd: V::Simd,
    scene: &Scene,
    window: &Window,
    states: &[State<V>],
    loss: &impl PixelLoss,
) -> (Block, Vec<StateGrad<V>>) {
    let background = scene.background.map(|c| V::splat(simd, V::Scalar::from_f64(c)));
    let mut block = Block { pixels: Vec::new(), loss: 0.0, background: [0.0; 3], sums: Vec::new() };
    let mut adjoints = Vec::with_capacity(states.len());
    for (vector, state) in states.iter().enumerate() {
        let colours = state.finish(background).map(|c| c.to_array().map(Scalar::to_f64));
        let left = state.transmittance.to_array().map(Scalar::to_f64);
        let mut d_colour = [[V::Scalar::default(); LANES]; 3];
        for lane in 0..LANES {
            let (column, row) = pixel_place(vector, lane);
            let (i, j) = (window.columns.start + column, window.rows.start + row);
            if !window.columns.contains(&i) || !window.rows.contains(&j) {
                continue;
            }
            let pixel = j as usize * scene.view.width_px as usize + i as usize;
            let colour: Colour = std::array::from_fn(|c| colours[c][lane]);
            let (part, d) = loss(pixel, colour);
            block.loss += part;
            block.pixels.push((pixel, colour));
            for c in 0..3 {
                block.background[c] += left[lane] * d[c];
                d_colour[c][lane] = V::Scalar::from_f64(d[c]);
            }
        }
        adjoints.push(StateGrad::start(d_colour.map(|d| V::load(simd, &d)), background));
    }
    (block, adjoints)
}

/// What happened on the way, in order; points and weights in stacks of their own.
struct Tape<V: Lanes> {
    marks: Vec<Mark>,
    points: Vec<Vec2<V>>,
    transmittances: Vec<V>,
    motions: Vec<Motion<V>>,
    /// The stroke that was met last.
    last: usize,
}

impl<V: Lanes> Default for Tape<V> {
    fn default() -> Self {
        let (marks, points, transmittances, motions) = Default::default();
        Self { marks, points, transmittances, motions, last: 0 }
    }
}

impl<V: Lanes> Tape<V> {
    /// Empty, but with its memory kept.
    fn clear(&mut self) {
        self.marks.clear();
        self.points.clear();
        self.transmittances.clear();
        self.motions.clear();
    }
}

/// An event without its data.
enum Mark {
    Stroke,
    Carry(CellId),
    Flush(CellId),
    FollowCell(CellId),
    FollowPixels(u32),
    Flushed,
    Settle(CellId),
    Meet(u32),
}

/// The relaxed render's pixels: they gather colour until nothing shows through.
struct SoftPixels<'a, V: Lanes> {
    simd: V::Simd,
    strokes: &'a [SoftStroke<V::Scalar>],
    states: Vec<State<V>>,
    tape: &'a mut Tape<V>,
}

impl<'a, V: Lanes> SoftPixels<'a, V> {
    fn new(
        simd: V::Simd,
        strokes: &'a [SoftStroke<V::Scalar>],
        tape: &'a mut Tape<V>,
    ) -> Self {
        let zero = V::splat(simd, V::Scalar::default());
        Self { simd, strokes, states: vec![State::start(vec2(zero, zero)); BLOCK_VECTORS], tape }
    }
}

impl<V: Lanes> Payload<V> for SoftPixels<'_, V> {
    /// Lanes outside the window come along, with no loss on them: every lane of
    /// a vector that is walked stays in its cell's box.
    fn start(&mut self, inside: u32) -> u32 {
        if inside == 0 { 0 } else { (1 << LANES) - 1 }
    }

    #[inline(always)]
    fn meet<O: Transport>(
        &mut self,
        vector: usize,
        stroke: usize,
        _frame: &Frame<V>,
        x: Vec2<V>,
        live: u32,
    ) -> (Vec2<V>, u32) {
        let state = &mut self.states[vector];
        state.x = x;
        self.tape.marks.push(Mark::Meet(vector as u32));
        self.tape.points.push(x);
        self.tape.transmittances.push(state.transmittance);
        state.meet::<O>(&self.strokes[stroke].splat(self.simd));
        let done = state.transmittance.lt(x.x.lit(LEAST_TRANSMITTANCE));
        (state.x, if done.not().any() { live } else { 0 })
    }

    #[inline(always)]
    fn note(&mut self, event: Event<V>) {
        let tape = &mut *self.tape;
        let mark = match event {
            Event::Stroke(index) => {
                tape.last = index;
                Mark::Stroke
            }
            Event::Carry(cell, grid) => {
                tape.points.push(grid);
                Mark::Carry(cell)
            }
            Event::Flush(cell) => Mark::Flush(cell),
            Event::FollowCell(cell, grid) => {
                tape.points.push(grid);
                Mark::FollowCell(cell)
            }
            Event::FollowPixels(vector, x) => {
                tape.points.push(x);
                Mark::FollowPixels(vector as u32)
            }
            Event::Flushed(motion) => {
                tape.motions.push(motion);
                Mark::Flushed
            }
            Event::Settle(cell) => Mark::Settle(cell),
        };
        tape.marks.push(mark);
    }
}

/// A block on its way back.
struct WayBack<V: Lanes> {
    simd: V::Simd,
    /// By vector of pixels.
    adjoints: Vec<StateGrad<V>>,
    /// By level and cell: derivatives with respect to the control points.
    d_grids: [Vec<Vec2<V>>; 3],
    /// Derivatives with respect to the control points of the motion at hand.
    nodes: NodeGrads<V>,
}

impl<V: Lanes> WayBack<V> {
    #[inline(always)]
    fn new(simd: V::Simd, adjoints: Vec<StateGrad<V>>) -> Self {
        let zero = V::splat(simd, V::Scalar::default());
        let d_grids = [256, 16, 1].map(|cells| vec![vec2(zero, zero); cells]);
        Self { simd, adjoints, d_grids, nodes: NodeGrads::zero(zero) }
    }

    #[inline(always)]
    fn d_grid(&mut self, cell: CellId) -> &mut Vec2<V> {
        &mut self.d_grids[cell.level as usize][cell.index as usize]
    }

    /// Reads the tape from its end; gives the sums for each stroke.
    #[inline(always)]
    fn read<O: Transport>(
        mut self,
        tape: &mut Tape<V>,
        strokes: &[SoftStroke<V::Scalar>],
    ) -> Vec<StrokeGrad<f64>> {
        let mut sums = vec![StrokeGrad::zero_f64(); strokes.len()];
        let zero = V::splat(self.simd, V::Scalar::default());
        let mut index = tape.last;
        let mut sum = StrokeGrad::zero(zero);
        let mut motion = None;
        let Some(first) = strokes.get(index) else { return sums };
        let mut stroke = first.splat::<V>(self.simd);
        while let Some(mark) = tape.marks.pop() {
            match mark {
                Mark::Meet(vector) => {
                    let (Some(x), Some(t)) = (tape.points.pop(), tape.transmittances.pop()) else {
                        break;
                    };
                    sum.add(self.adjoints[vector as usize].unmeet::<O>(&stroke, x, t));
                }
                Mark::Carry(cell) => {
                    let Some(grid) = tape.points.pop() else { break };
                    let (d_before, grad) = O::psi_vjp(&stroke.frame, grid, *self.d_grid(cell));
                    *self.d_grid(cell) = d_before;
                    sum.frame = sum.frame + grad;
                }
                Mark::Flushed => {
                    motion = tape.motions.pop();
                    self.nodes = NodeGrads::zero(zero);
                }
                Mark::FollowPixels(vector) => {
                    let (Some(x), Some(motion)) = (tape.points.pop(), &motion) else { break };
                    let d = self.adjoints[vector as usize].x;
                    self.adjoints[vector as usize].x = motion.apply_vjp(x, d, &mut self.nodes);
                }
                Mark::FollowCell(cell) => {
                    let (Some(grid), Some(motion)) = (tape.points.pop(), &motion) else { break };
                    let d = *self.d_grid(cell);
                    *self.d_grid(cell) = motion.apply_vjp(grid, d, &mut self.nodes);
                }
                Mark::Flush(cell) => {
                    let told = self.nodes.sum(self.simd);
                    *self.d_grid(cell) = *self.d_grid(cell) + told;
                }
                Mark::Settle(cell) => *self.d_grid(cell) = vec2(zero, zero),
                Mark::Stroke => {
                    sums[index] = sum.sum();
                    sum = StrokeGrad::zero(zero);
                    index += 1;
                    if let Some(next) = strokes.get(index) {
                        stroke = next.splat(self.simd);
                    }
                }
            }
        }
        sums
    }
}
