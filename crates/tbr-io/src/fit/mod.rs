//! Fits of files: targets, presets, progress, checkpoints and provenance.

pub mod checkpoint;
mod preset;
mod progress;
mod provenance;
mod target;

pub use preset::{Preset, choose_by, start_from};
pub use progress::{Progress, Style};
pub use provenance::{Belongs, FitRecord, matte_of};
pub use target::{Preparation, Prepared, fitted_size, longer_px};
