//! Fits as Python sees them: a step at a time, in the hands of whoever has the loop.

use crate::error::{raised, request};
use crate::keywords::Keywords;
use crate::options::Asked;
use crate::picture::{Given, in_file};
use crate::program::Program;
use crate::work::{Flag, run_to_end, run_under};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tbr::fit::{self, Options, State, StepReport, Target, combs};
use tbr::{Colour, Stop};
use tbr_io::digest::Digest;
use tbr_io::fit::budget::steps_until;
use tbr_io::fit::{Belongs, FitRecord, Next, Preparation, Preset, checkpoint, list};
use tbr_io::{Failure, networks};

/// What is fitted, and how: all that decides a fit.
struct Job {
    target: Target,
    /// The target's digest, taken once: whoever asks for a program has not to wait for it.
    picture_digest: String,
    options: Options,
    preset: Preset,
    matte: Colour,
    /// The picture's name, for people.
    picture: Option<String>,
    start: Option<Start>,
    weights: Option<PathBuf>,
}

/// The program that a fit starts from, and its name, for people.
type Start = (String, Arc<tbr::Program>);

impl Job {
    /// A new fit, or one that goes on.
    fn begin(&self, state: Option<State>, stop: Stop) -> Result<fit::Fit, Failure> {
        let (target, options) = (self.target.clone(), self.options.clone());
        let fit = match (state, &self.start) {
            (Some(state), _) => fit::Fit::resume(target, options, state)?,
            (None, Some((_, program))) => fit::Fit::from_program(target, options, program)?,
            (None, None) => fit::Fit::new(target, options)?,
        };
        Ok(networks::equip(fit, &self.options, self.weights.as_deref())?.with_stop(stop))
    }

    fn record(&self) -> FitRecord<'_> {
        FitRecord {
            picture: self.picture.clone(),
            target: &self.target,
            picture_digest: self.picture_digest.clone(),
            matte: self.matte,
            from: self.start.as_ref().map(|(name, program)| (name.clone(), program.as_ref())),
            preset: self.preset,
            options: &self.options,
        }
    }
}

/// What a fit is made of, taken out of Python's values.
struct Request {
    picture: Given,
    mask: Option<Given>,
    preparation: Preparation,
    name: Option<String>,
    preset: Preset,
    options: Options,
    start: Option<Start>,
    comb: bool,
    weights: Option<PathBuf>,
    state: Option<Vec<u8>>,
}

impl Request {
    fn of(picture: &Bound<'_, PyAny>, name: Option<String>, asked: &Asked) -> PyResult<Self> {
        let start = asked.start()?;
        let options = asked.options(start.as_deref())?;
        let comb = asked.0.flag("comb")?;
        if start.is_some() && (comb || !options.tools.is_empty()) {
            return Err(request("a program to start from has its own tools"));
        }
        if options.hold_tools && options.tools.is_empty() && !comb && start.is_none() {
            return Err(request("hold_tools needs tools, comb or start"));
        }
        let start_name: Option<String> = asked.0.get("start_name")?;
        let start = start.map(|start| (start_name.unwrap_or_else(|| "start".to_owned()), start));
        Ok(Self {
            picture: Given::of(picture)?,
            mask: asked.0.any("mask")?.as_ref().map(Given::of).transpose()?,
            preparation: asked.preparation()?,
            name,
            preset: asked.preset()?,
            options,
            start,
            comb,
            weights: asked.0.get("weights")?,
            state: asked.0.get("state")?,
        })
    }

    fn job(self, stop: &Stop) -> Result<(Job, Option<Vec<u8>>), Failure> {
        let name = self.picture.name();
        let picture = self.picture.load()?.stored();
        let prepared = self.preparation.prepare(&picture).map_err(|e| in_file(e, &name))?;
        drop(picture);
        let mask = match self.mask {
            Some(mask) => {
                let name = mask.name();
                Some(prepared.weights_of(&mask.load()?.stored()).map_err(|e| in_file(e, &name))?)
            }
            None => None,
        };
        let target = prepared.target(mask).map_err(|e| in_file(e, &name))?;
        let mut options = self.options;
        options.suit(target.longer_px());
        if self.comb {
            options.tools = combs::helpful(&target, &options, stop)?;
        }
        let job = Job {
            picture_digest: Digest::of_target(&target),
            target,
            options,
            preset: self.preset,
            matte: self.preparation.matte,
            picture: self.name,
            start: self.start,
            weights: self.weights,
        };
        Ok((job, self.state))
    }
}

/// A fit in progress.
#[pyclass(frozen, module = "tbr._tbr")]
pub struct Fit {
    work: Mutex<Work>,
    flag: Flag,
}

struct Work {
    job: Job,
    fit: fit::Fit,
}

/// Step, steps, loss, floor ratio, whether that is new, and the share of the work that is done.
type Report = (usize, usize, f64, f64, bool, f64);

#[pymethods]
impl Fit {
    #[new]
    fn new(
        py: Python<'_>,
        picture: &Bound<'_, PyAny>,
        name: Option<String>,
        asked: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let request = Request::of(picture, name, &Asked(Keywords(asked)))?;
        let flag = Flag::default();
        let work = run_under(py, &flag, |stop| {
            let (job, state) = request.job(stop)?;
            let path = Path::new("state");
            let state = state
                .map(|bytes| checkpoint::of_bytes(&bytes, path, &job.target, &job.options))
                .transpose()?;
            Ok(Work { fit: job.begin(state, stop.clone())?, job })
        })?;
        Ok(Self { work: Mutex::new(work), flag })
    }

    /// One step.
    fn step(&self, py: Python<'_>) -> PyResult<Report> {
        let mut work = self.lock()?;
        let fit = &mut work.fit;
        let step = |_: &Stop| Ok((fit.step()?, fit.progress()));
        let (report, progress) = run_to_end(py, &self.flag, step)?;
        let StepReport { step, steps, loss, floor_ratio, improved, .. } = report;
        Ok((step, steps, loss, floor_ratio, improved, progress))
    }

    /// Chooses the number of gradient steps so that the fit is over after so many seconds; it has
    /// its first program, and has done none.
    fn choose_steps(&self, py: Python<'_>, seconds: f64) -> PyResult<usize> {
        let mut work = self.lock()?;
        let Work { job, fit } = &mut *work;
        run_to_end(py, &self.flag, |stop| {
            let left = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX);
            let end = Instant::now()
                .checked_add(left)
                .ok_or_else(|| Failure::limit(format!("{seconds} seconds are too many")))?;
            let steps = steps_until(end, fit, &job.options, stop)?;
            job.options.share_out(steps);
            *fit = job.begin(Some(fit.state().clone()), stop.clone())?;
            Ok(steps)
        })
    }

    /// Is the first program there, and judged?
    fn has_started(&self) -> PyResult<bool> {
        Ok(self.lock()?.fit.state().has_started())
    }

    /// Has a gradient step been done?
    fn has_descended(&self) -> PyResult<bool> {
        Ok(self.lock()?.fit.state().has_descended())
    }

    /// Are all steps done?
    fn is_done(&self) -> PyResult<bool> {
        Ok(self.lock()?.fit.is_done())
    }

    /// The best program so far, with how it was made.
    fn program(&self, py: Python<'_>) -> PyResult<Program> {
        let work = self.lock()?;
        let Work { job, fit } = &*work;
        let made = |_: &Stop| job.record().program(fit);
        run_to_end(py, &Flag::default(), made).map(Program::from)
    }

    /// The mean squared error of the best program so far; none before there is one.
    fn error(&self) -> PyResult<Option<f64>> {
        Ok(self.lock()?.fit.error())
    }

    /// The least error that any program with the palette so far could have; none if the palette
    /// sets no limit.
    fn least_error(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        let work = self.lock()?;
        let Work { job, fit } = &*work;
        let ceiling = |_: &Stop| Ok(fit.ceiling());
        let ceiling = run_to_end(py, &Flag::default(), ceiling)?;
        Ok(ceiling.map(|ceiling| job.target.floor() / ceiling))
    }

    /// Pixels across and down of the picture as it is fitted.
    fn size(&self) -> PyResult<(u32, u32)> {
        Ok(self.lock()?.job.target.image().size())
    }

    /// All that is needed to go on: the bytes of a checkpoint.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let work = self.lock()?;
        let Work { job, fit } = &*work;
        let bytes = |_: &Stop| checkpoint::to_bytes(&job.target, &job.options, fit.state());
        let bytes = run_to_end(py, &Flag::default(), bytes)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Writes that to a file, whole or not at all.
    fn save_state(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let work = self.lock()?;
        let Work { job, fit } = &*work;
        let write = |_: &Stop| checkpoint::write(&path, &job.target, &job.options, fit.state());
        run_to_end(py, &Flag::default(), write)
    }

    /// What a program has to do with the fit: "finished" if it is what the fit makes, "stopped"
    /// if it is what the fit had made when it was stopped; none if it is anything else.
    fn owns(&self, program: &Program) -> PyResult<Option<&'static str>> {
        Ok(match self.lock()?.job.record().owns(&program.0) {
            Belongs::Finished => Some("finished"),
            Belongs::Stopped => Some("stopped"),
            Belongs::Not => None,
        })
    }

    /// The mean squared error of the best picture of one colour.
    fn floor(&self) -> PyResult<f64> {
        Ok(self.lock()?.job.target.floor())
    }

    /// The options, as JSON.
    fn options(&self) -> PyResult<String> {
        serde_json::to_string(&self.lock()?.job.options).map_err(|e| request(e.to_string()))
    }
}

impl Fit {
    /// (Nobody waits here: whoever steps needs the interpreter's lock to hear of Ctrl-C.)
    fn lock(&self) -> PyResult<MutexGuard<'_, Work>> {
        self.work.try_lock().map_err(|_| request("the fit is at work in another thread"))
    }
}

/// Where the program of one of many pictures goes, seen from the folder for all of them.
#[pyfunction]
pub fn program_of(picture: PathBuf) -> PyResult<PathBuf> {
    list::program_in(Path::new(""), &picture).map_err(|failure| raised(&failure))
}

/// The search for the fewest strokes whose error is small enough.
#[pyclass(module = "tbr._tbr")]
pub struct Fewest(tbr_io::fit::Fewest);

#[pymethods]
impl Fewest {
    #[new]
    fn new(error: f64, first: Option<usize>, size: (u32, u32)) -> Self {
        Self(tbr_io::fit::Fewest::of_picture(error, first, size.0 as usize * size.1 as usize))
    }

    /// Takes note of a fit's error.
    fn tried(&mut self, strokes: usize, error: f64) {
        self.0.tried(strokes, error);
    }

    /// How many strokes to try next; none at the end.
    fn next(&self) -> Option<usize> {
        match self.0.next() {
            Next::Try(strokes) => Some(strokes),
            Next::Found(_) | Next::OutOfReach => None,
        }
    }

    /// The fewest that were enough, if any were.
    fn enough(&self) -> Option<usize> {
        self.0.enough()
    }

    /// The most that were too few, if any were.
    fn too_few(&self) -> Option<usize> {
        self.0.too_few()
    }

    /// The least error so far.
    fn least_error(&self) -> f64 {
        self.0.least_error()
    }
}
