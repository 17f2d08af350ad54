//! The lab: the verbs for researchers, with their arguments, and the mathematics that only they
//! need. [`check`](mod@check) verifies the maps, [`calibrate`](mod@calibrate) fits one of them,
//! [`compensate`](mod@compensate) is the paper's closed-form baseline, [`bench`](mod@bench)
//! measures this machine, [`reproduce`] runs the paper's experiments.

mod archive;
pub mod bench;
pub mod calibrate;
pub mod check;
pub mod compensate;
mod engine;
mod fits;
mod preset;
pub mod reproduce;
mod subject;
pub mod verbs;
mod weights;

pub use preset::{error_by, preset};
pub use weights::WeightsArgs;
