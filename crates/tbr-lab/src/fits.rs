//! Fits of experiments and benchmarks, each kept together with its inputs.

use crate::archive::{check_interrupt, read_json, write_json};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tbr::fit::{Fit, Options, SOLVER_REVISION, Solver, Target};
use tbr::{Program, Provenance, Stop};
use tbr_io::digest::Digest;
use tbr_io::fit::{Progress, Style, checkpoint};
use tbr_io::{Failure, files, interrupt, networks, tell};

/// Seconds between checkpoints of a fit.
const CHECKPOINT_S: f64 = 20.0;

/// A way of fitting.
pub struct Arm {
    pub name: String,
    pub options: Options,
}

impl Arm {
    pub fn new(name: impl Into<String>, options: Options) -> Self {
        Self { name: name.into(), options }
    }
}

/// A program that was fitted, and how that went.
pub struct Fitted {
    pub program: Program,
    pub record: ArchivedRecord,
}

/// What is kept of a fit beside its program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArchivedRecord {
    #[serde(flatten)]
    key: Key,
    /// The relaxed error of the last step.
    pub relaxed_mse: f64,
    /// How long it took; none if it was stopped on the way.
    #[serde(default)]
    pub seconds: Option<f64>,
}

/// What decides a fit: the solvers as they are, the picture's digest, the options, and whether
/// the network was there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Key {
    solver_revision: u64,
    picture: String,
    options: Options,
    network: bool,
}

impl Key {
    /// Of a fit by the solvers that there are now.
    pub fn new(target: &Target, options: &Options, has_weights: bool) -> Self {
        Self {
            solver_revision: SOLVER_REVISION,
            picture: Digest::of_target(target),
            options: options.clone(),
            network: has_weights && matches!(options.solver, Solver::Paper(_)),
        }
    }
}

/// A fit that is to be made.
pub struct FitJob<'a> {
    /// The command that it is made for.
    pub made_by: &'static str,
    pub title: String,
    pub target: &'a Target,
    pub key: Key,
    pub path: PathBuf,
}

impl FitJob<'_> {
    fn record_path(&self) -> PathBuf {
        self.path.with_extension("record.json")
    }

    /// What is there already, if the same key decided it.
    pub fn done(&self) -> Option<Fitted> {
        let program = files::read_program(&self.path).ok()?;
        let record: ArchivedRecord = read_json(&self.record_path())?;
        (record.key == self.key).then_some(Fitted { program, record })
    }

    /// Makes it, going on where a run that was stopped has left it.
    pub fn run(&self, weights: Option<&Path>) -> Result<Fitted, Failure> {
        let start = Instant::now();
        // The program is written last. One that is there already is of something else.
        let _ = std::fs::remove_file(&self.path);
        let checkpoint = self.path.with_extension("checkpoint");
        interrupt::finish_first();
        tell!("{}: fitting", self.title);
        let progress = Progress::new(Style::Bar);
        let mut fit = self.begun(&checkpoint, weights)?;
        let resumed = fit.progress() > 0.0;
        let relaxed_mse = self.finish(&mut fit, &checkpoint, &progress)?;
        drop(progress);
        let seconds = start.elapsed().as_secs_f64();
        let whole = (!resumed).then_some(seconds);
        let record = ArchivedRecord { key: self.key.clone(), relaxed_mse, seconds: whole };
        let program = self.program(&fit)?;
        write_json(&self.record_path(), &record)?;
        files::write_program(&program, &self.path, true)?;
        let _ = std::fs::remove_file(&checkpoint);
        interrupt::end_at_once();
        tell!("{}: floor ratio {:.2}, {seconds:.0} s", self.title, fit.floor_ratio());
        Ok(Fitted { program, record })
    }

    /// The fit as its checkpoint has it, or a new one.
    fn begun(&self, checkpoint: &Path, weights: Option<&Path>) -> Result<Fit, Failure> {
        let (target, options) = (self.target, &self.key.options);
        let fit = match checkpoint::read(checkpoint, target, options) {
            Ok(state) => Fit::resume(target.clone(), options.clone(), state)?,
            Err(_) => Fit::new(target.clone(), options.clone())?,
        };
        let fit = networks::equip(fit, options, weights.filter(|_| self.key.network))?;
        Ok(fit.with_stop(Stop::when(interrupt::requested)))
    }

    /// Does the steps that are left, with a checkpoint now and then, and gives the relaxed
    /// error of the last.
    fn finish(
        &self,
        fit: &mut Fit,
        checkpoint: &Path,
        progress: &Progress,
    ) -> Result<f64, Failure> {
        let mut relaxed_mse = 0.0;
        let mut written = Instant::now();
        while !fit.is_done() {
            match fit.step() {
                Err(tbr::Error::Stopped) => (),
                report => {
                    let report = report?;
                    relaxed_mse = report.loss;
                    progress.show(fit, &report)?;
                }
            }
            if fit.is_done() {
                break;
            }
            if interrupt::requested() || written.elapsed().as_secs_f64() >= CHECKPOINT_S {
                checkpoint::write(checkpoint, self.target, &self.key.options, fit.state())?;
                written = Instant::now();
            }
            check_interrupt()?;
        }
        Ok(relaxed_mse)
    }

    /// The program, with what decided it.
    fn program(&self, fit: &Fit) -> Result<Program, Failure> {
        let mut parts = fit.program()?.into_parts();
        parts.provenance = Provenance::of(&json!({
            "made_by": self.made_by,
            "version": env!("CARGO_PKG_VERSION"),
            "picture": self.title,
            "solver_revision": format!("{:016x}", self.key.solver_revision),
            "picture_digest": self.key.picture,
            "options": self.key.options,
            "data_scale": fit.data_scale(),
        }))?;
        Ok(Program::new(parts)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use tbr::Image;

    /// Whatever other solvers have made is made again: records of another solver revision, and
    /// those that know the version of tbr only.
    #[test]
    fn what_another_solver_made_is_not_done() {
        let folder = files::scratch_folder().unwrap();
        let target = Target::new(Image::new((2, 2), vec![[0.5; 3]; 4]).unwrap(), None).unwrap();
        let options = Options::paper();
        let job = FitJob {
            made_by: "a test",
            title: "grey, joint".into(),
            target: &target,
            key: Key::new(&target, &options, false),
            path: folder.path().join("joint.tbr.json"),
        };
        assert!(job.done().is_none());
        let program = tbr::prior::program(3, 1.0, 0).unwrap();
        files::write_program(&program, &job.path, true).unwrap();
        let record = ArchivedRecord { key: job.key.clone(), relaxed_mse: 0.01, seconds: None };
        write_json(&job.record_path(), &record).unwrap();
        assert_eq!(job.done().unwrap().record, record);

        let with = |change: fn(&mut serde_json::Map<String, Value>)| {
            let mut record = serde_json::to_value(&record).unwrap();
            change(record.as_object_mut().unwrap());
            write_json(&job.record_path(), &record).unwrap();
            job.done()
        };
        let older = |record: &mut serde_json::Map<String, Value>| {
            record.insert("solver_revision".into(), json!(SOLVER_REVISION - 1));
        };
        assert!(with(older).is_none(), "an older solver's fit was taken for ours");
        let unrevised = |record: &mut serde_json::Map<String, Value>| {
            record.remove("solver_revision");
            record.insert("version".into(), json!(env!("CARGO_PKG_VERSION")));
        };
        assert!(with(unrevised).is_none(), "a fit of nobody knows which solver was taken");
        assert!(with(|_| ()).is_some());
    }
}
