//! How well a move is interpolated from sixteen control points over a box: what "far" means for
//! a tool, which acts everywhere.
//!
//! Bicubic interpolation over four nodes each way errs by at most 0.0134 a^4 times the fourth
//! derivative along any line, where a is the box's half-diagonal. Profiles of teeth are bounded
//! by the nearest tooth, Eq. (T13).

use super::profile::Steepness;
use super::{Move, MoveKind};
use crate::numbers::Vec2;
use std::f64::consts::TAU;

/// 16/81, the largest product of the distances from four even nodes on [-1, 1], over 4!, times
/// the 1.63 by which rows of nodes may amplify each other's errors.
const CUBIC_ERROR: f64 = 0.0134;

/// What the error of a swirl is, times its turn t, (1 + 0.35 t)^3 and a^4, over its radius cubed.
/// Measured: 0.42.
const SWIRL_ERROR: f64 = 0.45;

/// What its edge adds, where it is C^1 only, times its turn and a^2, over its radius. Measured:
/// 0.15.
const SWIRL_EDGE_ERROR: f64 = 0.16;

/// The same for a ring, as a multiple of a tine's with the distance from the centre as one more
/// scale. Measured: 3.
const RING_ERROR: f64 = 6.0;

/// Beyond so many reaches a tooth moves nothing that counts: 1e-13 of its pull.
const LAST_REACH: f64 = 30.0;

impl Move<f64> {
    /// Does it move nothing within `reach` of a point?
    pub(crate) fn is_still(&self, centre: Vec2<f64>, reach: f64) -> bool {
        let from = centre - self.origin;
        match self.kind {
            MoveKind::Swirl => from.norm() - reach > self.reach,
            MoveKind::Tine => {
                let away = from.into_frame(self.dir).y.abs();
                away - reach > LAST_REACH * self.reach + self.width
            }
            MoveKind::Ring => {
                let away = (from.norm() - self.spacing).abs();
                away - reach > LAST_REACH * self.reach + self.width
            }
            MoveKind::Comb | MoveKind::Rake | MoveKind::Wave => false,
        }
    }

    /// How far interpolation over a box of half-diagonal `reach` about a point errs at most.
    pub(crate) fn interpolation_error(&self, centre: Vec2<f64>, reach: f64) -> f64 {
        let Move { kind, strength, width, spacing, .. } = *self;
        let from = centre - self.origin;
        let size = strength.abs();
        let square = reach * reach;
        let quartic = CUBIC_ERROR * square * square;
        let away = |d: f64| (d.abs() - reach).max(0.0);
        match kind {
            MoveKind::Wave => size * (TAU / self.reach).powi(4) * quartic,
            MoveKind::Tine => {
                let gap = away(from.into_frame(self.dir).y);
                let value = tooth(gap, self.reach, width);
                let rough = Steepness::TOOTH.fourth_derivative(self.reach, width, gap);
                size * value * rough * quartic
            }
            MoveKind::Comb | MoveKind::Rake => {
                let d = from.into_frame(self.dir).y;
                let gap = away(d - spacing * (d / spacing).round_ties_even());
                let steepness = Steepness::of_teeth(self);
                size * steepness.fourth_derivative(self.reach, width, gap) * quartic
            }
            MoveKind::Ring => {
                let r = from.norm();
                let (gap, least) = (away(r - spacing), (r - reach).max(width));
                let value = tooth(gap, self.reach, width);
                let turn = 1.0 + size * value / least;
                let rough = Steepness::TOOTH.fourth_derivative(self.reach, width, gap);
                let rough = rough + least.powi(-4);
                RING_ERROR * size * value * turn.powi(3) * rough * quartic
            }
            MoveKind::Swirl => {
                let radius = self.reach;
                let inside = SWIRL_ERROR * (1.0 + 0.35 * size).powi(3) * (square / radius.powi(2));
                let on_edge = (from.norm() - radius).abs() <= reach;
                let edge = if on_edge { SWIRL_EDGE_ERROR } else { 0.0 };
                size * (inside + edge) * square / radius
            }
        }
    }
}

/// The pull of a tooth at a distance, for a pull of 1.
fn tooth(gap: f64, reach: f64, width: f64) -> f64 {
    libm::exp((width - libm::hypot(gap, width)) / reach)
}
