//! Programs under a transport that neither was fitted for: sixteen drops a stroke.

use super::super::lab::{Lab, under};
use super::super::section::Section;
use super::super::statistics::{Ratios, median, range};
use super::recovery::{Recovered, recovered};
use super::{beside, change, over, times};
use crate::commands::table::{Table, cells};
use crate::failure::Failure;
use tbr::program::{Operator, Program};
use tbr::score::Scores;

/// U over A under sixteen drops, by picture.
pub fn ratios(lab: &Lab, rows: &[Recovered]) -> Result<Vec<f64>, Failure> {
    let (joint, inert) = scores(lab, rows)?;
    let error = |scores: &[Scores]| scores.iter().map(|s| s.mse).collect::<Vec<_>>();
    Ok(over(&error(&inert), &error(&joint)))
}

fn scores(lab: &Lab, rows: &[Recovered]) -> Result<(Vec<Scores>, Vec<Scores>), Failure> {
    let score = |k: usize, program: &Program| {
        lab.score(&lab.subjects[k], &under(program, Operator::Drops)?, lab.sizes.side_px)
    };
    let joint = rows.iter().enumerate().map(|(k, r)| score(k, &r.joint));
    let inert = rows.iter().enumerate().map(|(k, r)| score(k, &r.inert));
    Ok((joint.collect::<Result<_, _>>()?, inert.collect::<Result<_, _>>()?))
}

pub fn run(lab: &Lab) -> Result<Section, Failure> {
    let rows = recovered(lab)?;
    let (joint, inert) = scores(lab, &rows)?;
    let mut table =
        vec![cells([&"picture", &"A", &"against executed", &"U", &"against executed", &"U/A"])];
    let (mut worse, mut other) = (Vec::new(), Vec::new());
    for (k, r) in rows.iter().enumerate() {
        worse.push(joint[k].mse / r.joint_executed.mse - 1.0);
        other.push(inert[k].mse / r.inert_executed.mse - 1.0);
        table.push(vec![
            r.picture.clone(),
            format!("{:.4}", joint[k].mse),
            change(worse[k]),
            format!("{:.4}", inert[k].mse),
            change(other[k]),
            times(inert[k].mse / joint[k].mse),
        ]);
    }
    let own_ratios = ratios(lab, &rows)?;
    let ratios = Ratios::of(&own_ratios);
    table.push(vec![
        "median".into(),
        String::new(),
        beside(change(median(&worse)), "+24.8 %"),
        String::new(),
        beside(change(median(&other)), "-0.1 %"),
        beside(times(median(&own_ratios)), "5.1x"),
    ]);
    let mut mean = vec![String::new(); 6];
    mean[0] = "geometric mean, 95 % interval".into();
    mean[5] =
        beside(format!("{} {}", times(ratios.mean), ratios.interval_text()), "4.93x [3.58, 6.78]");
    table.push(mean);
    let count = rows.len();
    let below = rows.iter().zip(&joint).filter(|(r, s)| s.mse < r.floor).count();
    let above = rows.iter().zip(&inert).filter(|(r, s)| s.mse > r.floor).count();
    let degraded = worse.iter().filter(|w| **w > 0.0).count();
    let (least, most) = range(&worse);
    Ok(Section::default()
        .table(Table::new(
            "Both programs replayed with sixteen drops of the same area a stroke (tab:transfer); the paper's in brackets",
            table,
        ))
        .finding(
            "Under another transport A is worse but stays below the floor and ahead of U, which stays above it",
            degraded == count && below == count && above == count && ratios.logarithms.positive == count,
            format!(
                "{} to {} (paper +17.8 to +51.6 %); A below the floor {below}/{count}, U above it \
                 {above}/{count}, A ahead {}",
                change(least),
                change(most),
                ratios.sign()
            ),
        )
        .data(serde_json::json!({ "joint": joint, "inert": inert, "ratios": ratios })))
}
