//! Pictures whose programs are known, recovered from the picture alone.

use super::recovery::recovered;
use super::{beside, percent, times};
use crate::fits::Fitted;
use crate::reproduce::lab::{Lab, floor_ratio};
use crate::reproduce::matching::{Match, matched, visible};
use crate::reproduce::section::Section;
use crate::reproduce::statistics::{Ratios, Test, geometric_mean, median};
use crate::subject::Subject;
use serde::Serialize;
use serde_json::json;
use tbr::{Program, Shape, prior};
use tbr_io::Failure;
use tbr_io::digest::Digest;
use tbr_io::table::{Table, cells};

/// Fewer targets test nothing: the interval is too wide.
const LEAST_TARGETS: usize = 4;
/// The most strokes of all known programs: they are held in four forms, a hundred bytes a stroke,
/// beside whatever a fit takes.
const MOST_STROKES: usize = 200_000;
/// Targets that are shown.
const SHEET: usize = 3;

/// A known program and what was made of its picture.
#[derive(Serialize)]
struct GroundTruthRow {
    target: String,
    mse: f64,
    floor: f64,
    truth: usize,
    found: usize,
    matched: Match,
    null: Match,
}

/// Refuses more known programs than a gigabyte holds beside a fit.
fn check_memory(lab: &Lab) -> Result<(), Failure> {
    let (targets, strokes) = (lab.sizes.targets, lab.sizes.strokes);
    if targets * strokes <= MOST_STROKES {
        return Ok(());
    }
    let message =
        format!("{targets} known programs of {strokes} strokes (limit: {MOST_STROKES} in all)");
    Err(Failure::limit(message).hint("give fewer --targets"))
}

pub fn run(lab: &Lab) -> Result<Section, Failure> {
    check_memory(lab)?;
    let truths: Vec<Program> = (0..lab.sizes.targets as u64)
        .map(|seed| prior::program(lab.sizes.strokes, 1.0, seed))
        .collect::<Result<_, _>>()?;
    let subjects: Vec<Subject> = truths
        .iter()
        .enumerate()
        .map(|(k, truth)| Subject::replay(format!("gt{k:02}"), truth.clone()))
        .collect();
    let found: Vec<Fitted> =
        subjects.iter().map(|s| lab.fit(s, &lab.joint())).collect::<Result<_, _>>()?;
    // As in the paper, strokes are matched by what they own at half the size.
    let width = lab.sizes.side_px / 2;
    let seen = |p: &Program| visible(p, width);
    let truths_seen: Vec<Vec<Shape>> = truths.iter().map(seen).collect::<Result<_, _>>()?;
    let found_seen: Vec<Vec<Shape>> =
        found.iter().map(|f| seen(&f.program)).collect::<Result<_, _>>()?;
    let mut rows = Vec::new();
    for (k, subject) in subjects.iter().enumerate() {
        let other = (k + 1) % subjects.len();
        let pair = |of: usize| {
            let inputs = json!({
                "truth": Digest::of_program(&truths[k]),
                "found": Digest::of_program(&found[of].program),
                "width": width,
            });
            lab.cell("match", &inputs, || {
                matched(&truths_seen[k], &found_seen[of]).map_err(|e| e.at(&subject.name))
            })
        };
        let scores = lab.score(subject, &found[k].program, lab.sizes.side_px)?;
        rows.push(GroundTruthRow {
            target: subject.name.clone(),
            mse: scores.mse,
            floor: scores.floor,
            truth: truths_seen[k].len(),
            found: found_seen[k].len(),
            matched: pair(k)?,
            null: pair(other)?,
        });
    }
    let mut sheet = Vec::new();
    for (subject, fitted) in subjects.iter().zip(&found).take(SHEET) {
        sheet.extend(super::pictures::pair(lab, subject, &fitted.program)?);
    }
    Ok(section(lab, &rows).figures(sheet).data(&rows))
}

/// The numbers of a column.
fn column(rows: &[GroundTruthRow], of: impl Fn(&GroundTruthRow) -> f64) -> Vec<f64> {
    rows.iter().map(of).collect()
}

/// The medians of a column of matches, and of the null's.
fn medians(rows: &[GroundTruthRow], of: impl Fn(&Match) -> f64) -> [f64; 2] {
    [column(rows, |r| of(&r.matched)), column(rows, |r| of(&r.null))].map(|c| median(&c))
}

fn section(lab: &Lab, rows: &[GroundTruthRow]) -> Section {
    let ratios = Ratios::of(&column(rows, |r| r.floor / r.mse));
    let mut table = by_target(rows);
    table.push(summary(rows, &ratios));
    let caption = format!(
        "Programs of {} strokes drawn from the model's prior, rendered and recovered (tab:a2). A \
         stroke is visible if it owns as much as 50 pixels of 1024 x 1024, counted at half the \
         size. Matches are by the least sum of distances of midpoints; the null matches with the \
         program recovered from the next target. Lengths have the median 0.013, and 72 % of the \
         strokes are drawn (paper 0.018, 78 %)",
        lab.sizes.strokes
    );
    let better = rows.iter().filter(|r| r.matched.median < r.null.median).count();
    let more = rows.iter().filter(|r| r.found > r.truth).count();
    let (evidence, holds) = against_null(rows);
    Section::default()
        .table(Table::new(caption, table))
        .text(format!(
            "Recovered strokes are nearer than the null's on {better} of {n} (paper 8 of 12); \
             more are visible than in truth on {more} of {n} (12 of 12).",
            n = rows.len()
        ))
        .finding(
            "Recovered programs are no closer to the generating strokes than another target's",
            holds,
            evidence,
        )
        .finding(
            "Known programs are recovered below the floor, but not exactly",
            rows.iter().all(|r| r.mse < r.floor) && ratios.mean < 10.0,
            format!("{} {} (paper 2.27x)", times(ratios.mean), ratios.interval_text()),
        )
}

/// Each target's errors and matches.
fn by_target(rows: &[GroundTruthRow]) -> Vec<Vec<String>> {
    let mut table = vec![cells([
        &"target",
        &"recovered",
        &"floor",
        &"floor/recovered",
        &"visible: truth",
        &"recovered",
        &"median match",
        &"null",
        &"within radius",
        &"null",
    ])];
    for r in rows {
        table.push(vec![
            r.target.clone(),
            format!("{:.4}", r.mse),
            format!("{:.4}", r.floor),
            times(r.floor / r.mse),
            r.truth.to_string(),
            r.found.to_string(),
            format!("{:.4}", r.matched.median),
            format!("{:.4}", r.null.median),
            percent(r.matched.within),
            percent(r.null.within),
        ]);
    }
    table
}

/// The last line of the table: means and medians, the paper's in brackets.
fn summary(rows: &[GroundTruthRow], ratios: &Ratios) -> Vec<String> {
    let distances = medians(rows, |m| m.median);
    let within = medians(rows, |m| m.within);
    let more = geometric_mean(&column(rows, |r| r.found as f64 / r.truth as f64)) - 1.0;
    vec![
        "summary".into(),
        String::new(),
        String::new(),
        beside(times(ratios.mean), "2.27x"),
        String::new(),
        beside(format!("{:+.0} %", 100.0 * more), "+18 %"),
        beside(format!("{:.4}", distances[0]), "0.0168"),
        beside(format!("{:.4}", distances[1]), "0.0170"),
        beside(percent(within[0]), "32 %"),
        beside(percent(within[1]), "32 %"),
    ]
}

/// The test of matches against the null's: what it says, and whether they are no closer.
fn against_null(rows: &[GroundTruthRow]) -> (String, Option<bool>) {
    let test = Test::of(&column(rows, |r| r.matched.median - r.null.median));
    let (Some([low, high]), Some(t)) = (test.interval, test.t) else {
        return ("too few targets for a test".into(), None);
    };
    let [median, _] = medians(rows, |m| m.median);
    let evidence = format!(
        "mean difference {:.1e} canvases, t({}) = {t:.2}, interval [{low:.1e}, {high:.1e}]: \
         {:+.1} to {:+.1} % of the median (paper -1.6e-4, t(11) = -0.77, [-6.1e-4, 2.9e-4])",
        test.mean,
        test.count - 1,
        100.0 * (low / median),
        100.0 * (high / median)
    );
    (evidence, (test.count >= LEAST_TARGETS).then_some(high >= 0.0))
}

/// Replays of recovered programs, which a program can make exactly, recovered again.
pub fn refit(lab: &Lab) -> Result<Section, Failure> {
    let mut table = vec![cells([&"picture", &"floor/MSE of the picture", &"of its replay"])];
    let (mut first, mut again) = (Vec::new(), Vec::new());
    for r in recovered(lab)? {
        let subject = Subject::replay(format!("{}-replay", r.picture), r.joint.clone());
        let program = lab.fit(&subject, &lab.joint())?.program;
        let scores = lab.score(&subject, &program, lab.sizes.side_px)?;
        first.push(r.floor / r.joint_executed.mse);
        again.push(floor_ratio(&scores));
        table.push(vec![r.picture, times(first[first.len() - 1]), times(again[again.len() - 1])]);
    }
    let [a, b] = [&first, &again].map(|ratios| geometric_mean(ratios));
    table.push(vec!["geometric mean".into(), beside(times(a), "3.67x"), beside(times(b), "3.98x")]);
    let caption = "Hard renders of the recovered programs, recovered by the same settings; the \
                   paper's in brackets";
    Ok(Section::default()
        .table(Table::new(caption, table))
        .data(json!({ "first": first, "again": again })))
}
