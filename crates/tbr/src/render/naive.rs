//! The hard render in its plainest form: the executable definition, in float64,
//! that the fast renderer is tested against.

use super::View;
use crate::numbers::Vec2;
use crate::stroke::{Frame, Operator};
use rayon::prelude::*;

/// Who owns the material at `x`: the number of the stroke, counted from 1, in
/// whose deposit the point lies when it is followed back, or 0 for the bare
/// canvas; and where it lay then (at the start, for the bare canvas).
pub fn owner(operator: Operator, frames: &[Frame<f64>], x: Vec2<f64>) -> (u32, Vec2<f64>) {
    let mut x = x;
    for (i, frame) in frames.iter().enumerate().rev() {
        let (covered, before) = operator.step(frame, x);
        if covered {
            return (i as u32 + 1, x);
        }
        x = before;
    }
    (0, x)
}

/// The owner of every pixel, row by row.
pub fn owners(operator: Operator, frames: &[Frame<f64>], view: &View) -> Vec<u32> {
    let width = view.width_px;
    (0..view.height_px)
        .into_par_iter()
        .flat_map_iter(|j| (0..width).map(move |i| owner(operator, frames, view.centre(i, j)).0))
        .collect()
}
