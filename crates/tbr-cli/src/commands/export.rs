//! `tbr export`.

use super::operator;
use std::io::Write;
use std::path::{Path, PathBuf};
use tbr::Stop;
use tbr::stroke::Operator;
use tbr_io::Failure;
use tbr_io::files::{self, DASH, ENDING, Output};
use tbr_io::progress::Progress;
use tbr_io::stroke_list::{ListOptions, StrokeList};
use tbr_io::tell;
use tbr_io::words::shell;

#[derive(clap::Args)]
pub struct Args {
    /// The program, *.tbr.json; - for standard input
    program: PathBuf,
    /// The list: *.csv, which tbr import reads back, or *.json; - for CSV on standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Width of the sheet in millimetres: the list is then in millimetres, else in canvas
    /// widths
    #[arg(long, value_name = "MM", allow_negative_numbers = true)]
    sheet: Option<f64>,
    /// With --sheet: thickness of the film of paint in micrometres, for millilitres
    #[arg(long, value_name = "UM", allow_negative_numbers = true)]
    thickness: Option<f64>,
    /// Another operator than the program's own
    #[arg(long, value_parser = operator)]
    operator: Option<Operator>,
    /// Replace the list if it is there already
    #[arg(long)]
    force: bool,
}

/// A kind of list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListKind {
    Csv,
    Json,
}

impl ListKind {
    /// By the name's ending; CSV for standard output.
    fn of(path: &Path) -> Result<Self, Failure> {
        if path == Path::new(DASH) {
            return Ok(Self::Csv);
        }
        let wrong = |problem: &str| {
            Failure::usage(format!("{}: {problem}", path.display()))
                .hint("name the output *.csv or *.json")
        };
        if path.to_string_lossy().ends_with(ENDING) {
            return Err(wrong("is the name of a program, not of a list"));
        }
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        match ending.to_ascii_lowercase().as_str() {
            "csv" => Ok(Self::Csv),
            "json" => Ok(Self::Json),
            _ => Err(wrong("not a kind of list")),
        }
    }
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let kind = ListKind::of(&args.output)?;
    files::check_new(&args.output, args.force)?;
    let program = files::read_program(&args.program)?;
    let options =
        ListOptions { sheet_mm: args.sheet, thickness_um: args.thickness, operator: args.operator };
    let mut output = Output::create_new(&args.output, args.force)?;
    let progress = Progress::of(program.strokes().len(), "strokes");
    let list = StrokeList::new_until(&program, &options, &progress, &Stop::never())?;
    drop(progress);
    let text = match kind {
        ListKind::Csv => list.to_csv(),
        ListKind::Json => list.to_json(),
    };
    output.write_all(text.as_bytes()).map_err(|e| output.failure(e))?;
    output.finish()?;
    if args.output != Path::new(DASH) {
        report(args, kind, &list);
    }
    Ok(())
}

fn report(args: &Args, kind: ListKind, list: &StrokeList) {
    let (path, total) = (args.output.display(), &list.total);
    let area = total.area_cm2.map_or(String::new(), |area| format!(", {area:.1} cm^2"));
    let volume = total.volume_ml.map_or(String::new(), |volume| format!(", {volume:.2} ml"));
    let (strokes, canvases) = (total.strokes, total.canvases);
    let tools = match list.tools.len() {
        0 => String::new(),
        1 => ", 1 tool".to_owned(),
        tools => format!(", {tools} tools"),
    };
    tell!("{path}: {strokes} strokes{tools}, {canvases:.3} canvases of paint{area}{volume}");
    match &list.margins {
        Some(margins) => {
            let (digits, unit) = if list.sheet_mm.is_some() { (1, " mm") } else { (4, "") };
            let sides = margins.sides().map(|(name, side)| format!("{name} {side:.digits$}{unit}"));
            tell!("paint beyond the canvas at the end: {}", sides.join(", "));
        }
        None => tell!("paint beyond the canvas: unknown, the line source has no outlines"),
    }
    match kind {
        ListKind::Csv => {
            let again = args.output.with_extension(format!("edited{ENDING}"));
            tell!("next: tbr import {} -o {}", shell(&args.output), shell(&again));
        }
        ListKind::Json => tell!("next: tbr info {}", shell(&args.program)),
    }
}
