//! Checkpoints: the state of a fit in a file, from which it can be resumed with the same
//! result. They are written whole or not at all.

use crate::digest::Digest;
use crate::failure::Failure;
use crate::files::{self, Output};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;
use tbr::fit::{Options, SOLVER_REVISION, State, Target};

const FORMAT: &str = "tbr-checkpoint";
const VERSION: u32 = 2;
/// The largest checkpoint that is read: a million strokes take half of it.
const MOST_BYTES: u64 = 1 << 31;

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
    let checkpoint = Checkpoint {
        format: FORMAT.to_owned(),
        version: VERSION,
        solver_revision: SOLVER_REVISION,
        picture: Digest::of_target(target),
        options,
        state,
    };
    let mut output = Output::create(path)?;
    serde_json::to_writer(&mut output, &checkpoint).map_err(|e| output.failure(e))?;
    output.write_all(b"\n").map_err(|e| output.failure(e))?;
    output.finish()
}

/// Reads a checkpoint; refuses one of another picture, other options or other solvers.
pub fn read(path: &Path, target: &Target, options: &Options) -> Result<State, Failure> {
    let bytes = files::read_bytes(path, MOST_BYTES)?;
    let checkpoint: Checkpoint<Options, State> = serde_json::from_slice(&bytes).map_err(|e| {
        Failure::file(path, format!("not a checkpoint: {e}")).hint("delete it to begin anew")
    })?;
    let known = checkpoint.format == FORMAT && checkpoint.version == VERSION;
    let of = if !known || checkpoint.solver_revision != SOLVER_REVISION {
        "another version of tbr"
    } else if checkpoint.picture != Digest::of_target(target) {
        "another picture, or one of another --size, --matte or --mask"
    } else if checkpoint.options != *options {
        "a fit with other options"
    } else {
        return Ok(checkpoint.state);
    };
    Err(Failure::usage(format!("the checkpoint is of {of}"))
        .in_file(path)
        .hint("give the same picture and options, or leave --resume out to begin anew"))
}
