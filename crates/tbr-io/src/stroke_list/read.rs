//! Parsing of stroke tables: our own, and those that people make in a spreadsheet.

use super::notes::{Notes, Setting};
use super::row::Row;
use csv::{ReaderBuilder, StringRecord};
use tbr::program::{Colour, MAX_STROKES, Parts, Program, Step};
use tbr::stroke::Operator;
use tbr::{Error, Result};

/// Columns that a table must have.
pub(super) const NEEDED: [&str; 5] = ["x", "y", "dx", "dy", "half_width"];
/// The column of bends: 0 where there is none, or nothing in it.
pub(super) const BEND: &str = "bend";
/// The column of tools, in words: nothing where the line is a stroke.
pub(super) const TOOL: &str = "tool";
/// Columns of a stroke's own colour.
pub(super) const RGB: [&str; 3] = ["r", "g", "b"];
/// What some editors put before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// What is known of a table besides what it says: it fills in what is missing there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Given {
    /// The table is in millimetres of a sheet so wide.
    pub sheet_mm: Option<f64>,
    /// Height of the canvas; its width is 1.
    pub height: Option<f64>,
    /// Colour of the bare canvas; white if nobody says it.
    pub background: Option<Colour>,
    /// How strokes move paint; the capsule if nobody says it.
    pub operator: Option<Operator>,
}

/// Reads a table: lines of cells with commas between, the first of which names the
/// columns, and notes that begin with `#`. The program's provenance is empty.
pub fn parse_csv(text: &str, given: &Given) -> Result<Program> {
    let lines = Lines::new(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text));
    let setting = Notes::read(lines.notes.iter().copied())?.with(given)?;
    let steps = lines.steps(&setting)?;
    let Setting { height, background, operator, palette, .. } = setting;
    let mut parts = Parts { height, background, operator, palette, ..Parts::default() };
    parts.set_steps(steps);
    Program::new(parts)
}

/// The lines of a text by what they are, with their numbers, from 1.
struct Lines<'a> {
    notes: Vec<(usize, &'a str)>,
    /// Those of the table, one after another. (The reader of tables counts lines only
    /// if none is blank, and if they end in a single character.)
    table: String,
    numbers: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        let mut lines =
            Self { notes: Vec::new(), table: String::with_capacity(text.len()), numbers: vec![] };
        let end = if text.contains('\n') { '\n' } else { '\r' };
        for (index, line) in text.split(end).enumerate() {
            if line.trim_matches(is_filling).is_empty() {
                continue;
            }
            match note(line) {
                Some(note) => lines.notes.push((index + 1, note)),
                None => {
                    lines.table.push_str(line.trim_end_matches('\r'));
                    lines.table.push('\n');
                    lines.numbers.push(index + 1);
                }
            }
        }
        lines
    }

    /// The line that some cells stand in.
    fn line_of(&self, cells: &StringRecord) -> usize {
        let place = cells.position().map_or(1, csv::Position::line) as usize;
        self.numbers.get(place.saturating_sub(1)).copied().unwrap_or(place)
    }

    /// The table's steps.
    fn steps(&self, setting: &Setting) -> Result<Vec<Step>> {
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(self.table.as_bytes());
        let mut cells = StringRecord::new();
        let mut columns = None;
        let mut steps = Vec::new();
        let wrong = |e: csv::Error| Error::program("the table", e.to_string());
        while reader.read_record(&mut cells).map_err(wrong)? {
            let line = self.line_of(&cells);
            check_quotes(line, &cells)?;
            let Some(columns) = &columns else {
                columns = Some(Columns::new(line, &cells, setting.needs_bends)?);
                continue;
            };
            if steps.len() == MAX_STROKES {
                let limit = MAX_STROKES.to_string();
                return Err(Error::limit("the table has too many steps", limit));
            }
            steps.push(Row { line, cells: &cells, columns, setting }.step()?);
        }
        match columns {
            Some(_) => Ok(steps),
            None => {
                let names = NEEDED.join(", ");
                let problem = format!("is empty; its first line must name {names} and colour");
                Err(Error::program("the table", problem))
            }
        }
    }
}

/// What spreadsheets put around the text of a line: they fill it up with empty cells, and
/// may quote a note.
fn is_filling(c: char) -> bool {
    c == ',' || c == '"' || c.is_whitespace()
}

/// The text of a line that is a note. (`#1a3380` is none: a line may begin with a colour.)
fn note(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(|c: char| c == '"' || c.is_whitespace());
    let text = text.strip_prefix('#').filter(|t| !t.starts_with(char::is_alphanumeric))?;
    Some(text.trim_matches(is_filling))
}

/// A quote that is not closed would swallow the lines that follow.
fn check_quotes(line: usize, cells: &StringRecord) -> Result<()> {
    if cells.iter().any(|cell| cell.contains('\n')) {
        let problem = "a quoted cell does not end on its line";
        return Err(Error::program(format!("line {line}"), problem));
    }
    Ok(())
}

/// Where the columns are, counted from 0, if they are there.
pub(super) struct Columns {
    pub needed: [Option<usize>; 5],
    pub bend: Option<usize>,
    pub tool: Option<usize>,
    pub rgb: [Option<usize>; 3],
    pub colour: Option<usize>,
    pub hex: Option<usize>,
    /// All of them, known or not.
    pub count: usize,
}

impl Columns {
    /// From the line that names them; others than ours do not matter.
    fn new(line: usize, cells: &StringRecord, needs_bends: bool) -> Result<Self> {
        let names: Vec<String> = cells.iter().map(plain_name).collect();
        let find = |name: &str| names.iter().position(|n| n == name);
        let twice = |name: &str| names.iter().filter(|n| *n == name).count() > 1;
        let known = NEEDED.iter().chain(&RGB).chain(&[BEND, TOOL, "colour", "hex"]);
        if let Some(name) = known.copied().find(|name| twice(name)) {
            let problem = format!("two columns are named {name}");
            return Err(Error::program(format!("line {line}"), problem));
        }
        let columns = Self {
            needed: NEEDED.map(find),
            bend: find(BEND),
            tool: find(TOOL),
            rgb: RGB.map(find),
            colour: find("colour"),
            hex: find("hex"),
            count: names.len(),
        };
        let missing = columns.missing(needs_bends);
        if missing.is_empty() {
            return Ok(columns);
        }
        let other = names.iter().any(|name| name.contains([';', '\t']));
        let hint = if other { "; cells need commas between them" } else { "" };
        let problem =
            format!("names the columns of the table, but not {}{hint}", missing.join(", "));
        Err(Error::program(format!("line {line}"), problem))
    }

    /// Names of columns that should be there.
    fn missing(&self, needs_bends: bool) -> Vec<&'static str> {
        let absent =
            |(name, column): (&'static str, Option<usize>)| column.is_none().then_some(name);
        let mut missing: Vec<_> = NEEDED.into_iter().zip(self.needed).filter_map(absent).collect();
        if needs_bends && self.bend.is_none() {
            missing.push(BEND);
        }
        if self.rgb.iter().any(Option::is_some) {
            missing.extend(RGB.into_iter().zip(self.rgb).filter_map(absent));
        } else if self.colour.or(self.hex).is_none() {
            missing.push("colour (or hex, or r, g and b)");
        }
        missing
    }
}

/// A column's name, however people write it.
fn plain_name(cell: &str) -> String {
    let name = cell.trim().to_lowercase().replace([' ', '-'], "_");
    if name == "color" { "colour".to_owned() } else { name }
}
