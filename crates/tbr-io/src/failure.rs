//! How something fails: what is wrong, in one line, what to do about it, and of what kind it is.

use crate::words;
use std::fmt::Display;
use std::path::Path;

/// Why something failed, and what to do about it.
#[derive(Debug)]
pub struct Failure {
    message: String,
    hint: Option<String>,
    kind: Kind,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The request itself.
    Usage,
    /// A file cannot be read or written.
    File,
    /// A program is not one.
    Program,
    /// Something is too large.
    Limit,
    /// Nothing: somebody asked the process to stop.
    Interrupted,
    /// Nothing: whoever read standard output has read enough.
    Unread,
}

impl Failure {
    fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, kind }
    }

    /// The request itself is wrong.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// A file cannot be read or written.
    pub fn file(path: &Path, problem: impl Display) -> Self {
        Self::new(Kind::File, format!("{}: {problem}", path.display()))
    }

    /// Something is too large.
    pub fn limit(message: impl Into<String>) -> Self {
        Self::new(Kind::Limit, message)
    }

    /// Nobody reads standard output any more (`tbr export ... -o - | head`).
    pub fn unread() -> Self {
        Self::new(Kind::Unread, "nobody reads standard output")
    }

    /// Somebody asked the process to stop.
    pub fn interrupted(message: impl Into<String>) -> Self {
        Self::new(Kind::Interrupted, message)
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

    /// What is wrong.
    pub fn kind(&self) -> Kind {
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
            tbr::Error::File { .. } => Kind::File,
            tbr::Error::Program { .. } => Kind::Program,
            tbr::Error::Limit { .. } => Kind::Limit,
            _ => Kind::Usage,
        };
        Self::new(kind, error.to_string())
    }
}
