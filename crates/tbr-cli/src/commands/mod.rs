//! One file per verb. (Those for researchers come from the lab, with their arguments.)

pub mod animate;
pub mod completions;
pub mod edit;
pub mod export;
pub mod fit;
pub mod follow;
pub mod import;
pub mod info;
pub mod prune;
pub mod render;
pub mod report;
pub mod sample;
pub mod score;
pub mod studio;
pub mod trace;
pub mod uncomb;

use tbr::Operator;

/// For clap: an operator by name.
fn operator(name: &str) -> Result<Operator, String> {
    name.parse().map_err(|e: tbr::Error| e.to_string())
}
