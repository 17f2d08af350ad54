//! Films: written to files, or frame by frame.

use crate::arrays::to_picture;
use crate::error::{of_library, request};
use crate::program::Program;
use crate::render::Looks;
use crate::work::run;
use numpy::PyArrayDyn;
use pyo3::prelude::*;
use std::path::PathBuf;
use tbr::View;
use tbr::animate::{self, FilmOptions, growth};
use tbr::render::{Background, Replay, ReplayOptions};
use tbr_io::film::{self, FilmKind, Format};
use tbr_io::picture::{StoppableReplay, bytes};

/// Pixels across if no side is given, as on the command line.
const WIDTH_PX: u32 = 512;
/// The longest of a film's times, seconds.
const MOST_SECS: f64 = 36_000.0;
/// The longest that a last frame stays, seconds.
const MOST_HOLD_SECS: f64 = 3600.0;

/// How a film goes.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Course {
    seconds: f64,
    fps: f64,
    frames: Option<usize>,
    easing: String,
    /// How long a deposit grows, seconds; strokes appear at once at 0.
    grow: f64,
}

impl Course {
    fn options(&self, program: &tbr::Program) -> PyResult<FilmOptions> {
        for (name, value, least, most) in [
            ("seconds", self.seconds, 0.0, MOST_SECS),
            ("grow", self.grow, 0.0, MOST_SECS),
            ("fps", self.fps, 0.1, 1000.0),
        ] {
            if !(least..=most).contains(&value) {
                return Err(request(format!("{name} is {value}; must be from {least} to {most}")));
            }
        }
        let frames =
            self.frames.unwrap_or_else(|| ((self.seconds * self.fps).round() as usize).max(1));
        let growth = growth(self.grow, frames as f64 / self.fps, program);
        Ok(FilmOptions { frames, easing: self.easing.parse().map_err(of_library)?, growth })
    }
}

/// A film of a program being laid down, or becoming another: its frames, one by one.
#[pyclass(frozen, module = "tbr._tbr")]
pub struct Film {
    program: tbr::Program,
    other: Option<tbr::Program>,
    options: FilmOptions,
    view: View,
    looks: ReplayOptions,
}

impl Film {
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
        let other = morph_to.map(|other| other.get().0.clone());
        let film = Self { program, other, options, view, looks: looks.options()? };
        film.film().map_err(of_library)?;
        Ok(film)
    }

    fn __len__(&self) -> usize {
        self.options.frames
    }

    /// Frame `k`, counted from 0, as bytes.
    fn frame<'py>(&self, py: Python<'py>, k: usize) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
        let alpha = self.looks.background == Background::Bare;
        let pixels = run(py, |stop| {
            let program = self.film()?.program(k)?;
            let replay = Replay::new(&program, self.view, &self.looks)?;
            let pixels = bytes(&StoppableReplay::new(&replay, stop), alpha);
            Ok(stop.check().map(|()| pixels)?)
        })?;
        to_picture(py, self.view.size(), Some(if alpha { 4 } else { 3 }), pixels)
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
    let (py, film) = (film.py(), film.get());
    if !(0.0..=MOST_HOLD_SECS).contains(&hold) {
        return Err(request(format!("hold is {hold}; must be from 0 to {MOST_HOLD_SECS}")));
    }
    run(py, |stop| {
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
