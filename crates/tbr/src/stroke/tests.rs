//! The operators against the independent oracle, and their adjoints against
//! central differences and dual numbers.

mod bent;

use super::*;
use crate::numbers::Dual;
use crate::numbers::lanes::{F32s, LANES, Lanes, with_simd};
use crate::numbers::vec2;
use fearless_simd::Level;
use serde::Deserialize;

#[derive(Deserialize)]
struct Oracle {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    a: [f64; 2],
    d: [f64; 2],
    r: f64,
    x: [f64; 2],
    sigma: f64,
    arclength: f64,
    psi: [f64; 2],
    phi: [f64; 2],
    coupling: [f64; 3],
    psi_calibrated: [f64; 2],
    phi_calibrated: [f64; 2],
    psi_drops16: Option<[f64; 2]>,
    psi_line_source: Option<[f64; 2]>,
    jacobian_psi: Option<[[f64; 2]; 2]>,
}

impl Case {
    fn point(&self) -> Vec2<f64> {
        vec2(self.x[0], self.x[1])
    }
    fn frame(&self) -> Frame<f64> {
        Frame::uncoupled(vec2(self.a[0], self.a[1]), vec2(self.d[0], self.d[1]), self.r)
    }
    fn coupled(&self) -> Frame<f64> {
        Frame { coupling: self.coupling, ..self.frame() }
    }
}

fn oracle() -> Vec<Case> {
    let text = include_str!("../../tests/oracle/maps.json");
    serde_json::from_str::<Oracle>(text).unwrap().cases
}

#[track_caller]
fn assert_near(got: Vec2<f64>, expected: [f64; 2], tolerance: f64, what: &str) {
    let error = (got - vec2(expected[0], expected[1])).norm();
    assert!(error <= tolerance, "{what}: {got:?} instead of {expected:?}, off by {error:e}");
}

/// Rows of the Jacobian of `psi`, from its adjoint.
fn jacobian<O: Transport>(frame: &Frame<f64>, x: Vec2<f64>) -> [Vec2<f64>; 2] {
    [vec2(1.0, 0.0), vec2(0.0, 1.0)].map(|row| O::psi_vjp(frame, x, row).0)
}

#[test]
fn every_map_agrees_with_the_oracle() {
    for (i, case) in oracle().iter().enumerate() {
        let (x, frame, coupled) = (case.point(), case.frame(), case.coupled());
        let chart = frame.chart(x);
        assert!((chart.sigma - case.sigma).abs() < 1e-12, "case {i}: sigma");
        assert!((chart.arclength - case.arclength).abs() < 1e-12, "case {i}: arclength");
        assert_near(Capsule::psi(&frame, x), case.psi, 1e-12, &format!("case {i}: psi"));
        assert_near(Capsule::phi(&frame, x), case.phi, 1e-12, &format!("case {i}: phi"));
        let psi = Calibrated::psi(&coupled, x);
        assert_near(psi, case.psi_calibrated, 1e-12, &format!("case {i}: calibrated psi"));
        let phi = Calibrated::phi(&coupled, x);
        assert_near(phi, case.phi_calibrated, 1e-12, &format!("case {i}: calibrated phi"));
        if let Some(expected) = case.psi_drops16 {
            assert_near(Drops::psi(&frame, x), expected, 1e-12, &format!("case {i}: drops"));
        }
        if let Some(expected) = case.psi_line_source {
            let got = line_source::psi(&frame, x);
            assert_near(got, expected, 1e-9, &format!("case {i}: line source"));
        }
        if let Some(expected) = case.jacobian_psi {
            let rows = jacobian::<Capsule>(&frame, x);
            for (row, expected) in rows.iter().zip(expected) {
                assert_near(*row, expected, 1e-9, &format!("case {i}: jacobian"));
            }
        }
    }
}

fn to_f64<V: Lanes<Scalar = f32>>(v: Vec2<V>) -> [Vec2<f64>; LANES] {
    let (x, y) = (v.x.to_array(), v.y.to_array());
    std::array::from_fn(|lane| vec2(f64::from(x[lane]), f64::from(y[lane])))
}

/// The lanes of f32 see the points as an engine would: rounded to f32.
fn lanes_agree<V: Lanes<Scalar = f32>>(simd: V::Simd) {
    for (i, case) in oracle().iter().enumerate() {
        let frame = case.coupled().map(|v| V::splat(simd, v as f32));
        let x = vec2(V::splat(simd, case.x[0] as f32), V::splat(simd, case.x[1] as f32));
        for lane in [0, LANES - 1] {
            let at = |v: Vec2<V>| to_f64(v)[lane];
            assert_near(at(Capsule::psi(&frame, x)), case.psi, 3e-6, &format!("case {i}: psi"));
            assert_near(at(Capsule::phi(&frame, x)), case.phi, 3e-6, &format!("case {i}: phi"));
            let psi = at(Calibrated::psi(&frame, x));
            assert_near(psi, case.psi_calibrated, 3e-6, &format!("case {i}: calibrated psi"));
            let phi = at(Calibrated::phi(&frame, x));
            assert_near(phi, case.phi_calibrated, 3e-6, &format!("case {i}: calibrated phi"));
            if let Some(expected) = case.psi_drops16 {
                assert_near(at(Drops::psi(&frame, x)), expected, 3e-6, &format!("case {i}: drops"));
            }
        }
    }
}

#[test]
fn lanes_of_f32_agree_with_the_oracle() {
    with_simd!(Level::new(), simd => lanes_agree::<F32s<_>>(simd));
}

/// A stroke's six numbers and the point, in one array.
const INPUTS: usize = 8;
type Inputs = [f64; INPUTS];

fn unpack<R: Real>(
    [x, y, dx, dy, half_width, bend, at_x, at_y]: [R; INPUTS],
    coupled: impl Fn(R, R) -> ([R; 3], [R; 3]),
) -> (Frame<R>, Vec2<R>) {
    let frame = Frame::uncoupled(vec2(x, y), vec2(dx, dy), half_width).bent(bend);
    let (coupling, coupling_slope) = coupled(frame.length, frame.half_width);
    (Frame { coupling, coupling_slope, ..frame }, vec2(at_x, at_y))
}

fn unpack_f64(p: Inputs) -> (Frame<f64>, Vec2<f64>) {
    unpack(p, |l, r| coupling::at(l / r))
}

/// With coefficients that follow the aspect ratio, as the table says.
fn unpack_dual(p: Inputs, direction: Inputs) -> (Frame<Dual>, Vec2<Dual>) {
    let p = std::array::from_fn(|k| Dual::new(p[k], direction[k]));
    unpack(p, |l, r| {
        let aspect = l / r;
        let (value, slope) = coupling::at(aspect.value);
        let c = |k: usize| Dual::new(value[k], slope[k] * aspect.derivative);
        ([c(0), c(1), c(2)], slope.map(Dual::constant))
    })
}

/// A scalar made of a map, its inverse or its coverage, and that scalar's
/// gradient in the inputs by the adjoint.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Map {
    Psi,
    Phi,
    Coverage,
}

const WEIGHT: Vec2<f64> = Vec2 { x: 0.8, y: -0.6 };
const TAU: f64 = 0.35;
const TAU_MIN: f64 = 1e-3;

fn value<O: Transport, R: Real>(map: Map, frame: &Frame<R>, x: Vec2<R>) -> R {
    let lit = |c| x.x.lit(c);
    let weight = vec2(lit(WEIGHT.x), lit(WEIGHT.y));
    match map {
        Map::Psi => O::psi(frame, x).dot(weight),
        Map::Phi => O::phi(frame, x).dot(weight),
        Map::Coverage => O::coverage(frame, x, Softness { tau: lit(TAU), tau_min: lit(TAU_MIN) }),
    }
}

fn gradient<O: Transport>(map: Map, p: Inputs) -> Inputs {
    let (frame, x) = unpack_f64(p);
    let (d_x, grad) = match map {
        Map::Psi => O::psi_vjp(&frame, x, WEIGHT),
        Map::Phi => O::phi_vjp(&frame, x, WEIGHT),
        Map::Coverage => O::coverage_vjp(&frame, x, Softness { tau: TAU, tau_min: TAU_MIN }, 1.0),
    };
    let ShapeGrad { anchor, offset, half_width, bend } = grad.to_shape(&frame);
    [anchor.x, anchor.y, offset.x, offset.y, half_width, bend, d_x.x, d_x.y]
}

fn dual_gradient<O: Transport>(map: Map, p: Inputs) -> Inputs {
    std::array::from_fn(|k| {
        let mut direction = [0.0; INPUTS];
        direction[k] = 1.0;
        let (frame, x) = unpack_dual(p, direction);
        value::<O, _>(map, &frame, x).derivative
    })
}

/// Fourth-order central difference in input `k`.
fn difference<O: Transport>(map: Map, p: Inputs, k: usize, h: f64) -> f64 {
    let f = |step: f64| {
        let mut q = p;
        q[k] += step;
        let (frame, x) = unpack_f64(q);
        value::<O, _>(map, &frame, x)
    };
    (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
}

/// Flank, cap, rim and inside of strokes from nearly a drop to a long line, with
/// the distance to where the map is not smooth: straight ones, gently bent, and hooks.
fn places() -> Vec<(Inputs, f64)> {
    [0.0, 0.4, -2.0].into_iter().flat_map(places_bent).collect()
}

fn places_bent(bend: f64) -> Vec<(Inputs, f64)> {
    let mut all = Vec::new();
    let r = 0.03;
    for (i, aspect) in [1e-3, 0.1, 0.7, 2.1, 6.2, 31.0].into_iter().enumerate() {
        let length = aspect * r;
        let turn = 0.4 + i as f64;
        let dir = vec2(libm::cos(turn), libm::sin(turn));
        for sigma in [0.2, 0.7, 1.02, 1.5, 4.0] {
            for nu in [0.07, 0.23, 0.41] {
                for (sx, sy) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0)] {
                    let offset = dir * length;
                    let frame = Frame::uncoupled(vec2(0.4, 0.5), offset, r).bent(bend);
                    let s = sigma * r;
                    let x = frame.point_at(vec2(sx, sy), nu, s);
                    let p = [0.4, 0.5, offset.x, offset.y, r, bend, x.x, x.y];
                    let local = frame.into_straight(x);
                    let to_kink = (local.x.abs() - 0.5 * length).abs().min(local.y.abs());
                    let room = s.min((s - r).abs()).min(length).min(to_kink);
                    all.push((p, room));
                }
            }
        }
    }
    all
}

#[track_caller]
fn assert_gradients(what: &str, got: Inputs, expected: Inputs, tolerance: f64) {
    let scale = expected.iter().fold(1.0f64, |m, v| m.max(v.abs()));
    for k in 0..INPUTS {
        let error = (got[k] - expected[k]).abs() / scale;
        assert!(error <= tolerance, "{what}, input {k}: {} instead of {}", got[k], expected[k]);
    }
}

/// Against dual numbers everywhere, against differences where these have
/// converged: a point may lie on the rim of one of the sixteen drops.
fn check_adjoints<O: Transport>() {
    let (mut compared, mut all) = (0, 0);
    for (p, room) in places() {
        for map in [Map::Psi, Map::Phi, Map::Coverage] {
            let what = format!("{map:?} at {p:?}");
            let got = gradient::<O>(map, p);
            assert!(got.iter().all(|g| g.is_finite()), "{what}: {got:?}");
            assert_gradients(&what, got, dual_gradient::<O>(map, p), 1e-11);
            // Differences must not reach across the rim, the cap's edge or the cone.
            let h = room.min(1e-3) * 0.003;
            let differences = std::array::from_fn(|k| difference::<O>(map, p, k, h));
            let converged = (0..INPUTS).all(|k| {
                let coarse = difference::<O>(map, p, k, 2.0 * h);
                (coarse - differences[k]).abs() <= 5e-8 * differences[k].abs().max(1.0)
            });
            all += 1;
            if converged {
                compared += 1;
                assert_gradients(&what, got, differences, 1e-7);
            }
        }
    }
    assert!(compared * 10 >= all * 9, "only {compared} of {all} differences converged");
}

#[test]
fn the_capsule_adjoint_is_right() {
    check_adjoints::<Capsule>();
}

#[test]
fn the_calibrated_adjoint_is_right() {
    check_adjoints::<Calibrated>();
}

#[test]
fn the_drops_adjoint_is_right() {
    check_adjoints::<Drops>();
}

#[test]
fn the_inert_adjoint_is_right() {
    check_adjoints::<Inert>();
}

/// At l = 0 the offset has half the anchor's derivative, and on the way there
/// (l = 1e-9) nothing cancels.
#[test]
fn short_strokes_keep_finite_and_right_derivatives() {
    let r = 0.03;
    for (turn, bend) in [(0.3, 0.0), (1.7, 0.0), (4.0, 0.0), (1.2, 1.1)] {
        let dir = vec2(libm::cos(turn), libm::sin(turn));
        for x in [vec2(0.41, 0.52), vec2(0.47, 0.49), vec2(0.1, 0.9), vec2(0.4007, 0.5301)] {
            let at = |l: f64| [0.4, 0.5, l * dir.x, l * dir.y, r, bend, x.x, x.y];
            let drop = gradient::<Capsule>(Map::Psi, at(0.0));
            assert_gradients("drop", drop, dual_gradient::<Capsule>(Map::Psi, at(0.0)), 1e-12);
            assert!((drop[2] - 0.5 * drop[0]).abs() < 1e-15, "half the anchor's");
            assert!((drop[3] - 0.5 * drop[1]).abs() < 1e-15, "half the anchor's");

            let tiny = gradient::<Capsule>(Map::Psi, at(1e-9));
            let dual = dual_gradient::<Capsule>(Map::Psi, at(1e-9));
            assert_gradients("tiny", tiny, dual, 1e-6);
            assert_gradients("tiny", tiny, gradient::<Capsule>(Map::Psi, at(1e-8)), 5e-5);
            for k in [0, 1, 4, 5, 6, 7] {
                assert!((tiny[k] - drop[k]).abs() < 1e-4, "continuous in input {k}");
            }
            for l in [0.0, 1e-300, 1e-30, 1e-12, 1e-9] {
                for map in [Map::Psi, Map::Phi, Map::Coverage] {
                    let all = [
                        gradient::<Capsule>(map, at(l)),
                        gradient::<Calibrated>(map, at(l)),
                        gradient::<Drops>(map, at(l)),
                    ];
                    assert!(all.iter().flatten().all(|g| g.is_finite()), "l = {l}: {all:?}");
                }
            }
        }
    }
}

/// Points where a chart is singular: the centre of a drop, the segment, its
/// ends and its axis.
#[test]
fn singular_points_stay_finite() {
    for offset in [vec2(0.0, 0.0), vec2(0.05, 0.0), vec2(1e-9, 0.0)] {
        for bend in [0.0, 1.3] {
            let frame = Frame::of(&Shape::line(vec2(0.4, 0.5), offset, 0.03).with_bend(bend));
            for x in
                [vec2(0.4, 0.5), vec2(0.425, 0.5), vec2(0.45, 0.5), vec2(0.43, 0.5), vec2(0.6, 0.5)]
            {
                let all = [
                    Capsule::psi_vjp(&frame, x, WEIGHT),
                    Capsule::phi_vjp(&frame, x, WEIGHT),
                    Calibrated::psi_vjp(&frame, x, WEIGHT),
                    Drops::psi_vjp(&frame, x, WEIGHT),
                    Capsule::coverage_vjp(&frame, x, Softness { tau: TAU, tau_min: TAU_MIN }, 1.0),
                ];
                for (d_x, grad) in all {
                    let g = grad.to_shape(&frame);
                    assert!(d_x.is_finite() && g.anchor.is_finite() && g.offset.is_finite());
                    assert!(g.half_width.is_finite() && g.bend.is_finite());
                }
                assert!(Capsule::psi(&frame, x).is_finite() && Drops::psi(&frame, x).is_finite());
            }
        }
    }
}

#[test]
fn a_drop_is_the_classical_map() {
    let frame = Frame::uncoupled(vec2(0.4, 0.5), vec2(0.0, 0.0), 0.03);
    for x in [vec2(0.44, 0.5), vec2(0.1, 0.2), vec2(0.4, 0.9)] {
        let w = x - vec2(0.4, 0.5);
        let factor = (1.0 - 0.03 * 0.03 / w.dot(w)).sqrt();
        let expected = vec2(0.4, 0.5) + w * factor;
        assert!((Capsule::psi(&frame, x) - expected).norm() < 1e-15);
    }
}

/// One step of the relaxed render and its adjoint are the sum of their parts.
#[test]
fn soft_steps_are_coverage_and_psi() {
    let softness = Softness { tau: TAU, tau_min: TAU_MIN };
    for (p, _) in places() {
        let (frame, x) = unpack_f64(p);
        let (alpha, before) = Capsule::soft_step(&frame, x, softness);
        assert_eq!(alpha, Capsule::coverage(&frame, x, softness));
        assert_eq!(before, Capsule::psi(&frame, x));
        let (again, d_x, grad) = Capsule::soft_step_vjp(&frame, x, softness, 0.7, WEIGHT);
        assert_eq!(again, alpha);
        let (d_psi, g_psi) = Capsule::psi_vjp(&frame, x, WEIGHT);
        let (d_cov, g_cov) = Capsule::coverage_vjp(&frame, x, softness, 0.7);
        let (got, parts) = (grad.to_shape(&frame), (g_psi + g_cov).to_shape(&frame));
        assert!((d_x - d_psi - d_cov).norm() <= 1e-12 * (1.0 + d_x.norm()));
        assert!((got.anchor - parts.anchor).norm() <= 1e-12 * (1.0 + parts.anchor.norm()));
        assert!((got.offset - parts.offset).norm() <= 1e-10 * (1.0 + parts.offset.norm()));
        let width = (got.half_width - parts.half_width).abs();
        assert!(width <= 1e-12 * (1.0 + parts.half_width.abs()));
        assert!((got.bend - parts.bend).abs() <= 1e-12 * (1.0 + parts.bend.abs()));
    }
}
