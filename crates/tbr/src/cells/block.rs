//! The pixels of a block in the order of its vectors: as they lie in a window of the picture, or,
//! where tools come last, as they lay before them.

use super::layout::{Window, pixel_place};
use super::order::{in_quick_order, pulled_back};
use crate::image::View;
use crate::numbers::lanes::{LANES, Lanes};
use crate::numbers::{Vec2, vec2};
use crate::tool::Move;
use std::borrow::Cow;

/// The pixels of a block.
pub(crate) enum Block<'a, V> {
    /// Those of a window, where they are.
    Window(Window),
    /// Some that tools have carried.
    Carried(Carried<'a, V>),
}

/// Pixels that tools have carried.
pub(crate) struct Carried<'a, V> {
    /// Their numbers, counted row by row.
    pixels: Cow<'a, [u32]>,
    width_px: u32,
    /// Where they were before the tools.
    pub before: Vec<Vec2<V>>,
}

impl<'a, V: Lanes> Carried<'a, V> {
    /// Some pixels of a view, in that order, pulled back through the moves of tools.
    pub fn new(simd: V::Simd, view: &View, pixels: &'a [u32], tools: &[Move<f64>]) -> Self {
        let before = pulled_back(simd, view, pixels, tools);
        Self { pixels: pixels.into(), width_px: view.width_px, before }
    }

    /// Those of a window, in an order that is quick to find.
    pub fn of_window(simd: V::Simd, view: &View, window: &Window, tools: &[Move<f64>]) -> Self {
        let (pixels, before) = in_quick_order(simd, view, window, tools);
        Self { pixels: pixels.into(), width_px: view.width_px, before }
    }
}

impl<V: Lanes> Block<'_, V> {
    /// The picture's pixel in a vector's lane, as column and row, if there is one.
    #[inline(always)]
    pub fn pixel(&self, vector: usize, lane: usize) -> Option<(u32, u32)> {
        match self {
            Self::Window(window) => {
                let (column, row) = pixel_place(vector, lane);
                let (i, j) = (window.columns.start + column, window.rows.start + row);
                let inside = window.columns.contains(&i) && window.rows.contains(&j);
                inside.then_some((i, j))
            }
            Self::Carried(Carried { pixels, width_px, .. }) => {
                let pixel = pixels.get(vector * LANES + lane)?;
                Some((pixel % width_px, pixel / width_px))
            }
        }
    }

    /// Where a vector's pixels are when the walk begins. (Lanes without one are anywhere.)
    #[inline(always)]
    pub fn positions(&self, simd: V::Simd, view: &View, vector: usize) -> Vec2<V> {
        let at = |lane: usize| match self {
            Self::Window(window) => {
                let (column, row) = pixel_place(vector, lane);
                view.centre(window.columns.start + column, window.rows.start + row)
            }
            Self::Carried(_) => vec2(0.0, 0.0),
        };
        let before = match self {
            Self::Carried(carried) => carried.before.get(vector).copied(),
            Self::Window(_) => None,
        };
        before.unwrap_or_else(|| vec2(V::of_f64(simd, |k| at(k).x), V::of_f64(simd, |k| at(k).y)))
    }
}
