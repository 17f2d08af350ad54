//! A program as a list for whoever lays the strokes: a table that a spreadsheet
//! opens, in canvas units or in millimetres, with the paint that it takes and the room
//! that expelled paint needs. `docs/stroke-list.md` describes both kinds of file.

mod margins;
mod notes;
mod read;
mod row;
mod tool;
mod totals;
mod write;

#[cfg(test)]
mod tests;

pub use margins::Margins;
pub use read::{Given, parse_csv};
pub use tool::ToolEntry;
pub use totals::{ColourTotal, PaintAmount};

use crate::progress::Progress;
use std::fmt;
use tbr::format::number;
use tbr::program::{Colour, Paint, Program};
use tbr::stroke::Operator;
use tbr::stroke::Shape;
use tbr::{Error, Result, Stop};

/// What every list says it is.
pub const FORMAT: &str = "tbr-strokes";
/// The versions that are read. The second has bends and tools, and is written if there are any.
pub const VERSIONS: [u64; 2] = [1, 2];
/// The narrowest and the widest sheet, millimetres: a stamp's margin and a hall. What
/// lies beyond is a slip of the unit.
pub const SHEET_WIDTHS_MM: [f64; 2] = [1.0, 1e5];
/// The thinnest and the thickest film of paint, micrometres: a single molecule and a
/// brick. What lies beyond is a slip of the unit.
pub const THICKNESSES_UM: [f64; 2] = [1e-3, 1e5];

/// What to list.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ListOptions {
    /// Width of the sheet in millimetres: the list is then in millimetres. In canvas
    /// units if none.
    pub sheet_mm: Option<f64>,
    /// Thickness of the film of paint in micrometres, for volumes; needs a sheet.
    pub thickness_um: Option<f64>,
    /// Another operator than the program's own.
    pub operator: Option<Operator>,
}

/// What lengths are measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Widths of the canvas.
    Canvas,
    /// Millimetres on a sheet.
    Mm,
}

impl Unit {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Canvas => "canvas",
            Self::Mm => "mm",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A program's steps, ready to be done. Lengths are in the list's unit, areas in its
/// square.
#[derive(Clone, Debug, PartialEq)]
pub struct StrokeList {
    /// Width and height of the sheet in millimetres, if that is the unit.
    pub sheet_mm: Option<[f64; 2]>,
    /// Thickness of the film of paint in micrometres.
    pub thickness_um: Option<f64>,
    /// Height of the canvas in canvas units; its width is 1.
    pub canvas_height: f64,
    /// How strokes move paint.
    pub operator: Operator,
    /// Colour of the bare canvas.
    pub background: Colour,
    /// Colours that strokes refer to.
    pub palette: Vec<Colour>,
    /// Strokes in the order in which they are laid.
    pub strokes: Vec<Entry>,
    /// Tools between them, in the order in which they are drawn.
    pub tools: Vec<ToolEntry>,
    /// Paint by colour: palette entries in order, then own colours.
    pub colours: Vec<ColourTotal>,
    /// All paint.
    pub total: PaintAmount,
    /// How far paint reaches beyond the canvas at the end; none for the line source,
    /// which has no outlines.
    pub margins: Option<Margins>,
}

/// A stroke in a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Its number among all steps, from 1.
    pub number: usize,
    /// Anchor, offset and half-width, and the bend, which has no unit.
    pub shape: Shape,
    /// Length of the offset.
    pub length: f64,
    /// Area of the deposit.
    pub area: f64,
    /// Its colour, as the program says it.
    pub paint: Paint,
    /// Its colour.
    pub colour: Colour,
}

impl StrokeList {
    /// Lists a program; follows all its deposits to the end, for the margins.
    pub fn new(program: &Program, options: &ListOptions) -> Result<Self> {
        Self::new_until(program, options, &Progress::hidden(), &Stop::never())
    }

    /// The same, with a bar that counts the strokes, unless it is stopped.
    pub fn new_until(
        program: &Program,
        options: &ListOptions,
        progress: &Progress,
        stop: &Stop,
    ) -> Result<Self> {
        check(options)?;
        let operator = options.operator.unwrap_or(program.operator());
        let per_canvas = options.sheet_mm.unwrap_or(1.0);
        let measure = totals::Measure {
            canvas_height: program.height(),
            sheet_mm: options.sheet_mm,
            thickness_um: options.thickness_um,
        };
        Ok(Self {
            sheet_mm: options.sheet_mm.map(|width| [width, width * program.height()]),
            thickness_um: options.thickness_um,
            canvas_height: program.height(),
            operator,
            background: program.background(),
            palette: program.palette().to_vec(),
            strokes: (0..program.strokes().len()).map(|i| entry(program, i, per_canvas)).collect(),
            tools: tool::entries(program, per_canvas),
            colours: measure.by_colour(program),
            total: measure.of_all(program),
            margins: margins::margins(program, operator, per_canvas, progress, stop)?,
        })
    }

    /// The version of its files: the first, unless some stroke bends or there are tools.
    pub fn version(&self) -> u64 {
        let bends = self.strokes.iter().any(|entry| entry.shape.bend != 0.0);
        VERSIONS[usize::from(bends || !self.tools.is_empty())]
    }

    /// Does it say how strokes bend? All of version 2 do.
    fn lists_bends(&self) -> bool {
        self.version() == VERSIONS[1]
    }

    /// What lengths are measured in.
    pub fn unit(&self) -> Unit {
        if self.sheet_mm.is_some() { Unit::Mm } else { Unit::Canvas }
    }
}

/// A stroke, by its index, with its lengths multiplied by `per_canvas`.
fn entry(program: &Program, index: usize, per_canvas: f64) -> Entry {
    let stroke = &program.strokes()[index];
    let Shape { anchor, offset, half_width, bend } = stroke.shape;
    Entry {
        number: program.step_number(index),
        shape: Shape {
            anchor: anchor * per_canvas,
            offset: offset * per_canvas,
            half_width: half_width * per_canvas,
            bend,
        },
        length: stroke.shape.length() * per_canvas,
        area: stroke.shape.area() * per_canvas * per_canvas,
        paint: stroke.paint,
        colour: program.colour(stroke.paint),
    }
}

fn check(options: &ListOptions) -> Result<()> {
    if let Some(width) = options.sheet_mm {
        check_sheet(width)?;
    }
    let Some(thickness) = options.thickness_um else { return Ok(()) };
    if options.sheet_mm.is_none() {
        let message = "a film's thickness needs a sheet: canvas units have no volume";
        return Err(Error::Request(message.into()));
    }
    check_range("film of paint", "micrometres thick", thickness, THICKNESSES_UM)
}

/// Refuses a sheet that nobody has.
fn check_sheet(width_mm: f64) -> Result<()> {
    check_range("sheet", "millimetres wide", width_mm, SHEET_WIDTHS_MM)
}

fn check_range(what: &str, unit: &str, value: f64, [low, high]: [f64; 2]) -> Result<()> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    let [value, low, high] = [value, low, high].map(number);
    Err(Error::Request(format!("a {what} {value} {unit}: must be from {low} to {high}")))
}
