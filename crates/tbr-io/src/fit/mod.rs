//! Fits of files: from a picture to what is fitted, how it goes on, and what is kept of it.

pub mod checkpoint;
mod preset;
mod progress;
mod provenance;
mod target;

pub use preset::{Preset, bound_stages, start_from};
pub use progress::{Progress, Style};
pub use provenance::{FitRecord, matte_of};
pub use target::{Preparation, Prepared, fitted_size};
