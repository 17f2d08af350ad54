//! Where a file is to lie: through links, beside its inputs, over nothing that somebody wants.

use super::{DASH, folder_of};
use crate::failure::Failure;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// Links that are followed before they are called a circle, as systems do.
const MOST_LINKS: usize = 40;

/// The place that a name leads to through symbolic links, whether or not something is there: a
/// link stays a link, and what it points at is written.
pub(super) fn followed(path: &Path) -> Result<PathBuf, Failure> {
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&place) {
            Ok(to) => place = folder_of(&place).join(to),
            Err(_) => return Ok(place),
        }
    }
    Err(Failure::file(path, "is a circle of links"))
}

/// Refuses a file or folder that is there already, unless `force` allows it to be replaced.
/// (A folder with nothing in it is as good as none.)
pub fn check_new(path: &Path, force: bool) -> Result<(), Failure> {
    let is_empty = || path.read_dir().is_ok_and(|mut entries| entries.next().is_none());
    if force || path == Path::new(DASH) || !path.exists() || is_empty() {
        return Ok(());
    }
    Err(there_already(path))
}

pub(super) fn there_already(path: &Path) -> Failure {
    Failure::file(path, "is there already").hint("--force replaces it")
}

/// Refuses a place where no file can be written: a folder, a device, a file that is read-only.
pub(super) fn check_file(path: &Path) -> Result<(), Failure> {
    let Ok(metadata) = fs::metadata(path) else { return Ok(()) };
    if metadata.is_dir() {
        return Err(Failure::file(path, "is a directory"));
    }
    if !metadata.is_file() {
        return Err(Failure::file(path, "is not a file that can be replaced")
            .hint("- stands for standard output"));
    }
    if metadata.permissions().readonly() {
        return Err(Failure::file(path, "is read-only")
            .hint("give another name, or allow it to be written"));
    }
    Ok(())
}

/// Refuses outputs that are inputs at the same time, under whatever names: each file is
/// recognised by what it is, not by what it is called.
pub fn check_apart(outputs: &[&Path], inputs: &[&Path]) -> Result<(), Failure> {
    for output in outputs {
        if let Some(input) = inputs.iter().find(|input| is_same(output, input)) {
            let message = format!("would be written over {}, which is read", input.display());
            return Err(Failure::usage(message)
                .in_file(output)
                .hint("give the output another name, or another folder"));
        }
    }
    Ok(())
}

/// Are two names of one file? False where one of them is not there.
pub fn is_same(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(a), Ok(b)) => same_file(&a, &b, one, other),
        _ => false,
    }
}

#[cfg(unix)]
fn same_file(a: &Metadata, b: &Metadata, _: &Path, _: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn same_file(_: &Metadata, _: &Metadata, one: &Path, other: &Path) -> bool {
    one.canonicalize().ok().is_some_and(|one| other.canonicalize().is_ok_and(|o| o == one))
}
