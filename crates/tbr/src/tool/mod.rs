//! Tools that move paint and lay none: tines, combs, waves, rings, swirls and the stylus.
//!
//! A [`Tool`] is a kind and its numbers, each with a name. It is carried out as a few
//! [`Move`]s, of which there are two families, exact, with exact inverses and adjoints. A tool
//! covers nothing and acts everywhere.

mod expand;
pub(crate) mod lanewise;
mod moves;
mod profile;
mod smooth;
mod words;

#[cfg(test)]
mod tests;

pub use moves::{Move, MoveGrad, MoveKind};
pub use words::Words;
use words::names;

use crate::numbers::{MAX_COORDINATE, Vec2, vec2};
use serde::{Deserialize, Serialize};

/// The most numbers that a tool has.
pub const MAX_NUMBERS: usize = 10;
/// The most moves that a stylus is led by.
pub const MAX_STYLUS_MOVES: usize = 8192;
/// How far a tool may draw paint, canvas units.
const MAX_PULL: f64 = 10.0;
/// The least reach, spacing, wavelength and radius.
const MIN_SCALE: f64 = 1e-4;
/// Where the strength stands among the numbers of every kind but the stylus: after a point and
/// an angle or a radius.
const STRENGTH: usize = 3;
/// The most degrees of an angle or a turn, either way.
const MAX_DEGREES: f64 = 36_000.0;

/// What a tool is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolKind {
    /// One tooth, drawn along a line through the whole bath.
    Tine,
    /// Teeth side by side, drawn together.
    Comb,
    /// Teeth side by side that go to and fro: one stylus, led back and forth.
    Rake,
    /// A shake: paint is drawn along lines, as a wave goes across them.
    Wave,
    /// A comb that sways from side to side while it is drawn.
    WavyComb,
    /// One tooth, led around a circle.
    Ring,
    /// A turn about a point, that ends at a radius.
    Swirl,
    /// A needle led from one point to another.
    Stylus,
}

/// What a number of a tool is, which says how it goes with the canvas, and what it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// The first of two coordinates.
    Place,
    /// A way, either way along a line.
    Pull,
    /// A length above 0.
    Scale,
    /// A length from 0 on.
    Width,
    /// Degrees, from x towards y.
    Degrees,
    /// A share.
    Share,
}

impl Unit {
    /// Is it measured in canvas units?
    pub fn is_length(self) -> bool {
        !matches!(self, Self::Degrees | Self::Share)
    }
}

/// One number of a tool, or two that are a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// Its name in files and words.
    pub name: &'static str,
    /// What it is.
    pub unit: Unit,
    /// What it is where it is left out.
    fallback: Fallback,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fallback {
    None,
    Is(f64),
    /// Half of the spacing, which is left behind by teeth on both sides.
    HalfSpacing,
}

const fn field(name: &'static str, unit: Unit) -> Field {
    Field { name, unit, fallback: Fallback::None }
}
const fn optional(name: &'static str, unit: Unit, value: f64) -> Field {
    Field { name, unit, fallback: Fallback::Is(value) }
}

const THROUGH: Field = field("through", Unit::Place);
const CENTRE: Field = field("centre", Unit::Place);
const ANGLE: Field = field("angle", Unit::Degrees);
const PULL: Field = field("pull", Unit::Pull);
const REACH: Field = field("reach", Unit::Scale);
const TOOTH_REACH: Field =
    Field { name: "reach", unit: Unit::Scale, fallback: Fallback::HalfSpacing };
const WIDTH: Field = optional("width", Unit::Width, 0.0);
const SPACING: Field = field("spacing", Unit::Scale);
const WAVELENGTH: Field = field("wavelength", Unit::Scale);
const RADIUS: Field = field("radius", Unit::Scale);
const TURN: Field = field("turn", Unit::Degrees);
const FROM: Field = field("from", Unit::Place);
const TO: Field = field("to", Unit::Place);
const GRIP: Field = optional("grip", Unit::Share, 0.6);
const SWAY: Field = field("sway", Unit::Pull);
const PHASE: Field = optional("phase", Unit::Degrees, 0.0);
const WAVY_COMB: [Field; 9] =
    [THROUGH, ANGLE, PULL, TOOTH_REACH, WIDTH, SPACING, SWAY, WAVELENGTH, PHASE];

impl ToolKind {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Tine,
        Self::Comb,
        Self::Rake,
        Self::Wave,
        Self::WavyComb,
        Self::Ring,
        Self::Swirl,
        Self::Stylus,
    ];

    /// The name in files and words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tine => "tine",
            Self::Comb => "comb",
            Self::Rake => "rake",
            Self::Wave => "wave",
            Self::WavyComb => "wavy-comb",
            Self::Ring => "ring",
            Self::Swirl => "swirl",
            Self::Stylus => "stylus",
        }
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Its numbers, in the order of files.
    pub fn fields(self) -> &'static [Field] {
        match self {
            Self::Tine => &[THROUGH, ANGLE, PULL, REACH, WIDTH],
            Self::Comb | Self::Rake => &[THROUGH, ANGLE, PULL, TOOTH_REACH, WIDTH, SPACING],
            Self::Wave => &[THROUGH, ANGLE, PULL, WAVELENGTH],
            Self::WavyComb => &WAVY_COMB,
            Self::Ring => &[CENTRE, RADIUS, PULL, REACH, WIDTH],
            Self::Swirl => &[CENTRE, RADIUS, TURN],
            Self::Stylus => &[FROM, TO, REACH, GRIP],
        }
    }

    /// The fields, each with the index of its first number.
    fn places(self) -> impl Iterator<Item = (usize, &'static Field)> {
        self.fields().iter().scan(0, |next, field| {
            let at = *next;
            *next += field.numbers();
            Some((at, field))
        })
    }

    /// How many numbers it has.
    pub fn numbers(self) -> usize {
        self.fields().iter().map(Field::numbers).sum()
    }
}

impl Field {
    /// How many numbers it takes: two for a point.
    pub fn numbers(&self) -> usize {
        if self.unit == Unit::Place { 2 } else { 1 }
    }

    /// The least and the most that each of its numbers may be.
    pub fn limits(&self) -> [f64; 2] {
        match self.unit {
            Unit::Place => [-MAX_COORDINATE, MAX_COORDINATE],
            Unit::Pull | Unit::Share => [-MAX_PULL, MAX_PULL],
            Unit::Scale => [MIN_SCALE, MAX_COORDINATE],
            Unit::Width => [0.0, MAX_COORDINATE],
            Unit::Degrees => [-MAX_DEGREES, MAX_DEGREES],
        }
    }

    /// What is wrong with a value, if anything.
    fn problem(&self, value: f64) -> Option<String> {
        let [low, high] = self.limits();
        let name = self.name;
        let is_fine = (low..=high).contains(&value);
        (!is_fine).then(|| format!("{name} is {value}; must be from {low} to {high}"))
    }
}

/// A tool and how it is led. (For serde: in words.)
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Tool {
    kind: ToolKind,
    /// Those that the kind has, in its order; the others are 0.
    numbers: [f64; MAX_NUMBERS],
}

/// A tool at its place in a program.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pass {
    /// How many strokes are laid before it.
    pub after: usize,
    /// The tool.
    pub tool: Tool,
}

/// Tools that are followed by strokes, and those that come after all of so many.
pub(crate) fn split_last(tools: &[Pass], strokes: usize) -> (&[Pass], &[Pass]) {
    tools.split_at(tools.partition_point(|pass| pass.after < strokes))
}

/// The moves of the tools that come last.
pub(crate) fn last_moves(tools: &[Pass], strokes: usize) -> Vec<Move<f64>> {
    split_last(tools, strokes).1.iter().flat_map(|pass| pass.tool.all_moves()).collect()
}

impl Tool {
    /// A tool by the names of its numbers; a point takes two. What may be left out is what it
    /// usually is. An error, in words, if a number is missing, is given twice, is not one of the
    /// kind's, or is out of bounds.
    ///
    /// ```
    /// use tbr::tool::{Tool, ToolKind};
    /// let numbers: [(&str, &[f64]); 4] =
    ///     [("through", &[0.5, 0.5]), ("angle", &[90.0]), ("pull", &[0.05]), ("spacing", &[0.03])];
    /// let comb = Tool::new(ToolKind::Comb, numbers)?;
    /// assert_eq!(comb.number("reach"), Some(0.015));
    /// # Ok::<(), String>(())
    /// ```
    pub fn new<'a>(
        kind: ToolKind,
        named: impl IntoIterator<Item = (&'a str, &'a [f64])>,
    ) -> Result<Self, String> {
        let mut numbers = [f64::NAN; MAX_NUMBERS];
        for (name, values) in named {
            let (at, field) = kind
                .places()
                .find(|(_, field)| field.name == name)
                .ok_or_else(|| format!("a {} has no {name}: {}", kind.name(), names(kind)))?;
            if values.len() != field.numbers() {
                let form = if field.numbers() == 2 { "two numbers" } else { "a number" };
                return Err(format!("{name} is {form}"));
            }
            if !numbers[at].is_nan() {
                return Err(format!("{name} is given twice"));
            }
            if let Some(problem) = values.iter().find_map(|v| field.problem(*v)) {
                return Err(problem);
            }
            numbers[at..at + values.len()].copy_from_slice(values);
        }
        let mut tool = Self { kind, numbers };
        for (at, field) in kind.places().filter(|(at, _)| numbers[*at].is_nan()) {
            tool.numbers[at] = match field.fallback {
                Fallback::None => {
                    return Err(format!("a {} needs {}", kind.name(), field.name));
                }
                Fallback::Is(value) => value,
                Fallback::HalfSpacing => 0.5 * tool.number("spacing").unwrap_or(f64::NAN),
            };
        }
        tool.numbers[kind.numbers()..].fill(0.0);
        tool.checked()
    }

    /// The same tool with other numbers, in the order of [`Tool::numbers`].
    pub fn with_numbers(self, numbers: &[f64]) -> Result<Self, String> {
        if numbers.len() != self.kind.numbers() {
            let (kind, count) = (self.kind.name(), self.kind.numbers());
            return Err(format!("a {kind} has {count} numbers, not {}", numbers.len()));
        }
        let mut tool = self;
        tool.numbers[..numbers.len()].copy_from_slice(numbers);
        tool.checked()
    }

    /// The tool, unless a number is out of bounds.
    fn checked(mut self) -> Result<Self, String> {
        for (at, field) in self.kind.places() {
            for value in &mut self.numbers[at..at + field.numbers()] {
                if let Some(problem) = field.problem(*value) {
                    return Err(problem);
                }
                // Minus zero would make another file of the same picture.
                *value += 0.0;
            }
        }
        let moves = self.move_count();
        if moves > MAX_STYLUS_MOVES {
            let problem = format!("its way is too long for its reach: {moves} moves");
            return Err(format!("{problem}; at most {MAX_STYLUS_MOVES}"));
        }
        Ok(self)
    }

    /// What it is.
    pub fn kind(&self) -> ToolKind {
        self.kind
    }

    /// Its numbers, in the order of [`ToolKind::fields`], a point's x before its y.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers[..self.kind.numbers()]
    }

    /// Its fields with their numbers.
    pub fn fields(&self) -> impl Iterator<Item = (&'static Field, &[f64])> {
        self.kind.places().map(|(at, field)| (field, &self.numbers[at..at + field.numbers()]))
    }

    /// A number by its name; none if it has no such number, or that is a point.
    pub fn number(&self, name: &str) -> Option<f64> {
        let mut fields = self.fields();
        let (_, values) = fields.find(|(field, _)| field.name == name)?;
        if let [value] = values { Some(*value) } else { None }
    }

    /// The tool with one number, or one point, changed.
    pub fn with(&self, name: &str, values: &[f64]) -> Result<Self, String> {
        let others = self.fields().map(|(field, old)| {
            if field.name == name { (field.name, values) } else { (field.name, old) }
        });
        if self.kind.fields().iter().all(|field| field.name != name) {
            return Err(format!("a {} has no {name}: {}", self.kind.name(), names(self.kind)));
        }
        Self::new(self.kind, others)
    }

    /// The tool as it would be after a similarity: points mapped, angles turned, lengths scaled.
    pub fn placed(
        &self,
        point: impl Fn(Vec2<f64>) -> Vec2<f64>,
        degrees: f64,
        scale: f64,
    ) -> Result<Self, String> {
        let mut tool = *self;
        for (at, field) in self.kind.places() {
            let numbers = &mut tool.numbers[at..at + field.numbers()];
            match (field.unit, numbers) {
                (Unit::Place, [x, y]) => {
                    let to = point(vec2(*x, *y));
                    (*x, *y) = (to.x, to.y);
                }
                (Unit::Degrees, [angle]) if field.name == ANGLE.name => *angle += degrees,
                (unit, [length]) if unit.is_length() => *length *= scale,
                _ => {}
            }
        }
        tool.checked()
    }

    /// The tool while it is drawn: so much of its way is done, from 0 to 1.
    pub fn drawn(&self, share: f64) -> Self {
        let mut tool = *self;
        let [a, b, c, d, ..] = self.numbers;
        match self.kind {
            // The needle has come so far.
            ToolKind::Stylus => {
                tool.numbers[2..4].copy_from_slice(&[a + (c - a) * share, b + (d - b) * share]);
            }
            _ => tool.numbers[STRENGTH] *= share,
        }
        tool
    }

    /// Does it move anything?
    pub fn moves_paint(&self) -> bool {
        let [a, b, c, d, _, grip, ..] = self.numbers;
        match self.kind {
            ToolKind::Stylus => grip != 0.0 && (a != c || b != d),
            _ => self.numbers[STRENGTH] != 0.0,
        }
    }
}
