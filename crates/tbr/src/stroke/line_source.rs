//! The line source: quasi-static injection along the segment in plane potential
//! flow, the reference that the closed-form operators are measured against.
//! Integrated numerically, in float64, with no adjoint.

use super::frame::Frame;
use crate::numbers::{Vec2, vec2};
use crate::stroke::{Capsule, Transport};
use std::f64::consts::PI;

/// Steps per unit of (injected area)/(2 pi distance^2), the strain a point
/// meets. RK4 then stays below 1e-10 of the displacement; half as many steps
/// would show in the ninth digit.
const STEPS_PER_STRAIN: f64 = 400.0;
const FEWEST_STEPS: f64 = 16.0;
/// Reached only within a few hundredths of a half-width of the deposit.
const MOST_STEPS: f64 = 4000.0;

/// Longest forward step, as a share of the distance to the segment's nearer end.
/// RK4 then stays below 2e-10 of the half-width wherever a path starts; at twice
/// the stride it would show in the ninth digit.
const FORWARD_STRIDE: f64 = 0.01;
/// A forward path starts at least this share of the half-width from either end,
/// where the velocity is infinite. The velocity grows as a logarithm only, so the
/// tip of the deposit moves by less than this.
const NEAREST_TO_END: f64 = 1e-12;

/// Velocity per unit rate of injection at a point of the stroke's frame. Its
/// components are a logarithm and the angle under which the segment is seen.
fn velocity(length: f64, p: Vec2<f64>) -> Vec2<f64> {
    let half = 0.5 * length;
    let square = p.x * p.x + p.y * p.y;
    if length < 1e-9 * square.sqrt() {
        return p * (1.0 / (2.0 * PI * square));
    }
    let along = p.x.abs();
    let near_end = (along - half) * (along - half) + p.y * p.y;
    let x = (0.5 * libm::log1p(2.0 * length * along / near_end)).copysign(p.x);
    let y = libm::atan2(length * p.y, square - half * half);
    vec2(x, y) * (1.0 / (2.0 * PI * length))
}

fn rk4(length: f64, p: Vec2<f64>, dt: f64) -> Vec2<f64> {
    let k1 = velocity(length, p);
    let k2 = velocity(length, p + k1 * (0.5 * dt));
    let k3 = velocity(length, p + k2 * (0.5 * dt));
    let k4 = velocity(length, p + k3 * dt);
    p + (k1 + (k2 + k3) * 2.0 + k4) * (dt / 6.0)
}

fn steps(area: f64, least_distance: f64) -> f64 {
    let strain = area / (2.0 * PI * least_distance * least_distance);
    (STEPS_PER_STRAIN * strain).ceil().clamp(FEWEST_STEPS, MOST_STEPS)
}

/// Where the material at `x` after the injection was before it, and whether it
/// is new: then its path ends on the segment. Of a drop the map is known: it is the capsule's.
pub fn step(stroke: &Frame<f64>, x: Vec2<f64>) -> (bool, Vec2<f64>) {
    if stroke.length == 0.0 {
        return Capsule::step(stroke, x);
    }
    let mut p = stroke.into_straight(x);
    let (length, half) = (stroke.length, 0.5 * stroke.length);
    let area = stroke.area_at(stroke.half_width);
    let reached = stroke.chart(Capsule::psi(stroke, x)).sigma;
    let count = steps(area, reached);
    let dt = area / count;
    for _ in 0..count as usize {
        // One step carries a point at most this far; nearer ones have arrived.
        let (across, past) = (p.y.abs(), (p.x.abs() - half).max(0.0));
        let reach = 0.5 * dt / length;
        let drop_reach = (dt / PI).sqrt();
        let arrived = libm::hypot(past, across) <= reach.min(drop_reach).max(1e-12);
        let next = rk4(length, p, -dt);
        let crossed = next.y * p.y <= 0.0 && p.x.abs() <= half && p.y != 0.0;
        if arrived || crossed {
            let end = vec2(p.x.clamp(-half, half), 0.0);
            return (true, stroke.out_of_straight(end));
        }
        p = next;
    }
    (false, stroke.out_of_straight(p))
}

/// The backward map.
pub fn psi(stroke: &Frame<f64>, x: Vec2<f64>) -> Vec2<f64> {
    step(stroke, x).1
}

/// The forward map: where the material at `x` goes when the stroke is laid. A
/// point of the segment itself goes to the edge of the deposit, on the side of
/// the sign of its zero.
pub fn phi(stroke: &Frame<f64>, x: Vec2<f64>) -> Vec2<f64> {
    stroke.out_of_straight(carried(stroke, stroke.into_straight(x)))
}

/// The point of the deposit's edge that comes from the upper side of the
/// segment, `share` of the way from its midpoint (0) to its end (1: the tip of
/// the deposit). Exact in its start: seen from one side, the velocity is smooth
/// up to the segment, where it is 1/(2 l) across.
pub fn edge(stroke: &Frame<f64>, share: f64) -> Vec2<f64> {
    let local = vec2(0.5 * stroke.length * share, 0.0);
    stroke.out_of_straight(carried(stroke, local))
}

/// Where the whole injection carries a point of the stroke's frame. The velocity
/// is singular at the two ends of the segment alone, so their distance sets the
/// step: near an end the steps grow geometrically, far away there is one.
fn carried(stroke: &Frame<f64>, start: Vec2<f64>) -> Vec2<f64> {
    let (length, half) = (stroke.length, 0.5 * stroke.length);
    let to_end = |p: Vec2<f64>| libm::hypot(p.x.abs() - half, p.y);
    let mut p = start;
    let nearest = NEAREST_TO_END * stroke.half_width;
    if to_end(p) < nearest {
        p.x = (half + nearest).copysign(p.x);
    }
    let mut left = stroke.area_at(stroke.half_width);
    while left > 0.0 {
        let dt = left.min(FORWARD_STRIDE * to_end(p) / velocity(length, p).norm());
        p = rk4(length, p, dt);
        left -= dt;
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stroke(length: f64) -> Frame<f64> {
        Frame::uncoupled(vec2(0.4, 0.5), vec2(0.6 * length, 0.8 * length), 0.03)
    }

    #[test]
    fn a_drop_is_carried_as_the_closed_form_says() {
        let frame = stroke(0.0);
        for distance in [1e-12, 1e-6, 6e-4, 0.01, 0.24] {
            let x = frame.mid + vec2(0.6, -0.8) * distance;
            let expected = libm::sqrt(distance * distance + 9e-4);
            let got = (phi(&frame, x) - frame.mid).norm();
            assert!((got - expected).abs() < 6e-12, "{distance}: {:e}", got - expected);
        }
    }

    #[test]
    fn backward_undoes_forward() {
        for aspect in [0.1, 2.0, 10.0] {
            let frame = stroke(aspect * 0.03);
            for nu in [0.01, 0.2, 0.33, 0.49] {
                for sigma in [0.3, 1.0, 8.0] {
                    let x = frame.point_at(vec2(-1.0, 1.0), nu, 0.03 * sigma);
                    let error = (psi(&frame, phi(&frame, x)) - x).norm();
                    assert!(error < 1e-9, "l/r {aspect}, nu {nu}, sigma {sigma} r: {error:e}");
                }
            }
        }
    }

    /// The edge is where paths that start ever nearer to the segment end, and
    /// the deposit has the area that was injected.
    #[test]
    fn the_edge_bounds_the_injected_area() {
        let frame = stroke(0.06);
        let near = frame.mid + vec2(0.01, 1e-10).out_of_frame(frame.dir);
        assert!((edge(&frame, 1.0 / 3.0) - phi(&frame, near)).norm() < 3e-10);

        let count = 2000;
        let quadrant: Vec<_> = (0..=count)
            .map(|k| 1.0 - (1.0 - f64::from(k) / f64::from(count)).powi(3))
            .map(|share| (edge(&frame, share) - frame.mid).into_frame(frame.dir))
            .collect();
        let area: f64 = quadrant.windows(2).map(|p| p[0].y * p[1].x - p[0].x * p[1].y).sum();
        let injected = frame.area_at(frame.half_width);
        assert!((2.0 * area / injected - 1.0).abs() < 1e-5, "{area} {injected}");
        assert!(edge(&frame, 1.0).is_finite());
    }

    /// Short strokes are nearly drops, and drops are drops: their deposits hold what lies inside.
    #[test]
    fn drops_and_short_strokes_hold_their_disc() {
        for length in [0.0, 1e-9, 1e-4, 1e-2] {
            let offset = vec2(length, 0.0);
            let shape = crate::stroke::Shape::line(vec2(0.5, 0.5), offset, 0.1);
            let frame = Frame::of(&shape);
            for k in 0..40 {
                let ray = vec2(libm::cos(f64::from(k)), libm::sin(f64::from(k)));
                let (inside, outside) = (frame.mid + ray * 0.09, frame.mid + ray * 0.12);
                assert!(step(&frame, inside).0, "{length}: {inside:?} is outside");
                assert!(!step(&frame, outside).0, "{length}: {outside:?} is inside");
            }
        }
    }
}
