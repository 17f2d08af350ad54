//! Strokes prepared for the tree of cells, and the test whether a stroke is far from a cell.

use crate::numbers::Vec2;
use crate::numbers::lanes::{Lanes, Scalar};
use crate::numbers::{Mask, Real};
use crate::stroke::{Calibrated, Frame, Operator, Shape, Transport};
use std::f64::consts::PI;

/// Error of bicubic interpolation over a cell of half-diagonal a, at a gap G
/// from the deposit, as a share of the displacement: at most this times (a/G)^4.
/// Measured over operators, aspect ratios, places and sizes up to LARGEST_CELL:
/// 0.4 for the capsule and the drops, 0.7 for the calibrated variant.
const SMOOTH_ERROR: f64 = 0.75;

/// A capsule's map is C^1 only where the cap begins: a cell that straddles that
/// curve or its image errs by this times (a/G) l/(l + pi D) in addition.
/// Measured: 0.35 for the capsule, 0.44 for the calibrated variant.
const KINK_ERROR: f64 = 0.45;

/// Only the pixels along a kink feel its error, so this many times as much is
/// let pass there.
pub(super) const KINK_ALLOWANCE: f64 = 3.0;

/// A bow's shear varies over its own length, however far away the cell is: in addition, a cell
/// errs by this times the displacement times (kappa L/G) (a/L')^4, at most 1, where L' is L or,
/// if the cell lies beyond it along the stroke, the distance to its nearer side, Eq. (B8).
/// Measured: 0.75 for the drops, whose maps have no kink that would hide it.
const BOW_ERROR: f64 = 0.8;

/// How steep a bow is at most, in kappa: 3 sqrt(3)/8, at u = L/sqrt(3).
const BOW_SLOPE: f64 = 0.649_519_052_838_329;

/// The largest cell, as a share of the gap, that those laws hold for.
const LARGEST_CELL: f64 = 0.5;

/// The deposit that sixteen drops really lay reaches farther than the capsule:
/// their rims are singular up to this many half-widths from the segment...
const DROPS_REACH: f64 = 1.6;
/// ...or this many radii of one drop, if that is more (past l/r = 46).
const DROP_REACH: f64 = 1.17;

/// A stroke with what the far test needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prepared<S> {
    frame: Frame<S>,
    /// Distance from the segment beyond which the map is smooth.
    clear: S,
    /// Width of the rim over which coverage fades; 0 for a hard one.
    rim: S,
    /// Half the area that is moved; over l + pi D it is the displacement at distance D.
    half_area: S,
    /// SMOOTH_ERROR of that over the error that is let pass.
    smooth: S,
    /// KINK_ERROR of that, times the length, over the error that is let pass.
    kink: S,
    /// BOW_ERROR of that, times the bow's height, over the error that is let pass.
    bow: S,
    /// By how much straightening the bow may stretch a cell.
    stretch: S,
}

impl<S: Scalar> Prepared<S> {
    /// Prepares a stroke; `error` is the interpolation error to let pass, `rim`
    /// the width over which coverage fades.
    pub fn new(shape: &Shape, operator: Operator, error: f64, rim: f64) -> Self {
        let frame = Frame::of(shape);
        let (r, half_area) = (shape.half_width, 0.5 * shape.area());
        let (clear, moved, bent) = match operator {
            Operator::Inert => (r, 0.0, 0.0),
            Operator::Drops => (drops_reach(shape), half_area, 0.0),
            Operator::Calibrated => (widest(&frame), half_area, half_area),
            Operator::Capsule | Operator::LineSource => (r, half_area, half_area),
        };
        let (height, stretch) = frame.bow.map_or((0.0, 1.0), |bow| {
            let steepest = BOW_SLOPE * bow.kappa.abs();
            let stretch = 0.5 * (steepest + (steepest * steepest + 4.0).sqrt());
            ((bow.kappa * bow.reach).abs(), stretch)
        });
        Self {
            frame: frame.map(S::from_f64),
            clear: S::from_f64(clear),
            rim: S::from_f64(rim),
            half_area: S::from_f64(moved),
            smooth: S::from_f64(SMOOTH_ERROR * moved / error),
            kink: S::from_f64(KINK_ERROR / KINK_ALLOWANCE * bent * shape.length() / error),
            bow: S::from_f64(BOW_ERROR * moved * height / error),
            stretch: S::from_f64(stretch),
        }
    }

    /// The stroke in every lane.
    #[inline(always)]
    pub fn splat<V: Lanes<Scalar = S>>(&self, simd: V::Simd) -> Frame<V> {
        self.frame.splat(simd)
    }

    /// The stroke itself.
    pub fn frame(&self) -> &Frame<S> {
        &self.frame
    }

    /// True where bicubic interpolation over a box of half-diagonal `reach` errs
    /// by less than the bound, and all of it lies more than `depth` rims beyond
    /// the deposit's edge. `put` makes a number of theirs from one of ours.
    #[inline(always)]
    pub fn is_far<R: Real>(
        &self,
        put: impl Fn(S) -> R,
        frame: &Frame<R>,
        centre: Vec2<R>,
        reach: R,
        depth: R,
    ) -> R::Mask {
        let local = frame.into_straight(centre);
        let cell = reach;
        let reach = if frame.bow.is_some() { reach * put(self.stretch) } else { reach };
        let past_end = local.x.abs() - frame.length * reach.lit(0.5);
        let past = past_end.max(reach.zero());
        let distance = past.mul_add(past, local.y.squared()).sqrt();
        let half_perimeter = distance.mul_add(reach.lit(PI), frame.length);
        let gap = distance - put(self.clear);

        // Errors over the error let pass, times half_perimeter^2 gap^4: no division.
        let gap2 = gap.squared();
        let whole = (half_perimeter * gap2).squared();
        let mut smooth = put(self.smooth) * half_perimeter * reach.squared().squared();
        if let Some(bow) = &frame.bow {
            let beyond = (local.x.abs() - cell).max(reach.zero());
            let scale2 = beyond.mul_add(beyond, bow.reach.squared());
            let share = (cell.squared() / scale2).squared().min(reach.lit(1.0));
            smooth = (put(self.bow) * half_perimeter * share).mul_add(gap * gap2, smooth);
        }
        let kink = put(self.kink) * reach * gap * gap2;
        // The image of the kink lies past it by less than twice the displacement.
        let half_area = put(self.half_area);
        let before = past_end.lt(-reach);
        let after = (half_area + half_area).lt((past_end - reach) * half_perimeter);
        let straight = before.or(after);
        reach
            .le(gap * reach.lit(LARGEST_CELL))
            .and((put(self.rim) * depth + reach).lt(gap))
            .and(smooth.le(whole))
            .and(straight.or((smooth + kink).le(whole)))
    }
}

/// Where the sixteen drops' deposit reaches farthest from the segment.
fn drops_reach(shape: &Shape) -> f64 {
    let drop = (shape.area() / (16.0 * PI)).sqrt();
    (DROPS_REACH * shape.half_width).max(DROP_REACH * drop)
}

/// Where the calibrated deposit reaches farthest from the segment. Its profile
/// has three modes, so that eight places see its largest value to a per cent.
fn widest(frame: &Frame<f64>) -> f64 {
    (0..=8).map(|k| Calibrated::edge(frame, f64::from(k) / 16.0)).fold(0.0, f64::max) * 1.02
}
