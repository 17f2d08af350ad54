//! Strokes prepared for one view, in the precision and with the operator that
//! it needs.

use super::hard::{BLOCK_PX, owners};
use super::{View, naive};
use crate::cells::{Prepared, Window};
use crate::numbers::lanes::{F32s, F64s, level, with_simd};
use crate::stroke::Operator;
use crate::stroke::{Frame, Shape};
use fearless_simd::Level;

/// Pixels finer than this (in canvas widths) are rendered in float64: a chain
/// of 2000 strokes carries a rounding error of 2e-6 in float32 (the median; one
/// pixel in ten has 7e-6).
const SINGLE_PRECISION_PX: f64 = 1e-5;

/// Interpolation error of one far stroke that is let pass in float32, canvas
/// units. Most are far below it; those of a whole chain add up to a few times what
/// rounding adds. Half of it costs a quarter more time and halves the pixels that
/// fall to the other side of an edge.
const SINGLE_FAR_ERROR: f64 = 2e-6;

/// The same in float64, in pixels.
const DOUBLE_FAR_ERROR_PX: f64 = 1e-3;

/// Prepared strokes.
pub(super) enum PreparedStrokes {
    Single(Vec<Prepared<f32>>),
    Double(Vec<Prepared<f64>>),
    Reference(Vec<Frame<f64>>),
}

/// A program's strokes, ready to be walked at the samples of a view.
pub(super) struct HardEngine {
    pub view: View,
    operator: Operator,
    strokes: PreparedStrokes,
    level: Level,
}

impl HardEngine {
    /// `tolerance_px` is the interpolation error of one far stroke to let pass, if that is
    /// more than what passes anyway.
    pub fn new(operator: Operator, shapes: &[Shape], view: View, tolerance_px: f64) -> Self {
        let pixel = view.pixel().x.min(view.pixel().y);
        let strokes = if operator == Operator::LineSource {
            PreparedStrokes::Reference(shapes.iter().map(Frame::of).collect())
        } else if needs_double(operator, pixel) {
            let error = DOUBLE_FAR_ERROR_PX.max(tolerance_px) * pixel;
            PreparedStrokes::Double(
                shapes.iter().map(|s| Prepared::new(s, operator, error, 0.0)).collect(),
            )
        } else {
            let error = SINGLE_FAR_ERROR.max(tolerance_px * pixel);
            let prepare = |s| Prepared::new(s, operator, error, 0.0);
            PreparedStrokes::Single(shapes.iter().map(prepare).collect())
        };
        Self { view, operator, strokes, level: level() }
    }

    /// Owners of the samples of a window, `BLOCK_PX` to a row.
    pub fn owners(&self, window: &Window) -> Vec<u32> {
        match &self.strokes {
            PreparedStrokes::Single(strokes) => {
                with_simd!(self.level, simd => {
                    owners::<F32s<_>>(simd, self.operator.hard(), strokes, &self.view, window)
                })
            }
            PreparedStrokes::Double(strokes) => {
                with_simd!(self.level, simd => {
                    owners::<F64s<_>>(simd, self.operator.hard(), strokes, &self.view, window)
                })
            }
            PreparedStrokes::Reference(frames) => self.reference(frames, window),
        }
    }

    fn reference(&self, frames: &[Frame<f64>], window: &Window) -> Vec<u32> {
        let mut out = vec![0; (BLOCK_PX * BLOCK_PX) as usize];
        for j in window.rows.clone() {
            for i in window.columns.clone() {
                let at = (j - window.rows.start) * BLOCK_PX + i - window.columns.start;
                out[at as usize] = naive::owner(self.operator, frames, self.view.centre(i, j)).0;
            }
        }
        out
    }
}

/// Is a render computed in float64? Fine pixels are. So are the sixteen drops at any size:
/// what the drops lay and what their coverage hides differ, so that points collapse unseen onto
/// a drop's centre, where every direction lies next to every other.
fn needs_double(operator: Operator, pixel: f64) -> bool {
    pixel < SINGLE_PRECISION_PX || operator == Operator::Drops
}
