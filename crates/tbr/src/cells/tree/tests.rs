//! Tests of the far test: interpolation errs by no more than the bound that it was given.

use super::*;
use crate::cells::far::{KINK_ALLOWANCE, Prepared};
use crate::numbers::Mask;
use crate::numbers::lanes::{F64s, level, with_double_simd};
use crate::prior;
use crate::stroke::Operator;
use crate::stroke::{Calibrated, Capsule, Drops, Transport};

/// The largest error of bicubic interpolation over boxes that pass as far,
/// as a share of the error that should pass.
fn worst_error<V: Lanes<Scalar = f64>, O: Transport>(
    simd: V::Simd,
    operator: Operator,
    bound: f64,
    bend: f64,
) -> f64 {
    let program = prior::bent_program(400, 1.0, 11).unwrap();
    let (u, v) = node_lanes::<V>(simd);
    let splat = |value| V::splat(simd, value);
    let mut worst = 0.0f64;
    for (i, stroke) in program.strokes().iter().enumerate() {
        let shape = stroke.shape.with_bend(stroke.shape.bend * bend);
        let prepared = Prepared::new(&shape, operator, bound, 0.0);
        let frame = prepared.splat(simd);
        for (k, other) in program.strokes().iter().enumerate().skip(i % 3).step_by(3) {
            // Boxes from a thousandth to a tenth of the canvas, at other strokes' anchors.
            let side = 0.001 * libm::pow(100.0, k as f64 / 400.0);
            let extent = vec2(splat(side), splat(side * 0.7));
            let anchor = other.shape.anchor;
            let centre = vec2(splat(anchor.x), splat(anchor.y));
            let reach = extent.dot(extent).sqrt();
            if !prepared.is_far(|v| V::splat(simd, v), &frame, centre, reach, reach.zero()).any() {
                continue;
            }
            let at =
                |u: V, v: V| vec2(u.mul_add(extent.x, centre.x), v.mul_add(extent.y, centre.y));
            let rest = at(u, v);
            let cell = Cell {
                grid: O::psi(&frame, rest),
                rest,
                centre: anchor,
                per_extent: vec2(1.0 / side, 1.0 / (side * 0.7)),
                moved: true,
                live: 0,
                depth: 0.0,
            };
            for share in [0.3, 0.6667, 0.9] {
                let share = u.lit(share);
                let probe = at(u * share, v * share);
                let error = Motion::new(&cell).apply(simd, probe) - O::psi(&frame, probe);
                worst = worst.max(error.dot(error).sqrt().largest());
            }
        }
    }
    worst / bound
}

#[test]
fn far_strokes_are_interpolated_within_the_bound() {
    use Operator::{Calibrated as C, Capsule as A, Drops as D};
    for (bound, bend) in [(1e-5, 0.0), (1e-6, 0.0), (1e-8, 0.0), (1e-5, 1.0), (1e-7, 2.0)] {
        let worst = [
            with_double_simd!(level(), simd => worst_error::<F64s<_>, Capsule>(simd, A, bound, bend)),
            with_double_simd!(level(), simd => worst_error::<F64s<_>, Calibrated>(simd, C, bound, bend)),
            with_double_simd!(level(), simd => worst_error::<F64s<_>, Drops>(simd, D, bound, bend)),
        ];
        let [capsule, calibrated, drops] = worst;
        let kinked = capsule.max(calibrated);
        let what = format!("{worst:?} of the bound {bound}, bent by up to {bend}");
        assert!(kinked <= 1.0 + KINK_ALLOWANCE, "{what}");
        assert!(drops <= 1.0, "no kinks: {what}");
        assert!(worst.iter().all(|w| *w > 0.05), "the test sees nothing: {what}");
    }
}
