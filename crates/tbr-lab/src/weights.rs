//! Where the networks' weights are, on the command line.

use std::ffi::OsString;
use std::path::Path;

/// The folder with the networks' weights.
#[derive(clap::Args)]
pub struct WeightsArgs {
    /// Folder with the networks' weights; scripts/fetch-weights fills one
    #[arg(long, value_name = "FOLDER", env = "TBR_WEIGHTS")]
    weights: Option<OsString>,
}

impl WeightsArgs {
    /// The folder, if one is named. An empty variable names none.
    pub fn folder(&self) -> Option<&Path> {
        self.weights.as_deref().filter(|folder| !folder.is_empty()).map(Path::new)
    }
}
