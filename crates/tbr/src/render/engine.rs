//! Steps prepared for one view, in the precision and with the operator that
//! it needs.

use super::hard::{BLOCK_PX, owners};
use super::{View, naive};
use crate::cells::{Block, Carried, PreparedStep, Window, hard_steps};
use crate::chain::Chain;
use crate::numbers::lanes::{F32s, F64s, Lanes, level, with_double_simd, with_simd};
use crate::stroke::Operator;
use crate::stroke::Shape;
use crate::tool::{Move, Pass, split_last};
use fearless_simd::Level;

/// Pixels finer than this (in canvas widths) are rendered in float64: a chain
/// of 2000 strokes carries a rounding error of 2e-6 in float32 (the median; one
/// pixel in ten has 7e-6).
const SINGLE_PRECISION_PX: f64 = 1e-5;

/// Interpolation error of one far stroke that is let pass in float32, canvas
/// units. Most are far below it; those of a whole chain add up to a few times what
/// rounding adds. Half of it costs a quarter more time and halves the pixels that
/// fall to the other side of an edge.
const SINGLE_FAR_ERROR: f64 = 2e-6;

/// The same in float64, in pixels.
const DOUBLE_FAR_ERROR_PX: f64 = 1e-3;

/// Prepared steps.
pub(super) enum PreparedSteps {
    Single(Vec<PreparedStep<f32>>),
    Double(Vec<PreparedStep<f64>>),
    Reference(Chain),
}

/// A program's steps, ready to be walked at the samples of a view.
pub(super) struct HardEngine {
    pub view: View,
    operator: Operator,
    steps: PreparedSteps,
    /// The moves of tools that come last, through which pixels are pulled back first.
    last_tools: Vec<Move<f64>>,
    level: Level,
}

impl HardEngine {
    /// `tolerance_px` is the interpolation error of one far step to let pass, if that is
    /// more than what passes anyway.
    pub fn new(
        operator: Operator,
        shapes: &[Shape],
        tools: &[Pass],
        view: View,
        tolerance_px: f64,
    ) -> Self {
        let pixel = view.pixel().x.min(view.pixel().y);
        let (inner, last) = split_last(tools, shapes.len());
        let steps = if operator == Operator::LineSource {
            PreparedSteps::Reference(Chain::new(operator, shapes, tools))
        } else if needs_double(operator, pixel) {
            let error = DOUBLE_FAR_ERROR_PX.max(tolerance_px) * pixel;
            PreparedSteps::Double(hard_steps(operator, shapes, inner, error))
        } else {
            let error = SINGLE_FAR_ERROR.max(tolerance_px * pixel);
            PreparedSteps::Single(hard_steps(operator, shapes, inner, error))
        };
        let last_tools = last.iter().flat_map(|pass| pass.tool.moves()).collect();
        Self { view, operator, steps, last_tools, level: level() }
    }

    /// Owners of the samples of a window, `BLOCK_PX` to a row.
    pub fn owners(&self, window: &Window) -> Vec<u32> {
        match &self.steps {
            PreparedSteps::Single(steps) => {
                with_simd!(self.level, simd => self.window_owners::<F32s<_>>(simd, steps, window))
            }
            PreparedSteps::Double(steps) => {
                with_double_simd!(self.level, simd => {
                    self.window_owners::<F64s<_>>(simd, steps, window)
                })
            }
            PreparedSteps::Reference(chain) => self.reference(chain, window),
        }
    }

    /// Owners of some pixels, each by its number, counted row by row; at most as many as there
    /// are in a block.
    pub fn owners_of(&self, pixels: &[u32]) -> Vec<u32> {
        match &self.steps {
            PreparedSteps::Single(steps) => {
                with_simd!(self.level, simd => self.pixel_owners::<F32s<_>>(simd, steps, pixels))
            }
            PreparedSteps::Double(steps) => {
                with_double_simd!(self.level, simd => {
                    self.pixel_owners::<F64s<_>>(simd, steps, pixels)
                })
            }
            PreparedSteps::Reference(chain) => {
                let width = self.view.width_px;
                let at = |pixel: &u32| self.view.centre(pixel % width, pixel / width);
                pixels.iter().map(|pixel| naive::owner(chain, at(pixel))).collect()
            }
        }
    }

    /// From where the pixels are, or where they were before the last tools.
    #[inline(always)]
    fn window_owners<V: Lanes>(
        &self,
        simd: V::Simd,
        steps: &[PreparedStep<V::Scalar>],
        window: &Window,
    ) -> Vec<u32> {
        let (view, tools) = (&self.view, &self.last_tools);
        let block = match tools.is_empty() {
            true => Block::Window(window.clone()),
            false => Block::Carried(Carried::<V>::of_window(simd, view, window, tools)),
        };
        let mut all = vec![0; (BLOCK_PX * BLOCK_PX) as usize];
        let owners = owners(simd, self.operator.hard(), steps, view, &block);
        for (vector, owners) in owners.iter().enumerate() {
            for (pixel, owner) in block.pixels(vector).into_iter().zip(owners) {
                if let Some((column, row)) = pixel {
                    let (i, j) = (column - window.columns.start, row - window.rows.start);
                    all[(j * BLOCK_PX + i) as usize] = *owner;
                }
            }
        }
        all
    }

    #[inline(always)]
    fn pixel_owners<V: Lanes>(
        &self,
        simd: V::Simd,
        steps: &[PreparedStep<V::Scalar>],
        pixels: &[u32],
    ) -> Vec<u32> {
        let view = &self.view;
        let block = Block::Carried(Carried::<V>::new(simd, view, pixels, &self.last_tools));
        let owners = owners(simd, self.operator.hard(), steps, view, &block);
        let owners = owners.as_flattened();
        owners[..pixels.len()].to_vec()
    }

    fn reference(&self, chain: &Chain, window: &Window) -> Vec<u32> {
        let mut out = vec![0; (BLOCK_PX * BLOCK_PX) as usize];
        for j in window.rows.clone() {
            for i in window.columns.clone() {
                let at = (j - window.rows.start) * BLOCK_PX + i - window.columns.start;
                out[at as usize] = naive::owner(chain, self.view.centre(i, j));
            }
        }
        out
    }
}

/// Is a render computed in float64? Fine pixels are. So are the sixteen drops at any size:
/// what the drops lay and what their coverage hides differ, so that points collapse unseen onto
/// a drop's centre, where every direction lies next to every other.
fn needs_double(operator: Operator, pixel: f64) -> bool {
    pixel < SINGLE_PRECISION_PX || operator == Operator::Drops
}
