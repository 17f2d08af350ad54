//! Reading programs, and writing files that are either whole or not there.

use crate::failure::Failure;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};
use tbr::program::Program;
use tempfile::{NamedTempFile, PersistError, TempDir};

/// What a program file's name ends in.
pub const ENDING: &str = ".tbr.json";

/// Stands for standard input or output.
pub const DASH: &str = "-";

/// Reads a program from a file, or from standard input for `-`.
pub fn read_program(path: &Path) -> Result<Program, Failure> {
    let program = if path == Path::new(DASH) {
        tbr::format::read(io::stdin().lock())
    } else {
        tbr::format::read(open(path)?)
    };
    program.map_err(|e| in_program(e, path))
}

/// A program from the bytes of a file; `path` is where they came from.
pub fn parse_program(bytes: &[u8], path: &Path) -> Result<Program, Failure> {
    tbr::format::read(bytes).map_err(|e| in_program(e, path))
}

fn in_program(error: tbr::Error, path: &Path) -> Failure {
    let name = if path == Path::new(DASH) { Path::new("standard input") } else { path };
    Failure::from(error).in_file(name)
}

/// Reads a text file, or standard input for `-`.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    let read = if path == Path::new(DASH) {
        io::stdin().lock().read_to_string(&mut text)
    } else {
        open(path)?.read_to_string(&mut text)
    };
    read.map(|_| text).map_err(|e| Failure::file(path, e))
}

/// Reads a file of at most `most` bytes, or standard input for `-`.
pub fn read_bytes(path: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = if path == Path::new(DASH) {
        io::stdin().lock().take(most + 1).read_to_end(&mut bytes)
    } else {
        open(path)?.take(most + 1).read_to_end(&mut bytes)
    };
    read.map_err(|e| Failure::file(path, e))?;
    if bytes.len() as u64 > most {
        return Err(Failure::limit(format!("is larger than {most} bytes")).in_file(path));
    }
    Ok(bytes)
}

fn open(path: &Path) -> Result<File, Failure> {
    let file = File::open(path).map_err(|e| Failure::file(path, e))?;
    match file.metadata() {
        Ok(metadata) if metadata.is_dir() => Err(Failure::file(path, "is a directory")),
        _ => Ok(file),
    }
}

/// Refuses a name that says that a file is no program.
pub fn check_program_name(path: &Path) -> Result<(), Failure> {
    if path == Path::new(DASH) || path.extension().is_some_and(|e| e == "json") {
        return Ok(());
    }
    let message = format!("{}: a program's name ends in .tbr.json", path.display());
    Err(Failure::usage(message).hint("name the output *.tbr.json"))
}

/// Writes a program to a file that does not exist, or that `force` allows to be replaced.
pub fn write_program(program: &Program, path: &Path, force: bool) -> Result<(), Failure> {
    let mut output = Output::create_new(path, force)?;
    let text = tbr::format::write(program);
    output.write_all(text.as_bytes()).map_err(|e| output.failure(e))?;
    output.finish()
}

/// Where output goes: a temporary file beside the one that was asked for, until
/// [`Output::finish`] renames it; or standard output.
pub struct Output {
    path: PathBuf,
    writer: BufWriter<Target>,
}

enum Target {
    File(NamedTempFile),
    Stdout(io::Stdout),
}

impl Output {
    /// Opens the output; fails at once if it cannot be written.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let target = if path == Path::new(DASH) {
            Target::Stdout(io::stdout())
        } else {
            Target::File(temporary_beside(path)?)
        };
        Ok(Self { path: path.to_owned(), writer: BufWriter::with_capacity(1 << 20, target) })
    }

    /// Opens an output that does not exist yet, or that `force` allows to be replaced.
    pub fn create_new(path: &Path, force: bool) -> Result<Self, Failure> {
        check_new(path, force)?;
        Self::create(path)
    }

    /// A failure to write here.
    pub fn failure(&self, problem: impl std::fmt::Display) -> Failure {
        Failure::file(&self.path, problem)
    }

    /// Writes over bytes that were written before, at a place counted from the start.
    pub fn patch(&mut self, at: u64, bytes: &[u8]) -> Result<(), Failure> {
        let patched = self.writer.flush().and_then(|()| match self.writer.get_mut() {
            Target::Stdout(_) => Err(io::Error::from(io::ErrorKind::NotSeekable)),
            Target::File(file) => {
                file.seek(SeekFrom::Start(at))?;
                file.write_all(bytes)?;
                file.seek(SeekFrom::End(0)).map(|_| ())
            }
        });
        patched.map_err(|e| self.failure(e))
    }

    /// Everything is written: the file appears under its name.
    pub fn finish(self) -> Result<(), Failure> {
        self.appear(NamedTempFile::persist)
    }

    /// The same, unless there is such a file by now: that one stays.
    pub fn finish_new(self) -> Result<(), Failure> {
        self.appear(NamedTempFile::persist_noclobber)
    }

    fn appear(
        self,
        persist: fn(NamedTempFile, PathBuf) -> Result<File, PersistError>,
    ) -> Result<(), Failure> {
        let Self { path, writer } = self;
        match writer.into_inner().map_err(|e| Failure::file(&path, e.error()))? {
            Target::Stdout(mut out) => out.flush().map_err(|e| Failure::file(&path, e)),
            Target::File(file) => {
                let temporary = file.path().to_owned();
                persist(file, path.clone()).map_err(|e| Failure::file(&path, e.error))?;
                unfinished().retain(|p| *p != temporary);
                Ok(())
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Stdout(out) => out.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Stdout(out) => out.flush(),
        }
    }
}

fn temporary_beside(path: &Path) -> Result<NamedTempFile, Failure> {
    if path.is_dir() {
        return Err(Failure::file(path, "is a directory"));
    }
    if path.exists() && !path.is_file() {
        return Err(Failure::file(path, "is not a file that can be replaced")
            .hint("- stands for standard output"));
    }
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tbr-").suffix(".tmp");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = builder.tempfile_in(folder).map_err(|e| {
        let problem =
            std::error::Error::source(&e).map_or_else(|| e.to_string(), ToString::to_string);
        Failure::file(path, format!("cannot be written: {problem}"))
    })?;
    unfinished().push(file.path().to_owned());
    Ok(file)
}

/// A folder for files that are needed for a while; gone when it is dropped.
pub fn scratch_folder() -> Result<TempDir, Failure> {
    let folder = tempfile::Builder::new()
        .prefix("tbr-")
        .tempdir()
        .map_err(|e| Failure::file(&std::env::temp_dir(), e))?;
    unfinished().push(folder.path().to_owned());
    Ok(folder)
}

/// The temporary files and folders that exist now.
fn unfinished() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    UNFINISHED.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Can a file be written? Fails as [`Output::create`] would, and leaves nothing behind.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    if path == Path::new(DASH) {
        return Ok(());
    }
    let file = temporary_beside(path)?;
    let temporary = file.path().to_owned();
    file.close().map_err(|e| Failure::file(path, e))?;
    unfinished().retain(|p| *p != temporary);
    Ok(())
}

/// Refuses a file or folder that is there already, unless `force` allows it to be replaced.
/// (A folder with nothing in it is as good as none.)
pub fn check_new(path: &Path, force: bool) -> Result<(), Failure> {
    let is_empty = || path.read_dir().is_ok_and(|mut entries| entries.next().is_none());
    if force || path == Path::new(DASH) || !path.exists() || is_empty() {
        return Ok(());
    }
    Err(Failure::file(path, "is there already").hint("--force replaces it"))
}

/// Is Ctrl-C to end the process at once, is it to be noted, or has it been?
static INTERRUPT: AtomicU8 = AtomicU8::new(AT_ONCE);
const AT_ONCE: u8 = 0;
const NOTED: u8 = 1;
const PRESSED: u8 = 2;

/// From now on the first Ctrl-C is only noted, for [`interrupted`] to tell: whoever calls
/// this stops soon. A second one ends the process.
pub fn finish_on_interrupt() {
    let _ = INTERRUPT.compare_exchange(AT_ONCE, NOTED, Ordering::SeqCst, Ordering::SeqCst);
}

/// Has Ctrl-C been pressed since [`finish_on_interrupt`]?
pub fn interrupted() -> bool {
    INTERRUPT.load(Ordering::SeqCst) == PRESSED
}

/// Ctrl-C and termination leave no temporary file behind.
pub fn remove_unfinished_on_interrupt() -> Result<(), Failure> {
    ctrlc::set_handler(|| {
        let noted = INTERRUPT.compare_exchange(NOTED, PRESSED, Ordering::SeqCst, Ordering::SeqCst);
        if noted.is_ok() {
            tell!("stopping after this step (Ctrl-C again to stop at once)");
            return;
        }
        for path in unfinished().drain(..) {
            let _ = std::fs::remove_file(&path);
            let _ = std::fs::remove_dir_all(&path);
        }
        std::process::exit(130);
    })
    .map_err(|e| Failure::usage(format!("cannot watch for Ctrl-C: {e}")))
}

/// Prints data to standard output; a closed pipe is no error.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::file(Path::new("standard output"), e))
        }
        _ => Ok(()),
    }
}

/// Prints a value as JSON.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|e| Failure::usage(format!("cannot be written as JSON: {e}")))?;
    print(&(text + "\n"))
}
