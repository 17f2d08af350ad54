//! The tape of the tiled engine: what the forward pass over a block of pixels records, and
//! the backward pass that reads it from its end.

use super::chain::{Backward, Composite, CompositeGrad, Met, SoftKernel, SoftStroke, StrokeGrad};
use super::step::{SoftStep, StepGrad, drag_vjp};
use super::tiled::{LEAST_COVERAGE, LEAST_TRANSMITTANCE};
use crate::cells::{
    CellId, Event, LEAF_VECTORS, Motion, Payload, bits, block_vectors, cells_at, runs,
};
use crate::numbers::Mask;
use crate::numbers::lanes::{LANES, Lanes, Scalar};
use crate::numbers::{Vec2, vec2};
use crate::stroke::{Frame, vectorized};
use crate::tool::{Move, MoveGrad, lanewise};

/// The events of a forward pass in order; points and weights in stacks of their own.
pub(super) struct Tape<V: Lanes> {
    marks: Vec<Mark>,
    points: Vec<Vec2<V>>,
    met: Vec<Met<V>>,
    motions: Vec<Motion<V>>,
    /// The step that was met last.
    last: usize,
}

/// An event without its data.
enum Mark {
    Step,
    Carry(CellId),
    Followed(CellId, u16),
    Met(u16, u16),
    Dragged(u16, u16),
    Settle(CellId),
}

impl<V: Lanes> Default for Tape<V> {
    fn default() -> Self {
        let (marks, points, met, motions) = Default::default();
        Self { marks, points, met, motions, last: 0 }
    }
}

impl<V: Lanes> Tape<V> {
    /// Empty, but with its memory kept.
    pub fn clear(&mut self) {
        self.marks.clear();
        self.points.clear();
        self.met.clear();
        self.motions.clear();
    }
}

/// The relaxed render's pixels: they gather colour until nothing shows through. With `NOTED`, the
/// tape hears what happens. (It is known to the compiler: to ask at every event costs gradients
/// 3 %, and to write what nobody reads makes the picture alone take nearly twice as long.)
pub(super) struct SoftPixels<'a, V: Lanes, const NOTED: bool> {
    simd: V::Simd,
    kernel: &'a dyn SoftKernel<V>,
    steps: &'a [SoftStep<V::Scalar>],
    /// The step at hand, and in every lane once pixels have met it, if it is a stroke.
    index: usize,
    stroke: Option<SoftStroke<V>>,
    pub composites: Vec<Composite<V>>,
    tape: &'a mut Tape<V>,
}

impl<'a, V: Lanes, const NOTED: bool> SoftPixels<'a, V, NOTED> {
    pub fn new(
        simd: V::Simd,
        kernel: &'a dyn SoftKernel<V>,
        levels: usize,
        steps: &'a [SoftStep<V::Scalar>],
        tape: &'a mut Tape<V>,
    ) -> Self {
        let composites = vec![Composite::none(simd); block_vectors(levels)];
        Self { simd, kernel, steps, index: 0, stroke: None, composites, tape }
    }
}

impl<V: Lanes, const NOTED: bool> Payload<V> for SoftPixels<'_, V, NOTED> {
    /// Lanes outside the window come along, with no loss on them: every lane of
    /// a vector that is walked stays in its cell's box.
    fn start(&mut self, inside: u32) -> u32 {
        if inside == 0 { 0 } else { (1 << LANES) - 1 }
    }

    #[inline(always)]
    fn meet(
        &mut self,
        leaf: usize,
        _stroke: (usize, &Frame<V>),
        live: u32,
        pixels: &mut [Vec2<V>],
        lanes: &mut [u32],
    ) {
        if self.stroke.is_none()
            && let SoftStep::Stroke(stroke) = &self.steps[self.index]
        {
            self.stroke = Some(stroke.splat(self.simd));
        }
        let Some(stroke) = &self.stroke else { return };
        let composites = &mut self.composites[leaf * LEAF_VECTORS..(leaf + 1) * LEAF_VECTORS];
        if NOTED {
            for k in bits(live) {
                let transmittance = composites[k].transmittance;
                self.tape.met.push(Met { x: pixels[k], transmittance });
            }
        }
        for run in runs(live) {
            self.kernel.composite(
                self.simd,
                stroke,
                &mut pixels[run.clone()],
                &mut composites[run],
            );
        }
        for k in bits(live) {
            let left = composites[k].transmittance;
            if !left.lt(left.lit(LEAST_TRANSMITTANCE)).not().any() {
                lanes[k] = 0;
            }
        }
        if NOTED {
            self.tape.marks.push(Mark::Met(leaf as u16, live as u16));
        }
    }

    #[inline(always)]
    fn drag(&mut self, leaf: usize, tool: &Move<f64>, live: u32, pixels: &mut [Vec2<V>]) {
        for k in bits(live) {
            if NOTED {
                self.tape.points.push(pixels[k]);
            }
            pixels[k] = lanewise::psi(self.simd, tool, pixels[k]);
        }
        if NOTED {
            self.tape.marks.push(Mark::Dragged(leaf as u16, live as u16));
        }
    }

    /// The rims beyond an edge at which coverage no longer counts: it falls by a factor of e
    /// over each.
    #[inline(always)]
    fn depth(&self, leaf: usize) -> V::Scalar {
        let composites = &self.composites[leaf * LEAF_VECTORS..(leaf + 1) * LEAF_VECTORS];
        let mut most = composites[0].transmittance;
        for composite in &composites[1..] {
            most = most.max(composite.transmittance);
        }
        V::Scalar::from_f64(libm::log(most.largest().to_f64() / LEAST_COVERAGE).max(0.0))
    }

    #[inline(always)]
    fn note(&mut self, event: Event<V>) {
        if let Event::Step(index) = event {
            self.index = index;
            self.stroke = None;
        }
        if !NOTED {
            return;
        }
        let tape = &mut *self.tape;
        match event {
            Event::Step(index) => {
                tape.last = index;
                tape.marks.push(Mark::Step);
            }
            Event::Carry(cell, grid) => {
                tape.points.push(grid);
                tape.marks.push(Mark::Carry(cell));
            }
            Event::Follow(points) => tape.points.push(points),
            Event::Followed(cell, live, motion) => {
                tape.motions.push(motion);
                tape.marks.push(Mark::Followed(cell, live as u16));
            }
            Event::Settle(cell) => tape.marks.push(Mark::Settle(cell)),
        }
    }
}

/// A pixel whose adjoint has grown out of bounds.
pub(super) struct Outlier {
    pub vector: usize,
    pub lane: usize,
    /// The step at which it did: it, and those after it, have nothing from this pixel yet.
    pub step: usize,
}

/// The result of a backward pass.
pub(super) struct BackwardSums<V: Lanes> {
    /// The sums for each step.
    pub sums: Vec<StepGrad<f64>>,
    /// Derivatives with respect to where the pixels were at the start, by vector.
    pub d_pixels: Vec<Vec2<V>>,
    /// The pixels that were set aside.
    pub outliers: Vec<Outlier>,
}

/// The backward pass over one block.
pub(super) struct BackwardPass<'a, V: Lanes> {
    simd: V::Simd,
    kernel: &'a dyn SoftKernel<V>,
    tape: &'a mut Tape<V>,
    /// By vector of pixels.
    d_composites: Vec<CompositeGrad<V>>,
    /// Derivatives with respect to points: `d_points[0]` to the pixels, by vector;
    /// `d_points[level + 1]` to the control points, by cell.
    d_points: Vec<Vec<Vec2<V>>>,
    /// The largest squared derivative of a pixel with respect to its place.
    limit: V,
    /// The pixels that had a larger one.
    outliers: Vec<Outlier>,
}

impl<'a, V: Lanes> BackwardPass<'a, V> {
    #[inline(always)]
    pub fn new(
        simd: V::Simd,
        kernel: &'a dyn SoftKernel<V>,
        levels: usize,
        tape: &'a mut Tape<V>,
        d_composites: Vec<CompositeGrad<V>>,
        outlier_slope: f64,
    ) -> Self {
        let zero = V::splat(simd, V::Scalar::default());
        let sizes = (0..levels).map(|level| cells_at(level, levels));
        let sizes = std::iter::once(block_vectors(levels)).chain(sizes);
        let d_points = sizes.map(|size| vec![vec2(zero, zero); size]).collect();
        // (Anything above the largest f32 would be infinite, and let all but NaN pass.)
        let square = (outlier_slope * outlier_slope).min(f64::from(f32::MAX));
        let limit = V::splat(simd, V::Scalar::from_f64(square));
        Self { simd, kernel, tape, d_composites, d_points, limit, outliers: Vec::new() }
    }

    /// Reads the tape from its end.
    #[inline(always)]
    pub fn read(mut self, steps: &[SoftStep<V::Scalar>]) -> BackwardSums<V> {
        let mut sums = steps.iter().map(SoftStep::no_grad).collect::<Vec<_>>();
        let mut index = self.tape.last;
        while let Some(step) = steps.get(index).filter(|_| !self.tape.marks.is_empty()) {
            let step = step.splat::<V>(self.simd);
            sums[index] = match &step {
                SoftStep::Stroke(stroke) => StepGrad::Stroke(self.lay_vjp(index, stroke)),
                SoftStep::Move(tool) => StepGrad::Move(self.move_vjp(tool).map(V::sum)),
            };
            index += 1;
        }
        BackwardSums { sums, d_pixels: self.d_points.swap_remove(0), outliers: self.outliers }
    }

    /// Adjoint of one stroke: reads the tape down to where it began.
    #[inline(always)]
    fn lay_vjp(&mut self, index: usize, stroke: &SoftStroke<V>) -> StrokeGrad<f64> {
        let zero = V::splat(self.simd, V::Scalar::default());
        let mut sum = StrokeGrad::zero(zero);
        while let Some(mark) = self.tape.marks.pop() {
            match mark {
                Mark::Met(leaf, live) => self.composite_vjp((leaf, live), index, stroke, &mut sum),
                Mark::Carry(cell) => self.carry_vjp(cell, stroke, &mut sum),
                Mark::Followed(cell, live) => self.follow_vjp(cell, live),
                Mark::Settle(cell) => *self.d_grid(cell) = vec2(zero, zero),
                Mark::Dragged(..) | Mark::Step => break,
            }
        }
        sum.sum()
    }

    /// Adjoint of one move of a tool, likewise.
    fn move_vjp(&mut self, tool: &Move<f64>) -> MoveGrad<V> {
        let zero = V::splat(self.simd, V::Scalar::default());
        let mut sum = MoveGrad::zero(zero);
        while let Some(mark) = self.tape.marks.pop() {
            match mark {
                Mark::Dragged(leaf, live) => {
                    let first = usize::from(leaf) * LEAF_VECTORS;
                    let rest = self.tape.points.len() - live.count_ones() as usize;
                    let mut met = self.tape.points[rest..].iter();
                    for k in bits(live.into()) {
                        if let Some(x) = met.next() {
                            let d_x = &mut self.d_points[0][first + k];
                            sum = sum + drag_vjp(self.simd, tool, *x, d_x);
                        }
                    }
                    self.tape.points.truncate(rest);
                }
                Mark::Carry(cell) => {
                    if let Some(grid) = self.tape.points.pop() {
                        let simd = self.simd;
                        sum = sum + drag_vjp(simd, tool, grid, self.d_grid(cell));
                    }
                }
                Mark::Followed(cell, live) => vectorized!(self.simd, self.follow_vjp(cell, live)),
                Mark::Settle(cell) => *self.d_grid(cell) = vec2(zero, zero),
                Mark::Met(..) | Mark::Step => break,
            }
        }
        sum
    }

    #[inline(always)]
    fn d_grid(&mut self, cell: CellId) -> &mut Vec2<V> {
        &mut self.d_points[cell.level as usize + 1][cell.index as usize]
    }

    /// Adjoint of a leaf's pixels meeting the stroke.
    #[inline(always)]
    fn composite_vjp(
        &mut self,
        (leaf, live): (u16, u16),
        index: usize,
        stroke: &SoftStroke<V>,
        sum: &mut StrokeGrad<V>,
    ) {
        let first = usize::from(leaf) * LEAF_VECTORS;
        let d_x = &mut self.d_points[0][first..first + LEAF_VECTORS];
        let d_composites = &mut self.d_composites[first..first + LEAF_VECTORS];
        let rest = self.tape.met.len() - live.count_ones() as usize;
        let mut met = &self.tape.met[rest..];
        let outliers = &mut self.outliers;
        for run in runs(live.into()) {
            let (these, others) = met.split_at(run.len());
            let mut hear = |vector: usize, lanes: u32| {
                let vector = first + run.start + vector;
                for lane in bits(lanes) {
                    outliers.push(Outlier { vector, lane, step: index });
                }
            };
            let back = Backward {
                d_x: &mut d_x[run.clone()],
                d_composites: &mut d_composites[run.clone()],
                limit: Some((self.limit, &mut hear)),
            };
            self.kernel.composite_vjp(self.simd, stroke, these, back, sum);
            met = others;
        }
        self.tape.met.truncate(rest);
    }

    /// Adjoint of a far stroke carrying a cell.
    #[inline(always)]
    fn carry_vjp(&mut self, cell: CellId, stroke: &SoftStroke<V>, sum: &mut StrokeGrad<V>) {
        let Some(grid) = self.tape.points.pop() else { return };
        let d_after = *self.d_grid(cell);
        let (d_before, grad) = self.kernel.psi_vjp(self.simd, &stroke.frame, grid, d_after);
        *self.d_grid(cell) = d_before;
        sum.frame = sum.frame + grad;
    }

    /// Adjoint of a cell's motion being told to what it holds.
    #[inline(always)]
    fn follow_vjp(&mut self, cell: CellId, live: u16) {
        let Some(motion) = self.tape.motions.pop() else { return };
        let rest = self.tape.points.len() - live.count_ones() as usize;
        let first = cell.index as usize * LANES;
        let followers = &mut self.d_points[cell.level as usize][first..first + LANES];
        let points = &self.tape.points[rest..];
        let told = motion.apply_vjp(self.simd, live.into(), points, followers);
        self.tape.points.truncate(rest);
        *self.d_grid(cell) = *self.d_grid(cell) + told;
    }
}
