//! Sprinkled grounds: random drops of paint on the bath, with which every pattern begins.

use super::maps::{PaintDrop, Point, Stylus, Tool};
use super::{Sheet, Step};
use crate::numbers::vec2;
use crate::program::Colour;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::f64::consts::PI;

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
    steps: Vec<Step>,
}

impl Bath {
    pub fn new(height: f64, seed: u64) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Self { height, margin: MARGIN, rng, steps: Vec::new() }
    }

    pub fn into_sheet(self) -> Sheet {
        Sheet { height: self.height, paper: rgb(PAPER), steps: self.steps }
    }

    /// A number from `low` to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.rng.random::<f64>()
    }

    /// One of several.
    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.rng.random_range(0..choices.len())]
    }

    pub fn drop(&mut self, centre: Point, radius: f64, ink: Ink) {
        self.steps.push(Step::Drop(PaintDrop { centre, radius }, rgb(ink)));
    }

    pub fn tool(&mut self, tool: Tool) {
        self.steps.push(Step::Tool(tool));
    }

    pub fn stylus(&mut self, from: Point, to: Point, reach: f64, grip: f64) {
        self.tool(Tool::Stylus(Stylus { from, to, reach, grip }));
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

    /// Nearly a normal number, within 3.5 of 0.
    fn normal(&mut self) -> f64 {
        (0..4).map(|_| self.between(-1.0, 1.0)).sum::<f64>() * (3.0_f64 / 4.0).sqrt()
    }
}

fn rgb(ink: Ink) -> Colour {
    [16, 8, 0].map(|shift| f64::from(ink >> shift & 255) / 255.0)
}

/// The classical sheet: dark veins, three throws of ever smaller drops, and a
/// drizzle of ox-gall.
pub fn battal(bath: &mut Bath) {
    let palettes: [[&[Ink]; 4]; 4] = [
        [&[SOOT, INDIGO], &[MADDER, OCHRE], &[SLATE, INDIGO, MIST], &[GALL, STRAW]],
        [&[SOOT, BOTTLE], &[OCHRE, STRAW], &[MADDER, ROSE, MADDER], &[GALL, STRAW]],
        [&[SOOT, MADDER], &[STRAW, OCHRE], &[BOTTLE, SAGE, BOTTLE], &[GALL, STRAW]],
        [&[SOOT, INDIGO], &[GALL, MIST], &[OCHRE, STRAW, MADDER], &[GALL, SOOT]],
    ];
    let [veins, first, last, spots] = bath.one_of(&palettes);
    bath.sprinkle(0.8, 0.045, veins);
    bath.sprinkle(0.7, 0.035, first);
    bath.sprinkle(0.4, 0.022, veins);
    bath.sprinkle(1.0, 0.042, last);
    bath.sprinkle(0.04, 0.009, spots);
    bath.sprinkle(0.006, 0.0032, spots);
}
