//! The line source: quasi-static injection along the segment in plane potential
//! flow, the reference that the closed-form operators are measured against.
//! Integrated numerically, in float64, with no adjoint.

use super::frame::Frame;
use crate::stroke::{Capsule, Operator};
use crate::vec2::{Vec2, vec2};
use std::f64::consts::PI;

/// Steps per unit of (injected area)/(2 pi distance^2), the strain a point
/// meets. RK4 then stays below 1e-10 of the displacement; half as many steps
/// would show in the ninth digit.
const STEPS_PER_STRAIN: f64 = 400.0;
const FEWEST_STEPS: f64 = 16.0;
/// Reached only within a few hundredths of a half-width of the deposit.
const MOST_STEPS: f64 = 4000.0;

/// Velocity per unit rate of injection at a point of the stroke's frame. Its
/// components are a logarithm and the angle under which the segment is seen.
fn velocity(length: f64, p: Vec2<f64>) -> Vec2<f64> {
    let half = 0.5 * length;
    let square = p.x * p.x + p.y * p.y;
    if length < 1e-9 * square.sqrt() {
        return p * (1.0 / (2.0 * PI * square));
    }
    let near_end = (p.x - half) * (p.x - half) + p.y * p.y;
    let x = 0.5 * libm::log1p(2.0 * length * p.x / near_end);
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
/// is new: then its path ends on the segment.
pub fn step(stroke: &Frame<f64>, x: Vec2<f64>) -> (bool, Vec2<f64>) {
    let mut p = (x - stroke.mid).into_frame(stroke.dir);
    let (length, half) = (stroke.length, 0.5 * stroke.length);
    let area = stroke.area_at(stroke.half_width);
    let reached = stroke.chart(Capsule::psi(stroke, x)).sigma;
    let count = steps(area, reached);
    let dt = area / count;
    for _ in 0..count as usize {
        // One step carries a point at most this far; nearer ones have arrived.
        let (across, past) = (p.y.abs(), (p.x.abs() - half).max(0.0));
        let reach = if length > 0.0 { 0.5 * dt / length } else { 0.0 };
        let drop_reach = (dt / PI).sqrt();
        let arrived = libm::hypot(past, across) <= reach.min(drop_reach).max(1e-12);
        let next = rk4(length, p, -dt);
        let crossed = next.y * p.y <= 0.0 && p.x.abs() <= half && p.y != 0.0;
        if arrived || crossed {
            let end = vec2(p.x.clamp(-half, half), 0.0);
            return (true, stroke.mid + end.out_of_frame(stroke.dir));
        }
        p = next;
    }
    (false, stroke.mid + p.out_of_frame(stroke.dir))
}

/// The backward map.
pub fn psi(stroke: &Frame<f64>, x: Vec2<f64>) -> Vec2<f64> {
    step(stroke, x).1
}

/// The forward map: where the material at `x` goes when the stroke is laid.
pub fn phi(stroke: &Frame<f64>, x: Vec2<f64>) -> Vec2<f64> {
    let mut p = (x - stroke.mid).into_frame(stroke.dir);
    let area = stroke.area_at(stroke.half_width);
    let count = steps(area, stroke.chart(x).sigma);
    // Quadratic in time: the strain is largest at the start.
    let mut done = 0.0;
    for k in 1..=count as usize {
        let now = area * (k as f64 / count).powi(2);
        p = rk4(stroke.length, p, now - done);
        done = now;
    }
    stroke.mid + p.out_of_frame(stroke.dir)
}
