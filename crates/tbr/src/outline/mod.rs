//! Outlines of deposits in the finished picture: each is carried forward through every later
//! step.
//!
//! An outline is a closed chain of pieces, each a cubic between two points
//! of paint, with a third in its middle that is carried along to tell when the cubic no
//! longer follows: then the piece is halved. The forward map tears the paint along the
//! segment of the stroke that is laid. A piece that crosses it is cut there, and the
//! torn ends are joined by a line straight across the new deposit. So outlines pass
//! *below* the deposits that came after them, and paths that are filled in the order of
//! the strokes leave no gap between neighbours.

mod carry;
mod edge;
mod grid;
mod piece;
pub mod svg;
mod teeth;
#[cfg(test)]
mod tests;

use crate::cells::{PreparedStep, hard_steps};
use crate::error::{Error, Result};
use crate::numbers::Vec2;
use crate::numbers::lanes::{F64s, level, with_double_simd};
use crate::program::Program;
use crate::render::Region;
use crate::stroke::{Operator, Shape};
use carry::{Carrier, MOST_PIECES, TooMany};
use edge::edge;
use fearless_simd::Simd;
use piece::{CurvePiece, extent};

/// Interpolation error of one far stroke that is let pass, canvas units: a twentieth of
/// what pieces may stray. Errors of many strokes have all signs.
const FAR_ERROR: f64 = 1e-7;

/// A closed curve of Bezier cubics, canvas units.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Where it starts and ends.
    pub start: Vec2<f64>,
    /// For each cubic, the control points after its start.
    pub curves: Vec<[Vec2<f64>; 3]>,
    /// Lower and upper corner of a box around it.
    pub bounds: [Vec2<f64>; 2],
}

impl Outline {
    fn new(pieces: &[CurvePiece]) -> Self {
        let curves = pieces.iter().map(CurvePiece::bezier).collect();
        Self { start: pieces[0].0[0].at, curves, bounds: extent(pieces) }
    }

    /// Does its box overlap a region?
    pub fn touches(&self, region: &Region) -> bool {
        let [low, high] = self.bounds;
        low.x < region.x + region.width
            && high.x > region.x
            && low.y < region.y + region.height
            && high.y > region.y
    }
}

/// A program, prepared for the outlines of its deposits.
pub struct Outlines {
    operator: Operator,
    steps: Vec<PreparedStep<f64>>,
    /// Where among them each stroke is.
    strokes: Vec<usize>,
}

impl Outlines {
    /// Prepares the first `first` steps of a program (all if none), under its own
    /// operator or another.
    pub fn new(
        program: &Program,
        operator: Option<Operator>,
        first: Option<usize>,
    ) -> Result<Self> {
        let operator = operator.unwrap_or(program.operator());
        operator.check_closed_form("outlines")?;
        let (strokes, tools) = program.first_steps(first)?;
        let shapes: Vec<Shape> = program.strokes()[..strokes].iter().map(|s| s.shape).collect();
        let steps: Vec<PreparedStep<f64>> = hard_steps(operator, &shapes, tools, FAR_ERROR);
        let is_stroke = |k: &usize| matches!(steps[*k], PreparedStep::Stroke(..));
        let strokes = (0..steps.len()).filter(is_stroke).collect();
        Ok(Self { operator, steps, strokes })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.strokes.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.strokes.is_empty()
    }

    /// The outline of stroke `index` (counted from 0) in the finished picture. Refused if it has
    /// more pieces than fit into little memory: strokes that are long, thin and lie on one
    /// another cut outlines into millions.
    ///
    /// # Panics
    ///
    /// If there is no such stroke.
    pub fn outline(&self, index: usize) -> Result<Outline> {
        let carried = with_double_simd!(level(), simd => self.carried(simd, index));
        carried.map_err(|TooMany| {
            let what =
                format!("stroke {}: later steps cut its outline into too many pieces", index + 1);
            Error::limit(what, MOST_PIECES.to_string())
        })
    }

    fn carried<S: Simd + Send + Sync>(
        &self,
        simd: S,
        index: usize,
    ) -> std::result::Result<Outline, TooMany> {
        let step = self.strokes[index];
        let mut pieces = Vec::new();
        if let PreparedStep::Stroke(_, stroke) = &self.steps[step] {
            let forward = self.operator.forward::<F64s<S>>();
            let carrier = Carrier { simd, forward, steps: &self.steps };
            carrier.carry(edge(self.operator, stroke.frame()), step + 1, 0, &mut pieces)?;
        }
        Ok(Outline::new(&pieces))
    }
}
