//! The pixels of a block in the order of its vectors: as they lie in a window of the picture, or,
//! where tools come last, as they lay before them.

use super::layout::{Window, pixel_places};
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
    /// Their numbers in a window, counted row by row. (In a view there may be more than a number
    /// of 32 bits can say.)
    pixels: Cow<'a, [u32]>,
    window: Window,
    /// Where they were before the tools.
    pub before: Vec<Vec2<V>>,
}

impl<'a, V: Lanes> Carried<'a, V> {
    /// Some pixels of a whole view, in that order, pulled back through the moves of tools.
    pub fn new(simd: V::Simd, view: &View, pixels: &'a [u32], tools: &[Move<f64>]) -> Self {
        let window = Window { columns: 0..view.width_px, rows: 0..view.height_px };
        let before = pulled_back(simd, view, &window, pixels, tools);
        Self { pixels: pixels.into(), window, before }
    }

    /// Those of a window, in an order that is quick to find.
    pub fn of_window(simd: V::Simd, view: &View, window: &Window, tools: &[Move<f64>]) -> Self {
        let (pixels, before) = in_quick_order(simd, view, window, tools);
        Self { pixels: pixels.into(), window: window.clone(), before }
    }
}

impl<V: Lanes> Block<'_, V> {
    /// The picture's pixels in a vector's lanes, as columns and rows, where there are any.
    #[inline(always)]
    pub fn pixels(&self, vector: usize) -> [Option<(u32, u32)>; LANES] {
        match self {
            Self::Window(window) => {
                let places = pixel_places(vector);
                std::array::from_fn(|lane| {
                    let (column, row) = places[lane];
                    let (i, j) = (window.columns.start + column, window.rows.start + row);
                    (i < window.columns.end && j < window.rows.end).then_some((i, j))
                })
            }
            Self::Carried(Carried { pixels, window, .. }) => {
                std::array::from_fn(|lane| Some(window.pixel(*pixels.get(vector * LANES + lane)?)))
            }
        }
    }

    /// Where a vector's pixels are when the walk begins. (Lanes without one are anywhere.)
    #[inline(always)]
    pub fn positions(&self, simd: V::Simd, view: &View, vector: usize) -> Vec2<V> {
        match self {
            Self::Window(window) => {
                let (column, row) = (window.columns.start, window.rows.start);
                let places = pixel_places(vector);
                let at = |k: usize| view.centre(column + places[k].0, row + places[k].1);
                vec2(V::of_f64(simd, |k| at(k).x), V::of_f64(simd, |k| at(k).y))
            }
            Self::Carried(carried) => {
                let zero = V::splat(simd, V::Scalar::default());
                carried.before.get(vector).copied().unwrap_or(vec2(zero, zero))
            }
        }
    }
}
