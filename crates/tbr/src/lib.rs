//! TBR: programs of deposition strokes, as in paper marbling.
//!
//! A stroke lays down a capsule of paint and pushes all earlier paint aside without changing
//! its area. A [`Program`] is an ordered list of strokes. [`render()`] replays it at any size,
//! [`gradient`] differentiates its picture with respect to every number in it, [`Fit`] finds
//! one for a picture, and [`edit`] changes one stroke by stroke, with the paint flowing anew.
//!
//! ```
//! use tbr::{Paint, Parts, Program, Shape, Stroke, vec2};
//!
//! # fn main() -> tbr::Result<()> {
//! let red = [0.8, 0.2, 0.1];
//! let drop = Shape::drop(vec2(0.5, 0.5), 0.2);
//! let line = Shape::line(vec2(0.3, 0.5), vec2(0.4, 0.0), 0.05);
//! let strokes = [(drop, red), (line, [1.0; 3])]
//!     .map(|(shape, colour)| Stroke { shape, paint: Paint::Own(colour) });
//! let program = Program::new(Parts { strokes: strokes.to_vec(), ..Parts::default() })?;
//!
//! let image = tbr::render(&program, 256)?;
//! assert_eq!(image.row(128)[128], [1.0; 3]); // the line lies across the middle,
//! assert_eq!(image.row(80)[128], red); // and has pushed the drop apart.
//!
//! let text = tbr::format::write(&program); // what a *.tbr.json file holds
//! assert_eq!(tbr::format::parse(text.as_bytes())?, program);
//! # Ok(())
//! # }
//! ```
//!
//! `ARCHITECTURE.md` tells the reading order, `docs/math.md` the equations, `docs/format.md`
//! the file.

// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod adjoint;
pub mod animate;
mod cells;
pub mod chain;
pub mod edit;
mod error;
pub mod explain;
pub mod fit;
pub mod image;
pub mod info;
pub mod numbers;
pub mod outline;
mod parallel;
pub mod prior;
pub mod program;
pub mod prune;
pub mod reel;
pub mod render;
pub mod sample;
pub mod score;
pub mod stroke;
pub mod tool;
pub mod trace;

pub use adjoint::gradient;
pub use error::{Error, Result};
pub use fit::{Fit, Target};
pub use image::{Image, Region, View};
pub use numbers::lanes::check_machine;
pub use numbers::{Vec2, vec2};
pub use parallel::Stop;
pub use program::{Colour, Paint, Parts, Program, Provenance, Stroke, colour, format};
pub use render::{Replay, render};
pub use stroke::{Operator, Shape};
pub use tool::Tool;
