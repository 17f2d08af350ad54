//! Changes to a program. Each takes a valid program and gives another, or says why it
//! cannot; what it touches is a [`Choice`] of strokes, most often by a [`Selection`].
//!
//! An edit changes strokes, not pixels: the replay lets the paint flow anew. So moving a
//! late stroke moves all the paint that it pushes, and the strokes that make up a motif
//! of the picture cannot be moved as one: their deposits have been carried to where they
//! are by strokes that stay. For that, paint what is wanted and fit again
//! ([`crate::fit::Fit::from_program`]).

mod colours;
mod lasso;
mod select;
#[cfg(test)]
mod tests;
mod words;

pub use colours::{map_colour, repaint, replace_palette, swap_colours};
pub use lasso::lasso;
pub use select::{Amount, Choice, Interval, OWNED_WIDTH_PX, Selection};
pub use words::parse_paint;

use crate::error::{Error, Result};
use crate::numbers::{Vec2, vec2};
use crate::program::{Colour, Paint, Parts, Program, Stroke};
use crate::render::Region;
use crate::stroke::Shape;
use std::collections::HashMap;

/// The program with its parts changed.
fn changed(program: &Program, change: impl FnOnce(&mut Parts)) -> Result<Program> {
    let mut parts = program.clone().into_parts();
    change(&mut parts);
    Program::new(parts)
}

/// The program with the chosen strokes changed.
fn each(program: &Program, choice: &Choice, change: impl Fn(&mut Stroke)) -> Result<Program> {
    choice.check(program)?;
    changed(program, |parts| {
        parts
            .strokes
            .iter_mut()
            .zip(choice.iter())
            .filter(|(_, c)| *c)
            .for_each(|(s, _)| change(s));
    })
}

/// Lays one more stroke: it becomes number `number`, counted from 1.
pub fn insert(program: &Program, number: usize, stroke: Stroke) -> Result<Program> {
    check_number(number, program.strokes().len() + 1)?;
    changed(program, |parts| parts.strokes.insert(number - 1, stroke))
}

/// Takes strokes away.
pub fn delete(program: &Program, choice: &Choice) -> Result<Program> {
    choice.check(program)?;
    let (_, rest) = parted(program, choice);
    changed(program, |parts| parts.strokes = rest)
}

/// Lays the chosen strokes at another time: together and in their order, the first of
/// them as number `number`, counted from 1.
pub fn move_to(program: &Program, choice: &Choice, number: usize) -> Result<Program> {
    choice.check(program)?;
    let (moved, mut rest) = parted(program, choice);
    check_number(number, rest.len() + 1)?;
    rest.splice(number - 1..number - 1, moved);
    changed(program, |parts| parts.strokes = rest)
}

/// Lays the chosen strokes twice, each copy right after its original.
pub fn duplicate(program: &Program, choice: &Choice) -> Result<Program> {
    choice.check(program)?;
    let copies = |(stroke, chosen): (&Stroke, bool)| {
        std::iter::repeat_n(*stroke, if chosen { 2 } else { 1 })
    };
    let strokes = program.strokes().iter().zip(choice.iter()).flat_map(copies).collect();
    changed(program, |parts| parts.strokes = strokes)
}

/// Lays the chosen strokes in the opposite order; the others keep their numbers.
pub fn reverse(program: &Program, choice: &Choice) -> Result<Program> {
    choice.check(program)?;
    let (chosen, _) = parted(program, choice);
    let mut last_first = chosen.into_iter().rev();
    changed(program, |parts| {
        for (stroke, _) in parts.strokes.iter_mut().zip(choice.iter()).filter(|(_, c)| *c) {
            *stroke = last_first.next().unwrap_or(*stroke);
        }
    })
}

/// The chosen strokes, and the others.
fn parted(program: &Program, choice: &Choice) -> (Vec<Stroke>, Vec<Stroke>) {
    let (chosen, rest): (Vec<_>, Vec<_>) =
        program.strokes().iter().zip(choice.iter()).partition(|(_, chosen)| *chosen);
    let strokes = |list: Vec<(&Stroke, bool)>| list.into_iter().map(|(s, _)| *s).collect();
    (strokes(chosen), strokes(rest))
}

fn check_number(number: usize, most: usize) -> Result<()> {
    if (1..=most).contains(&number) {
        return Ok(());
    }
    Err(Error::Request(format!("there is no number {number} here: they go from 1 to {most}")))
}

/// Moves strokes.
pub fn translate(program: &Program, choice: &Choice, by: Vec2<f64>) -> Result<Program> {
    each(program, choice, |stroke| stroke.shape.anchor = stroke.shape.anchor + by)
}

/// Turns strokes about a point by an angle in degrees, clockwise as seen.
pub fn rotate(
    program: &Program,
    choice: &Choice,
    degrees: f64,
    about: Vec2<f64>,
) -> Result<Program> {
    let radians = degrees.to_radians();
    let dir = vec2(libm::cos(radians), libm::sin(radians));
    each(program, choice, |Stroke { shape, .. }| {
        shape.anchor = about + (shape.anchor - about).out_of_frame(dir);
        shape.offset = shape.offset.out_of_frame(dir);
    })
}

/// Scales strokes, widths and all, about a point.
pub fn scale(program: &Program, choice: &Choice, factor: f64, about: Vec2<f64>) -> Result<Program> {
    // Zero, negative and no number give half-widths that are refused, with the stroke.
    each(program, choice, |Stroke { shape, .. }| {
        shape.anchor = about + (shape.anchor - about) * factor;
        shape.offset = shape.offset * factor;
        shape.half_width *= factor;
    })
}

/// What [`set`] changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// The beginning of the segment.
    Anchor(Vec2<f64>),
    /// From the segment's beginning to its end.
    Offset(Vec2<f64>),
    /// The length of the segment, about its middle, the bend kept; drops become horizontal.
    Length(f64),
    /// The half-width.
    HalfWidth(f64),
    /// The bend.
    Bend(f64),
    /// The colour.
    Paint(Paint),
}

/// Gives the chosen strokes one value.
pub fn set(program: &Program, choice: &Choice, change: Change) -> Result<Program> {
    if matches!(change, Change::Length(length) if length < 0.0 || length.is_nan()) {
        return Err(Error::Request("a length is a number from 0 on".into()));
    }
    each(program, choice, |stroke| match change {
        Change::Anchor(anchor) => stroke.shape.anchor = anchor,
        Change::Offset(offset) => stroke.shape.offset = offset,
        Change::Length(length) => stroke.shape = with_length(stroke.shape, length),
        Change::HalfWidth(half_width) => stroke.shape.half_width = half_width,
        Change::Bend(bend) => stroke.shape.bend = bend,
        Change::Paint(paint) => stroke.paint = paint,
    })
}

fn with_length(shape: Shape, length: f64) -> Shape {
    let now = shape.length();
    let offset = if now > 0.0 { shape.offset * (length / now) } else { vec2(length, 0.0) };
    Shape { anchor: shape.anchor + (shape.offset - offset) * 0.5, offset, ..shape }
}

/// Gives the bare canvas another colour.
pub fn set_background(program: &Program, colour: Colour) -> Result<Program> {
    changed(program, |parts| parts.background = colour)
}

/// Makes a region the new canvas: part of the old one, or more than it. All strokes
/// stay, also those outside, which push.
pub fn reframe(program: &Program, region: Region) -> Result<Program> {
    let Region { x, y, width, height } = region;
    if !(width > 0.0 && height > 0.0) {
        let message = format!("a canvas of {width} x {height} is none");
        return Err(Error::Request(message));
    }
    let corner = vec2(x, y);
    changed(program, |parts| {
        parts.height = height / width;
        for Stroke { shape, .. } in &mut parts.strokes {
            shape.anchor = (shape.anchor - corner) * (1.0 / width);
            shape.offset = shape.offset * (1.0 / width);
            shape.half_width /= width;
        }
    })
}

/// Lays the strokes of `second` after those of `first`, on the canvas of `first`.
pub fn concat(first: &Program, second: &Program) -> Result<Program> {
    if first.operator() != second.operator() {
        let message = format!(
            "programs of two operators, {} and {}, cannot be one",
            first.operator(),
            second.operator()
        );
        return Err(Error::Request(message));
    }
    changed(first, |parts| {
        let entries = joined(&mut parts.palette, second.palette());
        parts.strokes.extend(second.strokes().iter().map(|stroke| match stroke.paint {
            Paint::Palette(k) => Stroke { paint: Paint::Palette(entries[k]), ..*stroke },
            Paint::Own(_) => *stroke,
        }));
    })
}

/// Adds colours to a palette, each once; gives the entry, old or new, that each is.
fn joined(palette: &mut Vec<Colour>, colours: &[Colour]) -> Vec<usize> {
    // (Minus zero is zero.)
    let key = |colour: &Colour| colour.map(|v| (v + 0.0).to_bits());
    let mut entries = HashMap::new();
    for (entry, colour) in palette.iter().enumerate() {
        entries.entry(key(colour)).or_insert(entry);
    }
    let mut entry_of = |colour: &Colour| {
        *entries.entry(key(colour)).or_insert_with(|| {
            palette.push(*colour);
            palette.len() - 1
        })
    };
    colours.iter().map(&mut entry_of).collect()
}
