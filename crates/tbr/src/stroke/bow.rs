//! Bent strokes: the stroke's frame, sheared along its second axis.
//!
//! S(u, v) = (u, v + f(u)) keeps all areas whatever f is, so that S psi S^-1 is an operator's
//! map about a bent skeleton, with S phi S^-1 as its inverse, exact at every distance, Eqs. (B1), (B2).
//! f(u) = kappa L u^2/(L^2 + u^2) is a parabola near the middle and bounded far away.
//!
//! A frame that does not bend has no bow, and pays for none: all lanes of a vector hold the same
//! stroke, so that the question is asked once for sixteen points.

use super::Frame;
use crate::numbers::{Real, Vec2, vec2};
use std::ops::Add;

/// How a frame bends.
#[derive(Clone, Copy, Debug)]
pub struct Bow<R> {
    /// kappa over the stroke's length; 0 for a drop.
    pub per_length: R,
    /// kappa: the slope at which the skeleton is steepest is 0.65 of it.
    pub kappa: R,
    /// L: half the length of the capsule, l/2 + r.
    pub reach: R,
}

impl<R: Real> Bow<R> {
    /// The bow of a stroke: kappa = bend l/(l + r). (A drop has no direction to bend to, and its
    /// offset's derivative only what the anchor's has: see [`Frame::chart`]'s adjoint.)
    pub(crate) fn new(bend: R, length: R, half_width: R) -> Self {
        let zero = length.zero();
        let per_length = R::select(zero.lt(length), bend / (length + half_width), zero);
        let reach = length * length.lit(0.5) + half_width;
        Self { per_length, kappa: per_length * length, reach }
    }

    /// The same in another number type.
    #[inline(always)]
    pub(crate) fn map<T>(&self, f: impl Fn(R) -> T) -> Bow<T> {
        Bow { per_length: f(self.per_length), kappa: f(self.kappa), reach: f(self.reach) }
    }

    /// f over kappa, and what its derivatives share.
    #[inline(always)]
    fn at(&self, u: R) -> Rise<R> {
        let (square, reach_square) = (u.squared(), self.reach.squared());
        let per_sum = u.lit(1.0) / (reach_square + square);
        Rise { height: self.reach * square * per_sum, square, reach_square, per_sum }
    }

    /// f(u).
    #[inline(always)]
    pub(crate) fn rise(&self, u: R) -> R {
        self.kappa * self.at(u).height
    }

    /// f(u + du) - f(u), without cancellation, Eq. (B3).
    #[inline(always)]
    fn climb(&self, u: R, du: R) -> R {
        let to = u + du;
        let reach_square = self.reach.squared();
        let sums = (reach_square + u.squared()) * (reach_square + to.squared());
        self.kappa * self.reach * reach_square * (du * (u + to) / sums)
    }
}

/// f(u)/kappa at one place.
struct Rise<R> {
    /// g = L u^2/(L^2 + u^2).
    height: R,
    square: R,
    reach_square: R,
    /// 1/(L^2 + u^2).
    per_sum: R,
}

impl<R: Real> Rise<R> {
    /// dg/du = 2 L^3 u/(L^2 + u^2)^2.
    #[inline(always)]
    fn slope(&self, bow: &Bow<R>, u: R) -> R {
        let per_square = self.per_sum.squared() * self.reach_square;
        (bow.reach + bow.reach) * u * per_square
    }

    /// dg/dL = u^2 (u^2 - L^2)/(L^2 + u^2)^2.
    #[inline(always)]
    fn reach_slope(&self) -> R {
        self.square * (self.square - self.reach_square) * self.per_sum.squared()
    }
}

/// Derivatives with respect to a bow.
#[derive(Clone, Copy)]
pub(super) struct BowGrad<R> {
    /// With respect to kappa.
    pub kappa: R,
    /// With respect to L.
    pub reach: R,
    /// With respect to the direction of the segment, over its length: what the bow adds to it.
    pub turn: R,
}

impl<R: Real> BowGrad<R> {
    #[inline(always)]
    pub fn zero(zero: R) -> Self {
        Self { kappa: zero, reach: zero, turn: zero }
    }
}

impl<R: Add<Output = R>> Add for BowGrad<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { kappa: self.kappa + o.kappa, reach: self.reach + o.reach, turn: self.turn + o.turn }
    }
}

impl<R: Real> Frame<R> {
    /// S^-1: a point of the frame, to where the skeleton is straight.
    #[inline(always)]
    pub(super) fn straighten(&self, local: Vec2<R>) -> Vec2<R> {
        match &self.bow {
            Some(bow) => vec2(local.x, local.y - bow.rise(local.x)),
            None => local,
        }
    }

    /// Adjoint of [`Frame::straighten`], given the straightened point, Eqs. (B5), (B6).
    #[inline(always)]
    pub(super) fn straighten_vjp(
        &self,
        straight: Vec2<R>,
        d_straight: Vec2<R>,
    ) -> (Vec2<R>, BowGrad<R>) {
        let Some(bow) = &self.bow else { return (d_straight, BowGrad::zero(straight.x.zero())) };
        let rise = bow.at(straight.x);
        let slope = rise.slope(bow, straight.x);
        let d_along = d_straight.x - d_straight.y * bow.kappa * slope;
        let turn = rise.height * d_along - straight.y * slope * d_straight.y;
        let grad = BowGrad {
            kappa: -(d_straight.y * rise.height),
            reach: -(d_straight.y * bow.kappa * rise.reach_slope()),
            turn: bow.per_length * turn,
        };
        (vec2(d_along, d_straight.y), grad)
    }

    /// What a displacement by `moved` of a straightened point at `along` is in the frame.
    #[inline(always)]
    pub(super) fn bend(&self, along: R, moved: Vec2<R>) -> Vec2<R> {
        match &self.bow {
            Some(bow) => vec2(moved.x, moved.y + bow.climb(along, moved.x)),
            None => moved,
        }
    }

    /// Adjoint of S at a straightened point, Eqs. (B4), (B6).
    #[inline(always)]
    pub(super) fn bend_vjp(&self, straight: Vec2<R>, d_out: Vec2<R>) -> (Vec2<R>, BowGrad<R>) {
        let Some(bow) = &self.bow else { return (d_out, BowGrad::zero(straight.x.zero())) };
        let rise = bow.at(straight.x);
        let slope = rise.slope(bow, straight.x);
        let d_along = d_out.x + d_out.y * bow.kappa * slope;
        let turn = straight.y * slope * d_out.y - rise.height * d_out.x;
        let grad = BowGrad {
            kappa: d_out.y * rise.height,
            reach: d_out.y * bow.kappa * rise.reach_slope(),
            turn: bow.per_length * turn,
        };
        (vec2(d_along, d_out.y), grad)
    }

    /// Where a point of the canvas lies about the straightened skeleton, seen from its middle.
    #[inline(always)]
    pub fn into_straight(&self, x: Vec2<R>) -> Vec2<R> {
        self.straighten((x - self.mid).into_frame(self.dir))
    }

    /// The point of the canvas that lies there: the inverse of [`Frame::into_straight`].
    #[inline(always)]
    pub fn out_of_straight(&self, straight: Vec2<R>) -> Vec2<R> {
        self.mid + self.bow_out(straight).out_of_frame(self.dir)
    }

    /// S: a straightened point, in the frame.
    #[inline(always)]
    pub(crate) fn bow_out(&self, straight: Vec2<R>) -> Vec2<R> {
        match &self.bow {
            Some(bow) => vec2(straight.x, straight.y + bow.rise(straight.x)),
            None => straight,
        }
    }
}
