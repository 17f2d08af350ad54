//! Programs drawn at random from the model's own prior: the paper's radius
//! schedule, uniform anchors, a random palette. For benchmarks, tests and the
//! synthetic ground truth.

use crate::error::Result;
use crate::numbers::vec2;
use crate::program::{Paint, Parts, Program, Provenance, Stroke};
use crate::stroke::Operator;
use crate::stroke::Shape;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::f64::consts::TAU;

/// Half-width at the start and at the end of a program.
pub(crate) const HALF_WIDTHS: [f64; 2] = [0.12, 0.005];
/// Mean length of a stroke; lengths are exponential.
const MEAN_LENGTH: f64 = 0.025;
/// The longest stroke.
const MAX_LENGTH: f64 = 0.3;
/// Share of strokes that are drops.
const DROPS: f64 = 0.15;
/// Colours of the palette.
const PALETTE: usize = 8;

/// A program of `count` strokes on a canvas of the given height, the same for
/// the same seed on every machine.
pub fn program(count: usize, height: f64, seed: u64) -> Result<Program> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let palette: Vec<_> = (0..PALETTE).map(|_| std::array::from_fn(|_| unit(&mut rng))).collect();
    let scale = height.sqrt();
    let strokes = (0..count).map(|i| stroke(&mut rng, i as f64 / count as f64, height, scale));
    Program::new(Parts {
        height,
        background: std::array::from_fn(|_| 0.9),
        operator: Operator::Capsule,
        strokes: strokes.collect(),
        palette,
        provenance: Provenance::default(),
    })
}

/// The same with bends, uniform up to 1 either way. (The paper's strokes do not bend.)
pub fn bent_program(count: usize, height: f64, seed: u64) -> Result<Program> {
    let mut rng = ChaCha8Rng::seed_from_u64(!seed);
    let mut strokes = program(count, height, seed)?.strokes().to_vec();
    strokes.iter_mut().for_each(|stroke| stroke.shape.bend = 2.0 * unit(&mut rng) - 1.0);
    program(count, height, seed)?.with_strokes(strokes)
}

/// The paper's half-width at a share `progress` of a program, for a canvas of area 1. The text
/// leaves the exponent open: with the root, drops cover 4.5 canvases, with 1 they cover 14.
pub(crate) fn half_width(progress: f64) -> f64 {
    let [start, end] = HALF_WIDTHS;
    start * libm::pow(end / start, progress.sqrt())
}

/// The stroke at a share `progress` of the program; lengths scale with the
/// square root of the canvas's area.
fn stroke(rng: &mut impl Rng, progress: f64, height: f64, scale: f64) -> Stroke {
    let half_width = half_width(progress) * (0.7 + 0.7 * unit(rng));
    let length = (-MEAN_LENGTH * libm::log(1.0 - unit(rng))).min(MAX_LENGTH) * scale;
    let length = if unit(rng) < DROPS { 0.0 } else { length };
    let angle = TAU * unit(rng);
    Stroke {
        shape: Shape::line(
            vec2(unit(rng), unit(rng) * height),
            vec2(libm::cos(angle), libm::sin(angle)) * length,
            half_width * scale,
        ),
        paint: Paint::Palette((unit(rng) * PALETTE as f64) as usize),
    }
}

/// Uniform in [0, 1).
fn unit(rng: &mut impl Rng) -> f64 {
    rng.random()
}
