//! The program: ordered strokes, palette, background and operator. Plain data
//! in canvas units that every other part makes or consumes.

use crate::error::{Error, Result};
use crate::lanes::Lanes;
use crate::stroke::{Calibrated, Capsule, Drops, Forward, Inert, Kernel, Of, Shape};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

/// sRGB values as stored, each in [0, 1].
pub type Colour = [f64; 3];

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
/// How deep lists and objects may be nested in a provenance: what the reader of
/// files takes.
pub const MAX_PROVENANCE_DEPTH: usize = 120;
/// The flattest and the tallest canvas, as height over width.
pub const CANVAS_HEIGHTS: [f64; 2] = [1e-3, 1e3];

/// The family of maps that a program is executed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operator {
    /// The capsule insertion map psi_A.
    Capsule,
    /// Its variant closer to a line source.
    Calibrated,
    /// Sixteen drops per stroke, psi_D, with the capsule's coverage.
    Drops,
    /// Marks that stay put, psi_U.
    Inert,
    /// The line source psi_L, integrated: a reference, for small pictures only.
    LineSource,
}

impl Operator {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Capsule, Self::Calibrated, Self::Drops, Self::Inert, Self::LineSource];

    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Capsule => "capsule",
            Self::Calibrated => "calibrated",
            Self::Drops => "drops",
            Self::Inert => "inert",
            Self::LineSource => "line-source",
        }
    }

    /// Its maps on lanes. The line source has none: it is walked point by point,
    /// and has no adjoint.
    pub(crate) fn kernel<V: Lanes>(self) -> &'static dyn Kernel<V> {
        match self {
            Self::Capsule => &Of(Capsule),
            Self::Calibrated => &Of(Calibrated),
            Self::Drops => &Of(Drops),
            Self::Inert | Self::LineSource => &Of(Inert),
        }
    }

    /// Its forward map on lanes, if it has one.
    pub(crate) fn forward<V: Lanes>(self) -> Option<&'static dyn Forward<V>> {
        match self {
            Self::Capsule => Some(&Of(Capsule)),
            Self::Calibrated => Some(&Of(Calibrated)),
            Self::Drops => Some(&Of(Drops)),
            Self::Inert => Some(&Of(Inert)),
            Self::LineSource => None,
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Operator {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|o| o.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::program("operator", format!("\"{name}\" is none of {names}"))
        })
    }
}

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
    pub provenance: serde_json::Map<String, Value>,
}

/// A valid program. Reads like its [`Parts`]; to change it, take them out, and
/// make a new one.
#[derive(Clone, Debug, PartialEq)]
pub struct Program(Parts);

impl Program {
    /// The only door: checks everything.
    pub fn new(parts: Parts) -> Result<Self> {
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
        if !parts.provenance.values().all(|v| is_shallow(v, MAX_PROVENANCE_DEPTH)) {
            let limit = format!("{MAX_PROVENANCE_DEPTH} levels");
            return Err(Error::limit("the provenance is nested too deeply", limit));
        }
        for (i, stroke) in parts.strokes.iter().enumerate() {
            check_stroke(stroke, parts.palette.len())
                .map_err(|problem| Error::program(format!("stroke {}", i + 1), problem))?;
        }
        Ok(Self(parts))
    }

    /// The parts, to be changed.
    pub fn into_parts(self) -> Parts {
        self.0
    }

    /// The colour that a paint has here.
    pub fn colour(&self, paint: Paint) -> Colour {
        match paint {
            Paint::Palette(index) => self.0.palette[index],
            Paint::Own(colour) => colour,
        }
    }

    /// Area of all deposits together, in canvases.
    pub fn deposited_area(&self) -> f64 {
        self.0.strokes.iter().map(|s| s.shape.area()).fold(0.0, |a, b| a + b) / self.0.height
    }
}

impl Deref for Program {
    type Target = Parts;
    fn deref(&self) -> &Parts {
        &self.0
    }
}

/// Are lists and objects nested at most `depth` deep?
fn is_shallow(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(items) => depth > 0 && items.iter().all(|v| is_shallow(v, depth - 1)),
        Value::Object(fields) => depth > 0 && fields.values().all(|v| is_shallow(v, depth - 1)),
        _ => true,
    }
}

fn check_colour(place: &str, colour: Colour) -> Result<()> {
    match colour.iter().find(|v| !(0.0..=1.0).contains(*v)) {
        Some(v) => Err(Error::program(place, format!("has the value {v}; must be from 0 to 1"))),
        None => Ok(()),
    }
}

fn check_stroke(stroke: &Stroke, palette: usize) -> std::result::Result<(), String> {
    let Shape { anchor, offset, half_width } = stroke.shape;
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
    match stroke.paint {
        Paint::Palette(index) if index >= palette => Err(format!(
            "colour is palette index {index}, but the palette has {palette} colours (counted from 0)"
        )),
        Paint::Palette(_) => Ok(()),
        Paint::Own(colour) => check_colour("", colour)
            .map_err(|_| format!("colour is {colour:?}; each value must be from 0 to 1")),
    }
}
