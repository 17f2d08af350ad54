//! `tbr trace`.

use super::operator;
use rayon::prelude::*;
use serde_json::json;
use std::path::{Path, PathBuf};
use tbr::numbers::Vec2;
use tbr::stroke::Operator;
use tbr::trace::{Trace, Tracer, parse_point, parse_points};
use tbr_io::Failure;
use tbr_io::files::{self, DASH};
use tbr_io::progress::Progress;
use tbr_io::table::{aligned, cells};

/// The largest file of points that is read: about a million of them.
const MOST_BYTES: u64 = 1 << 24;
/// Points that are followed before the bar is told: a second's work with a million strokes.
const AT_ONCE: usize = 1024;

#[derive(clap::Args)]
pub struct Args {
    /// The program, *.tbr.json; - for standard input
    program: PathBuf,
    /// A point of the picture, in canvas units; may be given several times
    #[arg(long, value_name = "X,Y", value_parser = point, allow_hyphen_values = true)]
    at: Vec<Vec2<f64>>,
    /// A file of points, two numbers a line; - for standard input
    #[arg(long, value_name = "FILE")]
    points: Option<PathBuf>,
    /// Carry on through deposits, by the map's extension, to the very start
    #[arg(long, conflicts_with = "forward")]
    through: bool,
    /// Carry material points forward to the finished picture instead
    #[arg(long)]
    forward: bool,
    /// With --forward: the points lie on the sheet as it is after K steps
    #[arg(long, value_name = "K", default_value_t = 0, requires = "forward")]
    after: usize,
    /// Another operator than the program's own
    #[arg(long, value_parser = operator)]
    operator: Option<Operator>,
    /// One JSON object per point, in a list
    #[arg(long)]
    json: bool,
}

fn point(text: &str) -> Result<Vec2<f64>, String> {
    parse_point(text).map_err(|e| e.to_string())
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let dash = Path::new(DASH);
    if args.program == dash && args.points.as_deref() == Some(dash) {
        return Err(Failure::usage("program and points cannot both be standard input"));
    }
    let program = files::read_program(&args.program)?;
    let mut points = args.at.clone();
    if let Some(path) = &args.points {
        let text = files::read_text(path, MOST_BYTES)?;
        points.extend(parse_points(&text).map_err(|e| Failure::from(e).in_file(path))?);
    }
    if points.is_empty() && args.points.is_none() {
        return Err(
            Failure::usage("no points to follow").hint("give --at 0.5,0.5 or --points FILE")
        );
    }
    let tracer = Tracer::new(&program, args.operator);
    let follow = |at: &Vec2<f64>| match (args.forward, args.through) {
        (true, _) => tracer.forward(args.after, *at),
        (_, true) => Ok(tracer.through(*at)),
        _ => Ok(tracer.back(*at)),
    };
    let progress = Progress::of(points.len(), "points");
    let mut traces: Vec<Trace> = Vec::with_capacity(points.len());
    for some in points.chunks(AT_ONCE) {
        traces.extend(some.par_iter().map(follow).collect::<tbr::Result<Vec<Trace>>>()?);
        progress.set(traces.len());
    }
    drop(progress);
    if args.json {
        return print_json(&traces);
    }
    // (Owners are strokes, by their number among all steps.)
    let number = if program.tools().is_empty() { "stroke" } else { "step" };
    print_table(&traces, number)
}

/// A list with one object a line.
fn print_json(traces: &[Trace]) -> Result<(), Failure> {
    let pair = |p: Vec2<f64>| [p.x, p.y];
    let object = |t: &Trace| {
        let (at, position, place) = (pair(t.at), pair(t.position), t.place.map(pair));
        let stroke = t.stroke;
        json!({"at": at, "position": position, "stroke": stroke, "place": place}).to_string()
    };
    let objects: Vec<String> = traces.iter().map(object).collect();
    files::print(&format!("[{}]\n", objects.join(",\n ")))
}

fn print_table(traces: &[Trace], number_name: &str) -> Result<(), Failure> {
    let number = |v: f64| format!("{v:.9}");
    let mut rows =
        vec![cells([&"x", &"y", &"position x", &"position y", &number_name, &"along", &"across"])];
    for t in traces {
        let stroke = t.stroke.map_or_else(|| "bare".to_owned(), |n| n.to_string());
        let place =
            |f: fn(Vec2<f64>) -> f64| t.place.map_or_else(String::new, |p| format!("{:.4}", f(p)));
        rows.push(vec![
            number(t.at.x),
            number(t.at.y),
            number(t.position.x),
            number(t.position.y),
            stroke,
            place(|p| p.x),
            place(|p| p.y),
        ]);
    }
    files::print(&aligned(&rows))
}
