//! Programs from programs: edits in words, pruning, and stroke lists.

use crate::error::{of_library, request};
use crate::given::{colour, operator};
use crate::picture::{Given, in_file};
use crate::program::Program;
use crate::work::run;
use pyo3::prelude::*;
use tbr::fit::Target;
use tbr::prune::{self, Goal, Prune};
use tbr::{Colour, View};
use tbr_io::Failure;
use tbr_io::fit::matte_of;
use tbr_io::picture::check_aspect;
use tbr_io::progress::Progress;
use tbr_io::stroke_list::{self, ListOptions, StrokeList, parse_csv};

/// The program after operations in words, one after the other.
#[pyfunction]
pub fn edit(program: &Bound<'_, Program>, operations: Vec<String>) -> PyResult<Program> {
    let (py, program) = (program.py(), program.get().0.clone());
    let edited = run(py, move |stop| {
        let mut program = tbr::Program::clone(&program);
        for (k, text) in operations.iter().enumerate() {
            stop.check()?;
            program = tbr_io::edit::apply(&program, text)
                .map_err(|failure| failure.at(&format!("operation {} \"{text}\"", k + 1)))?;
        }
        Ok(program)
    });
    edited.map(Program::from)
}

/// The program with fewer strokes, and its error: so many, or as few as let pass so many per cent.
#[pyfunction(name = "prune")]
pub fn prune_program<'py>(
    program: &Bound<'py, Program>,
    picture: Option<Bound<'py, PyAny>>,
    strokes: Option<usize>,
    error: f64,
    matte: Option<Bound<'py, PyAny>>,
) -> PyResult<(Program, f64)> {
    let (py, program) = (program.py(), program.get().0.clone());
    if error.is_nan() || error < 0.0 {
        return Err(request(format!("an error of {error} per cent: it is a number from 0 on")));
    }
    let picture = picture.as_ref().map(Given::of).transpose()?;
    let matte = matte.map(|matte| colour(&matte, "matte")).transpose()?;
    let (pruned, left) = run(py, move |stop| {
        let target = picture.map(|picture| target(picture, &program, matte)).transpose()?;
        let old = prune::error(&program, target.as_ref())?;
        let goal = match (strokes, &target) {
            (Some(count), _) => Goal::Strokes(count),
            (None, Some(_)) => Goal::Error(old * (1.0 + error / 100.0)),
            (None, None) => Goal::Error(error / 100.0),
        };
        let mut pruning = Prune::new(tbr::Program::clone(&program), target.as_ref(), goal)?
            .with_stop(stop.clone());
        while !pruning.is_done() {
            pruning.step()?;
        }
        Ok((pruning.program().clone(), pruning.error()?))
    })?;
    Ok((pruned.into(), left))
}

/// A picture at the size that pruning is judged at.
fn target(
    picture: Given,
    program: &tbr::Program,
    matte: Option<Colour>,
) -> Result<Target, Failure> {
    let name = picture.name();
    let picture = picture.load()?;
    check_aspect(picture.size(), program.height(), "the program").map_err(|e| in_file(e, &name))?;
    let size = View::of_canvas(program, prune::width_px(program)?)?.size();
    let image = picture.over_at(matte.unwrap_or_else(|| matte_of(program)), size)?;
    Ok(Target::new(image, None)?)
}

fn list(
    program: &Bound<'_, Program>,
    sheet_mm: Option<f64>,
    thickness_um: Option<f64>,
    operator_name: Option<&str>,
) -> PyResult<StrokeList> {
    let (py, program) = (program.py(), program.get().0.clone());
    let operator = operator_name.map(operator).transpose()?;
    let options = ListOptions { sheet_mm, thickness_um, operator };
    run(py, move |stop| Ok(StrokeList::new_until(&program, &options, &Progress::hidden(), stop)?))
}

/// The strokes as a table for a spreadsheet, in canvas widths or millimetres of a sheet.
#[pyfunction]
pub fn strokes_to_csv(
    program: &Bound<'_, Program>,
    sheet_mm: Option<f64>,
    thickness_um: Option<f64>,
    operator: Option<&str>,
) -> PyResult<String> {
    Ok(list(program, sheet_mm, thickness_um, operator)?.to_csv())
}

/// The same as JSON.
#[pyfunction]
pub fn strokes_to_json(
    program: &Bound<'_, Program>,
    sheet_mm: Option<f64>,
    thickness_um: Option<f64>,
    operator: Option<&str>,
) -> PyResult<String> {
    Ok(list(program, sheet_mm, thickness_um, operator)?.to_json())
}

/// The program that a table of strokes holds.
#[pyfunction]
pub fn strokes_from_csv<'py>(
    text: &str,
    sheet_mm: Option<f64>,
    height: Option<f64>,
    background: Option<Bound<'py, PyAny>>,
    operator_name: Option<&str>,
) -> PyResult<Program> {
    let background = background.map(|c| colour(&c, "background")).transpose()?;
    let operator = operator_name.map(operator).transpose()?;
    let given = stroke_list::Given { sheet_mm, height, background, operator };
    parse_csv(text, &given).map(Program::from).map_err(of_library)
}
