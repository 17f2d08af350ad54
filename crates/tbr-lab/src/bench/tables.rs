//! The figures of `tbr bench adjoint` as tables, the paper's in brackets.

use super::adjoint::{AdjointReport, EngineRow, StepRow};
use super::paper;
use tbr::adjoint::Engine;
use tbr_io::table::{Table, cells};

/// The heading of the tables: the machine, the program, and the paper's machine.
pub fn heading(report: &AdjointReport) -> String {
    let AdjointReport { machine, width, strokes, tau, .. } = report;
    format!(
        "{}, {} threads; {width} pixels wide, {strokes} strokes, tau {tau}, float32. In brackets\n\
         the paper's: one RTX GPU, 1024 x 1024 pixels, 2000 strokes; beside tiled its fused replay\n",
        machine.cpu, machine.threads
    )
}

/// All tables of a report.
pub fn tables(report: &AdjointReport) -> Vec<Table> {
    let over_strokes =
        over("strokes", &report.over_strokes, &paper::OVER_STROKES, |row| row.strokes as f64);
    let over_pixels =
        over("width", &report.over_pixels, &paper::OVER_PIXELS, |row| f64::from(row.width));
    let tables = [
        ("Engines", engines(report)),
        (
            "Replay, by the strokes between its checkpoints; error against checkpointed in float32",
            sweep(report),
        ),
        (
            "Tiled, by the strokes of random programs, and the power that time grows with",
            over_strokes,
        ),
        ("Tiled, by width, and the power of pixels that time grows with", over_pixels),
    ];
    let tables = tables.into_iter().filter(|(_, rows)| rows.len() > 1);
    tables.map(|(caption, rows)| Table::new(caption, rows)).collect()
}

fn engines(report: &AdjointReport) -> Vec<Vec<String>> {
    let mut table = vec![cells([
        &"engine",
        &"peak memory",
        &"step",
        &"faster",
        &"relative error",
        &"cosine",
        &"records per pixel",
    ])];
    let baseline = report.engines.iter().find(|row| row.name == "checkpointed").map(|r| r.step_s);
    for row in &report.engines {
        let paper = paper::ENGINES.iter().find(|p| p.engine == row.name);
        let name = match row.name.as_str() {
            "checkpointed" => format!("checkpointed {}", Engine::CHECKPOINT_INTERVAL),
            "replay" => format!("replay {}", Engine::REPLAY_INTERVAL),
            other => other.to_owned(),
        };
        table.push(vec![
            name,
            memory(row.peak_mb, paper.map(|p| p.peak_gb)),
            beside(format!("{:.3} s", row.step_s), paper.map(|p| format!("{:.2} s", p.step_s))),
            baseline.map_or_else(String::new, |s| format!("{:.1}x", s / row.step_s)),
            error(row, paper.and_then(|p| p.relative_error)),
            cosine(row, paper.and_then(|p| p.cosine)),
            records(row, paper.and_then(|p| p.records_per_pixel)),
        ]);
    }
    table
}

fn sweep(report: &AdjointReport) -> Vec<Vec<String>> {
    let mut table =
        vec![cells([&"interval", &"peak memory", &"step", &"drift", &"relative error", &"cosine"])];
    for sweep in &report.sweep {
        let paper = paper::SWEEP.iter().find(|(interval, ..)| *interval == sweep.interval);
        table.push(vec![
            sweep.interval.map_or_else(|| "none".to_owned(), |k| k.to_string()),
            memory(sweep.row.peak_mb, paper.map(|(_, peak, ..)| *peak)),
            format!("{:.3} s", sweep.row.step_s),
            format!("{:.1e}", sweep.drift),
            error(&sweep.row, paper.map(|(_, _, error, _)| *error)),
            cosine(&sweep.row, paper.map(|(.., cosine)| *cosine)),
        ]);
    }
    table
}

fn over(
    name: &str,
    rows: &[StepRow],
    paper: &[(f64, f64)],
    size: impl Fn(&StepRow) -> f64,
) -> Vec<Vec<String>> {
    let mut table = vec![cells([&name, &"step", &"growth", &"peak memory"])];
    for row in rows {
        let theirs = paper.iter().find(|(at, _)| *at == size(row));
        table.push(vec![
            size(row).to_string(),
            beside(format!("{:.3} s", row.step_s), theirs.map(|(_, s)| format!("{s} s"))),
            row.exponent.map_or_else(String::new, |e| format!("^{e:.2}")),
            memory(row.peak_mb, None),
        ]);
    }
    table
}

/// Ours, and the paper's in brackets if it has one.
fn beside(ours: String, paper: Option<String>) -> String {
    paper.map_or_else(|| ours.clone(), |paper| format!("{ours} ({paper})"))
}

fn memory(ours: Option<f64>, paper: Option<f64>) -> String {
    let ours = ours.map_or_else(|| "not measured".to_owned(), |mb| format!("{:.3} GB", mb / 1e3));
    beside(ours, paper.map(|gb| format!("{gb:.2} GB")))
}

fn error(row: &EngineRow, paper: Option<f64>) -> String {
    let ours = row.relative_error.map_or_else(|| "?".to_owned(), |e| format!("{e:.1e}"));
    beside(ours, paper.map(|e| format!("{e:.1e}")))
}

fn cosine(row: &EngineRow, paper: Option<f64>) -> String {
    let ours = row.cosine.map_or_else(|| "?".to_owned(), |c| format!("{c:.7}"));
    beside(ours, paper.map(|c| format!("{c:.7}")))
}

fn records(row: &EngineRow, paper: Option<f64>) -> String {
    if row.name != "replay" {
        return String::new();
    }
    beside(format!("{:.2}", row.records_per_pixel), paper.map(|r| format!("{r:.2}")))
}
