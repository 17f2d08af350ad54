//! Maps of features, and rows of them.

use crate::number::Number;
use std::ops::Range;

/// Width, height and channels of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapSize {
    /// Places across.
    pub width: usize,
    /// Places down.
    pub height: usize,
    /// Numbers at each place.
    pub channels: usize,
}

impl MapSize {
    /// Numbers in a row.
    pub fn row_numbers(self) -> usize {
        self.width * self.channels
    }

    /// Numbers in the whole map.
    pub fn numbers(self) -> usize {
        self.height * self.row_numbers()
    }

    /// All its rows.
    pub fn rows(self) -> Range<usize> {
        0..self.height
    }
}

/// Some rows of a map, row by row, the channels of a place side by side. Rows
/// keep their numbers in the whole map.
#[derive(Clone, Debug, PartialEq)]
pub struct Band<T> {
    /// Of the whole map.
    pub size: MapSize,
    /// The rows that are here.
    pub rows: Range<usize>,
    /// Their numbers.
    pub values: Vec<T>,
}

impl<T: Number> Band<T> {
    /// Nothing but zeros.
    pub fn zeros(size: MapSize, rows: Range<usize>) -> Self {
        let values = vec![T::default(); rows.len() * size.row_numbers()];
        Self { size, rows, values }
    }

    /// The channels at a place.
    pub fn at(&self, x: usize, y: usize) -> &[T] {
        let start = (y - self.rows.start) * self.size.row_numbers() + x * self.size.channels;
        &self.values[start..start + self.size.channels]
    }

    /// Some of its rows, one after the other.
    pub fn part(&self, rows: Range<usize>) -> &[T] {
        &self.values[self.span(rows)]
    }

    /// The same, to be changed.
    pub fn part_mut(&mut self, rows: Range<usize>) -> &mut [T] {
        let span = self.span(rows);
        &mut self.values[span]
    }

    fn span(&self, rows: Range<usize>) -> Range<usize> {
        let start = |row: usize| (row - self.rows.start) * self.size.row_numbers();
        start(rows.start)..start(rows.end)
    }

    /// Adds some of another band's rows to its own.
    pub fn add(&mut self, other: &Self, rows: Range<usize>) {
        let theirs = other.part(rows.clone());
        for (mine, theirs) in self.part_mut(rows).iter_mut().zip(theirs) {
            *mine += *theirs;
        }
    }
}
