//! Where output goes: a file that appears whole, or standard output.

use super::temporary::TemporaryFile;
use super::{DASH, check_new, place};
use crate::failure::Failure;
use std::io::{self, BufWriter, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tbr::Program;

/// Bytes that are gathered before they are written.
const GATHERED: usize = 1 << 20;

/// Where output goes: a temporary file beside the one that was asked for, until
/// [`Output::finish`] puts it there; or standard output.
pub struct Output {
    path: PathBuf,
    place: PathBuf,
    replace: bool,
    writer: BufWriter<Sink>,
}

enum Sink {
    File(TemporaryFile),
    /// Standard output, and whether nobody reads it any more.
    Stdout(io::Stdout, bool),
}

impl Output {
    /// Opens an output that replaces what is there: for files of our own, such as checkpoints.
    /// Fails at once if it cannot be written.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let place = place::followed(path)?;
        let sink = if path == Path::new(DASH) {
            Sink::Stdout(io::stdout(), false)
        } else {
            Sink::File(TemporaryFile::beside(&place)?)
        };
        let writer = BufWriter::with_capacity(GATHERED, sink);
        Ok(Self { path: path.to_owned(), place, replace: true, writer })
    }

    /// Opens an output that does not exist yet, or that `force` allows to be replaced. If one
    /// appears meanwhile, that one stays too.
    pub fn create_new(path: &Path, force: bool) -> Result<Self, Failure> {
        check_new(path, force)?;
        Ok(Self { replace: force, ..Self::create(path)? })
    }

    /// Its name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A failure to write here. If nobody reads standard output any more, that is no error but
    /// an end.
    pub fn failure(&self, problem: impl std::fmt::Display) -> Failure {
        match self.writer.get_ref() {
            Sink::Stdout(_, true) => Failure::unread(),
            _ => Failure::file(&self.path, problem),
        }
    }

    /// Writes over bytes that were written before, at a place counted from the start.
    pub fn patch(&mut self, at: u64, bytes: &[u8]) -> Result<(), Failure> {
        let patched = self.writer.flush().and_then(|()| match self.writer.get_mut() {
            Sink::Stdout(..) => Err(io::Error::from(ErrorKind::NotSeekable)),
            Sink::File(TemporaryFile { file, .. }) => {
                let file = file.as_file_mut();
                file.seek(SeekFrom::Start(at))?;
                file.write_all(bytes)?;
                file.seek(SeekFrom::End(0)).map(|_| ())
            }
        });
        patched.map_err(|e| self.failure(e))
    }

    /// Everything is written: the file appears under its name, and stays through a power cut.
    pub fn finish(mut self) -> Result<(), Failure> {
        self.writer.flush().map_err(|e| self.failure(e))?;
        let Self { path, place, replace, writer } = self;
        match writer.into_inner().map_err(|e| Failure::file(&path, e.error()))? {
            Sink::Stdout(..) => Ok(()),
            Sink::File(file) => file.appear(&place, replace),
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

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.with(|out| out.write(bytes))
    }
    fn flush(&mut self) -> io::Result<()> {
        self.with(|out| out.flush())
    }
}

impl Sink {
    fn with<T>(&mut self, action: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> io::Result<T> {
        match self {
            Self::File(TemporaryFile { file, .. }) => action(file.as_file_mut()),
            Self::Stdout(out, unread) => {
                let result = action(out);
                *unread |= result.as_ref().is_err_and(|e| e.kind() == ErrorKind::BrokenPipe);
                result
            }
        }
    }
}

/// Writes a program to a file that does not exist, or that `force` allows to be replaced.
pub fn write_program(program: &Program, path: &Path, force: bool) -> Result<(), Failure> {
    let mut output = Output::create_new(path, force)?;
    let text = tbr::format::write(program);
    output.write_all(text.as_bytes()).map_err(|e| output.failure(e))?;
    output.finish()
}

/// Can a file be written? Fails as [`Output::create`] would, and leaves nothing behind.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    if path == Path::new(DASH) {
        return Ok(());
    }
    TemporaryFile::beside(&place::followed(path)?).map(|_| ())
}
