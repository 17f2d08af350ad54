//! Checkpoints: the state of a fit in a file, from which it can be resumed with the same
//! result. They are written whole or not at all.
//!
//! A checkpoint is a line of JSON and a line with the checksum of the first, so that a damaged
//! file is refused.

use super::budget::with_steps_of;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::files::Output;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, Write};
use std::path::Path;
use tbr::fit::{Options, SOLVER_REVISION, State, Target};

const FORMAT: &str = "tbr-checkpoint";
const VERSION: u32 = 3;
/// The largest checkpoint that is read: a million strokes take half of it.
const MOST_BYTES: u64 = 1 << 30;
/// What to do with a checkpoint that is of no use.
const ANEW: &str = "delete it, or give --force, to begin anew";

/// A checkpoint's contents.
#[derive(Serialize, Deserialize)]
struct Checkpoint<O, S> {
    format: String,
    version: u32,
    /// Which solver it is of.
    solver_revision: u64,
    /// Digest of the picture as it is fitted.
    picture: String,
    options: O,
    state: S,
}

/// Writes a checkpoint.
pub fn write(
    path: &Path,
    target: &Target,
    options: &Options,
    state: &State,
) -> Result<(), Failure> {
    let mut output = Output::create(path)?;
    write_to(&mut output, target, options, state).map_err(|e| output.failure(e))?;
    output.finish()
}

/// A checkpoint's bytes, as its file has them.
pub fn to_bytes(target: &Target, options: &Options, state: &State) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    write_to(&mut bytes, target, options, state)
        .map_err(|e| Failure::usage(format!("the checkpoint cannot be written: {e}")))?;
    Ok(bytes)
}

fn write_to(
    output: &mut impl Write,
    target: &Target,
    options: &Options,
    state: &State,
) -> io::Result<()> {
    let checkpoint = Checkpoint {
        format: FORMAT.to_owned(),
        version: VERSION,
        solver_revision: SOLVER_REVISION,
        picture: Digest::of_target(target),
        options,
        state,
    };
    let mut summed = Summed { output: &mut *output, digest: Digest::new() };
    serde_json::to_writer(&mut summed, &checkpoint)?;
    let last = last_line(&summed.digest);
    output.write_all(last.as_bytes())
}

/// An output that sums up what goes through it.
struct Summed<'a, W> {
    output: &'a mut W,
    digest: Digest,
}

impl<W: Write> Write for Summed<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.output.write(bytes)?;
        self.digest.add(&bytes[..count]);
        Ok(count)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// The end of the first line, and the line with its checksum: always of one length.
fn last_line(digest: &Digest) -> String {
    format!("\n{{\"checksum\":\"{}\"}}\n", digest.hex())
}

/// Reads a checkpoint; refuses one of another picture, other options or other solvers.
pub fn read(path: &Path, target: &Target, options: &Options) -> Result<State, Failure> {
    let checkpoint = parse_file(path)?;
    check(&checkpoint, path, target, options)?;
    Ok(checkpoint.state)
}

/// The same from the bytes of its file; `path` is what messages call them.
pub fn of_bytes(
    bytes: &[u8],
    path: &Path,
    target: &Target,
    options: &Options,
) -> Result<State, Failure> {
    let checkpoint = parse(Cursor::new(bytes), bytes.len() as u64, path)?;
    check(&checkpoint, path, target, options)?;
    Ok(checkpoint.state)
}

/// Reads a checkpoint of a fit that may have any number of gradient steps, and gives its options,
/// too; refuses one that differs in anything else.
pub fn read_with_any_steps(
    path: &Path,
    target: &Target,
    options: &Options,
) -> Result<(Options, State), Failure> {
    let checkpoint = parse_file(path)?;
    let options = with_steps_of(options, &checkpoint.options);
    check(&checkpoint, path, target, &options)?;
    Ok((options, checkpoint.state))
}

/// Refuses a checkpoint of something else.
fn check(
    checkpoint: &Checkpoint<Options, State>,
    path: &Path,
    target: &Target,
    options: &Options,
) -> Result<(), Failure> {
    let known = checkpoint.format == FORMAT && checkpoint.version == VERSION;
    let of = if !known || checkpoint.solver_revision != SOLVER_REVISION {
        "another version of tbr"
    } else if checkpoint.picture != Digest::of_target(target) {
        "another picture, or one of another --size, --matte or --mask"
    } else if checkpoint.options != *options {
        "a fit with other options"
    } else {
        return Ok(());
    };
    Err(Failure::usage(format!("the checkpoint is of {of}"))
        .in_file(path)
        .hint("give the same picture and options to go on, or --force to begin anew"))
}

/// What the file says, if it is as it was written.
fn parse_file(path: &Path) -> Result<Checkpoint<Options, State>, Failure> {
    let fails = |e: io::Error| Failure::file(path, e);
    let file = File::open(path).map_err(fails)?;
    let length = file.metadata().map_err(fails)?.len();
    parse(file, length, path)
}

/// What a source of so many bytes says.
fn parse(
    mut source: impl Read + Seek,
    length: u64,
    path: &Path,
) -> Result<Checkpoint<Options, State>, Failure> {
    let fails = |e: io::Error| Failure::file(path, e);
    if length > MOST_BYTES {
        return Err(Failure::limit(format!("is larger than {MOST_BYTES} bytes")).in_file(path));
    }
    let Some(length) = whole_length(&mut source, length).map_err(fails)? else {
        let message = "not a checkpoint, or a damaged one: its checksum is wrong";
        return Err(Failure::file(path, message).hint(ANEW));
    };
    source.rewind().map_err(fails)?;
    serde_json::from_reader(BufReader::new(source.take(length)))
        .map_err(|e| Failure::file(path, format!("not a checkpoint: {e}")).hint(ANEW))
}

/// The length of what the last line has the checksum of; none if that is another.
fn whole_length(source: &mut impl Read, length: u64) -> io::Result<Option<u64>> {
    let mut digest = Digest::new();
    let Some(first) = length.checked_sub(last_line(&digest).len() as u64) else {
        return Ok(None);
    };
    let mut reader = BufReader::new(&mut *source).take(first);
    loop {
        let bytes = reader.fill_buf()?;
        let count = bytes.len();
        if count == 0 {
            break;
        }
        digest.add(bytes);
        reader.consume(count);
    }
    let mut last = Vec::new();
    reader.into_inner().read_to_end(&mut last)?;
    Ok((last == last_line(&digest).as_bytes()).then_some(first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tbr::Image;
    use tbr::fit::Fit;

    /// A file that a disk or a cable has changed in one bit is refused, whichever bit it is.
    #[test]
    fn no_flipped_bit_is_gone_on_from() {
        let colours = (0..64).map(|k| [f64::from(k) / 64.0, 0.5, 0.2]).collect();
        let target = Target::new(Image::new((8, 8), colours).unwrap(), None).unwrap();
        let mut options = Options { strokes: 4, ..Options::fast() };
        options.share_out(2);
        let mut fit = Fit::new(target.clone(), options.clone()).unwrap();
        while !fit.is_done() {
            fit.step().unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.checkpoint");
        write(&path, &target, &options, fit.state()).unwrap();
        assert_eq!(read(&path, &target, &options).unwrap(), *fit.state());
        let bytes = std::fs::read(&path).unwrap();
        assert!(bytes == to_bytes(&target, &options, fit.state()).unwrap());
        assert_eq!(of_bytes(&bytes, &path, &target, &options).unwrap(), *fit.state());
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, flipped).unwrap();
            assert!(read(&path, &target, &options).is_err(), "bit {bit} of {}", 8 * bytes.len());
        }
        for length in [0, 1, 30, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..length]).unwrap();
            assert!(read(&path, &target, &options).is_err(), "{length} bytes");
        }
    }
}
