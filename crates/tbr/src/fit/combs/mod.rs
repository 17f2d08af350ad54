//! Combs read off a picture: which passes of a comb or a rake it was drawn with last, and the
//! sheet as it was before them.
//!
//! A comb shears the paint along its teeth, back and forth from tooth to tooth, and with it
//! every edge: the picture's structure tensor, whatever the pattern, has a part that alternates
//! with the comb's spacing across the comb's way. One peak of that part's spectrum tells
//! direction, spacing and phase (`spectrum`). What it does not tell, whether the teeth went
//! together or to and fro and how far they drew, is found by undoing: the right comb leaves the
//! picture with the least total variation, blobs in place of festoons (`sheet`). Undone, the
//! pass before it is found in the same way.

mod sheet;
mod spectrum;

#[cfg(test)]
mod tests;

use super::{Fit, Options, Solver, Target};
use crate::error::Result;
use crate::image::Image;
use crate::numbers::{Vec2, vec2};
use crate::parallel::Stop;
use crate::tool::{Tool, ToolKind};
use rayon::prelude::*;
use sheet::Sheet;
use spectrum::{Peak, peaks};
use std::f64::consts::{FRAC_PI_2, TAU};

pub use sheet::uncombed;

/// The most passes that are looked for. Each needs the one after it to be undone well.
const MOST_PASSES: usize = 2;
/// Peaks of the spectrum that are tried.
const PEAKS: usize = 5;
/// A pass is kept if undoing it leaves at most this share of the total variation. Pictures that
/// were never combed come to 0.99.
const LEFT: f64 = 0.97;
/// How far teeth may have drawn, in spacings: what is tried before it is refined.
const PULLS: [f64; 6] = [0.3, 0.6, 1.0, 1.5, 2.2, 3.2];
/// A comb must save this share of a trial's error.
const SAVED: f64 = 0.03;
/// Strokes of a trial, and the points that it is peeled on: a second, and enough to tell.
const TRIAL_STROKES: usize = 300;
const TRIAL_POINTS: u32 = 192;

/// The passes of combs and rakes that a picture seems to have been drawn with last, in their
/// order; none if undoing makes it no simpler.
pub fn find(image: &Image, stop: &Stop) -> Result<Vec<Tool>> {
    let sheet = Sheet::new(image);
    let mut tools: Vec<Tool> = Vec::new();
    let mut variation = sheet.variation(&tools);
    for _ in 0..MOST_PASSES {
        stop.check()?;
        let before = uncombed(sheet.picture(), &tools);
        let Some(tool) = proposal(&sheet, &peaks(&before, PEAKS), &tools, LEFT * variation) else {
            break;
        };
        tools.insert(0, tool);
        stop.check()?;
        variation = refine(&sheet, &mut tools, stop)?;
    }
    Ok(tools)
}

/// The passes that [`find`] finds, or the later of them, if a trial of a fit with as many steps
/// errs less with them; none otherwise.
pub fn helpful(target: &Target, options: &Options, stop: &Stop) -> Result<Vec<Tool>> {
    let found = find(target.image(), stop)?;
    let mut best = (trial(target, options, &[], stop)? * (1.0 - SAVED), Vec::new());
    for first in 0..found.len() {
        let tools = found[first..].to_vec();
        let error = trial(target, options, &tools, stop)?;
        if error < best.0 {
            best = (error, tools);
        }
    }
    Ok(best.1)
}

/// The error of a small program, peeled before the tools, with as many steps whatever they are.
fn trial(target: &Target, options: &Options, tools: &[Tool], stop: &Stop) -> Result<f64> {
    let target = target.at_most(2 * TRIAL_POINTS);
    let floor = target.floor();
    let mut trial = options.clone();
    if let Solver::Peel(peel, _) = &mut trial.solver {
        peel.points = peel.points.min(TRIAL_POINTS);
    }
    trial.strokes = options.strokes.min(TRIAL_STROKES).saturating_sub(tools.len()).max(1);
    trial.tools = tools.to_vec();
    trial.stages = Vec::new();
    let mut fit = Fit::new(target, trial)?.with_stop(stop.clone());
    while !fit.is_done() {
        fit.step()?;
    }
    Ok(floor / fit.floor_ratio())
}

/// The comb or rake, by a peak and one of some pulls, whose undoing leaves the least variation;
/// none if none leaves less than `most`.
fn proposal(sheet: &Sheet, peaks: &[Peak], later: &[Tool], most: f64) -> Option<Tool> {
    let hypotheses: Vec<Tool> = peaks.iter().flat_map(|peak| hypotheses(peak, sheet)).collect();
    let tried = hypotheses.into_par_iter().map(|tool| {
        let tools: Vec<Tool> = std::iter::once(tool).chain(later.iter().copied()).collect();
        (sheet.variation(&tools), tool)
    });
    let best = tried.collect::<Vec<_>>().into_iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 < most).then_some(best.1)
}

/// What may have made a peak: a comb with its period as spacing or a rake with half of it, drawn
/// either way (which moves its teeth by half a period), more or less far.
fn hypotheses(peak: &Peak, sheet: &Sheet) -> Vec<Tool> {
    let period = 1.0 / peak.wave.norm();
    let across = peak.wave * period;
    // The direction of which `across` is the normal, as moves have it.
    let degrees = libm::atan2(-across.x, across.y).to_degrees();
    let mut all = Vec::new();
    for (kind, spacing) in [(ToolKind::Comb, period), (ToolKind::Rake, 0.5 * period)] {
        for sign in [1.0, -1.0] {
            let half = if sign > 0.0 { 0.0 } else { 0.5 };
            let tooth = period * (half - (peak.phase + FRAC_PI_2) / TAU);
            let through = near_middle(across, tooth, period, sheet.middle());
            let pulls = PULLS.iter().map(|pull| sign * pull * spacing);
            all.extend(pulls.filter_map(|pull| tool(kind, through, degrees, pull, spacing)));
        }
    }
    all
}

/// A point on a tooth's path, near a point: the path of the tooth so far along `across`, or of
/// one that is whole periods from it.
fn near_middle(across: Vec2<f64>, tooth: f64, period: f64, middle: Vec2<f64>) -> Vec2<f64> {
    let off = (tooth - middle.dot(across)) / period;
    middle + across * (period * (off - off.round()))
}

fn tool(kind: ToolKind, through: Vec2<f64>, degrees: f64, pull: f64, spacing: f64) -> Option<Tool> {
    let numbers: [(&str, &[f64]); 4] = [
        ("through", &[through.x, through.y]),
        ("angle", &[degrees]),
        ("pull", &[pull]),
        ("spacing", &[spacing]),
    ];
    Tool::new(kind, numbers).ok()
}

/// The first steps of a refinement: phase and pull in spacings, degrees, and spacing as a share.
const STEPS: [f64; 4] = [0.05, 0.3, 0.1, 0.004];
/// Refinement ends when steps are this share of the first ones.
const LAST_STEP: f64 = 0.05;

/// Moves the tools' numbers one by one to where the variation is least; gives that.
fn refine(sheet: &Sheet, tools: &mut [Tool], stop: &Stop) -> Result<f64> {
    let mut least = sheet.variation(tools);
    let mut share = 1.0;
    while share > LAST_STEP {
        stop.check()?;
        let mut improved = false;
        for k in 0..tools.len() {
            for number in 0..STEPS.len() {
                for sign in [share, -share] {
                    let Some(moved) = moved(&tools[k], number, sign) else { continue };
                    let old = std::mem::replace(&mut tools[k], moved);
                    let variation = sheet.variation(tools);
                    if variation < least {
                        (least, improved) = (variation, true);
                        break;
                    }
                    tools[k] = old;
                }
            }
        }
        if !improved {
            share *= 0.5;
        }
    }
    Ok(least)
}

/// A tool with one number moved by a share of its first step.
fn moved(old: &Tool, number: usize, share: f64) -> Option<Tool> {
    let [x, y, degrees, pull, ..] = old.numbers() else { return None };
    let (spacing, angle) = (old.number("spacing")?, degrees.to_radians());
    let across = vec2(-libm::sin(angle), libm::cos(angle));
    let step = share * STEPS[number];
    let (mut through, mut degrees, mut pull, mut wide) = (vec2(*x, *y), *degrees, *pull, spacing);
    match number {
        0 => through = through + across * (step * spacing),
        1 => degrees += step,
        2 => pull += step * spacing,
        _ => wide += step * spacing,
    }
    tool(old.kind(), through, degrees, pull, wide)
}
