//! One stroke slides onto a target: coverage, its adjoint and plain gradient
//! descent.
//!
//! ```text
//! cargo run --example one_stroke
//! ```

use std::io::{Write, stdout};
use tbr::stroke::{Capsule, Frame, FrameGrad, Shape, Softness, Transport};
use tbr::{Vec2, vec2};

/// A wide rim, so that the stroke feels a target that it does not touch yet.
const SOFT: Softness<f64> = Softness { tau: 0.5, tau_min: 0.01 };
/// Points along each side of the canvas that the loss looks at.
const GRID: usize = 32;
/// Twice this, and the half-width overshoots; half of it is twice as slow.
const RATE: f64 = 0.1;

/// Anchor, offset and half-width in a row, as the optimiser sees them.
fn shape(p: [f64; 5]) -> Shape {
    Shape::line(vec2(p[0], p[1]), vec2(p[2], p[3]), p[4])
}

fn points() -> impl Iterator<Item = Vec2<f64>> {
    let at = |k: usize| (k as f64 + 0.5) / GRID as f64;
    (0..GRID * GRID).map(move |k| vec2(at(k % GRID), at(k / GRID)))
}

/// Mean squared difference of the two coverages, and its gradient.
fn loss(p: [f64; 5], target: &Frame<f64>) -> (f64, [f64; 5]) {
    let frame = Frame::of(&shape(p));
    let (mut sum, mut grad) = (0.0, FrameGrad::zero(0.0));
    let share = 1.0 / (GRID * GRID) as f64;
    for x in points() {
        let miss = Capsule::coverage(&frame, x, SOFT) - Capsule::coverage(target, x, SOFT);
        sum += share * miss * miss;
        grad = grad + Capsule::coverage_vjp(&frame, x, SOFT, 2.0 * share * miss).1;
    }
    let g = grad.to_shape(&frame);
    (sum, [g.anchor.x, g.anchor.y, g.offset.x, g.offset.y, g.half_width])
}

/// The same gradient by central differences.
fn numeric(p: [f64; 5], target: &Frame<f64>) -> [f64; 5] {
    std::array::from_fn(|k| {
        let moved = |step: f64| std::array::from_fn(|i| p[i] + if i == k { step } else { 0.0 });
        (loss(moved(1e-5), target).0 - loss(moved(-1e-5), target).0) / 2e-5
    })
}

fn main() -> std::io::Result<()> {
    let goal = [0.35, 0.35, 0.3, 0.25, 0.08];
    let mut stroke = [0.45, 0.18, 0.17, 0.31, 0.11];
    let (target, mut out) = (Frame::of(&shape(goal)), stdout());
    writeln!(out, "anchor x, y, offset x, y, half-width; the target is {goal:?}\n")?;
    for step in 0..=30 {
        let (value, gradient) = loss(stroke, &target);
        if step % 10 == 0 {
            writeln!(out, "step {step:2}, loss {value:.6}  {stroke:9.6?}")?;
            writeln!(out, "gradient, adjoint      {gradient:9.6?}")?;
            writeln!(out, "gradient, differences  {:9.6?}\n", numeric(stroke, &target))?;
        }
        for (number, d_number) in stroke.iter_mut().zip(gradient) {
            *number -= RATE * d_number;
        }
    }
    Ok(())
}
