//! The order of pixels that tools have carried.
//!
//! Tools stretch the pixels of a window over the whole sheet, and strokes would be near all of
//! its cells. So where tools come last, pixels are pulled back first, and put in an order in
//! which neighbours are neighbours again.

use super::layout::{LEAF_VECTORS, Window};
use crate::image::View;
use crate::numbers::lanes::{F32s, LANES, Lanes, Scalar, level, with_simd};
use crate::numbers::{Vec2, vec2};
use crate::parallel;
use crate::stroke::vectorized;
use crate::tool::{Move, lanewise};

/// Pixels along the side of a window that are sorted together. Combs of a picture that is larger
/// stretch less of it over each other, seen in pixels.
const WINDOW_PX: u32 = 1024;

/// Vectors of pixels that a thread pulls back at once.
const VECTORS_AT_ONCE: usize = 256;

/// All pixels of a view, each by its number in it, counted row by row: in blocks and cells of
/// neighbours. It is one of many: any order gives the same picture, only slower.
#[derive(Debug)]
pub(crate) struct PixelOrder(Vec<u32>);

impl PixelOrder {
    /// An order for the moves of tools that come last.
    pub fn new(view: &View, tools: &[Move<f64>]) -> Self {
        let mut all = Vec::with_capacity(view.pixels());
        let whole = Window { columns: 0..view.width_px, rows: 0..view.height_px };
        let span = |start: u32, end: u32| start..(start + WINDOW_PX).min(end);
        for row in (0..view.height_px).step_by(WINDOW_PX as usize) {
            for column in (0..view.width_px).step_by(WINDOW_PX as usize) {
                let (columns, rows) = (span(column, view.width_px), span(row, view.height_px));
                all.append(&mut in_order(view, &whole, &Window { columns, rows }, tools));
            }
        }
        Self(all)
    }

    /// The pixels in blocks of so many vectors.
    pub fn blocks(&self, vectors: usize) -> impl Iterator<Item = &[u32]> {
        self.0.chunks(vectors * LANES)
    }
}

/// The pixels of a window, by their numbers in the whole, in an order for tools that come last.
fn in_order(view: &View, whole: &Window, window: &Window, tools: &[Move<f64>]) -> Vec<u32> {
    let pixels = tiled(whole, window);
    let chunks: Vec<&[u32]> = pixels.chunks(VECTORS_AT_ONCE * LANES).collect();
    let places = parallel::map(
        chunks.len(),
        |k| with_simd!(level(), simd => places::<F32s<_>>(simd, view, whole, chunks[k], tools)),
    );
    let mut placed = placed(&places.concat());
    sort(&mut placed, LEAF_VECTORS * LANES);
    placed.into_iter().map(|placed| pixels[placed.index()]).collect()
}

/// The same by their numbers in the window, whole vectors at a time, and where they were before
/// the tools: a sixteenth of the work, and cells that are a little larger.
pub(super) fn in_quick_order<V: Lanes>(
    simd: V::Simd,
    view: &View,
    window: &Window,
    tools: &[Move<f64>],
) -> (Vec<u32>, Vec<Vec2<V>>) {
    let pixels = tiled(window, window);
    let places = pulled_back::<V>(simd, view, window, &pixels, tools);
    let scalar = |v: V::Scalar| v.to_f64() as f32;
    let mut middles = Vec::with_capacity(places.len());
    vectorized!(simd, {
        for at in &places {
            let middle = |low: V::Scalar, high: V::Scalar| 0.5 * (scalar(low) + scalar(high));
            let (x, y) = (at.x, at.y);
            middles
                .push(vec2(middle(x.smallest(), x.largest()), middle(y.smallest(), y.largest())));
        }
    });
    // (A vector that is not full stays the last.)
    let full = pixels.len() / LANES;
    let mut placed = placed(&middles[..full]);
    sort(&mut placed, LEAF_VECTORS);
    let vectors: Vec<usize> = placed.iter().map(|v| v.index()).chain(full..places.len()).collect();
    let of = |v: &usize| &pixels[v * LANES..((v + 1) * LANES).min(pixels.len())];
    (vectors.iter().flat_map(of).copied().collect(), vectors.iter().map(|v| places[*v]).collect())
}

/// The numbers of a window's pixels in the whole, in tiles of 4 x 4.
fn tiled(whole: &Window, window: &Window) -> Vec<u32> {
    const SIDE: usize = 4;
    let (left, top, across) = (whole.columns.start, whole.rows.start, whole.columns.len() as u32);
    let mut pixels = Vec::with_capacity(window.rows.len() * window.columns.len());
    for row in window.rows.clone().step_by(SIDE) {
        let rows = row..(row + SIDE as u32).min(window.rows.end);
        for column in window.columns.clone().step_by(SIDE) {
            let columns = column..(column + SIDE as u32).min(window.columns.end);
            for j in rows.clone() {
                pixels.extend(columns.clone().map(|i| (j - top) * across + i - left));
            }
        }
    }
    pixels
}

/// Where pixels were before the moves of some tools, by their numbers in a window: a vector for
/// sixteen of them. (Lanes without one are where the last is.)
pub(super) fn pulled_back<V: Lanes>(
    simd: V::Simd,
    view: &View,
    whole: &Window,
    pixels: &[u32],
    tools: &[Move<f64>],
) -> Vec<Vec2<V>> {
    let mut places = Vec::with_capacity(pixels.len().div_ceil(LANES));
    vectorized!(simd, {
        for sixteen in pixels.chunks(LANES) {
            let [mut x, mut y] = [[V::Scalar::default(); LANES]; 2];
            for k in 0..LANES {
                let pixel = sixteen[k.min(sixteen.len() - 1)];
                let (i, j) = whole.pixel(pixel);
                let at = view.centre(i, j);
                x[k] = V::Scalar::from_f64(at.x);
                y[k] = V::Scalar::from_f64(at.y);
            }
            places.push(vec2(V::load(simd, &x), V::load(simd, &y)));
        }
    });
    for tool in tools.iter().rev() {
        lanewise::psi_all(simd, tool, &mut places);
    }
    places
}

/// [`pulled_back`] as numbers.
fn places<V: Lanes<Scalar = f32>>(
    simd: V::Simd,
    view: &View,
    whole: &Window,
    pixels: &[u32],
    tools: &[Move<f64>],
) -> Vec<Vec2<f32>> {
    let places = pulled_back::<V>(simd, view, whole, pixels, tools);
    let mut all = Vec::with_capacity(LANES * places.len());
    vectorized!(simd, {
        for at in places {
            let (x, y) = (at.x.to_array(), at.y.to_array());
            all.extend((0..LANES).map(|k| vec2(x[k], y[k])));
        }
    });
    all.truncate(pixels.len());
    all
}

/// A place and the index of what is there, in one number that is quick to compare and to move:
/// sixteen bits of x, as many of y, and the index.
#[derive(Clone, Copy)]
struct Placed(u64);

impl Placed {
    fn by_x(self) -> u64 {
        self.0
    }
    fn by_y(self) -> u64 {
        self.0.rotate_left(16)
    }
    fn index(self) -> usize {
        self.0 as u32 as usize
    }
}

/// Places as shares of the square around all of them.
fn placed(places: &[Vec2<f32>]) -> Vec<Placed> {
    let far = vec2(f32::INFINITY, f32::INFINITY);
    let low = places.iter().fold(far, |low, at| vec2(low.x.min(at.x), low.y.min(at.y)));
    let high = places.iter().fold(-far, |high, at| vec2(high.x.max(at.x), high.y.max(at.y)));
    let side = (high.x - low.x).max(high.y - low.y);
    let share = |v: f32, low: f32| u64::from(((v - low) * (65535.0 / side)) as u16);
    let place = |(index, at): (usize, &Vec2<f32>)| {
        Placed(share(at.x, low.x) << 48 | share(at.y, low.y) << 32 | index as u64)
    };
    places.iter().enumerate().map(place).collect()
}

/// Halves a set across the longer side of its box, again and again, at whole blocks and cells,
/// down to leaves of so many. (Of two in one place the one with the lower index is first: there
/// is one order only.)
fn sort(all: &mut [Placed], leaf: usize) {
    if all.len() <= leaf {
        all.sort_unstable_by_key(|placed| placed.index());
        return;
    }
    let mut unit = leaf;
    while unit * LANES < all.len() {
        unit *= LANES;
    }
    let half = (all.len() / 2).next_multiple_of(unit);
    if side(all, Placed::by_x) > side(all, Placed::by_y) {
        all.select_nth_unstable_by_key(half, |placed| placed.by_x());
    } else {
        all.select_nth_unstable_by_key(half, |placed| placed.by_y());
    }
    let (one, other) = all.split_at_mut(half);
    if one.len() > VECTORS_AT_ONCE * LANES {
        parallel::join(|| sort(one, leaf), || sort(other, leaf));
    } else {
        sort(one, leaf);
        sort(other, leaf);
    }
}

/// A side of the box around a set.
fn side(all: &[Placed], by: impl Fn(Placed) -> u64) -> u64 {
    let (mut low, mut high) = (u64::MAX, 0);
    for placed in all {
        low = low.min(by(*placed));
        high = high.max(by(*placed));
    }
    high - low
}
