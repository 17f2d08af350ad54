//! Progress of a fit: a bar on a terminal, or lines of JSON.

use crate::failure::Failure;
use crate::files;
use crate::progress;
use serde_json::json;
use std::time::Instant;
use tbr::fit::{Fit, StepReport};

/// How to show progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A bar, on a terminal.
    Bar,
    /// A line of JSON for each step, on standard output.
    Json,
    /// Nothing.
    None,
}

/// A fit's progress, shown until it is dropped.
pub struct Progress {
    style: Style,
    bar: progress::Progress,
    start: Instant,
}

impl Progress {
    /// Nothing is done yet.
    pub fn new(style: Style) -> Self {
        let bar = match style {
            Style::Bar => progress::Progress::shares(),
            Style::Json | Style::None => progress::Progress::hidden(),
        };
        bar.say("starting");
        Self { style, bar, start: Instant::now() }
    }

    /// What is being done.
    pub fn say(&self, what: &str) {
        self.bar.say(what);
    }

    /// Does something without the bar, which is away until it is done.
    pub fn aside<T>(&self, work: impl FnOnce() -> T) -> T {
        self.bar.aside(work)
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Tells how a step went.
    pub fn show(&self, fit: &Fit, report: &StepReport) -> Result<(), Failure> {
        let share = fit.progress();
        let StepReport { step, steps, floor_ratio, .. } = report;
        let done = match step {
            0 => "peeling".to_owned(),
            step => format!("step {step}/{steps}, floor ratio {floor_ratio:.2}"),
        };
        self.bar.show(share, &done);
        if self.style != Style::Json {
            return Ok(());
        }
        let line = json!({
            "step": step,
            "steps": steps,
            "progress": share,
            "loss": report.loss,
            "floor_ratio": floor_ratio,
            "improved": report.improved,
            "elapsed_secs": self.seconds(),
        });
        files::print(&format!("{line}\n"))
    }
}
