//! Files and folders on their way: temporary until they are whole, and gone if they never are.
//!
//! Whatever is unfinished is locked by the process that makes it and listed, so that Ctrl-C
//! removes it. A process that is killed cannot; its locks end with it, and the next one that
//! writes to the same folder sweeps what is old and not locked.

use super::{folder_of, place};
use crate::failure::Failure;
use std::collections::BTreeSet;
use std::fs::{self, File, FileType, Permissions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tempfile::{Builder, NamedTempFile, TempDir};

/// What names of unfinished files begin and end with.
const PREFIX: &str = ".tbr-";
const SUFFIX: &str = ".tmp";
/// What names of scratch folders begin with; they lie where other programs' lie.
const SCRATCH_PREFIX: &str = "tbr-";
/// Unfinished files younger than this are left alone: between making one and locking it, it
/// looks like a dead process's.
const YOUNG: Duration = Duration::from_secs(60);

/// A file that lies beside its place until it is whole.
pub(super) struct TemporaryFile {
    pub file: NamedTempFile,
    _listed: Listed,
}

impl TemporaryFile {
    /// For a file at `place`.
    pub fn beside(place: &Path) -> Result<Self, Failure> {
        place::check_file(place)?;
        let folder = folder_of(place);
        sweep(folder, PREFIX);
        let mut builder = Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX);
        set_mode(&mut builder, 0o666);
        let made = Listed::new(|| builder.tempfile_in(folder), NamedTempFile::path);
        let (file, listed) = made.map_err(|e| unwritable(place, &e))?;
        let _ = file.as_file().try_lock();
        Ok(Self { file, _listed: listed })
    }

    /// The file appears at its place, whole: its bytes are on the disk before it has its name,
    /// and its name before this returns. Without `replace`, a file that is there stays.
    pub fn appear(self, place: &Path, replace: bool) -> Result<(), Failure> {
        let fails = |e: io::Error| Failure::file(place, e);
        if replace {
            keep_mode(self.file.as_file(), place).map_err(fails)?;
        }
        self.file.as_file().sync_all().map_err(fails)?;
        if replace {
            self.file.persist(place).map_err(|e| fails(e.error))?;
        } else {
            persist_new(self.file, place)?;
        }
        sync_folder(folder_of(place)).map_err(fails)
    }
}

/// A file takes a place where nothing may be.
fn persist_new(file: NamedTempFile, place: &Path) -> Result<(), Failure> {
    match file.persist_noclobber(place) {
        Ok(_) => Ok(()),
        Err(e) if e.error.kind() == ErrorKind::AlreadyExists => Err(place::there_already(place)),
        // Some file systems can only rename.
        Err(e) if !place.exists() => {
            e.file.persist(place).map(|_| ()).map_err(|e| Failure::file(place, e.error))
        }
        Err(_) => Err(place::there_already(place)),
    }
}

/// A folder that lies beside its place until all of its files are there.
pub struct FolderOutput {
    place: PathBuf,
    folder: TempDir,
    _lock: Option<File>,
    _listed: Listed,
}

impl FolderOutput {
    /// A folder to appear at `path`, where there is none, or an empty one, or one that `force`
    /// allows to be replaced and of which `is_own` knows every name in it.
    pub fn create(path: &Path, force: bool, is_own: fn(&str) -> bool) -> Result<Self, Failure> {
        super::check_new(path, force)?;
        let place = place::followed(path)?;
        if place.exists() {
            check_replaceable(&place, is_own)?;
        }
        let beside = folder_of(&place);
        sweep(beside, PREFIX);
        let mut builder = Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX);
        set_mode(&mut builder, 0o777);
        let made = Listed::new(|| builder.tempdir_in(beside), TempDir::path);
        let (folder, listed) = made.map_err(|e| unwritable(path, &e))?;
        Ok(Self { place, _lock: locked(folder.path()), folder, _listed: listed })
    }

    /// A new file in it. (None is made any more once the process is told to end.)
    pub fn file(&self, name: &str) -> io::Result<File> {
        let _going_on = unfinished();
        File::create_new(self.folder.path().join(name))
    }

    /// All files are there: the folder appears under its name, and what was there goes.
    pub fn finish(self) -> Result<(), Failure> {
        let fails = |e: io::Error| Failure::file(&self.place, e);
        sync_folder(self.folder.path()).map_err(fails)?;
        if self.place.exists() && fs::remove_dir(&self.place).is_err() {
            // The new one and the old one change places; the old one goes with this value.
            exchange(self.folder.path(), &self.place).map_err(fails)?;
            sync_folder(folder_of(&self.place)).map_err(fails)?;
            return self.folder.close().map_err(fails);
        }
        fs::rename(self.folder.path(), &self.place).map_err(fails)?;
        let _ = self.folder.keep();
        sync_folder(folder_of(&self.place)).map_err(fails)
    }
}

/// Two folders change places: at once where the system can do that.
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        if renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).is_ok() {
            return Ok(());
        }
    }
    let aside = one.with_extension("old");
    fs::rename(other, &aside)?;
    if let Err(e) = fs::rename(one, other) {
        fs::rename(&aside, other)?;
        return Err(e);
    }
    fs::rename(&aside, one)
}

/// Refuses to replace a folder with things in it that we did not make.
fn check_replaceable(folder: &Path, is_own: fn(&str) -> bool) -> Result<(), Failure> {
    let entries = folder.read_dir().map_err(|e| Failure::file(folder, e))?;
    for entry in entries {
        let name = entry.map_err(|e| Failure::file(folder, e))?.file_name();
        if !name.to_str().is_some_and(is_own) {
            let message = format!("holds other things too, such as {}", name.to_string_lossy());
            return Err(Failure::file(folder, message).hint("give another folder's name"));
        }
    }
    Ok(())
}

/// A private folder for files that are needed for a while; gone when it is dropped.
#[derive(Debug)]
pub struct ScratchFolder {
    folder: TempDir,
    _lock: Option<File>,
    _listed: Listed,
}

impl ScratchFolder {
    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Makes a private folder for files that are needed for a while.
pub fn scratch_folder() -> Result<ScratchFolder, Failure> {
    let parent = std::env::temp_dir();
    sweep(&parent, SCRATCH_PREFIX);
    let mut builder = Builder::new();
    builder.prefix(SCRATCH_PREFIX).suffix(SUFFIX);
    set_mode(&mut builder, 0o700);
    let made = Listed::new(|| builder.tempdir_in(&parent), TempDir::path);
    let (folder, listed) = made.map_err(|e| Failure::file(&parent, e))?;
    Ok(ScratchFolder { _lock: locked(folder.path()), folder, _listed: listed })
}

/// A folder, locked for as long as the file is open; none where folders cannot be.
fn locked(folder: &Path) -> Option<File> {
    let file = File::open(folder).ok()?;
    file.try_lock().is_ok().then_some(file)
}

#[cfg(unix)]
fn set_mode(builder: &mut Builder, mode: u32) {
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
}
#[cfg(not(unix))]
fn set_mode(_: &mut Builder, _: u32) {}

/// A file that takes the place of another gets its mode, and its owner where that is allowed.
fn keep_mode(file: &File, place: &Path) -> io::Result<()> {
    let Ok(old) = fs::metadata(place) else { return Ok(()) };
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let own = file.metadata()?;
        if (own.uid(), own.gid()) != (old.uid(), old.gid()) {
            let _ = fchown(file, Some(old.uid()), Some(old.gid()));
        }
    }
    let permissions: Permissions = old.permissions();
    file.set_permissions(permissions)
}

/// Names in a folder are on the disk. (Where folders cannot be synced, nothing more can be done.)
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(e) if matches!(e.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        // A folder may be written and not read: the system decides when its names are safe.
        Err(e) if e.kind() == ErrorKind::PermissionDenied => Ok(()),
        result => result,
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let source = std::error::Error::source(error);
    let problem = source.map_or_else(|| error.to_string(), ToString::to_string);
    Failure::file(path, format!("cannot be written: {problem}"))
}

/// Something unfinished that goes if the process is told to end; until this is dropped.
#[derive(Debug)]
pub(super) struct Listed(PathBuf);

impl Listed {
    /// Makes something that has a path, and lists it before anybody can look at the list.
    pub fn new<T>(
        make: impl FnOnce() -> io::Result<T>,
        path: impl FnOnce(&T) -> &Path,
    ) -> io::Result<(T, Self)> {
        let mut unfinished = unfinished();
        let made = make()?;
        let listed = Self(path(&made).to_owned());
        unfinished.push(listed.0.clone());
        drop(unfinished);
        Ok((made, listed))
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        unfinished().retain(|path| *path != self.0);
    }
}

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all that is unfinished, for a process that ends; nothing is begun any more.
pub(crate) fn remove_all() {
    let mut unfinished = unfinished();
    for path in unfinished.drain(..) {
        let _ = fs::remove_file(&path);
        let _ = fs::remove_dir_all(&path);
    }
    std::mem::forget(unfinished);
}

/// Removes what killed processes have left in a folder, once for each folder.
fn sweep(folder: &Path, prefix: &str) {
    static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let first = |mut swept: MutexGuard<BTreeSet<PathBuf>>| swept.insert(folder.to_owned());
    if !first(SWEPT.lock().unwrap_or_else(PoisonError::into_inner)) {
        return;
    }
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let name = entry.file_name();
        let named = name.to_str().is_some_and(|n| n.starts_with(prefix) && n.ends_with(SUFFIX));
        if named && let Ok(kind) = entry.file_type() {
            remove_abandoned(&entry.path(), kind);
        }
    }
}

/// Removes one unfinished file or folder if nobody works on it any more. (Another user's
/// cannot be opened or removed, and stays.)
fn remove_abandoned(path: &Path, kind: FileType) {
    let is_old = fs::symlink_metadata(path)
        .and_then(|metadata| metadata.modified())
        .is_ok_and(|time| time.elapsed().is_ok_and(|age| age > YOUNG));
    if !is_old || !(kind.is_file() || kind.is_dir()) {
        return;
    }
    let Ok(file) = File::open(path) else { return };
    match file.try_lock() {
        Ok(()) if kind.is_dir() => drop(fs::remove_dir_all(path)),
        Ok(()) => drop(fs::remove_file(path)),
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
    }
}
