//! How the pixels of a block are shared out among cells and vectors.

use crate::numbers::lanes::LANES;
use std::ops::Range;

/// Pixels along the side of a leaf: sixteen vectors of 4 x 4.
const LEAF_PX: u32 = 16;
/// Vectors of pixels in a leaf: as many as cells in a cell.
pub(crate) const LEAF_VECTORS: usize = LANES;

/// Pixels along the side of a block with so many levels of cells.
pub(crate) const fn block_px(levels: usize) -> u32 {
    LEAF_PX << (2 * (levels - 1))
}

/// Vectors of pixels in it.
pub(crate) const fn block_vectors(levels: usize) -> usize {
    LEAF_VECTORS * LANES.pow(levels as u32 - 1)
}

/// Some pixels of a view; of a block, at most [`block_px`] each way.
#[derive(Clone)]
pub(crate) struct Window {
    pub columns: Range<u32>,
    pub rows: Range<u32>,
}

impl Window {
    /// Column and row in the view of a pixel by its number, counted row by row.
    #[inline(always)]
    pub fn pixel(&self, number: u32) -> (u32, u32) {
        let across = self.columns.end - self.columns.start;
        (self.columns.start + number % across, self.rows.start + number / across)
    }
}

/// Cells of a level in a block of so many levels.
pub(crate) fn cells_at(level: usize, levels: usize) -> usize {
    LANES.pow((levels - 1 - level) as u32)
}

/// Columns and rows in its block of a vector's lanes: each digit of its number, to the base 16, is
/// a place in a 4 x 4.
#[inline(always)]
pub(super) fn pixel_places(mut vector: usize) -> [(u32, u32); LANES] {
    let (mut column, mut row) = (0, 0);
    let mut side = 4;
    while vector > 0 {
        let (x, y) = place(vector % LANES);
        column += x * side;
        row += y * side;
        side *= 4;
        vector /= LANES;
    }
    std::array::from_fn(|lane| {
        let (x, y) = place(lane);
        (column + x, row + y)
    })
}

/// The numbers of the bits that are set. (An iterator, not a function that takes a closure:
/// closures are not always inlined, and then lose their instruction set.)
#[inline(always)]
pub(crate) fn bits(set: u32) -> Bits {
    Bits(set)
}

/// See [`bits`].
pub(crate) struct Bits(u32);

impl Iterator for Bits {
    type Item = usize;
    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let bit = (self.0 != 0).then(|| self.0.trailing_zeros() as usize)?;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

/// Each run of neighbouring bits.
#[inline(always)]
pub(crate) fn runs(set: u32) -> Runs {
    Runs(set)
}

/// See [`runs`].
pub(crate) struct Runs(u32);

impl Iterator for Runs {
    type Item = Range<usize>;
    #[inline(always)]
    fn next(&mut self) -> Option<Range<usize>> {
        let start = (self.0 != 0).then(|| self.0.trailing_zeros())?;
        let length = (self.0 >> start).trailing_ones();
        self.0 &= !(((1u32 << length) - 1) << start);
        Some(start as usize..(start + length) as usize)
    }
}

/// Column and row of lane or inner cell `k` in its 4 x 4.
fn place(k: usize) -> (u32, u32) {
    ((k % 4) as u32, (k / 4) as u32)
}
