//! Programs drawn at random from the model's own prior: the paper's radius
//! schedule, uniform anchors, a random palette. For benchmarks, tests and the
//! synthetic ground truth.

use crate::error::Result;
use crate::numbers::vec2;
use crate::program::{Paint, Parts, Program, Stroke};
use crate::stroke::Operator;
use crate::stroke::Shape;
use crate::tool::{Pass, Tool, ToolKind};
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
        ..Parts::default()
    })
}

/// The same with bends, uniform up to 1 either way. (The paper's strokes do not bend.)
pub fn bent_program(count: usize, height: f64, seed: u64) -> Result<Program> {
    let mut rng = ChaCha8Rng::seed_from_u64(!seed);
    let mut strokes = program(count, height, seed)?.strokes().to_vec();
    strokes.iter_mut().for_each(|stroke| stroke.shape.bend = 2.0 * unit(&mut rng) - 1.0);
    program(count, height, seed)?.with_strokes(strokes)
}

/// The same, bends and all, with a tool of every kind between the strokes, evenly.
pub fn combed_program(count: usize, height: f64, seed: u64) -> Result<Program> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ (1 << 40));
    let mut parts = bent_program(count, height, seed)?.into_parts();
    for (k, kind) in ToolKind::ALL.into_iter().enumerate() {
        let mut place = || vec2(unit(&mut rng), unit(&mut rng) * height);
        let (a, b) = (place(), place());
        let angle = 360.0 * unit(&mut rng);
        let spacing = 0.06 + 0.06 * unit(&mut rng);
        let tooth = format!("angle {angle} pull 0.05 reach {} width 0.01", 0.5 * spacing);
        let words = match kind {
            ToolKind::Tine => format!("through {},{} {tooth}", a.x, a.y),
            ToolKind::Comb | ToolKind::Rake => {
                format!("through {},{} {tooth} spacing {spacing}", a.x, a.y)
            }
            ToolKind::Wave => {
                format!("through {},{} angle {angle} pull 0.02 wavelength 0.3", a.x, a.y)
            }
            ToolKind::WavyComb => {
                let sway = "sway 0.02 wavelength 0.25 phase 40";
                format!("through {},{} {tooth} spacing {spacing} {sway}", a.x, a.y)
            }
            ToolKind::Ring => {
                format!("centre {},{} radius 0.2 pull 0.05 reach 0.05 width 0.01", a.x, a.y)
            }
            ToolKind::Swirl => format!("centre {},{} radius 0.25 turn 60", a.x, a.y),
            ToolKind::Stylus => format!("from {},{} to {},{} reach 0.15", a.x, a.y, b.x, b.y),
        };
        let tool: Tool = format!("{} {words}", kind.name()).parse()?;
        parts.tools.push(Pass { after: count * (k + 1) / ToolKind::ALL.len(), tool });
    }
    Program::new(parts)
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
