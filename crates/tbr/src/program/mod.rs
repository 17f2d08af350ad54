//! The program: ordered strokes, palette, background and operator. Plain data
//! in canvas units that every other part makes or consumes.

pub mod colour;
pub mod format;
mod palette;
mod provenance;

pub use colour::Colour;
pub use palette::nearest;
pub use provenance::{MAX_PROVENANCE_BYTES, MAX_PROVENANCE_DEPTH, Provenance};

use crate::error::{Error, Result};
use crate::stroke::{MAX_BEND, Operator, Shape};

/// The most strokes a program may have.
pub const MAX_STROKES: usize = 1_000_000;
/// The most colours a palette may have.
pub const MAX_PALETTE: usize = 65_536;
/// How far a coordinate may lie from the canvas's corner, and how long or wide
/// a stroke may be. Beyond it squares would lose all precision in float32.
pub const MAX_COORDINATE: f64 = 1e3;
/// The thinnest stroke: a thousandth of the finest pixel, yet its square is far
/// from underflow in float32.
pub const MIN_HALF_WIDTH: f64 = 1e-9;
/// The flattest and the tallest canvas, as height over width.
pub const CANVAS_HEIGHTS: [f64; 2] = [1e-3, 1e3];

/// The colour of a stroke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paint {
    /// An entry of the palette, counted from 0.
    Palette(usize),
    /// A colour of its own.
    Own(Colour),
}

/// One stroke: where it goes and what it is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Anchor, offset and half-width.
    pub shape: Shape,
    /// Its colour.
    pub paint: Paint,
}

/// What a program is made of, not yet checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    /// Height of the canvas; its width is 1.
    pub height: f64,
    /// Colour of the bare canvas.
    pub background: Colour,
    /// How strokes move paint.
    pub operator: Operator,
    /// Colours that strokes refer to.
    pub palette: Vec<Colour>,
    /// Strokes in the order in which they are laid.
    pub strokes: Vec<Stroke>,
    /// How the program was made: settings, seed, scores. Kept, not interpreted.
    pub provenance: Provenance,
}

impl Default for Parts {
    /// An empty white square.
    fn default() -> Self {
        Self {
            height: 1.0,
            background: [1.0; 3],
            operator: Operator::Capsule,
            palette: Vec::new(),
            strokes: Vec::new(),
            provenance: Provenance::default(),
        }
    }
}

/// A valid program. To change it, take its [`Parts`] out, and make a new one.
#[derive(Clone, Debug, PartialEq)]
pub struct Program(Parts);

impl Program {
    /// Checks all parts. There is no other way to make a program.
    pub fn new(mut parts: Parts) -> Result<Self> {
        let [low, high] = CANVAS_HEIGHTS;
        if !(low..=high).contains(&parts.height) {
            let problem = format!("is {}; must be from {low} to {high}", parts.height);
            return Err(Error::program("canvas height", problem));
        }
        check_colour("background", parts.background)?;
        if parts.palette.len() > MAX_PALETTE {
            let what = format!("the palette has {} colours", parts.palette.len());
            return Err(Error::limit(what, MAX_PALETTE.to_string()));
        }
        for (i, colour) in parts.palette.iter().enumerate() {
            check_colour(&format!("palette colour {i}"), *colour)?;
        }
        if parts.strokes.len() > MAX_STROKES {
            let what = format!("the program has {} strokes", parts.strokes.len());
            return Err(Error::limit(what, MAX_STROKES.to_string()));
        }
        for (i, stroke) in parts.strokes.iter().enumerate() {
            check_stroke(stroke, parts.palette.len())
                .map_err(|problem| Error::program(format!("stroke {}", i + 1), problem))?;
        }
        // No bend is no bend: minus zero would make another file of the same picture.
        parts.strokes.iter_mut().for_each(|stroke| stroke.shape.bend += 0.0);
        Ok(Self(parts))
    }

    /// The parts, to be changed.
    pub fn into_parts(self) -> Parts {
        self.0
    }

    /// Height of the canvas; its width is 1.
    pub fn height(&self) -> f64 {
        self.0.height
    }

    /// Colour of the bare canvas.
    pub fn background(&self) -> Colour {
        self.0.background
    }

    /// How strokes move paint.
    pub fn operator(&self) -> Operator {
        self.0.operator
    }

    /// Colours that strokes refer to.
    pub fn palette(&self) -> &[Colour] {
        &self.0.palette
    }

    /// Strokes in the order in which they are laid.
    pub fn strokes(&self) -> &[Stroke] {
        &self.0.strokes
    }

    /// How the program was made.
    pub fn provenance(&self) -> &Provenance {
        &self.0.provenance
    }

    /// The colour that a paint of this program has.
    ///
    /// # Panics
    ///
    /// If it is an entry that the palette does not have: that of another program.
    pub fn colour(&self, paint: Paint) -> Colour {
        match paint {
            Paint::Palette(index) => self.0.palette[index],
            Paint::Own(colour) => colour,
        }
    }

    /// The program with other strokes, and without what it says of its making.
    pub fn with_strokes(&self, strokes: Vec<Stroke>) -> Result<Self> {
        Self::new(Parts {
            height: self.0.height,
            background: self.0.background,
            operator: self.0.operator,
            palette: self.0.palette.clone(),
            strokes,
            provenance: Provenance::default(),
        })
    }

    /// Does any stroke bend?
    pub fn bends(&self) -> bool {
        self.0.strokes.iter().any(|s| s.shape.bend != 0.0)
    }

    /// Area of all deposits together, in canvases.
    pub fn deposited_area(&self) -> f64 {
        self.0.strokes.iter().map(|s| s.shape.area()).fold(0.0, |a, b| a + b) / self.0.height
    }
}

fn check_colour(place: &str, colour: Colour) -> Result<()> {
    match colour.iter().find(|v| !(0.0..=1.0).contains(*v)) {
        Some(v) => Err(Error::program(place, format!("has the value {v}; must be from 0 to 1"))),
        None => Ok(()),
    }
}

fn check_stroke(stroke: &Stroke, palette: usize) -> std::result::Result<(), String> {
    let Shape { anchor, offset, half_width, bend } = stroke.shape;
    for (name, value) in
        [("anchor", anchor.x), ("anchor", anchor.y), ("offset", offset.x), ("offset", offset.y)]
    {
        if !(-MAX_COORDINATE..=MAX_COORDINATE).contains(&value) {
            return Err(format!(
                "{name} has the value {value}; must be within {MAX_COORDINATE} of 0"
            ));
        }
    }
    if !(MIN_HALF_WIDTH..=MAX_COORDINATE).contains(&half_width) {
        return Err(format!(
            "half_width is {half_width}; must be from {MIN_HALF_WIDTH:e} to {MAX_COORDINATE}"
        ));
    }
    if !(-MAX_BEND..=MAX_BEND).contains(&bend) {
        return Err(format!("bend is {bend}; must be from -{MAX_BEND} to {MAX_BEND}"));
    }
    match stroke.paint {
        Paint::Palette(index) if index >= palette => Err(format!(
            "colour is palette index {index}, but the palette has {palette} colours (counted from 0)"
        )),
        Paint::Palette(_) => Ok(()),
        Paint::Own(colour) => check_colour("", colour)
            .map_err(|_| format!("colour is {colour:?}; each value must be from 0 to 1")),
    }
}
