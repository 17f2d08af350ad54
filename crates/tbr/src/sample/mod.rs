//! Marbled sheets of our own, drawn with the classical closed-form maps: pictures
//! that are good to look at, free to ship, and targets for a fit.
//!
//! A [`Sheet`] is drops and tools in the order in which they are used. The colour
//! at a point is found by going back through them, from the last to the first,
//! until a drop holds the point. [`Pattern`] names the sheets that there are.

mod combed;
mod flowers;
mod ground;
mod maps;
mod pattern;
mod render;
#[cfg(test)]
mod tests;

pub use maps::{Comb, PaintDrop, Point, Stylus, Swirl, Teeth, Tine, Tool, WavyComb};
pub use pattern::{MAX_ASPECT, Pattern};
pub use render::SAMPLES;

use crate::program::Colour;

/// One step of a marbler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// A drop of paint of some colour.
    Drop(PaintDrop, Colour),
    /// A tool drawn through what is there.
    Tool(Tool),
}

/// A marbled sheet, 1 wide.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// Its height.
    pub height: f64,
    /// The colour of the bare paper.
    pub paper: Colour,
    /// What is done, in order.
    pub steps: Vec<Step>,
}

impl Sheet {
    /// The colour at a point: that of the last drop that its paint belongs to.
    pub fn colour_at(&self, mut p: Point) -> Colour {
        for step in self.steps.iter().rev() {
            match step {
                Step::Tool(tool) => p = tool.inverse(p),
                Step::Drop(drop, colour) => match drop.inverse(p) {
                    Some(before) => p = before,
                    None => return *colour,
                },
            }
        }
        self.paper
    }
}
