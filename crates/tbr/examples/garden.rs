//! A sheet of ebru, laid by hand: a sprinkled *battal* ground, *hatip* flowers,
//! stems and leaves.
//!
//! ```text
//! cargo run --example garden -- programs/garden.tbr.json
//! ```
//!
//! Nothing is ever covered: what is laid early is squeezed into veins by what is
//! laid later, a drop in the middle of a drop makes a ring of it, and a thin
//! stroke cuts what lies in its way.

use Ink::{Bone, Carmine, Indigo, Malachite, Mist, Ochre, Rose, Soot};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use std::f64::consts::{PI, TAU};
use std::io::{Write, stdout};
use tbr::{Colour, Operator, Paint, Parts, Program, Provenance, Shape, Stroke, Vec2, vec2};

type Point = Vec2<f64>;

/// Chosen for how the ground falls about the flowers.
const SEED: u64 = 33;
const HEIGHT: f64 = 2.0 / 3.0;
const CREAM: u32 = 0xead9b6;

#[rustfmt::skip]
#[derive(Clone, Copy)]
enum Ink { Soot, Indigo, Carmine, Ochre, Malachite, Bone, Rose, Mist }

/// The inks' colours, in their order.
const PALETTE: [u32; 8] =
    [0x1b1a20, 0x1f3364, 0xa3182e, 0xd9a03f, 0x2c6e54, 0xf6eeda, 0xdd8f84, 0x8fb0b5];

fn rgb(hex: u32) -> Colour {
    [16, 8, 0].map(|shift| f64::from(hex >> shift & 255) / 255.0)
}

fn polar(angle_rad: f64) -> Point {
    vec2(libm::cos(angle_rad), libm::sin(angle_rad))
}

struct Sheet {
    rng: ChaCha8Rng,
    strokes: Vec<Stroke>,
}

impl Sheet {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.rng.random::<f64>()
    }

    fn line(&mut self, from: Point, to: Point, half_width: f64, ink: Ink) {
        // To a millionth of the canvas, for a file that is pleasant to read.
        let round = |v: f64| (v * 1e6).round() / 1e6;
        let shape = Shape::line(
            vec2(round(from.x), round(from.y)),
            vec2(round(to.x - from.x), round(to.y - from.y)),
            round(half_width),
        );
        self.strokes.push(Stroke { shape, paint: Paint::Palette(ink as usize) });
    }

    fn drop(&mut self, at: Point, radius: f64, ink: Ink) {
        self.line(at, at, radius, ink);
    }

    /// Drops all over the sheet and a little beyond, on a shaken lattice (that
    /// of the plastic number): even, yet not regular.
    fn sprinkle(&mut self, count: usize, radius: f64, inks: &[Ink]) {
        let start = self.between(0.0, 1.0);
        let shake = 0.6 / (count as f64).sqrt();
        for (k, ink) in (0..count).zip(inks.iter().cycle()) {
            let lattice = |step: f64| (start + step * k as f64).fract();
            let u = lattice(0.754_877_666) + self.between(-shake, shake);
            let v = lattice(0.569_840_291) + self.between(-shake, shake);
            let size = radius * libm::pow(3.0, self.between(-0.6, 0.4));
            self.drop(vec2(1.2 * u - 0.1, (HEIGHT + 0.2) * v - 0.1), size, *ink);
        }
    }

    /// Rings laid from the outermost in, each in the middle of the last; then
    /// wedges that part the petals, a bead in each, and an eye in each petal.
    fn flower(&mut self, at: Point, radius: f64, petals: u32, inks: [Ink; 5]) {
        let [petal, band, ring, eye, bead] = inks;
        let rings = [Soot, petal, band, petal, ring, petal];
        let edges: [f64; 7] = [1.2, 1.0, 0.55, 0.46, 0.32, 0.2, 0.0];
        for (ink, edge) in rings.into_iter().zip(edges.windows(2)) {
            self.drop(at, radius * (edge[0] * edge[0] - edge[1] * edge[1]).sqrt(), ink);
        }
        let step = TAU / f64::from(petals);
        let turn = self.between(0.0, step);
        let place = |k: f64, share: f64| at + polar(turn + step * k) * (share * radius);
        for k in (0..petals).map(f64::from) {
            self.drop(place(k, 1.17), 0.14 * radius, Soot);
            for depth in [0.3, 0.55, 0.8] {
                self.line(place(k, 1.2), place(k, depth), 0.04 * radius, Soot);
            }
            self.drop(place(k, 1.15), 0.045 * radius, bead);
        }
        for k in (0..petals).map(|k| f64::from(k) + 0.5) {
            self.line(place(k, 0.98), place(k, 0.74), 0.14 * radius, band);
            self.line(place(k, 0.96), place(k, 0.76), 0.06 * radius, eye);
        }
        for (share, ink) in [(0.2, Soot), (0.14, bead), (0.06, Soot)] {
            self.drop(at, share * radius, ink);
        }
    }

    /// A ribbon along a bent line, of short thin strokes that each split the end
    /// of the last. `swell` is its profile along the way.
    fn ribbon(&mut self, [a, b, c]: [Point; 3], half_width: f64, swell: fn(f64) -> f64, ink: Ink) {
        let (count, span, layers) = (10, 0.3, 3.8);
        let at = |u: f64| (a + (b - a) * u) * (1.0 - u) + (b + (c - b) * u) * u;
        for k in 0..count {
            let u = (1.0 - span) * f64::from(k) / f64::from(count - 1);
            self.line(at(u), at(u + span), half_width / layers * swell(u + 0.5 * span), ink);
        }
    }

    fn leaf(&mut self, from: Point, way: Point, bend: f64) {
        let middle = from + way * 0.5 + vec2(-way.y, way.x) * bend;
        for (share, ink) in [(0.12, Malachite), (0.02, Ochre)] {
            let spindle = |u| libm::sin(PI * u);
            self.ribbon([from, middle, from + way], share * way.norm(), spindle, ink);
        }
    }
}

/// Five flowers, then their stems, then leaves: what is later bends what is there.
fn plant(sheet: &mut Sheet) {
    let plants = [
        (vec2(0.5, 0.225), 0.092, 8, 0.49, [Carmine, Rose, Bone, Bone, Ochre]),
        (vec2(0.19, 0.27), 0.079, 7, 0.36, [Ochre, Carmine, Bone, Bone, Carmine]),
        (vec2(0.81, 0.25), 0.083, 9, 0.64, [Rose, Carmine, Bone, Bone, Ochre]),
        (vec2(0.345, 0.45), 0.045, 6, 0.42, [Bone, Carmine, Rose, Ochre, Ochre]),
        (vec2(0.66, 0.44), 0.05, 6, 0.56, [Bone, Indigo, Mist, Ochre, Ochre]),
    ];
    for (at, radius, petals, _, inks) in plants {
        sheet.flower(at, radius, petals, inks);
    }
    for (at, radius, _, foot, _) in plants {
        let top = at + vec2(0.0, 1.4 * radius);
        let way = [top, vec2(at.x, 0.55), vec2(foot, HEIGHT + 0.05)];
        sheet.ribbon(way, 0.007, |_| 1.0, Malachite);
    }
    for (x, y, way, bend) in [
        (0.25, 0.6, vec2(-0.14, -0.12), 0.3),
        (0.3, 0.62, vec2(-0.2, 0.0), 0.3),
        (0.73, 0.6, vec2(0.15, -0.11), -0.3),
        (0.7, 0.63, vec2(0.2, 0.0), -0.3),
        (0.5, 0.6, vec2(0.06, -0.13), -0.3),
        (0.49, 0.62, vec2(-0.07, -0.13), 0.3),
    ] {
        sheet.leaf(vec2(x, y), way, bend);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sheet = Sheet { rng: ChaCha8Rng::seed_from_u64(SEED), strokes: Vec::new() };
    sheet.sprinkle(64, 0.085, &[Indigo, Soot, Indigo]);
    sheet.sprinkle(90, 0.045, &[Bone, Mist, Indigo]);
    sheet.sprinkle(130, 0.028, &[Indigo, Mist, Bone, Ochre]);
    sheet.sprinkle(140, 0.014, &[Bone, Indigo, Mist, Ochre]);
    plant(&mut sheet);
    let program = Program::new(Parts {
        height: HEIGHT,
        background: rgb(CREAM),
        operator: Operator::Capsule,
        palette: PALETTE.map(rgb).to_vec(),
        strokes: sheet.strokes,
        provenance: Provenance::of(&json!({
            "made_by": "hand-authored: crates/tbr/examples/garden.rs",
            "seed": SEED,
        }))?,
        ..Parts::default()
    })?;
    let text = tbr::format::write(&program);
    match std::env::args().nth(1) {
        Some(path) => std::fs::write(path, text)?,
        None => stdout().write_all(text.as_bytes())?,
    }
    Ok(())
}
