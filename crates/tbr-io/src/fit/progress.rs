//! Progress of a fit: a bar on a terminal, or lines of JSON.

use crate::failure::Failure;
use crate::files;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::io::IsTerminal;
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
    bar: ProgressBar,
    start: Instant,
}

/// Marks of the bar: finer than any terminal is wide.
const MARKS: u64 = 1000;

impl Progress {
    /// Nothing is done yet.
    pub fn new(style: Style) -> Self {
        let shown = style == Style::Bar && std::io::stderr().is_terminal();
        let bar = if shown {
            let style = ProgressStyle::with_template("{wide_bar} {msg}  {eta} left");
            ProgressBar::new(MARKS)
                .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
                .with_message("starting")
        } else {
            ProgressBar::hidden()
        };
        Self { style, bar, start: Instant::now() }
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Tells how a step went.
    pub fn show(&self, fit: &Fit, report: &StepReport) -> Result<(), Failure> {
        let share = fit.progress();
        self.bar.set_position((share * MARKS as f64) as u64);
        let StepReport { step, steps, floor_ratio, .. } = report;
        self.bar.set_message(format!("step {step}/{steps}, floor ratio {floor_ratio:.2}"));
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

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
