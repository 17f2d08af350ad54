//! The sixteen-drop operator: the stroke's displacement made of area-matched
//! classical drops along its segment, coverage that of the capsule, Eq. (13).

use super::Transport;
use super::coverage::{self, Softness};
use super::frame::{FLOOR, Frame};
use super::frame_grad::FrameGrad;
use crate::numbers::{Mask, Real};
use crate::numbers::{Vec2, vec2};
use std::f64::consts::PI;

/// psi_D of the paper.
#[derive(Clone, Copy, Debug)]
pub struct Drops;

/// Drops per stroke, laid from the anchor to the far end.
const COUNT: usize = 16;

/// Keeps 0/0 away from a drop's centre.
const TINY: f64 = 1e-30;

/// Where drop `k` sits, as a share of the offset counted from the midpoint.
fn share(k: usize) -> f64 {
    (k as f64 + 0.5) / COUNT as f64 - 0.5
}

/// One of the drops in the stroke's frame: it sits on the axis at `centre`.
struct AxisDrop<R> {
    centre: R,
    /// Radius squared.
    square: R,
}

impl<R: Real> AxisDrop<R> {
    #[inline(always)]
    fn new(stroke: &Frame<R>, k: usize) -> Self {
        let share_of_area = stroke.length.lit(1.0 / (COUNT as f64 * PI));
        Self {
            centre: stroke.length * stroke.length.lit(share(k)),
            square: stroke.area_at(stroke.half_width) * share_of_area,
        }
    }

    /// The factor by which the distance from the centre shrinks, whether it was
    /// floored, and the squared distance.
    #[inline(always)]
    fn shrink(&self, w: Vec2<R>) -> (R, R::Mask, R) {
        let q = w.dot(w).max(self.square.lit(TINY));
        let raw = (q - self.square) / q;
        let floor = self.square * q.lit(FLOOR * FLOOR / PI) / q;
        (raw.max(floor).sqrt(), floor.le(raw).not(), q)
    }

    /// How far the drop's removal moves a point. (1 - f = (1 - f^2)/(1 + f)
    /// does not cancel.)
    #[inline(always)]
    fn psi(&self, x: Vec2<R>) -> Vec2<R> {
        let w = vec2(x.x - self.centre, x.y);
        let (factor, floored, q) = self.shrink(w);
        let one = q.lit(1.0);
        let less = self.square / (q * (one + factor));
        w * -R::select(floored, one - factor, less)
    }

    /// How far the drop's insertion moves a point.
    #[inline(always)]
    fn phi(&self, x: Vec2<R>) -> Vec2<R> {
        let w = vec2(x.x - self.centre, x.y);
        let q = w.dot(w).max(self.square.lit(TINY));
        let factor = ((q + self.square) / q).sqrt();
        w * (self.square / (q * (q.lit(1.0) + factor)))
    }

    /// Derivatives with respect to the point, the centre and the squared radius.
    #[inline(always)]
    fn psi_vjp(&self, x: Vec2<R>, d_out: Vec2<R>) -> (Vec2<R>, Vec2<R>, R) {
        let w = vec2(x.x - self.centre, x.y);
        let (factor, floored, q) = self.shrink(w);
        let d_factor = d_out.dot(w);
        // factor^2 = 1 - square/q, or FLOOR^2 square/(pi q).
        let half = q.lit(0.5);
        let per_q = R::select(floored, -(half * factor / q), half * self.square / (factor * q * q));
        let per_square = R::select(floored, half * factor / self.square, -(half / (factor * q)));
        let d_x = d_out * factor + w * (d_factor * (per_q + per_q));
        (d_x, d_out - d_x, d_factor * per_square)
    }

    #[inline(always)]
    fn phi_vjp(&self, x: Vec2<R>, d_out: Vec2<R>) -> (Vec2<R>, Vec2<R>, R) {
        let w = vec2(x.x - self.centre, x.y);
        let q = w.dot(w).max(self.square.lit(TINY));
        let factor = ((q + self.square) / q).sqrt();
        let d_factor = d_out.dot(w);
        let half = q.lit(0.5) / (factor * q);
        let d_x = d_out * factor - w * (d_factor * (half + half) * self.square / q);
        (d_x, d_out - d_x, d_factor * half)
    }
}

impl Drops {
    /// Moves a point by a chain of drops in the order `order`, each by `displacement`.
    /// (What it adds to the point is added up on its own, so that the point is
    /// rounded once and not sixteen times.)
    #[inline(always)]
    fn chain<R: Real>(
        stroke: &Frame<R>,
        x: Vec2<R>,
        order: [usize; COUNT],
        displacement: impl Fn(&AxisDrop<R>, Vec2<R>) -> Vec2<R>,
    ) -> Vec2<R> {
        let start = stroke.into_straight(x);
        let zero = stroke.length.zero();
        let mut moved = vec2(zero, zero);
        for k in order {
            moved = moved + displacement(&AxisDrop::new(stroke, k), start + moved);
        }
        x + stroke.bend(start.x, moved).out_of_frame(stroke.dir)
    }

    /// Adjoint of [`Drops::chain`], each drop's by `vjp`.
    #[inline(always)]
    fn chain_vjp<R: Real>(
        stroke: &Frame<R>,
        x: Vec2<R>,
        d_out: Vec2<R>,
        order: [usize; COUNT],
        displacement: impl Fn(&AxisDrop<R>, Vec2<R>) -> Vec2<R>,
        vjp: impl Fn(&AxisDrop<R>, Vec2<R>, Vec2<R>) -> (Vec2<R>, Vec2<R>, R),
    ) -> (Vec2<R>, FrameGrad<R>) {
        let zero = stroke.length.zero();
        let straight = stroke.into_straight(x);
        let mut state = straight;
        let mut before = [state; COUNT];
        for (kept, k) in before.iter_mut().zip(order) {
            *kept = state;
            state = state + displacement(&AxisDrop::new(stroke, k), state);
        }
        let d_local_out = d_out.into_frame(stroke.dir);
        let (mut d_state, bow_out) = stroke.bend_vjp(state, d_local_out);
        let mut d_offset = vec2(zero, zero);
        let mut d_square = zero;
        for (kept, k) in before.iter().zip(order).rev() {
            let (d_x, d_centre, d_sq) = vjp(&AxisDrop::new(stroke, k), *kept, d_state);
            d_state = d_x;
            d_offset = d_offset + d_centre * zero.lit(share(k));
            d_square = d_square + d_sq;
        }
        // A = 2 l r + pi r^2: twice the derivative with respect to it.
        let twice_d_area = d_square * zero.lit(2.0 / (COUNT as f64 * PI));
        let r = stroke.half_width;
        // The area has a cone at l = 0, of which the odd part is zero.
        let d_length = R::select(zero.lt(stroke.length), twice_d_area * r, zero);
        let (d_local, bow_in) = stroke.straighten_vjp(straight, d_state);
        let grad = FrameGrad {
            mid: d_local_out - d_local,
            offset: vec2(d_offset.x + d_length, d_offset.y),
            half_width: twice_d_area * r.lit(PI).mul_add(r, stroke.length),
            kappa: zero,
        };
        (d_local.out_of_frame(stroke.dir), grad.plus_bow(stroke, bow_out + bow_in))
    }
}

/// Backward undoes the last drop first.
fn backward() -> [usize; COUNT] {
    std::array::from_fn(|k| COUNT - 1 - k)
}

fn forward() -> [usize; COUNT] {
    std::array::from_fn(|k| k)
}

impl Transport for Drops {
    #[inline(always)]
    fn psi<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> Vec2<R> {
        Self::chain(
            stroke,
            x,
            backward(),
            #[inline(always)]
            |drop, x| drop.psi(x),
        )
    }

    #[inline(always)]
    fn phi<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> Vec2<R> {
        Self::chain(
            stroke,
            x,
            forward(),
            #[inline(always)]
            |drop, x| drop.phi(x),
        )
    }

    #[inline(always)]
    fn covers<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> R::Mask {
        coverage::covers(stroke, x)
    }

    /// Any of the sixteen floors.
    #[inline(always)]
    fn collapses<R: Real>(stroke: &Frame<R>, x: Vec2<R>) -> R::Mask {
        let mut local = stroke.into_straight(x);
        let mut any = local.x.lt(local.x);
        for k in backward() {
            let drop = AxisDrop::new(stroke, k);
            any = any.or(drop.shrink(vec2(local.x - drop.centre, local.y)).1);
            local = local + drop.psi(local);
        }
        any
    }

    #[inline(always)]
    fn coverage<R: Real>(stroke: &Frame<R>, x: Vec2<R>, softness: Softness<R>) -> R {
        coverage::relaxed(stroke, x, softness)
    }

    #[inline(always)]
    fn psi_vjp<R: Real>(stroke: &Frame<R>, x: Vec2<R>, d_out: Vec2<R>) -> (Vec2<R>, FrameGrad<R>) {
        Self::chain_vjp(
            stroke,
            x,
            d_out,
            backward(),
            #[inline(always)]
            |drop, x| drop.psi(x),
            #[inline(always)]
            |drop, x, d_out| drop.psi_vjp(x, d_out),
        )
    }

    #[inline(always)]
    fn phi_vjp<R: Real>(stroke: &Frame<R>, x: Vec2<R>, d_out: Vec2<R>) -> (Vec2<R>, FrameGrad<R>) {
        Self::chain_vjp(
            stroke,
            x,
            d_out,
            forward(),
            #[inline(always)]
            |drop, x| drop.phi(x),
            #[inline(always)]
            |drop, x, d_out| drop.phi_vjp(x, d_out),
        )
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
