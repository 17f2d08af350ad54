//! `tbr info`.

use super::operator;
use std::path::PathBuf;
use tbr::info::Info;
use tbr::stroke::Operator;
use tbr_io::Failure;
use tbr_io::WIDTH_PX;
use tbr_io::files;
use tbr_io::report::info::{deciles, palette, rows, spreads};
use tbr_io::table::{aligned, aligned_rows};

#[derive(clap::Args)]
pub struct Args {
    /// The program, *.tbr.json; - for standard input
    program: PathBuf,
    /// Width of the replay that ownership is counted in
    #[arg(long, value_name = "PX", default_value_t = WIDTH_PX)]
    width: u32,
    /// Another operator than the program's own
    #[arg(long, value_parser = operator)]
    operator: Option<Operator>,
    /// Everything, as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let program = files::read_program(&args.program)?;
    let info = Info::new(&program, args.operator, args.width)?;
    if args.json {
        return files::print_json(&info);
    }
    files::print(&text(&info))
}

fn text(info: &Info) -> String {
    let palette =
        if info.palette.is_empty() { "no palette\n".into() } else { aligned(&palette(info)) };
    format!(
        "{}visible by decile, %: {}\n\n{}\n{palette}",
        aligned_rows(&rows(info)),
        deciles(info).join(" "),
        aligned(&spreads(info)),
    )
}
