//! The fast hard render: far strokes move whole regions at once.
//!
//! A block of pixels is a tree: cells of 16 cells each, down to leaves of 8 x 8
//! pixels. Every cell carries a 4 x 4 grid of control points over the bounding
//! box of its live pixels. A stroke that is far from a cell moves only the grid;
//! the cells inside learn of it when a near stroke comes, by interpolation
//! (*flush*). A pixel is done when the first deposit contains it, a cell when
//! all its pixels are. So most strokes cost one evaluation for thousands of
//! pixels, and only strokes near a leaf are evaluated at its pixels.

use super::View;
use super::prepared::Prepared;
use crate::lanes::{LANES, Lanes, Scalar};
use crate::real::{Mask, Real};
use crate::stroke::{Frame, Transport};
use crate::vec2::{Vec2, vec2};
use fearless_simd::Simd;
use std::marker::PhantomData;
use std::ops::Range;

/// Pixels along the side of a leaf: four vectors of 4 x 4.
const LEAF_PX: u32 = 8;
/// Vectors of pixels in a leaf.
const LEAF_VECTORS: usize = 4;
/// Levels of cells above the pixels.
const LEVELS: usize = 3;
/// Pixels along the side of a block.
pub(super) const BLOCK_PX: u32 = LEAF_PX << (2 * (LEVELS - 1));

/// Where the control points lie on [-1, 1] along either axis. The ends are
/// among them, so that the grid bounds what it carries.
const NODES: [f64; 4] = [-1.0, -1.0 / 3.0, 1.0 / 3.0, 1.0];

/// A cell never gets narrower than this share of a pixel.
const LEAST_EXTENT_PX: f64 = 1e-3;

/// The pixels of a view that a block holds, at most `BLOCK_PX` each way.
pub(super) struct Window {
    pub columns: Range<u32>,
    pub rows: Range<u32>,
}

/// One cell.
#[derive(Clone, Copy)]
struct Cell<V: Lanes> {
    /// Where the control points are now.
    grid: Vec2<V>,
    /// Where they were when the cells inside last learned of it.
    rest: Vec2<V>,
    /// Centre of the box that `rest` spans.
    centre: Vec2<V::Scalar>,
    /// One over half the box's sides.
    per_extent: Vec2<V::Scalar>,
    /// Has `grid` moved away from `rest`?
    moved: bool,
    /// The cells inside, or the vectors of a leaf, that still have live pixels.
    live: u32,
}

/// An axis-parallel box.
#[derive(Clone, Copy)]
struct Bounds {
    low: Vec2<f64>,
    high: Vec2<f64>,
}

impl Bounds {
    const EMPTY: Self = Self {
        low: Vec2 { x: f64::INFINITY, y: f64::INFINITY },
        high: Vec2 { x: f64::NEG_INFINITY, y: f64::NEG_INFINITY },
    };

    fn union(self, other: Self) -> Self {
        Self {
            low: vec2(self.low.x.min(other.low.x), self.low.y.min(other.low.y)),
            high: vec2(self.high.x.max(other.high.x), self.high.y.max(other.high.y)),
        }
    }

    #[inline(always)]
    fn of<V: Lanes>(points: Vec2<V>) -> Self {
        Self {
            low: vec2(points.x.smallest().to_f64(), points.y.smallest().to_f64()),
            high: vec2(points.x.largest().to_f64(), points.y.largest().to_f64()),
        }
    }

    fn centre(self) -> Vec2<f64> {
        (self.low + self.high) * 0.5
    }

    fn extent(self, least: f64) -> Vec2<f64> {
        let half = (self.high - self.low) * 0.5;
        vec2(half.x.max(least), half.y.max(least))
    }
}

/// Sixteen boxes, for one test of a stroke against them all.
struct Boxes<V: Lanes> {
    x: [V::Scalar; LANES],
    y: [V::Scalar; LANES],
    reach: [V::Scalar; LANES],
}

impl<V: Lanes> Boxes<V> {
    #[inline(always)]
    fn new() -> Self {
        let zero = [V::Scalar::default(); LANES];
        Self { x: zero, y: zero, reach: zero }
    }

    /// Box `k` bounds these points.
    #[inline(always)]
    fn set(&mut self, k: usize, points: Vec2<V>) {
        let bounds = Bounds::of(points);
        let (centre, extent) = (bounds.centre(), bounds.extent(0.0));
        self.x[k] = V::Scalar::from_f64(centre.x);
        self.y[k] = V::Scalar::from_f64(centre.y);
        self.reach[k] = V::Scalar::from_f64((extent.x * extent.x + extent.y * extent.y).sqrt());
    }

    /// The boxes, a bit each, that the stroke is too near to be interpolated in.
    #[inline(always)]
    fn near(&self, simd: V::Simd, stroke: &Prepared<V::Scalar>, frame: &Frame<V>) -> u32 {
        let centre = vec2(V::load(simd, &self.x), V::load(simd, &self.y));
        stroke.is_far(simd, frame, centre, V::load(simd, &self.reach)).not().bits()
    }
}

/// A block of pixels on its way back through the program.
pub(super) struct Block<'a, V: Lanes, O> {
    simd: V::Simd,
    strokes: &'a [Prepared<V::Scalar>],
    /// `cells[level]`: level 0 holds the leaves; cell `n`'s inner cells are `16 n ..`.
    cells: [Vec<Cell<V>>; LEVELS],
    /// Positions of the pixels, a vector each for 4 x 4 of them.
    pixels: Vec<Vec2<V>>,
    /// Which lanes of `pixels` are still on their way.
    live: Vec<u32>,
    /// Number of the owning stroke, by vector and lane.
    owners: Vec<[u32; LANES]>,
    /// Least half-side of a cell, canvas units.
    least_extent: f64,
    operator: PhantomData<O>,
}

/// Column and row of lane or inner cell `k` in its 4 x 4.
fn place(k: usize) -> (u32, u32) {
    ((k % 4) as u32, (k / 4) as u32)
}

impl<'a, V: Lanes, O: Transport> Block<'a, V, O> {
    /// Walks all strokes and gives the owners of the pixels of `window`, row by
    /// row, `BLOCK_PX` to a row; pixels outside the window stay 0.
    pub fn owners(
        simd: V::Simd,
        strokes: &'a [Prepared<V::Scalar>],
        view: &View,
        window: &Window,
    ) -> Vec<u32> {
        let mut block = Self::new(simd, strokes, view, window);
        block.walk();
        block.rows()
    }

    fn new(
        simd: V::Simd,
        strokes: &'a [Prepared<V::Scalar>],
        view: &View,
        window: &Window,
    ) -> Self {
        let leaves = LANES.pow(LEVELS as u32 - 1);
        let pixel = view.pixel();
        let zero = V::splat(simd, V::Scalar::from_f64(0.0));
        let empty = Cell {
            grid: vec2(zero, zero),
            rest: vec2(zero, zero),
            centre: Vec2::default(),
            per_extent: Vec2::default(),
            moved: false,
            live: 0,
        };
        let mut block = Self {
            simd,
            strokes,
            cells: std::array::from_fn(|level| vec![empty; LANES.pow((LEVELS - 1 - level) as u32)]),
            pixels: Vec::with_capacity(leaves * LEAF_VECTORS),
            live: Vec::with_capacity(leaves * LEAF_VECTORS),
            owners: vec![[0; LANES]; leaves * LEAF_VECTORS],
            least_extent: LEAST_EXTENT_PX * pixel.x.min(pixel.y),
            operator: PhantomData,
        };
        for vector in 0..leaves * LEAF_VECTORS {
            block.add_pixels(view, window, vector);
        }
        block.settle_all();
        block
    }

    /// The pixels of one vector: those outside the window are not live.
    fn add_pixels(&mut self, view: &View, window: &Window, vector: usize) {
        let (column, row) = first_pixel(vector);
        let at = |lane: usize| {
            let (x, y) = place(lane);
            (window.columns.start + column + x, window.rows.start + row + y)
        };
        let inside = |&lane: &usize| {
            let (i, j) = at(lane);
            window.columns.contains(&i) && window.rows.contains(&j)
        };
        let centres: [_; LANES] = std::array::from_fn(|lane| view.centre(at(lane).0, at(lane).1));
        self.live.push((0..LANES).filter(inside).fold(0, |mask, lane| mask | 1 << lane));
        self.pixels.push(vec2(
            V::load(self.simd, &centres.map(|c| V::Scalar::from_f64(c.x))),
            V::load(self.simd, &centres.map(|c| V::Scalar::from_f64(c.y))),
        ));
    }

    /// Lays every grid for the first time, leaves first.
    fn settle_all(&mut self) {
        self.simd.vectorize(
            #[inline(always)]
            || {
                for level in 0..LEVELS {
                    for cell in 0..self.cells[level].len() {
                        self.settle(level, cell);
                    }
                }
            },
        );
    }

    fn walk(&mut self) {
        let strokes = self.strokes;
        let top = LEVELS - 1;
        for (index, stroke) in strokes.iter().enumerate().rev() {
            if self.cells[top][0].live == 0 {
                break;
            }
            self.simd.vectorize(
                #[inline(always)]
                || self.pass_top(stroke, index as u32 + 1),
            );
        }
    }

    #[inline(always)]
    fn pass_top(&mut self, stroke: &Prepared<V::Scalar>, number: u32) {
        let top = LEVELS - 1;
        let frame = stroke.splat(self.simd);
        let mut boxes = Boxes::<V>::new();
        boxes.set(0, self.cells[top][0].grid);
        if boxes.near(self.simd, stroke, &frame) & 1 == 0 {
            self.carry(top, 0, &frame);
        } else {
            self.meet(top, 0, stroke, &frame, number);
        }
    }

    /// A far stroke moves the cell's control points and nothing else.
    fn carry(&mut self, level: usize, cell: usize, frame: &Frame<V>) {
        if O::MOVES {
            let cell = &mut self.cells[level][cell];
            cell.moved = true;
            self.simd.vectorize(
                #[inline(always)]
                || cell.grid = O::psi(frame, cell.grid),
            );
        }
    }

    /// A near stroke is passed on to the cells inside, or to the pixels.
    fn meet(
        &mut self,
        level: usize,
        cell: usize,
        stroke: &Prepared<V::Scalar>,
        frame: &Frame<V>,
        number: u32,
    ) {
        let simd = self.simd;
        simd.vectorize(
            #[inline(always)]
            || {
                self.flush(level, cell);
                if level == 0 {
                    self.meet_pixels(cell, frame, number);
                } else {
                    self.meet_cells(level, cell, stroke, frame, number);
                }
                self.settle(level, cell);
            },
        );
    }

    #[inline(always)]
    fn meet_cells(
        &mut self,
        level: usize,
        cell: usize,
        stroke: &Prepared<V::Scalar>,
        frame: &Frame<V>,
        number: u32,
    ) {
        let inner = level - 1;
        let mut live = self.cells[level][cell].live;
        let mut boxes = Boxes::<V>::new();
        for_each_bit(live, |k| boxes.set(k, self.cells[inner][cell * LANES + k].grid));
        let near = boxes.near(self.simd, stroke, frame);
        for_each_bit(live & !near, |k| self.carry(inner, cell * LANES + k, frame));
        for_each_bit(live & near, |k| {
            let child = cell * LANES + k;
            self.meet(inner, child, stroke, frame, number);
            if self.cells[inner][child].live == 0 {
                live &= !(1 << k);
            }
        });
        self.cells[level][cell].live = live;
    }

    #[inline(always)]
    fn meet_pixels(&mut self, cell: usize, frame: &Frame<V>, number: u32) {
        for_each_bit(self.cells[0][cell].live, |k| {
            let vector = cell * LEAF_VECTORS + k;
            let (covered, before) = O::step(frame, self.pixels[vector]);
            self.pixels[vector] = before;
            let hit = covered.bits() & self.live[vector];
            self.live[vector] &= !hit;
            for_each_bit(hit, |lane| self.owners[vector][lane] = number);
        });
    }

    /// Tells the cells or pixels inside how the grid has moved.
    #[inline(always)]
    fn flush(&mut self, level: usize, cell: usize) {
        let this = self.cells[level][cell];
        if !this.moved {
            return;
        }
        let motion = Motion::new(self.simd, &this);
        if level == 0 {
            for_each_bit(this.live, |k| {
                let pixels = &mut self.pixels[cell * LEAF_VECTORS + k];
                *pixels = motion.apply(*pixels);
            });
        } else {
            for_each_bit(this.live, |k| {
                let inner = &mut self.cells[level - 1][cell * LANES + k];
                inner.grid = motion.apply(inner.grid);
                inner.moved = true;
            });
        }
    }

    /// Lays the grid anew over what the cell holds now.
    #[inline(always)]
    fn settle(&mut self, level: usize, cell: usize) {
        let mut bounds = Bounds::EMPTY;
        let mut live = 0;
        if level == 0 {
            for k in 0..LEAF_VECTORS {
                let vector = cell * LEAF_VECTORS + k;
                if self.live[vector] != 0 {
                    live |= 1 << k;
                    bounds = bounds.union(self.live_bounds(vector));
                }
            }
        } else {
            for k in 0..LANES {
                let inner = &self.cells[level - 1][cell * LANES + k];
                if inner.live != 0 {
                    live |= 1 << k;
                    bounds = bounds.union(Bounds::of(inner.grid));
                }
            }
        }
        if live != 0 {
            self.lay(level, cell, bounds);
        }
        self.cells[level][cell].live = live;
    }

    #[inline(always)]
    fn live_bounds(&self, vector: usize) -> Bounds {
        let p = self.pixels[vector];
        let mask = V::mask(self.simd, self.live[vector]);
        let far = p.x.lit(1e30);
        let low = vec2(V::select(mask, p.x, far), V::select(mask, p.y, far));
        let high = vec2(V::select(mask, p.x, -far), V::select(mask, p.y, -far));
        Bounds { low: Bounds::of(low).low, high: Bounds::of(high).high }
    }

    #[inline(always)]
    fn lay(&mut self, level: usize, cell: usize, bounds: Bounds) {
        let (centre, extent) = (bounds.centre(), bounds.extent(self.least_extent));
        let scalar = V::Scalar::from_f64;
        let splat = |v: f64| V::splat(self.simd, scalar(v));
        let (u, v) = node_lanes::<V>(self.simd);
        let rest = vec2(
            u.mul_add(splat(extent.x), splat(centre.x)),
            v.mul_add(splat(extent.y), splat(centre.y)),
        );
        let cell = &mut self.cells[level][cell];
        cell.grid = rest;
        cell.rest = rest;
        cell.centre = vec2(scalar(centre.x), scalar(centre.y));
        cell.per_extent = vec2(scalar(1.0 / extent.x), scalar(1.0 / extent.y));
        cell.moved = false;
    }

    fn rows(&self) -> Vec<u32> {
        let mut out = vec![0; (BLOCK_PX * BLOCK_PX) as usize];
        for (vector, owners) in self.owners.iter().enumerate() {
            let (column, row) = first_pixel(vector);
            for (lane, owner) in owners.iter().enumerate() {
                let (x, y) = place(lane);
                out[((row + y) * BLOCK_PX + column + x) as usize] = *owner;
            }
        }
        out
    }
}

/// First column and row of a vector of pixels in its block.
fn first_pixel(vector: usize) -> (u32, u32) {
    let (mut cell, k) = (vector / LEAF_VECTORS, vector % LEAF_VECTORS);
    let (mut column, mut row) = (k as u32 % 2 * 4, k as u32 / 2 * 4);
    let mut side = LEAF_PX;
    for _ in 1..LEVELS {
        let (x, y) = place(cell % LANES);
        column += x * side;
        row += y * side;
        side *= 4;
        cell /= LANES;
    }
    (column, row)
}

#[inline(always)]
fn for_each_bit(mut bits: u32, mut f: impl FnMut(usize)) {
    while bits != 0 {
        f(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

#[inline(always)]
fn node_lanes<V: Lanes>(simd: V::Simd) -> (V, V) {
    let node = |k: usize| V::Scalar::from_f64(NODES[k]);
    (
        V::load(simd, &std::array::from_fn(|lane| node(lane % 4))),
        V::load(simd, &std::array::from_fn(|lane| node(lane / 4))),
    )
}

/// How a cell's box has moved: displacements of its control points, to be
/// interpolated. (Displacements, not positions: they are small, and so is their
/// rounding.)
struct Motion<V: Lanes> {
    simd: V::Simd,
    centre: Vec2<V>,
    per_extent: Vec2<V>,
    x: [V::Scalar; LANES],
    y: [V::Scalar; LANES],
}

impl<V: Lanes> Motion<V> {
    #[inline(always)]
    fn new(simd: V::Simd, cell: &Cell<V>) -> Self {
        let splat = |v: Vec2<V::Scalar>| vec2(V::splat(simd, v.x), V::splat(simd, v.y));
        let displacement = cell.grid - cell.rest;
        Self {
            simd,
            centre: splat(cell.centre),
            per_extent: splat(cell.per_extent),
            x: displacement.x.to_array(),
            y: displacement.y.to_array(),
        }
    }

    /// The point moved along.
    #[inline(always)]
    fn apply(&self, p: Vec2<V>) -> Vec2<V> {
        let offset = p - self.centre;
        let across = weights(offset.x * self.per_extent.x);
        let down = weights(offset.y * self.per_extent.y);
        let mut out = p;
        for j in 0..4 {
            let row = |values: &[V::Scalar; LANES]| {
                let at = |i: usize| V::splat(self.simd, values[4 * j + i]);
                let right = across[3].mul_add(at(3), across[2] * at(2));
                across[0].mul_add(at(0), across[1].mul_add(at(1), right))
            };
            out.x = down[j].mul_add(row(&self.x), out.x);
            out.y = down[j].mul_add(row(&self.y), out.y);
        }
        out
    }
}

/// Cubic Lagrange weights of [`NODES`] at `u`.
#[inline(always)]
fn weights<R: Real>(u: R) -> [R; 4] {
    let square = u.squared();
    let inner = (square - u.lit(1.0 / 9.0)) * u.lit(9.0 / 16.0);
    let outer = (square - u.lit(1.0)) * u.lit(27.0 / 16.0);
    let third = u.lit(1.0 / 3.0);
    [
        inner * (u.lit(1.0) - u),
        outer * (u - third),
        -(outer * (u + third)),
        inner * (u + u.lit(1.0)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{F64s, with_simd};
    use crate::prior;
    use crate::program::Operator;
    use crate::stroke::{Calibrated, Capsule, Drops};
    use fearless_simd::Level;

    /// The largest error of bicubic interpolation over boxes that pass as far,
    /// as a share of the error that should pass.
    fn worst_error<V: Lanes<Scalar = f64>, O: Transport>(
        simd: V::Simd,
        operator: Operator,
        bound: f64,
    ) -> f64 {
        let program = prior::program(400, 1.0, 11).unwrap();
        let (u, v) = node_lanes::<V>(simd);
        let splat = |value| V::splat(simd, value);
        let mut worst = 0.0f64;
        for (i, stroke) in program.strokes.iter().enumerate() {
            let prepared = Prepared::new(&stroke.shape, operator, bound);
            let frame = prepared.splat(simd);
            for (k, other) in program.strokes.iter().enumerate().skip(i % 3).step_by(3) {
                // Boxes from a thousandth to a tenth of the canvas, at other strokes' anchors.
                let side = 0.001 * libm::pow(100.0, k as f64 / 400.0);
                let extent = vec2(splat(side), splat(side * 0.7));
                let anchor = other.shape.anchor;
                let centre = vec2(splat(anchor.x), splat(anchor.y));
                let reach = extent.dot(extent).sqrt();
                if !prepared.is_far(simd, &frame, centre, reach).any() {
                    continue;
                }
                let at =
                    |u: V, v: V| vec2(u.mul_add(extent.x, centre.x), v.mul_add(extent.y, centre.y));
                let rest = at(u, v);
                let cell = Cell {
                    grid: O::psi(&frame, rest),
                    rest,
                    centre: anchor,
                    per_extent: vec2(1.0 / side, 1.0 / (side * 0.7)),
                    moved: true,
                    live: 0,
                };
                for share in [0.3, 0.6667, 0.9] {
                    let share = u.lit(share);
                    let probe = at(u * share, v * share);
                    let error = Motion::new(simd, &cell).apply(probe) - O::psi(&frame, probe);
                    worst = worst.max(error.dot(error).sqrt().largest());
                }
            }
        }
        worst / bound
    }

    #[test]
    fn far_strokes_are_interpolated_within_the_bound() {
        use Operator::{Calibrated as C, Capsule as A, Drops as D};
        for bound in [1e-5, 1e-6, 1e-8] {
            let worst = [
                with_simd!(Level::new(), simd => worst_error::<F64s<_>, Capsule>(simd, A, bound)),
                with_simd!(Level::new(), simd => worst_error::<F64s<_>, Calibrated>(simd, C, bound)),
                with_simd!(Level::new(), simd => worst_error::<F64s<_>, Drops>(simd, D, bound)),
            ];
            assert!(worst.iter().all(|w| *w <= 1.0), "{worst:?} of the bound {bound}");
            assert!(worst.iter().all(|w| *w > 0.05), "{worst:?}: the test sees nothing");
        }
    }
}
