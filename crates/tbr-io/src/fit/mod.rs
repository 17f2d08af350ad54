//! Fits of files: targets, presets, budgets, progress, checkpoints and provenance.

pub mod budget;
pub mod checkpoint;
mod fewest;
pub mod list;
mod preset;
mod progress;
mod provenance;
mod target;
mod wishes;

pub use fewest::{Fewest, Next};
pub use list::Shard;
pub use preset::{Preset, choose_by, start_from};
pub use progress::{Progress, Style};
pub use provenance::{Belongs, FitRecord, matte_of, options_of};
pub use target::{Preparation, Prepared, fitted_size, longer_px};
pub use wishes::Wishes;
