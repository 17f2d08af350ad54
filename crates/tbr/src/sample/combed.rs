//! Patterns drawn with rakes and combs.

use super::bath::{
    BOTTLE, Bath, GALL, INDIGO, Ink, MADDER, MIST, OCHRE, ROSE, SAGE, SLATE, SOOT, STRAW, in_words,
};
use crate::error::Result;
use crate::numbers::vec2;

/// How far rakes bring in paint from beyond the sheet.
const MARGIN: f64 = 0.3;
/// Ways in which tools are drawn, degrees.
const ACROSS: f64 = 0.0;
const DOWN: f64 = 90.0;
const UP: f64 = -90.0;
/// From tooth to tooth.
const WIDE_RAKE: f64 = 0.16;
const RAKE: f64 = 0.12;
const NARROW_RAKE: f64 = 0.1;
const FINE_COMB: f64 = 0.032;
const COARSE_COMB: f64 = 0.25;
const WAVED_COMB: f64 = 0.1;
const FEATHER_COMB: f64 = 0.042;
const FEATHER_RAKE: f64 = 0.2;

/// Throws of one colour after the other, light ones first so that they do not
/// shine out; then small drops of all.
pub fn throws(bath: &mut Bath) {
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

/// Raked to and fro along one way, then along the other.
pub fn gel_git(bath: &mut Bath) -> Result<()> {
    throws(bath);
    bath.draw_anywhere(&format!("rake angle {DOWN} pull 0.12 spacing {WIDE_RAKE}"))?;
    bath.draw_anywhere(&format!("rake angle {ACROSS} pull 0.16 spacing {NARROW_RAKE}"))
}

/// Raked to and fro across, then combed finely down.
pub fn nonpareil(bath: &mut Bath) -> Result<()> {
    throws(bath);
    bath.draw_anywhere(&format!("rake angle {ACROSS} pull 0.32 spacing {RAKE}"))?;
    bath.draw_anywhere(&format!("comb angle {DOWN} pull 0.05 spacing {FINE_COMB}"))
}

/// Nonpareil, then two rows of staggered teeth that sway against each other.
pub fn bouquet(bath: &mut Bath) -> Result<()> {
    nonpareil(bath)?;
    let first = bath.anywhere();
    let second = first + vec2(0.5 * COARSE_COMB, 0.0);
    for (through, sway) in [(first, 0.05), (second, -0.05)] {
        let through = in_words(through);
        bath.draw(&format!(
            "wavy-comb through {through} angle {UP} pull 0.1 spacing {COARSE_COMB} \
             sway {sway} wavelength 0.25"
        ))?;
    }
    Ok(())
}

/// Raked and combed as nonpareil is, and further; then a wide rake across the combed lines
/// bends them to barbs.
pub fn feather(bath: &mut Bath) -> Result<()> {
    throws(bath);
    bath.draw_anywhere(&format!("rake angle {ACROSS} pull 0.32 spacing {RAKE}"))?;
    bath.draw_anywhere(&format!("comb angle {DOWN} pull 0.12 spacing {FEATHER_COMB}"))?;
    bath.draw_anywhere(&format!("rake angle {ACROSS} pull 0.16 spacing {FEATHER_RAKE}"))
}

/// Gel-git, then a comb that sways as it is drawn down, across the raked lines.
pub fn waved_gel_git(bath: &mut Bath) -> Result<()> {
    gel_git(bath)?;
    bath.draw_anywhere(&format!(
        "wavy-comb angle {DOWN} pull 0.12 spacing {WAVED_COMB} sway 0.05 wavelength 0.5"
    ))
}
