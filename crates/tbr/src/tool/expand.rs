//! Tools as moves, and the gradient with respect to moves as one with respect to tools.

use super::{MAX_NUMBERS, Move, MoveGrad, MoveKind, Tool, ToolKind};
use crate::numbers::{Dual, Real, Vec2, vec2};

/// The stylus's two swirls, as shares of its reach: their distance from the path,
/// and their radius; together 1. Far apart, they push a blunt plug of paint; this
/// near, they draw it out to a point. Nearer, each must turn much further.
const STYLUS_SIDE: f64 = 0.15;
const STYLUS_SWIRL: f64 = 1.0 - STYLUS_SIDE;
/// How far the tip goes from one pair of swirls to the next, in reaches. Twice as
/// far leaves scallops along the path; half as far costs twice as much.
const STYLUS_STEP: f64 = 0.08;

impl Tool {
    /// The moves that it is carried out by, in order. None if it moves nothing.
    pub fn moves(&self) -> Vec<Move<f64>> {
        if self.moves_paint() { self.all_moves() } else { Vec::new() }
    }

    /// The same, also if it moves nothing (yet).
    pub(crate) fn all_moves(&self) -> Vec<Move<f64>> {
        self.expanded(self.numbers)
    }

    /// How many moves it is carried out by.
    pub fn move_count(&self) -> usize {
        match self.kind {
            ToolKind::WavyComb => 3,
            ToolKind::Stylus => 2 * self.stylus_steps(),
            _ => 1,
        }
    }

    /// How many pairs of swirls follow the tip of a stylus.
    fn stylus_steps(&self) -> usize {
        let [a, b, c, d, reach, ..] = self.numbers;
        (vec2(c - a, d - b).norm() / (STYLUS_STEP * reach)).ceil().max(1.0) as usize
    }

    /// What derivatives with respect to its moves, in order, say about its numbers.
    pub(crate) fn pull_back(&self, moves: &[MoveGrad<f64>]) -> Vec<f64> {
        let along = |k: usize| {
            let mut numbers = self.numbers.map(Dual::constant);
            numbers[k].derivative = 1.0;
            let varied = self.expanded(numbers);
            varied.iter().zip(moves).map(|(varied, grad)| dot(varied, grad)).sum()
        };
        (0..self.kind.numbers()).map(along).collect()
    }

    fn expanded<R: Real>(&self, numbers: [R; MAX_NUMBERS]) -> Vec<Move<R>> {
        let [a, b, c, d, e, f, g, h, i, j] = numbers;
        let zero = a.zero();
        let nowhere = vec2(a.lit(1.0), zero);
        let straight = |kind: MoveKind, spacing: R| Move {
            kind,
            origin: vec2(a, b),
            dir: direction(c),
            strength: d,
            reach: e,
            width: f,
            spacing,
        };
        let round = |kind: MoveKind, strength: R, reach: R, width: R| Move {
            kind,
            origin: vec2(a, b),
            dir: nowhere,
            strength,
            reach,
            width,
            spacing: c,
        };
        match self.kind {
            ToolKind::Tine => vec![straight(MoveKind::Tine, a.lit(1.0))],
            ToolKind::Comb => vec![straight(MoveKind::Comb, g)],
            ToolKind::Rake => vec![straight(MoveKind::Rake, g)],
            ToolKind::Wave => {
                vec![Move { width: zero, ..straight(MoveKind::Wave, a.lit(1.0)) }]
            }
            ToolKind::WavyComb => {
                let comb = straight(MoveKind::Comb, g);
                wavy(comb, h, i, j)
            }
            ToolKind::Ring => vec![round(MoveKind::Ring, d, e, f)],
            ToolKind::Swirl => {
                let turn = d * d.lit(std::f64::consts::PI / 180.0);
                vec![Move { spacing: a.lit(1.0), ..round(MoveKind::Swirl, turn, c, zero) }]
            }
            ToolKind::Stylus => stylus(vec2(a, b), vec2(c, d), e, f, self.stylus_steps()),
        }
    }
}

/// The wave undone, the comb, the wave, Eq. (T9): it shifts across the comb's way, by where
/// along it a place is.
fn wavy<R: Real>(comb: Move<R>, sway: R, wavelength: R, phase: R) -> Vec<Move<R>> {
    let before = wavelength * phase * phase.lit(1.0 / 360.0);
    let wave = Move {
        kind: MoveKind::Wave,
        origin: comb.origin - comb.dir * before,
        dir: vec2(comb.dir.y, -comb.dir.x),
        strength: sway,
        reach: wavelength,
        width: sway.zero(),
        spacing: sway.lit(1.0),
    };
    vec![wave, comb, wave.undone()]
}

/// Pairs of swirls, one on each side, that travel with the tip, Eq. (T12). Which of a pair comes
/// first alternates, so that neither side is favoured.
fn stylus<R: Real>(from: Vec2<R>, to: Vec2<R>, reach: R, grip: R, steps: usize) -> Vec<Move<R>> {
    let one = reach.lit(1.0);
    let way = to - from;
    // (A way of no length has no sides, and turns nothing.)
    let length = way.dot(way).sqrt().max(one.lit(1e-30));
    let (side, radius) = (reach * one.lit(STYLUS_SIDE), reach * one.lit(STYLUS_SWIRL));
    let left = 1.0 - (STYLUS_SIDE / STYLUS_SWIRL).powi(2);
    let turn = grip * length / (side * one.lit(2.0 * left * left * steps as f64));
    let normal = vec2(-way.y, way.x) * (side / length);
    let swirl = |tip: Vec2<R>, side: f64| Move {
        kind: MoveKind::Swirl,
        origin: tip + normal * one.lit(side),
        dir: vec2(one, one.zero()),
        strength: turn * one.lit(side),
        reach: radius,
        width: one.zero(),
        spacing: one,
    };
    let pair = |k: usize| {
        let tip = from + way * one.lit((k as f64 + 0.5) / steps as f64);
        let first = if k.is_multiple_of(2) { 1.0 } else { -1.0 };
        [swirl(tip, first), swirl(tip, -first)]
    };
    (0..steps).flat_map(pair).collect()
}

/// The unit vector at an angle in degrees.
fn direction<R: Real>(degrees: R) -> Vec2<R> {
    let angle = degrees * degrees.lit(std::f64::consts::PI / 180.0);
    let (sin, cos_less_1) = angle.sin_and_cos_less_1_anywhere();
    vec2(cos_less_1 + degrees.lit(1.0), sin)
}

/// How a loss changes if a move varies as its dual numbers do.
fn dot(varied: &Move<Dual>, grad: &MoveGrad<f64>) -> f64 {
    let Move { origin, dir, strength, reach, width, spacing, .. } = varied;
    let turned = dir.x.value * dir.y.derivative - dir.y.value * dir.x.derivative;
    grad.origin.x * origin.x.derivative
        + grad.origin.y * origin.y.derivative
        + grad.angle * turned
        + grad.strength * strength.derivative
        + grad.reach * reach.derivative
        + grad.width * width.derivative
        + grad.spacing * spacing.derivative
}
