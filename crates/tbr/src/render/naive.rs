//! The hard render in its plainest form: the executable definition, in float64,
//! that the fast renderer is tested against.

use super::View;
use crate::program::Operator;
use crate::stroke::{Calibrated, Capsule, Drops, Frame, Inert, Transport, line_source};
use crate::vec2::Vec2;
use rayon::prelude::*;

/// Who owns the material at `x`: the number of the stroke, counted from 1, in
/// whose deposit the point lies when it is followed back, or 0 for the bare
/// canvas; and where it lay then (at the start, for the bare canvas).
pub fn owner(operator: Operator, frames: &[Frame<f64>], x: Vec2<f64>) -> (u32, Vec2<f64>) {
    let mut x = x;
    for (i, frame) in frames.iter().enumerate().rev() {
        let (covered, before) = step(operator, frame, x);
        if covered {
            return (i as u32 + 1, x);
        }
        x = before;
    }
    (0, x)
}

/// One stroke undone: was the point in its deposit, and where did it come from?
pub fn step(operator: Operator, frame: &Frame<f64>, x: Vec2<f64>) -> (bool, Vec2<f64>) {
    match operator {
        Operator::Capsule => Capsule::step(frame, x),
        Operator::Calibrated => Calibrated::step(frame, x),
        Operator::Drops => Drops::step(frame, x),
        Operator::Inert => Inert::step(frame, x),
        Operator::LineSource => line_source::step(frame, x),
    }
}

/// One stroke laid: where does the material at `x` go?
pub fn forward(operator: Operator, frame: &Frame<f64>, x: Vec2<f64>) -> Vec2<f64> {
    match operator {
        Operator::Capsule => Capsule::phi(frame, x),
        Operator::Calibrated => Calibrated::phi(frame, x),
        Operator::Drops => Drops::phi(frame, x),
        Operator::Inert => Inert::phi(frame, x),
        Operator::LineSource => line_source::phi(frame, x),
    }
}

/// The owner of every pixel, row by row.
pub fn owners(operator: Operator, frames: &[Frame<f64>], view: &View) -> Vec<u32> {
    let width = view.width_px;
    (0..view.height_px)
        .into_par_iter()
        .flat_map_iter(|j| (0..width).map(move |i| owner(operator, frames, view.centre(i, j)).0))
        .collect()
}
