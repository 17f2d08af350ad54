//! What became of each of many pictures: a line of JSON for each, in a file that is there only
//! once all have been tried.

use super::outcome::{Outcome, Status};
use super::pictures::{Place, make_folder};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::time::Duration;
use tbr::score::psnr;
use tbr_io::files::place::Inputs;
use tbr_io::files::{self, DASH, Output};
use tbr_io::{Failure, memory};

/// The longest file that is looked into for a summary: some millions of lines.
const MOST_BYTES: u64 = 1 << 28;

/// A summary in the making.
pub struct Summary<'a> {
    place: Option<&'a Path>,
    force: bool,
    lines: String,
}

impl<'a> Summary<'a> {
    /// Refuses a place where none can be written, or where something else lies. An older summary
    /// may be replaced: the same command makes it anew.
    pub fn new(place: Option<&'a Path>, inputs: &Inputs, force: bool) -> Result<Self, Failure> {
        let mut force = force;
        if let Some(path) = place.filter(|path| *path != Path::new(DASH)) {
            inputs.check_apart(&[path])?;
            force |= is_summary(path);
            files::check_new(path, force)?;
            make_folder(path)?;
            files::check_writable(path)?;
        }
        Ok(Self { place, force, lines: String::new() })
    }

    /// Adds what became of a picture.
    pub fn add(&mut self, place: &Place, result: &Result<Outcome, Failure>, took: Duration) {
        if self.place.is_some() {
            let line = line(place, result, took);
            self.lines += &format!("{line}\n");
        }
    }

    /// Writes it.
    pub fn finish(self) -> Result<(), Failure> {
        let Some(path) = self.place else { return Ok(()) };
        let mut output = Output::create_new(path, self.force)?;
        output.write_all(self.lines.as_bytes()).map_err(|e| output.failure(e))?;
        output.finish()
    }
}

/// Is there a summary, or an empty one?
fn is_summary(path: &Path) -> bool {
    let Ok(text) = files::read_text(path, MOST_BYTES) else { return false };
    text.lines().all(|line| {
        let value: Value = serde_json::from_str(line).unwrap_or_default();
        ["picture", "program", "status"].into_iter().all(|key| value.get(key).is_some())
    })
}

/// The line of a picture. All have the same keys, in the same order.
fn line(place: &Place, result: &Result<Outcome, Failure>, took: Duration) -> Value {
    let (status, outcome, error) = match result {
        Ok(outcome) => match outcome.status {
            Status::Fitted => ("fitted", Some(outcome), None),
            Status::DoneBefore => ("done before", Some(outcome), None),
        },
        Err(failure) => ("failed", None, Some(failure.words().0)),
    };
    let error_of_fit = outcome.and_then(|outcome| outcome.error);
    json!({
        "picture": place.picture.display().to_string(),
        "program": place.program.display().to_string(),
        "status": status,
        "width_px": outcome.map(|outcome| outcome.size.0),
        "height_px": outcome.map(|outcome| outcome.size.1),
        "strokes": outcome.map(|outcome| outcome.strokes),
        "steps": outcome.map(|outcome| outcome.steps),
        "floor_ratio": outcome.and_then(|outcome| outcome.floor_ratio),
        "mse": error_of_fit,
        "psnr": error_of_fit.and_then(psnr),
        "seconds": (took.as_secs_f64() * 1e3).round() / 1e3,
        "peak_memory_bytes": memory::peak_bytes(),
        "error": error,
    })
}
