//! The smaller commands of the lab, a file each.

pub mod calibrate;
pub mod check;
pub mod gradient;
