//! The pixels of a block in the order of its vectors: as they lie in a window of the picture, or,
//! where tools come last, as they lay before them.
//!
//! Tools stretch the pixels of a window over the whole sheet, and strokes would be near all of
//! its cells. So pixels are pulled back first, and then put in an order in which neighbours are
//! neighbours again.

use super::layout::{Window, pixel_place};
use crate::image::View;
use crate::numbers::lanes::{LANES, Lanes};
use crate::numbers::{Vec2, vec2};
use crate::tool::Move;
use crate::tool::lanewise::{self, Sixteen};

/// The pixels of a block.
pub(crate) enum Block {
    /// Those of a window, where they are.
    Window(Window),
    /// Some that tools have carried, where they were before.
    Carried(Vec<CarriedPixel>),
}

/// A pixel, and where it was before some tools.
#[derive(Clone, Copy)]
pub(crate) struct CarriedPixel {
    pub column: u32,
    pub row: u32,
    pub before: Vec2<f64>,
}

impl Block {
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
            Self::Carried(pixels) => {
                pixels.get(vector * LANES + lane).map(|pixel| (pixel.column, pixel.row))
            }
        }
    }

    /// Where a vector's pixels are when the walk begins. (Lanes without one are near the others.)
    #[inline(always)]
    pub fn positions<V: Lanes>(&self, simd: V::Simd, view: &View, vector: usize) -> Vec2<V> {
        let Vec2 { x, y } = self.places(view, vector);
        vec2(V::of_f64(simd, |k| x[k]), V::of_f64(simd, |k| y[k]))
    }

    /// The same as numbers.
    pub fn places(&self, view: &View, vector: usize) -> Vec2<Sixteen> {
        let at = |lane: usize| self.place(view, vector, lane);
        vec2(std::array::from_fn(|k| at(k).x), std::array::from_fn(|k| at(k).y))
    }

    #[inline(always)]
    fn place(&self, view: &View, vector: usize, lane: usize) -> Vec2<f64> {
        match self {
            Self::Window(window) => {
                let (column, row) = pixel_place(vector, lane);
                view.centre(window.columns.start + column, window.rows.start + row)
            }
            Self::Carried(pixels) => {
                let last = pixels.len().saturating_sub(1);
                pixels.get((vector * LANES + lane).min(last)).map_or(vec2(0.0, 0.0), |p| p.before)
            }
        }
    }
}

/// The pixels of a window, pulled back through the moves of tools and sorted by where they are
/// then.
pub(crate) fn carried(view: &View, window: &Window, tools: &[Move<f64>]) -> Vec<CarriedPixel> {
    let rows = window.rows.clone();
    let all = rows.flat_map(|row| window.columns.clone().map(move |column| (column, row)));
    let mut pixels: Vec<CarriedPixel> = all
        .map(|(column, row)| CarriedPixel { column, row, before: view.centre(column, row) })
        .collect();
    for sixteen in pixels.chunks_mut(LANES) {
        let at = |k: usize| sixteen[k.min(sixteen.len() - 1)].before;
        let mut x = vec2(std::array::from_fn(|k| at(k).x), std::array::from_fn(|k| at(k).y));
        for tool in tools.iter().rev() {
            x = lanewise::psi_of(tool, x);
        }
        for (k, pixel) in sixteen.iter_mut().enumerate() {
            pixel.before = vec2(x.x[k], x.y[k]);
        }
    }
    sort(&mut pixels, view.pixel());
    pixels
}

/// Puts pixels in the order of a curve through the plane that keeps neighbours together
/// (Morton's), in steps of a pixel.
fn sort(pixels: &mut [CarriedPixel], step: Vec2<f64>) {
    let far = vec2(f64::INFINITY, f64::INFINITY);
    let low = pixels.iter().fold(far, |low, p| vec2(low.x.min(p.before.x), low.y.min(p.before.y)));
    // (What is too far away for sixteen bits is in one place, and only slower.)
    let place = |v: f64, low: f64, step: f64| spread((((v - low) / step) as u32).min(0xffff));
    pixels.sort_by_cached_key(|pixel| {
        let Vec2 { x, y } = pixel.before;
        place(x, low.x, step.x) | place(y, low.y, step.y) << 1
    });
}

/// Sixteen bits with a zero between each and the next.
fn spread(bits: u32) -> u32 {
    let mut bits = bits;
    for (shift, mask) in [(8, 0x00ff_00ff), (4, 0x0f0f_0f0f), (2, 0x3333_3333), (1, 0x5555_5555)] {
        bits = (bits | bits << shift) & mask;
    }
    bits
}
