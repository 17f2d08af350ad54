//! TBR: programs of deposition strokes, as in paper marbling.
//!
//! A stroke lays down a capsule of paint and pushes all earlier paint aside
//! without changing its area. A [`program::Program`] is an ordered list of
//! strokes; [`render`] replays it at any size. `ARCHITECTURE.md` tells the
//! reading order, `docs/math.md` the equations.

pub mod adjoint;
pub mod animate;
pub mod calibrate;
mod cells;
pub mod check;
pub mod colour;
pub mod compensate;
pub mod dual;
pub mod edit;
pub mod error;
pub mod fit;
pub mod format;
pub mod info;
pub mod lanes;
pub mod maps;
pub mod network;
pub mod outline;
pub mod prior;
pub mod program;
pub mod prune;
pub mod raster;
pub mod real;
pub mod render;
pub mod sample;
pub mod score;
pub mod stroke;
pub mod stroke_list;
pub mod svg;
pub mod trace;
pub mod vec2;
mod view;

pub use error::{Error, Result};
