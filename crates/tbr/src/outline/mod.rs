//! Outlines of deposits in the finished picture: each is carried forward through every later
//! stroke.
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
#[cfg(test)]
mod tests;

use crate::cells::Prepared;
use crate::error::{Error, Result};
use crate::numbers::Vec2;
use crate::numbers::lanes::{F64s, level, with_simd};
use crate::program::Program;
use crate::render::Region;
use crate::stroke::Operator;
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
    strokes: Vec<Prepared<f64>>,
}

impl Outlines {
    /// Prepares the first `first` strokes of a program (all if none), under its own
    /// operator or another.
    pub fn new(
        program: &Program,
        operator: Option<Operator>,
        first: Option<usize>,
    ) -> Result<Self> {
        let operator = operator.unwrap_or(program.operator());
        operator.check_closed_form("outlines")?;
        let count = program.strokes().len();
        let strokes = program.strokes().get(..first.unwrap_or(count)).ok_or_else(|| {
            let asked = first.unwrap_or(count);
            Error::Request(format!("the program has {count} strokes, not {asked}"))
        })?;
        let prepare = |shape| Prepared::new(shape, operator, FAR_ERROR, 0.0);
        Ok(Self { operator, strokes: strokes.iter().map(|s| prepare(&s.shape)).collect() })
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
        let carried = with_simd!(level(), simd => self.carried(simd, index));
        carried.map_err(|TooMany| {
            let what =
                format!("stroke {}: later strokes cut its outline into too many pieces", index + 1);
            Error::limit(what, MOST_PIECES.to_string())
        })
    }

    fn carried<S: Simd + Send + Sync>(
        &self,
        simd: S,
        index: usize,
    ) -> std::result::Result<Outline, TooMany> {
        let mut pieces = edge(self.operator, self.strokes[index].frame());
        let forward = self.operator.forward::<F64s<S>>();
        if forward.moves() {
            let carrier = Carrier { simd, forward, strokes: &self.strokes };
            let laid = std::mem::take(&mut pieces);
            carrier.carry(laid, index + 1, 0, &mut pieces)?;
        }
        Ok(Outline::new(&pieces))
    }
}
