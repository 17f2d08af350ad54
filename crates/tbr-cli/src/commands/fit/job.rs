//! The fit of one picture, from file to files.

use super::{Args, options};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tbr::fit::{Fit, Options, Target};
use tbr::info::Info;
use tbr::render::{self, Replay};
use tbr::{Program, Region, Stop, View};
use tbr_io::files::{self, Output};
use tbr_io::fit::{FitRecord, Preparation, Progress, checkpoint, fitted_size, mask_weights};
use tbr_io::picture::{Encoding, Picture};
use tbr_io::{Failure, memory, networks, tell};

/// Samples along a pixel's side in the replays that are written: smooth edges.
const SAMPLES: u32 = 3;

pub struct Job<'a> {
    args: &'a Args,
    pub picture: PathBuf,
    pub output: PathBuf,
    options: Options,
    /// The program to start from.
    given: Option<&'a Program>,
    /// Is it one of several? Then what a stopped run has left is taken up unasked.
    batch: bool,
}

impl<'a> Job<'a> {
    pub fn new(
        args: &'a Args,
        picture: &Path,
        output: PathBuf,
        given: Option<&'a Program>,
        batch: bool,
    ) -> Self {
        let options = options(args, given);
        Self { args, picture: picture.to_owned(), output, options, given, batch }
    }

    /// Is its program there already, of the same picture and options, finished, and its replay?
    fn is_done(&self, record: &FitRecord) -> bool {
        let Ok(program) = files::read_program(&self.output) else { return false };
        record.is_of(&program) && self.replay().exists() && !self.checkpoint().exists()
    }

    /// `x.tbr.json` with another ending.
    fn beside(&self, ending: &str) -> PathBuf {
        self.output.with_extension(ending)
    }

    fn checkpoint(&self) -> PathBuf {
        self.beside("checkpoint")
    }

    fn replay(&self) -> PathBuf {
        self.beside("png")
    }

    pub fn run(&self) -> Result<(), Failure> {
        let replay = self.replay();
        self.check_outputs()?;
        let target = self.target()?;
        let record = self.record(&target);
        if self.batch && self.is_done(&record) {
            tell!("{}: done already", self.output.display());
            return Ok(());
        }
        let progress = Progress::new(self.args.progress);
        let fit = self.fit(&target, &progress)?;
        let program = record.program(&fit)?;
        self.write_program(&program)?;
        write_picture(&program, &target, &replay)?;
        if files::interrupted() {
            return Err(self.stopped());
        }
        remove(&self.checkpoint())?;
        let seconds = progress.seconds();
        drop(progress);
        self.report(&fit, &program, seconds)
    }

    /// The picture as it is fitted.
    fn target(&self) -> Result<Target, Failure> {
        let Args { size, matte, bare, mask, .. } = self.args;
        let picture = Picture::read(&self.picture)?;
        let fitted = fitted_size(picture.size(), *size);
        let weights = |mask: &PathBuf| mask_weights(mask, picture.size(), fitted);
        let mask = mask.as_ref().map(weights).transpose()?;
        let preparation = Preparation { size_px: *size, matte: *matte, bare: *bare };
        preparation.target(&picture, mask).map_err(|e| e.in_file(&self.picture))
    }

    /// Finds out what cannot be written before time is spent.
    fn check_outputs(&self) -> Result<(), Failure> {
        files::check_writable(&self.output)?;
        files::check_writable(&self.replay())?;
        if let Some(preview) = &self.args.preview {
            Encoding::for_file(preview)?;
            files::check_writable(preview)?;
        }
        Ok(())
    }

    /// Steps until all are done or somebody presses Ctrl-C, with a checkpoint now and then.
    fn fit(&self, target: &Target, progress: &Progress) -> Result<Fit, Failure> {
        let mut fit =
            networks::equip(self.begin(target)?, &self.options, self.args.paper.weights())?
                .with_stop(Stop::when(files::interrupted));
        let mut written = Instant::now();
        files::finish_on_interrupt();
        while !fit.is_done() {
            let report = match fit.step() {
                Err(tbr::Error::Stopped) => None,
                report => Some(report?),
            };
            if let Some(report) = &report {
                progress.show(&fit, report)?;
            }
            if report.is_some_and(|report| report.improved)
                && let Some(preview) = &self.args.preview
            {
                write_picture(&fit.program()?, target, preview)?;
            }
            let stop = files::interrupted();
            if stop || written.elapsed().as_secs_f64() >= self.args.checkpoint_every {
                checkpoint::write(&self.checkpoint(), target, &self.options, fit.state())?;
                written = Instant::now();
            }
            if stop {
                break;
            }
        }
        Ok(fit)
    }

    /// A new fit, or one that goes on.
    fn begin(&self, target: &Target) -> Result<Fit, Failure> {
        let checkpoint = self.checkpoint();
        if (self.args.resume || self.batch) && checkpoint.exists() {
            match checkpoint::read(&checkpoint, target, &self.options) {
                Ok(state) => {
                    return Ok(Fit::resume(target.clone(), self.options.clone(), state)?);
                }
                Err(failure) if self.args.resume => return Err(failure),
                Err(_) => {}
            }
        }
        let (target, options) = (target.clone(), self.options.clone());
        match self.given {
            Some(program) => Ok(Fit::from_program(target, options, program)?),
            None => Ok(Fit::new(target, options)?),
        }
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
            size_px: self.args.size,
            options: &self.options,
        }
    }

    fn write_program(&self, program: &Program) -> Result<(), Failure> {
        let mut output = Output::create(&self.output)?;
        let text = tbr::format::write(program);
        output.write_all(text.as_bytes()).map_err(|e| output.failure(e))?;
        output.finish()
    }

    /// What to say when the person has pressed Ctrl-C.
    fn stopped(&self) -> Failure {
        let message = format!("stopped; the best so far is in {}", self.output.display());
        Failure::interrupted(message).hint("go on with the same command and --resume")
    }

    fn report(&self, fit: &Fit, program: &Program, seconds: f64) -> Result<(), Failure> {
        let info = Info::within(program, None, self.args.size)?;
        let ceiling =
            fit.ceiling().map_or(String::new(), |c| format!(" (its palette allows {c:.1})"));
        let memory = memory::peak_bytes().map_or(String::new(), |b| format!(", {:.0} MB", b / 1e6));
        tell!(
            "{}: floor ratio {:.2}{ceiling}, {} of {} strokes seen, {:.2} canvases of paint, \
             {seconds:.0} s{memory}",
            self.output.display(),
            fit.floor_ratio(),
            info.visible_strokes,
            info.strokes,
            info.deposited_area,
        );
        tell!("its replay: {}", self.replay().display());
        let large = self.output.with_extension("").with_extension("large.png");
        tell!(
            "next: tbr render {} -o {} --width 4096 --samples 3",
            self.output.display(),
            large.display()
        );
        Ok(())
    }
}

/// A program's replay at the size it was fitted at.
fn write_picture(program: &Program, target: &Target, path: &Path) -> Result<(), Failure> {
    let (width_px, height_px) = target.image().size();
    let view = View::new(Region::canvas(program), Some(width_px), Some(height_px))?;
    // Whoever has pressed Ctrl-C does not wait for smooth edges.
    let samples = if files::interrupted() { 1 } else { SAMPLES };
    let options = render::ReplayOptions { samples, ..render::ReplayOptions::default() };
    let replay = Replay::new(program, view, &options)?;
    let encoding = Encoding::for_file(path)?;
    let mut output = Output::create(path)?;
    encoding.write(&replay, &mut output)?;
    output.finish()
}

fn remove(path: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Failure::file(path, e)),
        _ => Ok(()),
    }
}
