//! One file per verb.

pub mod animate;
pub mod bench;
pub mod calibrate;
pub mod check;
pub mod completions;
mod digest;
pub mod edit;
mod engine;
pub mod export;
pub mod fit;
pub mod gradient;
mod html;
pub mod import;
pub mod info;
mod network;
pub mod prune;
pub mod render;
pub mod report;
pub mod reproduce;
pub mod sample;
pub mod score;
pub mod studio;
mod table;
pub mod trace;

use tbr::program::Operator;

/// The width at which programs are counted and scored, as in the paper.
pub const WIDTH_PX: u32 = 1024;

/// For clap: an operator by name.
fn operator(name: &str) -> Result<Operator, String> {
    name.parse().map_err(|e: tbr::Error| e.to_string())
}
