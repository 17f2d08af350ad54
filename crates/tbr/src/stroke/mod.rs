//! One stroke and what it does to the paint that is there.
//!
//! A stroke deposits a capsule of new paint and pushes earlier paint aside. How
//! it pushes is the choice of an operator, a [`Transport`]; each is a zero-sized type with a
//! backward map `psi`, its inverse `phi` where there is one, and the adjoint
//! `psi_vjp`, all written once over [`Real`]. Equation numbers are those of
//! `docs/math.md`.

mod batch;
mod bow;
mod calibrated;
mod capsule;
pub mod coupling;
mod coupling_table;
mod coverage;
mod drops;
mod frame;
mod frame_grad;
mod inert;
mod kernel;
pub(crate) mod lanewise;
pub mod line_source;
mod operator;
mod shape;
pub mod uncentred;

#[cfg(test)]
mod tests;

pub use batch::Batch;
pub use bow::Bow;
pub use calibrated::Calibrated;
pub use capsule::Capsule;
pub use coverage::Softness;
pub use drops::Drops;
pub use frame::{Chart, Frame};
pub use frame_grad::FrameGrad;
pub use inert::Inert;
pub(crate) use kernel::{Adjoint, Forward, Hard, Of, Regenerate, straight_or_bent, vectorized};
pub use operator::Operator;
pub(crate) use operator::with_operator;
pub use shape::{MAX_BEND, Shape, ShapeGrad};

use crate::numbers::Real;
use crate::numbers::Vec2;

/// A family of maps: what a stroke does to paint that lies outside its deposit,
/// and which points its deposit holds.
pub trait Transport: Copy + Send + Sync + 'static {
    /// Does a stroke move paint at all?
    const MOVES: bool = true;

    /// The backward map: where the material at `x` after the stroke was before
    /// it. Inside the deposit, an extension that is continuous across its edge.
    fn psi<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> Vec2<R>;

    /// The forward map, inverse of `psi` outside the deposit.
    fn phi<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> Vec2<R>;

    /// Is `x` inside the deposit (hard coverage)?
    fn covers<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> R::Mask;

    /// Distance from the segment to the deposit's edge at the leaf coordinate `nu`.
    #[inline(always)]
    fn edge<R: Real>(stroke: &Frame<R>, _nu: R) -> R {
        stroke.half_width
    }

    /// [`Transport::covers`] and [`Transport::psi`] at once.
    #[inline(always)]
    fn step<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> (R::Mask, Vec2<R>) {
        (Self::covers(stroke, x), Self::psi(stroke, x))
    }

    /// Has `psi` lost where `x` was? True in the deposit, where the floor of the
    /// root binds; elsewhere `phi` undoes `psi`.
    fn collapses<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> R::Mask;

    /// Relaxed coverage in (0, 1), Eq. (12).
    fn coverage<R: Real>(stroke: &Frame<R>, x: Vec2<R>, softness: Softness<R>) -> R;

    /// Adjoint of `psi`: from `d_out`, the derivative of a loss with respect to
    /// `psi(x)`, to those with respect to `x` and to the stroke.
    fn psi_vjp<R: Real>(stroke: &Frame<R>, x: Vec2<R>, d_out: Vec2<R>) -> (Vec2<R>, FrameGrad<R>);

    /// Adjoint of `phi`.
    fn phi_vjp<R: Real>(stroke: &Frame<R>, x: Vec2<R>, d_out: Vec2<R>) -> (Vec2<R>, FrameGrad<R>);

    /// [`Transport::coverage`] and [`Transport::psi`] at once: one step of the
    /// relaxed render.
    #[inline(always)]
    fn soft_step<R: Real>(stroke: &Frame<R>, x: Vec2<R>, softness: Softness<R>) -> (R, Vec2<R>) {
        (Self::coverage(stroke, x, softness), Self::psi(stroke, x))
    }

    /// Adjoint of [`Transport::soft_step`]; gives the coverage again, too.
    #[inline(always)]
    fn soft_step_vjp<R: Real>(
        stroke: &Frame<R>,
        x: Vec2<R>,
        softness: Softness<R>,
        d_coverage: R,
        d_out: Vec2<R>,
    ) -> (R, Vec2<R>, FrameGrad<R>) {
        let (d_x, grad) = Self::psi_vjp(stroke, x, d_out);
        let (d_x2, grad2) = Self::coverage_vjp(stroke, x, softness, d_coverage);
        (Self::coverage(stroke, x, softness), d_x + d_x2, grad + grad2)
    }

    /// Adjoint of [`Transport::coverage`].
    fn coverage_vjp<R: Real>(
        stroke: &Frame<R>,
        x: Vec2<R>,
        softness: Softness<R>,
        d_coverage: R,
    ) -> (Vec2<R>, FrameGrad<R>);
}
