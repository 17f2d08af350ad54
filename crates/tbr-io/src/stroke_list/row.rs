//! Parsing of one row of a table into its step.

use super::notes::Setting;
use super::read::{BEND, Columns, NEEDED, RGB, TOOL};
use super::tool;
use csv::StringRecord;
use tbr::colour::{from_hex, hex};
use tbr::format::number;
use tbr::numbers::vec2;
use tbr::program::{Colour, MAX_COORDINATE, MIN_HALF_WIDTH, Paint, Step, Stroke};
use tbr::stroke::{MAX_BEND, Shape};
use tbr::tool::Tool;
use tbr::{Error, Result};

/// How far beyond a limit a length may lie, relative to it, that was within it before it
/// was written in millimetres: many times what rounding does, far less than anyone means.
const ROUNDING: f64 = 1e-12;
/// Characters of a wrong cell that a message quotes.
const QUOTED: usize = 40;

/// A number in canvas units, if it is within its limits; else those limits in a unit of which the
/// canvas has `per_canvas`.
pub(super) fn within(
    value: f64,
    limits: [f64; 2],
    per_canvas: f64,
) -> std::result::Result<f64, [String; 2]> {
    let nearest = value.clamp(limits[0], limits[1]);
    // Canvas units are read as they were written; millimetres have been rounded.
    let slack = if per_canvas == 1.0 { 0.0 } else { ROUNDING * nearest.abs() };
    // (What is no number is not near anything.)
    if (value - nearest).abs() <= slack {
        return Ok(nearest);
    }
    Err(limits.map(|limit| number(limit * per_canvas)))
}

/// A line of a table.
pub(super) struct Row<'a> {
    pub line: usize,
    pub cells: &'a StringRecord,
    pub columns: &'a Columns,
    pub setting: &'a Setting,
}

impl Row<'_> {
    /// Its step: a tool if it has one, else a stroke.
    pub fn step(&self) -> Result<Step> {
        self.check_count()?;
        if self.cell(self.columns.tool).is_empty() {
            self.stroke().map(Step::Stroke)
        } else {
            self.tool().map(Step::Tool)
        }
    }

    fn tool(&self) -> Result<Tool> {
        let text = self.cell(self.columns.tool);
        if let Some((name, cell)) = self.of_strokes().find(|(_, cell)| !cell.is_empty()) {
            let problem = "but the line has a tool, which is no stroke: empty one";
            return Err(self.wrong(name, cell, problem));
        }
        let place = || format!("line {}, column {TOOL}", self.line);
        tool::parse(text, self.setting.per_canvas).map_err(|p| Error::program(place(), p))
    }

    /// The cells that only strokes have, with the names of their columns.
    fn of_strokes(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let Columns { needed, bend, rgb, colour, hex, .. } = *self.columns;
        let others = [(BEND, bend), ("colour", colour), ("hex", hex)];
        let columns = NEEDED.into_iter().zip(needed).chain(RGB.into_iter().zip(rgb)).chain(others);
        columns.map(|(name, column)| (name, self.cell(column)))
    }

    fn stroke(&self) -> Result<Stroke> {
        let anywhere = [-MAX_COORDINATE, MAX_COORDINATE];
        let [x, y, dx, dy] = [
            self.length(0, anywhere)?,
            self.length(1, anywhere)?,
            self.length(2, anywhere)?,
            self.length(3, anywhere)?,
        ];
        let half_width = self.length(4, [MIN_HALF_WIDTH, MAX_COORDINATE])?;
        let shape = Shape::line(vec2(x, y), vec2(dx, dy), half_width).with_bend(self.bend()?);
        Ok(Stroke { shape, paint: self.paint()? })
    }

    /// Cells beyond the named columns may only be empty: a comma for a decimal point
    /// makes one too many.
    fn check_count(&self) -> Result<()> {
        let (found, named) = (self.cells.len(), self.columns.count);
        if self.cells.iter().skip(named).all(|cell| cell.trim().is_empty()) {
            return Ok(());
        }
        let problem = format!("has {found} cells, but {named} columns are named");
        Err(Error::program(format!("line {}", self.line), problem))
    }

    /// What stands in a column; nothing if there is no such column.
    fn cell(&self, column: Option<usize>) -> &str {
        column.and_then(|column| self.cells.get(column)).unwrap_or_default().trim()
    }

    /// Says what is wrong with a cell.
    fn wrong(&self, column: &str, text: &str, problem: &str) -> Error {
        let place = format!("line {}, column {column}", self.line);
        if text.is_empty() {
            return Error::program(place, format!("is empty; {problem}"));
        }
        let text: String = text.chars().take(QUOTED).collect();
        Error::program(place, format!("is {text:?}; {problem}"))
    }

    fn number(&self, name: &str, column: Option<usize>) -> Result<f64> {
        let text = self.cell(column);
        let value = text.parse().ok().filter(|v: &f64| v.is_finite());
        value.ok_or_else(|| self.wrong(name, text, "must be a finite number like 0.25"))
    }

    /// A needed length in canvas units, as its limits are.
    fn length(&self, needed: usize, limits: [f64; 2]) -> Result<f64> {
        let (name, column) = (NEEDED[needed], self.columns.needed[needed]);
        let per_canvas = self.setting.per_canvas;
        let length = self.number(name, column)? / per_canvas;
        within(length, limits, per_canvas).map_err(|[low, high]| {
            let problem = format!("must be from {low} to {high}");
            self.wrong(name, self.cell(column), &problem)
        })
    }

    /// The bend; none if nothing is said of it.
    fn bend(&self) -> Result<f64> {
        let column = self.columns.bend;
        if self.cell(column).is_empty() {
            return Ok(0.0);
        }
        let bend = self.number(BEND, column)?;
        if (-MAX_BEND..=MAX_BEND).contains(&bend) {
            return Ok(bend);
        }
        let problem = format!("must be from -{MAX_BEND} to {MAX_BEND}");
        Err(self.wrong(BEND, self.cell(column), &problem))
    }

    /// The stroke's colour: a palette index, or else numbers, or else hex digits. What is
    /// said more than once must be the same, to eight bits.
    fn paint(&self) -> Result<Paint> {
        let index = self.index()?;
        let digits = if index.is_none() { self.columns.colour } else { None };
        let said = [
            ("colour", index.map(|index| self.setting.palette[index])),
            ("r, g, b", self.exact()?),
            ("colour", self.rough("colour", digits)?),
            ("hex", self.rough("hex", self.columns.hex)?),
        ];
        let Some(colour) = said.iter().find_map(|(_, colour)| *colour) else {
            return Err(Error::program(format!("line {}", self.line), "the stroke has no colour"));
        };
        for (name, other) in said {
            if let Some(other) = other.map(hex).filter(|other| *other != hex(colour)) {
                let problem = format!("but the stroke is {} besides: empty one", hex(colour));
                return Err(self.wrong(name, &other, &problem));
            }
        }
        Ok(index.map_or(Paint::Own(colour), Paint::Palette))
    }

    /// The palette index in the column `colour`, unless hex digits stand there.
    fn index(&self) -> Result<Option<usize>> {
        let text = self.cell(self.columns.colour);
        if text.is_empty() || text.starts_with('#') {
            return Ok(None);
        }
        let count = self.setting.palette.len();
        match text.parse() {
            Ok(index) if index < count => Ok(Some(index)),
            Ok(_) => {
                let problem = format!("but the palette has {count} colours (counted from 0)");
                Err(self.wrong("colour", text, &problem))
            }
            Err(_) => {
                let problem = "must be a palette index, or a colour like #1a3380";
                Err(self.wrong("colour", text, problem))
            }
        }
    }

    /// Hex digits in a column.
    fn rough(&self, name: &str, column: Option<usize>) -> Result<Option<Colour>> {
        let text = self.cell(column);
        if text.is_empty() {
            return Ok(None);
        }
        let wrong = || self.wrong(name, text, "must be a colour like #1a3380");
        from_hex(text).map(Some).ok_or_else(wrong)
    }

    /// What stands in the columns `r`, `g` and `b`: all of them or none.
    fn exact(&self) -> Result<Option<Colour>> {
        let columns = self.columns.rgb;
        if columns.iter().all(|column| self.cell(*column).is_empty()) {
            return Ok(None);
        }
        let mut colour = [0.0; 3];
        for ((name, column), value) in RGB.iter().zip(columns).zip(&mut colour) {
            *value = self.number(name, column)?;
            if !(0.0..=1.0).contains(value) {
                return Err(self.wrong(name, self.cell(column), "must be from 0 to 1"));
            }
        }
        Ok(Some(colour))
    }
}
