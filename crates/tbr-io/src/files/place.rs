//! Where a file is to lie: through links, beside its inputs, over nothing that somebody wants.

use super::{DASH, folder_of};
use crate::failure::Failure;
use std::collections::HashMap;
use std::fs;
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

/// Files that are read, recognised by what they are, not by what they are called.
#[derive(Default)]
pub struct Inputs(HashMap<Identity, PathBuf>);

impl Inputs {
    /// Files of those names. (What is not there, or is standard input, is passed over.)
    pub fn of<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Self {
        let known = |path: &'a Path| Some((identity(path)?, path.to_owned()));
        Self(paths.into_iter().filter(|path| *path != Path::new(DASH)).filter_map(known).collect())
    }

    /// Refuses outputs that are among them, under whatever names.
    pub fn check_apart(&self, outputs: &[&Path]) -> Result<(), Failure> {
        for output in outputs {
            if let Some(input) = identity(output).and_then(|identity| self.0.get(&identity)) {
                let message = format!("would be written over {}, which is read", input.display());
                return Err(Failure::usage(message)
                    .in_file(output)
                    .hint("give the output another name, or another folder"));
            }
        }
        Ok(())
    }
}

/// Are two names of one file? False where one of them is not there.
pub fn is_same(one: &Path, other: &Path) -> bool {
    identity(one).is_some_and(|one| identity(other) == Some(one))
}

/// What a file is, whatever it is called.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

/// That of a file; none where none is there.
#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Identity> {
    path.canonicalize().ok()
}
