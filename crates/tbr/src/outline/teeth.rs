//! Pieces of outline, cut so that no tooth of a tool slips between their nodes.

use super::carry::{ASIDE, TooMany, check_count};
use super::piece::{CurvePiece, TOLERANCE};
use crate::numbers::{Vec2, vec2};
use crate::tool::{Move, MoveKind};

/// Teeth narrower than this pass for ones of no width: they leave a corner in an outline, and
/// pieces are cut right there instead of being halved again and again.
const NARROW: f64 = 10.0 * TOLERANCE;

/// The longest line: from one end of all coordinates to the other.
const WHOLE: f64 = 1e9;

/// Pieces no larger than a move can bend them between their nodes, and cut at the paths of
/// narrow teeth.
pub(super) fn cut_for(tool: &Move<f64>, pieces: &[CurvePiece]) -> Result<Vec<CurvePiece>, TooMany> {
    let mut small = Vec::with_capacity(pieces.len());
    for piece in pieces {
        halve(tool, piece, &mut small)?;
    }
    let has_teeth = matches!(tool.kind, MoveKind::Tine | MoveKind::Comb | MoveKind::Rake);
    if !has_teeth || tool.width > NARROW {
        return Ok(small);
    }
    let mut cut = Vec::with_capacity(small.len());
    for piece in &small {
        cut_at_teeth(tool, piece, &mut cut);
        check_count(cut.len())?;
    }
    Ok(cut)
}

/// Appends the piece, or its halves if it is larger than the move's finest feature.
fn halve(tool: &Move<f64>, piece: &CurvePiece, out: &mut Vec<CurvePiece>) -> Result<(), TooMany> {
    if piece.radius() <= finest(tool, piece.0[1].at, piece.radius()) {
        out.push(*piece);
        return check_count(out.len());
    }
    piece.halves().iter().try_for_each(|half| halve(tool, half, out))
}

/// Over what way a move changes, within `radius` of a point.
fn finest(tool: &Move<f64>, at: Vec2<f64>, radius: f64) -> f64 {
    let from = at - tool.origin;
    let tooth = |away: f64| {
        let gap = (away.abs() - radius).max(0.0);
        (0.5 * tool.reach.max(tool.width)).max(0.25 * gap)
    };
    match tool.kind {
        MoveKind::Tine => tooth(from.into_frame(tool.dir).y),
        MoveKind::Comb | MoveKind::Rake => 0.2 * tool.spacing,
        MoveKind::Wave => 0.1 * tool.reach,
        MoveKind::Ring => tooth(from.norm() - tool.spacing).min(0.5 * from.norm().max(radius)),
        MoveKind::Swirl => {
            let turned = 0.25 * tool.reach / (1.0 + tool.strength.abs());
            turned.max(from.norm() - radius - tool.reach)
        }
    }
}

/// Appends the parts of a piece on either side of each tooth whose path it crosses.
fn cut_at_teeth(tool: &Move<f64>, piece: &CurvePiece, out: &mut Vec<CurvePiece>) {
    let d = (piece.0[1].at - tool.origin).into_frame(tool.dir).y;
    let tooth = if tool.kind == MoveKind::Tine {
        0.0
    } else {
        tool.spacing * (d / tool.spacing).round_ties_even()
    };
    let path = tool.origin + vec2(-tool.dir.y, tool.dir.x) * tooth;
    if (d - tooth).abs() > piece.radius() {
        out.push(*piece);
        return;
    }
    let cuts = piece.crossings(path, tool.dir, WHOLE);
    let stops: Vec<f64> = [0.0].into_iter().chain(cuts).chain([1.0]).collect();
    for (k, ends) in stops.windows(2).enumerate() {
        let mut part = piece.part(ends[0], ends[1]);
        // A tangent at the tooth itself has no side: ends that are cuts stay on their own.
        let side = (part.0[1].at - path).into_frame(tool.dir).y;
        for (node, is_cut) in [(0, k > 0), (2, k + 2 < stops.len())] {
            if is_cut {
                let at = &mut part.0[node].at;
                let mut place = (*at - path).into_frame(tool.dir);
                place.y = (ASIDE * (1.0 + at.x.abs() + at.y.abs())).copysign(side);
                *at = path + place.out_of_frame(tool.dir);
            }
        }
        out.push(part);
    }
}
