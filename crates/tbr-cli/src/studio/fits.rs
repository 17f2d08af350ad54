//! The queue of fits, and the thread that makes them, one at a time.

use super::desk::{Piece, Studio};
use super::history::History;
use super::refusal::{Answer, Refusal};
use super::target::{MATTE, MOST_SIDE_PX};
use crate::commands::fit::made::Made;
use crate::commands::fit::target::Wanted;
use crate::commands::fit::{Preset, bound, palette, paper, take_after};
use crate::failure::Failure;
use clap::ValueEnum;
use serde::Deserialize;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, PoisonError};
use std::time::Instant;
use tbr::fit::{Fit, Options, Palette, Report};
use tbr::program::Program;

/// Points of a curve that are kept: as fine as a page can show.
const MOST_POINTS: usize = 240;

/// What a page asks for.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    pub preset: String,
    /// None: 2000, or the program's.
    pub strokes: Option<usize>,
    /// `free`, a number, or hex colours; none: free, or the program's.
    pub palette: Option<String>,
    pub seed: u64,
    pub size_px: u32,
    pub drops: bool,
    pub bare: bool,
    pub from: bool,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            preset: Preset::Default.name().to_owned(),
            strokes: None,
            palette: None,
            seed: 0,
            size_px: 1024,
            drops: false,
            bare: false,
            from: false,
        }
    }
}

impl Request {
    fn preset(&self) -> Answer<Preset> {
        let wrong = |_| Refusal::senseless(format!("there is no preset \"{}\"", self.preset));
        Preset::from_str(&self.preset, false).map_err(wrong)
    }

    /// The options that it says, for a fit from scratch or from a program.
    fn options(&self, given: Option<&Program>) -> Answer<Options> {
        let mut options = self.preset()?.options();
        if let Some(program) = given {
            take_after(&mut options, program);
        }
        options.strokes = self.strokes.unwrap_or(options.strokes);
        if let Some(text) = &self.palette {
            options.palette = parse_palette(text)?;
        }
        options.drops = self.drops;
        options.seed = self.seed;
        bound(&mut options, self.size_px);
        Ok(options)
    }

    fn check(&self) -> Answer<()> {
        if !(16..=MOST_SIDE_PX).contains(&self.size_px) {
            let size = self.size_px;
            let message = format!("a size of {size} pixels is not between 16 and {MOST_SIDE_PX}");
            return Err(Refusal::senseless(message));
        }
        if self.bare && self.preset()? == Preset::Paper {
            let message = "the paper's solver paints everywhere: nothing can stay bare";
            return Err(Refusal::senseless(message));
        }
        Ok(())
    }
}

/// The palettes of the command line, but for files: no path comes from a page.
fn parse_palette(text: &str) -> Answer<Palette> {
    let palette = palette::in_words(text).map_err(Refusal::senseless)?;
    palette.ok_or_else(|| {
        let refusal = Refusal::senseless(format!("\"{text}\" is no palette"));
        refusal.hint("free, a number, or colours like #1d3f73,#ede8d9")
    })
}

/// A piece's fit, from the request on.
pub struct Run {
    pub request: Request,
    pub options: Options,
    pub status: Status,
    /// What is to happen after the step at hand.
    pub wish: Option<Wish>,
    pub report: Option<Report>,
    pub progress: f64,
    pub ceiling: Option<f64>,
    /// Seconds that it has worked.
    pub seconds: f64,
    /// Seconds and floor ratio.
    pub curve: Vec<(f64, f64)>,
    /// What it starts from.
    given: Option<Arc<Program>>,
    /// The fit, while nobody works on it.
    parked: Option<Box<Fit>>,
    /// Did it give the piece the first program it had?
    first: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    Waiting,
    Running,
    Paused,
    Stopped,
    Done,
    Failed(String),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wish {
    Pause,
    Stop,
}

impl Run {
    /// Is it not over?
    pub fn is_pending(&self) -> bool {
        matches!(self.status, Status::Waiting | Status::Running | Status::Paused)
    }

    /// Can it go on?
    pub fn is_resumable(&self) -> bool {
        match self.status {
            Status::Paused => true,
            Status::Stopped => self.parked.is_some() || self.report.is_none(),
            _ => self.wish == Some(Wish::Pause),
        }
    }

    fn made(&self, piece: &Piece) -> Made<'_> {
        let picture = piece.target.as_ref().map(|target| target.name.clone());
        let from = self.given.as_ref().map(|_| piece.name.clone());
        let preset = self.request.preset().unwrap_or(Preset::Default);
        Made { picture, from, preset, size_px: self.request.size_px, options: &self.options }
    }

    /// Notes how a step went.
    fn note(&mut self, fit: &Fit, report: Report, seconds: f64) {
        self.report = Some(report);
        self.progress = fit.progress();
        self.seconds = seconds;
        if report.improved && report.floor_ratio.is_finite() {
            self.curve.push((seconds, report.floor_ratio));
        }
        if self.curve.len() > MOST_POINTS {
            // Every other point; the last stays.
            let last = self.curve.len() - 1;
            let mut k = 0..;
            self.curve.retain(|_| k.next().is_some_and(|k: usize| k % 2 == last % 2));
        }
    }
}

impl Studio {
    /// Puts a fit of a piece in the queue.
    pub fn fit(&self, id: u64, request: Request) -> Answer<()> {
        request.check()?;
        self.change(id, |piece| {
            piece.check_idle()?;
            if piece.target.is_none() {
                let refusal = Refusal::conflict("there is no picture to fit");
                return Err(refusal.hint("give the program a target"));
            }
            let given = request.from.then(|| piece.needed_program()).transpose()?;
            let options = request.options(given.as_deref())?;
            options.check()?;
            piece.fit = Some(Run {
                request,
                options,
                status: Status::Waiting,
                wish: None,
                report: None,
                progress: 0.0,
                ceiling: None,
                seconds: 0.0,
                curve: Vec::new(),
                given,
                parked: None,
                first: piece.history.is_none(),
            });
            Ok(())
        })?;
        self.enqueue(id);
        Ok(())
    }

    fn enqueue(&self, id: u64) {
        self.desk().queue.push_back(id);
        self.fits_wanted.notify_all();
        self.tell_pages();
    }

    pub fn pause_fit(&self, id: u64) -> Answer<()> {
        self.change_fit(id, |run| {
            match run.status {
                Status::Waiting => run.status = Status::Paused,
                Status::Running => run.wish = Some(Wish::Pause),
                _ => {}
            }
            Ok(())
        })?;
        self.desk().queue.retain(|waiting| *waiting != id);
        Ok(())
    }

    /// Ends a fit; what it has found so far stays.
    pub fn stop_fit(&self, id: u64) -> Answer<()> {
        let rests = self.change_fit(id, |run| {
            if run.status == Status::Running {
                run.wish = Some(Wish::Stop);
            }
            Ok(matches!(run.status, Status::Waiting | Status::Paused))
        })?;
        self.desk().queue.retain(|waiting| *waiting != id);
        if rests {
            self.change(id, |piece| {
                end(piece, Status::Stopped);
                Ok(())
            })?;
        }
        Ok(())
    }

    pub fn continue_fit(&self, id: u64) -> Answer<()> {
        let waits = self.change_fit(id, |run| {
            if !run.is_resumable() {
                let refusal = Refusal::conflict("this fit cannot go on: it is over");
                return Err(refusal.hint("start another from the present program"));
            }
            run.wish = None;
            if run.status != Status::Running {
                run.status = Status::Waiting;
            }
            Ok(run.status == Status::Waiting)
        })?;
        if waits {
            self.enqueue(id);
        }
        Ok(())
    }

    fn change_fit<T>(&self, id: u64, change: impl FnOnce(&mut Run) -> Answer<T>) -> Answer<T> {
        let result = {
            let mut desk = self.desk();
            let run = desk.piece_mut(id)?.fit.as_mut();
            change(run.ok_or_else(|| Refusal::conflict("this piece has no fit"))?)
        };
        self.tell_pages();
        result
    }

    /// Makes the fits of the queue, for ever.
    pub fn work_on_fits(&self) {
        loop {
            let mut desk = self.desk();
            let id = loop {
                if let Some(id) = desk.queue.pop_front() {
                    break id;
                }
                desk = self.fits_wanted.wait(desk).unwrap_or_else(PoisonError::into_inner);
            };
            drop(desk);
            // A bug in a fit must not end the studio and everything that is open in it.
            let worked = std::panic::catch_unwind(AssertUnwindSafe(|| self.work_on(id)));
            let failure = match worked {
                Ok(Ok(())) => continue,
                Ok(Err(failure)) => failure.words().0,
                Err(_) => "the fit broke down: this is a bug of tbr".to_owned(),
            };
            // (The piece may have been closed.)
            let _ = self.change(id, |piece| {
                end(piece, Status::Failed(failure));
                Ok(())
            });
        }
    }

    /// Works on a fit until it is done or somebody wants something else.
    fn work_on(&self, id: u64) -> Result<(), Failure> {
        let Some((mut fit, before)) = self.begin(id)? else { return Ok(()) };
        let start = Instant::now();
        while !fit.is_done() {
            let report = fit.step()?;
            let improved = if report.improved { Some(Arc::new(fit.program()?)) } else { None };
            let seconds = before + start.elapsed().as_secs_f64();
            let Ok(wish) = self.note(id, &fit, report, seconds, improved) else { return Ok(()) };
            match wish {
                None => {}
                Some(Wish::Pause) => return self.park(id, fit, Status::Paused),
                Some(Wish::Stop) => return self.park(id, fit, Status::Stopped),
            }
        }
        self.park(id, fit, Status::Done)
    }

    /// A new fit or one that goes on, and the seconds that it has worked already; none if
    /// there is nothing to do.
    fn begin(&self, id: u64) -> Result<Option<(Fit, f64)>, Failure> {
        let found = self.change(id, |piece| {
            let target = piece.target.clone();
            let Some(run) = piece.fit.as_mut().filter(|run| run.status == Status::Waiting) else {
                return Ok(None);
            };
            run.status = Status::Running;
            let (parked, given) = (run.parked.take(), run.given.clone());
            let (options, request) = (run.options.clone(), run.request.clone());
            Ok(Some((target, parked, given, options, request, run.seconds)))
        });
        let Ok(Some((target, parked, given, options, request, seconds))) = found else {
            return Ok(None);
        };
        if let Some(fit) = parked {
            return Ok(Some((*fit, seconds)));
        }
        let Some(target) = target else { return Ok(None) };
        let wanted = Wanted { size_px: request.size_px, matte: MATTE, bare: request.bare };
        let target = wanted.of(&target.picture, None)?;
        let fit = match given {
            Some(program) => Fit::from_program(target, options.clone(), &program)?,
            None => Fit::new(target, options.clone())?,
        };
        Ok(Some((paper::equip(fit, &options, self.weights.as_deref())?, seconds)))
    }

    /// Tells pages how a step went; gives what they want. An error if the piece is gone.
    fn note(
        &self,
        id: u64,
        fit: &Fit,
        report: Report,
        seconds: f64,
        improved: Option<Arc<Program>>,
    ) -> Answer<Option<Wish>> {
        let note = |piece: &mut Piece| {
            piece.live = improved.clone().or(piece.live.take());
            let Some(run) = piece.fit.as_mut() else { return Ok(Some(Wish::Stop)) };
            run.note(fit, report, seconds);
            Ok(run.wish.take())
        };
        if improved.is_some() {
            return self.change(id, note);
        }
        let wish = note(self.desk().piece_mut(id)?);
        self.tell_pages();
        wish
    }

    /// Puts a fit down.
    fn park(&self, id: u64, fit: Fit, status: Status) -> Result<(), Failure> {
        let ceiling = if status == Status::Done { fit.ceiling() } else { None };
        let made = {
            let desk = self.desk();
            let Ok(piece) = desk.piece(id) else { return Ok(()) };
            piece.fit.as_ref().map(|run| run.made(piece).program(&fit)).transpose()
        };
        // (A fit that is stopped before its first judgement has no program.)
        let program = made.ok().flatten();
        let _ = self.change(id, |piece| {
            if let Some(run) = &mut piece.fit {
                run.ceiling = ceiling;
                run.wish = None;
                run.parked = (status != Status::Done).then(|| Box::new(fit));
            }
            piece.live = program.map(Arc::new).or(piece.live.take());
            match status {
                Status::Paused => {
                    if let Some(run) = &mut piece.fit {
                        run.status = status;
                    }
                }
                status => end(piece, status),
            }
            Ok(())
        });
        Ok(())
    }
}

/// A fit is over: the best that it has found becomes a step in the piece's history, or its
/// beginning.
fn end(piece: &mut Piece, status: Status) {
    let Some(run) = &mut piece.fit else { return };
    if matches!(status, Status::Done | Status::Failed(_)) {
        run.parked = None;
    }
    run.status = status;
    run.wish = None;
    let Some(live) = piece.live.take() else { return };
    let program = Arc::unwrap_or_clone(live);
    match &mut piece.history {
        Some(history) if !(run.first && history.done() == 0) => {
            history.push(format!("fit, {}", run.request.preset), program, None);
        }
        _ => piece.history = Some(History::new(program)),
    }
}

/// A fit that was stopped cannot go on once its program has been changed.
pub fn forget_parked(piece: &mut Piece) {
    if let Some(run) = &mut piece.fit {
        run.parked = None;
    }
}
