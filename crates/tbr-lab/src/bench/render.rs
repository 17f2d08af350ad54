//! `tbr bench render`: time of the renderer against the plain walk.

use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;
use tbr::chain::Chain;
use tbr::prior;
use tbr::render::{Replay, ReplayOptions, naive, plain};
use tbr::{Operator, Program};
use tbr_io::Failure;
use tbr_io::files;
use tbr_io::progress::Progress;
use tbr_io::table::{aligned, cells};

#[derive(clap::Args)]
pub struct Args {
    /// Programs to render; random ones from the model's prior if none
    programs: Vec<PathBuf>,
    /// Widths in pixels
    #[arg(long, value_name = "PX", value_delimiter = ',', default_values_t = [1024, 2048])]
    width: Vec<u32>,
    /// Strokes of the random program
    #[arg(long, default_value_t = 2000)]
    strokes: usize,
    /// Seed of the random program
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Count the pixels that differ from the definition in float64 (takes a minute at 1024)
    #[arg(long)]
    check: bool,
    /// The figures, as JSON
    #[arg(long)]
    json: bool,
}

/// One line of the table.
#[derive(Serialize)]
struct RenderRow {
    program: String,
    width: u32,
    strokes: usize,
    naive_s: f64,
    fast_s: f64,
    ratio: f64,
    /// Share of pixels that differ from `render::naive`, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    differing: Option<f64>,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let rows = rows(args)?;
    if args.json {
        return files::print_json(&rows);
    }
    let mut table = vec![cells([
        &"program",
        &"strokes",
        &"width",
        &"plain walk",
        &"tree",
        &"ratio",
        &"differing",
    ])];
    for row in &rows {
        table.push(cells([
            &row.program,
            &row.strokes,
            &row.width,
            &format!("{:.3} s", row.naive_s),
            &format!("{:.3} s", row.fast_s),
            &format!("{:.1}", row.ratio),
            &row.differing.map_or_else(String::new, |d| format!("{d:.1e}")),
        ]));
    }
    files::print(&aligned(&table))
}

/// Every program at every width.
fn rows(args: &Args) -> Result<Vec<RenderRow>, Failure> {
    let reading = Progress::turning("reading");
    let programs = programs(args)?;
    drop(reading);
    let progress = Progress::still(programs.len() * args.width.len());
    let mut rows = Vec::new();
    for (name, program) in &programs {
        for &width in &args.width {
            progress.begin(rows.len(), &format!("{name}, {width} px"));
            let (mut row, owners) = measure(name, program, width)?;
            if args.check {
                row.differing = Some(progress.aside(|| differing(program, width, &owners))?);
            }
            rows.push(row);
        }
    }
    Ok(rows)
}

fn programs(args: &Args) -> Result<Vec<(String, Program)>, Failure> {
    if args.programs.is_empty() {
        let program = prior::program(args.strokes, 1.0, args.seed)?;
        return Ok(vec![(format!("random, seed {}", args.seed), program)]);
    }
    let read = |path: &PathBuf| Ok((path.display().to_string(), files::read_program(path)?));
    args.programs.iter().map(read).collect()
}

/// Both ways in one run: the tree before and after the plain walk, best of both,
/// so that a busy moment of the machine does not decide. With it what the tree has found.
fn measure(name: &str, program: &Program, width: u32) -> Result<(RenderRow, Vec<u32>), Failure> {
    let view = crate::engine::view(program, width)?;
    let options = ReplayOptions { operator: Some(Operator::Capsule), ..ReplayOptions::default() };
    let tree = || -> Result<(f64, Vec<u32>), Failure> {
        let start = Instant::now();
        let owners = Replay::new(program, view, &options)?.all_owners();
        Ok((start.elapsed().as_secs_f64(), owners))
    };
    let (first, owners) = tree()?;
    let start = Instant::now();
    let _ = plain::owners(program, &view);
    let naive_s = start.elapsed().as_secs_f64();
    let fast_s = first.min(tree()?.0).min(tree()?.0);
    let row = RenderRow {
        program: name.to_owned(),
        width,
        strokes: program.strokes().len(),
        naive_s,
        fast_s,
        ratio: naive_s / fast_s,
        differing: None,
    };
    Ok((row, owners))
}

/// The share of pixels that are not the definition's.
fn differing(program: &Program, width: u32, owners: &[u32]) -> Result<f64, Failure> {
    let _progress = Progress::turning("checking against the definition");
    let view = crate::engine::view(program, width)?;
    let exact = naive::owners(&Chain::of(program, Some(Operator::Capsule)), &view);
    let wrong = owners.iter().zip(&exact).filter(|(a, b)| a != b).count();
    Ok(wrong as f64 / exact.len() as f64)
}
