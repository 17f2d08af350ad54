//! Programs replayed at half and at twice the size that they were fitted at.

use super::{optional, times};
use crate::fits::Arm;
use crate::reproduce::lab::{Lab, floor_ratio};
use crate::reproduce::section::Section;
use crate::reproduce::statistics::{median, range};
use crate::subject::Subject;
use serde_json::json;
use tbr::Image;
use tbr::fit::Target;
use tbr::score::{Scores, psnr};
use tbr_io::Failure;
use tbr_io::digest::Digest;
use tbr_io::table::{Table, cells};

/// A picture's program, replayed at half, at its own and at twice the size.
struct ResolutionRow {
    picture: String,
    half: Scores,
    own: Scores,
    twice: Scores,
    /// Of the best picture of one colour.
    flat: Scores,
}

impl ResolutionRow {
    fn of(lab: &Lab, subject: &Subject, arm: &Arm) -> Result<Self, Failure> {
        let program = lab.fit(subject, arm)?.program;
        let side = lab.sizes.side_px;
        Ok(Self {
            picture: subject.name.clone(),
            half: lab.score(subject, &program, side / 2)?,
            own: lab.score(subject, &program, side)?,
            twice: lab.score(subject, &program, 2 * side)?,
            flat: flat(lab, &subject.target(side)?)?,
        })
    }

    /// How much the error changes at twice the size, per cent.
    fn finer(&self) -> f64 {
        100.0 * (self.twice.mse / self.own.mse - 1.0)
    }

    /// The same at half the size.
    fn coarser(&self) -> f64 {
        100.0 * (self.half.mse / self.own.mse - 1.0)
    }

    fn cells(&self) -> Vec<String> {
        let Self { picture, half, own, twice, flat } = self;
        let digits = |v: f64| format!("{v:.3}");
        let decibels = |v: f64| format!("{v:.2}");
        vec![
            picture.clone(),
            format!("{:.6}", half.mse),
            format!("{:.6}", own.mse),
            format!("{:.6}", twice.mse),
            format!("{:+.2} %", self.finer()),
            optional(psnr(own.floor), decibels),
            optional(own.psnr, decibels),
            optional(flat.ssim, digits),
            optional(own.ssim, digits),
            times(floor_ratio(own)),
        ]
    }
}

pub fn run(lab: &Lab) -> Result<Section, Failure> {
    let mut data = serde_json::Map::new();
    let mut section = Section::default();
    for (what, arm) in [("paper's solver", lab.joint()), ("default preset", lab.default_preset())] {
        let all = lab.subjects.iter().chain(&lab.artworks);
        let rows = all.map(|s| ResolutionRow::of(lab, s, &arm)).collect::<Result<Vec<_>, _>>()?;
        let finer: Vec<f64> = rows.iter().map(ResolutionRow::finer).collect();
        let coarser: Vec<f64> = rows.iter().map(ResolutionRow::coarser).collect();
        section = section
            .table(table(lab.sizes.side_px, what, &rows))
            .text(text(&rows, &finer, &coarser));
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

fn table(side: u32, what: &str, rows: &[ResolutionRow]) -> Table {
    let mut head = vec!["picture".to_owned()];
    head.extend([side / 2, side, 2 * side].map(|s| format!("MSE at {s}")));
    head.extend(cells([
        &format!("{side} to {}", 2 * side),
        &"PSNR: floor",
        &"program",
        &"SSIM: floor",
        &"program",
        &"floor/MSE",
    ]));
    let caption = format!("Replay at three sizes, fitted at {side} (tab:resolution), {what}");
    Table::new(
        caption,
        std::iter::once(head).chain(rows.iter().map(ResolutionRow::cells)).collect(),
    )
}

fn text(rows: &[ResolutionRow], finer: &[f64], coarser: &[f64]) -> String {
    let moves: Vec<f64> = finer.iter().map(|v| v.abs()).collect();
    let better = rows.iter().filter(|r| r.own.ssim > r.flat.ssim).count();
    format!(
        "Twice the size moves the error by at most {:.2} % (median {:.2} %), half the size by at \
         most {:.1} %. The paper's: 0.23 % (0.04 %) and 4 %. SSIM is above the flat picture's on \
         {better} of {} (paper 4 of 5).",
        most(finer),
        median(&moves),
        most(coarser),
        rows.len()
    )
}

/// The largest, whatever its sign.
fn most(values: &[f64]) -> f64 {
    let (low, high) = range(values);
    low.abs().max(high.abs())
}

/// The scores of the best picture of one colour. Cached.
fn flat(lab: &Lab, target: &Target) -> Result<Scores, Failure> {
    let inputs = json!({ "flat": Digest::of_target(target), "networks": lab.has_weights() });
    lab.cell("flat", &inputs, || {
        let pixels = vec![target.mean(); target.image().pixels().len()];
        lab.score_image(&Image::new(target.image().size(), pixels)?, target)
    })
}
