//! A program as a chain of maps, in float64: what follows paint walks along it, and it is the
//! definition that the engines are tested against.

use crate::error::{Error, Result};
use crate::numbers::Vec2;
use crate::program::{Program, StepIndex, step_order};
use crate::stroke::{Frame, Operator, Shape};
use crate::tool::{Move, Pass};

/// One map of a chain.
#[derive(Clone, Copy, Debug)]
enum Link {
    /// A stroke, with its index.
    Stroke(usize, Frame<f64>),
    /// A move of a tool.
    Move(Move<f64>),
}

/// The stroke that owns some material, by index and frame, if any; and where that lay.
pub type Owner<'a> = (Option<(usize, &'a Frame<f64>)>, Vec2<f64>);

/// The maps of a program's steps, in the order in which they are carried out.
#[derive(Clone, Debug)]
pub struct Chain {
    operator: Operator,
    links: Vec<Link>,
    /// Where each step's links end.
    ends: Vec<usize>,
}

impl Chain {
    /// Of a program, under its own operator or another.
    pub fn of(program: &Program, operator: Option<Operator>) -> Self {
        let shapes: Vec<Shape> = program.strokes().iter().map(|s| s.shape).collect();
        Self::new(operator.unwrap_or(program.operator()), &shapes, program.tools())
    }

    /// Of strokes, and of tools between them.
    pub fn new(operator: Operator, shapes: &[Shape], tools: &[Pass]) -> Self {
        let (mut links, mut ends) = (Vec::with_capacity(shapes.len()), Vec::new());
        for step in step_order(shapes.len(), tools) {
            match step {
                StepIndex::Stroke(i) => links.push(Link::Stroke(i, Frame::of(&shapes[i]))),
                StepIndex::Tool(k) => {
                    links.extend(tools[k].tool.moves().into_iter().map(Link::Move))
                }
            }
            ends.push(links.len());
        }
        Self { operator, links, ends }
    }

    /// The links of the first steps, and the others.
    fn parted(&self, steps: usize) -> Result<(&[Link], &[Link])> {
        let all = self.ends.len();
        if steps > all {
            let is_stroke = |link: &Link| matches!(link, Link::Stroke(..));
            let only_strokes = self.links.len() == all && self.links.iter().all(is_stroke);
            let what = if only_strokes { "strokes" } else { "steps" };
            return Err(Error::Request(format!("the program has {all} {what}, not {steps}")));
        }
        Ok(self.links.split_at(if steps == 0 { 0 } else { self.ends[steps - 1] }))
    }

    /// Who owns the material at `x`: the index of the stroke in whose deposit the point lies
    /// when it is followed back, with its frame, if any; and where it lay then (at the start, for
    /// the bare canvas).
    pub fn owner(&self, x: Vec2<f64>) -> Owner<'_> {
        self.owner_among(&self.links, x)
    }

    /// The same for a point of the picture after the first steps.
    pub fn owner_after(&self, steps: usize, x: Vec2<f64>) -> Result<Owner<'_>> {
        Ok(self.owner_among(self.parted(steps)?.0, x))
    }

    fn owner_among<'a>(&self, links: &'a [Link], mut x: Vec2<f64>) -> Owner<'a> {
        for link in links.iter().rev() {
            match link {
                Link::Stroke(index, frame) => {
                    let (covered, before) = self.operator.step(frame, x);
                    if covered {
                        return (Some((*index, frame)), x);
                    }
                    x = before;
                }
                Link::Move(tool) => x = tool.psi(x),
            }
        }
        (None, x)
    }

    /// Follows a point back to the start, through every deposit by the map's extension.
    pub fn back(&self, x: Vec2<f64>) -> Vec2<f64> {
        self.links.iter().rev().fold(x, |x, link| match link {
            Link::Stroke(_, frame) => self.operator.psi(frame, x),
            Link::Move(tool) => tool.psi(x),
        })
    }

    /// Carries a point that lies somewhere after the first steps to the end.
    pub fn forward(&self, steps: usize, x: Vec2<f64>) -> Result<Vec2<f64>> {
        Ok(self.parted(steps)?.1.iter().fold(x, |x, link| self.ahead(link, x)))
    }

    /// Carries a point through one map.
    fn ahead(&self, link: &Link, x: Vec2<f64>) -> Vec2<f64> {
        match link {
            Link::Stroke(_, frame) => self.operator.phi(frame, x),
            Link::Move(tool) => tool.phi(x),
        }
    }
}
