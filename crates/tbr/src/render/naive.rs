//! The hard render in its plainest form: the executable definition, in float64,
//! that the fast renderer is tested against.

use super::View;
use crate::chain::Chain;
use crate::numbers::Vec2;
use rayon::prelude::*;

/// Who owns the material at `x`: the number of the stroke, counted from 1 among the strokes, in
/// whose deposit the point lies when it is followed back, or 0 for the bare canvas.
pub fn owner(chain: &Chain, x: Vec2<f64>) -> u32 {
    chain.owner(x).0.map_or(0, |(index, _)| index as u32 + 1)
}

/// The owner of every pixel, row by row.
pub fn owners(chain: &Chain, view: &View) -> Vec<u32> {
    let width = view.width_px;
    (0..view.height_px)
        .into_par_iter()
        .flat_map_iter(|j| (0..width).map(move |i| owner(chain, view.centre(i, j))))
        .collect()
}
