//! Input and output for every front end: pictures and films read and written, stroke lists,
//! reports, checkpoints, provenance, and files that appear whole or not at all.
//!
//! It prints nothing but what [`tell!`] and the progress bars say on standard error, and knows
//! no arguments: those are the command's.

#[macro_use]
mod tell;

mod failure;

pub mod caught;
pub mod digest;
pub mod edit;
pub mod ffmpeg;
pub mod files;
pub mod film;
pub mod fit;
pub mod frames;
pub mod html;
pub mod interrupt;
pub mod memory;
pub mod networks;
pub mod palette;
pub mod picture;
pub mod progress;
pub mod reel;
pub mod report;
pub mod stroke_list;
pub mod table;
pub mod tools;
pub mod words;

pub use failure::{Failure, FailureKind};
pub use tell::{listen, tell};

/// The width at which programs are counted and scored, as in the paper.
pub const WIDTH_PX: u32 = 1024;
