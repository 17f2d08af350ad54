//! `tbr info`.

use super::operator;
use super::table::{aligned, cells};
use crate::failure::Failure;
use crate::files;
use std::path::PathBuf;
use tbr::colour::hex;
use tbr::info::{DRAWN_LENGTH, Info, Spread};
use tbr::program::Operator;

#[derive(clap::Args)]
pub struct Args {
    /// The program, *.tbr.json; - for standard input
    program: PathBuf,
    /// Width of the replay that ownership is counted in
    #[arg(long, value_name = "PX", default_value_t = 1024)]
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
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let canvases = |area: f64| format!("{area:.3} canvases");
    let mut rows = vec![
        cells([&"strokes", &info.strokes]),
        cells([&"canvas", &format!("1 x {}", info.canvas_height)]),
        cells([&"operator", &info.operator]),
        cells([&"background", &hex(info.background)]),
        cells([&"paint deposited", &canvases(info.deposited_area)]),
        cells([&"  laid outside the canvas", &canvases(info.laid_outside_area)]),
        cells([&"  expelled at the end", &canvases(info.expelled_area)]),
        cells([&"  covered at the end", &canvases(info.covered_area)]),
        cells([&"  unseen share", &percent(info.unseen_share)]),
        cells([&"bare canvas", &percent(info.bare_share)]),
        cells([&"longer than their half-width", &percent(info.longer_than_wide)]),
        cells([&format!("of length {DRAWN_LENGTH} or more"), &percent(info.drawn)]),
        cells([&"visible strokes", &info.visible_strokes]),
    ];
    if info.own_colours > 0 {
        rows.push(cells([&"strokes with their own colour", &info.own_colours]));
    }
    let deciles = info.visible_by_decile.map(|share| format!("{:.0}", 100.0 * share)).join(" ");
    format!(
        "{}visible by decile, %: {deciles}\n\n{}\n{}",
        aligned(&rows),
        spreads(info),
        palette(info)
    )
}

fn spreads(info: &Info) -> String {
    let row = |name: &str, s: &Spread| {
        let numbers = [s.q1, s.median, s.q3, s.p90].map(|v| format!("{v:.4}"));
        std::iter::once(name.to_owned()).chain(numbers).collect()
    };
    aligned(&[
        cells([&"", &"q1", &"median", &"q3", &"p90"]),
        row("half-width", &info.half_width),
        row("length", &info.length),
        row("length / half-width", &info.aspect),
    ])
}

fn palette(info: &Info) -> String {
    if info.palette.is_empty() {
        return "no palette\n".into();
    }
    let mut rows = vec![cells([&"palette", &"colour", &"strokes", &"of the canvas"])];
    for (i, entry) in info.palette.iter().enumerate() {
        let share = format!("{:.1} %", 100.0 * entry.canvas_share);
        rows.push(cells([&i, &hex(entry.colour), &entry.strokes, &share]));
    }
    aligned(&rows)
}
