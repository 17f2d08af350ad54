//! Writing of stroke lists, as CSV and as JSON. Numbers are in the fewest digits that read back.

use super::{Entry, FORMAT, PaintAmount, StrokeList, ToolEntry};
use std::fmt::Write;
use tbr::colour::hex;
use tbr::format::{lines, list, number};
use tbr::program::{Colour, Paint};
use tbr::stroke::Shape;

/// The columns of a table after those of [`measures`].
const COLOUR_COLUMNS: &str = "colour,hex,r,g,b";
/// Bytes that a stroke takes, roughly.
const BYTES_PER_STROKE: usize = 200;

impl StrokeList {
    /// The list as a table for spreadsheets, which [`super::parse_csv`] reads. What is no
    /// step stands in lines that begin with `#`.
    pub fn to_csv(&self) -> String {
        let steps = self.strokes.len() + self.tools.len();
        let mut text = String::with_capacity(500 + BYTES_PER_STROKE * steps);
        self.write_head(&mut text);
        let bends = self.lists_bends();
        let bend = if bends { "bend," } else { "" };
        let [tool, no_tool] = if self.tools.is_empty() { ["", ""] } else { [",tool", ","] };
        let names = format!("number,x,y,dx,dy,half_width,{bend}length,area,{COLOUR_COLUMNS}{tool}");
        let _ = writeln!(text, "{names}");
        // (A tool's line has nothing between its number and its words.)
        let commas = ",".repeat(names.matches(',').count());
        let mut tools = self.tools.iter().peekable();
        for entry in &self.strokes {
            while let Some(tool) = tools.next_if(|tool| tool.number < entry.number) {
                let _ = writeln!(text, "{}{commas}{}", tool.number, tool.words());
            }
            let _ = writeln!(text, "{}{no_tool}", csv_line(entry, bends));
        }
        for tool in tools {
            let _ = writeln!(text, "{}{commas}{}", tool.number, tool.words());
        }
        self.write_totals(&mut text);
        text
    }

    /// What a table says before its strokes.
    fn write_head(&self, text: &mut String) {
        let _ = writeln!(text, "# {FORMAT} {}\n# unit: {}", self.version(), self.unit());
        if let Some([width, height]) = self.sheet_mm {
            let _ = writeln!(text, "# sheet: {} x {} mm", number(width), number(height));
        }
        if let Some(thickness) = self.thickness_um {
            let _ = writeln!(text, "# film: {} um", number(thickness));
        }
        let _ = writeln!(text, "# canvas: 1 x {}", number(self.canvas_height));
        let _ = writeln!(text, "# operator: {}", self.operator);
        let _ = writeln!(text, "# background: {}", colour_note(self.background));
        for (index, colour) in self.palette.iter().enumerate() {
            let _ = writeln!(text, "# palette {index}: {}", colour_note(*colour));
        }
    }

    /// What a table says after them.
    fn write_totals(&self, text: &mut String) {
        for total in &self.colours {
            let which = total.palette.map_or("own".to_owned(), |index| format!("palette {index}"));
            let amount = amount_note(&total.amount);
            let _ = writeln!(text, "# total {which}: {} {amount}", total.hex);
        }
        let _ = writeln!(text, "# total: {}", amount_note(&self.total));
        let margins = match &self.margins {
            Some(margins) => pairs(margins.sides().map(|(name, v)| (name, number(v))), " ", " "),
            None => "none: the line source has no outlines".to_owned(),
        };
        let _ = writeln!(text, "# margins: {margins}");
    }

    /// The list as one JSON object, a step a line.
    pub fn to_json(&self) -> String {
        let bends = self.lists_bends();
        let strokes = self.strokes.iter().map(|entry| json_line(entry, bends));
        let tools = (!self.tools.is_empty()).then(|| json_list(self.tools.iter().map(json_tool)));
        let sheet = self
            .sheet_mm
            .map(|[width, height]| object([("width", number(width)), ("height", number(height))]));
        let canvas = object([("width", "1".into()), ("height", number(self.canvas_height))]);
        let margins = self.margins.map(|m| object(m.sides().map(|(name, v)| (name, number(v)))));
        let totals = self.colours.iter().map(|total| {
            let palette = or_null(total.palette.map(|index| index.to_string()));
            let (palette, hex) = (("palette", palette), ("hex", quoted(&total.hex)));
            object([palette, hex].into_iter().chain(amount_fields(&total.amount)))
        });
        let palette = json_list(self.palette.iter().map(|c| colour_object(*c)));
        let fields = [
            ("format", Some(quoted(FORMAT))),
            ("version", Some(self.version().to_string())),
            ("unit", Some(quoted(self.unit().name()))),
            ("sheet_mm", Some(or_null(sheet))),
            ("film_um", Some(or_null(self.thickness_um.map(number)))),
            ("canvas", Some(canvas)),
            ("operator", Some(quoted(self.operator.name()))),
            ("background", Some(colour_object(self.background))),
            ("palette", Some(palette)),
            ("strokes", Some(json_list(strokes))),
            ("tools", tools),
            ("colours", Some(json_list(totals))),
            ("total", Some(object(amount_fields(&self.total)))),
            ("margins", Some(or_null(margins))),
        ];
        let said = fields.into_iter().filter_map(|(name, value)| Some((quoted(name), value?)));
        format!("{{\n  {}\n}}\n", pairs(said, ": ", ",\n  "))
    }
}

/// Anchor, offset, half-width, bend if lists have one, length and area, with their names.
fn measures(entry: &Entry, bends: bool) -> impl Iterator<Item = (&'static str, String)> {
    let Shape { anchor, offset, half_width, bend } = entry.shape;
    let all = [
        ("x", anchor.x),
        ("y", anchor.y),
        ("dx", offset.x),
        ("dy", offset.y),
        ("half_width", half_width),
        ("bend", bend),
        ("length", entry.length),
        ("area", entry.area),
    ];
    let listed = move |(name, _): &(&str, f64)| bends || *name != "bend";
    all.into_iter().filter(listed).map(|(name, value)| (name, number(value)))
}

/// A stroke as a line of a table. Own colours have all their digits in the last columns.
fn csv_line(entry: &Entry, bends: bool) -> String {
    let mut line = entry.number.to_string();
    for (_, value) in measures(entry, bends) {
        line.push(',');
        line.push_str(&value);
    }
    let hex = hex(entry.colour);
    let _ = match entry.paint {
        Paint::Palette(index) => write!(line, ",{index},{hex},,,"),
        Paint::Own(colour) => write!(line, ",,{hex},{}", colour.map(number).join(",")),
    };
    line
}

/// A stroke as a JSON object.
fn json_line(entry: &Entry, bends: bool) -> String {
    let index = match entry.paint {
        Paint::Palette(index) => Some(index.to_string()),
        Paint::Own(_) => None,
    };
    let colour = [
        ("colour", or_null(index)),
        ("hex", quoted(&hex(entry.colour))),
        ("rgb", list(&entry.colour)),
    ];
    let number = [("number", entry.number.to_string())];
    object(number.into_iter().chain(measures(entry, bends)).chain(colour))
}

/// A tool as a JSON object.
fn json_tool(entry: &ToolEntry) -> String {
    let head = [("number", entry.number.to_string()), ("tool", quoted(entry.kind.name()))];
    object(head.into_iter().chain(entry.json_fields()))
}

/// A colour to eight bits, and exactly.
fn colour_note(colour: Colour) -> String {
    format!("{} {}", hex(colour), colour.map(number).join(" "))
}

fn colour_object(colour: Colour) -> String {
    object([("hex", quoted(&hex(colour))), ("rgb", list(&colour))])
}

/// An amount as words.
fn amount_note(amount: &PaintAmount) -> String {
    let known = amount_fields(amount).into_iter().filter(|(_, value)| value != NULL);
    pairs(known, " ", " ")
}

fn amount_fields(amount: &PaintAmount) -> [(&'static str, String); 5] {
    [
        ("strokes", amount.strokes.to_string()),
        ("area", number(amount.area)),
        ("canvases", number(amount.canvases)),
        ("cm2", or_null(amount.area_cm2.map(number))),
        ("ml", or_null(amount.volume_ml.map(number))),
    ]
}

/// The JSON value of what is missing.
const NULL: &str = "null";

fn or_null(value: Option<String>) -> String {
    value.unwrap_or_else(|| NULL.to_owned())
}

/// A JSON string. None of ours has anything to escape.
fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

/// A JSON object on one line, of values that are JSON already.
fn object(fields: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let fields = fields.into_iter().map(|(name, value)| (quoted(name), value));
    format!("{{{}}}", pairs(fields, ": ", ", "))
}

/// A JSON list with an item a line.
fn json_list(items: impl ExactSizeIterator<Item = String>) -> String {
    format!("[{}]", lines(items))
}

/// Names and values, with something between them and between the pairs.
fn pairs<N: std::fmt::Display>(
    fields: impl IntoIterator<Item = (N, String)>,
    between: &str,
    after: &str,
) -> String {
    let joined = fields.into_iter().map(|(name, value)| format!("{name}{between}{value}"));
    joined.collect::<Vec<_>>().join(after)
}
