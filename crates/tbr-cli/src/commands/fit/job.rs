//! The fit of one picture, from file to files.

use super::outcome::{Outcome, Status};
use super::outputs::{Outputs, Rules, Start, Stopped};
use super::pictures::{self, Place};
use super::run::Run;
use super::{Args, options, search, timed};
use std::path::Path;
use std::time::Instant;
use tbr::fit::{Fit, Options, State, Target, combs};
use tbr::{Program, Stop, Tool};
use tbr_io::digest::Digest;
use tbr_io::files::Lock;
use tbr_io::files::place::Inputs;
use tbr_io::fit::{FitRecord, Preparation, Progress};
use tbr_io::picture::Picture;
use tbr_io::{Failure, interrupt, networks, tell};

pub struct PictureJob<'a> {
    pub args: &'a Args,
    pub picture: &'a Path,
    /// All that is read.
    inputs: &'a Inputs,
    pub outputs: Outputs,
    /// The options, before they are suited to the picture.
    options: Options,
    /// The program to start from.
    given: Option<&'a Program>,
}

impl<'a> PictureJob<'a> {
    pub fn new(
        args: &'a Args,
        place: &'a Place,
        (given, tools): (Option<&'a Program>, &[Tool]),
        inputs: &'a Inputs,
    ) -> Self {
        let options = options(args, given, tools);
        let outputs = Outputs::of(place.program.clone(), args.preview.as_deref());
        Self { args, picture: &place.picture, inputs, outputs, options, given }
    }

    pub fn run(&self) -> Result<Outcome, Failure> {
        let started = Instant::now();
        if self.args.is_of_many() {
            pictures::make_folder(&self.outputs.program)?;
        }
        self.outputs.check(self.inputs)?;
        let _lock = Lock::of(&self.outputs.program)?;
        let progress = Progress::new(self.args.progress);
        progress.say("reading");
        let target = self.target()?;
        match self.args.budget.bar() {
            Some(bar) => {
                drop(progress);
                search::run(self, &target, bar, started)
            }
            None => self.fit(&target, started, progress),
        }
    }

    /// A single fit of the picture: what is there decides how it begins.
    fn fit(
        &self,
        target: &Target,
        started: Instant,
        progress: Progress,
    ) -> Result<Outcome, Failure> {
        let mut options = self.suited(target, self.options.strokes);
        if self.args.comb.is_some() {
            progress.say("searching for combs");
            let stop = Stop::when(interrupt::requested);
            options.tools = combs::helpful(target, &options, &stop)?;
            tell_combs(&options.tools);
        }
        let start = self.outputs.start(&self.record(target, &options), self.rules())?;
        drop(progress);
        let (state, replace, keep) = match start {
            Start::Done(program) => {
                let outcome = Outcome::of(Status::DoneBefore, &program, target);
                self.tell_done(outcome.steps);
                return Ok(outcome);
            }
            Start::Go { state, replace, keep } => (state, replace, keep),
        };
        let (of_run, state) = match state.map(|stopped| *stopped) {
            Some(Stopped(options, state)) => (options, Some(state)),
            None => (options.clone(), None),
        };
        let mut run = Run::new(self, target, of_run, started);
        (run.replace, run.keep) = (replace, keep);
        match self.args.budget.seconds() {
            Some(seconds) => timed::finish(run, options, state, seconds),
            None => run.finish(state),
        }
    }

    fn rules(&self) -> Rules {
        let Args { force, resume, ref budget, .. } = *self.args;
        let batch = self.args.is_of_many();
        Rules { force, resume, batch, any_steps: budget.seconds().is_some() }
    }

    fn tell_done(&self, steps: usize) {
        let program = self.outputs.program.display();
        let which = match self.args.budget.seconds() {
            Some(_) => format!(", with {steps} gradient steps"),
            None => String::new(),
        };
        tell!("{program}: done already{which} (--force fits it again)");
    }

    /// The options for so many strokes of the picture.
    pub fn suited(&self, target: &Target, strokes: usize) -> Options {
        let mut options = Options { strokes, ..self.options.clone() };
        options.suit(target.longer_px());
        options
    }

    /// The picture as it is fitted.
    fn target(&self) -> Result<Target, Failure> {
        let Args { preset, size, matte, bare, mask, .. } = self.args;
        let in_picture = |failure: Failure| failure.in_file(self.picture);
        let picture = Picture::read(self.picture)?;
        let preparation =
            Preparation { size_px: preset.size_px(*size), matte: *matte, bare: *bare };
        let prepared = preparation.prepare(&picture).map_err(in_picture)?;
        drop(picture);
        let mask = mask.as_ref().map(|path| prepared.mask_weights(path)).transpose()?;
        prepared.target(mask).map_err(in_picture)
    }

    /// What decides it.
    pub fn record<'t>(&'t self, target: &'t Target, options: &'t Options) -> FitRecord<'t> {
        let name = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned());
        let from = self.args.from.as_deref().and_then(name).zip(self.given);
        FitRecord {
            picture: name(self.picture),
            target,
            picture_digest: Digest::of_target(target),
            matte: self.args.matte,
            from,
            preset: self.args.preset,
            options,
        }
    }

    /// A new fit, or one that goes on.
    pub fn begin(
        &self,
        target: &Target,
        options: &Options,
        state: Option<State>,
    ) -> Result<Fit, Failure> {
        let target = target.clone();
        let fit = match (state, self.given) {
            (Some(state), _) => Fit::resume(target, options.clone(), state)?,
            (None, Some(program)) => Fit::from_program(target, options.clone(), program)?,
            (None, None) => Fit::new(target, options.clone())?,
        };
        let fit = networks::equip(fit, options, self.args.paper.weights())?;
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
