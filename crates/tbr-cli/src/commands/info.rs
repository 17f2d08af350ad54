//! `tbr info`.

use super::operator;
use std::path::PathBuf;
use tbr::info::Info;
use tbr::stroke::Operator;
use tbr_io::Failure;
use tbr_io::WIDTH_PX;
use tbr_io::files;
use tbr_io::progress::Progress;
use tbr_io::report::info::{deciles, palette, rows, spreads, tools};
use tbr_io::table::{Row, aligned, aligned_rows};
use tbr_io::tell;

#[derive(clap::Args)]
pub struct Args {
    /// The program, *.tbr.json; - for standard input
    program: PathBuf,
    /// Width of the replay that ownership is counted in [default: 1024, less if the canvas is
    /// tall]
    #[arg(long, value_name = "PX")]
    width: Option<u32>,
    /// Another operator than the program's own
    #[arg(long, value_parser = operator)]
    operator: Option<Operator>,
    /// Everything, as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let program = files::read_program(&args.program)?;
    let progress = Progress::turning("counting");
    let info = match args.width {
        Some(width) => Info::new(&program, args.operator, width)
            .map_err(|e| Failure::from(e).hint("give a smaller --width"))?,
        None => Info::within(&program, args.operator, WIDTH_PX)?,
    };
    drop(progress);
    if args.width.is_none() && info.width_px < WIDTH_PX {
        tell!("note: counted in a replay {} pixels wide: the canvas is tall", info.width_px);
    }
    if args.json {
        return files::print_json(&info);
    }
    files::print(&text(&info))
}

fn text(info: &Info) -> String {
    let palette =
        if info.palette.is_empty() { "no palette\n".into() } else { aligned(&palette(info)) };
    let tools = match &tools(info)[..] {
        [] => String::new(),
        tools => format!("\n{}", listed(tools)),
    };
    format!(
        "{}visible by decile, %: {}\n\n{}\n{palette}{tools}",
        aligned_rows(&rows(info)),
        deciles(info).join(" "),
        aligned(&spreads(info)),
    )
}

/// Rows of a name and words of any length.
fn listed(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    rows.iter().map(|Row { name, text }| format!("{name:width$}  {text}\n")).collect()
}
