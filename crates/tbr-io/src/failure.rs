//! Failures for people: what is wrong, in one line, what to do about it, and its kind, which
//! decides the exit code or the HTTP status.

use crate::words;
use std::fmt::Display;
use std::path::Path;

/// Why something failed, and what to do about it.
#[derive(Debug)]
pub struct Failure {
    message: String,
    hint: Option<String>,
    kind: FailureKind,
}

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The request itself.
    Usage,
    /// A file cannot be read or written.
    File,
    /// A program is invalid.
    Program,
    /// Something is too large.
    Limit,
    /// Some of many could not be done; the others are.
    Partial,
    /// Nothing: somebody asked the process to stop.
    Interrupted,
    /// Nothing: whoever read standard output has read enough.
    Unread,
}

impl Failure {
    fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, kind }
    }

    /// The request itself is wrong.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Usage, message)
    }

    /// A file cannot be read or written.
    pub fn file(path: &Path, problem: impl Display) -> Self {
        Self::new(FailureKind::File, format!("{}: {problem}", path.display()))
    }

    /// Something is too large.
    pub fn limit(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Limit, message)
    }

    /// Some of many could not be done; the others are.
    pub fn partial(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Partial, message)
    }

    /// Nobody reads standard output any more (`tbr export ... -o - | head`).
    pub fn unread() -> Self {
        Self::new(FailureKind::Unread, "nobody reads standard output")
    }

    /// Somebody asked the process to stop.
    pub fn interrupted(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Interrupted, message)
    }

    /// Adds what to do.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Says which file the trouble is in.
    pub fn in_file(self, path: &Path) -> Self {
        Self { message: format!("{}: {}", path.display(), self.message), ..self }
    }

    /// Says what was being done.
    pub fn at(self, place: &str) -> Self {
        Self { message: format!("{place}: {}", self.message), ..self }
    }

    /// What went wrong, in one line that can be shown, and what to do about it.
    pub fn words(&self) -> (String, Option<&str>) {
        (words::line(&self.message), self.hint.as_deref())
    }

    /// Its kind.
    pub fn kind(&self) -> FailureKind {
        self.kind
    }

    /// Says on standard error what went wrong, and what to do about it.
    pub fn tell(&self) {
        let (message, hint) = self.words();
        tell!("error: {message}");
        if let Some(hint) = hint {
            tell!("hint: {hint}");
        }
    }
}

impl From<tbr::Error> for Failure {
    fn from(error: tbr::Error) -> Self {
        let kind = match &error {
            tbr::Error::File { .. } => FailureKind::File,
            tbr::Error::Program { .. } => FailureKind::Program,
            tbr::Error::Limit { .. } => FailureKind::Limit,
            tbr::Error::Stopped => FailureKind::Interrupted,
            _ => FailureKind::Usage,
        };
        Self::new(kind, error.to_string())
    }
}
