//! The facts about a program as rows of text, for `tbr info` and reports.

use crate::table::{Row, cells};
use tbr::colour::hex;
use tbr::info::{DRAWN_LENGTH, Info, Spread};

/// Tools that are listed.
const MOST_TOOLS: usize = 100;

/// The facts, a line each.
pub fn rows(info: &Info) -> Vec<Row> {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let canvases = |area: f64| format!("{area:.3} canvases");
    let mut rows = vec![
        Row::new("strokes", info.strokes),
        Row::new("canvas", format!("1 x {}", info.canvas_height)),
        Row::new("operator", info.operator),
        Row::new("background", hex(info.background)),
        Row::new("paint deposited", canvases(info.deposited_area)),
        Row::new("  laid outside the canvas", canvases(info.laid_outside_area)),
        Row::new("  expelled at the end", canvases(info.expelled_area)),
        Row::new("  covered at the end", canvases(info.covered_area)),
        Row::new("  unseen share", percent(info.unseen_share)),
        Row::new("bare canvas", percent(info.bare_share)),
        Row::new("longer than their half-width", percent(info.longer_than_wide)),
        Row::new(format!("of length {DRAWN_LENGTH} or more"), percent(info.drawn)),
        Row::new("visible strokes", info.visible_strokes),
    ];
    if !info.tools.is_empty() {
        rows.push(Row::new("tools", info.tools.len()));
    }
    if info.bent_strokes > 0 {
        rows.push(Row::new("strokes that bend", info.bent_strokes));
    }
    if info.own_colours > 0 {
        rows.push(Row::new("strokes with their own colour", info.own_colours));
    }
    rows
}

/// The visible share of each tenth of the program, in per cent.
pub fn deciles(info: &Info) -> [String; 10] {
    info.visible_by_decile.map(|share| format!("{:.0}", 100.0 * share))
}

/// Widths and lengths, and bends if there are any: a line of headings, then one for each.
pub fn spreads(info: &Info) -> Vec<Vec<String>> {
    let row = |name: &str, s: &Spread| {
        let numbers = [s.q1, s.median, s.q3, s.p90].map(|v| format!("{v:.4}"));
        std::iter::once(name.to_owned()).chain(numbers).collect()
    };
    let mut rows = vec![
        cells([&"", &"q1", &"median", &"q3", &"p90"]),
        row("half-width", &info.half_width),
        row("length", &info.length),
        row("length / half-width", &info.aspect),
    ];
    if info.bent_strokes > 0 {
        rows.push(row("bend, either way", &info.bend));
    }
    rows
}

/// The tools in words, each with its number among all steps; of very many the first.
pub fn tools(info: &Info) -> Vec<Row> {
    let listed = info.tools.iter().take(MOST_TOOLS);
    let mut rows: Vec<Row> =
        listed.map(|tool| Row::new(format!("step {}", tool.step), &tool.tool)).collect();
    if info.tools.len() > MOST_TOOLS {
        rows.push(Row::new("and", format!("{} more", info.tools.len() - MOST_TOOLS)));
    }
    rows
}

/// The palette and its use: a line of headings, then one for each colour.
pub fn palette(info: &Info) -> Vec<Vec<String>> {
    let mut rows = vec![cells([&"palette", &"colour", &"strokes", &"of the canvas"])];
    for (i, entry) in info.palette.iter().enumerate() {
        let share = format!("{:.1} %", 100.0 * entry.canvas_share);
        rows.push(cells([&i, &hex(entry.colour), &entry.strokes, &share]));
    }
    rows
}
