//! An operator's maps on lanes, behind dynamic calls: compiled once for each operator, precision
//! and instruction set, however many engines use them. A trait for each use, so that nothing is
//! compiled that nobody can call.

use super::{Frame, FrameGrad, Softness, Transport, lanewise};
use crate::numbers::lanes::{Lanes, with_part};
use crate::numbers::{Dual, Vec2};
use std::marker::PhantomData;

/// What the hard render and peeling need.
pub(crate) trait Hard<V: Lanes>: Sync {
    /// [`Transport::MOVES`].
    fn moves(&self) -> bool;

    /// [`Transport::psi`].
    fn psi(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>) -> Vec2<V>;

    /// [`Transport::step`], with a bit for each lane.
    fn step(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>) -> (u32, Vec2<V>);
}

/// What every adjoint needs.
pub(crate) trait Adjoint<V: Lanes>: Sync {
    /// [`Transport::psi_vjp`].
    fn psi_vjp(
        &self,
        simd: V::Simd,
        stroke: &Frame<V>,
        x: Vec2<V>,
        d_out: Vec2<V>,
    ) -> (Vec2<V>, FrameGrad<V>);
}

/// What the replay adjoint needs to regenerate where points were.
pub(crate) trait Regenerate<V: Lanes>: Sync {
    /// [`Transport::phi`].
    fn phi(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>) -> Vec2<V>;

    /// [`Transport::collapses`], a bit for each lane.
    fn collapses(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>) -> u32;

    /// [`Transport::coverage`].
    fn coverage(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>, soft: Softness<V>) -> V;

    /// [`Transport::soft_step`].
    fn soft_step(
        &self,
        simd: V::Simd,
        stroke: &Frame<V>,
        x: Vec2<V>,
        soft: Softness<V>,
    ) -> (V, Vec2<V>);
}

/// What outlines need.
pub(crate) trait Forward<V: Lanes>: Sync {
    /// [`Transport::MOVES`].
    fn moves(&self) -> bool;

    /// [`Transport::phi`].
    fn phi(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>) -> Vec2<V>;

    /// [`Transport::phi`], and its derivative along the points' tangents.
    fn phi_along(&self, simd: V::Simd, stroke: &Frame<Dual<V>>, x: Vec2<Dual<V>>) -> Vec2<Dual<V>>;
}

/// A function body, compiled for the instruction set of `$simd`.
macro_rules! vectorized {
    ($simd:expr, $body:expr) => {
        fearless_simd::Simd::vectorize(
            $simd,
            #[inline(always)]
            || $body,
        )
    };
}
pub(crate) use vectorized;

/// Evaluates an expression that uses the frame `$stroke` in lanes `$v`, compiled twice: for
/// strokes that do not bend, which pay nothing for those that do, and for the others. (Once where
/// registers are narrow.)
macro_rules! straight_or_bent {
    ($v:ty, $stroke:ident, $body:expr) => {
        if const { $crate::numbers::lanes::is_narrow::<<$v as Lanes>::Simd>() }
            || $stroke.bow.is_some()
        {
            $body
        } else {
            let $stroke = &$crate::stroke::Frame { bow: None, ..*$stroke };
            $body
        }
    };
}
pub(crate) use straight_or_bent;

/// An operator's kernels.
pub(crate) struct Of<O>(pub PhantomData<O>);

impl<V: Lanes, O: Transport> Hard<V> for Of<O> {
    fn moves(&self) -> bool {
        O::MOVES
    }
    fn psi(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>) -> Vec2<V> {
        vectorized!(
            simd,
            straight_or_bent!(V, stroke, with_part!(lanewise::psi::<V, O>(simd, stroke, x)))
        )
    }
    fn step(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>) -> (u32, Vec2<V>) {
        vectorized!(
            simd,
            straight_or_bent!(V, stroke, with_part!(lanewise::step::<V, O>(simd, stroke, x)))
        )
    }
}

impl<V: Lanes, O: Transport> Adjoint<V> for Of<O> {
    fn psi_vjp(
        &self,
        simd: V::Simd,
        stroke: &Frame<V>,
        x: Vec2<V>,
        d_out: Vec2<V>,
    ) -> (Vec2<V>, FrameGrad<V>) {
        vectorized!(
            simd,
            straight_or_bent!(
                V,
                stroke,
                with_part!(lanewise::psi_vjp::<V, O>(simd, stroke, x, d_out))
            )
        )
    }
}

impl<V: Lanes, O: Transport> Regenerate<V> for Of<O> {
    fn phi(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>) -> Vec2<V> {
        vectorized!(simd, with_part!(lanewise::phi::<V, O>(simd, stroke, x)))
    }
    fn collapses(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>) -> u32 {
        vectorized!(simd, with_part!(lanewise::collapses::<V, O>(simd, stroke, x)))
    }
    fn coverage(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>, soft: Softness<V>) -> V {
        vectorized!(simd, with_part!(lanewise::coverage::<V, O>(simd, stroke, x, soft)))
    }
    fn soft_step(
        &self,
        simd: V::Simd,
        stroke: &Frame<V>,
        x: Vec2<V>,
        soft: Softness<V>,
    ) -> (V, Vec2<V>) {
        vectorized!(simd, with_part!(lanewise::soft_step::<V, O>(simd, stroke, x, soft)))
    }
}

impl<V: Lanes, O: Transport> Forward<V> for Of<O> {
    fn moves(&self) -> bool {
        O::MOVES
    }
    fn phi(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>) -> Vec2<V> {
        vectorized!(simd, with_part!(lanewise::phi::<V, O>(simd, stroke, x)))
    }
    fn phi_along(&self, simd: V::Simd, stroke: &Frame<Dual<V>>, x: Vec2<Dual<V>>) -> Vec2<Dual<V>> {
        vectorized!(simd, with_part!(lanewise::phi_along::<V, O>(simd, stroke, x)))
    }
}
