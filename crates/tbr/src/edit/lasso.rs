//! Strokes by a line drawn around them.

use super::select::{Choice, OWNED_WIDTH_PX};
use crate::error::{Error, Result};
use crate::numbers::Vec2;
use crate::program::Program;
use crate::render::{Replay, ReplayOptions, View};

/// The most corners of a line.
const MOST_CORNERS: usize = 100_000;

/// The strokes of which at least half of what is seen lies inside a closed line, given by
/// its corners; where the line crosses itself, what it goes around twice is outside. Seen
/// is what a stroke owns in a replay [`OWNED_WIDTH_PX`] wide, or less where the canvas is tall.
pub fn lasso(program: &Program, corners: &[Vec2<f64>]) -> Result<Choice> {
    if corners.len() > MOST_CORNERS {
        let what = format!("a line of {} corners", corners.len());
        return Err(Error::limit(what, MOST_CORNERS.to_string()));
    }
    if corners.iter().any(|p| !(p.x.is_finite() && p.y.is_finite())) {
        return Err(Error::Request("a corner of the line is not finite".into()));
    }
    let view = View::of_canvas_within(program, OWNED_WIDTH_PX)?;
    let replay = Replay::new(program, view, &ReplayOptions::default())?;
    let width = view.width_px as usize;
    let (mut seen, mut inside) =
        (vec![0_u64; program.strokes().len() + 1], vec![0_u64; program.strokes().len() + 1]);
    for strip in 0..replay.strips() {
        let owners = replay.owners(strip..strip + 1);
        for (row, owners) in replay.rows(strip..strip + 1).zip(owners.chunks(width)) {
            let crossings = crossings(corners, view.centre(0, row).y);
            for (column, owner) in owners.iter().enumerate() {
                let x = view.centre(column as u32, row).x;
                seen[*owner as usize] += 1;
                // Inside lies what has an odd number of crossings to its left.
                let left = crossings.partition_point(|c| *c < x);
                inside[*owner as usize] += u64::from(left % 2 == 1);
            }
        }
    }
    Ok(Choice::of(program, |i| seen[i + 1] > 0 && 2 * inside[i + 1] >= seen[i + 1]))
}

/// Where a closed line crosses a height, from left to right.
fn crossings(corners: &[Vec2<f64>], y: f64) -> Vec<f64> {
    let ends = corners.iter().zip(corners.iter().cycle().skip(1));
    let mut crossings: Vec<f64> = ends
        .filter(|(p, q)| (p.y <= y) != (q.y <= y))
        .map(|(p, q)| p.x + (q.x - p.x) * (y - p.y) / (q.y - p.y))
        .collect();
    crossings.sort_by(f64::total_cmp);
    crossings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Selection;
    use crate::numbers::vec2;
    use crate::prior;

    fn square(x: f64, y: f64, side: f64) -> Vec<Vec2<f64>> {
        [(0.0, 0.0), (side, 0.0), (side, side), (0.0, side)]
            .map(|(dx, dy)| vec2(x + dx, y + dy))
            .to_vec()
    }

    #[test]
    fn a_line_around_everything_chooses_what_is_seen() {
        let program = prior::program(200, 0.8, 4).unwrap();
        let all = lasso(&program, &square(-1.0, -1.0, 3.0)).unwrap();
        let seen = "pixels 1..".parse::<Selection>().unwrap().choose(&program).unwrap();
        assert_eq!(all, seen);
        for nothing in [Vec::new(), square(2.0, 2.0, 1.0), vec![vec2(0.5, 0.5)]] {
            assert_eq!(lasso(&program, &nothing).unwrap().count(), 0);
        }
        assert!(lasso(&program, &[vec2(f64::NAN, 0.0)]).is_err());
    }

    #[test]
    fn halves_of_the_canvas_share_the_strokes() {
        let program = prior::program(200, 1.0, 9).unwrap();
        let left = lasso(&program, &square(-1.0, -0.5, 1.5)).unwrap();
        let right = lasso(&program, &square(0.5, -0.5, 1.5)).unwrap();
        assert!(left.count() > 20 && right.count() > 20);
        let both = left.iter().zip(right.iter()).filter(|(l, r)| *l && *r).count();
        // (Exactly half of a stroke may lie on either side.)
        assert!(both <= 1, "{both}");
        let inner = "region 0,0,0.5,1".parse::<Selection>().unwrap().choose(&program).unwrap();
        assert!(left.iter().zip(inner.iter()).all(|(chosen, touches)| touches || !chosen));
    }

    #[test]
    fn what_is_gone_around_twice_is_outside() {
        let program = prior::program(200, 1.0, 9).unwrap();
        let once = square(-1.0, -1.0, 3.0);
        let twice: Vec<_> = once.iter().chain(&once).copied().collect();
        assert_eq!(lasso(&program, &twice).unwrap().count(), 0);
    }
}
