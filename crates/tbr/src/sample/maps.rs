//! The classical closed-form maps of mathematical marbling: each moves paint
//! without changing any area, and each has its inverse beside it. Equations as
//! numbered in `docs/math.md`, section 14.
//!
//! Drops lay paint. All other maps here are tools: they move what is there and
//! lay nothing, which no stroke of a program can do.

use crate::numbers::{Vec2, vec2};
use std::f64::consts::TAU;

/// A point of the sheet.
pub type Point = Vec2<f64>;

/// A drop: a disc of new paint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaintDrop {
    /// Its centre.
    pub centre: Point,
    /// Its radius.
    pub radius: f64,
}

impl PaintDrop {
    /// Where earlier paint goes (M1): `c + d sqrt(1 + r^2/|d|^2)`, `d = p - c`.
    /// Only the centre itself has no place to go, and stays.
    pub fn forward(&self, p: Point) -> Point {
        let d = p - self.centre;
        let square = d.dot(d);
        if square == 0.0 {
            return p;
        }
        self.centre + d * (1.0 + self.radius * self.radius / square).sqrt()
    }

    /// Where the paint at `p` was before, or nothing if it is the drop's own (M2).
    pub fn inverse(&self, p: Point) -> Option<Point> {
        let d = p - self.centre;
        let left = 1.0 - self.radius * self.radius / d.dot(d);
        if left > 0.0 { Some(self.centre + d * left.sqrt()) } else { None }
    }
}

/// One tooth drawn along a straight line through the whole bath.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tine {
    /// A point on its path.
    pub through: Point,
    /// Where it goes, as a unit vector.
    pub direction: Point,
    /// How far it takes the paint on its path.
    pub pull: f64,
    /// Distance at which that has fallen to a share of 1/e.
    pub reach: f64,
}

impl Tine {
    /// By how much paint moves, before and after alike (M3): the distance from the
    /// path, on which it depends, stays the same.
    fn shift(&self, p: Point) -> Point {
        let across = across(p, self.through, self.direction);
        self.direction * (self.pull * libm::exp(-across.abs() / self.reach))
    }
}

/// How the teeth of a comb go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Teeth {
    /// All the same way, as when a comb is drawn.
    Together,
    /// To and fro, as when one stylus is led back and forth.
    ToAndFro,
}

/// Tines side by side through the whole bath.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comb {
    /// One of them.
    pub tine: Tine,
    /// From tooth to tooth.
    pub spacing: f64,
    /// Which way they go.
    pub teeth: Teeth,
}

impl Comb {
    /// By how much paint moves, before and after alike: all teeth together (M4),
    /// (M5), less their mean, so that the sheet stays in place.
    fn shift(&self, p: Point) -> Point {
        let Tine { through, direction, pull, reach } = self.tine;
        let across = across(p, through, direction) / self.spacing;
        let tooth = across.floor();
        let half = 0.5 * self.spacing / reach;
        let past = half * (1.0 - 2.0 * (across - tooth));
        let share = match self.teeth {
            Teeth::Together => libm::cosh(past) / libm::sinh(half) - 1.0 / half,
            Teeth::ToAndFro if tooth.rem_euclid(2.0) == 0.0 => libm::sinh(past) / libm::cosh(half),
            Teeth::ToAndFro => -libm::sinh(past) / libm::cosh(half),
        };
        direction * (pull * share)
    }
}

/// A comb that sways from side to side while it is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WavyComb {
    /// The comb.
    pub comb: Comb,
    /// How far it sways to either side.
    pub amplitude: f64,
    /// The way from one crest to the next.
    pub wavelength: f64,
    /// Where in a wave it is at the comb's point, in radians.
    pub phase_rad: f64,
}

impl WavyComb {
    /// The wave itself: a shift across the comb's way that depends only on the place
    /// along it.
    fn sway(&self, p: Point) -> Point {
        let Tine { through, direction, .. } = self.comb.tine;
        let along = (p - through).dot(direction);
        let angle = TAU * along / self.wavelength + self.phase_rad;
        vec2(-direction.y, direction.x) * (self.amplitude * libm::sin(angle))
    }

    /// The wave undone, the comb forward (1) or back (-1), the wave (M6).
    fn drawn(&self, p: Point, sign: f64) -> Point {
        let straight = p - self.sway(p);
        let moved = straight + self.comb.shift(straight) * sign;
        moved + self.sway(moved)
    }
}

/// Turns paint about a point, less and less, and none beyond the radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Swirl {
    /// The point.
    pub centre: Point,
    /// Where it ends.
    pub radius: f64,
    /// Tangent of half the angle at the centre; positive from x to y.
    pub turn: f64,
}

impl Swirl {
    /// Turned by this (1) or back (-1) (M7). With the tangent of half the angle a
    /// turn needs no sine.
    fn turned(&self, p: Point, sign: f64) -> Point {
        let d = p - self.centre;
        let left = 1.0 - d.dot(d) / (self.radius * self.radius);
        if left <= 0.0 {
            return p;
        }
        let t = sign * self.turn * left * left;
        let (cos, sin) = ((1.0 - t * t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t));
        self.centre + d.out_of_frame(vec2(cos, sin))
    }
}

/// A needle led from one point to another: it takes the paint at its tip along,
/// and paint comes back on both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stylus {
    /// Where it enters.
    pub from: Point,
    /// Where it leaves.
    pub to: Point,
    /// How far from its path paint moves.
    pub reach: f64,
    /// Speed of the paint at the tip as a share of the tip's. At 1 it is carried
    /// along; less lets it slip, more takes a whole island along.
    pub grip: f64,
}

/// The stylus's two swirls, as shares of its reach: their distance from the path,
/// and their radius; together 1. Far apart, they push a blunt plug of paint; this
/// near, they draw it out to a point. Nearer, each must turn much further.
const STYLUS_SIDE: f64 = 0.15;
const STYLUS_SWIRL: f64 = 1.0 - STYLUS_SIDE;
/// How far the tip goes from one pair of swirls to the next, in reaches. Twice as
/// far leaves scallops along the path; half as far costs twice as much.
const STYLUS_STEP: f64 = 0.08;

impl Stylus {
    /// Led along its path, or the same way back (M8): pairs of swirls, one on each
    /// side, that travel with the tip. Which of a pair comes first alternates, so
    /// that neither side is favoured.
    fn led(&self, p: Point, sign: f64) -> Point {
        let way = self.to - self.from;
        let length = way.norm();
        if length == 0.0 || self.is_far(p, way, length) {
            return p;
        }
        let steps = (length / (STYLUS_STEP * self.reach)).ceil();
        let [left, right] = self.sides(way, length, steps);
        let mut p = p;
        for k in 0..steps as u32 {
            let k = if sign > 0.0 { f64::from(k) } else { steps - 1.0 - f64::from(k) };
            let tip = self.from + way * ((k + 0.5) / steps);
            let at = |s: Swirl| Swirl { centre: tip + s.centre, ..s };
            let left_first = (k % 2.0 == 0.0) == (sign > 0.0);
            let [first, second] = if left_first { [left, right] } else { [right, left] };
            p = at(second).turned(at(first).turned(p, sign), sign);
        }
        p
    }

    /// The two swirls of one step, about the tip.
    fn sides(&self, way: Point, length: f64, steps: f64) -> [Swirl; 2] {
        let (side, radius) = (STYLUS_SIDE * self.reach, STYLUS_SWIRL * self.reach);
        let left = 1.0 - side * side / (radius * radius);
        let turn = self.grip * length / steps / (4.0 * side * left * left);
        let normal = vec2(-way.y, way.x) * (side / length);
        [Swirl { centre: normal, radius, turn }, Swirl { centre: -normal, radius, turn: -turn }]
    }

    /// Is a point beyond the reach of the whole path?
    fn is_far(&self, p: Point, way: Point, length: f64) -> bool {
        let d = p - self.from;
        let along = (d.dot(way) / (length * length)).clamp(0.0, 1.0);
        let off = d - way * along;
        off.dot(off) >= self.reach * self.reach
    }
}

/// What moves paint and lays none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tool {
    /// One tooth.
    Tine(Tine),
    /// Many teeth.
    Comb(Comb),
    /// Many teeth that sway.
    WavyComb(WavyComb),
    /// A turn about a point.
    Swirl(Swirl),
    /// A needle.
    Stylus(Stylus),
}

impl Tool {
    /// Where paint goes.
    pub fn forward(&self, p: Point) -> Point {
        match self {
            Self::Tine(tine) => p + tine.shift(p),
            Self::Comb(comb) => p + comb.shift(p),
            Self::WavyComb(comb) => comb.drawn(p, 1.0),
            Self::Swirl(swirl) => swirl.turned(p, 1.0),
            Self::Stylus(stylus) => stylus.led(p, 1.0),
        }
    }

    /// Where paint came from.
    pub fn inverse(&self, p: Point) -> Point {
        match self {
            Self::Tine(tine) => p - tine.shift(p),
            Self::Comb(comb) => p - comb.shift(p),
            Self::WavyComb(comb) => comb.drawn(p, -1.0),
            Self::Swirl(swirl) => swirl.turned(p, -1.0),
            Self::Stylus(stylus) => stylus.led(p, -1.0),
        }
    }
}

/// Distance of a point from a line, with a sign.
fn across(p: Point, through: Point, direction: Point) -> f64 {
    (p - through).into_frame(direction).y
}
