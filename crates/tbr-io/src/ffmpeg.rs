//! The program ffmpeg, which reads and writes the films that nothing else here does.

use crate::failure::Failure;
use std::io::{self, ErrorKind, Read};
use std::process::{Command, Stdio};

/// The program that is called.
pub(crate) const FFMPEG: &str = "ffmpeg";
/// How to get it.
pub(crate) const INSTALL: &str = "install it (Debian: apt install ffmpeg)";
/// Bytes of what it says that are kept; the rest is heard and forgotten.
const MOST_SAID: u64 = 4096;

/// Is it there?
pub fn is_there() -> bool {
    let mut command = Command::new(FFMPEG);
    command.arg("-version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Why it did not start: `missing`, if it is not there.
pub(crate) fn not_started(error: &io::Error, missing: &str) -> Failure {
    match error.kind() {
        ErrorKind::NotFound => Failure::usage(missing),
        _ => Failure::usage(format!("ffmpeg cannot be started: {error}")),
    }
}

/// Hears all that a pipe has to say, so that nobody waits to say more; gives the beginning.
pub(crate) fn hear(mut pipe: impl Read) -> String {
    let mut said = Vec::new();
    let _ = pipe.by_ref().take(MOST_SAID).read_to_end(&mut said);
    let _ = io::copy(&mut pipe, &mut io::sink());
    String::from_utf8_lossy(&said).into_owned()
}
