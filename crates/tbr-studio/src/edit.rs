//! Edits and selections that a page asks for, by the library's functions.

use crate::fits::forget_parked;
use crate::history::History;
use crate::refusal::{Answer, Refusal};
use crate::workspace::{Piece, Studio};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tbr::colour::{from_hex, hex};
use tbr::edit::{self, Change, Choice, Selection};
use tbr::fit::{Target, palette::of_picture};
use tbr::trace::Tracer;
use tbr::{Colour, Paint, Program, Shape, Stroke, Vec2, vec2};

/// Width of the replay whose colours a palette is made of.
const PALETTE_PX: u32 = 256;

type Point = [f64; 2];

/// A change, and the number of the drag that it belongs to.
#[derive(Clone, Debug, Deserialize)]
pub struct Edit {
    #[serde(flatten)]
    operation: Operation,
    drag: Option<u64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
enum Operation {
    Recolour {
        strokes: Vec<usize>,
        colour: Option<String>,
        palette: Option<usize>,
    },
    Translate {
        strokes: Vec<usize>,
        by: Point,
    },
    Scale {
        strokes: Vec<usize>,
        factor: f64,
        about: Option<Point>,
    },
    Rotate {
        strokes: Vec<usize>,
        degrees: f64,
        about: Option<Point>,
    },
    Delete {
        strokes: Vec<usize>,
    },
    Duplicate {
        strokes: Vec<usize>,
    },
    Bend {
        strokes: Vec<usize>,
        bend: f64,
    },
    Insert {
        number: usize,
        anchor: Point,
        offset: Point,
        half_width: f64,
        #[serde(default)]
        bend: f64,
        colour: String,
    },
    Palette {
        colours: Vec<String>,
    },
    Reduce {
        colours: usize,
    },
    Background {
        colour: String,
    },
}

/// The answer to a change.
#[derive(Serialize)]
pub struct Changed {
    revision: u64,
    label: String,
    /// How many strokes there are now.
    strokes: usize,
}

impl Studio {
    pub fn edit(&self, id: u64, edit: &Edit) -> Answer<Changed> {
        let (start, revision) = self.with(id, |piece| {
            piece.check_idle()?;
            let history = piece.history.as_ref().ok_or_else(no_program)?;
            Ok((Arc::clone(history.start(edit.drag)), piece.revision))
        })?;
        // What takes a while is done without the lock.
        let program = edit.operation.apply(&start).map_err(Refusal::into_bad_request)?;
        let label = edit.operation.label(&start);
        self.step(id, |piece| {
            if piece.revision != revision {
                return Err(Refusal::conflict("the program has changed meanwhile"));
            }
            history(piece)?.push(label.clone(), program, edit.drag);
            Ok(label)
        })
    }

    pub fn undo(&self, id: u64) -> Answer<Changed> {
        self.step(id, |piece| match history(piece)?.undo() {
            Some(label) => Ok(label?),
            None => Err(Refusal::conflict("there is nothing to undo")),
        })
    }

    pub fn redo(&self, id: u64) -> Answer<Changed> {
        self.step(id, |piece| match history(piece)?.redo() {
            Some(label) => Ok(label?),
            None => Err(Refusal::conflict("there is nothing to redo")),
        })
    }

    fn step(&self, id: u64, step: impl FnOnce(&mut Piece) -> Answer<String>) -> Answer<Changed> {
        let label = self.change(id, |piece| {
            piece.check_idle()?;
            let label = step(piece)?;
            forget_parked(piece);
            Ok(label)
        })?;
        self.with(id, |piece| {
            let strokes = piece.program().map_or(0, |program| program.strokes().len());
            Ok(Changed { revision: piece.revision, label, strokes })
        })
    }
}

fn history(piece: &mut Piece) -> Answer<&mut History> {
    piece.history.as_mut().ok_or_else(no_program)
}

fn no_program() -> Refusal {
    Refusal::conflict("there is no program to change").hint("fit the picture")
}

impl Operation {
    fn apply(&self, program: &Program) -> Answer<Program> {
        let chosen = |strokes: &[usize]| choice(program, strokes);
        Ok(match self {
            Self::Recolour { strokes, colour, palette } => {
                let paint = match (colour, palette) {
                    (Some(colour), None) => own_or_palette(program, parse(colour)?),
                    (None, Some(entry)) => Paint::Palette(*entry),
                    _ => return Err(Refusal::bad_request("either colour or palette is needed")),
                };
                edit::set(program, &chosen(strokes)?, Change::Paint(paint))?
            }
            Self::Translate { strokes, by } => {
                edit::translate(program, &chosen(strokes)?, point(by))?
            }
            Self::Scale { strokes, factor, about } => {
                let (chosen, about) = (chosen(strokes)?, middle(program, strokes, about));
                edit::scale(program, &chosen, *factor, about)?
            }
            Self::Rotate { strokes, degrees, about } => {
                let (chosen, about) = (chosen(strokes)?, middle(program, strokes, about));
                edit::rotate(program, &chosen, *degrees, about)?
            }
            Self::Delete { strokes } => edit::delete(program, &chosen(strokes)?)?,
            Self::Duplicate { strokes } => edit::duplicate(program, &chosen(strokes)?)?,
            Self::Bend { strokes, bend } => {
                edit::set(program, &chosen(strokes)?, Change::Bend(*bend))?
            }
            Self::Insert { number, anchor, offset, half_width, bend, colour } => {
                let (anchor, offset) = (point(anchor), point(offset));
                let shape = Shape::line(anchor, offset, *half_width).with_bend(*bend);
                let paint = own_or_palette(program, parse(colour)?);
                edit::insert(program, *number, Stroke { shape, paint })?
            }
            Self::Palette { colours } => {
                let colours = colours.iter().map(|text| parse(text)).collect::<Answer<Vec<_>>>()?;
                edit::replace_palette(program, &others_kept(program.palette(), colours))?
            }
            Self::Reduce { colours } => reduced(program, *colours)?,
            Self::Background { colour } => edit::set_background(program, parse(colour)?)?,
        })
    }

    /// The label of the step: what it does, in words, to the program before it.
    fn label(&self, before: &Program) -> String {
        let strokes = |verb: &str, strokes: &[usize]| match strokes {
            [one] => format!("{verb} stroke {one}"),
            several => format!("{verb} {} strokes", several.len()),
        };
        match self {
            Self::Recolour { strokes: s, .. } => strokes("recolour", s),
            Self::Translate { strokes: s, .. } => strokes("move", s),
            Self::Scale { strokes: s, .. } => strokes("scale", s),
            Self::Rotate { strokes: s, .. } => strokes("turn", s),
            Self::Delete { strokes: s } => strokes("delete", s),
            Self::Duplicate { strokes: s } => strokes("duplicate", s),
            Self::Bend { strokes: s, .. } => strokes("bend", s),
            Self::Insert { number, offset: [0.0, 0.0], .. } => format!("drop as stroke {number}"),
            Self::Insert { number, .. } => format!("stroke {number} drawn"),
            Self::Palette { colours } => {
                let other = |(old, new): &(&Colour, &String)| hex(**old) != **new;
                match before.palette().iter().zip(colours).filter(other).count() {
                    1 => "change a colour of the palette".to_owned(),
                    count => format!("change {count} colours of the palette"),
                }
            }
            Self::Reduce { colours } => format!("reduce to {colours} colours"),
            Self::Background { .. } => "change the background".to_owned(),
        }
    }
}

/// The choice of strokes by their numbers, counted from 1.
fn choice(program: &Program, numbers: &[usize]) -> Answer<Choice> {
    let count = program.strokes().len();
    let mut chosen = vec![false; count];
    for number in numbers {
        let place = number.checked_sub(1).and_then(|index| chosen.get_mut(index));
        *place.ok_or_else(|| {
            Refusal::bad_request(format!("there is no stroke {number}: they go from 1 to {count}"))
        })? = true;
    }
    if numbers.is_empty() {
        return Err(Refusal::bad_request("no stroke is selected"));
    }
    Ok(Choice::of(program, |i| chosen[i]))
}

fn point([x, y]: &Point) -> Vec2<f64> {
    vec2(*x, *y)
}

fn parse(text: &str) -> Answer<Colour> {
    from_hex(text)
        .ok_or_else(|| Refusal::bad_request(format!("\"{text}\" is no colour like #1d3f73")))
}

/// New colours in the place of old ones, which stay where they look the same: a page sends
/// eight bits, and they may have more.
fn others_kept(old: &[Colour], mut new: Vec<Colour>) -> Vec<Colour> {
    for (new, old) in new.iter_mut().zip(old) {
        if hex(*new) == hex(*old) {
            *new = *old;
        }
    }
    new
}

/// A colour as a paint: the palette's entry that looks the same, if it has one.
fn own_or_palette(program: &Program, colour: Colour) -> Paint {
    let entry = program.palette().iter().position(|c| hex(*c) == hex(colour));
    entry.map_or(Paint::Own(colour), Paint::Palette)
}

/// The point that is given, or else the centroid of strokes, each weighted by its area.
fn middle(program: &Program, numbers: &[usize], about: &Option<Point>) -> Vec2<f64> {
    if let Some(about) = about {
        return point(about);
    }
    let (mut sum, mut area) = (vec2(0.0, 0.0), 0.0);
    for stroke in numbers.iter().filter_map(|n| program.strokes().get(n.checked_sub(1)?)) {
        let Shape { anchor, offset, .. } = stroke.shape;
        sum = sum + (anchor + offset * 0.5) * stroke.shape.area();
        area += stroke.shape.area();
    }
    if area > 0.0 { sum * (1.0 / area) } else { vec2(0.5, 0.5 * program.height()) }
}

/// The program repainted with a palette chosen for its picture.
fn reduced(program: &Program, count: usize) -> Answer<Program> {
    if !(1..=256).contains(&count) {
        return Err(Refusal::bad_request("a palette has 1 to 256 colours here"));
    }
    let target = Target::new(tbr::render(program, PALETTE_PX)?, None)?;
    let palette = of_picture(&target, count, 0);
    Ok(edit::repaint(program, &Choice::all(program), &palette)?)
}

/// A selection of strokes by a page.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Pick {
    At { at: Point },
    Lasso { lasso: Vec<Point> },
    Rule { rule: String },
}

impl Pick {
    /// The numbers of the strokes, counted from 1.
    pub fn strokes(&self, program: &Program) -> Answer<Vec<usize>> {
        let choice = match self {
            Self::At { at } => {
                let trace = Tracer::new(program, None).back(checked(at)?);
                return Ok(trace.stroke.into_iter().collect());
            }
            Self::Lasso { lasso } => {
                edit::lasso(program, &lasso.iter().map(point).collect::<Vec<_>>())?
            }
            Self::Rule { rule } => rule.parse::<Selection>()?.choose(program)?,
        };
        Ok(choice.iter().zip(1..).filter(|(chosen, _)| *chosen).map(|(_, n)| n).collect())
    }
}

/// Refuses points that are too far away to be traced.
pub fn checked([x, y]: &Point) -> Answer<Vec2<f64>> {
    if [x, y].iter().all(|v| v.abs() <= 1e6) {
        return Ok(vec2(*x, *y));
    }
    Err(Refusal::bad_request(format!("{x},{y} is no point near the canvas")))
}
