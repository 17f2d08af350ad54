//! An operator's maps on lanes, behind one call: they are compiled once for each
//! operator, precision and instruction set, however many engines use them.

use super::{Frame, FrameGrad, Softness, Transport};
use crate::dual::Dual;
use crate::lanes::Lanes;
use crate::real::Mask;
use crate::vec2::Vec2;

/// [`Transport`] as an object, for vectors of points.
pub(crate) trait Kernel<V: Lanes>: Sync {
    /// [`Transport::MOVES`].
    fn moves(&self) -> bool;

    /// [`Transport::psi`].
    fn psi(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>) -> Vec2<V>;

    /// [`Transport::phi`].
    fn phi(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>) -> Vec2<V>;

    /// [`Transport::step`], with a bit for each lane.
    fn step(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>) -> (u32, Vec2<V>);

    /// [`Transport::collapses`], a bit for each lane.
    fn collapses(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>) -> u32;

    /// [`Transport::coverage`].
    fn coverage(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>, soft: Softness<V>) -> V;

    /// [`Transport::psi_vjp`].
    fn psi_vjp(
        &self,
        simd: V::Simd,
        stroke: &Frame<V>,
        x: Vec2<V>,
        d_out: Vec2<V>,
    ) -> (Vec2<V>, FrameGrad<V>);

    /// [`Transport::soft_step`].
    fn soft_step(
        &self,
        simd: V::Simd,
        stroke: &Frame<V>,
        x: Vec2<V>,
        soft: Softness<V>,
    ) -> (V, Vec2<V>);
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

/// An operator's kernel.
pub(crate) struct Of<O>(pub O);

impl<V: Lanes, O: Transport> Kernel<V> for Of<O> {
    fn moves(&self) -> bool {
        O::MOVES
    }
    fn psi(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>) -> Vec2<V> {
        vectorized!(simd, O::psi(stroke, x))
    }
    fn phi(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>) -> Vec2<V> {
        vectorized!(simd, O::phi(stroke, x))
    }
    fn step(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>) -> (u32, Vec2<V>) {
        vectorized!(simd, {
            let (covered, before) = O::step(stroke, x);
            (covered.bits(), before)
        })
    }
    fn collapses(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>) -> u32 {
        vectorized!(simd, O::collapses(stroke, x).bits())
    }
    fn coverage(&self, simd: V::Simd, stroke: &Frame<V>, x: Vec2<V>, soft: Softness<V>) -> V {
        vectorized!(simd, O::coverage(stroke, x, soft))
    }
    fn psi_vjp(
        &self,
        simd: V::Simd,
        stroke: &Frame<V>,
        x: Vec2<V>,
        d_out: Vec2<V>,
    ) -> (Vec2<V>, FrameGrad<V>) {
        vectorized!(simd, O::psi_vjp(stroke, x, d_out))
    }
    fn soft_step(
        &self,
        simd: V::Simd,
        stroke: &Frame<V>,
        x: Vec2<V>,
        soft: Softness<V>,
    ) -> (V, Vec2<V>) {
        vectorized!(simd, O::soft_step(stroke, x, soft))
    }
}

/// A kernel whose forward map also carries tangents.
pub(crate) trait Forward<V: Lanes>: Kernel<V> {
    /// [`Transport::phi`], and its derivative along the points' tangents.
    fn phi_along(&self, simd: V::Simd, stroke: &Frame<Dual<V>>, x: Vec2<Dual<V>>) -> Vec2<Dual<V>>;
}

impl<V: Lanes, O: Transport> Forward<V> for Of<O> {
    fn phi_along(&self, simd: V::Simd, stroke: &Frame<Dual<V>>, x: Vec2<Dual<V>>) -> Vec2<Dual<V>> {
        vectorized!(simd, O::phi(stroke, x))
    }
}
