//! The tree of cells over a block of pixels, and its traversal by the steps of a program, from
//! the last to the first.

#[cfg(test)]
mod tests;

use super::block::Block;
use super::bounds::{Bounds, Boxes, Span};
use super::layout::{LEAF_VECTORS, bits, block_vectors, cells_at};
use super::motion::{Motion, node_lanes};
use super::step::{LaneStep, PreparedStep};
use crate::image::View;
use crate::numbers::lanes::{LANES, Lanes, Scalar};
use crate::numbers::{Vec2, vec2};
use crate::stroke::{Frame, Hard, vectorized};
use crate::tool::Move;

/// A cell never gets narrower than this share of a pixel.
const LEAST_EXTENT_PX: f64 = 1e-3;

/// One cell.
#[derive(Clone, Copy)]
pub(crate) struct Cell<V: Lanes> {
    /// Where the control points are now.
    pub grid: Vec2<V>,
    /// Where they were when the cells inside last learned of it.
    pub rest: Vec2<V>,
    /// Centre of the box that `rest` spans.
    pub centre: Vec2<V::Scalar>,
    /// One over half the box's sides.
    pub per_extent: Vec2<V::Scalar>,
    /// Has `grid` moved away from `rest`?
    moved: bool,
    /// The cells inside, or the vectors of a leaf, that still have live pixels.
    live: u32,
    /// How many rims beyond a deposit's edge its coverage still counts here.
    pub depth: V::Scalar,
}

/// The part of a traversal that differs between renders: what happens at the pixels, and what
/// is recorded for a backward pass.
pub(crate) trait Payload<V: Lanes> {
    /// Which lanes of a vector are to be walked, given those inside the window.
    fn start(&mut self, inside: u32) -> u32;

    /// A leaf meets a stroke (by its index): moves the pixels of its vectors
    /// that the bits of `live` name to before it, and takes from `lanes` what is done.
    fn meet(
        &mut self,
        leaf: usize,
        stroke: (usize, &Frame<V>),
        live: u32,
        pixels: &mut [Vec2<V>],
        lanes: &mut [u32],
    );

    /// A leaf meets a tool: moves the pixels of its vectors that the bits of `live` name to
    /// before it.
    fn drag(&mut self, leaf: usize, tool: &Move<f64>, live: u32, pixels: &mut [Vec2<V>]);

    /// How many rims beyond a deposit's edge its coverage still counts in a leaf.
    #[inline(always)]
    fn depth(&self, _leaf: usize) -> V::Scalar {
        V::Scalar::default()
    }

    /// Called with each event that a backward pass needs.
    #[inline(always)]
    fn note(&mut self, _event: Event<V>) {}
}

/// A cell by level and place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellId {
    pub level: u8,
    pub index: u16,
}

/// An event of a traversal.
pub(crate) enum Event<V: Lanes> {
    /// A step (counted from 0) begins.
    Step(usize),
    /// A far step carries a cell whose control points are here.
    Carry(CellId, Vec2<V>),
    /// A cell's inner control points, or a vector of its pixels, will follow its
    /// motion from here.
    Follow(Vec2<V>),
    /// Those that the bits name have followed.
    Followed(CellId, u32, Motion<V>),
    /// A cell's grid has been laid anew.
    Settle(CellId),
}

/// The state of a traversal: a block of pixels, moved back through the strokes so far.
pub(crate) struct Tree<'a, V: Lanes, P> {
    simd: V::Simd,
    kernel: &'a dyn Hard<V>,
    steps: &'a [PreparedStep<V::Scalar>],
    /// `cells[level]`: level 0 holds the leaves; cell `n`'s inner cells are `16 n ..`.
    cells: Vec<Vec<Cell<V>>>,
    /// Positions of the pixels, a vector each for 4 x 4 of them.
    pixels: Vec<Vec2<V>>,
    /// Which lanes of `pixels` are still on their way.
    live: Vec<u32>,
    pub payload: P,
    /// Least half-side of a cell, canvas units.
    least_extent: f64,
}

impl<'a, V: Lanes, P: Payload<V>> Tree<'a, V, P> {
    /// The pixels of a block under so many levels of cells, ready to walk.
    pub fn new(
        simd: V::Simd,
        kernel: &'a dyn Hard<V>,
        steps: &'a [PreparedStep<V::Scalar>],
        (view, pixels): (&View, &Block<V>),
        levels: usize,
        payload: P,
    ) -> Self {
        let pixel = view.pixel();
        let zero = V::splat(simd, V::Scalar::from_f64(0.0));
        let empty = Cell {
            grid: vec2(zero, zero),
            rest: vec2(zero, zero),
            centre: Vec2::default(),
            per_extent: Vec2::default(),
            moved: false,
            live: 0,
            depth: V::Scalar::default(),
        };
        let mut block = Self {
            simd,
            kernel,
            steps,
            cells: (0..levels).map(|level| vec![empty; cells_at(level, levels)]).collect(),
            pixels: Vec::with_capacity(block_vectors(levels)),
            live: Vec::with_capacity(block_vectors(levels)),
            payload,
            least_extent: LEAST_EXTENT_PX * pixel.x.min(pixel.y),
        };
        for vector in 0..block_vectors(levels) {
            block.add_pixels(view, pixels, vector);
        }
        block.settle_all();
        block
    }

    /// The pixels of one vector: lanes without one are not live.
    fn add_pixels(&mut self, view: &View, pixels: &Block<V>, vector: usize) {
        let places = pixels.pixels(vector);
        let inside =
            (0..LANES).fold(0, |mask, lane| mask | u32::from(places[lane].is_some()) << lane);
        self.live.push(self.payload.start(inside));
        self.pixels.push(pixels.positions(self.simd, view, vector));
    }

    /// Lays every grid for the first time, leaves first.
    fn settle_all(&mut self) {
        vectorized!(self.simd, {
            for level in 0..self.cells.len() {
                for cell in 0..self.cells[level].len() {
                    self.settle(level, cell);
                }
            }
        });
    }

    /// Meets every step, the last first, until nothing is live.
    pub fn walk(&mut self) {
        let steps = self.steps;
        let top = self.cells.len() - 1;
        for (index, step) in steps.iter().enumerate().rev() {
            if self.cells[top][0].live == 0 {
                break;
            }
            self.payload.note(Event::Step(index));
            vectorized!(self.simd, self.pass_top(step));
        }
    }

    #[inline(always)]
    fn pass_top(&mut self, step: &PreparedStep<V::Scalar>) {
        let top = self.cells.len() - 1;
        let step = LaneStep::new(self.simd, step);
        let mut boxes = Boxes::<V>::new();
        boxes.set(0, &self.cells[top][0]);
        let verdict = step.judge(self.simd, &boxes, 1);
        if verdict.near != 0 {
            self.meet(top, 0, &step);
        } else if verdict.carried != 0 {
            self.carry(top, 0, &step);
        }
    }

    /// A far step moves the cell's control points and nothing else.
    fn carry(&mut self, level: usize, cell: usize, step: &LaneStep<V>) {
        if step.moves(self.kernel) {
            let this = &mut self.cells[level][cell];
            this.moved = true;
            self.payload.note(Event::Carry(id(level, cell), this.grid));
            this.grid = step.psi(self.simd, self.kernel, this.grid);
        }
    }

    /// A near step is passed on to the cells inside, or to the pixels.
    fn meet(&mut self, level: usize, cell: usize, step: &LaneStep<V>) {
        vectorized!(self.simd, {
            self.flush(level, cell);
            if level == 0 {
                self.meet_pixels(cell, step);
            } else {
                self.meet_cells(level, cell, step);
            }
            self.settle(level, cell);
        });
    }

    #[inline(always)]
    fn meet_cells(&mut self, level: usize, cell: usize, step: &LaneStep<V>) {
        let inner = level - 1;
        let mut live = self.cells[level][cell].live;
        let mut boxes = Boxes::<V>::new();
        for k in bits(live) {
            boxes.set(k, &self.cells[inner][cell * LANES + k]);
        }
        let verdict = step.judge(self.simd, &boxes, live);
        for k in bits(verdict.carried) {
            self.carry(inner, cell * LANES + k, step);
        }
        for k in bits(verdict.near) {
            let child = cell * LANES + k;
            self.meet(inner, child, step);
            if self.cells[inner][child].live == 0 {
                live &= !(1 << k);
            }
        }
        self.cells[level][cell].live = live;
    }

    #[inline(always)]
    fn meet_pixels(&mut self, cell: usize, step: &LaneStep<V>) {
        let vectors = cell * LEAF_VECTORS..(cell + 1) * LEAF_VECTORS;
        let (pixels, lanes) = (&mut self.pixels[vectors.clone()], &mut self.live[vectors]);
        let live = self.cells[0][cell].live;
        match step {
            LaneStep::Stroke(index, _, frame) => {
                self.payload.meet(cell, (*index, frame), live, pixels, lanes);
            }
            LaneStep::Move(prepared) => self.payload.drag(cell, prepared.tool(), live, pixels),
        }
    }

    /// Tells the cells or pixels inside how the grid has moved.
    #[inline(always)]
    fn flush(&mut self, level: usize, cell: usize) {
        let this = self.cells[level][cell];
        if !this.moved {
            return;
        }
        let motion = Motion::new(&this);
        for k in bits(this.live) {
            let points = if level == 0 {
                &mut self.pixels[cell * LEAF_VECTORS + k]
            } else {
                let inner = &mut self.cells[level - 1][cell * LANES + k];
                inner.moved = true;
                &mut inner.grid
            };
            self.payload.note(Event::Follow(*points));
            *points = motion.apply(self.simd, *points);
        }
        self.payload.note(Event::Followed(id(level, cell), this.live, motion));
    }

    /// Lays the grid anew over what the cell holds now.
    #[inline(always)]
    fn settle(&mut self, level: usize, cell: usize) {
        let mut span = Span::empty(self.simd);
        let mut live = 0;
        let mut depth = V::Scalar::default();
        if level == 0 {
            depth = self.payload.depth(cell);
            for k in 0..LEAF_VECTORS {
                let vector = cell * LEAF_VECTORS + k;
                if self.live[vector] != 0 {
                    live |= 1 << k;
                    span.add_live(self.pixels[vector], V::mask(self.simd, self.live[vector]));
                }
            }
        } else {
            for k in 0..LANES {
                let inner = &self.cells[level - 1][cell * LANES + k];
                if inner.live != 0 {
                    live |= 1 << k;
                    span.add(inner.grid);
                    if depth < inner.depth {
                        depth = inner.depth;
                    }
                }
            }
        }
        if live != 0 {
            self.payload.note(Event::Settle(id(level, cell)));
            self.lay(level, cell, span.bounds());
        }
        self.cells[level][cell].live = live;
        self.cells[level][cell].depth = depth;
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
}

fn id(level: usize, index: usize) -> CellId {
    CellId { level: level as u8, index: index as u16 }
}
