//! The queue of fits, and the thread that makes them, one at a time.

mod request;

pub use request::{MOST_STROKES, Request};

use super::desk::{Desk, Piece, Studio};
use super::history::History;
use super::refusal::{Answer, Refusal};
use super::target::MATTE;
use crate::commands::fit::made::Made;
use crate::commands::fit::target::Wanted;
use crate::commands::fit::{Preset, paper};
use crate::failure::Failure;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, PoisonError};
use std::time::Instant;
use tbr::fit::{Fit, Options, Report};
use tbr::program::Program;

/// Points of a curve that are kept: as fine as a page can show.
const MOST_POINTS: usize = 240;

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
    /// Where it stands, while nobody works on it and it can go on.
    parked: Option<Parked>,
    /// Did it give the piece the first program it had?
    first: bool,
}

enum Parked {
    NotBegun,
    Begun(Box<Fit>),
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
            Status::Paused | Status::Stopped => self.parked.is_some(),
            _ => self.wish == Some(Wish::Pause),
        }
    }

    fn check_pending(&self) -> Answer<()> {
        if self.is_pending() { Ok(()) } else { Err(Refusal::conflict("this fit is over")) }
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

/// What pages want of fits. Each looks and acts under one guard, so that the thread that
/// makes fits sees all of it or nothing.
impl Studio {
    /// Puts a fit of a piece in the queue.
    pub fn fit(&self, id: u64, request: Request) -> Answer<()> {
        request.check()?;
        self.guide(id, |desk| {
            let piece = desk.piece_mut(id)?;
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
                parked: Some(Parked::NotBegun),
                first: piece.history.is_none(),
            });
            desk.queue.push_back(id);
            Ok(())
        })
    }

    pub fn pause_fit(&self, id: u64) -> Answer<()> {
        self.guide(id, |desk| {
            let run = desk.run(id)?;
            run.check_pending()?;
            match run.status {
                Status::Waiting => run.status = Status::Paused,
                Status::Running => run.wish = run.wish.or(Some(Wish::Pause)),
                _ => {}
            }
            desk.queue.retain(|waiting| *waiting != id);
            Ok(())
        })
    }

    /// Ends a fit; what it has found so far stays.
    pub fn stop_fit(&self, id: u64) -> Answer<()> {
        self.guide(id, |desk| {
            let run = desk.run(id)?;
            run.check_pending()?;
            if run.status == Status::Running {
                run.wish = Some(Wish::Stop);
                return Ok(());
            }
            desk.queue.retain(|waiting| *waiting != id);
            desk.revised(id, |piece| end(piece, Status::Stopped))
        })
    }

    pub fn continue_fit(&self, id: u64) -> Answer<()> {
        self.guide(id, |desk| {
            let run = desk.run(id)?;
            if !run.is_resumable() {
                let refusal = Refusal::conflict("this fit cannot go on");
                return Err(refusal.hint("start another from the present program"));
            }
            run.wish = None;
            if run.status != Status::Running {
                run.status = Status::Waiting;
                desk.queue.push_back(id);
            }
            Ok(())
        })
    }

    fn guide(&self, id: u64, act: impl FnOnce(&mut Desk) -> Answer<()>) -> Answer<()> {
        {
            let mut desk = self.desk();
            desk.piece(id)?;
            act(&mut desk)?;
        }
        self.fits_wanted.notify_all();
        self.tell_pages();
        Ok(())
    }
}

/// The thread that makes fits.
impl Studio {
    /// Makes the fits of the queue, for ever.
    pub fn work_on_fits(&self) {
        loop {
            let id = self.next_fit();
            // A bug in a fit must not end the studio and everything that is open in it.
            let worked = std::panic::catch_unwind(AssertUnwindSafe(|| self.work_on(id)));
            let failure = match worked {
                Ok(Ok(())) => continue,
                Ok(Err(failure)) => failure.words().0,
                Err(_) => "the fit broke down: this is a bug of tbr".to_owned(),
            };
            // (The piece may have been closed.)
            let _ = self.desk().revised(id, |piece| end(piece, Status::Failed(failure)));
            self.tell_pages();
        }
    }

    fn next_fit(&self) -> u64 {
        let mut desk = self.desk();
        loop {
            if let Some(id) = desk.queue.pop_front() {
                return id;
            }
            desk = self.fits_wanted.wait(desk).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Works on a fit until it is done or somebody wants something else.
    fn work_on(&self, id: u64) -> Result<(), Failure> {
        let Some((mut fit, before)) = self.begin(id)? else { return Ok(()) };
        let start = Instant::now();
        loop {
            if !fit.is_done() {
                let report = fit.step()?;
                let improved = if report.improved { Some(Arc::new(fit.program()?)) } else { None };
                let seconds = before + start.elapsed().as_secs_f64();
                match self.note(id, &fit, report, seconds, improved) {
                    Err(_) => return Ok(()), // The piece has been closed.
                    Ok(None) if !fit.is_done() => continue,
                    Ok(_) => {}
                }
            }
            match self.settle(id, fit) {
                Some(wanted_again) => fit = wanted_again,
                None => return Ok(()),
            }
        }
    }

    /// A new fit or one that goes on, and the seconds that it has worked already; none if
    /// there is nothing to do.
    fn begin(&self, id: u64) -> Result<Option<(Fit, f64)>, Failure> {
        let (parked, target, given, options, request, seconds) = {
            let mut desk = self.desk();
            let Ok(piece) = desk.piece_mut(id) else { return Ok(None) };
            let Some(target) = piece.target.clone() else { return Ok(None) };
            let waiting = piece.fit.as_mut().filter(|run| run.status == Status::Waiting);
            let Some(run) = waiting else { return Ok(None) };
            run.status = Status::Running;
            let (options, request) = (run.options.clone(), run.request.clone());
            (run.parked.take(), target, run.given.clone(), options, request, run.seconds)
        };
        self.tell_pages();
        if let Some(Parked::Begun(fit)) = parked {
            return Ok(Some((*fit, seconds)));
        }
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
        let wish = {
            let mut desk = self.desk();
            if improved.is_some() {
                desk.revised(id, |piece| piece.live = improved)?;
            }
            let run = desk.run(id)?;
            run.note(fit, report, seconds);
            run.wish
        };
        self.tell_pages();
        Ok(wish)
    }

    /// Puts a fit down that is done or that somebody wants to rest; gives it back if that
    /// is no longer wanted.
    fn settle(&self, id: u64, fit: Fit) -> Option<Fit> {
        let (picture, from, preset, size_px, options) = {
            let mut desk = self.desk();
            let piece = desk.piece_mut(id).ok()?;
            let picture = piece.target.as_ref().map(|target| target.name.clone());
            let run = piece.fit.as_ref()?;
            let from = run.given.as_ref().map(|_| piece.name.clone());
            let preset = run.request.preset().unwrap_or(Preset::Default);
            (picture, from, preset, run.request.size_px, run.options.clone())
        };
        let made = Made { picture, from, preset, size_px, options: &options };
        // (A fit that is stopped before its first judgement has no program.)
        let program = made.program(&fit).ok();
        let mut desk = self.desk();
        let run = desk.run(id).ok()?;
        let status = match (fit.is_done(), run.wish) {
            (true, _) => Status::Done,
            (false, Some(Wish::Pause)) => Status::Paused,
            (false, Some(Wish::Stop)) => Status::Stopped,
            (false, None) => return Some(fit),
        };
        run.wish = None;
        run.ceiling = program.as_ref().and_then(|p| p.provenance.get("palette_ceiling")?.as_f64());
        run.parked = (status != Status::Done).then(|| Parked::Begun(Box::new(fit)));
        let _ = desk.revised(id, |piece| {
            piece.live = program.map(Arc::new).or(piece.live.take());
            match (&mut piece.fit, &status) {
                (Some(run), Status::Paused) => run.status = status,
                _ => end(piece, status),
            }
        });
        drop(desk);
        self.tell_pages();
        None
    }
}

impl Desk {
    fn run(&mut self, id: u64) -> Answer<&mut Run> {
        let run = self.piece_mut(id)?.fit.as_mut();
        run.ok_or_else(|| Refusal::conflict("this piece has no fit"))
    }
}

/// A fit is over: the best that it has found becomes a step in the piece's history, or its
/// beginning.
fn end(piece: &mut Piece, status: Status) {
    let Some(run) = &mut piece.fit else { return };
    if status != Status::Stopped {
        run.parked = None;
    }
    run.status = status;
    run.wish = None;
    let Some(live) = piece.live.take() else { return };
    let program = Arc::unwrap_or_clone(live);
    match &mut piece.history {
        Some(history) if !(run.first && history.done() == 0) => {
            let now = history.now();
            let same = (&now.strokes, &now.palette, now.background)
                == (&program.strokes, &program.palette, program.background);
            if !same {
                history.push(format!("fit, {}", run.request.preset), program, None);
            }
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
