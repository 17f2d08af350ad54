//! The fit of one picture, from file to files.

use super::outputs::{Outputs, Rules, Start};
use super::{Args, options};
use std::path::{Path, PathBuf};
use std::time::Instant;
use tbr::fit::{Fit, Options, State, Target, combs};
use tbr::info::Info;
use tbr::render::{self, Replay};
use tbr::{Program, Region, Stop, Tool, View};
use tbr_io::files::{Lock, Output};
use tbr_io::fit::{FitRecord, Preparation, Progress, checkpoint};
use tbr_io::picture::{Encoding, Picture};
use tbr_io::words::shell;
use tbr_io::{Failure, interrupt, memory, networks, tell};

/// Samples along a pixel's side in the replays that are written: smooth edges.
const SAMPLES: u32 = 3;

pub struct PictureJob<'a> {
    args: &'a Args,
    pub picture: PathBuf,
    pub outputs: Outputs,
    options: Options,
    /// The program to start from.
    given: Option<&'a Program>,
    /// Is it one of several? Then a checkpoint of something else is passed over.
    batch: bool,
}

impl<'a> PictureJob<'a> {
    pub fn new(
        args: &'a Args,
        picture: &Path,
        output: PathBuf,
        (given, tools): (Option<&'a Program>, &[Tool]),
        batch: bool,
    ) -> Self {
        let options = Options { tools: tools.to_vec(), ..options(args, given) };
        let outputs = Outputs::of(output, args.preview.as_deref());
        Self { args, picture: picture.to_owned(), outputs, options, given, batch }
    }

    pub fn run(&mut self) -> Result<(), Failure> {
        let args = self.args;
        self.outputs.check(&args.inputs())?;
        let _lock = Lock::of(&self.outputs.program)?;
        let progress = Progress::new(args.progress);
        progress.say("reading");
        let target = self.target()?;
        self.options.suit(target.longer_px());
        if args.comb.is_some() {
            progress.say("searching for combs");
            let stop = Stop::when(interrupt::requested);
            self.options.tools = combs::helpful(&target, &self.options, &stop)?;
            tell_combs(&self.options.tools);
        }
        let outputs = &self.outputs;
        let record = self.record(&target);
        let rules = Rules { force: args.force, resume: args.resume, batch: self.batch };
        let start = outputs.start(&record, &self.options, rules)?;
        drop(progress);
        match start {
            Start::Done => {
                tell!("{}: done already (--force fits it again)", outputs.program.display());
                Ok(())
            }
            Start::Go { state, replace, keep } => {
                let run = Run { job: self, target: &target, record, replace, keep };
                run.finish(state.map(|state| *state))
            }
        }
    }

    /// The picture as it is fitted.
    fn target(&self) -> Result<Target, Failure> {
        let Args { preset, size, matte, bare, mask, .. } = self.args;
        let in_picture = |failure: Failure| failure.in_file(&self.picture);
        let picture = Picture::read(&self.picture)?;
        let preparation =
            Preparation { size_px: preset.size_px(*size), matte: *matte, bare: *bare };
        let prepared = preparation.prepare(&picture).map_err(in_picture)?;
        drop(picture);
        let mask = mask.as_ref().map(|path| prepared.mask_weights(path)).transpose()?;
        prepared.target(mask).map_err(in_picture)
    }

    /// What decides it.
    fn record<'t>(&'t self, target: &'t Target) -> FitRecord<'t> {
        let name = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned());
        let from = self.args.from.as_deref().and_then(name).zip(self.given);
        FitRecord {
            picture: name(&self.picture),
            target,
            matte: self.args.matte,
            from,
            preset: self.args.preset,
            options: &self.options,
        }
    }

    /// A new fit, or one that goes on.
    fn begin(&self, target: &Target, state: Option<State>) -> Result<Fit, Failure> {
        let (target, options) = (target.clone(), self.options.clone());
        let fit = match (state, self.given) {
            (Some(state), _) => Fit::resume(target, options, state)?,
            (None, Some(program)) => Fit::from_program(target, options, program)?,
            (None, None) => Fit::new(target, options)?,
        };
        let fit = networks::equip(fit, &self.options, self.args.paper.weights())?;
        Ok(fit.with_stop(Stop::when(interrupt::requested)))
    }
}

/// Tells which combs were found.
fn tell_combs(tools: &[Tool]) {
    if tools.is_empty() {
        tell!("no comb helps: strokes only");
    }
    for tool in tools {
        tell!("found: {tool}");
    }
}

/// A job at work.
struct Run<'a> {
    job: &'a PictureJob<'a>,
    target: &'a Target,
    record: FitRecord<'a>,
    /// May the program be replaced?
    replace: bool,
    /// Does one that is there stay until this fit is done?
    keep: bool,
}

impl Run<'_> {
    fn finish(&self, state: Option<State>) -> Result<(), Failure> {
        let outputs = &self.job.outputs;
        let progress = Progress::new(self.job.args.progress);
        let mut fit = self.job.begin(self.target, state)?;
        let kept = self.steps(&mut fit, &progress)?;
        if interrupt::requested() && self.keep && kept {
            return Err(self.stopped(&format!("{} is as it was", outputs.program.display())));
        }
        let program = self.record.program(&fit)?;
        outputs
            .write_program(&program, self.replace)
            .map_err(|failure| self.kept_otherwise(failure, &fit))?;
        write_picture(&program, self.target, &outputs.replay, self.replace)?;
        if interrupt::requested() {
            return Err(
                self.stopped(&format!("the best so far is in {}", outputs.program.display()))
            );
        }
        remove(&outputs.checkpoint)?;
        let seconds = progress.seconds();
        drop(progress);
        self.report(&fit, &program, seconds)
    }

    /// Steps until all are done or somebody asks to stop, with a checkpoint now and then. Was
    /// the last of them written?
    fn steps(&self, fit: &mut Fit, progress: &Progress) -> Result<bool, Failure> {
        let args = self.job.args;
        let mut trouble = Trouble::default();
        let mut written = Instant::now();
        let mut kept = true;
        interrupt::finish_first();
        while !fit.is_done() && !interrupt::requested() {
            let report = match fit.step() {
                Err(tbr::Error::Stopped) => None,
                report => Some(report?),
            };
            if let Some(report) = &report {
                progress.show(fit, report)?;
            }
            if report.is_some_and(|report| report.improved)
                && let Some(preview) = &args.preview
            {
                let drawn = write_picture(&fit.program()?, self.target, preview, true);
                trouble.pass_over(drawn);
            }
            if interrupt::requested() || written.elapsed().as_secs_f64() >= args.checkpoint_every {
                kept = trouble.pass_over(self.write_checkpoint(fit));
                written = Instant::now();
            }
        }
        Ok(kept)
    }

    fn write_checkpoint(&self, fit: &Fit) -> Result<(), Failure> {
        checkpoint::write(&self.job.outputs.checkpoint, self.target, &self.job.options, fit.state())
    }

    /// The program cannot be written: its fit is kept in the checkpoint, if that can be.
    fn kept_otherwise(&self, failure: Failure, fit: &Fit) -> Failure {
        match self.write_checkpoint(fit) {
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

    fn report(&self, fit: &Fit, program: &Program, seconds: f64) -> Result<(), Failure> {
        let outputs = &self.job.outputs;
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
