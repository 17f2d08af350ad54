//! One step of the relaxed render and its adjoint, for sixteen pixels at once:
//! what every engine is made of.

use crate::lanes::Lanes;
use crate::program::Operator;
use crate::stroke::{
    Calibrated, Capsule, Drops, Frame, FrameGrad, Inert, Kernel, Of, Softness, Transport,
    vectorized,
};
use crate::vec2::{Vec2, vec2};

/// A stroke in every lane, with its colour.
#[derive(Clone, Copy)]
pub(super) struct SoftStroke<V> {
    pub frame: Frame<V>,
    pub softness: Softness<V>,
    pub colour: [V; 3],
}

/// What pixels have seen: the colour gathered so far, and the transmittance that
/// is left. With where their material is, it is s_i of the paper.
#[derive(Clone, Copy)]
pub(super) struct Light<V> {
    pub colour: [V; 3],
    pub transmittance: V,
}

/// Where pixels met a stroke, and with how much transmittance left.
#[derive(Clone, Copy)]
pub(super) struct Met<V> {
    pub x: Vec2<V>,
    pub transmittance: V,
}

/// Derivatives of the loss with respect to a [`Light`].
#[derive(Clone, Copy)]
pub(super) struct LightGrad<V> {
    pub colour: [V; 3],
    pub transmittance: V,
}

/// Derivatives with respect to a stroke, not yet summed over lanes.
#[derive(Clone, Copy)]
pub(super) struct StrokeGrad<V> {
    pub frame: FrameGrad<V>,
    pub colour: [V; 3],
}

impl<V: Lanes> Light<V> {
    /// Before any stroke has been met.
    #[inline(always)]
    pub fn none(simd: V::Simd) -> Self {
        let zero = V::splat(simd, V::Scalar::default());
        Self { colour: [zero; 3], transmittance: zero.lit(1.0) }
    }

    /// Pixels at `x` meet a stroke: they gather its colour, and `x` goes back to
    /// before it, Eq. (18).
    #[inline(always)]
    fn meet<O: Transport>(&mut self, stroke: &SoftStroke<V>, x: &mut Vec2<V>) {
        let (alpha, before) = O::soft_step(&stroke.frame, *x, stroke.softness);
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
        std::array::from_fn(|c| self.transmittance.mul_add(background[c], self.colour[c]))
    }
}

impl<V: Lanes> LightGrad<V> {
    /// Adjoint of [`Light::finish`].
    #[inline(always)]
    pub fn start(d_colour: [V; 3], background: [V; 3]) -> Self {
        Self { colour: d_colour, transmittance: dot(d_colour, background) }
    }

    /// Zero in the lanes that the mask names.
    #[inline(always)]
    pub fn clear(&mut self, mask: V::Mask) {
        let zero = self.transmittance.zero();
        self.colour = self.colour.map(|c| V::select(mask, zero, c));
        self.transmittance = V::select(mask, zero, self.transmittance);
    }

    /// Adjoint of [`Light::meet`], Eq. (19).
    #[inline(always)]
    fn unmeet<O: Transport>(
        &mut self,
        stroke: &SoftStroke<V>,
        met: &Met<V>,
        d_x: &mut Vec2<V>,
    ) -> StrokeGrad<V> {
        let seen = dot(self.colour, stroke.colour);
        let d_alpha = met.transmittance * (seen - self.transmittance);
        let (alpha, d_before, frame) =
            O::soft_step_vjp(&stroke.frame, met.x, stroke.softness, d_alpha, *d_x);
        let weight = met.transmittance * alpha;
        let colour = self.colour.map(|d| d * weight);
        *d_x = d_before;
        self.transmittance = alpha.mul_add(seen - self.transmittance, self.transmittance);
        StrokeGrad { frame, colour }
    }
}

/// One step and its adjoint for many pixels: what the engines call.
pub(super) trait SoftKernel<V: Lanes>: Kernel<V> {
    /// [`Light::meet`] for all.
    fn meet(
        &self,
        simd: V::Simd,
        stroke: &SoftStroke<V>,
        x: &mut [Vec2<V>],
        lights: &mut [Light<V>],
    );

    /// [`LightGrad::unmeet`] for all; adds up what they say about the stroke.
    fn unmeet(
        &self,
        simd: V::Simd,
        stroke: &SoftStroke<V>,
        met: &[Met<V>],
        d_x: &mut [Vec2<V>],
        d_lights: &mut [LightGrad<V>],
        sum: &mut StrokeGrad<V>,
    );
}

impl<V: Lanes, O: Transport> SoftKernel<V> for Of<O> {
    fn meet(
        &self,
        simd: V::Simd,
        stroke: &SoftStroke<V>,
        x: &mut [Vec2<V>],
        lights: &mut [Light<V>],
    ) {
        vectorized!(simd, {
            for (x, light) in x.iter_mut().zip(lights) {
                light.meet::<O>(stroke, x);
            }
        });
    }

    fn unmeet(
        &self,
        simd: V::Simd,
        stroke: &SoftStroke<V>,
        met: &[Met<V>],
        d_x: &mut [Vec2<V>],
        d_lights: &mut [LightGrad<V>],
        sum: &mut StrokeGrad<V>,
    ) {
        vectorized!(simd, {
            let mut total = *sum;
            for (met, (d_x, d_light)) in met.iter().zip(d_x.iter_mut().zip(d_lights)) {
                total.add(d_light.unmeet::<O>(stroke, met, d_x));
            }
            *sum = total;
        });
    }
}

/// The kernel of an operator that has an adjoint (see [`Operator::kernel`]).
pub(super) fn soft_kernel<V: Lanes>(operator: Operator) -> &'static dyn SoftKernel<V> {
    match operator {
        Operator::Capsule => &Of(Capsule),
        Operator::Calibrated => &Of(Calibrated),
        Operator::Drops => &Of(Drops),
        Operator::Inert | Operator::LineSource => &Of(Inert),
    }
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
            },
            colour: self.colour.map(pick),
        }
    }

    /// The sum over lanes.
    #[inline(always)]
    pub fn sum(&self) -> StrokeGrad<f64> {
        // Written out: closures are not always inlined, and then lose their
        // instruction set.
        let FrameGrad { mid, offset, half_width } = self.frame;
        let [red, green, blue] = self.colour;
        StrokeGrad {
            frame: FrameGrad {
                mid: vec2(mid.x.sum(), mid.y.sum()),
                offset: vec2(offset.x.sum(), offset.y.sum()),
                half_width: half_width.sum(),
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
