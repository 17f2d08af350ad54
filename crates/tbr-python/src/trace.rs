//! Following points.

use crate::arrays::{points, to_column, to_points};
use crate::error::request;
use crate::given::operator;
use crate::program::Program;
use crate::work::run;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use rayon::prelude::*;
use tbr::trace::{Trace, Tracer};
use tbr::{Error, Vec2, vec2};

/// Where points came from, the numbers of the strokes that own them, and their places in those.
type Traced<'py> =
    (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray2<f64>>);

/// Follows points back, through all deposits, or, from after so many steps, forward.
#[pyfunction]
pub fn trace<'py>(
    program: &Bound<'py, Program>,
    at: &Bound<'py, PyAny>,
    through: bool,
    forward_after: Option<usize>,
    operator_name: Option<&str>,
) -> PyResult<Traced<'py>> {
    let (py, program) = (program.py(), program.get().0.clone());
    let at = points(at, "at", None)?;
    if let Some(k) = at.iter().position(|at| !(at.x.is_finite() && at.y.is_finite())) {
        return Err(request(format!("at: point {k} (counted from 0) is not finite")));
    }
    let operator = operator_name.map(operator).transpose()?;
    let traces: Vec<Trace> = run(py, move |stop| {
        let tracer = Tracer::new(&program, operator);
        let follow = |at: &Vec2<f64>| match forward_after {
            _ if stop.is_wanted() => Err(Error::Stopped),
            Some(after) => tracer.forward(after, *at),
            None if through => Ok(tracer.through(*at)),
            None => Ok(tracer.back(*at)),
        };
        Ok(at.par_iter().map(follow).collect::<tbr::Result<_>>()?)
    })?;
    let nowhere = vec2(f64::NAN, f64::NAN);
    let positions = to_points(py, traces.iter().map(|trace| trace.position))?;
    let number = |trace: &Trace| trace.stroke.map_or(0, |number| number as i64);
    let numbers = to_column(py, traces.iter().map(number).collect());
    let places = to_points(py, traces.iter().map(|trace| trace.place.unwrap_or(nowhere)))?;
    Ok((positions, numbers, places))
}
