//! The hand-written adjoints against dual numbers (which differentiate the code
//! itself) and against central differences (which know nothing of it).

use super::{Comparison, worst};
use serde::Serialize;
use tbr::numbers::{Dual, Real, Vec2, vec2};
use tbr::stroke::{Calibrated, Capsule, Drops, Frame, Inert, Shape, Softness, Transport, coupling};

/// The paper's figures, for the capsule: against automatic differentiation and
/// against central differences.
const PAPER_DUAL: f64 = 5.4e-15;
const PAPER_DIFFERENCE: f64 = 2.5e-9;

/// One adjoint: largest errors over all places and inputs, relative to the
/// largest component of the gradient there (or 1, if that is larger).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct VjpRow {
    /// Whose map.
    pub operator: &'static str,
    /// Which map: `psi`, `phi` or `coverage`.
    pub map: &'static str,
    /// Against dual numbers.
    pub dual: Comparison,
    /// Against central differences.
    pub difference: Comparison,
}

/// Every adjoint of every operator, over strokes from a tenth of a half-width to
/// thirty long and points on the flank, the cap, at the rim and inside.
pub fn vjp() -> Vec<VjpRow> {
    let capsule_edge = |stroke: &Frame<f64>, _nu: f64| stroke.half_width;
    let mut rows = Vec::new();
    rows.extend(rows_of::<Capsule>("capsule", capsule_edge, true));
    rows.extend(rows_of::<Calibrated>("calibrated", Calibrated::edge, true));
    // The chain of drops reaches a little beyond the capsule, and within its
    // reach jumps from floor to floor.
    let drops_reach = |stroke: &Frame<f64>, _nu: f64| 1.25 * stroke.half_width;
    rows.extend(rows_of::<Drops>("drops", drops_reach, false));
    rows.extend(rows_of::<Inert>("inert", capsule_edge, true));
    rows
}

fn rows_of<O: Transport>(
    operator: &'static str,
    edge: impl Fn(&Frame<f64>, f64) -> f64,
    smooth_inside: bool,
) -> [VjpRow; 3] {
    let places = places::<O>(edge);
    [CheckedMap::Psi, CheckedMap::Phi, CheckedMap::Coverage].map(|map| {
        let dual = places
            .iter()
            .map(|place| apart(adjoint::<O>(map, place.inputs), by_dual::<O>(map, place.inputs)));
        let smooth = places.iter().filter(|place| smooth_inside || !place.inside);
        let difference = smooth.map(|place| {
            let reference = by_difference::<O>(map, place.inputs, STEP * place.room);
            apart(adjoint::<O>(map, place.inputs), reference)
        });
        VjpRow {
            operator,
            map: map.name(),
            dual: Comparison { measured: worst(dual), paper: PAPER_DUAL },
            difference: Comparison { measured: worst(difference), paper: PAPER_DIFFERENCE },
        }
    })
}

/// Anchor, offset, half-width and the point.
type Inputs = [f64; 7];

#[derive(Clone, Copy, Debug)]
enum CheckedMap {
    Psi,
    Phi,
    Coverage,
}

impl CheckedMap {
    fn name(self) -> &'static str {
        match self {
            Self::Psi => "psi",
            Self::Phi => "phi",
            Self::Coverage => "coverage",
        }
    }
}

/// The direction in which the two maps are read: no symmetry of any stroke here.
const WEIGHT: Vec2<f64> = Vec2 { x: 0.8, y: -0.6 };
/// Softness of the coverage, canvas units; the rim's width is that of `TAU`.
const TAU: f64 = 0.35;
const TAU_MIN: f64 = 1e-3;

/// A number made of one map: its component along [`WEIGHT`], or the coverage.
fn value<O: Transport, R: Real>(map: CheckedMap, stroke: &Frame<R>, x: Vec2<R>) -> R {
    let lit = |c| x.x.lit(c);
    let weight = vec2(lit(WEIGHT.x), lit(WEIGHT.y));
    match map {
        CheckedMap::Psi => O::psi(stroke, x).dot(weight),
        CheckedMap::Phi => O::phi(stroke, x).dot(weight),
        CheckedMap::Coverage => {
            O::coverage(stroke, x, Softness { tau: lit(TAU), tau_min: lit(TAU_MIN) })
        }
    }
}

fn unpack(p: Inputs) -> (Frame<f64>, Vec2<f64>) {
    let shape = Shape::line(vec2(p[0], p[1]), vec2(p[2], p[3]), p[4]);
    (Frame::of(&shape), vec2(p[5], p[6]))
}

/// The gradient of [`value`] in the inputs, by the adjoint.
fn adjoint<O: Transport>(map: CheckedMap, p: Inputs) -> Inputs {
    let (stroke, x) = unpack(p);
    let (d_x, grad) = match map {
        CheckedMap::Psi => O::psi_vjp(&stroke, x, WEIGHT),
        CheckedMap::Phi => O::phi_vjp(&stroke, x, WEIGHT),
        CheckedMap::Coverage => {
            O::coverage_vjp(&stroke, x, Softness { tau: TAU, tau_min: TAU_MIN }, 1.0)
        }
    };
    let g = grad.to_shape(&stroke);
    [g.anchor.x, g.anchor.y, g.offset.x, g.offset.y, g.half_width, d_x.x, d_x.y]
}

/// The same, one input at a time, by dual numbers.
fn by_dual<O: Transport>(map: CheckedMap, p: Inputs) -> Inputs {
    std::array::from_fn(|varied| {
        let q: [Dual; 7] =
            std::array::from_fn(|k| Dual::new(p[k], if k == varied { 1.0 } else { 0.0 }));
        let plain = Frame::uncoupled(vec2(q[0], q[1]), vec2(q[2], q[3]), q[4]);
        let aspect = plain.length / plain.half_width;
        let (value_at, slope_at) = coupling::at(aspect.value);
        let coupling =
            std::array::from_fn(|k| Dual::new(value_at[k], slope_at[k] * aspect.derivative));
        let stroke = Frame { coupling, ..plain };
        value::<O, _>(map, &stroke, vec2(q[5], q[6])).derivative
    })
}

/// Step of the differences, as a share of the room up to the nearest kink. At
/// half of it rounding would dominate, at twice the sixth-order error.
const STEP: f64 = 0.02;

/// The same by central differences of sixth order.
fn by_difference<O: Transport>(map: CheckedMap, p: Inputs, step: f64) -> Inputs {
    std::array::from_fn(|varied| {
        let slope = |steps: f64| {
            let at = |h: f64| {
                let mut q = p;
                q[varied] += h;
                let (stroke, x) = unpack(q);
                value::<O, _>(map, &stroke, x)
            };
            (at(steps * step) - at(-steps * step)) / (2.0 * steps * step)
        };
        1.5 * slope(1.0) - 0.6 * slope(2.0) + 0.1 * slope(3.0)
    })
}

/// Largest difference of two gradients, relative to the second's largest
/// component or to 1.
fn apart(got: Inputs, expected: Inputs) -> f64 {
    let scale = expected.iter().fold(1.0f64, |m, v| m.max(v.abs()));
    worst(got.iter().zip(expected).map(|(g, e)| (g - e).abs() / scale))
}

/// A stroke and a point.
struct TestPlace {
    inputs: Inputs,
    inside: bool,
    /// How far the inputs may move before a map stops being smooth.
    room: f64,
}

const HALF_WIDTH: f64 = 0.03;
const ANCHOR: Vec2<f64> = Vec2 { x: 0.4, y: 0.5 };

/// Deep inside, just inside, just outside and away, as shares of the edge's
/// distance; flank and cap, in all quadrants, of short and long strokes.
fn places<O: Transport>(edge: impl Fn(&Frame<f64>, f64) -> f64) -> Vec<TestPlace> {
    let mut all = Vec::new();
    for (i, aspect) in [0.1, 0.7, 2.1, 6.2, 31.0].into_iter().enumerate() {
        let turn = 0.4 + i as f64;
        let offset = vec2(libm::cos(turn), libm::sin(turn)) * (aspect * HALF_WIDTH);
        let stroke = Frame::of(&Shape::line(ANCHOR, offset, HALF_WIDTH));
        for share in [0.2, 0.7, 1.1, 1.6, 4.0] {
            for nu in [0.07, 0.23, 0.41] {
                let rim = edge(&stroke, nu);
                for quadrant in [vec2(1.0, 1.0), vec2(-1.0, 1.0), vec2(1.0, -1.0)] {
                    let x = stroke.point_at(quadrant, nu, share * rim);
                    let inputs = [ANCHOR.x, ANCHOR.y, offset.x, offset.y, HALF_WIDTH, x.x, x.y];
                    let room = room::<O>(&stroke, x, rim);
                    all.push(TestPlace { inputs, inside: share < 1.0, room });
                }
            }
        }
    }
    all
}

/// Distance to what is not smooth: the segment, the rim, the line where flank
/// meets cap (before and after the maps), and the knots of the coupling table;
/// and to the root of a drop, seen from where the point comes from.
fn room<O: Transport>(stroke: &Frame<f64>, x: Vec2<f64>, rim: f64) -> f64 {
    let half = 0.5 * stroke.length;
    let (sigma, r) = (stroke.chart(x).sigma, stroke.half_width);
    let to_seam = [x, O::psi(stroke, x), O::phi(stroke, x)]
        .map(|p| (stroke.chart(p).local.x.abs() - half).abs());
    let aspect = stroke.length / r;
    let to_knot = coupling::KNOTS.iter().map(|k| (aspect - k.aspect).abs() * r / (1.0 + aspect));
    let source = stroke.chart(O::psi(stroke, x)).sigma;
    let to_root = if rim < sigma { source * source / (2.0 * r) } else { r };
    let others = [sigma, (sigma - rim).abs(), stroke.length, r, to_root];
    to_seam.into_iter().chain(others).chain(to_knot).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_adjoint_is_right() {
        for row in vjp() {
            assert!(row.dual.measured < 1e-13, "{row:?}");
            assert!(row.difference.measured < row.difference.paper, "{row:?}");
        }
    }
}
