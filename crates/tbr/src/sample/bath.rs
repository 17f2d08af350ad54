//! The bath on which a sheet is made: drops and tools are written down as steps of a program.

use crate::error::Result;
use crate::numbers::{Vec2, vec2};
use crate::program::{Colour, Paint, Parts, Program, Provenance, Step, Stroke};
use crate::stroke::Shape;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::f64::consts::PI;

/// A point of the sheet, which is 1 wide.
pub type Point = Vec2<f64>;
/// A colour, as red, green and blue in hexadecimal.
pub type Ink = u32;

/// Unbleached paper.
pub const PAPER: Ink = 0xefe6d2;
pub const SOOT: Ink = 0x1d1b22;
pub const INDIGO: Ink = 0x1f3157;
pub const SLATE: Ink = 0x54708c;
pub const MIST: Ink = 0xa9bcc0;
pub const MADDER: Ink = 0xa12a2c;
pub const ROSE: Ink = 0xd68a7c;
pub const OCHRE: Ink = 0xcf9a3c;
pub const STRAW: Ink = 0xe6cf96;
pub const BOTTLE: Ink = 0x1f4a3d;
pub const SAGE: Ink = 0x8fa487;
pub const GALL: Ink = 0xf7f1e3;

/// How far beyond the sheet drops fall: paint there is pushed in, and the sheet's
/// rim should look like its middle.
const MARGIN: f64 = 0.12;
/// Spread of the logarithm of the radii of one throw: less looks stamped, more
/// leaves the sheet to a few large drops.
const SPREAD: f64 = 0.4;

/// A bath with what was done to it so far.
pub struct Bath {
    pub height: f64,
    /// How far beyond the sheet drops fall; more where combs bring in paint.
    pub margin: f64,
    rng: ChaCha8Rng,
    /// Inks in the order of their first use.
    inks: Vec<Ink>,
    steps: Vec<Step>,
}

impl Bath {
    pub fn new(height: f64, seed: u64) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Self { height, margin: MARGIN, rng, inks: Vec::new(), steps: Vec::new() }
    }

    /// The program of all that was done.
    pub fn into_program(self, provenance: Provenance) -> Result<Program> {
        let mut parts = Parts {
            height: self.height,
            background: rgb(PAPER),
            palette: self.inks.into_iter().map(rgb).collect(),
            provenance,
            ..Parts::default()
        };
        parts.set_steps(self.steps);
        Program::new(parts)
    }

    /// A number from `low` to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.rng.random::<f64>()
    }

    /// One of several.
    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.rng.random_range(0..choices.len())]
    }

    /// A point of the unit square, as words have it.
    pub fn anywhere(&mut self) -> Point {
        vec2(self.between(0.0, 1.0), self.between(0.0, 1.0))
    }

    /// A drop of paint.
    pub fn drop(&mut self, centre: Point, radius: f64, ink: Ink) {
        let known = self.inks.iter().position(|i| *i == ink);
        let index = known.unwrap_or_else(|| {
            self.inks.push(ink);
            self.inks.len() - 1
        });
        let stroke = Stroke { shape: Shape::drop(centre, radius), paint: Paint::Palette(index) };
        self.steps.push(stroke.into());
    }

    /// A tool in words, drawn through what is there.
    pub fn draw(&mut self, tool: &str) -> Result<()> {
        self.steps.push(Step::Tool(tool.parse()?));
        Ok(())
    }

    /// A tool in words that lack the place: it goes through one that depends on the seed.
    pub fn draw_anywhere(&mut self, tool: &str) -> Result<()> {
        let through = in_words(self.anywhere());
        self.draw(&format!("{tool} through {through}"))
    }

    /// Drops all over the sheet, `cover` times its area in all, most about `radius`,
    /// on a shaken lattice (that of the plastic number): even, yet not regular.
    pub fn sprinkle(&mut self, cover: f64, radius: f64, inks: &[Ink]) {
        let (across, down) = (1.0 + 2.0 * self.margin, self.height + 2.0 * self.margin);
        let each = PI * radius * radius * libm::exp(2.0 * SPREAD * SPREAD);
        let count = (cover * across * down / each).ceil();
        let shake = 0.9 / count.sqrt();
        let start = [self.between(0.0, 1.0), self.between(0.0, 1.0)];
        for k in 0..count as u32 {
            let lattice = |start: f64, step: f64| (start + step * f64::from(k)).fract();
            let u = lattice(start[0], 0.754_877_666) + self.between(-shake, shake);
            let v = lattice(start[1], 0.569_840_291) + self.between(-shake, shake);
            let at = vec2(across * u - self.margin, down * v - self.margin);
            let size = radius * libm::exp(SPREAD * self.normal());
            let ink = self.one_of(inks);
            self.drop(at, size, ink);
        }
    }

    /// The pegs of a frame that is laid on the whole sheet: rows so far apart that a peg has six
    /// others at that distance. They begin at a place that depends on the seed.
    pub fn pegs(&mut self, apart: f64) -> Vec<Point> {
        let corner = (self.anywhere() - vec2(1.0, 1.0)) * apart;
        let down = 0.5 * 3.0_f64.sqrt() * apart;
        let rows = ((self.height - corner.y) / down).ceil() as u32 + 1;
        let columns = ((1.0 - corner.x) / apart).ceil() as u32 + 1;
        let peg = |row: u32, column: u32| {
            let shift = if row.is_multiple_of(2) { 0.0 } else { -0.5 };
            corner + vec2((f64::from(column) + shift) * apart, f64::from(row) * down)
        };
        (0..rows).flat_map(|row| (0..columns).map(move |column| peg(row, column))).collect()
    }

    /// Nearly a normal number, within 3.5 of 0.
    fn normal(&mut self) -> f64 {
        (0..4).map(|_| self.between(-1.0, 1.0)).sum::<f64>() * (3.0_f64 / 4.0).sqrt()
    }
}

/// A point in words.
pub fn in_words(p: Point) -> String {
    format!("{},{}", p.x, p.y)
}

fn rgb(ink: Ink) -> Colour {
    [16, 8, 0].map(|shift| f64::from(ink >> shift & 255) / 255.0)
}
