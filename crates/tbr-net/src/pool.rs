//! The largest of a window, and its adjoint.

use crate::band::{Band, MapSize};
use crate::number::Number;
use crate::window::Window;
use rayon::prelude::*;
use std::ops::Range;

/// The size of what a pool makes of a map. Pools have no padding.
pub fn pooled_size(window: Window, input: MapSize) -> MapSize {
    let places = |length| window.places(length);
    MapSize { width: places(input.width), height: places(input.height), ..input }
}

/// Some rows of the pooled map. The input must have the rows that they need.
pub fn max_pool<T: Number>(window: Window, input: &Band<T>, rows: Range<usize>) -> Band<T> {
    let size = pooled_size(window, input.size);
    let mut out = Band::zeros(size, rows.clone());
    let lines = out.values.par_chunks_mut(size.row_numbers()).zip(rows);
    lines.for_each(|(line, y)| {
        for (x, place) in line.chunks_exact_mut(size.channels).enumerate() {
            for (channel, largest) in place.iter_mut().enumerate() {
                let (at_x, at_y) = largest_at(window, input, (x, y), channel);
                *largest = input.at(at_x, at_y)[channel];
            }
        }
    });
    out
}

/// The adjoint: the derivative of each of the pooled `rows` goes to the number
/// that was the largest. Gives all rows that `input` has.
pub fn max_pool_vjp<T: Number>(
    window: Window,
    input: &Band<T>,
    d_out: &Band<T>,
    rows: Range<usize>,
) -> Band<T> {
    let size = input.size;
    let mut d_input = Band::zeros(size, input.rows.clone());
    let lines = d_input.values.par_chunks_mut(size.row_numbers()).zip(input.rows.clone());
    lines.for_each(|(line, y)| {
        let places = (0..window.side).filter_map(|k| window.seen_by(y, k));
        for place_y in places.filter(|place| rows.contains(place)) {
            for place_x in 0..d_out.size.width {
                for (channel, d) in d_out.at(place_x, place_y).iter().enumerate() {
                    let at = largest_at(window, input, (place_x, place_y), channel);
                    if at.1 == y {
                        line[at.0 * size.channels + channel] += *d;
                    }
                }
            }
        }
    });
    d_input
}

/// Where a window's largest number is: the first of equals.
fn largest_at<T: Number>(
    window: Window,
    input: &Band<T>,
    (x, y): (usize, usize),
    channel: usize,
) -> (usize, usize) {
    let (left, top) = (x * window.stride, y * window.stride);
    let (mut largest, mut at) = (input.at(left, top)[channel], (left, top));
    for y in top..top + window.side {
        for x in left..left + window.side {
            let value = input.at(x, y)[channel];
            if value > largest {
                (largest, at) = (value, (x, y));
            }
        }
    }
    at
}
