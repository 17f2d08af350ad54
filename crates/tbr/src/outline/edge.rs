//! The edge of a deposit, as it is laid.

use super::piece::{CurvePiece, Node};
use crate::numbers::Dual;
use crate::numbers::{Vec2, vec2};
use crate::stroke::{Frame, Operator};
use std::f64::consts::PI;

/// How often a quarter of an edge is halved at most: far more than any needs.
const DEPTH: usize = 16;

/// Directions are taken this share nearer to the middle of a piece than its ends are:
/// where flank and cap meet, a node has the direction of its piece.
const INWARD: f64 = 1e-9;

/// The edge of a stroke's deposit, once around.
pub(super) fn edge(operator: Operator, frame: &Frame<f64>) -> Vec<CurvePiece> {
    let corner = 0.5 * frame.length / (frame.length + PI * frame.half_width);
    let mut pieces = Vec::new();
    for (x, y, spans) in [
        (1.0, 1.0, [[0.5, corner], [corner, 0.0]]),
        (-1.0, 1.0, [[0.0, corner], [corner, 0.5]]),
        (-1.0, -1.0, [[0.5, corner], [corner, 0.0]]),
        (1.0, -1.0, [[0.0, corner], [corner, 0.5]]),
    ] {
        let point = |nu: f64, speed: f64| edge_point(operator, frame, [x, y], Dual::new(nu, speed));
        for [from, to] in spans.into_iter().filter(|[from, to]| from != to) {
            follow(&point, from, to, DEPTH, &mut pieces);
        }
    }
    close(&mut pieces);
    pieces
}

/// Lets every piece end in the very point where the next begins: a segment could pass
/// between two that differ in their last digit.
fn close(pieces: &mut [CurvePiece]) {
    let starts: Vec<Vec2<f64>> = pieces.iter().map(|piece| piece.0[0].at).collect();
    for (piece, next) in pieces.iter_mut().zip(starts.iter().cycle().skip(1)) {
        piece.0[2].at = *next;
    }
}

/// The point of the edge at leaf coordinate `nu` in one quadrant.
fn edge_point(operator: Operator, frame: &Frame<f64>, quadrant: [f64; 2], nu: Dual) -> Node {
    let stroke = frame.map(Dual::constant);
    let sigma = operator.edge(&stroke, nu);
    let [x, y] = quadrant.map(Dual::constant);
    let p = stroke.point_at(vec2(x, y), nu, sigma);
    Node { at: vec2(p.x.value, p.y.value), along: vec2(p.x.derivative, p.y.derivative) }
}

/// Adds pieces that follow a curve.
fn follow(
    point: &impl Fn(f64, f64) -> Node,
    from: f64,
    to: f64,
    depth: usize,
    pieces: &mut Vec<CurvePiece>,
) {
    let (middle, speed) = (0.5 * (from + to), to - from);
    let node = |nu: f64| {
        let along = point(nu + (middle - nu) * INWARD, speed).along;
        Node { at: point(nu, speed).at, along }
    };
    let piece = CurvePiece([from, middle, to].map(node));
    if depth == 0 || piece.is_fine() {
        pieces.push(piece);
    } else {
        follow(point, from, middle, depth - 1, pieces);
        follow(point, middle, to, depth - 1, pieces);
    }
}
