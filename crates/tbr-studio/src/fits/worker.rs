//! The thread that makes the fits of the queue, one at a time.

use super::{FitCommand, FitStatus, Parked, end};
use crate::refusal::Answer;
use crate::workspace::Studio;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, PoisonError};
use std::time::Instant;
use tbr::Program;
use tbr::fit::{Fit, StepReport};
use tbr_io::digest::Digest;
use tbr_io::fit::{FitRecord, Preparation, Preset};
use tbr_io::picture::MATTE;
use tbr_io::{Failure, networks};

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
            let _ = self.workspace().revised(id, |piece| end(piece, FitStatus::Failed(failure)));
            self.tell_pages();
        }
    }

    /// The piece whose fit is the first of the queue, when there is one.
    fn next_fit(&self) -> u64 {
        let mut workspace = self.workspace();
        loop {
            if let Some(id) = workspace.queue.pop_front() {
                return id;
            }
            workspace = self.fits_wanted.wait(workspace).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Works on a fit until it is done or a page commands otherwise.
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
            let mut workspace = self.workspace();
            let Ok(piece) = workspace.piece_mut(id) else { return Ok(None) };
            let Some(target) = piece.target.clone() else { return Ok(None) };
            let waiting = piece.fit.as_mut().filter(|run| run.status == FitStatus::Waiting);
            let Some(run) = waiting else { return Ok(None) };
            run.status = FitStatus::Running;
            let (options, request) = (run.options.clone(), run.request.clone());
            (run.parked.take(), target, run.given.clone(), options, request, run.seconds)
        };
        self.tell_pages();
        if let Some(Parked::Begun(fit)) = parked {
            return Ok(Some((*fit, seconds)));
        }
        let size_px = request.preset().unwrap_or(Preset::Default).size_px(request.size_px);
        let preparation = Preparation { size_px, matte: MATTE, bare: request.bare };
        let target = preparation.prepare(&target.picture)?.target(None)?;
        let fit = match given {
            Some(program) => Fit::from_program(target, options.clone(), &program)?,
            None => Fit::new(target, options.clone())?,
        };
        let fit = networks::equip(fit, &options, self.weights.as_deref())?;
        Ok(Some((fit, seconds)))
    }

    /// Tells pages how a step went; gives what they command. An error if the piece is gone.
    fn note(
        &self,
        id: u64,
        fit: &Fit,
        report: StepReport,
        seconds: f64,
        improved: Option<Arc<Program>>,
    ) -> Answer<Option<FitCommand>> {
        let command = {
            let mut workspace = self.workspace();
            if improved.is_some() {
                workspace.revised(id, |piece| piece.live = improved)?;
            }
            let run = workspace.run(id)?;
            run.note(fit, report, seconds);
            run.command
        };
        self.tell_pages();
        Ok(command)
    }

    /// Puts a fit down that is done or that is to rest; gives it back if that is no longer
    /// wanted.
    fn settle(&self, id: u64, fit: Fit) -> Option<Fit> {
        // (A fit that is stopped before its first judgement has no program.)
        let program = self.recorded(id, &fit)?.ok();
        let mut workspace = self.workspace();
        let run = workspace.run(id).ok()?;
        let status = match (fit.is_done(), run.command) {
            (true, _) => FitStatus::Done,
            (false, Some(FitCommand::Pause)) => FitStatus::Paused,
            (false, Some(FitCommand::Stop)) => FitStatus::Stopped,
            (false, None) => return Some(fit),
        };
        run.command = None;
        run.ceiling = program.as_ref().and_then(|p| p.provenance().number("palette_ceiling"));
        run.parked = (status != FitStatus::Done).then(|| Parked::Begun(Box::new(fit)));
        let _ = workspace.revised(id, |piece| {
            piece.live = program.map(Arc::new).or(piece.live.take());
            match (&mut piece.fit, &status) {
                (Some(run), FitStatus::Paused) => run.status = status,
                _ => end(piece, status),
            }
        });
        drop(workspace);
        self.tell_pages();
        None
    }

    /// The best program of a piece's fit, with how it was made; none if the piece is gone.
    fn recorded(&self, id: u64, fit: &Fit) -> Option<Result<Program, Failure>> {
        let (picture, given, name, request, options) = {
            let workspace = self.workspace();
            let piece = workspace.piece(id).ok()?;
            let picture = piece.target.as_ref().map(|target| target.name.clone());
            let run = piece.fit.as_ref()?;
            let (request, options) = (run.request.clone(), run.options.clone());
            (picture, run.given.clone(), piece.name.clone(), request, options)
        };
        let record = FitRecord {
            picture,
            target: fit.target(),
            picture_digest: Digest::of_target(fit.target()),
            matte: MATTE,
            from: given.as_deref().map(|program| (name, program)),
            preset: request.preset().unwrap_or(Preset::Default),
            options: &options,
        };
        Some(record.program(fit))
    }
}
