//! Stones: drops thrown on the bath, with which every pattern begins.

use super::bath::{
    BOTTLE, Bath, GALL, INDIGO, Ink, MADDER, MIST, OCHRE, ROSE, SAGE, SLATE, SOOT, STRAW, in_words,
};
use super::combed;
use crate::error::Result;

/// From fold to fold of a shaken sheet, and from bend to bend of those folds.
const FOLD: f64 = 0.15;
const BEND: f64 = 0.8;
/// The way along the folds, degrees: a diagonal that is no diagonal of the sheet.
const ALONG: f64 = 50.0;
/// From peg to peg of the frame for whirls; the paint that a peg turns; how far it turns it,
/// degrees.
const PEGS: f64 = 0.21;
const WHIRL: f64 = 0.11;
const TURN: f64 = 480.0;

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

/// Small stones, then shakes: diagonal folds, bent a little, as in a sheet that was rocked while
/// it was laid down.
pub fn spanish_wave(bath: &mut Bath) -> Result<()> {
    let palettes: [[&[Ink]; 3]; 4] = [
        [&[MADDER, INDIGO], &[STRAW, OCHRE], &[SAGE, BOTTLE, MIST]],
        [&[SOOT, MADDER], &[GALL, OCHRE], &[SLATE, MIST, INDIGO]],
        [&[INDIGO, BOTTLE], &[STRAW, GALL], &[ROSE, MADDER, STRAW]],
        [&[SOOT, INDIGO], &[MADDER, ROSE], &[OCHRE, STRAW, SAGE]],
    ];
    let [veins, second, stones] = bath.one_of(&palettes);
    bath.margin = 0.2;
    bath.sprinkle(1.2, 0.026, veins);
    bath.sprinkle(0.8, 0.018, second);
    bath.sprinkle(0.3, 0.011, veins);
    bath.sprinkle(1.1, 0.023, stones);
    bath.sprinkle(0.015, 0.005, second);
    let across = ALONG - 90.0;
    bath.draw_anywhere(&format!("wave angle {ALONG} pull 0.045 wavelength {FOLD}"))?;
    bath.draw_anywhere(&format!("wave angle {across} pull 0.06 wavelength {BEND}"))
}

/// Raked to and fro, then turned about the pegs of a frame.
pub fn whirl(bath: &mut Bath) -> Result<()> {
    combed::throws(bath);
    bath.draw_anywhere("rake angle 0 pull 0.2 spacing 0.1")?;
    for peg in bath.pegs(PEGS) {
        let centre = in_words(peg);
        bath.draw(&format!("swirl centre {centre} radius {WHIRL} turn {TURN}"))?;
    }
    Ok(())
}
