//! Margins of the tray: how far paint reaches beyond the sheet.

use crate::progress::Progress;
use rayon::prelude::*;
use tbr::numbers::{Vec2, vec2};
use tbr::outline::Outlines;
use tbr::program::Program;
use tbr::stroke::Operator;
use tbr::{Result, Stop};

/// Outlines followed at once, for each thread: with more, progress would be seen in larger steps.
const AT_ONCE: usize = 4;

/// How far paint reaches beyond each side of the canvas when all strokes are laid; 0
/// where it does not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margins {
    /// Beyond the left edge.
    pub left: f64,
    /// Beyond the upper edge.
    pub top: f64,
    /// Beyond the right edge.
    pub right: f64,
    /// Beyond the lower edge.
    pub bottom: f64,
}

impl Margins {
    /// Each side with its name, clockwise from the left.
    pub fn sides(&self) -> [(&'static str, f64); 4] {
        [("left", self.left), ("top", self.top), ("right", self.right), ("bottom", self.bottom)]
    }
}

/// The margins under an operator, multiplied by `per_canvas`, if it has outlines.
pub(super) fn margins(
    program: &Program,
    operator: Operator,
    per_canvas: f64,
    progress: &Progress,
    stop: &Stop,
) -> Result<Option<Margins>> {
    if operator == Operator::LineSource {
        return Ok(None);
    }
    let outlines = Outlines::new(program, Some(operator), None)?;
    let mut bounds = [vec2(0.0, 0.0), vec2(1.0, program.height())];
    let at_once = AT_ONCE * rayon::current_num_threads();
    for start in (0..outlines.len()).step_by(at_once) {
        stop.check()?;
        let end = (start + at_once).min(outlines.len());
        let some = (start..end).into_par_iter().map(|index| Ok(outlines.outline(index)?.bounds));
        bounds = some.try_reduce(|| bounds, |a, b| Ok(union(a, b)))?;
        progress.set(end);
    }
    let [low, high] = bounds;
    Ok(Some(Margins {
        left: (0.0 - low.x) * per_canvas,
        top: (0.0 - low.y) * per_canvas,
        right: (high.x - 1.0) * per_canvas,
        bottom: (high.y - program.height()) * per_canvas,
    }))
}

/// The box around two boxes.
fn union([a, b]: [Vec2<f64>; 2], [c, d]: [Vec2<f64>; 2]) -> [Vec2<f64>; 2] {
    [vec2(a.x.min(c.x), a.y.min(c.y)), vec2(b.x.max(d.x), b.y.max(d.y))]
}
