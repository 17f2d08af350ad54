//! Reading within bounds, and writing files that are either whole or not there.
//!
//! What is written is a temporary file beside its place until it is whole ([`Output`]); then it
//! is synced, takes its place, and the folder is synced too, so that a power cut leaves the old
//! file or the new one. What is there already is replaced only where somebody says so
//! ([`check_new`]), and links and modes are kept ([`place`]).

mod lock;
mod output;
pub mod place;
mod print;
mod read;
mod temporary;

pub use lock::Lock;
pub use output::{Output, check_writable, write_program};
pub use place::check_new;
pub use print::{print, print_json};
pub use read::{parse_program, read_bytes, read_program, read_text};
pub(crate) use temporary::remove_all;
pub use temporary::{FolderOutput, ScratchFolder, scratch_folder};

use crate::failure::Failure;
use std::path::Path;

/// What a program file's name ends in.
pub const ENDING: &str = ".tbr.json";

/// Stands for standard input or output.
pub const DASH: &str = "-";

/// Refuses a name that says that a file is no program.
pub fn check_program_name(path: &Path) -> Result<(), Failure> {
    if path == Path::new(DASH) || path.extension().is_some_and(|e| e == "json") {
        return Ok(());
    }
    let message = format!("{}: a program's name ends in .tbr.json", path.display());
    Err(Failure::usage(message).hint("name the output *.tbr.json"))
}

/// The folder that a file lies in.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests;
