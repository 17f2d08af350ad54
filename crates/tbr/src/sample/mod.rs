//! Recipes of marbled sheets: programs of drops and tools, good to look at, free to ship, and
//! targets for a fit.
//!
//! [`Pattern`] names those that there are. Each is a few lines: throws of drops on a bath,
//! then tools in words.

mod bath;
mod combed;
mod flowers;
mod pattern;
mod stones;
#[cfg(test)]
mod tests;

pub use pattern::{MAX_ASPECT, Pattern};

use crate::error::Result;
use crate::program::Program;
use crate::render::{Replay, ReplayOptions, View};

/// Samples along each side of a pixel of a sheet's picture: with fewer, combed lines show
/// steps; with more, nothing is seen to change.
pub const SAMPLES: u32 = 3;

/// A sheet as it is meant to be seen.
pub fn picture(program: &Program, view: View) -> Result<Replay> {
    Replay::new(program, view, &ReplayOptions { samples: SAMPLES, ..ReplayOptions::default() })
}
