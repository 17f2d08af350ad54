//! Programs under a transport that neither was fitted for: sixteen drops a stroke.

use super::recovery::{Recovered, recovered};
use super::{beside, change, times};
use crate::reproduce::lab::{Lab, under};
use crate::reproduce::section::Section;
use crate::reproduce::statistics::{Ratios, median, range};
use serde_json::json;
use tbr::score::Scores;
use tbr::{Operator, Program};
use tbr_io::Failure;
use tbr_io::table::{Table, cells};

/// U over A under sixteen drops, by picture.
pub fn ratios(lab: &Lab, rows: &[Recovered]) -> Result<Vec<f64>, Failure> {
    Ok(Transferred::of(lab, rows)?.ratios())
}

/// Both programs' scores under sixteen drops, by picture.
struct Transferred {
    joint: Vec<Scores>,
    inert: Vec<Scores>,
}

impl Transferred {
    fn of(lab: &Lab, rows: &[Recovered]) -> Result<Self, Failure> {
        let score = |k: usize, program: &Program| {
            lab.score(&lab.subjects[k], &under(program, Operator::Drops)?, lab.sizes.side_px)
        };
        let joint = rows.iter().enumerate().map(|(k, r)| score(k, &r.joint));
        let inert = rows.iter().enumerate().map(|(k, r)| score(k, &r.inert));
        Ok(Self {
            joint: joint.collect::<Result<_, _>>()?,
            inert: inert.collect::<Result<_, _>>()?,
        })
    }

    /// U over A.
    fn ratios(&self) -> Vec<f64> {
        self.inert.iter().zip(&self.joint).map(|(u, a)| u.mse / a.mse).collect()
    }
}

/// How much some errors are above others, as shares of those.
fn changes(scores: &[Scores], before: impl Iterator<Item = f64>) -> Vec<f64> {
    scores.iter().zip(before).map(|(s, before)| s.mse / before - 1.0).collect()
}

pub fn run(lab: &Lab) -> Result<Section, Failure> {
    let rows = recovered(lab)?;
    let transferred = Transferred::of(lab, &rows)?;
    let Transferred { joint, inert } = &transferred;
    let worse = changes(joint, rows.iter().map(|r| r.joint_executed.mse));
    let ratios = Ratios::of(&transferred.ratios());
    let count = rows.len();
    let below = rows.iter().zip(joint).filter(|(r, s)| s.mse < r.floor).count();
    let above = rows.iter().zip(inert).filter(|(r, s)| s.mse > r.floor).count();
    let degraded = worse.iter().filter(|w| **w > 0.0).count();
    let all = [degraded, below, above, ratios.logarithms.positive];
    let (least, most) = range(&worse);
    Ok(Section::default()
        .table(Table::new(
            "Both programs replayed with sixteen drops of the same area a stroke (tab:transfer); \
             the paper's in brackets",
            table(&rows, &transferred, &worse),
        ))
        .finding(
            "Under another transport A is worse but stays below the floor and ahead of U, which \
             stays above it",
            all.iter().all(|n| *n == count),
            format!(
                "{} to {} (paper +17.8 to +51.6 %); A below the floor {below}/{count}, U above it \
                 {above}/{count}, A ahead {}",
                change(least),
                change(most),
                ratios.sign()
            ),
        )
        .data(json!({ "joint": joint, "inert": inert, "ratios": ratios })))
}

fn table(rows: &[Recovered], transferred: &Transferred, worse: &[f64]) -> Vec<Vec<String>> {
    let Transferred { joint, inert } = transferred;
    let other = changes(inert, rows.iter().map(|r| r.inert_executed.mse));
    let by_picture = transferred.ratios();
    let ratios = Ratios::of(&by_picture);
    let mut table =
        vec![cells([&"picture", &"A", &"against executed", &"U", &"against executed", &"U/A"])];
    for (k, r) in rows.iter().enumerate() {
        table.push(vec![
            r.picture.clone(),
            format!("{:.4}", joint[k].mse),
            change(worse[k]),
            format!("{:.4}", inert[k].mse),
            change(other[k]),
            times(by_picture[k]),
        ]);
    }
    table.push(vec![
        "median".into(),
        String::new(),
        beside(change(median(worse)), "+24.8 %"),
        String::new(),
        beside(change(median(&other)), "-0.1 %"),
        beside(times(median(&by_picture)), "5.1x"),
    ]);
    let mut mean = vec![String::new(); 6];
    mean[0] = "geometric mean, 95 % interval".into();
    mean[5] =
        beside(format!("{} {}", times(ratios.mean), ratios.interval_text()), "4.93x [3.58, 6.78]");
    table.push(mean);
    table
}
