//! Time of a fit against its error, for several ways of fitting.

use super::{beside_if, times};
use crate::bench::adjoint::cpu;
use crate::fits::Arm;
use crate::reproduce::lab::{Lab, floor_ratio};
use crate::reproduce::section::Section;
use crate::reproduce::statistics::{geometric_mean, median};
use crate::subject::Subject;
use serde_json::json;
use std::time::Instant;
use tbr::fit::{Fit, Options, SOLVER_REVISION, Solver, Stage};
use tbr_io::Failure;
use tbr_io::digest::Digest;
use tbr_io::progress::Progress;
use tbr_io::table::Table;

/// Steps of a stage that are timed.
const TIMED: usize = 9;

/// A way of fitting, and the paper's time and floor ratio of it.
struct Way {
    title: &'static str,
    arm: Arm,
    paper: Option<[&'static str; 2]>,
}

fn ways(lab: &Lab) -> Vec<Way> {
    let half = lab.sizes.side_px / 2;
    let free = lab.free_width().options;
    let at_half = |options: &Options, steps: Option<usize>| {
        let stage = |s: &Stage| Stage { side_px: half, steps: steps.unwrap_or(s.steps), ..*s };
        Options { stages: options.stages.iter().map(stage).collect(), ..options.clone() }
    };
    let mut staged = lab.sized(Options::paper_staged());
    staged.stages[0].side_px = half;
    let first = staged.stages[0].steps;
    let ways = [
        ("headline", lab.joint(), Some(["132 s", "3.67x"])),
        ("free half-width", lab.free_width(), Some(["132 s", "3.98x"])),
        (
            "half the size only",
            Arm::new("half", at_half(&lab.paper(), None)),
            Some(["18 s", "3.13x"]),
        ),
        (
            "stage A: half the size, free",
            Arm::new("stage-a", at_half(&free, Some(first))),
            Some(["15 s", "3.39x"]),
        ),
        ("stage B: A, then full size", Arm::new("stage-b", staged), Some(["37 s", "3.75x"])),
        ("default preset", lab.default_preset(), None),
    ];
    ways.into_iter().map(|(title, arm, paper)| Way { title, arm, paper }).collect()
}

/// What a way of fitting gives, and how long it takes.
struct Timed {
    seconds: f64,
    /// By picture.
    errors: Vec<f64>,
    /// The mean floor ratio.
    ratio: f64,
}

impl Timed {
    fn of(lab: &Lab, arm: &Arm) -> Result<Self, Failure> {
        let (mut errors, mut ratios) = (Vec::new(), Vec::new());
        for subject in &lab.subjects {
            let (_, scores) = lab.fit_and_score(subject, arm)?;
            errors.push(scores.mse);
            ratios.push(floor_ratio(&scores));
        }
        let seconds = seconds(lab, &arm.options)?;
        Ok(Self { seconds, errors, ratio: geometric_mean(&ratios) })
    }

    fn row(&self, title: &str, paper: Option<[&str; 2]>) -> Vec<String> {
        let digits = if self.seconds < 10.0 { 3 } else { 0 };
        let time = format!("{:.digits$} s", self.seconds);
        let mut row = vec![title.to_owned(), beside_if(time, paper.map(|p| p[0]))];
        row.extend(self.errors.iter().map(|e| format!("{:.2}", 1e3 * e)));
        row.push(format!("{:.2}", 1e3 * geometric_mean(&self.errors)));
        row.push(beside_if(times(self.ratio), paper.map(|p| p[1])));
        row
    }
}

pub fn run(lab: &Lab) -> Result<Section, Failure> {
    let mut head: Vec<String> = vec!["configuration".into(), "time".into()];
    head.extend(lab.subjects.iter().map(|s| s.name.clone()));
    head.extend(["mean MSE x 1000".into(), "floor/MSE".into()]);
    let mut table = vec![head];
    let mut data = serde_json::Map::new();
    let mut all = Vec::new();
    for Way { title, arm, paper } in ways(lab) {
        let timed = Timed::of(lab, &arm)?;
        table.push(timed.row(title, paper));
        let Timed { seconds, errors, ratio } = &timed;
        data.insert(arm.name, json!({ "seconds": seconds, "mse": errors, "floor_ratio": ratio }));
        all.push(timed);
    }
    let caption = format!(
        "Time against error (tab:speed), on {} with {} threads. Time is that of the steps, from \
         the median of {TIMED} a stage on the first picture, and of what precedes them; mean \
         squared errors are of hard renders, times 1000. The paper's in brackets: one GPU, its \
         own pictures",
        cpu(),
        rayon::current_num_threads()
    );
    let section = Section::default().table(Table::new(caption, table));
    Ok(findings(section, &all).data(data))
}

/// What the paper found, of the ways in their order.
fn findings(section: Section, all: &[Timed]) -> Section {
    let [headline, free, half, _, staged, ..] = all else { return section };
    section
        .finding(
            "A free half-width is better than the paper's window",
            free.ratio > headline.ratio,
            format!("{} against {} (paper 3.98x, 3.67x)", times(free.ratio), times(headline.ratio)),
        )
        .finding(
            "Half the size alone is worse",
            half.ratio < headline.ratio,
            format!("{} against {} (paper 3.13x, 3.67x)", times(half.ratio), times(headline.ratio)),
        )
        .finding(
            "Coarse to fine is as good as the headline in a third of the time",
            staged.ratio >= headline.ratio && 3.0 * staged.seconds < headline.seconds,
            format!(
                "{} in {:.0} s against {} in {:.0} s (paper 3.75x in 37 s, 3.67x in 132 s)",
                times(staged.ratio),
                staged.seconds,
                times(headline.ratio),
                headline.seconds
            ),
        )
}

/// Seconds that the steps of a fit of the first picture take. Cached.
fn seconds(lab: &Lab, options: &Options) -> Result<f64, Failure> {
    let Some(subject) = lab.subjects.first() else { return Ok(0.0) };
    let inputs = json!({
        "solver_revision": SOLVER_REVISION,
        "options": options,
        "picture": Digest::of_target(&subject.target(lab.sizes.side_px)?),
        "side": lab.sizes.side_px,
        "cpu": cpu(),
        "threads": rayon::current_num_threads(),
    });
    lab.timed_cell("seconds", &inputs, || measure(lab, subject, options.clone()))
}

fn measure(lab: &Lab, subject: &Subject, mut options: Options) -> Result<f64, Failure> {
    // The factor is measured once a fit, with the network: no part of a step.
    if let Solver::Paper(own) = &mut options.solver {
        own.data_scale = Some(tbr::fit::paper::PaperOptions::DATA_SCALE);
    }
    let stages = std::mem::take(&mut options.stages);
    let progress = Progress::still(stages.len());
    let mut seconds = 0.0;
    for (k, stage) in stages.iter().enumerate() {
        progress.begin(k, "time of a step");
        options.stages = vec![Stage { steps: TIMED.min(stage.steps), ..*stage }];
        let mut fit = Fit::new(subject.target(lab.sizes.side_px)?, options.clone())?;
        let start = Instant::now();
        fit.step()?;
        if k == 0 {
            seconds += start.elapsed().as_secs_f64();
        }
        let mut steps = Vec::new();
        while !fit.is_done() {
            let start = Instant::now();
            fit.step()?;
            steps.push(start.elapsed().as_secs_f64());
        }
        seconds += stage.steps as f64 * median(&steps);
    }
    Ok(seconds)
}
