//! Stones: drops thrown on the bath, with which every pattern begins.

use super::bath::{
    BOTTLE, Bath, GALL, INDIGO, Ink, MADDER, MIST, OCHRE, ROSE, SAGE, SLATE, SOOT, STRAW,
};

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
