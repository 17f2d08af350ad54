//! The errors of the library, by what a person can do about them.

use std::path::PathBuf;

/// An error that a person can do something about.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A program is invalid: what is wrong, and where in it.
    #[error("{place}: {problem}")]
    Program {
        /// The field or stroke, counted from 1.
        place: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Something is larger than this build will take.
    #[error("{what} (limit: {limit})")]
    Limit {
        /// What was asked for.
        what: String,
        /// How far it may go.
        limit: String,
    },
    /// Somebody wanted it to stop: see [`Stop`](crate::Stop).
    #[error("stopped")]
    Stopped,
    /// A request that contradicts itself or the program.
    #[error("{0}")]
    Request(String),
}

/// Shorthand for results of this library.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Something is wrong at a place in a program.
    pub fn program(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Program { place: place.into(), problem: problem.into() }
    }

    /// Something is larger than it may be.
    pub fn limit(what: impl Into<String>, limit: impl Into<String>) -> Self {
        Self::Limit { what: what.into(), limit: limit.into() }
    }

    /// The same of a part of something larger: a keyframe's program, say.
    pub(crate) fn within(self, whole: &str) -> Self {
        match self {
            Self::Program { place, problem } => {
                Self::Program { place: format!("{whole}: {place}"), problem }
            }
            Self::Limit { what, limit } => Self::Limit { what: format!("{whole}: {what}"), limit },
            other => other,
        }
    }
}
