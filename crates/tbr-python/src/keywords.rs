//! Keywords that come in a dictionary, taken out by name: what is wrong with one says which.

use crate::error::request;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Keywords, as `python/tbr` hands them on.
pub struct Keywords<'a, 'py>(pub &'a Bound<'py, PyDict>);

impl<'py> Keywords<'_, 'py> {
    /// What is said under a name; none if nothing is.
    pub fn any(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.0.get_item(name)?.filter(|value| !value.is_none()))
    }

    /// The same, as what it should be.
    pub fn get<T: FromPyObjectOwned<'py>>(&self, name: &str) -> PyResult<Option<T>> {
        let Some(value) = self.any(name)? else { return Ok(None) };
        let extracted: PyResult<T> = value.extract::<T>().map_err(Into::into);
        let wrong = |e: PyErr| request(format!("{name}: {}", e.value(self.0.py())));
        extracted.map(Some).map_err(wrong)
    }

    /// The same of what must be said.
    pub fn need<T: FromPyObjectOwned<'py>>(&self, name: &str) -> PyResult<T> {
        self.get(name)?.ok_or_else(|| request(format!("{name} is None")))
    }

    /// Is it asked for?
    pub fn flag(&self, name: &str) -> PyResult<bool> {
        Ok(self.get(name)?.unwrap_or(false))
    }
}
