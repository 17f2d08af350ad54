//! A smooth piece of an outline: a cubic, and a point in its middle that tells
//! whether the cubic still follows the paint.

use crate::numbers::{Vec2, vec2};

/// Pieces shorter than twice this, or that stray from the paint by less, are
/// left alone (canvas units; far from the canvas's corner, a share of that distance). It
/// is a hundredth of a pixel in a picture of 5000; half of it makes files a sixth longer.
pub(super) const TOLERANCE: f64 = 2e-6;

/// A piece lies within this many times the greater distance of its ends from its
/// middle: pieces bend little.
const SLACK: f64 = 1.5;

/// A point of the outline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub at: Vec2<f64>,
    /// Derivative with respect to the piece's parameter, which runs from 0 to 1.
    pub along: Vec2<f64>,
}

/// Start, middle and end of a piece: three points that go where the paint goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct CurvePiece(pub [Node; 3]);

impl CurvePiece {
    /// A straight piece.
    pub fn line(start: Vec2<f64>, end: Vec2<f64>) -> Self {
        let along = end - start;
        Self([0.0, 0.5, 1.0].map(|u| Node { at: start + along * u, along }))
    }

    /// The part from `u` to `v`.
    pub fn part(&self, u: f64, v: f64) -> Self {
        Self([u, 0.5 * (u + v), v].map(|w| {
            let Node { at, along } = self.node(w);
            Node { at, along: along * (v - u) }
        }))
    }

    /// Both halves.
    pub fn halves(&self) -> [Self; 2] {
        [self.part(0.0, 0.5), self.part(0.5, 1.0)]
    }

    /// The point at `u`, on the cubic of the first or of the second half.
    fn node(&self, u: f64) -> Node {
        let k = usize::from(u >= 0.5);
        let (cubic, v) = (self.half(k), 2.0 * u - k as f64);
        Node { at: cubic.at(v), along: cubic.slope(v) * 2.0 }
    }

    /// The cubic from the start to the middle, or on to the end: closer to the
    /// paint than the cubic of the whole.
    fn half(&self, k: usize) -> Cubic {
        let [a, b] = [self.0[k], self.0[k + 1]];
        Cubic::hermite(a.at, a.along * 0.5, b.at, b.along * 0.5)
    }

    /// Does the cubic from start to end follow the paint?
    pub fn is_fine(&self) -> bool {
        let Vec2 { x, y } = self.0[1].at;
        let tolerance = TOLERANCE * x.abs().max(y.abs()).max(1.0);
        self.deviation() <= tolerance || self.radius() <= tolerance
    }

    /// How far the cubic lies from the paint, across the curve: in the middle, and (by
    /// the slope there) on either side of it.
    fn deviation(&self) -> f64 {
        let [a, b, c] = self.0;
        let off = (a.at + c.at) * 0.5 + (a.along - c.along) * 0.125 - b.at;
        let slope = (c.at - a.at) * 1.5 - (a.along + c.along) * 0.25;
        let turn = slope - b.along;
        let across = |v: Vec2<f64>| (v.x * slope.y - v.y * slope.x).abs();
        let size = length(slope);
        if size > 0.0 { (across(off) + 0.125 * across(turn)) / size } else { length(off) }
    }

    /// All of it lies so near its middle.
    pub fn radius(&self) -> f64 {
        let [a, b, c] = self.0;
        SLACK * length(a.at - b.at).max(length(c.at - b.at))
    }

    /// Where it crosses the segment of that `length` along `dir` about `mid`, in
    /// order.
    pub fn crossings(&self, mid: Vec2<f64>, dir: Vec2<f64>, length: f64) -> Vec<f64> {
        let mut found = Vec::new();
        for k in 0..2 {
            let cubic = self.half(k).into_frame(mid, dir);
            let on_segment = |v: &f64| cubic.at(*v).x.abs() <= 0.5 * length;
            let crossings = cubic.axis_crossings().into_iter().filter(on_segment);
            found.extend(crossings.map(|v| 0.5 * (k as f64 + v)));
        }
        found
    }

    /// The control points after the start, as a Bezier curve.
    pub fn bezier(&self) -> [Vec2<f64>; 3] {
        let [a, _, b] = self.0;
        [a.at + a.along * (1.0 / 3.0), b.at - b.along * (1.0 / 3.0), b.at]
    }
}

/// Length of a vector. (`norm` also survives overflow, at several times the cost.)
fn length(v: Vec2<f64>) -> f64 {
    v.dot(v).sqrt()
}

/// A cubic, by its coefficients of 1, u, u^2 and u^3.
#[derive(Clone, Copy)]
struct Cubic([Vec2<f64>; 4]);

impl Cubic {
    /// From `p` to `q` with those derivatives.
    fn hermite(p: Vec2<f64>, d_p: Vec2<f64>, q: Vec2<f64>, d_q: Vec2<f64>) -> Self {
        let way = q - p;
        Self([p, d_p, way * 3.0 - d_p * 2.0 - d_q, d_p + d_q - way * 2.0])
    }

    fn at(&self, u: f64) -> Vec2<f64> {
        let [a, b, c, d] = self.0;
        a + (b + (c + d * u) * u) * u
    }

    fn slope(&self, u: f64) -> Vec2<f64> {
        let [_, b, c, d] = self.0;
        b + (c * 2.0 + d * (3.0 * u)) * u
    }

    /// The same curve, seen from `origin` with `dir` as first axis.
    fn into_frame(self, origin: Vec2<f64>, dir: Vec2<f64>) -> Self {
        let [a, b, c, d] = self.0;
        Self([a - origin, b, c, d].map(|v| v.into_frame(dir)))
    }

    /// Where in (0, 1) the curve turns back, along either axis.
    fn turns(&self) -> Vec<f64> {
        let [_, b, c, d] = self.0;
        let mut turns = quadratic_roots(3.0 * d.x, 2.0 * c.x, b.x);
        turns.extend(quadratic_roots(3.0 * d.y, 2.0 * c.y, b.y));
        turns.retain(|u| (0.0..1.0).contains(u));
        turns
    }

    /// Where in (0, 1) the curve crosses the first axis, in order.
    fn axis_crossings(&self) -> Vec<f64> {
        let [_, b, c, d] = self.0.map(|v| v.y);
        let turns = quadratic_roots(3.0 * d, 2.0 * c, b);
        let inner = turns.into_iter().filter(|u| (0.0..1.0).contains(u));
        let stops: Vec<f64> = [0.0].into_iter().chain(inner).chain([1.0]).collect();
        let below = |u: f64| self.at(u).y < 0.0;
        let monotone = stops.windows(2).filter(|w| below(w[0]) != below(w[1]));
        monotone.map(|w| change(below, w[0], w[1])).collect()
    }
}

/// Real roots of `a u^2 + b u + c`, in order.
fn quadratic_roots(a: f64, b: f64, c: f64) -> Vec<f64> {
    let square = b * b - 4.0 * a * c;
    if square < 0.0 {
        return Vec::new();
    }
    let q = -0.5 * (b + square.sqrt().copysign(b));
    let mut roots: Vec<f64> = [q / a, c / q].into_iter().filter(|u| u.is_finite()).collect();
    roots.sort_by(f64::total_cmp);
    roots
}

/// Where between `low` and `high` a condition changes, by halving.
fn change(holds: impl Fn(f64) -> bool, low: f64, high: f64) -> f64 {
    let at_low = holds(low);
    let (mut low, mut high) = (low, high);
    for _ in 0..f64::MANTISSA_DIGITS {
        let middle = 0.5 * (low + high);
        if holds(middle) == at_low { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The box around some pieces' nodes: its lower and upper corner.
pub(super) fn bounds(pieces: &[CurvePiece]) -> [Vec2<f64>; 2] {
    let far = vec2(f64::INFINITY, f64::INFINITY);
    pieces.iter().flat_map(|piece| piece.0).fold([far, -far], |around, node| grown(around, node.at))
}

/// The box around some pieces' cubics. They bulge beyond their nodes, on a small drop
/// by a thirteenth of its half-width.
pub(super) fn extent(pieces: &[CurvePiece]) -> [Vec2<f64>; 2] {
    pieces.iter().fold(bounds(pieces), |around, piece| {
        // A cubic lies within the hull of its control points: most need no more.
        if piece.bezier().iter().fold(around, |b, p| grown(b, *p)) == around {
            return around;
        }
        let [a, _, c] = piece.0;
        let cubic = Cubic::hermite(a.at, a.along, c.at, c.along);
        cubic.turns().into_iter().fold(around, |b, u| grown(b, cubic.at(u)))
    })
}

/// A box that holds a point as well.
fn grown([low, high]: [Vec2<f64>; 2], p: Vec2<f64>) -> [Vec2<f64>; 2] {
    [vec2(low.x.min(p.x), low.y.min(p.y)), vec2(high.x.max(p.x), high.y.max(p.y))]
}
