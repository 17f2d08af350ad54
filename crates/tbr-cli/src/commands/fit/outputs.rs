//! The files that a fit of one picture makes, and what is there of them already.

use std::path::{Path, PathBuf};
use tbr::Program;
use tbr::fit::{Options, State};
use tbr_io::files;
use tbr_io::files::place::Inputs;
use tbr_io::fit::budget::with_steps_of;
use tbr_io::fit::{Belongs, FitRecord, checkpoint, options_of};
use tbr_io::picture::Encoding;
use tbr_io::{Failure, tell};

/// Names of the files that a fit makes.
pub struct Outputs {
    pub program: PathBuf,
    pub replay: PathBuf,
    pub checkpoint: PathBuf,
    pub preview: Option<PathBuf>,
    /// Was something there under the preview's name before any fit of this command began?
    preview_was_there: bool,
}

/// What may be done with files that are there.
#[derive(Clone, Copy)]
pub struct Rules {
    /// Replace whatever there is, and begin anew.
    pub force: bool,
    /// Go on from the checkpoint all the same.
    pub resume: bool,
    /// It is one of several pictures: a checkpoint that is of no use is passed over.
    pub batch: bool,
    /// What is there may have any number of gradient steps.
    pub any_steps: bool,
}

/// How a fit begins.
pub enum Start {
    /// It was done before.
    Done(Box<Program>),
    /// From nothing, or from where a stopped one stood.
    Go {
        state: Option<Box<Stopped>>,
        /// May the program be replaced?
        replace: bool,
        /// Is one there that is not this fit's, and stays until this one is done?
        keep: bool,
    },
}

/// A stopped fit: its options, and where it stood.
pub struct Stopped(pub Options, pub State);

impl Outputs {
    /// Those of a program `x.tbr.json`.
    pub fn of(program: PathBuf, preview: Option<&Path>) -> Self {
        Self {
            replay: program.with_extension("png"),
            checkpoint: program.with_extension("checkpoint"),
            preview: preview.map(Path::to_owned),
            preview_was_there: preview.is_some_and(Path::exists),
            program,
        }
    }

    /// Finds out what cannot be written, or would be written over an input, before time is
    /// spent.
    pub fn check(&self, inputs: &Inputs) -> Result<(), Failure> {
        if let Some(preview) = &self.preview {
            Encoding::for_file(preview)?;
        }
        let own = [&self.program, &self.replay, &self.checkpoint];
        let all: Vec<&Path> = own.into_iter().chain(&self.preview).map(PathBuf::as_path).collect();
        inputs.check_apart(&all)?;
        all.into_iter().try_for_each(files::check_writable)
    }

    /// Refuses to replace anything that is there.
    pub fn check_new(&self) -> Result<(), Failure> {
        files::check_new(&self.program, false)?;
        files::check_new(&self.replay, false)?;
        if self.checkpoint.exists() {
            let message = "is of a fit that was stopped, and a search would not go on from it";
            return Err(Failure::file(&self.checkpoint, message).hint("--force removes it"));
        }
        self.check_preview(false)
    }

    /// Refuses to replace a preview that was there before, unless forced.
    fn check_preview(&self, force: bool) -> Result<(), Failure> {
        match &self.preview {
            Some(preview) if self.preview_was_there => files::check_new(preview, force),
            _ => Ok(()),
        }
    }

    /// How the fit begins, by what is there: a finished program is not made again, a stopped
    /// fit goes on, and what is somebody else's is replaced only by force.
    pub fn start(&self, record: &FitRecord, rules: Rules) -> Result<Start, Failure> {
        let there = self.program.exists();
        let program = there.then(|| files::read_program(&self.program).ok()).flatten();
        let program = program.map(|program| (belonging(&program, record, rules), program));
        let begun = self.checkpoint.exists();
        let foreign = match program {
            Some((Belongs::Finished, program))
                if self.replay.exists() && !begun && !rules.force =>
            {
                return Ok(Start::Done(Box::new(program)));
            }
            Some((belongs, _)) => belongs == Belongs::Not,
            None => true,
        };
        if foreign {
            files::check_new(&self.program, rules.force)?;
            files::check_new(&self.replay, rules.force)?;
        }
        let state = if begun && (rules.resume || !rules.force) {
            self.stopped(record, rules)?
        } else {
            None
        };
        if foreign && state.is_none() {
            self.check_preview(rules.force)?;
        }
        Ok(Start::Go { state, replace: rules.force || !foreign, keep: there && foreign })
    }

    /// Where a stopped fit stood; none if its checkpoint is of no use and may be passed over.
    fn stopped(&self, record: &FitRecord, rules: Rules) -> Result<Option<Box<Stopped>>, Failure> {
        let (target, options) = (record.target, record.options);
        let read = match rules.any_steps {
            true => checkpoint::read_with_any_steps(&self.checkpoint, target, options),
            false => checkpoint::read(&self.checkpoint, target, options)
                .map(|state| (options.clone(), state)),
        };
        match read {
            Ok((options, state)) => {
                tell!("going on from {}", self.checkpoint.display());
                Ok(Some(Box::new(Stopped(options, state))))
            }
            Err(failure) if rules.batch && !rules.resume => {
                tell!("note: {}; the fit begins anew", failure.words().0);
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }

    /// The program, in its place.
    pub fn write_program(&self, program: &Program, replace: bool) -> Result<(), Failure> {
        files::write_program(program, &self.program, replace)
    }
}

/// What a program has to do with a fit.
fn belonging(program: &Program, record: &FitRecord, rules: Rules) -> Belongs {
    let theirs = if rules.any_steps { options_of(program) } else { None };
    let own = record.options;
    let options = theirs.map_or_else(|| own.clone(), |theirs| with_steps_of(own, &theirs));
    FitRecord { options: &options, ..record.clone() }.owns(program)
}
