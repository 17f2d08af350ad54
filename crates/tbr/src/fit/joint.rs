//! All strokes at once: gradient steps through the whole chain, from a program
//! that is nearly right.

use super::Target;
use super::adam::Adam;
use super::draft::Draft;
use crate::adjoint::{Engine, Gradient, Outcome, Precision, Relaxation, Scene, gradient};
use crate::error::Result;
use crate::program::{Colour, MAX_COORDINATE, MIN_HALF_WIDTH, Operator};
use crate::stroke::Shape;
use crate::vec2::{Vec2, vec2};
use serde::{Deserialize, Serialize};

/// Step sizes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// Of middle and offset, in half-widths. More moves faster, and shakes the rest.
    pub place: f64,
    /// Of the half-width, as a share of it.
    pub width: f64,
    /// Of colours.
    pub colour: f64,
}

impl Rates {
    /// A share of them.
    pub fn scaled(self, share: f64) -> Self {
        let Self { place, width, colour } = self;
        Self { place: place * share, width: width * share, colour: colour * share }
    }
}

impl Default for Rates {
    fn default() -> Self {
        Self { place: 0.1, width: 0.05, colour: 0.01 }
    }
}

/// How Adam's second mean forgets. The usual 0.999 is longer: a fit has a few hundred steps,
/// and its gradients change as the paint sharpens.
const FORGET: f64 = 0.99;

/// Numbers per stroke: middle, offset, half-width and colour.
const NUMBERS: usize = 8;

/// The optimiser of a program's strokes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Joint {
    pub draft: Draft,
    adam: Adam,
    /// Do drops stay drops?
    drops: bool,
}

impl Joint {
    pub fn new(draft: Draft, drops: bool) -> Self {
        Self { adam: Adam::new(NUMBERS * draft.shapes.len(), FORGET), draft, drops }
    }

    /// Begins a stage: what Adam remembers is of other pixels.
    pub fn enter_stage(&mut self) {
        self.adam = Adam::new(NUMBERS * self.draft.shapes.len(), FORGET);
    }

    /// One step down the target's loss, for every stroke; gives what it was before.
    pub fn step(
        &mut self,
        target: &Target,
        operator: Operator,
        relaxation: Relaxation,
        rates: &Rates,
    ) -> Result<f64> {
        let colouring = &mut self.draft.colouring;
        let scene = Scene {
            shapes: self.draft.shapes.clone(),
            colours: colouring.colours.clone(),
            background: target.backdrop(colouring.background),
            operator,
            relaxation,
            view: target.view(),
        };
        let Outcome { loss, gradient, .. } =
            gradient(&scene, Engine::Coarse, Precision::Single, &target.loss())?;
        let change = self.adam.step(&pull_back(&scene.shapes, &gradient));
        for (i, change) in change.chunks_exact(NUMBERS).enumerate() {
            self.draft.shapes[i] = moved(&scene.shapes[i], change, rates, self.drops);
            if colouring.is_free() {
                colouring.colours[i] = tinted(colouring.colours[i], &change[5..], rates);
            }
        }
        Ok(loss)
    }
}

/// A shape after a step.
fn moved(shape: &Shape, change: &[f64], rates: &Rates, drops: bool) -> Shape {
    let step = rates.place * shape.half_width;
    let mid = shape.anchor + shape.offset * 0.5 + vec2(change[0], change[1]) * step;
    let turn = if drops { 0.0 } else { step };
    let offset = shape.offset + vec2(change[2], change[3]) * turn;
    let half_width = shape.half_width * libm::exp(rates.width * change[4]);
    Shape {
        anchor: within(mid - offset * 0.5),
        offset: within(offset),
        half_width: half_width.clamp(MIN_HALF_WIDTH, MAX_COORDINATE),
    }
}

/// The nearest that a program may hold.
fn within(v: Vec2<f64>) -> Vec2<f64> {
    let clamp = |v: f64| v.clamp(-MAX_COORDINATE, MAX_COORDINATE);
    vec2(clamp(v.x), clamp(v.y))
}

/// The gradient with respect to middle and offset in half-widths, the logarithm
/// of the half-width, and colour.
fn pull_back(shapes: &[Shape], gradient: &Gradient) -> Vec<f64> {
    let mut all = Vec::with_capacity(NUMBERS * shapes.len());
    for ((shape, d), colour) in shapes.iter().zip(&gradient.shapes).zip(&gradient.colours) {
        // The anchor is the middle less half the offset.
        let offset = d.offset - d.anchor * 0.5;
        let numbers = [d.anchor.x, d.anchor.y, offset.x, offset.y, d.half_width];
        all.extend(numbers.map(|g| g * shape.half_width));
        all.extend(colour);
    }
    all
}

fn tinted(colour: Colour, change: &[f64], rates: &Rates) -> Colour {
    std::array::from_fn(|c| (colour[c] + rates.colour * change[c]).clamp(0.0, 1.0))
}
