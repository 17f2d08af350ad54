//! One step of the relaxed render and its adjoint, for sixteen pixels at once:
//! what every engine is made of.

use crate::numbers::lanes::{Lanes, with_part};
use crate::numbers::{Mask, Vec2, map3, vec2};
use crate::stroke::{
    Adjoint, Frame, FrameGrad, Hard, Of, Operator, Softness, Transport, lanewise, straight_or_bent,
    vectorized, with_operator,
};
use std::marker::PhantomData;

/// A stroke in every lane, with its colour.
#[derive(Clone, Copy)]
pub(super) struct SoftStroke<V> {
    pub frame: Frame<V>,
    pub softness: Softness<V>,
    pub colour: [V; 3],
}

/// The front-to-back composite of pixels so far: the colour gathered, and the transmittance
/// that is left. With where their material is, it is s_i of the paper.
#[derive(Clone, Copy)]
pub(super) struct Composite<V> {
    pub colour: [V; 3],
    pub transmittance: V,
}

/// Where pixels met a stroke, and with how much transmittance left.
#[derive(Clone, Copy)]
pub(super) struct Met<V> {
    pub x: Vec2<V>,
    pub transmittance: V,
}

/// Derivatives of the loss with respect to a [`Composite`].
#[derive(Clone, Copy)]
pub(super) struct CompositeGrad<V> {
    pub colour: [V; 3],
    pub transmittance: V,
}

/// Derivatives with respect to a stroke, not yet summed over lanes.
#[derive(Clone, Copy)]
pub(super) struct StrokeGrad<V> {
    pub frame: FrameGrad<V>,
    pub colour: [V; 3],
}

impl<V: Lanes> Composite<V> {
    /// Before any stroke has been met.
    #[inline(always)]
    pub fn none(simd: V::Simd) -> Self {
        let zero = V::splat(simd, V::Scalar::default());
        Self { colour: [zero; 3], transmittance: zero.lit(1.0) }
    }

    /// Composites a stroke: pixels at `x` gather its colour, and `x` goes back to before it,
    /// Eq. (18).
    #[inline(always)]
    fn add<O: Transport>(&mut self, simd: V::Simd, stroke: &SoftStroke<V>, x: &mut Vec2<V>) {
        let (alpha, before) =
            with_part!(lanewise::soft_step::<V, O>(simd, &stroke.frame, *x, stroke.softness));
        let weight = self.transmittance * alpha;
        for (sum, c) in self.colour.iter_mut().zip(stroke.colour) {
            *sum = weight.mul_add(c, *sum);
        }
        self.transmittance = self.transmittance - weight;
        *x = before;
    }

    /// The picture's colour: what was gathered, and the background behind it.
    #[inline(always)]
    pub fn finish(&self, background: [V; 3]) -> [V; 3] {
        let at = |c: usize| self.transmittance.mul_add(background[c], self.colour[c]);
        [at(0), at(1), at(2)]
    }
}

impl<V: Lanes> CompositeGrad<V> {
    /// Adjoint of [`Composite::finish`].
    #[inline(always)]
    pub fn start(d_colour: [V; 3], background: [V; 3]) -> Self {
        Self { colour: d_colour, transmittance: dot(d_colour, background) }
    }

    /// Zero in the lanes that the mask names.
    #[inline(always)]
    pub fn clear(&mut self, mask: V::Mask) {
        let zero = self.transmittance.zero();
        self.colour = map3(self.colour, |c| V::select(mask, zero, c));
        self.transmittance = V::select(mask, zero, self.transmittance);
    }

    /// Adjoint of [`Composite::add`], Eq. (19).
    #[inline(always)]
    fn add_vjp<O: Transport>(
        &mut self,
        simd: V::Simd,
        stroke: &SoftStroke<V>,
        met: &Met<V>,
        d_x: &mut Vec2<V>,
    ) -> StrokeGrad<V> {
        let seen = dot(self.colour, stroke.colour);
        let d_alpha = met.transmittance * (seen - self.transmittance);
        let frame = &stroke.frame;
        let (alpha, d_before, frame) = with_part!(lanewise::soft_step_vjp::<V, O>(
            simd,
            frame,
            met.x,
            stroke.softness,
            d_alpha,
            *d_x
        ));
        let weight = met.transmittance * alpha;
        let colour = map3(self.colour, |d| d * weight);
        *d_x = d_before;
        self.transmittance = alpha.mul_add(seen - self.transmittance, self.transmittance);
        StrokeGrad { frame, colour }
    }
}

/// One step and its adjoint for many pixels: what the engines call.
pub(super) trait SoftKernel<V: Lanes>: Hard<V> + Adjoint<V> {
    /// [`Composite::add`] for all.
    fn composite(
        &self,
        simd: V::Simd,
        stroke: &SoftStroke<V>,
        x: &mut [Vec2<V>],
        composites: &mut [Composite<V>],
    );

    /// [`CompositeGrad::add_vjp`] for all; adds up what they say about the stroke. With a
    /// limit, lanes whose squared derivative with respect to their place comes out above it,
    /// or is not a number, are *outliers*: they add nothing, their derivatives become 0, and
    /// the limit's callback is called with each vector that has some.
    fn composite_vjp(
        &self,
        simd: V::Simd,
        stroke: &SoftStroke<V>,
        met: &[Met<V>],
        back: Backward<V>,
        sum: &mut StrokeGrad<V>,
    );
}

/// The derivatives of some vectors of pixels on their way back through a stroke.
pub(super) struct Backward<'a, V: Lanes> {
    pub d_x: &'a mut [Vec2<V>],
    pub d_composites: &'a mut [CompositeGrad<V>],
    /// The limit beyond which a lane is an outlier; none in the reference engines.
    pub limit: Option<OutlierLimit<'a, V>>,
}

/// The largest squared derivative that is usual, and a callback for each vector with outliers:
/// its index, and a bit for each lane that is one.
pub(super) type OutlierLimit<'a, V> = (V, &'a mut dyn FnMut(usize, u32));

impl<V: Lanes, O: Transport> SoftKernel<V> for Of<O> {
    fn composite(
        &self,
        simd: V::Simd,
        stroke: &SoftStroke<V>,
        x: &mut [Vec2<V>],
        composites: &mut [Composite<V>],
    ) {
        vectorized!(simd, {
            for (x, composite) in x.iter_mut().zip(composites) {
                composite.add::<O>(simd, stroke, x);
            }
        });
    }

    fn composite_vjp(
        &self,
        simd: V::Simd,
        stroke: &SoftStroke<V>,
        met: &[Met<V>],
        back: Backward<V>,
        sum: &mut StrokeGrad<V>,
    ) {
        let frame = &stroke.frame;
        vectorized!(
            simd,
            straight_or_bent!(V, frame, {
                let stroke = &SoftStroke { frame: *frame, ..*stroke };
                composites_vjp::<O, V>(simd, stroke, met, back, sum)
            })
        );
    }
}

/// The body of [`SoftKernel::composite_vjp`].
#[inline(always)]
fn composites_vjp<O: Transport, V: Lanes>(
    simd: V::Simd,
    stroke: &SoftStroke<V>,
    met: &[Met<V>],
    mut back: Backward<V>,
    sum: &mut StrokeGrad<V>,
) {
    let mut total = *sum;
    let pairs = back.d_x.iter_mut().zip(back.d_composites);
    for (vector, (met, (d_x, d_composite))) in met.iter().zip(pairs).enumerate() {
        let mut grad = d_composite.add_vjp::<O>(simd, stroke, met, d_x);
        if let Some((limit, hear)) = &mut back.limit {
            // Written so that what is not a number is an outlier, too.
            let usual = d_x.dot(*d_x).le(*limit);
            let outliers = usual.not();
            if outliers.any() {
                grad = grad.only(usual);
                d_composite.clear(outliers);
                let zero = limit.zero();
                *d_x = Vec2::select(usual, *d_x, vec2(zero, zero));
                hear(vector, outliers.bits());
            }
        }
        total.add(grad);
    }
    *sum = total;
}

/// The kernel of an operator that has an adjoint (see [`Operator::hard`]).
pub(super) fn soft_kernel<V: Lanes>(operator: Operator) -> &'static dyn SoftKernel<V> {
    with_operator!(operator, O => &Of::<O>(PhantomData), &Of::<Inert>(PhantomData))
}

impl<V: Lanes> StrokeGrad<V> {
    #[inline(always)]
    pub fn zero(zero: V) -> Self {
        Self { frame: FrameGrad::zero(zero), colour: [zero; 3] }
    }

    #[inline(always)]
    pub fn add(&mut self, other: Self) {
        self.frame = self.frame + other.frame;
        for (sum, c) in self.colour.iter_mut().zip(other.colour) {
            *sum = *sum + c;
        }
    }

    /// Zero but in the lanes that the mask names.
    #[inline(always)]
    pub fn only(self, mask: V::Mask) -> Self {
        let zero = self.frame.half_width.zero();
        let pick = |v: V| V::select(mask, v, zero);
        let pair = |v: Vec2<V>| vec2(pick(v.x), pick(v.y));
        Self {
            frame: FrameGrad {
                mid: pair(self.frame.mid),
                offset: pair(self.frame.offset),
                half_width: pick(self.frame.half_width),
                kappa: pick(self.frame.kappa),
            },
            colour: map3(self.colour, pick),
        }
    }

    /// The sum over lanes.
    #[inline(always)]
    pub fn sum(&self) -> StrokeGrad<f64> {
        // Written out: closures are not always inlined, and then lose their
        // instruction set.
        let FrameGrad { mid, offset, half_width, kappa } = self.frame;
        let [red, green, blue] = self.colour;
        StrokeGrad {
            frame: FrameGrad {
                mid: vec2(mid.x.sum(), mid.y.sum()),
                offset: vec2(offset.x.sum(), offset.y.sum()),
                half_width: half_width.sum(),
                kappa: kappa.sum(),
            },
            colour: [red.sum(), green.sum(), blue.sum()],
        }
    }
}

impl StrokeGrad<f64> {
    pub fn zero_f64() -> Self {
        Self { frame: FrameGrad::zero(0.0), colour: [0.0; 3] }
    }

    pub fn plus(self, other: Self) -> Self {
        Self {
            frame: self.frame + other.frame,
            colour: std::array::from_fn(|c| self.colour[c] + other.colour[c]),
        }
    }
}

#[inline(always)]
pub(super) fn dot<V: Lanes>(a: [V; 3], b: [V; 3]) -> V {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}
