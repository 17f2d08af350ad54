//! Matching of recovered strokes with true ones: the assignment with the least sum of
//! distances between segment midpoints, among strokes that are seen.

use pathfinding::kuhn_munkres::kuhn_munkres_min;
use pathfinding::matrix::Matrix;
use serde::{Deserialize, Serialize};
use tbr::info::least_visible;
use tbr::render::{Replay, ReplayOptions};
use tbr::{Program, Shape, Vec2};
use tbr_io::Failure;

/// Units of distance to a canvas's width: the solver takes whole numbers.
const UNITS: f64 = 1e12;

/// The most pairs of strokes whose distances are held, eight bytes each: with all else, a
/// gigabyte. (And the time grows with the third power of the strokes: this many take hours.)
const MOST_PAIRS: usize = 1 << 26;

/// How close the strokes of one program are to those of another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Match {
    /// Median distance of a matched pair, in widths of the canvas.
    pub median: f64,
    /// Share of pairs closer than the true stroke's half-width.
    pub within: f64,
}

/// The strokes that own enough of the picture to be matched.
pub fn visible(program: &Program, side_px: u32) -> Result<Vec<Shape>, Failure> {
    let view = crate::subject::canvas_view(program, side_px)?;
    let owned = Replay::new(program, view, &ReplayOptions::default())?.count_owned();
    let least = least_visible(program.strokes().len(), view.pixels());
    let strokes = program.strokes().iter().zip(&owned[1..]);
    Ok(strokes.filter(|(_, n)| **n >= least).map(|(s, _)| s.shape).collect())
}

/// Matches strokes, each of the fewer with another one of the more.
pub fn matched(truth: &[Shape], found: &[Shape]) -> Result<Match, Failure> {
    if truth.len() * found.len() > MOST_PAIRS {
        let (truth, found) = (truth.len(), found.len());
        let message = format!(
            "{truth} strokes are seen, and {found} of what was recovered (limit: {MOST_PAIRS} pairs)"
        );
        return Err(Failure::limit(message).hint("give fewer --strokes"));
    }
    least_sum(truth, found).ok_or_else(|| Failure::usage("no stroke is seen"))
}

/// The assignment with the least sum; none if there are no strokes.
fn least_sum(truth: &[Shape], found: &[Shape]) -> Option<Match> {
    let (rows, columns) = if truth.len() <= found.len() { (truth, found) } else { (found, truth) };
    if rows.is_empty() {
        return None;
    }
    let distance = |a: &Shape, b: &Shape| (middle(a) - middle(b)).norm();
    let costs = rows.iter().map(|a| columns.iter().map(|b| (UNITS * distance(a, b)) as i64));
    let costs = Matrix::from_rows(costs.map(Iterator::collect::<Vec<i64>>)).ok()?;
    let (_, columns_of) = kuhn_munkres_min(&costs);
    let pairs = rows.iter().zip(columns_of).map(|(row, k)| (row, &columns[k]));
    let (mut distances, mut within) = (Vec::new(), 0.0);
    for (row, column) in pairs {
        let truth = if truth.len() <= found.len() { row } else { column };
        let apart = distance(row, column);
        within += f64::from(u8::from(apart < truth.half_width));
        distances.push(apart);
    }
    let count = distances.len() as f64;
    Some(Match { median: super::statistics::median(&distances), within: within / count })
}

fn middle(shape: &Shape) -> Vec2<f64> {
    shape.anchor + shape.offset * 0.5
}

#[cfg(test)]
mod tests {
    use super::*;
    use tbr::vec2;

    fn drop(x: f64) -> Shape {
        Shape::drop(vec2(x, 0.5), 0.05)
    }

    /// Greedy matching would give the first its nearest and leave the second far away.
    #[test]
    fn the_sum_of_distances_is_least() {
        let truth = [drop(0.5), drop(0.6)];
        let found = [drop(0.58), drop(0.95), drop(0.46)];
        let both = matched(&truth, &found).unwrap();
        assert!((both.median - 0.03).abs() < 1e-9, "{both:?}");
        assert_eq!(both.within, 1.0);
        let fewer = matched(&found, &truth[..1]).unwrap();
        assert!((fewer.median - 0.04).abs() < 1e-9, "{fewer:?}");
        assert!(matched(&truth, &[]).is_err());
    }

    #[test]
    fn a_program_is_its_own_best_match() {
        let program = tbr::prior::program(60, 1.0, 2).unwrap();
        let seen = visible(&program, 256).unwrap();
        assert!((20..=60).contains(&seen.len()), "{}", seen.len());
        assert_eq!(matched(&seen, &seen).unwrap(), Match { median: 0.0, within: 1.0 });
    }
}
