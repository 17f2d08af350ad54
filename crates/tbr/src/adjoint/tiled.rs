//! Our engine: each block of pixels goes forward and back on its own, far
//! strokes move cells of pixels as one, and nothing is kept beyond the block.
//!
//! Forward, the tree of [`crate::cells`] walks the strokes and a [`Tape`] notes
//! what happened. Backward, the tape is read from its end: pixels hand their
//! adjoints to the control grids of the cells they followed, and the grids go
//! back through the far strokes by the same `psi_vjp`.

use super::PixelLoss;
use super::chain::{Backward, Composite, CompositeGrad, Met, SoftKernel, soft_kernel};
use super::part::{Part, no_loss};
use super::scene::{Outcome, Scene};
use super::step::{SoftStep, StepGrad};
use super::tape::{BackwardPass, BackwardSums, Outlier, SoftPixels, Tape};
use crate::cells::{
    Block, Carried, LEAF_VECTORS, PixelOrder, PreparedStep, Tree, Window, block_px, block_vectors,
    prepared_steps,
};
use crate::error::Result;
use crate::image::Image;
use crate::numbers::lanes::{F64s, LANES, Lanes, level, with_double_simd};
use crate::numbers::{Vec2, vec2};
use crate::parallel::{self, Stop};
use crate::stroke::vectorized;
use crate::tool::{Move, MoveGrad, Tool, lanewise, last_moves, split_last};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What would show less than this (coverage times the transmittance that is
/// left) is taken as nothing. At tau = 0.35 a hundredth of it triples the strokes
/// that a pixel meets, and the gradient is no better for it: what is cut off is
/// that share of a rim's whole slope.
pub(super) const LEAST_COVERAGE: f64 = 1e-3;

/// A pixel with less transmittance than this is done: what lies behind cannot
/// change an 8-bit value. Twice it costs the gradient a digit where pixels are few.
pub(super) const LEAST_TRANSMITTANCE: f64 = 5e-4;

/// Interpolation error of one far stroke that is let pass, canvas units, in a
/// picture of 1024 x 1024 pixels or more: a hundredth of a pixel. From a tenth of it
/// to half as much again, the gradient's distance from float64's does not change (rounding of
/// positions in float32 is what makes it); a tenth takes half as long again.
const FAR_ERROR: f64 = 1e-5;

/// The same where pixels are so few that the errors of single ones do not average
/// out (256 x 256 and fewer). Less is lost in the rounding of float32.
const FAR_ERROR_FEW: f64 = 1e-7;

/// The same for [`super::Engine::Coarse`], in pixels, whatever the picture's size.
/// Three times faster at 512 pixels than the care taken there otherwise.
const COARSE_FAR_ERROR_PX: f64 = 0.02;

/// A block is to cover at most this share of the picture's width. If it covers
/// more, most strokes are near and its tape grows to a hundred megabytes.
const BLOCK_SHARE: f64 = 1.0 / 6.0;

/// How fast a pixel's loss may change with its place, as a multiple of what a rim
/// of the least width would make of the typical pixel's loss. What is steeper
/// has met rims so closely, and so often, that float32 no longer knows where it
/// is; and it is so steep that it can outweigh the rest of the picture. Such
/// pixels (one in ten thousand) are walked again in float64. Ten times as much
/// leaves gradient errors of per cents, a tenth walks every hundredth pixel again.
const OUTLIER_SLOPE: f64 = 0.3;

/// Blocks whose gradients are held at once, to be added in order, at most. With
/// fewer, threads wait for the last of them more often; each takes a quarter of a
/// megabyte with two thousand strokes.
const BLOCKS_AT_ONCE: usize = 64;

/// The most bytes of these gradients: with many strokes, fewer blocks are held.
const SUMS_BYTES: usize = 256 << 20;

/// [`OUTLIER_SLOPE`] for [`super::Engine::Coarse`], where what is steeper is left out:
/// walking it again takes three quarters of a fit's step. It is higher because in a good fit the
/// pixels that still err lie on edges, and their slopes are true.
const COARSE_OUTLIER_SLOPE: f64 = 20.0;

/// Of how many leaves one tells [`super::Engine::Coarse`] about the last tools, whose few numbers
/// all pixels speak of: enough for a direction.
const COARSE_LEAVES: usize = 4;

/// How accurate a gradient is to be.
#[derive(Clone, Copy)]
pub(super) struct Accuracy {
    /// Interpolation error of a far stroke that is let pass, canvas units.
    far_error: f64,
    /// How fast a pixel's loss may change with its place, see [`OUTLIER_SLOPE`].
    outlier_slope: f64,
    /// Are steeper ones walked again in float64, or left out?
    walk_again: bool,
    /// Of how many leaves one tells about the last tools.
    leaves: usize,
}

impl Accuracy {
    /// As near to float64 as float32 comes: the far error goes from [`FAR_ERROR_FEW`]
    /// at 256 pixels to [`FAR_ERROR`] at 1024, as a power.
    pub fn full(scene: &Scene) -> Self {
        let share = (libm::log2(side_px(scene) / 256.0) / 2.0).clamp(0.0, 1.0);
        let far_error = FAR_ERROR_FEW * libm::pow(FAR_ERROR / FAR_ERROR_FEW, share);
        Self { far_error, outlier_slope: OUTLIER_SLOPE, walk_again: true, leaves: 1 }
    }

    /// The lower accuracy that the steps of a fit need: a direction, not digits.
    pub fn coarse(scene: &Scene) -> Self {
        let far_error = COARSE_FAR_ERROR_PX * scene.view().pixel().x;
        let outlier_slope = COARSE_OUTLIER_SLOPE;
        Self { far_error, outlier_slope, walk_again: false, leaves: COARSE_LEAVES }
    }
}

/// Side of a square of as many pixels.
fn side_px(scene: &Scene) -> f64 {
    (scene.pixels() as f64).sqrt()
}

/// A scene, prepared for its blocks.
struct Blocks<'a, V: Lanes> {
    simd: V::Simd,
    scene: &'a Scene,
    accuracy: Accuracy,
    loss: &'a PixelLoss<'a>,
    kernel: &'static dyn SoftKernel<V>,
    /// Levels of cells in a block. With two, 64 x 64 pixels go forward and back as
    /// one; with more, the tape would outgrow the caches.
    levels: usize,
    /// The steps but for the last tools.
    steps: Vec<SoftStep<V::Scalar>>,
    /// The same, for the test that tells far from near.
    far: Vec<PreparedStep<V::Scalar>>,
    /// The moves of the last tools, through which pixels are pulled back first, and the order in
    /// which they are taken then.
    last_tools: Vec<Move<f64>>,
    order: Option<Arc<PixelOrder>>,
    /// All steps, for pixels that are walked again.
    precise: Vec<SoftStep<f64>>,
    /// Tapes that wait to be written over: memory that has been used once is
    /// cheaper than new memory.
    tapes: Mutex<Vec<Tape<V>>>,
}

/// Which pixels a block has.
enum BlockPlace<'a> {
    Window(Window),
    Pixels(&'a [u32]),
}

/// What the pixels of a block contribute.
struct Contribution {
    part: Part,
    /// By step.
    sums: Vec<StepGrad<f64>>,
}

/// Loss, its gradient and the picture.
pub(super) fn gradient<V: Lanes>(
    simd: V::Simd,
    scene: &Scene,
    accuracy: Accuracy,
    loss: &PixelLoss,
    stop: &Stop,
) -> Result<Outcome> {
    let blocks = Blocks::<V>::new(simd, scene, accuracy, loss);
    let mut outcome = Outcome::empty(scene);
    let mut sums: Vec<_> = blocks.precise.iter().map(SoftStep::no_grad).collect();
    let bytes = size_of::<StepGrad<f64>>() * sums.len().max(1);
    for places in blocks.places().chunks((SUMS_BYTES / bytes).clamp(1, BLOCKS_AT_ONCE)) {
        let work = |k: usize| blocks.forward_and_back(&blocks.block(&places[k]));
        let done = parallel::map_until(stop, places.len(), work)?;
        for Contribution { part, sums: some } in done {
            part.add_to(&mut outcome);
            for (sum, some) in sums.iter_mut().zip(some) {
                *sum = sum.plus(some);
            }
        }
    }
    outcome.gradient.set(scene, &sums);
    Ok(outcome)
}

/// The picture alone.
pub(super) fn picture<V: Lanes>(
    simd: V::Simd,
    scene: &Scene,
    accuracy: Accuracy,
    stop: &Stop,
) -> Result<Image> {
    let blocks = Blocks::<V>::new(simd, scene, accuracy, &no_loss);
    let places = blocks.places();
    let look = |k: usize| blocks.look(&blocks.block(&places[k]));
    Ok(Part::image(scene, parallel::map_until(stop, places.len(), look)?))
}

impl<'a, V: Lanes> Blocks<'a, V> {
    fn new(simd: V::Simd, scene: &'a Scene, accuracy: Accuracy, loss: &'a PixelLoss) -> Self {
        let softness = scene.relaxation();
        let rim = |half_width: f64| (softness.tau * half_width).max(softness.tau_min);
        let (tools, _) = split_last(scene.tools(), scene.shapes().len());
        let last_tools = last_moves(scene.tools(), scene.shapes().len());
        let precise = scene.soft_steps();
        let mut steps = scene.soft_steps();
        steps.truncate(precise.len() - last_tools.len());
        Self {
            simd,
            scene,
            accuracy,
            loss,
            kernel: soft_kernel(scene.operator()),
            steps,
            order: scene.order(),
            last_tools,
            precise,
            levels: if f64::from(block_px(2)) < BLOCK_SHARE * side_px(scene) { 2 } else { 1 },
            far: prepared_steps(
                scene.operator(),
                scene.shapes(),
                tools,
                accuracy.far_error,
                |shape| rim(shape.half_width),
                Tool::all_moves,
            ),
            tapes: Mutex::new(Vec::new()),
        }
    }

    /// The blocks of the picture: windows, row by row, or pixels in their order.
    fn places(&self) -> Vec<BlockPlace<'_>> {
        if let Some(order) = &self.order {
            return order.blocks(block_vectors(self.levels)).map(BlockPlace::Pixels).collect();
        }
        let (width, height) = (self.scene.view().width_px, self.scene.view().height_px);
        let side = block_px(self.levels);
        let span = |start: u32, end: u32| start..(start + side).min(end);
        let rows = (0..height).step_by(side as usize);
        rows.flat_map(|j| {
            let columns = (0..width).step_by(side as usize);
            let window = move |i: u32| Window { columns: span(i, width), rows: span(j, height) };
            columns.map(move |i| BlockPlace::Window(window(i)))
        })
        .collect()
    }

    /// The block at a place.
    fn block<'b>(&self, place: &BlockPlace<'b>) -> Block<'b, V> {
        match place {
            BlockPlace::Window(window) => Block::Window(window.clone()),
            BlockPlace::Pixels(pixels) => {
                Block::Carried(Carried::new(self.simd, self.scene.view(), pixels, &self.last_tools))
            }
        }
    }

    /// The forward pass, the loss and the backward pass of one block.
    fn forward_and_back(&self, block: &Block<V>) -> Contribution {
        let (simd, kernel) = (self.simd, self.kernel);
        let mut tape = self.tapes().pop().unwrap_or_default();
        tape.clear();
        let composites = self.forward::<true>(block, &mut tape);

        let mut part = Part::default();
        let d_composites = vectorized!(simd, self.finish(block, &composites, &mut part));
        let outlier_slope = self.outlier_slope(&part);

        let BackwardSums { mut sums, d_pixels, outliers } = vectorized!(simd, {
            let levels = self.levels;
            let back =
                BackwardPass::new(simd, kernel, levels, &mut tape, d_composites, outlier_slope);
            back.read(&self.steps)
        });
        self.tapes().push(tape);
        sums.extend(self.last_tools_vjp(block, &d_pixels));
        if self.accuracy.walk_again {
            for outliers in outliers.chunks(LANES) {
                with_double_simd!(level(), simd => {
                    self.walk_again::<F64s<_>>(simd, block, (outliers, &part), &mut sums)
                });
            }
        }
        Contribution { part, sums }
    }

    /// The forward pass of one block, and its pixels' colours.
    fn look(&self, block: &Block<V>) -> Part {
        let composites = self.forward::<false>(block, &mut Tape::default());
        let mut part = Part::default();
        vectorized!(self.simd, self.finish(block, &composites, &mut part));
        part
    }

    /// The forward pass of one block, which the tape notes or not.
    fn forward<const NOTED: bool>(
        &self,
        block: &Block<V>,
        tape: &mut Tape<V>,
    ) -> Vec<Composite<V>> {
        let (simd, kernel) = (self.simd, self.kernel);
        let (levels, steps) = (self.levels, &self.steps);
        let pixels = SoftPixels::<V, NOTED>::new(simd, kernel, levels, steps, tape);
        let view = self.scene.view();
        let mut tree = Tree::new(simd, kernel, &self.far, (view, block), self.levels, pixels);
        tree.walk();
        tree.payload.composites
    }

    /// Adjoint of pulling a block's pixels back through the last tools: what they say about each
    /// move.
    fn last_tools_vjp(&self, block: &Block<V>, d_pixels: &[Vec2<V>]) -> Vec<StepGrad<f64>> {
        let Block::Carried(carried) = block else {
            return Vec::new();
        };
        let mut sums = vec![MoveGrad::zero(0.0); self.last_tools.len()];
        let leaves = carried.before.chunks(LEAF_VECTORS).zip(d_pixels.chunks(LEAF_VECTORS));
        for (x, d) in leaves.step_by(self.accuracy.leaves) {
            let (mut x, mut d) = (x.to_vec(), d.to_vec());
            for (tool, sum) in self.last_tools.iter().zip(&mut sums) {
                let grad = lanewise::psi_vjp_all(self.simd, tool, &mut x, &mut d);
                *sum = *sum + vectorized!(self.simd, grad.map(V::sum));
            }
        }
        let all = |sum: MoveGrad<f64>| sum.map(|d| d * self.accuracy.leaves as f64);
        sums.into_iter().map(|sum| StepGrad::Move(all(sum))).collect()
    }

    /// How fast a pixel's loss may change with its place, see [`OUTLIER_SLOPE`]; anything
    /// goes where there is no loss, or no rim.
    fn outlier_slope(&self, part: &Part) -> f64 {
        let (typical, rim) = (part.rms_adjoint(), self.scene.relaxation().tau_min);
        if typical > 0.0 && rim > 0.0 {
            self.accuracy.outlier_slope / rim * typical
        } else {
            f64::INFINITY
        }
    }

    fn tapes(&self) -> MutexGuard<'_, Vec<Tape<V>>> {
        self.tapes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the loss of the block's pixels and starts their way back.
    #[inline(always)]
    fn finish(
        &self,
        block: &Block<V>,
        composites: &[Composite<V>],
        part: &mut Part,
    ) -> Vec<CompositeGrad<V>> {
        let mut d_composites = Vec::with_capacity(composites.len());
        for (vector, composite) in composites.iter().enumerate() {
            let pixels = block.pixels(vector);
            let pixel_of = |lane: usize| self.pixel(pixels[lane]);
            let d = part.finish(self.simd, self.scene, composite, pixel_of, self.loss);
            d_composites.push(d);
        }
        d_composites
    }

    /// A pixel's number, counted row by row.
    fn pixel(&self, place: Option<(u32, u32)>) -> Option<usize> {
        place.map(|(i, j)| j as usize * self.scene.view().width_px as usize + i as usize)
    }

    /// Differentiates outliers again, in float64 and stroke by stroke, and adds their
    /// derivatives to the strokes that have nothing from them yet.
    #[inline(always)]
    fn walk_again<W: Lanes<Scalar = f64>>(
        &self,
        simd: W::Simd,
        block: &Block<V>,
        (outliers, part): (&[Outlier], &Part),
        sums: &mut [StepGrad<f64>],
    ) {
        let scene = self.scene;
        let kernel = soft_kernel::<W>(scene.operator());
        let pixel_of = |lane: usize| {
            outliers.get(lane).and_then(|s| self.pixel(block.pixels(s.vector)[s.lane]))
        };
        let from = |lane: usize| outliers.get(lane).map_or(f64::MAX, |s| s.step as f64);
        let from = W::of_f64(simd, from);

        let mut x = [scene.positions::<W>(simd, |lane| pixel_of(lane).unwrap_or(0))];
        let mut composite = [Composite::none(simd)];
        let mut path = Vec::with_capacity(self.precise.len());
        for step in self.precise.iter().rev() {
            path.push(Met { x: x[0], transmittance: composite[0].transmittance });
            step.splat(simd).composite(simd, kernel, &mut x, &mut composite);
        }
        let zero = from.zero();
        let mut d_x = [vec2(zero, zero)];
        // The loss is that of the picture, whose colours are as they were found first.
        let loss = |pixel, colour| (self.loss)(pixel, part.colour(pixel).unwrap_or(colour));
        let mut d_composite = [Part::default().finish(simd, scene, &composite[0], pixel_of, &loss)];
        for (index, (step, met)) in self.precise.iter().zip(path.iter().rev()).enumerate() {
            let (d_x, d_composites) = (&mut d_x, &mut d_composite);
            let back = Backward { d_x, d_composites, limit: None };
            let grad = step.splat(simd).composite_vjp(simd, kernel, &[*met], back);
            let owed = from.le(from.lit(index as f64));
            sums[index] = sums[index].plus(grad.only(owed).sum());
        }
    }
}
