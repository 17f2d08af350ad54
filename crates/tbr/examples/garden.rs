//! An ebru sheet laid by hand: a sprinkled battal ground, hatip flowers, stems
//! and leaves.
//!
//! ```text
//! cargo run --example garden -- programs/garden.tbr.json
//! ```
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::f64::consts::TAU;
use std::io::Write;
use tbr::program::{Operator, Paint, Parts, Program, Stroke};
use tbr::stroke::Shape;
use tbr::vec2::{Vec2, vec2};

const SEED: u64 = 7;
const HEIGHT: f64 = 2.0 / 3.0;

const SOOT: usize = 0;
const INDIGO: usize = 1;
const CARMINE: usize = 2;
const OCHRE: usize = 3;
const MALACHITE: usize = 4;
const BONE: usize = 5;
const ROSE: usize = 6;
const MIST: usize = 7;
const PALETTE: [u32; 8] =
    [0x1b1a20, 0x1f3364, 0xa3182e, 0xd9a03f, 0x4c9a6e, 0xf6eeda, 0xdd8f84, 0x8fb0b5];

fn rgb(hex: u32) -> [f64; 3] {
    [16, 8, 0].map(|shift| f64::from(hex >> shift & 255) / 255.0)
}

struct Sheet {
    strokes: Vec<Stroke>,
    rng: ChaCha8Rng,
}

impl Sheet {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.rng.random::<f64>()
    }

    fn line(&mut self, from: Vec2<f64>, to: Vec2<f64>, half_width: f64, colour: usize) {
        let shape = Shape { anchor: from, offset: to - from, half_width };
        self.strokes.push(Stroke { shape, paint: Paint::Palette(colour) });
    }

    fn drop(&mut self, at: Vec2<f64>, radius: f64, colour: usize) {
        self.line(at, at, radius, colour);
    }

    fn sprinkle(&mut self, count: usize, radius: f64, colours: &[usize]) {
        let start = self.between(0.0, 1.0);
        for k in 0..count {
            // The plastic number's lattice, shaken: even, but not regular.
            let along = |step: f64| (start + step * k as f64).fract();
            let (u, v) = (along(0.754_877_666), along(0.569_840_291));
            let shake = 0.6 / (count as f64).sqrt();
            let at = vec2(u + self.between(-shake, shake), v + self.between(-shake, shake));
            let at = vec2(at.x * 1.2 - 0.1, at.y * (HEIGHT + 0.2) - 0.1);
            let size = radius * libm::pow(3.0, self.between(-0.6, 0.4));
            self.drop(at, size, colours[k % colours.len()]);
        }
    }

    fn spindle(
        &mut self,
        from: Vec2<f64>,
        to: Vec2<f64>,
        half_width: f64,
        taper: [f64; 2],
        colour: usize,
    ) {
        let n = 7;
        let way = to - from;
        for k in 0..n {
            let u = k as f64 / n as f64;
            self.line(
                from + way * (taper[0] * u),
                to - way * (taper[1] * u),
                half_width / n as f64,
                colour,
            );
        }
    }

    fn flower(&mut self, at: Vec2<f64>, radius: f64, petals: usize, turn: f64, rings: &[(usize, f64)], eyes: [usize; 2]) {
        for (i, (colour, outer)) in rings.iter().enumerate() {
            let inner = rings.get(i + 1).map_or(0.0, |r| r.1);
            self.drop(at, radius * (outer * outer - inner * inner).sqrt(), *colour);
        }
        let step = TAU / petals as f64;
        for k in 0..petals {
            let dir = polar(turn + step * k as f64);
            let reach = |share: f64| at + dir * (share * radius);
            self.spindle(reach(1.1), reach(0.3), 0.10 * radius, [0.0, 0.85], rings[0].0);
        }
        for k in 0..petals {
            let dir = polar(turn + step * (k as f64 + 0.5));
            let reach = |share: f64| at + dir * (share * radius);
            self.spindle(reach(0.98), reach(0.55), 0.15 * radius, [0.0, 0.7], eyes[0]);
            self.spindle(reach(1.0), reach(0.6), 0.06 * radius, [0.0, 0.6], eyes[1]);
        }
        self.drop(at, 0.2 * radius, SOOT);
        self.drop(at, 0.15 * radius, OCHRE);
    }

    /// A curved stroke from many short ones
    fn stem(
        &mut self,
        from: Vec2<f64>,
        bend: Vec2<f64>,
        to: Vec2<f64>,
        half_width: f64,
        colour: usize,
    ) {
        let n = 30;
        let at =
            |u: f64| from * ((1.0 - u) * (1.0 - u)) + bend * (2.0 * u * (1.0 - u)) + to * (u * u);
        for k in 0..n {
            let u = k as f64 / n as f64;
            self.line(at(u), at((u + 0.2).min(1.1)), half_width / 6.0, colour);
        }
    }

    fn leaf(&mut self, from: Vec2<f64>, angle: f64, length: f64) {
        let dir = polar(angle);
        let reach = |share: f64| from + dir * (share * length);
        self.spindle(reach(0.05), reach(1.0), 0.12 * length, [0.3, 0.6], MALACHITE);
        self.line(reach(0.1), reach(0.8), 0.012 * length, OCHRE);
    }
}

fn polar(angle: f64) -> Vec2<f64> {
    vec2(libm::cos(angle), libm::sin(angle))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sheet = Sheet { strokes: Vec::new(), rng: ChaCha8Rng::seed_from_u64(SEED) };
    sheet.sprinkle(60, 0.08, &[BONE, OCHRE, MIST]);
    sheet.sprinkle(110, 0.05, &[INDIGO, SOOT, INDIGO, INDIGO]);
    sheet.sprinkle(160, 0.022, &[INDIGO, MIST, INDIGO, OCHRE]);
    sheet.sprinkle(200, 0.009, &[BONE, INDIGO, MIST]);
    for (x, y, r) in [(0.22, 0.3, 0.10), (0.55, 0.22, 0.12), (0.82, 0.36, 0.09)] {
        sheet.flower(vec2(x, y), r, 8, 0.2, &[(SOOT, 1.1), (CARMINE, 1.0), (ROSE, 0.6), (CARMINE, 0.5), (BONE, 0.35), (CARMINE, 0.2)], [ROSE, BONE]);
        let foot = vec2(0.5 + 0.3 * (x - 0.5), HEIGHT + 0.05);
        sheet.stem(vec2(x, y + 1.1 * r), vec2(x, 0.5), foot, 0.005, MALACHITE);
        sheet.leaf(vec2(x, 0.5), 0.8, 0.12);
        sheet.leaf(vec2(x, 0.54), 2.4, 0.1);
    }
    let program = Program::new(Parts {
        height: HEIGHT,
        background: rgb(0xf1e6cf),
        operator: Operator::Capsule,
        palette: PALETTE.map(rgb).to_vec(),
        strokes: sheet.strokes,
        provenance: serde_json::Map::new(),
    })?;
    let text = tbr::format::write(&program);
    match std::env::args().nth(1) {
        Some(path) => std::fs::write(path, text)?,
        None => std::io::stdout().write_all(text.as_bytes())?,
    }
    Ok(())
}
