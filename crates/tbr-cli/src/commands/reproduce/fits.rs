//! Fits, each kept with what decided it.

use super::lab::{check_interrupt, read_json, write_json};
use crate::commands::fit::checkpoint;
use crate::commands::fit::progress::{Progress, Style};
use crate::failure::Failure;
use crate::files;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};
use std::path::{Path, PathBuf};
use std::time::Instant;
use tbr::fit::{Fit, Options, Target};
use tbr::network::{VggFeatures, Weights};
use tbr::program::Program;

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
    pub record: Record,
}

/// What is kept of a fit beside its program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    #[serde(flatten)]
    key: Key,
    /// The relaxed error of the last step.
    pub relaxed_mse: f64,
}

/// What decides a fit: the version of tbr, the picture's digest, the options, and whether
/// the network was there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Key {
    pub version: String,
    pub picture: String,
    pub options: Options,
    pub network: bool,
}

/// A fit that is to be made.
pub struct Job<'a> {
    pub title: String,
    pub target: &'a Target,
    pub key: Key,
    pub path: PathBuf,
}

impl Job<'_> {
    fn record_path(&self) -> PathBuf {
        self.path.with_extension("record.json")
    }

    /// What is there already, if it was made in the same way.
    pub fn done(&self) -> Option<Fitted> {
        let program = files::read_program(&self.path).ok()?;
        let record: Record = read_json(&self.record_path())?;
        (record.key == self.key).then_some(Fitted { program, record })
    }

    /// Makes it, going on where a run that was stopped has left it.
    pub fn run(&self, weights: Option<&Path>) -> Result<Fitted, Failure> {
        let start = Instant::now();
        // The program is written last. One that is there already is of something else.
        let _ = std::fs::remove_file(&self.path);
        let checkpoint = self.path.with_extension("checkpoint");
        let (target, options) = (self.target, &self.key.options);
        let mut fit = match checkpoint::read(&checkpoint, target, options) {
            Ok(state) => Fit::resume(target.clone(), options.clone(), state)?,
            Err(_) => Fit::new(target.clone(), options.clone())?,
        };
        if let Some(folder) = weights.filter(|_| self.key.network) {
            fit = fit.with_network(Weights::read(&folder.join(VggFeatures::FILE))?);
        }
        tell!("{}: fitting", self.title);
        let mut relaxed_mse = 0.0;
        let (progress, mut written) = (Progress::new(Style::Bar), Instant::now());
        while !fit.is_done() {
            let report = fit.step()?;
            relaxed_mse = report.loss;
            progress.show(&fit, &report)?;
            if fit.is_done() {
                break;
            }
            if files::interrupted() || written.elapsed().as_secs_f64() >= CHECKPOINT_S {
                checkpoint::write(&checkpoint, target, options, fit.state())?;
                written = Instant::now();
            }
            check_interrupt()?;
        }
        drop(progress);
        let record = Record { key: self.key.clone(), relaxed_mse };
        let program = self.program(&fit)?;
        write_json(&self.record_path(), &record)?;
        files::write_program(&program, &self.path, true)?;
        let _ = std::fs::remove_file(&checkpoint);
        let seconds = start.elapsed().as_secs_f64();
        tell!("{}: floor ratio {:.2}, {seconds:.0} s", self.title, fit.floor_ratio());
        Ok(Fitted { program, record })
    }

    /// The program, with what decided it.
    fn program(&self, fit: &Fit) -> Result<Program, Failure> {
        let mut parts = fit.program()?.into_parts();
        let mut made = Map::new();
        made.insert("made_by".into(), json!("tbr reproduce"));
        made.insert("version".into(), json!(env!("CARGO_PKG_VERSION")));
        made.insert("picture".into(), json!(self.title));
        made.insert("options".into(), json!(self.key.options));
        made.insert("data_scale".into(), json!(fit.data_scale()));
        parts.provenance = made;
        Ok(Program::new(parts)?)
    }
}
