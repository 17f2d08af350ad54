//! Reading files and standard input, never more than the caller can use.

use super::DASH;
use crate::failure::Failure;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use tbr::Program;

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

/// Reads a text of at most `most` bytes from a file, or from standard input for `-`.
pub fn read_text(path: &Path, most: u64) -> Result<String, Failure> {
    String::from_utf8(read_bytes(path, most)?)
        .map_err(|_| Failure::file(path, "is not text (UTF-8)"))
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
