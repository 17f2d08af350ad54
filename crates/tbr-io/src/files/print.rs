//! Data on standard output.

use crate::failure::Failure;
use crate::words;
use std::io::{self, Write};
use std::path::Path;

/// Prints text to standard output; a closed pipe is no error. Control characters but the ends of
/// lines are shown as escapes: text may come from a file that somebody else has made.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(words::printable(text).as_bytes()).and_then(|()| out.flush()) {
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
