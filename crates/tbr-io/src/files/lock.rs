//! One process at a time for one output.

#[cfg(not(unix))]
use super::place::is_same;
use super::temporary::Listed;
use crate::failure::Failure;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// Keeps others from making the same file, until it is dropped: a hidden file beside it, locked
/// for as long as this process lives. What a killed process leaves of it is taken over.
pub struct Lock {
    path: PathBuf,
    file: Option<File>,
    _listed: Listed,
}

impl Lock {
    /// Takes the lock of an output, or says that somebody else has it.
    pub fn of(output: &Path) -> Result<Self, Failure> {
        let path = name_of(output);
        let cannot = |e| Failure::file(output, format!("cannot be locked: {e}"));
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(cannot)?;
        let taken = match file.try_lock() {
            // Its holder may have removed it between our opening and locking it.
            Ok(()) => !is_at(&file, &path),
            Err(TryLockError::WouldBlock) => true,
            // File systems that cannot lock are used without.
            Err(TryLockError::Error(_)) => false,
        };
        if taken {
            return Err(Failure::file(output, "another process is making this file")
                .hint("wait for it, or give -o another name"));
        }
        let (path, listed) = Listed::new(|| Ok(path), PathBuf::as_path).map_err(cannot)?;
        Ok(Self { path, file: Some(file), _listed: listed })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while it is locked, so that nobody finds it free and then gone.
        let _ = fs::remove_file(&self.path);
        drop(self.file.take());
    }
}

/// `.x.lock` for `x`.
fn name_of(output: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(output.file_name().unwrap_or_default());
    name.push(".lock");
    output.with_file_name(name)
}

/// Is an open file still the one that has this name?
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    is_same(path, path)
}
