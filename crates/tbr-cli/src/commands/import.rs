//! `tbr import`.

use super::operator;
use serde_json::json;
use std::path::{Path, PathBuf};
use tbr::stroke::Operator;
use tbr::{Colour, Program, Provenance};
use tbr_io::Failure;
use tbr_io::files::{self, DASH};
use tbr_io::palette;
use tbr_io::stroke_list::{Given, parse_csv};
use tbr_io::tell;
use tbr_io::words::shell;

#[derive(clap::Args)]
pub struct Args {
    /// The list, *.csv: from tbr export, or from a spreadsheet with the columns x, y, dx, dy,
    /// half_width and colour; - for standard input
    list: PathBuf,
    /// The program, *.tbr.json; - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The list does not say its unit: it is in millimetres of a sheet so wide. (In canvas
    /// widths if not given)
    #[arg(long, value_name = "MM", allow_negative_numbers = true)]
    sheet: Option<f64>,
    /// The list does not say it: height of the canvas, which is 1 wide
    #[arg(long, value_name = "H", allow_negative_numbers = true)]
    height: Option<f64>,
    /// The list does not say it: colour of the bare canvas [default: #ffffff]
    #[arg(long, value_name = "COLOUR", value_parser = palette::colour)]
    background: Option<Colour>,
    /// The list does not say it: how strokes move paint [default: capsule]
    #[arg(long, value_parser = operator)]
    operator: Option<Operator>,
    /// Replace the program if it is there already
    #[arg(long)]
    force: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    files::check_program_name(&args.output)?;
    files::check_new(&args.output, args.force)?;
    let program = read(args)?;
    files::write_program(&program, &args.output, args.force)?;
    if args.output != Path::new(DASH) {
        let (path, steps, what) =
            (args.output.display(), program.step_count(), program.step_word());
        tell!("{path}: {steps} {what}, {:.3} canvases of paint", program.deposited_area());
        let picture = args.output.with_extension("png");
        tell!("next: tbr render {} -o {}", shell(&args.output), shell(&picture));
    }
    Ok(())
}

/// The program that a list holds, with where it came from.
fn read(args: &Args) -> Result<Program, Failure> {
    let bytes = files::read_bytes(&args.list, tbr::format::MAX_BYTES)?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Failure::file(&args.list, "is no text in UTF-8").hint("save the list as CSV UTF-8")
    })?;
    let given = Given {
        sheet_mm: args.sheet,
        height: args.height,
        background: args.background,
        operator: args.operator,
    };
    let mut parts = parse_csv(&text, &given).map_err(|e| explain(e, &args.list))?.into_parts();
    let name = args.list.file_name().map(|name| name.to_string_lossy().into_owned());
    parts.provenance = Provenance::of(&json!({
        "made_by": "tbr import",
        "version": env!("CARGO_PKG_VERSION"),
        "list": name,
    }))?;
    Ok(Program::new(parts)?)
}

/// A failure that says which option gives what a list lacks.
fn explain(error: tbr::Error, path: &Path) -> Failure {
    let option = match &error {
        tbr::Error::Program { place, .. } => match place.as_str() {
            "canvas height" => Some("--height H, or a line like # canvas: 1 x 0.75"),
            "sheet" => Some("--sheet MM, or a line like # sheet: 300 x 225 mm"),
            "unit" => Some("a line # unit: canvas or # unit: mm"),
            "background" => Some("--background COLOUR, or a line like # background: #ede8d9"),
            "operator" => Some("--operator OP, or a line like # operator: capsule"),
            _ => None,
        },
        _ => None,
    };
    let name = if path == Path::new(DASH) { Path::new("standard input") } else { path };
    let failure = Failure::from(error).in_file(name);
    match option {
        Some(option) => failure.hint(format!("give {option}")),
        None => failure,
    }
}
