//! The fit of one picture, from file to files.

use super::outputs::{Outputs, Rules, Start, Stopped};
use super::run::Run;
use super::{Args, options, search, timed};
use std::path::{Path, PathBuf};
use std::time::Instant;
use tbr::fit::{Fit, Options, State, Target, combs};
use tbr::{Program, Stop, Tool};
use tbr_io::files::Lock;
use tbr_io::fit::{FitRecord, Preparation, Progress};
use tbr_io::picture::Picture;
use tbr_io::{Failure, interrupt, networks, tell};

pub struct PictureJob<'a> {
    pub args: &'a Args,
    pub picture: PathBuf,
    pub outputs: Outputs,
    /// The options, before they are suited to the picture.
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
        let options = options(args, given, tools);
        let outputs = Outputs::of(output, args.preview.as_deref());
        Self { args, picture: picture.to_owned(), outputs, options, given, batch }
    }

    pub fn run(&self) -> Result<(), Failure> {
        let started = Instant::now();
        self.outputs.check(&self.args.inputs())?;
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
    fn fit(&self, target: &Target, started: Instant, progress: Progress) -> Result<(), Failure> {
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
            Start::Done { steps } => {
                self.tell_done(steps);
                return Ok(());
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
        Rules { force, resume, batch: self.batch, any_steps: budget.seconds().is_some() }
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
    pub fn record<'t>(&'t self, target: &'t Target, options: &'t Options) -> FitRecord<'t> {
        let name = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned());
        let from = self.args.from.as_deref().and_then(name).zip(self.given);
        FitRecord {
            picture: name(&self.picture),
            target,
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
