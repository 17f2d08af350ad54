//! Errors by kind, with the libraries' messages. Hints are left out: they speak of the command's
//! arguments.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tbr_io::{Failure, FailureKind};

/// The exception for a failure: a class of `tbr.errors`.
pub fn raised(failure: &Failure) -> PyErr {
    let class = match failure.kind() {
        FailureKind::File => "FileError",
        FailureKind::Program => "ProgramError",
        FailureKind::Limit => "LimitError",
        FailureKind::Usage | FailureKind::Partial | FailureKind::Unread => "RequestError",
        FailureKind::Interrupted => "StoppedError",
    };
    of_class(class, &failure.words().0)
}

/// The same for an error of the library.
pub fn of_library(error: tbr::Error) -> PyErr {
    raised(&Failure::from(error))
}

/// A request that cannot be met.
pub fn request(message: impl Into<String>) -> PyErr {
    raised(&Failure::usage(message))
}

fn of_class(class: &str, message: &str) -> PyErr {
    Python::attach(|py| {
        let made = py
            .import("tbr.errors")
            .and_then(|module| module.getattr(class))
            .and_then(|class| class.call1((message,)));
        match made {
            Ok(value) => PyErr::from_value(value),
            Err(error) => PyRuntimeError::new_err(format!("{message} ({error})")),
        }
    })
}
