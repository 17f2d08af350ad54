//! The rule that the paper's solver starts from; where the text is silent it is ours
//! (docs/math.md, Sec. 17).

use super::parameters::{Inks, Parameters};
use crate::fit::{Options, Target};
use crate::numbers::{Vec2, vec2};
use crate::prior;
use crate::program::{Colour, nearest};
use crate::stroke::{Frame, Shape};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::f64::consts::TAU;

/// A stroke's length at the start, in half-widths: neither a drop nor a line.
const ASPECT: f64 = 1.0;
/// The lead of the palette colour that a stroke starts with. At 0 all colours are one grey
/// mixture, which draws the palette apart to make up for it, and the snapped program suffers:
/// floor ratios of 5.5, 6.5, 7.7 and 7.8 on the Mona Lisa at 512 pixels with 0, 1, 3 and 5, one run
/// each; the Great Wave and the Starry Night gain 3 and 12 % from 1 to 3. The colour steps of a
/// whole fit add up to three or four, so that 3 can still be overcome.
const LEAD: f64 = 3.0;

/// Shapes by the rule, in the order in which they are laid: half-widths by the paper's
/// schedule; anchors spread evenly (multiples of two irrational numbers, from a random
/// start); directions at random.
pub(super) fn shapes(target: &Target, options: &Options, parameters: &Parameters) -> Vec<Shape> {
    let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
    let mut unit = || rng.random::<f64>();
    let corner = vec2(unit(), unit());
    let shape = |i: usize| {
        let half_width = prior::half_width(i as f64 / options.strokes as f64) * parameters.scale;
        let angle = TAU * unit();
        let length = if options.drops { 0.0 } else { ASPECT * half_width };
        let place = spread(corner, i);
        let anchor = vec2(place.x, place.y * target.height());
        let direction = vec2(libm::cos(angle), libm::sin(angle));
        Shape::line(anchor, direction * length, half_width)
    };
    (0..options.strokes).map(shape).collect()
}

/// The `i`th of points that fill the unit square evenly: steps by the powers of the
/// real root of x^3 = x + 1.
fn spread(corner: Vec2<f64>, i: usize) -> Vec2<f64> {
    const ROOT: f64 = 1.324_717_957_244_746;
    let step = |start: f64, size: f64| {
        let at = start + size * i as f64;
        at - at.floor()
    };
    vec2(step(corner.x, 1.0 / ROOT), step(corner.y, 1.0 / (ROOT * ROOT)))
}

/// Weights of the palette's colours for every stroke: the one nearest to the picture, where
/// the stroke's middle ends up, leads. Where it ends up off the canvas, none does.
pub(super) fn weights(
    target: &Target,
    options: &Options,
    shapes: &[Shape],
    inks: &Inks,
) -> Vec<f64> {
    let frames: Vec<Frame<f64>> = shapes.iter().map(Frame::of).collect();
    let weights = |i: usize| -> Vec<f64> {
        let middle = shapes[i].anchor + shapes[i].offset * 0.5;
        let ahead = |x, frame| options.operator.phi(frame, x);
        let end = frames[i + 1..].iter().fold(middle, ahead);
        let leader = colour_at(target, end).and_then(|colour| nearest(&inks.colours, colour));
        let weight = |k: usize| if leader == Some(k) { LEAD } else { 0.0 };
        (0..inks.colours.len()).map(weight).collect()
    };
    let all: Vec<Vec<f64>> = (0..shapes.len()).into_par_iter().map(weights).collect();
    all.concat()
}

/// Weights for strokes that have colours: the nearest of the palette leads.
pub(super) fn weights_of(colours: &[Colour], inks: &Inks) -> Vec<f64> {
    let weights = |colour: &Colour| {
        let leader = nearest(&inks.colours, *colour);
        let weight = move |k: usize| if leader == Some(k) { LEAD } else { 0.0 };
        (0..inks.colours.len()).map(weight)
    };
    colours.iter().flat_map(weights).collect()
}

/// The picture's colour at a place on the canvas.
fn colour_at(target: &Target, at: Vec2<f64>) -> Option<Colour> {
    let (width, height) = target.image().size();
    let (i, j) = (at.x * f64::from(width), at.y * f64::from(width));
    let on = i >= 0.0 && j >= 0.0 && i < f64::from(width) && j < f64::from(height);
    on.then(|| target.image().row(j as usize)[i as usize])
}
