//! The inert operator: marks that stay put and cover.

use super::Transport;
use super::coverage::{self, Softness};
use super::frame::Frame;
use super::frame_grad::FrameGrad;
use crate::numbers::Real;
use crate::numbers::Vec2;

/// psi_U of the paper: the identity, with the capsule's coverage.
#[derive(Clone, Copy, Debug)]
pub struct Inert;

impl Transport for Inert {
    const MOVES: bool = false;

    #[inline(always)]
    fn psi<R: Real>(_stroke: &Frame<R>, x: Vec2<R>) -> Vec2<R> {
        x
    }
    #[inline(always)]
    fn phi<R: Real>(_stroke: &Frame<R>, x: Vec2<R>) -> Vec2<R> {
        x
    }
    #[inline(always)]
    fn covers<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> R::Mask {
        coverage::covers(stroke, x)
    }
    #[inline(always)]
    fn collapses<R: Real>(_stroke: &Frame<R>, x: Vec2<R>) -> R::Mask {
        x.x.lt(x.x)
    }
    #[inline(always)]
    fn coverage<R: Real>(stroke: &Frame<R>, x: Vec2<R>, softness: Softness<R>) -> R {
        coverage::relaxed(stroke, x, softness)
    }
    #[inline(always)]
    fn psi_vjp<R: Real>(stroke: &Frame<R>, _x: Vec2<R>, d_out: Vec2<R>) -> (Vec2<R>, FrameGrad<R>) {
        (d_out, FrameGrad::zero(stroke.length.zero()))
    }
    #[inline(always)]
    fn phi_vjp<R: Real>(stroke: &Frame<R>, _x: Vec2<R>, d_out: Vec2<R>) -> (Vec2<R>, FrameGrad<R>) {
        (d_out, FrameGrad::zero(stroke.length.zero()))
    }
    #[inline(always)]
    fn coverage_vjp<R: Real>(
        stroke: &Frame<R>,
        x: Vec2<R>,
        softness: Softness<R>,
        d_coverage: R,
    ) -> (Vec2<R>, FrameGrad<R>) {
        coverage::relaxed_vjp(stroke, x, softness, d_coverage)
    }
}
