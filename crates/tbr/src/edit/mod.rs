//! Changes to a program. Each takes a valid program and gives another, or says why it
//! cannot; what it touches is a [`Choice`] of steps, most often by a [`Selection`].
//!
//! An edit changes steps, not pixels: the replay lets the paint flow anew. So moving a
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
use crate::program::{Colour, Paint, Parts, Program, Step, StepIndex, Stroke};
use crate::render::Region;
use crate::stroke::Shape;
use crate::tool::Pass;
use std::collections::HashMap;

/// The program with its parts changed.
fn changed(program: &Program, change: impl FnOnce(&mut Parts)) -> Result<Program> {
    let mut parts = program.clone().into_parts();
    change(&mut parts);
    Program::new(parts)
}

/// The program with its steps changed.
fn with_steps(program: &Program, steps: impl IntoIterator<Item = Step>) -> Result<Program> {
    changed(program, |parts| parts.set_steps(steps))
}

/// The program with the chosen steps changed.
fn each(
    program: &Program,
    choice: &Choice,
    change: impl Fn(&mut Step) -> Result<()>,
) -> Result<Program> {
    choice.check(program)?;
    let mut steps = program.steps();
    for (i, (step, _)) in steps.iter_mut().zip(choice.iter()).enumerate().filter(|(_, (_, c))| *c) {
        change(step).map_err(|e| match e {
            Error::Request(problem) => Error::program(format!("step {}", i + 1), problem),
            other => other,
        })?;
    }
    with_steps(program, steps)
}

/// The program with the chosen strokes changed; chosen tools stay as they are.
fn each_stroke(
    program: &Program,
    choice: &Choice,
    change: impl Fn(&mut Stroke),
) -> Result<Program> {
    each(program, choice, |step| {
        if let Step::Stroke(stroke) = step {
            change(stroke);
        }
        Ok(())
    })
}

/// One more step: it becomes number `number`, counted from 1.
pub fn insert(program: &Program, number: usize, step: impl Into<Step>) -> Result<Program> {
    check_number(number, program.step_count() + 1)?;
    let mut steps = program.steps();
    steps.insert(number - 1, step.into());
    with_steps(program, steps)
}

/// Takes steps away.
pub fn delete(program: &Program, choice: &Choice) -> Result<Program> {
    choice.check(program)?;
    let (_, rest) = parted(program, choice);
    with_steps(program, rest)
}

/// Does the chosen steps at another time: together and in their order, the first of
/// them as number `number`, counted from 1.
pub fn move_to(program: &Program, choice: &Choice, number: usize) -> Result<Program> {
    choice.check(program)?;
    let (moved, mut rest) = parted(program, choice);
    check_number(number, rest.len() + 1)?;
    rest.splice(number - 1..number - 1, moved);
    with_steps(program, rest)
}

/// Does the chosen steps twice, each copy right after its original.
pub fn duplicate(program: &Program, choice: &Choice) -> Result<Program> {
    choice.check(program)?;
    let copies =
        |(step, chosen): (Step, bool)| std::iter::repeat_n(step, if chosen { 2 } else { 1 });
    with_steps(program, program.steps().into_iter().zip(choice.iter()).flat_map(copies))
}

/// Does the chosen steps in the opposite order; the others keep their numbers.
pub fn reverse(program: &Program, choice: &Choice) -> Result<Program> {
    choice.check(program)?;
    let (chosen, _) = parted(program, choice);
    let mut last_first = chosen.into_iter().rev();
    let steps = program.steps().into_iter().zip(choice.iter());
    let turned = |(step, chosen)| if chosen { last_first.next().unwrap_or(step) } else { step };
    with_steps(program, steps.map(turned).collect::<Vec<_>>())
}

/// The chosen steps, and the others.
fn parted(program: &Program, choice: &Choice) -> (Vec<Step>, Vec<Step>) {
    let (chosen, rest): (Vec<_>, Vec<_>) =
        program.steps().into_iter().zip(choice.iter()).partition(|(_, chosen)| *chosen);
    let steps = |list: Vec<(Step, bool)>| list.into_iter().map(|(step, _)| step).collect();
    (steps(chosen), steps(rest))
}

fn check_number(number: usize, most: usize) -> Result<()> {
    if (1..=most).contains(&number) {
        return Ok(());
    }
    Err(Error::Request(format!("there is no number {number} here: they go from 1 to {most}")))
}

/// Moves steps.
pub fn translate(program: &Program, choice: &Choice, by: Vec2<f64>) -> Result<Program> {
    let similarity = Similarity { about: vec2(0.0, 0.0), degrees: 0.0, factor: 1.0, by };
    each(program, choice, |step| similarity.apply(step))
}

/// Turns steps about a point by an angle in degrees, clockwise as seen.
pub fn rotate(
    program: &Program,
    choice: &Choice,
    degrees: f64,
    about: Vec2<f64>,
) -> Result<Program> {
    let similarity = Similarity { about, degrees, factor: 1.0, by: vec2(0.0, 0.0) };
    each(program, choice, |step| similarity.apply(step))
}

/// Scales steps, widths and all, about a point.
pub fn scale(program: &Program, choice: &Choice, factor: f64, about: Vec2<f64>) -> Result<Program> {
    // Zero, negative and no number give half-widths that are refused, with the stroke.
    let similarity = Similarity { about, degrees: 0.0, factor, by: vec2(0.0, 0.0) };
    each(program, choice, |step| similarity.apply(step))
}

/// A turn and a scale about a point, then a shift.
struct Similarity {
    about: Vec2<f64>,
    degrees: f64,
    factor: f64,
    by: Vec2<f64>,
}

impl Similarity {
    /// The step, moved along.
    fn apply(&self, step: &mut Step) -> Result<()> {
        match step {
            Step::Stroke(Stroke { shape, .. }) => {
                shape.anchor = self.point(shape.anchor);
                shape.offset = self.vector(shape.offset);
                shape.half_width *= self.factor;
            }
            Step::Tool(tool) => {
                let placed = tool.placed(|p| self.point(p), self.degrees, self.factor);
                *tool = placed.map_err(Error::Request)?;
            }
        }
        Ok(())
    }

    fn point(&self, p: Vec2<f64>) -> Vec2<f64> {
        // (What is neither turned nor scaled keeps its digits.)
        if self.degrees == 0.0 && self.factor == 1.0 {
            return p + self.by;
        }
        self.about + self.vector(p - self.about) + self.by
    }

    fn vector(&self, v: Vec2<f64>) -> Vec2<f64> {
        if self.degrees == 0.0 {
            return v * self.factor;
        }
        let radians = self.degrees.to_radians();
        v.out_of_frame(vec2(libm::cos(radians), libm::sin(radians))) * self.factor
    }
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

/// Gives the chosen tools one value for a number, or a point, of that name. Strokes among the
/// choice stay as they are; a tool without such a number is refused.
pub fn set_tools(
    program: &Program,
    choice: &Choice,
    name: &str,
    values: &[f64],
) -> Result<Program> {
    each(program, choice, |step| {
        if let Step::Tool(tool) = step {
            *tool = tool.with(name, values).map_err(Error::Request)?;
        }
        Ok(())
    })
}

/// Gives the chosen strokes one value.
pub fn set(program: &Program, choice: &Choice, change: Change) -> Result<Program> {
    if matches!(change, Change::Length(length) if length < 0.0 || length.is_nan()) {
        return Err(Error::Request("a length is a number from 0 on".into()));
    }
    each_stroke(program, choice, |stroke| match change {
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

/// Makes a region the new canvas: part of the old one, or more than it. All steps
/// stay, also those outside, which push.
pub fn reframe(program: &Program, region: Region) -> Result<Program> {
    let Region { x, y, width, height } = region;
    if !(width > 0.0 && height > 0.0) {
        let message = format!("a canvas of {width} x {height} is none");
        return Err(Error::Request(message));
    }
    let corner = vec2(x, y);
    let mut parts = program.clone().into_parts();
    parts.height = height / width;
    for Stroke { shape, .. } in &mut parts.strokes {
        shape.anchor = (shape.anchor - corner) * (1.0 / width);
        shape.offset = shape.offset * (1.0 / width);
        shape.half_width /= width;
    }
    for k in 0..parts.tools.len() {
        let placed = parts.tools[k].tool.placed(|p| (p - corner) * (1.0 / width), 0.0, 1.0 / width);
        parts.tools[k].tool =
            placed.map_err(|problem| Error::program(parts.place(StepIndex::Tool(k)), problem))?;
    }
    Program::new(parts)
}

/// Does the steps of `second` after those of `first`, on the canvas of `first`.
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
        let before = parts.strokes.len();
        let later = second.tools().iter().map(|pass| Pass { after: before + pass.after, ..*pass });
        parts.tools.extend(later);
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
