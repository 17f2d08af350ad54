//! TBR: programs of deposition strokes.
#![allow(missing_docs)]
pub mod dual;
pub mod lanes;
pub mod real;
pub mod stroke;
pub mod vec2;
