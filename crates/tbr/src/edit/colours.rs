//! Changes of colour.

use super::{Choice, changed, each_stroke};
use crate::error::{Error, Result};
use crate::program::colour::hex;
use crate::program::{Colour, Paint, Program, nearest};

/// Strokes of colour `a` get colour `b`, and the other way round.
pub fn swap_colours(program: &Program, choice: &Choice, a: Paint, b: Paint) -> Result<Program> {
    check_paint(program, a)?;
    check_paint(program, b)?;
    each_stroke(program, choice, |stroke| {
        if is_of(program, stroke.paint, a) {
            stroke.paint = b;
        } else if is_of(program, stroke.paint, b) {
            stroke.paint = a;
        }
    })
}

/// Strokes of colour `from` get colour `to`.
pub fn map_colour(program: &Program, choice: &Choice, from: Paint, to: Paint) -> Result<Program> {
    check_paint(program, from)?;
    check_paint(program, to)?;
    each_stroke(program, choice, |stroke| {
        if is_of(program, stroke.paint, from) {
            stroke.paint = to;
        }
    })
}

/// Gives the palette other colours, entry by entry.
pub fn replace_palette(program: &Program, palette: &[Colour]) -> Result<Program> {
    let (old, new) = (program.palette().len(), palette.len());
    if old != new {
        let message = format!("the palette has {old} colours; {new} cannot take their places");
        return Err(Error::Request(message));
    }
    changed(program, |parts| parts.palette = palette.to_vec())
}

/// Gives every chosen stroke the nearest colour of another palette, which becomes the
/// program's. Strokes that are not chosen keep their colours.
pub fn repaint(program: &Program, choice: &Choice, palette: &[Colour]) -> Result<Program> {
    choice.check(program)?;
    if palette.is_empty() {
        return Err(Error::Request("a palette has at least one colour".into()));
    }
    changed(program, |parts| {
        for (stroke, chosen) in parts.strokes.iter_mut().zip(choice.of_strokes(program)) {
            let colour = program.colour(stroke.paint);
            stroke.paint = match (nearest(palette, colour), stroke.paint) {
                (Some(entry), _) if chosen => Paint::Palette(entry),
                (_, Paint::Palette(k)) if palette.get(k) == Some(&colour) => Paint::Palette(k),
                _ => Paint::Own(colour),
            };
        }
        parts.palette = palette.to_vec();
    })
}

/// Is a stroke's paint the one that is meant? A palette entry is meant by its number, any
/// other colour by how it looks in 8 bits.
pub(super) fn is_of(program: &Program, paint: Paint, meant: Paint) -> bool {
    match meant {
        Paint::Palette(_) => paint == meant,
        Paint::Own(colour) => hex(program.colour(paint)) == hex(colour),
    }
}

pub(super) fn check_paint(program: &Program, paint: Paint) -> Result<()> {
    match paint {
        Paint::Palette(entry) if entry >= program.palette().len() => {
            let count = program.palette().len();
            Err(Error::Request(format!(
                "there is no palette colour {entry}: the palette has {count}, counted from 0"
            )))
        }
        _ => Ok(()),
    }
}
