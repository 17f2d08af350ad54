//! A blurred picture of what is left to paint: the colour that a point would have if it were
//! not painted.

use super::sheet::{PointSheet, Sample};
use crate::numbers::Vec2;

/// Mean colours of the sheet, by cell, blurred.
pub(super) struct Blur<'a> {
    sheet: &'a PointSheet,
    /// Colour and weight.
    means: Vec<[f32; 4]>,
}

/// Less weight than this in a cell is none: rounding of running sums.
const LEAST_WEIGHT: f32 = 1e-3;

/// What painting a point that is to stay bare costs, in squared distances of colours: more than
/// a point gains by being painted, which is a few hundredths.
pub(super) const BARE_LOSS: f32 = 1.0;

impl<'a> Blur<'a> {
    /// Two passes of a box of `radius` cells each way.
    pub fn new(sheet: &'a PointSheet, radius: usize) -> Self {
        let (across, down) = (sheet.cells.across, sheet.cells.down);
        let mut sums = vec![[0.0f32; 4]; across * down];
        for row in 0..down {
            for column in 0..across {
                let sum = &mut sums[row * across + column];
                for k in sheet.row(column..column + 1, row) {
                    let Sample { colour, weight, .. } = sheet.samples[k];
                    for c in 0..3 {
                        sum[c] += weight * colour[c];
                    }
                    sum[3] += weight;
                }
            }
        }
        let mut blurred = sums.clone();
        for _ in 0..2 {
            for row in 0..down {
                box_line(&sums, &mut blurred, (row * across, 1), across, radius);
            }
            for column in 0..across {
                box_line(&blurred, &mut sums, (column, across), down, radius);
            }
        }
        for [r, g, b, weight] in &mut sums {
            let per = 1.0 / weight.max(LEAST_WEIGHT);
            (*r, *g, *b) = (*r * per, *g * per, *b * per);
        }
        Self { sheet, means: sums }
    }

    /// A sample's squared distance from the paint about it, times its weight; a loss where
    /// it is to stay bare.
    pub fn gain(&self, at: Vec2<f32>, sample: Sample) -> f32 {
        if sample.bare {
            return -BARE_LOSS;
        }
        let about = self.at(at).unwrap_or(sample.colour);
        let square = |c: usize| (about[c] - sample.colour[c]) * (about[c] - sample.colour[c]);
        sample.weight * (square(0) + square(1) + square(2))
    }

    /// Bilinear between the cells about a point that hold anything.
    fn at(&self, p: Vec2<f32>) -> Option<[f32; 3]> {
        let cells = &self.sheet.cells;
        let place = |v: f32, count: usize| (v - 0.5).clamp(0.0, count as f32 - 1.0);
        let x = place((p.x - cells.origin.x) * cells.per_side, cells.across);
        let y = place((p.y - cells.origin.y) * cells.per_side, cells.down);
        let (i, j) = (x as usize, y as usize);
        let (right, lower) = (x - i as f32, y - j as f32);
        let (i2, j2) = ((i + 1).min(cells.across - 1), (j + 1).min(cells.down - 1));
        let (mut sum, mut total) = ([0.0; 3], 0.0);
        for (i, j, share) in [
            (i, j, (1.0 - right) * (1.0 - lower)),
            (i2, j, right * (1.0 - lower)),
            (i, j2, (1.0 - right) * lower),
            (i2, j2, right * lower),
        ] {
            let [r, g, b, weight] = self.means[cells.index((i, j))];
            if weight > LEAST_WEIGHT {
                let share = share + f32::EPSILON;
                sum = [sum[0] + share * r, sum[1] + share * g, sum[2] + share * b];
                total += share;
            }
        }
        (total > 0.0).then(|| sum.map(|s| s / total))
    }
}

/// Sums over `radius` cells each way along a line of `count` cells.
fn box_line(
    from: &[[f32; 4]],
    to: &mut [[f32; 4]],
    (first, step): (usize, usize),
    count: usize,
    radius: usize,
) {
    let mut sum = [0.0f32; 4];
    let mut add = |at: usize, sign: f32| {
        for c in 0..4 {
            sum[c] += sign * from[first + at * step][c];
        }
        sum
    };
    for k in 0..radius.min(count) {
        add(k, 1.0);
    }
    for k in 0..count {
        let entering = if k + radius < count { 1.0 } else { 0.0 };
        let now = add((k + radius).min(count - 1), entering);
        to[first + k * step] = now;
        if k >= radius {
            add(k - radius, -1.0);
        }
    }
}
