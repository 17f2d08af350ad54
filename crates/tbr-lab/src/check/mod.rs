//! The paper's verification, recomputed: what holds exactly, how exactly, and how
//! far the operators are from the line source. Every table carries the paper's
//! figures beside ours.

mod calibrated;
mod detj;
mod foliation;
pub(crate) mod tables;
mod vjp;

pub use calibrated::{CalibratedCheck, CalibratedPaper, CalibratedRow, calibrated};
pub use detj::{DetjRow, detj};
pub use foliation::{FoliationRow, foliation};
pub use vjp::{VjpRow, vjp};

use serde::Serialize;

/// A figure of ours beside the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// What this code gives.
    pub measured: f64,
    /// What the paper prints.
    pub paper: f64,
}

/// The largest of some errors; not a number if any of them is.
fn worst(errors: impl IntoIterator<Item = f64>) -> f64 {
    let larger = |a: f64, b: f64| if a.is_nan() || b <= a { a } else { b };
    errors.into_iter().fold(0.0, larger)
}
