//! One step of a program in the relaxed render, stroke or move, and its adjoint.

use super::chain::{Backward, Composite, Met, SoftKernel, SoftStroke, StrokeGrad};
use crate::numbers::Vec2;
use crate::numbers::lanes::{Lanes, Scalar};
use crate::tool::{self, Move, MoveGrad};

/// A step in every lane.
#[derive(Clone, Copy)]
pub(super) enum SoftStep<V> {
    Stroke(SoftStroke<V>),
    Move(Move<f64>),
}

/// Derivatives with respect to a step.
#[derive(Clone, Copy)]
pub(super) enum StepGrad<V> {
    Stroke(StrokeGrad<V>),
    Move(MoveGrad<V>),
}

impl<V: Lanes> SoftStep<V> {
    /// Takes pixels to before it.
    #[inline(always)]
    pub fn composite(
        &self,
        simd: V::Simd,
        kernel: &dyn SoftKernel<V>,
        x: &mut [Vec2<V>],
        composites: &mut [Composite<V>],
    ) {
        match self {
            Self::Stroke(stroke) => kernel.composite(simd, stroke, x, composites),
            Self::Move(tool) => {
                for x in x {
                    *x = tool::lanewise::psi(simd, tool, *x);
                }
            }
        }
    }

    /// The adjoint of [`SoftStep::composite`]; gives the sums over the pixels, lane by lane.
    #[inline(always)]
    pub fn composite_vjp(
        &self,
        simd: V::Simd,
        kernel: &dyn SoftKernel<V>,
        met: &[Met<V>],
        back: Backward<V>,
    ) -> StepGrad<V> {
        let zero = V::splat(simd, V::Scalar::default());
        match self {
            Self::Stroke(stroke) => {
                let mut sum = StrokeGrad::zero(zero);
                kernel.composite_vjp(simd, stroke, met, back, &mut sum);
                StepGrad::Stroke(sum)
            }
            Self::Move(tool) => {
                let mut sum = MoveGrad::zero(zero);
                for (met, d_x) in met.iter().zip(back.d_x) {
                    sum = sum + drag_vjp(simd, tool, met.x, d_x);
                }
                StepGrad::Move(sum)
            }
        }
    }
}

impl<S: Scalar> SoftStep<S> {
    /// The step in every lane.
    #[inline(always)]
    pub fn splat<V: Lanes<Scalar = S>>(&self, simd: V::Simd) -> SoftStep<V> {
        match self {
            Self::Stroke(stroke) => SoftStep::Stroke(stroke.splat(simd)),
            Self::Move(tool) => SoftStep::Move(*tool),
        }
    }

    /// Nothing summed yet.
    pub fn no_grad(&self) -> StepGrad<f64> {
        match self {
            Self::Stroke(_) => StepGrad::Stroke(StrokeGrad::zero_f64()),
            Self::Move(_) => StepGrad::Move(MoveGrad::zero(0.0)),
        }
    }
}

/// Takes the derivative with respect to where points are after a move back to before it; gives
/// what they say about the move.
#[inline(always)]
pub(super) fn drag_vjp<V: Lanes>(
    simd: V::Simd,
    tool: &Move<f64>,
    x: Vec2<V>,
    d_x: &mut Vec2<V>,
) -> MoveGrad<V> {
    let (d_before, grad) = tool::lanewise::psi_vjp(simd, tool, x, *d_x);
    *d_x = d_before;
    grad
}

impl<V: Lanes> StepGrad<V> {
    /// The sum over lanes.
    #[inline(always)]
    pub fn sum(&self) -> StepGrad<f64> {
        match self {
            Self::Stroke(grad) => StepGrad::Stroke(grad.sum()),
            Self::Move(grad) => StepGrad::Move(grad.map(V::sum)),
        }
    }

    /// Zero but in the lanes that the mask names.
    #[inline(always)]
    pub fn only(self, mask: V::Mask) -> Self {
        match self {
            Self::Stroke(grad) => Self::Stroke(grad.only(mask)),
            Self::Move(grad) => Self::Move(grad.map(|v| V::select(mask, v, v.zero()))),
        }
    }
}

impl StepGrad<f64> {
    /// That of a move, if it is one.
    pub fn of_move(&self) -> Option<MoveGrad<f64>> {
        if let Self::Move(grad) = self { Some(*grad) } else { None }
    }

    /// The sum of two. (Of one step: they are of one kind.)
    pub fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Stroke(a), Self::Stroke(b)) => Self::Stroke(a.plus(b)),
            (Self::Move(a), Self::Move(b)) => Self::Move(a + b),
            _ => self,
        }
    }
}
