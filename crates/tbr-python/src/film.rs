//! Films: written to files, or frame by frame.

use crate::arrays::to_picture;
use crate::error::{of_library, request};
use crate::keywords::Keywords;
use crate::program::Program;
use crate::render::Looks;
use crate::work::{Flag, run, run_to_end};
use numpy::PyArrayDyn;
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;
use tbr::View;
use tbr::animate::{self, FilmOptions, growth};
use tbr::render::{Background, Replay, ReplayOptions};
use tbr_io::film::{self, FilmKind, Format, MOST_HOLD_SECS};
use tbr_io::picture::{StoppableReplay, bytes};

/// Pixels across if no side is given, as on the command line.
const WIDTH_PX: u32 = 512;
/// The longest of a film's times, seconds.
const MOST_SECS: f64 = 36_000.0;
/// The shortest that so many frames may take, seconds.
const LEAST_SECS: f64 = 1e-3;
/// How long a film is, and how long a deposit grows, if nobody says, seconds, as on the command
/// line.
const USUAL_SECS: f64 = 10.0;
const USUAL_GROW_SECS: f64 = 0.5;

/// How a film goes.
pub struct Course {
    seconds: Option<f64>,
    /// None: so many frames are the whole film, however fast they are shown.
    fps: Option<f64>,
    frames: Option<usize>,
    easing: String,
    /// How long a deposit grows, seconds; strokes appear at once at 0.
    grow: Option<f64>,
}

impl<'py> FromPyObject<'_, 'py> for Course {
    type Error = PyErr;

    fn extract(course: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let course = course.cast::<PyDict>()?;
        let course = Keywords(&course);
        Ok(Self {
            seconds: course.get("seconds")?,
            fps: course.get("fps")?,
            frames: course.get("frames")?,
            easing: course.need("easing")?,
            grow: course.get("grow")?,
        })
    }
}

impl Course {
    fn options(&self, program: &tbr::Program) -> PyResult<FilmOptions> {
        let least = if self.fps.is_some() { 0.0 } else { LEAST_SECS };
        let seconds = within("seconds", self.seconds.unwrap_or(USUAL_SECS), [least, MOST_SECS])?;
        let grow = within("grow", self.grow.unwrap_or(USUAL_GROW_SECS), [0.0, MOST_SECS])?;
        let fps = self.fps.map(|fps| within("fps", fps, [0.1, 1000.0])).transpose()?;
        let usual = || (seconds * fps.unwrap_or_default()).round().max(1.0) as usize;
        let frames = self.frames.unwrap_or_else(usual);
        let lasts = fps.map_or(seconds, |fps| frames as f64 / fps);
        let growth = growth(grow, lasts, program);
        Ok(FilmOptions { frames, easing: self.easing.parse().map_err(of_library)?, growth })
    }
}

/// A number, if it is from the least to the most.
fn within(name: &str, value: f64, [least, most]: [f64; 2]) -> PyResult<f64> {
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(request(format!("{name} is {value}; must be from {least} to {most}")))
}

/// A film of a program being laid down, or becoming another: its frames, one by one.
#[pyclass(frozen, module = "tbr._tbr")]
pub struct Film(Arc<Plan>);

/// What a film is made of.
struct Plan {
    program: Arc<tbr::Program>,
    other: Option<Arc<tbr::Program>>,
    options: FilmOptions,
    view: View,
    looks: ReplayOptions,
}

impl Plan {
    fn film(&self) -> tbr::Result<animate::Film<'_>> {
        match &self.other {
            Some(other) => animate::Film::morph(&self.program, other, self.options),
            None => animate::Film::laying(&self.program, self.options),
        }
    }
}

#[pymethods]
impl Film {
    #[new]
    fn new(
        program: &Bound<'_, Program>,
        morph_to: Option<&Bound<'_, Program>>,
        course: Course,
        looks: Looks<'_>,
    ) -> PyResult<Self> {
        let program = program.get().0.clone();
        let view = looks.view_of_width(&program, looks.width_or(WIDTH_PX))?;
        view.check_pixels().map_err(of_library)?;
        let options = course.options(&program)?;
        if course.grow.is_some() && morph_to.is_some() {
            return Err(request("grow is for a program that is laid down, not for morph_to"));
        }
        let other = morph_to.map(|other| other.get().0.clone());
        let plan = Plan { program, other, options, view, looks: looks.options()? };
        plan.film().map_err(of_library)?;
        Ok(Self(Arc::new(plan)))
    }

    fn __len__(&self) -> usize {
        self.0.options.frames
    }

    /// Frame `k`, counted from 0, as bytes.
    fn frame<'py>(&self, py: Python<'py>, k: usize) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
        let (plan, size) = (self.0.clone(), self.0.view.size());
        let alpha = plan.looks.background == Background::Bare;
        let pixels = run(py, move |stop| {
            let program = plan.film()?.program(k)?;
            let replay = Replay::new(&program, plan.view, &plan.looks)?;
            let pixels = bytes(&StoppableReplay::new(&replay, stop), alpha);
            Ok(stop.check().map(|()| pixels)?)
        })?;
        to_picture(py, size, Some(if alpha { 4 } else { 3 }), pixels)
    }
}

/// Writes a film.
#[pyfunction(name = "animate")]
pub fn write_film(
    film: &Bound<'_, Film>,
    path: PathBuf,
    fps: f64,
    hold: f64,
    once: bool,
    force: bool,
) -> PyResult<()> {
    let (py, film) = (film.py(), &film.get().0);
    let hold = within("hold", hold, [0.0, MOST_HOLD_SECS])?;
    run_to_end(py, &Flag::default(), |stop| {
        let kind = FilmKind::of(&path)?;
        let (width_px, height_px) = kind.size(film.view.size());
        let view = View { width_px, height_px, ..film.view };
        let format = Format {
            kind,
            width_px,
            height_px,
            frames: film.options.frames,
            fps,
            hold_secs: hold,
            alpha: film.looks.background == Background::Bare,
            repeat: !once,
        };
        format.check()?;
        let before = |_| Ok(stop.check()?);
        film::shoot(&path, force, &film.film()?, view, &film.looks, &format, before)
    })
}
