//! Programs replayed at half and at twice the size that they were fitted at.

use super::super::lab::{Lab, Subject, floor_ratio};
use super::super::section::Section;
use super::super::statistics::{median, range};
use super::{optional, times};
use crate::commands::table::{Table, cells};
use crate::failure::Failure;
use serde_json::json;
use tbr::fit::Target;
use tbr::score::{Scores, psnr};

pub fn run(lab: &Lab) -> Result<Section, Failure> {
    let side = lab.sizes.side_px;
    let sizes = [side / 2, side, 2 * side];
    let mut data = serde_json::Map::new();
    let mut section = Section::default();
    for (what, arm) in [("paper's solver", lab.joint()), ("default preset", lab.default_preset())] {
        let mut table = vec![vec!["picture".to_owned()]];
        table[0].extend(sizes.iter().map(|s| format!("MSE at {s}")));
        table[0].extend(cells([
            &format!("{side} to {}", 2 * side),
            &"PSNR: floor",
            &"program",
            &"SSIM: floor",
            &"program",
            &"floor/MSE",
        ]));
        let (mut finer, mut coarser, mut better) = (Vec::new(), Vec::new(), 0);
        let all: Vec<&Subject> = lab.subjects.iter().chain(&lab.artworks).collect();
        for subject in &all {
            let program = lab.fit(subject, &arm)?.program;
            let [half, own, twice] = sizes.map(|s| lab.score(subject, &program, s));
            let [half, own, twice] = [half?, own?, twice?];
            let flat = flat(lab, &subject.target(side)?)?;
            finer.push(100.0 * (twice.mse / own.mse - 1.0));
            coarser.push(100.0 * (half.mse / own.mse - 1.0));
            better += usize::from(own.ssim > flat.ssim);
            let digits = |v: f64| format!("{v:.3}");
            let decibels = |v: f64| format!("{v:.2}");
            table.push(vec![
                subject.name.clone(),
                format!("{:.6}", half.mse),
                format!("{:.6}", own.mse),
                format!("{:.6}", twice.mse),
                format!("{:+.2} %", finer[finer.len() - 1]),
                optional(psnr(own.floor), decibels),
                optional(own.psnr, decibels),
                optional(flat.ssim, digits),
                optional(own.ssim, digits),
                times(floor_ratio(&own)),
            ]);
        }
        let most = |values: &[f64]| {
            let (low, high) = range(values);
            low.abs().max(high.abs())
        };
        let moves: Vec<f64> = finer.iter().map(|v| v.abs()).collect();
        section = section
            .table(Table::new(format!("Replay at three sizes, fitted at {side} (tab:resolution), {what}"), table))
            .text(format!(
                "Twice the size moves the error by at most {:.2} % (median {:.2} %), half the size by at most {:.1} %. \
                 The paper's: 0.23 % (0.04 %) and 4 %. SSIM is above the flat picture's on {better} of {} (paper 4 of 5).",
                most(&finer),
                median(&moves),
                most(&coarser),
                all.len()
            ));
        if arm.name == "joint" {
            section = section.finding(
                "Replay at twice the size moves the error by less than 0.3 %",
                most(&finer) < 0.3,
                format!("at most {:.2} % (paper 0.23 %)", most(&finer)),
            );
        }
        data.insert(arm.name.clone(), json!({ "twice_percent": finer, "half_percent": coarser }));
    }
    Ok(section.data(data))
}

/// The best picture of one colour.
fn flat(lab: &Lab, target: &Target) -> Result<Scores, Failure> {
    let inputs = json!({ "flat": crate::commands::digest::Digest::of_target(target), "networks": lab.has_weights() });
    lab.cell("flat", &inputs, || {
        lab.score_colours(&vec![target.mean(); target.colours.len()], target)
    })
}
