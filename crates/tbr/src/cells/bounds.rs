//! Axis-parallel bounding boxes of points.

use super::far::Prepared;
use super::tree::Cell;
use crate::numbers::Mask;
use crate::numbers::lanes::{LANES, Lanes, Scalar};
use crate::numbers::{Vec2, vec2};
use crate::stroke::Frame;

/// An axis-parallel box.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub low: Vec2<f64>,
    pub high: Vec2<f64>,
}

impl Bounds {
    #[inline(always)]
    pub fn of<V: Lanes>(points: Vec2<V>) -> Self {
        Self {
            low: vec2(points.x.smallest().to_f64(), points.y.smallest().to_f64()),
            high: vec2(points.x.largest().to_f64(), points.y.largest().to_f64()),
        }
    }

    pub fn centre(self) -> Vec2<f64> {
        (self.low + self.high) * 0.5
    }

    pub fn extent(self, least: f64) -> Vec2<f64> {
        let half = (self.high - self.low) * 0.5;
        vec2(half.x.max(least), half.y.max(least))
    }
}

/// The box around many vectors of points: lane by lane, until it is asked for.
pub(super) struct Span<V> {
    low: Vec2<V>,
    high: Vec2<V>,
}

impl<V: Lanes> Span<V> {
    #[inline(always)]
    pub fn empty(simd: V::Simd) -> Self {
        let far = V::splat(simd, V::Scalar::from_f64(1e30));
        Self { low: vec2(far, far), high: vec2(-far, -far) }
    }

    #[inline(always)]
    pub fn add(&mut self, p: Vec2<V>) {
        self.low = vec2(self.low.x.min(p.x), self.low.y.min(p.y));
        self.high = vec2(self.high.x.max(p.x), self.high.y.max(p.y));
    }

    /// Adds the lanes that the mask names.
    #[inline(always)]
    pub fn add_live(&mut self, p: Vec2<V>, live: V::Mask) {
        let low = vec2(self.low.x.min(p.x), self.low.y.min(p.y));
        let high = vec2(self.high.x.max(p.x), self.high.y.max(p.y));
        self.low = Vec2::select(live, low, self.low);
        self.high = Vec2::select(live, high, self.high);
    }

    #[inline(always)]
    pub fn bounds(&self) -> Bounds {
        Bounds { low: Bounds::of(self.low).low, high: Bounds::of(self.high).high }
    }
}

/// Sixteen boxes, for one test of a stroke against them all.
pub(super) struct Boxes<V: Lanes> {
    x: [V::Scalar; LANES],
    y: [V::Scalar; LANES],
    reach: [V::Scalar; LANES],
    depth: [V::Scalar; LANES],
}

impl<V: Lanes> Boxes<V> {
    #[inline(always)]
    pub fn new() -> Self {
        let zero = [V::Scalar::default(); LANES];
        Self { x: zero, y: zero, reach: zero, depth: zero }
    }

    /// Box `k` bounds this cell.
    #[inline(always)]
    pub fn set(&mut self, k: usize, cell: &Cell<V>) {
        let bounds = Bounds::of(cell.grid);
        self.depth[k] = cell.depth;
        let (centre, extent) = (bounds.centre(), bounds.extent(0.0));
        self.x[k] = V::Scalar::from_f64(centre.x);
        self.y[k] = V::Scalar::from_f64(centre.y);
        self.reach[k] = V::Scalar::from_f64((extent.x * extent.x + extent.y * extent.y).sqrt());
    }

    /// Centre and half-diagonal of box `k`.
    #[inline(always)]
    pub fn get(&self, k: usize) -> (Vec2<f64>, f64) {
        (vec2(self.x[k].to_f64(), self.y[k].to_f64()), self.reach[k].to_f64())
    }

    /// The boxes, a bit each, that the stroke is too near to be interpolated in.
    #[inline(always)]
    pub fn near(&self, simd: V::Simd, stroke: &Prepared<V::Scalar>, frame: &Frame<V>) -> u32 {
        let centre = vec2(V::load(simd, &self.x), V::load(simd, &self.y));
        let (reach, depth) = (V::load(simd, &self.reach), V::load(simd, &self.depth));
        stroke
            .is_far(
                #[inline(always)]
                |v| V::splat(simd, v),
                frame,
                centre,
                reach,
                depth,
            )
            .not()
            .bits()
    }
}
