//! The two moves that all tools are made of: paint drawn along straight lines, and paint turned
//! about a centre. Both keep every area, and each is undone by the same move with its strength
//! negated. Equations as numbered in `docs/math.md`, section 21.

use super::profile::Profile;
use crate::numbers::{Real, Vec2, vec2};
use std::ops::Add;

/// What a move's profile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveKind {
    /// One tooth, along a line.
    Tine,
    /// Teeth side by side, all drawn the same way.
    Comb,
    /// Teeth side by side, drawn to and fro.
    Rake,
    /// A wave.
    Wave,
    /// One tooth, along a circle.
    Ring,
    /// A turn that ends at a radius.
    Swirl,
}

impl MoveKind {
    /// Does it turn about a centre?
    #[inline(always)]
    fn turns(self) -> bool {
        matches!(self, Self::Ring | Self::Swirl)
    }
}

/// A move, prepared for many points.
#[derive(Clone, Copy, Debug)]
pub struct Move<R> {
    /// Its profile.
    pub kind: MoveKind,
    /// A point of the line, or the centre.
    pub origin: Vec2<R>,
    /// Unit vector along which paint is drawn; (1, 0) for turns.
    pub dir: Vec2<R>,
    /// How far paint is drawn; for a swirl, the angle at its centre.
    pub strength: R,
    /// Where it fades: the reach of a tooth, the length of a wave, the radius of a swirl.
    pub reach: R,
    /// Width of a tooth.
    pub width: R,
    /// From tooth to tooth; the radius of a ring.
    pub spacing: R,
}

/// Derivatives with respect to a [`Move`].
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct MoveGrad<R> {
    /// With respect to the origin.
    pub origin: Vec2<R>,
    /// With respect to the angle of the direction, in radians.
    pub angle: R,
    /// With respect to the strength.
    pub strength: R,
    /// With respect to the reach.
    pub reach: R,
    /// With respect to the width.
    pub width: R,
    /// With respect to the spacing.
    pub spacing: R,
}

impl<R: Real> Move<R> {
    /// The move that undoes it.
    pub fn undone(self) -> Self {
        Self { strength: -self.strength, ..self }
    }

    /// The same in another number type.
    #[inline(always)]
    pub fn map<T>(&self, f: impl Fn(R) -> T) -> Move<T> {
        Move {
            kind: self.kind,
            origin: vec2(f(self.origin.x), f(self.origin.y)),
            dir: vec2(f(self.dir.x), f(self.dir.y)),
            strength: f(self.strength),
            reach: f(self.reach),
            width: f(self.width),
            spacing: f(self.spacing),
        }
    }

    /// The backward map: where the material at `x` was before, Eqs. (T1), (T6).
    #[inline(always)]
    pub fn psi(&self, x: Vec2<R>) -> Vec2<R> {
        let from = x - self.origin;
        if self.kind.turns() {
            x + Turn::of(self, from).back(from)
        } else {
            let drawn = Profile::along(self, from.into_frame(self.dir).y).value;
            x - self.dir * (self.strength * drawn)
        }
    }

    /// The forward map: its inverse.
    #[inline(always)]
    pub fn phi(&self, x: Vec2<R>) -> Vec2<R> {
        self.undone().psi(x)
    }

    /// Adjoint of [`Move::psi`]: from `d_out`, the derivative of a loss with respect to
    /// `psi(x)`, to those with respect to `x` and to the move, Eqs. (T10), (T11).
    #[inline(always)]
    pub fn psi_vjp(&self, x: Vec2<R>, d_out: Vec2<R>) -> (Vec2<R>, MoveGrad<R>) {
        let (_, d_x, grad) = self.psi_vjp_from(self.psi(x), d_out);
        (d_x, grad)
    }

    /// The same from `before`, which is `psi(x)`; gives `x`, too. A move leaves the place that
    /// its profile depends on as it is, so that the way back costs nothing.
    #[inline(always)]
    pub fn psi_vjp_from(&self, before: Vec2<R>, d_out: Vec2<R>) -> (Vec2<R>, Vec2<R>, MoveGrad<R>) {
        let to = before - self.origin;
        if self.kind.turns() {
            let turn = Turn::of(self, to);
            let way = turn.forth(to);
            let (d_x, grad) = self.turn_vjp(to + way, to, &turn, d_out);
            (before + way, d_x, grad)
        } else {
            let at = to.into_frame(self.dir);
            let profile = Profile::along(self, at.y);
            let drawn = self.strength * profile.value;
            let (d_x, grad) = self.draw_vjp(vec2(at.x + drawn, at.y), &profile, d_out);
            (before + self.dir * drawn, d_x, grad)
        }
    }

    /// For a point `at` in the frame of the line.
    #[inline(always)]
    fn draw_vjp(
        &self,
        at: Vec2<R>,
        profile: &Profile<R>,
        d_out: Vec2<R>,
    ) -> (Vec2<R>, MoveGrad<R>) {
        let d = d_out.into_frame(self.dir);
        let pulled = -(self.strength * d.x);
        let d_across = pulled * profile.slope;
        let bent = vec2(-self.dir.y, self.dir.x) * d_across;
        let grad = MoveGrad {
            origin: -bent,
            angle: -(at.x * d_across + self.strength * profile.value * d.y),
            strength: -(profile.value * d.x),
            reach: pulled * profile.reach,
            width: pulled * profile.width,
            spacing: pulled * profile.spacing,
        };
        (d_out + bent, grad)
    }

    /// For a point that a turn brings from one place to another, seen from the centre.
    #[inline(always)]
    fn turn_vjp(
        &self,
        from: Vec2<R>,
        to: Vec2<R>,
        turn: &Turn<R>,
        d_out: Vec2<R>,
    ) -> (Vec2<R>, MoveGrad<R>) {
        let profile = &turn.profile;
        // What turning a little further would do to the loss.
        let torque = to.x * d_out.y - to.y * d_out.x;
        let pulled = -(self.strength * torque);
        let slope = pulled * profile.slope;
        let d_from = d_out + turn.forth(d_out) + from * (slope + slope);
        let grad = MoveGrad {
            origin: d_out - d_from,
            angle: from.x.zero(),
            strength: -(profile.value * torque),
            reach: pulled * profile.reach,
            width: pulled * profile.width,
            spacing: pulled * profile.spacing,
        };
        (d_from, grad)
    }
}

/// A turn at some distance from its centre.
struct Turn<R> {
    profile: Profile<R>,
    sin: R,
    cos_less_1: R,
}

impl<R: Real> Turn<R> {
    /// That of a point, before or after it, seen from the centre.
    #[inline(always)]
    fn of(m: &Move<R>, point: Vec2<R>) -> Self {
        let profile = Profile::about(m, point.dot(point));
        let (sin, cos_less_1) = (m.strength * profile.value).sin_and_cos_less_1_anywhere();
        Self { profile, sin, cos_less_1 }
    }

    /// How far a vector's tip goes.
    #[inline(always)]
    fn forth(&self, v: Vec2<R>) -> Vec2<R> {
        v * self.cos_less_1 + vec2(-v.y, v.x) * self.sin
    }

    /// How far it goes if the turn is undone.
    #[inline(always)]
    fn back(&self, v: Vec2<R>) -> Vec2<R> {
        v * self.cos_less_1 + vec2(v.y, -v.x) * self.sin
    }
}

impl<R: Real> MoveGrad<R> {
    /// All zero.
    #[inline(always)]
    pub fn zero(zero: R) -> Self {
        Self {
            origin: vec2(zero, zero),
            angle: zero,
            strength: zero,
            reach: zero,
            width: zero,
            spacing: zero,
        }
    }
}

impl<R: Copy> MoveGrad<R> {
    /// The same in another number type.
    #[inline(always)]
    pub(crate) fn map<T>(&self, f: impl Fn(R) -> T) -> MoveGrad<T> {
        MoveGrad {
            origin: vec2(f(self.origin.x), f(self.origin.y)),
            angle: f(self.angle),
            strength: f(self.strength),
            reach: f(self.reach),
            width: f(self.width),
            spacing: f(self.spacing),
        }
    }
}

impl<R: Add<Output = R>> Add for MoveGrad<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self {
            origin: self.origin + o.origin,
            angle: self.angle + o.angle,
            strength: self.strength + o.strength,
            reach: self.reach + o.reach,
            width: self.width + o.width,
            spacing: self.spacing + o.spacing,
        }
    }
}
