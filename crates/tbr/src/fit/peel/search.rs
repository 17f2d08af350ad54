//! The search for the next stroke: capsules over paint of nearly one colour that
//! differs from what is about it.

use super::sheet::PointSheet;
use crate::numbers::lanes::{LANES, Lanes};
use crate::numbers::{Vec2, vec2};
use crate::program::Colour;
use crate::stroke::{Bow, Shape};
use rand::{Rng, RngExt};
use std::f64::consts::PI;

/// Lengths over half-widths that are tried at every seed.
const ASPECTS: [f64; 4] = [0.0, 1.5, 4.0, 9.0];
/// The longest that a stroke may grow when it is refined.
const MOST_ASPECT: f64 = 14.0;
/// Directions that are tried at every seed.
const DIRECTIONS: usize = 8;
/// Areas that are tried at every seed, as multiples of the mean that is due.
const AREAS: [f64; 4] = [0.5, 0.7, 1.4, 2.0];
/// How small and how large a stroke may get when it is refined, by the same measure.
const LEAST_AREA: f64 = 0.25;
const MOST_AREA: f64 = 4.0;
/// Random changes tried on a stroke that has been chosen.
const REFINEMENTS: usize = 40;
/// How much the first of them change a bend, at most.
const BEND_SWING: f64 = 0.6;
/// The most that a stroke is bent by them.
const MOST_BEND: f64 = 1.5;

/// A capsule by its middle, so that its area can be kept while its form changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct MidCapsule {
    pub mid: Vec2<f64>,
    angle: f64,
    aspect: f64,
    pub area: f64,
    bend: f64,
}

/// A capsule and what it is worth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub capsule: MidCapsule,
    pub worth: f64,
    /// What it gains on the picture alone.
    pub gain: f64,
}

/// The objective of the search.
pub(super) struct Aim<'a> {
    /// Mean area of the strokes to come.
    pub area: f64,
    /// What a unit of area costs.
    pub price: f64,
    /// How much a stroke's own error counts against it.
    pub strictness: f64,
    /// Drops only.
    pub drops: bool,
    /// May strokes bend?
    pub bends: bool,
    /// The colours there are; empty for any.
    pub palette: &'a [Colour],
}

impl MidCapsule {
    fn round(mid: Vec2<f64>, area: f64) -> Self {
        Self { mid, angle: 0.0, aspect: 0.0, area, bend: 0.0 }
    }

    fn half_width(&self) -> f64 {
        (self.area / (2.0 * self.aspect + PI)).sqrt()
    }

    /// As far from the middle as any point, or a little farther.
    pub fn reach(&self) -> f64 {
        let half = (0.5 * self.aspect + 1.0) * self.half_width();
        let risen = self.bow().map_or(0.0, |bow| bow.rise(half).abs());
        half + risen
    }

    /// How it bends, if it does.
    fn bow(&self) -> Option<Bow<f64>> {
        let half_width = self.half_width();
        (self.bend != 0.0).then(|| Bow::new(self.bend, self.aspect * half_width, half_width))
    }

    /// Does it hold a point?
    pub fn holds(&self, at: Vec2<f64>) -> bool {
        let (at, half_width) = (at - self.mid, self.half_width());
        let at = at.into_frame(vec2(libm::cos(self.angle), libm::sin(self.angle)));
        let aside = at.y - self.bow().map_or(0.0, |bow| bow.rise(at.x));
        let past = (at.x.abs() - 0.5 * self.aspect * half_width).max(0.0);
        libm::hypot(past, aside) <= half_width
    }

    pub fn shape(&self) -> Shape {
        let half_width = self.half_width();
        let direction = vec2(libm::cos(self.angle), libm::sin(self.angle));
        let offset = direction * (self.aspect * half_width);
        Shape::line(self.mid - offset * 0.5, offset, half_width).with_bend(self.bend)
    }

    /// The same, changed a little at random.
    fn changed(&self, rng: &mut impl Rng, size: f64, bends: bool) -> Self {
        let mut swing = || size * (2.0 * rng.random::<f64>() - 1.0);
        let mid = self.mid + vec2(swing(), swing()) * self.half_width();
        let angle = self.angle + swing() * PI / DIRECTIONS as f64;
        let aspect = (self.aspect + 1.0) * libm::exp(0.5 * swing()) - 1.0;
        let area = self.area * libm::exp(0.3 * swing());
        let bend = if bends { self.bend + BEND_SWING * swing() } else { self.bend };
        let bend = bend.clamp(-MOST_BEND, MOST_BEND);
        Self { mid, angle, aspect: aspect.clamp(0.0, MOST_ASPECT), area, bend }
    }
}

/// Points about a seed, sixteen to a vector.
pub(super) struct Neighbours<V> {
    origin: Vec2<f64>,
    points: Vec<Neighbour<V>>,
}

/// Place, weight, colour and square of the colour times weight, and gain.
struct Neighbour<V> {
    at: Vec2<V>,
    values: [V; 6],
}

impl<V: Lanes<Scalar = f32>> Neighbours<V> {
    /// The sheet's points within `reach` of `origin`, and a few more.
    #[inline(always)]
    pub fn gather(simd: V::Simd, sheet: &PointSheet, origin: Vec2<f64>, reach: f64) -> Self {
        let (x, y, reach) = (origin.x as f32, origin.y as f32, reach as f32);
        let (left, top) = sheet.cells.at(vec2(x - reach, y - reach));
        let (right, bottom) = sheet.cells.at(vec2(x + reach, y + reach));
        let mut points = Vec::new();
        let mut batch = NeighbourBatch::new();
        for row in top..=bottom {
            for k in sheet.row(left..right + 1, row) {
                let (dx, dy) = (sheet.x[k] - x, sheet.y[k] - y);
                if dx * dx + dy * dy <= reach * reach {
                    batch.push(sheet, k, (dx, dy));
                    if batch.count == LANES {
                        points.push(batch.load(simd));
                        batch = NeighbourBatch::new();
                    }
                }
            }
        }
        if batch.count > 0 {
            points.push(batch.load(simd));
        }
        Self { origin, points }
    }

    /// What a capsule is worth here.
    #[inline(always)]
    pub fn judge(&self, simd: V::Simd, capsule: MidCapsule, aim: &Aim) -> Candidate {
        let [weight, r, g, b, square, gain] = self.tally(simd, &capsule);
        let error = error(weight, [r, g, b], square, aim.palette);
        let gain = gain - aim.strictness * error;
        Candidate { capsule, worth: gain - aim.price * capsule.area, gain }
    }

    /// Sums over the points in a capsule.
    #[inline(always)]
    fn tally(&self, simd: V::Simd, capsule: &MidCapsule) -> [f64; 6] {
        let splat = |v: f64| V::splat(simd, v as f32);
        let half_width = capsule.half_width();
        let (dx, dy) = (splat(libm::cos(capsule.angle)), splat(libm::sin(capsule.angle)));
        let (half, square) =
            (splat(0.5 * capsule.aspect * half_width), splat(half_width * half_width));
        let from = capsule.mid - self.origin;
        let from = vec2(splat(from.x), splat(from.y));
        let bow = capsule.bow().map(|bow| bow.map(splat));
        let zero = square.zero();
        let mut sums = [zero; 6];
        for Neighbour { at, values } in &self.points {
            let at = *at - from;
            let along = at.x.mul_add(dx, at.y * dy);
            let aside = at.y.mul_add(dx, -(at.x * dy));
            let aside = match &bow {
                Some(bow) => aside - bow.rise(along),
                None => aside,
            };
            let past = (along.abs() - half).max(zero);
            let inside = past.mul_add(past, aside.squared()).le(square);
            for c in 0..6 {
                sums[c] = sums[c] + V::select(inside, values[c], zero);
            }
        }
        let [a, b, c, d, e, f] = sums;
        [a.sum(), b.sum(), c.sum(), d.sum(), e.sum(), f.sum()]
    }

    /// The best capsule about the origin.
    #[inline(always)]
    pub fn best(&self, simd: V::Simd, aim: &Aim) -> Candidate {
        let round = MidCapsule::round(self.origin, aim.area);
        let mut best = self.judge(simd, round, aim);
        let aspects = if aim.drops { &[] } else { &ASPECTS[1..] };
        for aspect in aspects {
            for direction in 0..DIRECTIONS {
                let angle = PI * direction as f64 / DIRECTIONS as f64;
                let capsule = MidCapsule { angle, aspect: *aspect, ..round };
                best = best.or(self.judge(simd, capsule, aim));
            }
        }
        let form = best.capsule;
        for share in AREAS {
            let capsule = MidCapsule { area: share * aim.area, ..form };
            best = best.or(self.judge(simd, capsule, aim));
        }
        best
    }

    /// A candidate, bettered by random changes: wide ones, then narrow ones.
    #[inline(always)]
    pub fn refined(
        &self,
        simd: V::Simd,
        mut best: Candidate,
        aim: &Aim,
        rng: &mut impl Rng,
    ) -> Candidate {
        for trial in 0..REFINEMENTS {
            let size = if trial < REFINEMENTS / 2 { 1.0 } else { 0.4 };
            let mut capsule = best.capsule.changed(rng, size, aim.bends);
            capsule.area = capsule.area.clamp(LEAST_AREA * aim.area, MOST_AREA * aim.area);
            if aim.drops {
                capsule.aspect = 0.0;
            }
            best = best.or(self.judge(simd, capsule, aim));
        }
        best
    }
}

/// How far from a seed its candidates reach.
pub(super) fn reach_of_all(area: f64) -> f64 {
    let largest = ASPECTS[ASPECTS.len() - 1];
    let area = area * AREAS[AREAS.len() - 1];
    MidCapsule { aspect: largest, ..MidCapsule::round(vec2(0.0, 0.0), area) }.reach()
}

impl Candidate {
    /// The better of two.
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        if other.worth > self.worth { other } else { self }
    }
}

/// Sum of squared distances from the best single colour.
fn error(weight: f64, sum: [f64; 3], square: f64, palette: &[Colour]) -> f64 {
    let dot = |a: &[f64; 3]| a[0] * sum[0] + a[1] * sum[1] + a[2] * sum[2];
    if weight <= 0.0 {
        return 0.0;
    }
    if palette.is_empty() {
        return (square - dot(&sum) / weight).max(0.0);
    }
    let own = |p: &Colour| weight * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    let errors = palette.iter().map(|p| square - 2.0 * dot(p) + own(p));
    errors.fold(f64::MAX, f64::min).max(0.0)
}

/// Up to sixteen neighbours; the missing ones lie far away.
struct NeighbourBatch {
    at: [[f32; LANES]; 2],
    values: [[f32; LANES]; 6],
    count: usize,
}

/// Farther than any capsule reaches, canvas units.
const FAR: f32 = 1e6;

impl NeighbourBatch {
    #[inline(always)]
    fn new() -> Self {
        Self { at: [[FAR; LANES]; 2], values: [[0.0; LANES]; 6], count: 0 }
    }

    #[inline(always)]
    fn push(&mut self, sheet: &PointSheet, point: usize, (dx, dy): (f32, f32)) {
        let (sample, lane) = (sheet.samples[point], self.count);
        let [r, g, b] = sample.colour;
        let w = sample.weight;
        let values = [w, w * r, w * g, w * b, w * (r * r + g * g + b * b), sheet.gain[point]];
        (self.at[0][lane], self.at[1][lane]) = (dx, dy);
        for (lanes, value) in self.values.iter_mut().zip(values) {
            lanes[lane] = value;
        }
        self.count += 1;
    }

    #[inline(always)]
    fn load<V: Lanes<Scalar = f32>>(&self, simd: V::Simd) -> Neighbour<V> {
        let [a, b, c, d, e, f] = &self.values;
        let load = |v: &[f32; LANES]| V::load(simd, v);
        Neighbour {
            at: vec2(load(&self.at[0]), load(&self.at[1])),
            values: [load(a), load(b), load(c), load(d), load(e), load(f)],
        }
    }
}
