//! Patterns drawn with rakes and combs.

use super::ground::{
    BOTTLE, Bath, GALL, INDIGO, Ink, MADDER, MIST, OCHRE, ROSE, SAGE, SLATE, SOOT, STRAW,
};
use super::maps::{Comb, Point, Teeth, Tine, Tool, WavyComb};
use crate::numbers::vec2;

/// How far rakes bring in paint from beyond the sheet.
const MARGIN: f64 = 0.3;
const ACROSS: Point = Point { x: 1.0, y: 0.0 };
const DOWN: Point = Point { x: 0.0, y: 1.0 };

/// Throws of one colour after the other, light ones first so that they do not
/// shine out; then small drops of all.
fn throws(bath: &mut Bath) {
    let palettes: [[Ink; 5]; 4] = [
        [GALL, STRAW, SLATE, MADDER, INDIGO],
        [GALL, OCHRE, ROSE, SOOT, MADDER],
        [GALL, SAGE, OCHRE, MADDER, BOTTLE],
        [GALL, MIST, MADDER, SLATE, SOOT],
    ];
    let inks = bath.one_of(&palettes);
    bath.margin = MARGIN;
    for (k, ink) in inks.into_iter().enumerate() {
        bath.sprinkle(0.5 - 0.06 * k as f64, 0.046 - 0.004 * k as f64, &[ink]);
    }
    bath.sprinkle(0.25, 0.022, &inks);
}

/// A comb through a place that depends on the seed. Paint halfway between two teeth
/// is left behind by them: their reach is half of their spacing.
fn comb(bath: &mut Bath, direction: Point, pull: f64, spacing: f64, teeth: Teeth) -> Comb {
    let through = vec2(bath.between(0.0, 1.0), bath.between(0.0, 1.0));
    Comb { tine: Tine { through, direction, pull, reach: 0.5 * spacing }, spacing, teeth }
}

/// Raked to and fro along one way, then along the other.
pub fn gel_git(bath: &mut Bath) {
    throws(bath);
    let rake = comb(bath, DOWN, 0.12, 0.16, Teeth::ToAndFro);
    bath.tool(Tool::Comb(rake));
    let rake = comb(bath, ACROSS, 0.16, 0.1, Teeth::ToAndFro);
    bath.tool(Tool::Comb(rake));
}

/// Raked to and fro across, then combed finely down.
pub fn nonpareil(bath: &mut Bath) {
    throws(bath);
    let rake = comb(bath, ACROSS, 0.32, 0.12, Teeth::ToAndFro);
    bath.tool(Tool::Comb(rake));
    let fine = comb(bath, DOWN, 0.05, 0.032, Teeth::Together);
    bath.tool(Tool::Comb(fine));
}

/// Nonpareil, then two rows of staggered teeth that sway against each other.
pub fn bouquet(bath: &mut Bath) {
    nonpareil(bath);
    let spacing = 0.25;
    let first = comb(bath, -DOWN, 0.1, spacing, Teeth::Together);
    let mut second = first;
    second.tine.through = first.tine.through + ACROSS * (0.5 * spacing);
    for (comb, amplitude) in [(first, 0.05), (second, -0.05)] {
        let wavy = WavyComb { comb, amplitude, wavelength: 0.25, phase_rad: 0.0 };
        bath.tool(Tool::WavyComb(wavy));
    }
}
