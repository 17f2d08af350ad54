//! Patterns drawn with a needle in concentric drops.

use super::bath::{
    BOTTLE, Bath, GALL, INDIGO, Ink, MADDER, MIST, OCHRE, PAPER, Point, ROSE, SAGE, SLATE, SOOT,
    STRAW, in_words,
};
use crate::error::Result;
use crate::numbers::vec2;
use std::f64::consts::{PI, TAU};

/// The grip of a needle that draws out a tip: with less it stays blunt, with more
/// it grows a head like a mushroom's.
const DRAWN: f64 = 0.62;
/// The grip of a needle that cuts in.
const CUT: f64 = 0.8;
/// From drop to drop along a ribbon, in radii: wider apart they show as beads.
const APART: f64 = 0.9;
/// Half-width of a ribbon in radii of its drops: a drop's area, pi, over twice the
/// way to the next.
const SQUEEZE: f64 = PI / (2.0 * APART);
/// Width at the tip of a leaf as a share of its largest: at half of this the tip is
/// no sharper to the eye, and takes twice as many drops.
const SLIMMEST: f64 = 0.2;

/// A pale ground that does not outshine what is drawn on it.
fn pale_ground(bath: &mut Bath) {
    let palettes: [[&[Ink]; 2]; 3] = [
        [&[MIST, SLATE], &[GALL, MIST]],
        [&[STRAW, OCHRE], &[GALL, STRAW]],
        [&[SAGE, MIST], &[GALL, STRAW]],
    ];
    let [veins, fields] = bath.one_of(&palettes);
    bath.sprinkle(0.8, 0.03, veins);
    bath.sprinkle(0.9, 0.035, fields);
    bath.sprinkle(0.12, 0.012, veins);
    bath.sprinkle(0.15, 0.015, &[GALL, PAPER]);
    bath.sprinkle(0.008, 0.004, veins);
}

/// Drops in one another, from the outermost in: radii and inks.
fn rings(bath: &mut Bath, at: Point, rings: &[(f64, Ink)]) {
    for (k, (edge, ink)) in rings.iter().enumerate() {
        let inner = rings.get(k + 1).map_or(0.0, |r| r.0);
        bath.drop(at, (edge * edge - inner * inner).sqrt(), *ink);
    }
}

/// A ribbon of paint along a bent line: drops, each in the rim of the last. `swell`
/// is its profile along the way, from 0 to 1.
fn ribbon(bath: &mut Bath, bend: [Point; 3], half_width: f64, swell: fn(f64) -> f64, ink: Ink) {
    let [a, b, c] = bend;
    let length = (b - a).norm() + (c - b).norm();
    let mut u = 0.0;
    while u < 1.0 {
        let radius = half_width * (SLIMMEST + (1.0 - SLIMMEST) * swell(u)) / SQUEEZE;
        let at = (a + (b - a) * u) * (1.0 - u) + (b + (c - b) * u) * u;
        bath.drop(at, radius, ink);
        u += APART * radius / length;
    }
}

/// A leaf with its rib, from stem to tip.
fn leaf(bath: &mut Bath, bend: [Point; 3], half_width: f64) {
    let spindle = |u| libm::sin(PI * libm::pow(u, 0.8));
    ribbon(bath, bend, half_width, spindle, BOTTLE);
    ribbon(bath, bend, 0.18 * half_width, spindle, SAGE);
}

/// A needle led from one point to another.
fn needle(bath: &mut Bath, from: Point, to: Point, reach: f64, grip: f64) -> Result<()> {
    let (from, to) = (in_words(from), in_words(to));
    bath.draw(&format!("stylus from {from} to {to} reach {reach} grip {grip}"))
}

/// Concentric drops; the needle cuts in between the petals, then draws out their
/// tips. Inks are those of rim, petals, band and heart.
fn flower(bath: &mut Bath, at: Point, radius: f64, petals: u32, inks: [Ink; 4]) -> Result<()> {
    let [rim, petal, band, heart] = inks;
    let edges = [(1.0, rim), (0.93, petal), (0.55, band), (0.45, petal), (0.25, heart)];
    rings(bath, at, &edges.map(|(edge, ink)| (edge * radius, ink)));
    let step = TAU / f64::from(petals);
    let turn = bath.between(0.0, step);
    // Half of the rim that a petal has to itself.
    let reach = 0.5 * step * radius;
    let place = |k: f64, share: f64| at + polar(turn + step * k) * (share * radius);
    for k in (0..petals).map(f64::from) {
        needle(bath, place(k, 1.5), place(k, 0.3), reach, CUT)?;
    }
    for k in (0..petals).map(|k| f64::from(k) + 0.5) {
        needle(bath, place(k, 0.4), place(k, 1.3), reach, DRAWN)?;
    }
    Ok(())
}

/// Flowers on their stems, and two leaves.
pub fn hatip(bath: &mut Bath) -> Result<()> {
    pale_ground(bath);
    let (h, unit) = (bath.height, bath.height.min(1.0));
    let inks = [
        [SOOT, MADDER, GALL, OCHRE],
        [SOOT, INDIGO, MIST, OCHRE],
        [MADDER, ROSE, GALL, OCHRE],
        [MADDER, OCHRE, GALL, MADDER],
    ];
    let first = bath.between(0.0, inks.len() as f64) as usize;
    let places = [(0.27, 0.3, 0.13, 6), (0.73, 0.25, 0.125, 5), (0.53, 0.54, 0.1, 8)];
    let plants = places.map(|(x, y, radius, petals)| {
        let shake = vec2(bath.between(-0.03, 0.03), bath.between(-0.03, 0.03) * unit);
        (vec2(x, y * h) + shake, radius * unit, petals)
    });
    for (at, radius, _) in plants {
        let foot = vec2(0.5 + 0.2 * (at.x - 0.5), 1.06 * h);
        ribbon(bath, [at, vec2(at.x, 0.75 * h), foot], 0.05 * radius, |_| 1.0, BOTTLE);
    }
    for side in [-1.0, 1.0] {
        let place = |x: f64, y: f64| vec2(0.5 + x * side, y * h);
        leaf(bath, [place(0.05, 0.98), place(0.28, 0.98), place(0.38, 0.62)], 0.03 * unit);
    }
    for (k, (at, radius, petals)) in plants.into_iter().enumerate() {
        flower(bath, at, radius, petals, inks[(first + k) % inks.len()])?;
    }
    Ok(())
}

/// One tulip: rings, drawn out to three points.
pub fn tulip(bath: &mut Bath) -> Result<()> {
    pale_ground(bath);
    let (h, unit) = (bath.height, bath.height.min(1.0));
    let inks = [[MADDER, ROSE, STRAW], [MADDER, OCHRE, GALL], [INDIGO, MIST, STRAW]];
    let [petal, band, heart] = bath.one_of(&inks);
    let (at, radius) = (vec2(0.5 + bath.between(-0.02, 0.02), 0.4 * h), 0.165 * unit);
    let foot = vec2(0.48, 1.05 * h);
    ribbon(bath, [at, vec2(0.51, 0.7 * h), foot], 0.008 * unit, |_| 1.0, BOTTLE);
    let stem = bath.between(0.93, 0.97);
    let leaves = [(-1.0, 0.4, 0.04), (1.0, 0.46, 0.036)];
    for (side, tip, half_width) in leaves {
        let place = |x: f64, y: f64| vec2(0.49 + x * side * unit, y * h);
        leaf(bath, [place(0.01, stem), place(0.29, 0.85), place(0.25, tip)], half_width * unit);
    }
    let edges = [(1.0, SOOT), (0.96, petal), (0.6, band), (0.45, petal), (0.25, heart)];
    rings(bath, at, &edges.map(|(edge, ink)| (edge * radius, ink)));
    let place = |x: f64, y: f64| at + vec2(x, y) * radius;
    for side in [-1.0, 1.0] {
        needle(bath, place(0.6 * side, 0.2), place(0.95 * side, -1.5), 0.7 * radius, DRAWN)?;
    }
    needle(bath, place(0.0, 0.5), place(0.0, -1.7), 0.7 * radius, DRAWN)
}

fn polar(angle_rad: f64) -> Point {
    vec2(libm::cos(angle_rad), libm::sin(angle_rad))
}
