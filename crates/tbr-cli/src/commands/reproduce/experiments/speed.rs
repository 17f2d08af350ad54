//! Time of a fit against its error, for several ways of fitting.

use super::super::fits::Arm;
use super::super::lab::{Lab, floor_ratio};
use super::super::section::Section;
use super::super::statistics::{geometric_mean, median};
use super::{beside_if, times};
use crate::commands::bench::adjoint::cpu;
use crate::commands::digest::Digest;
use crate::commands::table::Table;
use crate::failure::Failure;
use serde_json::json;
use std::time::Instant;
use tbr::fit::{Fit, Options, Solver, Stage};

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

pub fn run(lab: &Lab) -> Result<Section, Failure> {
    let mut head: Vec<String> = vec!["configuration".into(), "time".into()];
    head.extend(lab.subjects.iter().map(|s| s.name.clone()));
    head.extend(["mean MSE x 1000".into(), "floor/MSE".into()]);
    let mut table = vec![head];
    let mut data = serde_json::Map::new();
    let mut means = Vec::new();
    for Way { title, arm, paper } in ways(lab) {
        let (mut errors, mut ratios) = (Vec::new(), Vec::new());
        for subject in &lab.subjects {
            let (_, scores) = lab.fit_and_score(subject, &arm)?;
            errors.push(scores.mse);
            ratios.push(floor_ratio(&scores));
        }
        let seconds = seconds(lab, &arm.options)?;
        let ratio = geometric_mean(&ratios);
        let digits = if seconds < 10.0 { 3 } else { 0 };
        let time = format!("{seconds:.digits$} s");
        let mut row = vec![title.to_owned(), beside_if(time, paper.map(|p| p[0]))];
        row.extend(errors.iter().map(|e| format!("{:.2}", 1e3 * e)));
        row.push(format!("{:.2}", 1e3 * geometric_mean(&errors)));
        row.push(beside_if(times(ratio), paper.map(|p| p[1])));
        table.push(row);
        means.push((ratio, seconds));
        data.insert(arm.name, json!({ "seconds": seconds, "mse": errors, "floor_ratio": ratio }));
    }
    let [headline, free, half, _, staged, ..] = means.as_slice() else {
        return Ok(Section::default());
    };
    Ok(Section::default()
        .table(Table::new(
            format!(
                "Time against error (tab:speed), on {} with {} threads. Time is that of the steps, from the median of {TIMED} a stage on \
                 the first picture, and of what precedes them; mean squared errors are of hard renders, times 1000. The paper's in brackets: one GPU, its own pictures",
                cpu(),
                rayon::current_num_threads()
            ),
            table,
        ))
        .finding(
            "A free half-width is better than the paper's window",
            free.0 > headline.0,
            format!("{} against {} (paper 3.98x, 3.67x)", times(free.0), times(headline.0)),
        )
        .finding(
            "Half the size alone is worse",
            half.0 < headline.0,
            format!("{} against {} (paper 3.13x, 3.67x)", times(half.0), times(headline.0)),
        )
        .finding(
            "Coarse to fine is as good as the headline in a third of the time",
            staged.0 >= headline.0 && 3.0 * staged.1 < headline.1,
            format!(
                "{} in {:.0} s against {} in {:.0} s (paper 3.75x in 37 s, 3.67x in 132 s)",
                times(staged.0),
                staged.1,
                times(headline.0),
                headline.1
            ),
        )
        .data(data))
}

/// Seconds that the steps of a fit of the first picture take.
fn seconds(lab: &Lab, options: &Options) -> Result<f64, Failure> {
    let Some(subject) = lab.subjects.first() else { return Ok(0.0) };
    let inputs = json!({ "options": options, "picture": Digest::of_target(&subject.target(lab.sizes.side_px)?), "side": lab.sizes.side_px, "cpu": cpu(), "threads": rayon::current_num_threads() });
    lab.cell("seconds", &inputs, || {
        let mut options = options.clone();
        // The factor is measured once a fit, with the network: no part of a step.
        if let Solver::Paper(own) = &mut options.solver {
            own.data_scale = Some(tbr::fit::paper::Options::DATA_SCALE);
        }
        let stages = std::mem::take(&mut options.stages);
        let mut seconds = 0.0;
        for (k, stage) in stages.iter().enumerate() {
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
    })
}
