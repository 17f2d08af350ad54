//! Tools as Python sees them.

use crate::arrays::{column, to_column};
use crate::error::{of_library, request};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use tbr::tool;

/// A tool that moves paint and lays none: a tine, comb, rake, wave, wavy-comb, ring, swirl or
/// stylus, in words as in files and on the command line.
///
/// >>> comb = tbr.Tool("comb through 0.5,0.5 angle 90 pull 0.05 spacing 0.03")
/// >>> comb.kind, comb["pull"], comb["through"]
/// ('comb', 0.05, (0.5, 0.5))
/// >>> tbr.Tool("swirl", centre=(0.6, 0.4), radius=0.2, turn=45)
/// tbr.Tool('swirl centre 0.6,0.4 radius 0.2 turn 45')
/// >>> tbr.Tool("stylus", from_=(0.2, 0.3), to=(0.7, 0.5), reach=0.1)["from"]
/// (0.2, 0.3)
#[pyclass(frozen, from_py_object, module = "tbr")]
#[derive(Clone)]
pub struct Tool(pub tool::Tool);

#[pymethods]
impl Tool {
    #[new]
    #[pyo3(signature = (words, **fields))]
    fn new(words: &str, fields: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut text = words.to_owned();
        for (name, value) in fields.into_iter().flatten() {
            // (`from` is a word of Python's.)
            let name: String = name.extract()?;
            let name = name.trim_end_matches('_');
            let numbers = match value.extract::<f64>() {
                Ok(number) => vec![number],
                Err(_) => column(&value, name, None)?,
            };
            let numbers: Vec<String> = numbers.iter().map(f64::to_string).collect();
            text = format!("{text} {name} {}", numbers.join(","));
        }
        text.parse().map(Self).map_err(of_library)
    }

    /// What it is: "comb", say.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind().name()
    }

    /// Its numbers in the order of the file, a point's x before its y.
    #[getter]
    fn numbers<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        to_column(py, self.0.numbers().to_vec())
    }

    /// The names of its fields, in the order of the file.
    #[getter]
    fn fields(&self) -> Vec<&'static str> {
        self.0.fields().map(|(field, _)| field.name).collect()
    }

    /// The same tool with other numbers, in the order of `numbers`.
    ///
    /// >>> swirl = tbr.Tool("swirl centre 0.6,0.4 radius 0.2 turn 45")
    /// >>> swirl.with_numbers(swirl.numbers * [1, 1, 1, 2])
    /// tbr.Tool('swirl centre 0.6,0.4 radius 0.2 turn 90')
    fn with_numbers(&self, numbers: &Bound<'_, PyAny>) -> PyResult<Self> {
        let numbers = column(numbers, "numbers", None)?;
        self.0.with_numbers(&numbers).map(Self).map_err(request)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let mut fields = self.0.fields();
        match fields.find(|(field, _)| field.name == name) {
            Some((_, [value])) => Ok(value.into_pyobject(py)?.into_any()),
            Some((_, values)) => Ok(PyTuple::new(py, values)?.into_any()),
            None => Err(pyo3::exceptions::PyKeyError::new_err(name.to_owned())),
        }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.get().0 == self.0)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.to_string().hash(&mut hasher);
        hasher.finish()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("tbr.Tool('{}')", self.0)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (String,)) {
        (py.get_type::<Self>().into_any(), (self.0.to_string(),))
    }
}

/// Tools, each as it is or in words.
pub fn of_values(values: &Bound<'_, PyAny>) -> PyResult<Vec<tool::Tool>> {
    if values.is_instance_of::<PyString>() || values.is_instance_of::<Tool>() {
        return Err(request(format!("tools are a list: [{}]", values.repr()?)));
    }
    values.try_iter()?.map(|value| of_value(&value?)).collect()
}

/// A tool, or one in words.
pub fn of_value(value: &Bound<'_, PyAny>) -> PyResult<tool::Tool> {
    if let Ok(tool) = value.cast::<Tool>() {
        return Ok(tool.get().0);
    }
    let words: String =
        value.extract().map_err(|_| request("a tool is a tbr.Tool, or in words"))?;
    words.parse().map_err(of_library)
}
