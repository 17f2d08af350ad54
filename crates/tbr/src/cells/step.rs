//! Steps prepared for the tree of cells: strokes, and the moves of tools.

use super::bounds::Boxes;
use super::far::Prepared;
use super::layout::bits;
use crate::numbers::Vec2;
use crate::numbers::lanes::{Lanes, Scalar};
use crate::program::{StepIndex, step_order};
use crate::stroke::{Frame, Hard, Operator, Shape};
use crate::tool::{Move, Pass, Tool, lanewise};

/// A step of a program, prepared.
pub(crate) enum PreparedStep<S> {
    /// A stroke, with its index.
    Stroke(usize, Prepared<S>),
    /// A move of a tool.
    Move(PreparedMove),
}

/// A move with what the far test needs.
pub(crate) struct PreparedMove {
    tool: Move<f64>,
    /// The interpolation error to let pass.
    error: f64,
}

impl PreparedMove {
    pub fn new(tool: &Move<f64>, error: f64) -> Self {
        Self { tool: *tool, error }
    }

    /// The move itself.
    pub fn tool(&self) -> &Move<f64> {
        &self.tool
    }

    /// Does it move nothing within `reach` of a point?
    pub fn is_still(&self, centre: Vec2<f64>, reach: f64) -> bool {
        self.tool.is_still(centre, reach)
    }

    /// Will interpolation do within `reach` of a point? (What is not a number will not.)
    pub fn is_far(&self, centre: Vec2<f64>, reach: f64) -> bool {
        self.tool.interpolation_error(centre, reach) <= self.error
    }
}

/// Prepares the steps of a program, tools as their moves. `error` is the interpolation error to
/// let pass, `rim` the width over which the coverage of a stroke fades, `moves` gives the moves
/// of a tool.
pub(crate) fn prepared_steps<S: Scalar>(
    operator: Operator,
    shapes: &[Shape],
    tools: &[Pass],
    error: f64,
    rim: impl Fn(&Shape) -> f64,
    moves: fn(&Tool) -> Vec<Move<f64>>,
) -> Vec<PreparedStep<S>> {
    let mut steps = Vec::with_capacity(shapes.len());
    for step in step_order(shapes.len(), tools) {
        match step {
            StepIndex::Stroke(i) => {
                let shape = &shapes[i];
                let prepared = Prepared::new(shape, operator, error, rim(shape));
                steps.push(PreparedStep::Stroke(i, prepared));
            }
            StepIndex::Tool(k) => {
                let moves = moves(&tools[k].tool);
                steps.extend(moves.iter().map(|m| PreparedStep::Move(PreparedMove::new(m, error))));
            }
        }
    }
    steps
}

/// The same with hard coverage, and without tools that move nothing.
pub(crate) fn hard_steps<S: Scalar>(
    operator: Operator,
    shapes: &[Shape],
    tools: &[Pass],
    error: f64,
) -> Vec<PreparedStep<S>> {
    prepared_steps(operator, shapes, tools, error, |_| 0.0, Tool::moves)
}

/// A step in every lane.
pub(super) enum LaneStep<'a, V: Lanes> {
    Stroke(usize, &'a Prepared<V::Scalar>, Frame<V>),
    Move(&'a PreparedMove),
}

/// What a step is to cells, a bit each.
pub(super) struct Verdict {
    /// Too near to be interpolated in.
    pub near: u32,
    /// To be moved as one.
    pub carried: u32,
}

impl<'a, V: Lanes> LaneStep<'a, V> {
    #[inline(always)]
    pub fn new(simd: V::Simd, step: &'a PreparedStep<V::Scalar>) -> Self {
        match step {
            PreparedStep::Stroke(index, stroke) => Self::Stroke(*index, stroke, stroke.splat(simd)),
            PreparedStep::Move(prepared) => Self::Move(prepared),
        }
    }

    /// What it is to the boxes that the bits of `live` name.
    #[inline(always)]
    pub fn judge(&self, simd: V::Simd, boxes: &Boxes<V>, live: u32) -> Verdict {
        match self {
            Self::Stroke(_, stroke, frame) => {
                let near = boxes.near(simd, stroke, frame);
                Verdict { near: live & near, carried: live & !near }
            }
            Self::Move(prepared) => {
                let mut verdict = Verdict { near: 0, carried: 0 };
                for k in bits(live) {
                    let (centre, reach) = boxes.get(k);
                    if prepared.is_still(centre, reach) {
                        // Nothing moves there.
                    } else if prepared.is_far(centre, reach) {
                        verdict.carried |= 1 << k;
                    } else {
                        verdict.near |= 1 << k;
                    }
                }
                verdict
            }
        }
    }

    /// Does it move paint at all?
    #[inline(always)]
    pub fn moves(&self, kernel: &dyn Hard<V>) -> bool {
        match self {
            Self::Stroke(..) => kernel.moves(),
            Self::Move(..) => true,
        }
    }

    /// Points moved to before it.
    #[inline(always)]
    pub fn psi(&self, simd: V::Simd, kernel: &dyn Hard<V>, x: Vec2<V>) -> Vec2<V> {
        match self {
            Self::Stroke(_, _, frame) => kernel.psi(simd, frame, x),
            Self::Move(prepared) => lanewise::psi(simd, &prepared.tool, x),
        }
    }
}
