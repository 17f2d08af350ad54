//! Palettes: the colours that strokes may have.

use super::colour::{Colour, squared_distance};

/// The entry nearest to a colour; none of an empty palette.
pub fn nearest(palette: &[Colour], colour: Colour) -> Option<usize> {
    let distance = |k: &usize| squared_distance(palette[*k], colour);
    (0..palette.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))
}
