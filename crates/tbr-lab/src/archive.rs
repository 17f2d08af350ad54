//! The archive: a cache on disk of values that take long to compute, with their inputs. What is
//! there already is not computed again, so that a run which was stopped goes on where it was.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use tbr_io::digest::Digest;
use tbr_io::files::{self, Output};
use tbr_io::{Failure, interrupt};

/// The revision of what cells hold. Raise it when a change of the code makes a score, a count
/// or a time come out differently for the same inputs: cells of other revisions are computed
/// again. (Fits are not its business: see [`super::fits::Key`].)
const CELL_REVISION: u64 = 1;

/// The largest record that is read, bytes.
const MOST_BYTES: u64 = 1 << 28;

/// A value, and what decided it.
#[derive(Serialize, Deserialize)]
struct ArchiveCell<T> {
    revision: u64,
    inputs: Value,
    value: T,
}

/// A value that is computed once for the same inputs and kept in a folder.
pub fn cell<T: Serialize + DeserializeOwned>(
    folder: &Path,
    kind: &str,
    inputs: &Value,
    make: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let name = Digest::of_text(&json!([CELL_REVISION, inputs]).to_string());
    let path = folder.join(format!("{kind}-{name}.json"));
    match read_json::<ArchiveCell<T>>(&path) {
        Some(cell) if cell.revision == CELL_REVISION && cell.inputs == *inputs => {
            return Ok(cell.value);
        }
        _ => check_interrupt()?,
    }
    let value = make()?;
    std::fs::create_dir_all(folder).map_err(|e| Failure::file(folder, e))?;
    let cell = ArchiveCell { revision: CELL_REVISION, inputs: inputs.clone(), value };
    write_json(&path, &cell)?;
    Ok(cell.value)
}

/// Ends the run if somebody pressed Ctrl-C.
pub fn check_interrupt() -> Result<(), Failure> {
    if interrupt::requested() {
        return Err(Failure::interrupted("stopped").hint("the same command goes on from here"));
    }
    Ok(())
}

/// What a file holds, if it is there and whole.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&files::read_bytes(path, MOST_BYTES).ok()?).ok()
}

/// Writes a value as JSON.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Failure> {
    let mut output = Output::create(path)?;
    serde_json::to_writer_pretty(&mut output, value).map_err(|e| output.failure(e))?;
    output.write_all(b"\n").map_err(|e| output.failure(e))?;
    output.finish()
}

/// Writes a text.
pub fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
    let mut output = Output::create(path)?;
    output.write_all(text.as_bytes()).map_err(|e| output.failure(e))?;
    output.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_kept_for_its_inputs_and_its_revision() {
        let folder = files::scratch_folder().unwrap();
        let get = |inputs: &Value, made: u32| cell(folder.path(), "a", inputs, || Ok(made));
        let inputs = json!({ "program": "p", "side": 64 });
        assert_eq!(get(&inputs, 1).unwrap(), 1);
        assert_eq!(get(&inputs, 2).unwrap(), 1, "it was computed already");
        assert_eq!(get(&json!({ "program": "p", "side": 65 }), 3).unwrap(), 3);
        // As if an older lab had written them.
        for entry in folder.path().read_dir().unwrap() {
            let path = entry.unwrap().path();
            let mut old: Value = read_json(&path).unwrap();
            old["revision"] = json!(CELL_REVISION - 1);
            write_json(&path, &old).unwrap();
        }
        assert_eq!(get(&inputs, 4).unwrap(), 4, "a cell of another revision is not one");
    }
}
