//! The penalty terms of the paper's objective: length, paint, and paint that is not seen.

use crate::adjoint::{Engine, Gradient, Precision, Relaxation, Scene, gradient_of};
use crate::error::Result;
use crate::stroke::Shape;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// Weights of the penalties. Lengths are in square roots of the canvas's area,
/// areas in canvases.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prices {
    /// Of the strokes' lengths, lambda. More makes drops of lines.
    pub length: f64,
    /// Of deposited area, `lambda_A`. More uses less paint.
    pub area: f64,
    /// Of deposited area that the picture does not show, `lambda_O`. It takes a second
    /// gradient a step.
    pub unseen: f64,
}

impl Default for Prices {
    fn default() -> Self {
        Self { length: 3e-4, area: 0.0, unseen: 0.0 }
    }
}

impl Prices {
    /// Adds the penalties' derivatives to a scene's gradient.
    pub fn add_to(&self, gradient: &mut Gradient, scene: &Scene, scale: f64) -> Result<()> {
        let canvas = scene.view().region.height;
        for (shape, d) in scene.shapes().iter().zip(&mut gradient.shapes) {
            let soft = soft_area_vjp(shape, scene.relaxation());
            let (length, half_width) = (shape.length(), shape.half_width);
            let d_length = self.length / scale
                + (self.area * 2.0 * half_width + self.unseen * soft.length) / canvas;
            let d_width = self.area * 2.0 * (length + PI * half_width) + self.unseen * soft.width;
            d.half_width += d_width / canvas;
            if length > 0.0 {
                d.offset = d.offset + shape.offset * (d_length / length);
            }
        }
        if self.unseen > 0.0 {
            let seen = seen_vjp(scene)?;
            for (d, seen) in gradient.shapes.iter_mut().zip(&seen.shapes) {
                d.anchor = d.anchor - seen.anchor * self.unseen;
                d.offset = d.offset - seen.offset * self.unseen;
                d.half_width -= seen.half_width * self.unseen;
            }
        }
        Ok(())
    }
}

/// Derivatives of an area with respect to length and half-width.
struct AreaGrad {
    length: f64,
    width: f64,
}

/// The integral of a stroke's relaxed coverage over the plane, A^tau: what the picture
/// would show of the stroke alone. Derivatives of docs/math.md, Eq. (P6).
fn soft_area_vjp(shape: &Shape, relaxation: Relaxation) -> AreaGrad {
    let (r, length) = (shape.half_width, shape.length());
    let Relaxation { tau, tau_min } = relaxation;
    let (rim, rim_slope) = if tau * r > tau_min { (tau * r, tau) } else { (tau_min, 0.0) };
    let y = r / rim;
    let [first, second] = integrals(y);
    let edge = 1.0 / (1.0 + libm::exp(-y));
    let by_width = 2.0 * length * edge + 2.0 * PI * rim * first;
    let by_rim = 2.0 * length * (first - y * edge) + 2.0 * PI * rim * (2.0 * second - y * first);
    AreaGrad { length: 2.0 * rim * first, width: by_width + by_rim * rim_slope }
}

/// A^tau itself.
#[cfg(test)]
fn soft_area(shape: &Shape, Relaxation { tau, tau_min }: Relaxation) -> f64 {
    let rim = (tau * shape.half_width).max(tau_min);
    let [first, second] = integrals(shape.half_width / rim);
    2.0 * shape.length() * rim * first + 2.0 * PI * rim * rim * second
}

/// Terms of the series in [`integrals`]; the error is below 1e-6 at y = 0, where it
/// is largest.
const TERMS: i32 = 40;

/// The integrals over s from 0 of 1 / (1 + exp(s - y)) and of s times that: the logarithm
/// of 1 + e^y, and the dilogarithm -Li2(-e^y) by its series in e^-y.
fn integrals(y: f64) -> [f64; 2] {
    let first = y + libm::log1p(libm::exp(-y));
    let mut series = 0.0;
    for k in 1..=TERMS {
        let term = libm::exp(-y * f64::from(k)) / f64::from(k * k);
        let half_of_last = if k == TERMS { 0.5 } else { 1.0 };
        series += half_of_last * if k % 2 == 1 { term } else { -term };
    }
    [first, 0.5 * y * y + PI * PI / 6.0 - series]
}

/// Derivatives of the seen area, in canvases: the mean over pixels of all coverage, by a
/// render with strokes of 1 on a canvas of 0.
fn seen_vjp(scene: &Scene) -> Result<Gradient> {
    let (shapes, background) = (scene.shapes().to_vec(), [0.0; 3]);
    let colours = vec![[1.0, 0.0, 0.0]; shapes.len()];
    let (operator, relaxation, view) = (scene.operator(), scene.relaxation(), *scene.view());
    let bare = Scene::new(shapes, colours, background, operator, relaxation, view)?;
    let share = 1.0 / scene.pixels() as f64;
    let seen = |_, colour: [f64; 3]| (share * colour[0], [share, 0.0, 0.0]);
    Ok(gradient_of(&bare, Engine::Coarse, Precision::Single, &seen)?.gradient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::vec2;

    fn shape(half_width: f64, length: f64) -> Shape {
        Shape::line(vec2(0.1, 0.2), vec2(0.6, 0.8) * length, half_width)
    }

    /// The area by summing coverage over rings of width `step`.
    fn summed(shape: &Shape, Relaxation { tau, tau_min }: Relaxation) -> f64 {
        let rim = (tau * shape.half_width).max(tau_min);
        let step = 1e-4 * rim;
        let rings = (shape.half_width / step) as u32 + 400_000;
        let ring = |k: u32| {
            let s = (f64::from(k) + 0.5) * step;
            let coverage = 1.0 / (1.0 + libm::exp((s - shape.half_width) / rim));
            coverage * 2.0 * (shape.length() + PI * s) * step
        };
        (0..rings).map(ring).sum()
    }

    #[test]
    fn the_soft_area_is_the_integral_of_coverage() {
        for (half_width, length, tau, tau_min) in
            [(0.1, 0.3, 0.35, 0.0), (0.01, 0.0, 0.1, 0.02), (0.02, 0.1, 0.02, 0.0007)]
        {
            let (shape, relaxation) = (shape(half_width, length), Relaxation { tau, tau_min });
            let (closed, sum) = (soft_area(&shape, relaxation), summed(&shape, relaxation));
            assert!((closed / sum - 1.0).abs() < 1e-5, "{closed} and {sum}");
        }
    }

    #[test]
    fn its_derivatives_agree_with_differences() {
        for (tau, tau_min) in [(0.35, 0.0), (0.1, 0.05)] {
            let relaxation = Relaxation { tau, tau_min };
            let (r, l, h) = (0.03, 0.1, 1e-6);
            let area = |r, l| soft_area(&shape(r, l), relaxation);
            let AreaGrad { length, width } = soft_area_vjp(&shape(r, l), relaxation);
            let by_width = (area(r + h, l) - area(r - h, l)) / (2.0 * h);
            let by_length = (area(r, l + h) - area(r, l - h)) / (2.0 * h);
            assert!((width / by_width - 1.0).abs() < 1e-7, "{width} and {by_width}");
            assert!((length / by_length - 1.0).abs() < 1e-7, "{length} and {by_length}");
        }
    }
}
