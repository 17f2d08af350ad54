//! Cells: regions of pixels that far strokes move as one.
//!
//! A pixel's path back through the program depends on no other pixel, but
//! neighbours travel together. A block of pixels is a tree: cells of 16 cells
//! each, down to leaves of 16 x 16 pixels. Every cell carries a 4 x 4 grid of
//! control points over the bounding box of its live pixels. A stroke that is far
//! from a cell moves only the grid; the cells inside learn of it when a near
//! stroke comes, by interpolation (*flush*). So most strokes cost one evaluation
//! for thousands of pixels, and only strokes near a leaf are evaluated at its
//! pixels. What happens there is the [`Payload`]'s affair: the hard render looks
//! for the first deposit, the relaxed one gathers colour and keeps a tape.

mod block;
mod bounds;
mod far;
mod layout;
mod motion;
mod order;
mod step;
mod tree;

pub(crate) use block::{Block, Carried};
pub(crate) use far::Prepared;
pub(crate) use layout::{LEAF_VECTORS, Window, bits, block_px, block_vectors, cells_at, runs};
pub(crate) use motion::{Motion, node_lanes};
pub(crate) use order::PixelOrder;
pub(crate) use step::{PreparedMove, PreparedStep, hard_steps, prepared_steps};
pub(crate) use tree::{CellId, Event, Payload, Tree};
