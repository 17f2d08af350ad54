//! Derivatives with respect to a stroke, in its own frame.

use super::bow::BowGrad;
use super::frame::Frame;
use super::shape::ShapeGrad;
use crate::numbers::{Real, Vec2, vec2};
use std::ops::Add;

/// Derivatives with respect to a stroke, in its own frame; sums over points stay
/// in this form until [`FrameGrad::to_shape`].
#[derive(Clone, Copy, Debug, Default)]
pub struct FrameGrad<R> {
    /// With respect to the midpoint.
    pub mid: Vec2<R>,
    /// With respect to the offset, along and across, the midpoint held still.
    pub offset: Vec2<R>,
    /// With respect to the half-width.
    pub half_width: R,
    /// With respect to the bow's kappa; 0 if the frame has no bow.
    pub kappa: R,
}

impl<R> FrameGrad<R> {
    /// The numbers, in their order.
    #[inline(always)]
    pub(crate) fn numbers(self) -> [R; 6] {
        let Self { mid, offset, half_width, kappa } = self;
        [mid.x, mid.y, offset.x, offset.y, half_width, kappa]
    }

    /// The inverse of [`FrameGrad::numbers`].
    #[inline(always)]
    pub(crate) fn of_numbers([mid_x, mid_y, x, y, half_width, kappa]: [R; 6]) -> Self {
        Self { mid: vec2(mid_x, mid_y), offset: vec2(x, y), half_width, kappa }
    }
}

impl<R: Add<Output = R>> Add for FrameGrad<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self {
            mid: self.mid + o.mid,
            offset: self.offset + o.offset,
            half_width: self.half_width + o.half_width,
            kappa: self.kappa + o.kappa,
        }
    }
}

impl<R: Real> FrameGrad<R> {
    /// All zero.
    #[inline(always)]
    pub fn zero(zero: R) -> Self {
        let none = vec2(zero, zero);
        Self { mid: none, offset: none, half_width: zero, kappa: zero }
    }

    /// With what is known about the frame's bow, if it has one: L = l/2 + r.
    #[inline(always)]
    pub(super) fn plus_bow(self, frame: &Frame<R>, bow: BowGrad<R>) -> Self {
        if frame.bow.is_none() {
            return self;
        }
        let along = self.offset.x + bow.reach * bow.reach.lit(0.5);
        Self {
            offset: vec2(along, self.offset.y + bow.turn),
            half_width: self.half_width + bow.reach,
            kappa: self.kappa + bow.kappa,
            ..self
        }
    }
}

impl FrameGrad<f64> {
    /// In canvas axes, with respect to anchor, offset, half-width and bend, Eqs. (17), (B7).
    pub fn to_shape(self, frame: &Frame<f64>) -> ShapeGrad {
        let (l, r) = (frame.length, frame.half_width);
        // kappa = bend l/(l + r).
        let bow = frame.bow.map_or(0.0, |bow| bow.per_length);
        let d_bow = self.kappa * bow / (l + r);
        let offset = vec2(self.offset.x + d_bow * r, self.offset.y);
        ShapeGrad {
            anchor: self.mid.out_of_frame(frame.dir),
            offset: (offset + self.mid * 0.5).out_of_frame(frame.dir),
            half_width: self.half_width - d_bow * l,
            bend: self.kappa * l / (l + r),
        }
    }
}
