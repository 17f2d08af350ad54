//! A fit of a picture at work: its steps, its checkpoints, and the files at its end.

use super::job::PictureJob;
use super::outcome::{Outcome, Status};
use std::path::Path;
use std::time::Instant;
use tbr::fit::{Fit, Options, State, Target};
use tbr::info::Info;
use tbr::render::{self, Replay};
use tbr::{Program, Region, View};
use tbr_io::files::Output;
use tbr_io::fit::{Progress, checkpoint};
use tbr_io::picture::Encoding;
use tbr_io::words::shell;
use tbr_io::{Failure, interrupt, memory, tell};

/// Samples along a pixel's side in the replays that are written: smooth edges.
const SAMPLES: u32 = 3;

/// A job at work.
pub struct Run<'a> {
    pub job: &'a PictureJob<'a>,
    pub target: &'a Target,
    pub options: Options,
    /// When the work on the picture began.
    pub started: Instant,
    /// May the program be replaced?
    pub replace: bool,
    /// Does one that is there stay until this fit is done?
    pub keep: bool,
    /// Are checkpoints written, to go on from?
    pub checkpoints: bool,
    trouble: Trouble,
}

impl<'a> Run<'a> {
    /// A fit that replaces nothing and writes checkpoints.
    pub fn new(
        job: &'a PictureJob<'a>,
        target: &'a Target,
        options: Options,
        started: Instant,
    ) -> Self {
        let (replace, keep, checkpoints) = (false, false, true);
        let trouble = Trouble::default();
        Self { job, target, options, started, replace, keep, checkpoints, trouble }
    }

    /// The whole fit, or the rest of it.
    pub fn finish(mut self, state: Option<State>) -> Result<Outcome, Failure> {
        let progress = Progress::new(self.job.args.progress);
        let mut fit = self.job.begin(self.target, &self.options, state)?;
        let kept = self.steps(&mut fit, &progress, Fit::is_done)?;
        self.conclude(&fit, kept, progress)
    }

    /// Writes what a fit has come to: all of it, or the best so far if somebody has asked to stop.
    /// Is that kept in a checkpoint, too?
    pub fn conclude(&self, fit: &Fit, kept: bool, progress: Progress) -> Result<Outcome, Failure> {
        let outputs = &self.job.outputs;
        if interrupt::requested() && self.keep && kept {
            return Err(self.stopped(&format!("{} is as it was", outputs.program.display())));
        }
        if interrupt::requested() && self.job.args.many.file().is_some() {
            return Err(self.stopped("only finished programs are written for a list"));
        }
        let program = self.job.record(self.target, &self.options).program(fit)?;
        outputs
            .write_program(&program, self.replace)
            .map_err(|failure| self.kept_otherwise(failure, fit))?;
        write_picture(&program, self.target, &outputs.replay, self.replace)?;
        if interrupt::requested() {
            return Err(
                self.stopped(&format!("the best so far is in {}", outputs.program.display()))
            );
        }
        remove(&outputs.checkpoint)?;
        drop(progress);
        self.report(fit, &program)?;
        Ok(Outcome::of(Status::Fitted, &program, self.target))
    }

    /// Steps until they have led so far or somebody asks to stop, with a checkpoint now and then.
    /// Was the last of them written?
    pub fn steps(
        &mut self,
        fit: &mut Fit,
        progress: &Progress,
        is_there: impl Fn(&Fit) -> bool,
    ) -> Result<bool, Failure> {
        let every = self.job.args.checkpoint_every;
        let mut written = Instant::now();
        let mut kept = true;
        interrupt::finish_first();
        while !is_there(fit) && !interrupt::requested() {
            match fit.step() {
                Err(tbr::Error::Stopped) => {}
                report => {
                    let report = report?;
                    progress.show(fit, &report)?;
                    if report.improved {
                        self.preview(fit);
                    }
                }
            }
            if written.elapsed().as_secs_f64() >= every {
                kept = self.write_checkpoint(fit);
                written = Instant::now();
            }
        }
        if interrupt::requested() {
            kept = self.write_checkpoint(fit);
        }
        Ok(kept)
    }

    /// Draws the best program so far, if that is asked for.
    fn preview(&mut self, fit: &Fit) {
        if let Some(preview) = &self.job.args.preview {
            let program = fit.program().map_err(Failure::from);
            let drawn = program.and_then(|p| write_picture(&p, self.target, preview, true));
            self.trouble.pass_over(drawn);
        }
    }

    /// Writes a checkpoint, where there are any. Is one there?
    fn write_checkpoint(&mut self, fit: &Fit) -> bool {
        self.checkpoints && {
            let written = self.checkpoint(fit);
            self.trouble.pass_over(written)
        }
    }

    fn checkpoint(&self, fit: &Fit) -> Result<(), Failure> {
        checkpoint::write(&self.job.outputs.checkpoint, self.target, &self.options, fit.state())
    }

    /// The program cannot be written: its fit is kept in the checkpoint, if that can be.
    fn kept_otherwise(&self, failure: Failure, fit: &Fit) -> Failure {
        if !self.checkpoints {
            return failure;
        }
        match self.checkpoint(fit) {
            Ok(()) => failure.hint(
                "the fit is kept in its checkpoint: the same command writes it once there is \
                 room; with --force --resume it replaces what is there",
            ),
            Err(_) => failure,
        }
    }

    /// What to say when the person has pressed Ctrl-C.
    fn stopped(&self, what: &str) -> Failure {
        let how =
            if self.keep { "the same command with --force --resume" } else { "the same command" };
        Failure::interrupted(format!("stopped; {what}")).hint(format!("{how} goes on"))
    }

    fn report(&self, fit: &Fit, program: &Program) -> Result<(), Failure> {
        let outputs = &self.job.outputs;
        let seconds = self.started.elapsed().as_secs_f64();
        let info = Info::within(program, None, self.target.longer_px())?;
        let ceiling =
            fit.ceiling().map_or(String::new(), |c| format!(" (its palette allows {c:.1})"));
        let memory = memory::peak_bytes().map_or(String::new(), |b| format!(", {:.0} MB", b / 1e6));
        tell!(
            "{}: floor ratio {:.2}{ceiling}, {} of {} strokes seen, {:.2} canvases of paint, \
             {seconds:.0} s{memory}",
            outputs.program.display(),
            fit.floor_ratio(),
            info.visible_strokes,
            info.strokes,
            info.deposited_area,
        );
        tell!("its replay: {}", outputs.replay.display());
        let large = outputs.program.with_extension("").with_extension("large.png");
        let (program, large) = (shell(&outputs.program), shell(&large));
        tell!("next: tbr render {program} -o {large} --width 4096 --samples 3");
        Ok(())
    }
}

/// What goes wrong on the way and is no reason to stop: it is told once.
#[derive(Default)]
struct Trouble {
    told: Vec<String>,
}

impl Trouble {
    /// Tells of a failure, if it is a new one. Was there none?
    fn pass_over(&mut self, result: Result<(), Failure>) -> bool {
        let Err(failure) = result else { return true };
        let (message, _) = failure.words();
        if !self.told.contains(&message) {
            tell!("warning: {message}; the fit goes on");
            self.told.push(message);
        }
        false
    }
}

/// A program's replay at the size it was fitted at, to a file that is not there, or that may be
/// replaced.
fn write_picture(
    program: &Program,
    target: &Target,
    path: &Path,
    replace: bool,
) -> Result<(), Failure> {
    let (width_px, height_px) = target.image().size();
    let view = View::new(Region::canvas(program), Some(width_px), Some(height_px))?;
    // Whoever has pressed Ctrl-C does not wait for smooth edges.
    let samples = if interrupt::requested() { 1 } else { SAMPLES };
    let options = render::ReplayOptions { samples, ..render::ReplayOptions::default() };
    let replay = Replay::new(program, view, &options)?;
    let encoding = Encoding::for_file(path)?;
    let mut output = Output::create_new(path, replace)?;
    encoding.write(&replay, &mut output)?;
    output.finish()
}

fn remove(path: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Failure::file(path, e)),
        _ => Ok(()),
    }
}
