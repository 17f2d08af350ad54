//! Verbs of one file each.

pub mod calibrate;
pub mod check;
pub mod gradient;
