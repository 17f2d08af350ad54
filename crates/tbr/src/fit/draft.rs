//! A program that is being fitted: shapes, tools and colours, not yet checked as a [`Program`].

use super::colouring::{Colouring, Palette};
use super::{Options, Target};
use crate::error::{Error, Result};
use crate::program::{Parts, Program, Stroke};
use crate::stroke::Operator;
use crate::stroke::Shape;
use crate::tool::Pass;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// Strokes with their colours, and tools.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Draft {
    pub shapes: Vec<Shape>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Pass>,
    pub colouring: Colouring,
    /// None where strokes are known by their places.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<Names>,
}

/// What strokes are called, where they are followed from picture to picture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Names {
    /// Each stroke's name.
    pub of_strokes: Vec<u32>,
    /// The name of the next that is born.
    pub next: u32,
}

impl Names {
    /// Names of strokes that come to be one after the other, of which `next` is the first.
    pub fn new(strokes: usize, next: u32) -> Self {
        let end = next.saturating_add(strokes as u32);
        Self { of_strokes: (next..end).collect(), next: end }
    }

    /// These names for what a fit has left of strokes, `own`: those that were there before the fit,
    /// whose names are below `next`, keep theirs; the others are numbered anew from there.
    pub fn of_survivors(own: &Self, next: u32) -> Self {
        let mut names = Self { of_strokes: Vec::with_capacity(own.of_strokes.len()), next };
        for name in &own.of_strokes {
            let is_new = *name >= next;
            names.of_strokes.push(if is_new { names.next } else { *name });
            names.next = names.next.saturating_add(u32::from(is_new));
        }
        names
    }

    /// Keeps the names of strokes in another order, given by their old places; those that had
    /// none are new.
    pub fn rearrange(&mut self, places: &[Option<usize>]) {
        let new = |place: &Option<usize>| match place {
            Some(place) => self.of_strokes[*place],
            None => {
                self.next = self.next.saturating_add(1);
                self.next - 1
            }
        };
        self.of_strokes = places.iter().map(new).collect();
    }
}

impl Draft {
    /// A program as the start of a fit. Its palette is kept if it has as many colours
    /// as are asked for.
    pub fn of(program: &Program, target: &Target, options: &Options) -> Result<Self> {
        if program.strokes().len() != options.strokes {
            let (has, asked) = (program.strokes().len(), options.strokes);
            let message = format!("the program to start from has {has} strokes, not {asked}");
            return Err(Error::Request(message));
        }
        let off = (program.height() / target.height() - 1.0).abs()
            * f64::from(target.image().height_px());
        if off > 1.0 {
            let message = format!(
                "the program to start from has a canvas of 1 x {}, the picture one of 1 x {}",
                program.height(),
                target.height()
            );
            return Err(Error::Request(message));
        }
        let (palette, fixed) = match &options.palette {
            Palette::Size(count) if *count == program.palette().len() => {
                (program.palette().to_vec(), false)
            }
            other => other.colours(options.palette_by, target, options.seed),
        };
        let colours = program.strokes().iter().map(|s| program.colour(s.paint)).collect();
        let colouring = Colouring::new(palette, fixed, colours, program.background());
        let shape = |shape: Shape| match (options.drops, options.bends) {
            (true, _) => drop_of(&shape),
            (false, false) => shape.with_bend(0.0),
            (false, true) => shape,
        };
        if !options.tools.is_empty() {
            let message = "a program to start from has its own tools: others cannot be given";
            return Err(Error::Request(message.into()));
        }
        let shapes = program.strokes().iter().map(|s| shape(s.shape)).collect();
        Ok(Self { shapes, tools: program.tools().to_vec(), colouring, names: None })
    }

    /// Has it the strokes that a fit of this picture would have, each with a colour, and within
    /// the limits of a program?
    pub fn is_whole(&self, target: &Target, options: &Options) -> bool {
        let counts = [self.shapes.len(), self.colouring.colours.len()];
        let named = self.names.as_ref().is_none_or(|n| n.of_strokes.len() == options.strokes);
        counts == [options.strokes; 2]
            && named
            && self.program(target.height(), options.operator).is_ok()
            && self.colouring.is_sound(&options.palette)
    }

    /// The program, on a canvas of some height.
    pub fn program(&self, height: f64, operator: Operator) -> Result<Program> {
        let stroke =
            |(i, shape): (usize, &Shape)| Stroke { shape: *shape, paint: self.colouring.paint(i) };
        Program::new(Parts {
            height,
            background: self.colouring.background,
            operator,
            palette: self.colouring.palette.clone(),
            strokes: self.shapes.iter().enumerate().map(stroke).collect(),
            tools: self.tools.clone(),
            ..Parts::default()
        })
    }
}

/// A drop of the same area at the same place.
fn drop_of(shape: &Shape) -> Shape {
    Shape::drop(shape.anchor + shape.offset * 0.5, (shape.area() / PI).sqrt())
}
