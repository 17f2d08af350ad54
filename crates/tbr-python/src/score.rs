//! Figures: scores, facts, and the page that explains a program.

use crate::error::request;
use crate::given::{colour, operator};
use crate::keywords::Keywords;
use crate::picture::{Given, in_file};
use crate::program::Program;
use crate::work::run;
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use tbr::info::Info;
use tbr::render::render_view;
use tbr::score::Scores;
use tbr::{Colour, View};
use tbr_io::fit::matte_of;
use tbr_io::picture::{MATTE, check_aspect};
use tbr_io::progress::Progress;
use tbr_io::report::score::{check_pixels, check_program};
use tbr_io::report::{ReportSubject, ReportTarget};
use tbr_io::{Failure, WIDTH_PX, networks};

/// At what width pictures are compared, and with what.
pub struct Comparison {
    /// None: the target's own.
    width: Option<u32>,
    matte: Option<Colour>,
    weights: Option<PathBuf>,
}

impl<'py> FromPyObject<'_, 'py> for Comparison {
    type Error = PyErr;

    fn extract(comparison: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let comparison = comparison.cast::<PyDict>()?;
        let comparison = Keywords(&comparison);
        let matte = comparison.any("matte")?;
        Ok(Self {
            width: comparison.get("width")?,
            matte: matte.map(|matte| colour(&matte, "matte")).transpose()?,
            weights: comparison.get("weights")?,
        })
    }
}

/// The scores of a program or a picture against a target, as JSON.
#[pyfunction]
pub fn score<'py>(
    py: Python<'py>,
    subject: &Bound<'py, PyAny>,
    target: &Bound<'py, PyAny>,
    comparison: Comparison,
) -> PyResult<String> {
    let target = Given::of(target)?;
    let scores = if let Ok(program) = subject.cast::<Program>() {
        let program = program.get().0.clone();
        run(py, move |_| of_program(&program, target, comparison))?
    } else {
        let subject = Given::of(subject)?;
        run(py, |_| of_picture(subject, target, comparison))?
    };
    serde_json::to_string(&scores).map_err(|e| request(e.to_string()))
}

fn of_program(
    program: &tbr::Program,
    target: Given,
    Comparison { width, matte, weights }: Comparison,
) -> Result<Scores, Failure> {
    let name = target.name();
    let target = target.load()?;
    let width = width.unwrap_or(target.size().0);
    check_aspect(target.size(), program.height(), "the program's canvas")
        .map_err(|e| in_file(e, &name))?;
    let view = View::of_canvas(program, width)?;
    check_pixels(view.size())?;
    let target = target.over_at(matte.unwrap_or_else(|| matte_of(program)), view.size())?;
    let info = Info::new(program, None, width)?;
    let picture = render_view(program, view)?;
    let mut scores = Scores::of_pixels(&picture, &target)?;
    if let Some(folder) = weights {
        networks::score(&mut scores, &picture, &target, &folder)?;
    }
    scores.add_program(&info);
    Ok(scores)
}

fn of_picture(
    subject: Given,
    target: Given,
    Comparison { width, matte, weights }: Comparison,
) -> Result<Scores, Failure> {
    let name = subject.name();
    let target = target.load()?;
    let (own_width, own_height) = target.size();
    let ratio = f64::from(own_height) / f64::from(own_width);
    let size = match width {
        None => (own_width, own_height),
        Some(width) => (width, (f64::from(width) * ratio).round().max(1.0) as u32),
    };
    check_pixels(size)?;
    let matte = matte.unwrap_or(MATTE);
    let target = target.over_at(matte, size)?;
    let picture = subject.load()?;
    check_aspect(picture.size(), ratio, "the target").map_err(|e| in_file(e, &name))?;
    let picture = picture.over_at(matte, size)?;
    let mut scores = Scores::of_pixels(&picture, &target)?;
    if let Some(folder) = weights {
        networks::score(&mut scores, &picture, &target, &folder)?;
    }
    Ok(scores)
}

/// The facts about a program, as JSON.
#[pyfunction]
pub fn info(
    program: &Bound<'_, Program>,
    width: Option<u32>,
    operator_name: Option<&str>,
) -> PyResult<String> {
    let (py, program) = (program.py(), program.get().0.clone());
    let operator = operator_name.map(operator).transpose()?;
    let info = run(py, move |_| match width {
        Some(width) => Ok(Info::new(&program, operator, width)?),
        None => Ok(Info::within(&program, operator, WIDTH_PX)?),
    })?;
    serde_json::to_string(&info).map_err(|e| request(e.to_string()))
}

/// A page that explains a program, in HTML.
#[pyfunction]
pub fn report<'py>(
    program: &Bound<'py, Program>,
    name: String,
    picture: Option<(Bound<'py, PyAny>, String)>,
    width: u32,
    weights: Option<PathBuf>,
) -> PyResult<String> {
    let (py, program) = (program.py(), program.get().0.clone());
    let picture = picture.map(|(picture, name)| Ok::<_, PyErr>((Given::of(&picture)?, name)));
    let picture = picture.transpose()?;
    run(py, move |_| {
        let target = match picture {
            Some((given, name)) => {
                let file = given.name();
                let picture = given.load()?.stored();
                check_program(
                    &program,
                    WIDTH_PX,
                    &picture,
                    &file.unwrap_or_else(|| "the picture".into()),
                )?;
                Some((picture, name))
            }
            None => None,
        };
        let target =
            target.as_ref().map(|(picture, name)| ReportTarget { picture, name: name.clone() });
        let weights = weights.as_deref();
        let subject = ReportSubject { program: &program, name, target, width_px: width, weights };
        subject.check()?;
        subject.html(&Progress::hidden())
    })
}

/// The mean squared error of so many decibels.
#[pyfunction]
pub fn mse_of(psnr: f64) -> f64 {
    tbr::score::mse_of(psnr)
}
