//! Fits the coefficients of the calibrated operator to the line source.
//!
//! For each aspect ratio of a list of knots, least squares between two forward
//! maps: [`Calibrated::phi`], whose three coefficients are the unknowns, and
//! [`line_source::phi`]. Starting points cover a quadrant of the plane (the
//! others follow by symmetry): distances from the segment evenly spaced in their
//! square root, leaf coordinates evenly spaced, every point with equal weight.
//! The spacing is the one choice that matters, because the increment of the
//! calibrated map cannot vary with distance: more points near the segment give a
//! truer edge of the deposit, more points far away a truer far field. Even in
//! the logarithm, D at l/r = 2 is 8.8 % and the edge is off by 0.020 r; even in
//! the distance itself, 6.6 % and 0.041 r; even in the square root, 7.6 % and
//! 0.028 r, nearest to the paper's 8 % and 0.03 r among the simple rules.
//!
//! The result is rounded to [`DECIMALS`] and frozen as
//! `stroke/coupling_table.rs`, a part of the file format.

use serde::Serialize;
use std::fmt::Write;
use tbr::numbers::{Dual, Vec2, vec2};
use tbr::stroke::{Calibrated, Frame, Transport, line_source};

/// Digits after the point that the table keeps. One unit of the sixth moves no
/// point by more than a millionth of the half-width.
pub const DECIMALS: usize = 6;

/// Gauss-Newton stops when no coefficient moves by more than this, or after
/// [`MOST_ROUNDS`]; the residuals are small, so it takes five or six.
const SETTLED: f64 = 1e-12;
const MOST_ROUNDS: usize = 30;

/// What is fitted, and on which points. Lengths are in half-widths.
#[derive(Clone, Debug, Serialize)]
pub struct CalibrationOptions {
    /// Aspect ratios l/r, ascending from 0. Denser knots interpolate better and
    /// make the frozen table longer.
    pub aspects: Vec<f64>,
    /// Smallest starting distance. Nearer points pull the fit towards the
    /// deposit's edge.
    pub nearest: f64,
    /// Largest starting distance. Farther points pull the fit towards the far
    /// field, at the cost of the edge.
    pub farthest: f64,
    /// Starting distances; one fewer, halfway between them, are held out.
    pub distances: usize,
    /// Leaf coordinates in a quadrant; one more, halfway between them and on
    /// both axes, are held out.
    pub angles: usize,
}

impl Default for CalibrationOptions {
    fn default() -> Self {
        Self {
            aspects: vec![
                0.0, 0.06, 0.13, 0.2, 0.3, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0,
                6.0, 8.0, 10.0, 13.0, 16.0, 20.0,
            ],
            nearest: 0.02,
            farthest: 8.0,
            distances: 24,
            angles: 24,
        }
    }
}

/// Distance between the two forward maps, in half-widths.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Misfit {
    /// Root of the mean square.
    pub rms: f64,
    /// Largest.
    pub largest: f64,
}

/// One knot of the table and how good it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FittedKnot {
    /// l/r.
    pub aspect: f64,
    /// c_1..c_3, rounded to [`DECIMALS`].
    pub value: [f64; 3],
    /// Their derivatives with respect to l/r by the rule of [`slopes`], rounded.
    pub slope: [f64; 3],
    /// On the points of the fit.
    pub fitted: Misfit,
    /// On distances and angles that the fit has not seen.
    pub held_out: Misfit,
    /// Smallest value of the profile g along a leaf: positive, or the deposit
    /// would have no edge.
    pub least_gain: f64,
}

/// Fits every knot.
pub fn calibrate(options: &CalibrationOptions) -> Vec<FittedKnot> {
    let values: Vec<_> = options.aspects.iter().map(|&a| coefficients(a, options)).collect();
    let slopes = slopes(&options.aspects, &values);
    let knots = options.aspects.iter().zip(values).zip(slopes);
    knots
        .map(|((&aspect, value), slope)| {
            let (fitted, held_out) = misfits(aspect, value, options);
            FittedKnot { aspect, value, slope, fitted, held_out, least_gain: least_gain(value) }
        })
        .collect()
}

/// The best coefficients for one aspect ratio, rounded.
pub fn coefficients(aspect: f64, options: &CalibrationOptions) -> [f64; 3] {
    let samples = Grid::fitted(options).samples(aspect);
    let mut value = [0.0; 3];
    for _ in 0..MOST_ROUNDS {
        let step = newton_step(&unit_stroke(aspect, value), &samples);
        value = std::array::from_fn(|k| value[k] + step[k]);
        if step.iter().all(|s| s.abs() <= SETTLED) {
            break;
        }
    }
    value.map(rounded)
}

/// How far given coefficients are from the line source: on the points of the
/// fit, and on those held out.
pub fn misfits(aspect: f64, value: [f64; 3], options: &CalibrationOptions) -> (Misfit, Misfit) {
    let stroke = unit_stroke(aspect, value);
    let of = |grid: Grid| misfit(&stroke, &grid.samples(aspect));
    (of(Grid::fitted(options)), of(Grid::held_out(options)))
}

/// Smallest value of g(v) = 1 + sum of c_k cos(4 pi k v), exactly: in
/// w = cos(4 pi v) it is a cubic on [-1, 1], least at an end or where its
/// derivative is zero, Eq. (9).
pub fn least_gain([c1, c2, c3]: [f64; 3]) -> f64 {
    let gain = |w: f64| 1.0 + c1 * w + c2 * (2.0 * w * w - 1.0) + c3 * w * (4.0 * w * w - 3.0);
    // g' = a w^2 + b w + c, roots without cancellation.
    let (a, b, c) = (12.0 * c3, 4.0 * c2, c1 - 3.0 * c3);
    let q = -0.5 * (b + (b * b - 4.0 * a * c).max(0.0).sqrt().copysign(b));
    let critical = [q / a, c / q];
    let inside = critical.into_iter().filter(|w| w.abs() <= 1.0);
    inside.chain([-1.0, 1.0]).map(gain).fold(f64::INFINITY, f64::min)
}

/// Slopes at the knots for cubic Hermite interpolation: that of the parabola
/// through a knot and its two neighbours; at the first knot, of the parabola
/// through the first three; at the last, 0, because the coefficients stay
/// constant from there on. Rounded like the values.
pub fn slopes(aspects: &[f64], values: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let last = aspects.len().saturating_sub(1);
    let secant =
        |i: usize, k: usize| (values[i + 1][k] - values[i][k]) / (aspects[i + 1] - aspects[i]);
    let slope = |i: usize, k: usize| {
        if i == last || last < 2 {
            return 0.0;
        }
        let m = i.max(1);
        let (before, after) = (aspects[m] - aspects[m - 1], aspects[m + 1] - aspects[m]);
        let bend = (secant(m, k) - secant(m - 1, k)) / (before + after);
        let from = if i == 0 { -before } else { before };
        secant(m - 1, k) + bend * from
    };
    (0..aspects.len()).map(|i| std::array::from_fn(|k| rounded(slope(i, k)))).collect()
}

/// The Rust source of `stroke/coupling_table.rs`.
pub fn table_source(fits: &[FittedKnot]) -> String {
    let list = |v: [f64; 3]| v.map(|c| format!("{c:.DECIMALS$}")).join(", ");
    let mut text = format!("{TABLE_HEAD}pub const KNOTS: [Knot; {}] = [\n", fits.len());
    for fit in fits {
        let (value, slope) = (list(fit.value), list(fit.slope));
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "    Knot {{ aspect: {:?}, value: [{value}], slope: [{slope}] }},",
            fit.aspect
        );
    }
    text + "];\n"
}

const TABLE_HEAD: &str = "\
//! The frozen coefficients of the calibrated operator.
//!
//! Part of format version 1: a program's picture depends on every digit, so this
//! table does not change while that version lives. Made by `tbr calibrate`
//! (crate tbr-lab), rounded to six decimals; a test makes it again.

/// One fitted aspect ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Knot {
    /// l/r.
    pub aspect: f64,
    /// c_1..c_3.
    pub value: [f64; 3],
    /// Derivatives with respect to l/r.
    pub slope: [f64; 3],
}

/// The table, by ascending aspect ratio.
#[rustfmt::skip]
";

/// A stroke of half-width 1 along the first axis, about the origin.
pub(crate) fn unit_stroke(aspect: f64, coupling: [f64; 3]) -> Frame<f64> {
    let plain = Frame::uncoupled(vec2(-0.5 * aspect, 0.0), vec2(aspect, 0.0), 1.0);
    Frame { coupling, ..plain }
}

/// Starting points in the chart.
struct Grid {
    distances: Vec<f64>,
    /// Leaf coordinates nu, from the flank's midpoint (0) to the tip (1/2).
    leaves: Vec<f64>,
}

/// Where a point starts and where the line source carries it.
struct CarriedPoint {
    start: Vec2<f64>,
    end: Vec2<f64>,
}

impl Grid {
    fn fitted(options: &CalibrationOptions) -> Self {
        Self::shifted(options, options.distances, 0.0, options.angles, 0.5)
    }

    /// Halfway between the fitted points, in both coordinates.
    fn held_out(options: &CalibrationOptions) -> Self {
        let distances = options.distances.saturating_sub(1);
        Self::shifted(options, distances, 0.5, options.angles + 1, 0.0)
    }

    fn shifted(
        options: &CalibrationOptions,
        distances: usize,
        distance_shift: f64,
        angles: usize,
        angle_shift: f64,
    ) -> Self {
        let (low, high) = (options.nearest.sqrt(), options.farthest.sqrt());
        let gap = (high - low) / (options.distances.max(2) - 1) as f64;
        let distance = |k: usize| (low + gap * (k as f64 + distance_shift)).powi(2);
        let leaf = |k: usize| 0.5 * (k as f64 + angle_shift) / options.angles as f64;
        Self {
            distances: (0..distances).map(distance).collect(),
            leaves: (0..angles).map(leaf).collect(),
        }
    }

    fn samples(&self, aspect: f64) -> Vec<CarriedPoint> {
        let stroke = unit_stroke(aspect, [0.0; 3]);
        let starts = self.distances.iter().flat_map(|&sigma| {
            self.leaves.iter().map(move |&nu| stroke.point_at(vec2(1.0, 1.0), nu, sigma))
        });
        starts.map(|start| CarriedPoint { start, end: line_source::phi(&stroke, start) }).collect()
    }
}

fn misfit(stroke: &Frame<f64>, samples: &[CarriedPoint]) -> Misfit {
    let (mut sum, mut largest) = (0.0, 0.0f64);
    for sample in samples {
        let error = (Calibrated::phi(stroke, sample.start) - sample.end).norm();
        sum += error * error;
        largest = largest.max(error);
    }
    Misfit { rms: (sum / samples.len() as f64).sqrt(), largest }
}

/// The change of the coefficients that minimises the linearised sum of squares.
fn newton_step(stroke: &Frame<f64>, samples: &[CarriedPoint]) -> [f64; 3] {
    let mut normal = [[0.0; 3]; 3];
    let mut right = [0.0; 3];
    let directions: [Frame<Dual>; 3] = std::array::from_fn(|k| {
        let mut dual = stroke.map(Dual::constant);
        dual.coupling[k].derivative = 1.0;
        dual
    });
    for sample in samples {
        let start = vec2(Dual::constant(sample.start.x), Dual::constant(sample.start.y));
        let columns = directions.map(|stroke| {
            let moved = Calibrated::phi(&stroke, start);
            vec2(moved.x.derivative, moved.y.derivative)
        });
        let error = sample.end - Calibrated::phi(stroke, sample.start);
        for j in 0..3 {
            right[j] += columns[j].dot(error);
            for k in 0..3 {
                normal[j][k] += columns[j].dot(columns[k]);
            }
        }
    }
    solve(normal, right)
}

/// The solution of a symmetric, well-conditioned 3 by 3 system, by Cramer's rule.
fn solve(matrix: [[f64; 3]; 3], right: [f64; 3]) -> [f64; 3] {
    let whole = determinant(matrix);
    std::array::from_fn(|k| {
        let mut replaced = matrix;
        replaced[k] = right;
        determinant(replaced) / whole
    })
}

fn determinant([a, b, c]: [[f64; 3]; 3]) -> f64 {
    a[0] * (b[1] * c[2] - b[2] * c[1])
        + a[1] * (b[2] * c[0] - b[0] * c[2])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

/// To [`DECIMALS`], and never minus zero.
fn rounded(value: f64) -> f64 {
    let unit = 10f64.powi(DECIMALS as i32);
    (value * unit).round() / unit + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use tbr::stroke::coupling;

    #[test]
    fn the_frozen_table_is_what_the_fit_gives() {
        let again = table_source(&calibrate(&CalibrationOptions::default()));
        assert_eq!(again, include_str!("../../tbr/src/stroke/coupling_table.rs"));
    }

    #[test]
    fn the_profile_is_positive_at_and_between_the_knots() {
        for k in 0..=25_000 {
            let aspect = f64::from(k) * 1e-3;
            let least = least_gain(coupling::at(aspect).0);
            assert!(least > 0.8, "l/r = {aspect}: {least}");
        }
    }

    #[test]
    fn the_least_gain_is_that_of_a_fine_scan() {
        for c in [[0.0; 3], [0.2, 0.0, 0.0], [0.0, 0.3, 0.0], [0.1, -0.4, 0.3], [0.5, 0.4, -0.3]] {
            let scan = (0..=20_000).map(|k| {
                let w = f64::from(k) / 1e4 - 1.0;
                1.0 + c[0] * w + c[1] * (2.0 * w * w - 1.0) + c[2] * w * (4.0 * w * w - 3.0)
            });
            let scanned = scan.fold(f64::INFINITY, f64::min);
            assert!((least_gain(c) - scanned).abs() < 1e-7, "{c:?}");
        }
    }

    /// Held-out points are fitted as well as the others, and interpolated
    /// coefficients as well as fitted ones.
    #[test]
    fn the_fit_holds_between_its_points_and_its_knots() {
        let options = CalibrationOptions::default();
        for aspect in [0.6, 1.75, 2.0, 4.5] {
            let (fitted, held_out) = misfits(aspect, coupling::at(aspect).0, &options);
            assert!(held_out.rms < 1.05 * fitted.rms, "l/r = {aspect}: {fitted:?} {held_out:?}");
            let (best, _) = misfits(aspect, coefficients(aspect, &options), &options);
            assert!(fitted.rms < 1.0005 * best.rms, "l/r = {aspect}: {fitted:?} {best:?}");
        }
    }
}
