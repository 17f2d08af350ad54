//! The queue of fits: what pages ask of it. [`worker`] is the thread that makes them, one at
//! a time.

mod request;
mod worker;

pub use request::{FitRequest, MOST_STROKES};

use crate::history::History;
use crate::refusal::{Answer, Refusal};
use crate::workspace::{Piece, Studio, Workspace};
use std::sync::Arc;
use tbr::Program;
use tbr::fit::{Fit, Options, StepReport};
use tbr_io::picture::Size;

/// Points of a curve that are kept: as fine as a page can show.
const MOST_POINTS: usize = 240;

/// A piece's fit, from the request on.
pub struct Run {
    pub request: FitRequest,
    pub options: Options,
    pub status: FitStatus,
    /// What is to happen after the step at hand.
    pub command: Option<FitCommand>,
    pub report: Option<StepReport>,
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
pub enum FitStatus {
    Waiting,
    Running,
    Paused,
    Stopped,
    Done,
    Failed(String),
}

/// What a page tells a fit that runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FitCommand {
    Pause,
    Stop,
}

impl Run {
    /// A fit that has been asked for, of a piece.
    fn new(request: FitRequest, piece: &Piece, picture: Size) -> Answer<Self> {
        let given = request.from.then(|| piece.needed_program()).transpose()?;
        let options = request.options(picture, given.as_deref())?;
        options.check()?;
        Ok(Self {
            request,
            options,
            status: FitStatus::Waiting,
            command: None,
            report: None,
            progress: 0.0,
            ceiling: None,
            seconds: 0.0,
            curve: Vec::new(),
            given,
            parked: Some(Parked::NotBegun),
            first: piece.history.is_none(),
        })
    }

    /// Is it not over?
    pub fn is_pending(&self) -> bool {
        matches!(self.status, FitStatus::Waiting | FitStatus::Running | FitStatus::Paused)
    }

    /// Can it go on?
    pub fn is_resumable(&self) -> bool {
        match self.status {
            FitStatus::Paused | FitStatus::Stopped => self.parked.is_some(),
            _ => self.command == Some(FitCommand::Pause),
        }
    }

    fn check_pending(&self) -> Answer<()> {
        if self.is_pending() { Ok(()) } else { Err(Refusal::conflict("this fit is over")) }
    }

    /// Notes how a step went.
    fn note(&mut self, fit: &Fit, report: StepReport, seconds: f64) {
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

/// What pages ask of fits. Each looks and acts under one lock, so that the thread that
/// makes fits sees all of it or nothing.
impl Studio {
    /// Puts a fit of a piece in the queue.
    pub fn fit(&self, id: u64, request: FitRequest) -> Answer<()> {
        request.check()?;
        self.change_queue(id, |workspace| {
            let piece = workspace.piece_mut(id)?;
            piece.check_idle()?;
            let Some(target) = &piece.target else {
                let refusal = Refusal::conflict("there is no picture to fit");
                return Err(refusal.hint("give the program a target"));
            };
            piece.fit = Some(Run::new(request, piece, target.picture.size())?);
            workspace.queue.push_back(id);
            Ok(())
        })
    }

    /// Lets a fit rest, and the next begin.
    pub fn pause_fit(&self, id: u64) -> Answer<()> {
        self.change_queue(id, |workspace| {
            let run = workspace.run(id)?;
            run.check_pending()?;
            match run.status {
                FitStatus::Waiting => run.status = FitStatus::Paused,
                FitStatus::Running => run.command = run.command.or(Some(FitCommand::Pause)),
                _ => {}
            }
            workspace.queue.retain(|waiting| *waiting != id);
            Ok(())
        })
    }

    /// Ends a fit; what it has found so far stays.
    pub fn stop_fit(&self, id: u64) -> Answer<()> {
        self.change_queue(id, |workspace| {
            let run = workspace.run(id)?;
            run.check_pending()?;
            if run.status == FitStatus::Running {
                run.command = Some(FitCommand::Stop);
                return Ok(());
            }
            workspace.queue.retain(|waiting| *waiting != id);
            workspace.revised(id, |piece| end(piece, FitStatus::Stopped))
        })
    }

    /// Puts a fit that rests, or that was stopped, at the end of the queue.
    pub fn continue_fit(&self, id: u64) -> Answer<()> {
        self.change_queue(id, |workspace| {
            let run = workspace.run(id)?;
            if !run.is_resumable() {
                let refusal = Refusal::conflict("this fit cannot go on");
                return Err(refusal.hint("start another from the present program"));
            }
            run.command = None;
            if run.status != FitStatus::Running {
                run.status = FitStatus::Waiting;
                workspace.queue.push_back(id);
            }
            Ok(())
        })
    }

    /// Changes what is fitted, of a piece that is open; tells the worker and all pages.
    fn change_queue(
        &self,
        id: u64,
        change: impl FnOnce(&mut Workspace) -> Answer<()>,
    ) -> Answer<()> {
        {
            let mut workspace = self.workspace();
            workspace.piece(id)?;
            change(&mut workspace)?;
        }
        self.fits_wanted.notify_all();
        self.tell_pages();
        Ok(())
    }
}

impl Workspace {
    fn run(&mut self, id: u64) -> Answer<&mut Run> {
        let run = self.piece_mut(id)?.fit.as_mut();
        run.ok_or_else(|| Refusal::conflict("this piece has no fit"))
    }
}

/// Ends a piece's fit: the best that it has found becomes a step in the piece's history, or
/// its beginning.
fn end(piece: &mut Piece, status: FitStatus) {
    let Some(run) = &mut piece.fit else { return };
    if status != FitStatus::Stopped {
        run.parked = None;
    }
    run.status = status;
    run.command = None;
    let Some(live) = piece.live.take() else { return };
    let program = Arc::unwrap_or_clone(live);
    match &mut piece.history {
        Some(history) if !(run.first && history.done() == 0) => {
            let now = history.now();
            let same = (now.strokes(), now.palette(), now.background())
                == (program.strokes(), program.palette(), program.background());
            if !same {
                history.push(format!("fit, {}", run.request.preset), program, None);
            }
        }
        _ => piece.history = Some(History::new(program)),
    }
}

/// Forgets where a fit stands that was stopped: it cannot go on once its program has been
/// changed.
pub fn forget_parked(piece: &mut Piece) {
    if let Some(run) = &mut piece.fit {
        run.parked = None;
    }
}
