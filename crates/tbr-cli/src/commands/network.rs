//! Where the networks' weights are.

use std::ffi::OsString;
use std::path::Path;

/// How to get what the networks need.
pub const GET_WEIGHTS: &str = "scripts/fetch-weights gets them; then give --weights weights, or set TBR_WEIGHTS to the folder";

#[derive(clap::Args)]
pub struct Networks {
    /// Folder with the networks' weights; scripts/fetch-weights fills one
    #[arg(long, value_name = "FOLDER", env = "TBR_WEIGHTS")]
    weights: Option<OsString>,
}

impl Networks {
    /// The folder, if one is named. An empty variable names none.
    pub fn folder(&self) -> Option<&Path> {
        self.weights.as_deref().filter(|folder| !folder.is_empty()).map(Path::new)
    }
}
