//! How a command fails: one `error:` line, perhaps a `hint:`, and an exit code
//! that scripts can use.

use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

/// Why a command failed, and what to do about it.
#[derive(Debug)]
pub struct Failure {
    message: String,
    hint: Option<String>,
    code: u8,
}

/// Exit codes. 0 is success, 1 a bug (a panic gives 101).
const USAGE: u8 = 2;
const FILE: u8 = 3;
const PROGRAM: u8 = 4;
const LIMIT: u8 = 5;
/// What shells give for Ctrl-C.
const INTERRUPTED: u8 = 130;

impl Failure {
    fn new(code: u8, message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, code }
    }

    /// The request itself is wrong.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(USAGE, message)
    }

    /// A file cannot be read or written.
    pub fn file(path: &Path, problem: impl Display) -> Self {
        Self::new(FILE, format!("{}: {problem}", path.display()))
    }

    /// Something is too large.
    pub fn limit(message: impl Into<String>) -> Self {
        Self::new(LIMIT, message)
    }

    /// Somebody pressed Ctrl-C.
    pub fn interrupted(message: impl Into<String>) -> Self {
        Self::new(INTERRUPTED, message)
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

    /// What went wrong, in one line, and what to do about it.
    pub fn words(&self) -> (String, Option<&str>) {
        (self.message.replace('\n', " "), self.hint.as_deref())
    }

    /// Is the request itself wrong, rather than a file that it names?
    pub fn is_usage(&self) -> bool {
        self.code == USAGE
    }

    /// Tells the person and gives the exit code.
    pub fn report(&self) -> ExitCode {
        let (message, hint) = self.words();
        tell!("error: {message}");
        if let Some(hint) = hint {
            tell!("hint: {hint}");
        }
        ExitCode::from(self.code)
    }
}

impl From<tbr::Error> for Failure {
    fn from(error: tbr::Error) -> Self {
        let code = match &error {
            tbr::Error::File { .. } => FILE,
            tbr::Error::Program { .. } => PROGRAM,
            tbr::Error::Limit { .. } => LIMIT,
            tbr::Error::Request(_) => USAGE,
        };
        Self::new(code, error.to_string())
    }
}
