//! Control grids for outlines: sixteen control points around a run of pieces, which far steps
//! move in its stead, as in [`crate::cells`] but forward.

use super::piece::{CurvePiece, bounds};
use crate::cells::{Motion, Prepared, PreparedMove, PreparedStep, node_lanes};
use crate::numbers::lanes::Lanes;
use crate::numbers::{Vec2, vec2};
use crate::stroke::{Forward, vectorized};
use crate::tool::lanewise;

/// The control points span the pieces' nodes and this much more.
const MARGIN: f64 = 1.02;
/// Least half-side of a grid, canvas units.
const LEAST: f64 = 1e-7;

/// A grid of control points that some pieces lie on.
pub(super) struct ControlGrid<V: Lanes> {
    simd: V::Simd,
    /// Centre of the box that `rest` spans, and one over half its sides.
    centre: Vec2<f64>,
    per_extent: Vec2<f64>,
    rest: Vec2<V>,
    grid: Vec2<V>,
    /// The grid lies within `reach` of here.
    middle: Vec2<f64>,
    reach: f64,
    moved: bool,
}

impl<V: Lanes<Scalar = f64>> ControlGrid<V> {
    pub fn around(simd: V::Simd, pieces: &[CurvePiece]) -> Self {
        vectorized!(simd, {
            let [low, high] = bounds(pieces);
            let centre = (low + high) * 0.5;
            let half = (high - low) * (0.5 * MARGIN);
            let half = vec2(half.x.max(LEAST), half.y.max(LEAST));
            let (u, v) = node_lanes::<V>(simd);
            let rest = vec2(
                u.mul_add(V::splat(simd, half.x), V::splat(simd, centre.x)),
                v.mul_add(V::splat(simd, half.y), V::splat(simd, centre.y)),
            );
            let mut grid = Self {
                simd,
                centre,
                per_extent: vec2(1.0 / half.x, 1.0 / half.y),
                rest,
                grid: rest,
                middle: centre,
                reach: 0.0,
                moved: false,
            };
            grid.measure();
            grid
        })
    }

    #[inline(always)]
    fn measure(&mut self) {
        let low = vec2(self.grid.x.smallest(), self.grid.y.smallest());
        let high = vec2(self.grid.x.largest(), self.grid.y.largest());
        let half = (high - low) * 0.5;
        self.middle = low + half;
        self.reach = half.dot(half).sqrt();
    }

    /// Is a stroke so far away that moving the control points will do?
    pub fn is_far_from(&self, stroke: &Prepared<f64>) -> bool {
        stroke.is_far(|v| v, stroke.frame(), self.middle, self.reach, 0.0)
    }

    /// The same for a move of a tool.
    pub fn is_far_from_tool(&self, tool: &PreparedMove) -> bool {
        tool.is_still(self.middle, self.reach) || tool.is_far(self.middle, self.reach)
    }

    /// Moves the control points.
    pub fn pass(&mut self, forward: &dyn Forward<V>, step: &PreparedStep<f64>) {
        let simd = self.simd;
        self.grid = match step {
            PreparedStep::Stroke(..) if !forward.moves() => return,
            PreparedStep::Stroke(_, stroke) => {
                vectorized!(simd, forward.phi(simd, &stroke.splat(simd), self.grid))
            }
            PreparedStep::Move(tool) if tool.is_still(self.middle, self.reach) => return,
            PreparedStep::Move(tool) => lanewise::psi(simd, &tool.tool().undone(), self.grid),
        };
        vectorized!(simd, self.measure());
        self.moved = true;
    }

    /// How the grid has moved, if it has.
    pub fn motion(&self) -> Option<Motion<V>> {
        self.moved.then(|| {
            let displacement = vectorized!(self.simd, self.grid - self.rest);
            Motion::over(self.centre, self.per_extent, displacement)
        })
    }
}
