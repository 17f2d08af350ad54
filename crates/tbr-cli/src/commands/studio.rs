//! `tbr studio`.

use std::path::{Path, PathBuf};
use tbr_io::Failure;
use tbr_lab::WeightsArgs;
use tbr_studio::ServeOptions;

#[derive(clap::Args)]
pub struct Args {
    /// A program, *.tbr.json, or a picture to open first
    file: Option<PathBuf>,
    /// Do not open the browser; its address is printed anyway
    #[arg(long)]
    no_open: bool,
    /// The port to listen on, on this machine only; one that is free if not given
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// A folder that the page may save files in; nothing there is replaced
    #[arg(long, value_name = "FOLDER")]
    save_folder: Option<PathBuf>,
    #[command(flatten)]
    network: WeightsArgs,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    tbr_studio::serve(ServeOptions {
        file: args.file.clone(),
        port: args.port,
        browser: !args.no_open,
        save_folder: args.save_folder.clone(),
        weights: args.network.folder().map(Path::to_owned),
    })
}
