//! Laws of the moves and of the tools made of them.

use super::*;
use crate::cells::{Motion, node_lanes};
use crate::numbers::Dual;
use crate::numbers::lanes::{F32s, F64s, LANES, Lanes, level, with_double_simd, with_simd};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Tools of every kind, none of them gentle, with teeth of some width and of none.
fn tools() -> Vec<Tool> {
    [
        "tine through 0.4,0.3 angle 53 pull 0.2 reach 0.05",
        "tine through 0.4,0.3 angle 53 pull -0.2 reach 0.05 width 0.01",
        "comb through 0.4,0.3 angle 53 pull 0.1 spacing 0.1",
        "comb through 0.4,0.3 angle 53 pull 0.1 spacing 0.1 reach 0.02 width 0.004",
        "rake through 0.1,0.7 angle -20 pull 0.16 spacing 0.1",
        "rake through 0.1,0.7 angle -20 pull 0.16 spacing 0.1 reach 0.2 width 0.02",
        "wave through 0.2,0.2 angle 90 pull 0.05 wavelength 0.3",
        "wavy-comb through 0.4,0.3 angle 53 pull 0.1 spacing 0.1 width 0.01 sway 0.05 wavelength 0.2 phase 57",
        "ring centre 0.5,0.4 radius 0.2 pull 0.15 reach 0.04",
        "ring centre 0.5,0.4 radius 0.2 pull 0.15 reach 0.04 width 0.01",
        "swirl centre 0.5,0.4 radius 0.4 turn 230",
        "stylus from 0.2,0.3 to 0.7,0.6 reach 0.2",
    ]
    .map(|words| words.parse().unwrap())
    .to_vec()
}

/// Points all over the sheet and a little beyond.
fn points(count: usize, seed: u64) -> Vec<Vec2<f64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut place = || 1.4 * rng.random::<f64>() - 0.2;
    (0..count).map(|_| vec2(place(), place())).collect()
}

fn all_moves() -> Vec<Move<f64>> {
    tools().iter().flat_map(|tool| tool.moves().into_iter().take(3)).collect()
}

/// The derivative of `psi` along x and along y.
fn jacobian(m: &Move<f64>, x: Vec2<f64>) -> [Vec2<f64>; 2] {
    let m = m.map(Dual::constant);
    [(1.0, 0.0), (0.0, 1.0)].map(|(dx, dy)| {
        let to = m.psi(vec2(Dual::new(x.x, dx), Dual::new(x.y, dy)));
        vec2(to.x.derivative, to.y.derivative)
    })
}

/// By how much a map may stretch paint at a point: what rounding grows by.
fn stretch(m: &Move<f64>, x: Vec2<f64>) -> f64 {
    let [a, b] = jacobian(m, x);
    1.0 + a.dot(a) + b.dot(b)
}

#[test]
fn areas_are_kept() {
    for m in all_moves() {
        for x in points(2000, 1) {
            let [a, b] = jacobian(&m, x);
            let error = (a.x * b.y - a.y * b.x - 1.0).abs();
            assert!(error <= 1e-13_f64.max(1e-15 * stretch(&m, x)), "{m:?} at {x:?}: {error:e}");
        }
    }
}

#[test]
fn moves_and_tools_are_undone() {
    for m in all_moves() {
        for x in points(2000, 2) {
            let error = (m.phi(m.psi(x)) - x).norm();
            let bound = 1e-14_f64.max(2e-16 * stretch(&m, x));
            assert!(error <= bound, "{m:?} at {x:?}: {error:e}");
        }
    }
    for tool in tools() {
        let moves = tool.moves();
        for x in points(300, 3) {
            let back = moves.iter().rev().fold(x, |x, m| m.psi(x));
            let again = moves.iter().fold(back, |x, m| m.phi(x));
            assert!((again - x).norm() <= 1e-12, "{tool} at {x:?}");
        }
    }
}

/// One number of a gradient.
type Part = fn(&MoveGrad<f64>) -> f64;

/// The move with one of its numbers varied, and the part of a gradient that speaks of it.
fn varied(m: &Move<f64>, k: usize) -> (Move<Dual>, Part) {
    let mut d = m.map(Dual::constant);
    let part: Part = match k {
        0 => {
            d.origin.x.derivative = 1.0;
            |g| g.origin.x
        }
        1 => {
            d.origin.y.derivative = 1.0;
            |g| g.origin.y
        }
        2 => {
            (d.dir.x.derivative, d.dir.y.derivative) = (-m.dir.y, m.dir.x);
            |g| g.angle
        }
        3 => {
            d.strength.derivative = 1.0;
            |g| g.strength
        }
        4 => {
            d.reach.derivative = 1.0;
            |g| g.reach
        }
        5 => {
            d.width.derivative = 1.0;
            |g| g.width
        }
        _ => {
            d.spacing.derivative = 1.0;
            |g| g.spacing
        }
    };
    (d, part)
}

#[test]
fn adjoints_are_those_of_dual_numbers() {
    let d_out = vec2(0.3, -0.8);
    for m in all_moves() {
        for x in points(500, 4) {
            let (d_x, grad) = m.psi_vjp(x, d_out);
            let [a, b] = jacobian(&m, x);
            let tolerance = 1e-12_f64.max(1e-14 * stretch(&m, x));
            let near = |got: f64, exact: f64| {
                let error = (got - exact).abs();
                assert!(error <= tolerance * (1.0 + exact.abs()), "{m:?} {x:?}: {got} {exact}");
            };
            near(d_x.x, a.dot(d_out));
            near(d_x.y, b.dot(d_out));
            for k in 0..7 {
                let (d, part) = varied(&m, k);
                let to = d.psi(vec2(Dual::constant(x.x), Dual::constant(x.y)));
                near(part(&grad), vec2(to.x.derivative, to.y.derivative).dot(d_out));
            }
        }
    }
}

/// From the point before a move, the same derivatives and the point after it.
#[test]
fn adjoints_from_before_are_the_same() {
    let d_out = vec2(0.3, -0.8);
    for m in all_moves() {
        for x in points(500, 6) {
            let (d_x, grad) = m.psi_vjp(x, d_out);
            let (x_again, d_again, grad_again) = m.psi_vjp_from(m.psi(x), d_out);
            let tolerance = 1e-12_f64.max(1e-13 * stretch(&m, x).powi(2));
            assert!((x_again - x).norm() <= tolerance, "{m:?} at {x:?}");
            assert!((d_again - d_x).norm() <= tolerance, "{m:?} at {x:?}");
            for k in 0..7 {
                let part = varied(&m, k).1;
                let (a, b) = (part(&grad), part(&grad_again));
                assert!((a - b).abs() <= tolerance * (1.0 + a.abs()), "{m:?} at {x:?}: {a} {b}");
            }
        }
    }
}

/// The duals' own chain is checked by differences, through whole tools and back to their
/// numbers.
#[test]
fn gradients_of_tools_are_those_of_differences() {
    let d_out = vec2(0.3, -0.8);
    for tool in tools() {
        let numbers = tool.numbers().to_vec();
        for x in points(20, 5) {
            let loss = |numbers: &[f64]| {
                let moves = tool.with_numbers(numbers).unwrap().all_moves();
                moves.iter().rev().fold(x, |x, m| m.psi(x)).dot(d_out)
            };
            let moves = tool.all_moves();
            let mut path = vec![x];
            moves.iter().rev().for_each(|m| path.push(m.psi(path[path.len() - 1])));
            let mut d = d_out;
            let mut grads = Vec::new();
            for (m, at) in moves.iter().zip(path.iter().rev().skip(1)) {
                let (before, grad) = m.psi_vjp(*at, d);
                grads.push(grad);
                d = before;
            }
            for (k, got) in tool.pull_back(&grads).into_iter().enumerate() {
                let by = |step: f64| {
                    let mut other = numbers.clone();
                    other[k] += step;
                    loss(&other)
                };
                // A width is not negative; elsewhere to both sides.
                let h = 1e-6;
                let slope = if numbers[k] == 0.0 {
                    (4.0 * by(h) - by(2.0 * h) - 3.0 * by(0.0)) / (2.0 * h)
                } else {
                    (by(h) - by(-h)) / (2.0 * h)
                };
                let error = (got - slope).abs();
                assert!(error <= 2e-4 * (1.0 + got.abs()), "{tool}, number {k}: {got} {slope}");
            }
        }
    }
}

fn lanes_agree<V: Lanes>(simd: V::Simd, tolerance: f64) {
    let points = points(LANES * 40, 6);
    for tool in tools() {
        for m in tool.moves().iter().take(4) {
            for sixteen in points.as_chunks::<LANES>().0 {
                let x = vec2(V::of_f64(simd, |k| sixteen[k].x), V::of_f64(simd, |k| sixteen[k].y));
                let to = lanewise::psi(simd, m, x);
                let (to_x, to_y) = (to.x.to_f64s(), to.y.to_f64s());
                for (k, x) in sixteen.iter().enumerate() {
                    let exact = m.psi(*x);
                    let error = (vec2(to_x[k], to_y[k]) - exact).norm();
                    let grown = (tolerance / 10.0) * stretch(m, *x);
                    assert!(error <= tolerance.max(grown), "{tool} at {x:?}: {error:e}");
                }
            }
        }
    }
}

#[test]
fn lanes_agree_with_the_definition() {
    with_simd!(level(), simd => lanes_agree::<F32s<_>>(simd, 3e-6));
    with_double_simd!(level(), simd => lanes_agree::<F64s<_>>(simd, 1e-13));
}

/// The largest error of interpolation over boxes of every size, as a share of its bound.
fn worst_error<V: Lanes<Scalar = f64>>(simd: V::Simd, tool: &Move<f64>) -> f64 {
    let lanes = tool.map(|v| V::splat(simd, v));
    let (u, v) = node_lanes::<V>(simd);
    let splat = |value| V::splat(simd, value);
    let mut worst = 0.0_f64;
    for (k, centre) in points(3000, 7).into_iter().enumerate() {
        let side = 3e-4 * libm::pow(300.0, k as f64 / 3000.0);
        let extent = vec2(side, 0.7 * side);
        let reach = extent.norm();
        let bound = tool.interpolation_error(centre, reach);
        if tool.is_still(centre, reach) {
            let moved = tool.psi(centre) - centre;
            assert!(moved.norm() <= 1e-12 * tool.strength.abs());
            continue;
        }
        let at = |u: V, v: V| {
            vec2(
                u.mul_add(splat(extent.x), splat(centre.x)),
                v.mul_add(splat(extent.y), splat(centre.y)),
            )
        };
        let rest = at(u, v);
        let motion =
            Motion::over(centre, vec2(1.0 / extent.x, 1.0 / extent.y), lanes.psi(rest) - rest);
        for share in [0.3, 0.6667, 0.9] {
            let share = u.lit(share);
            let probe = at(u * share, v * share);
            let error = motion.apply(simd, probe) - lanes.psi(probe);
            let error = error.dot(error).sqrt().largest();
            if error > 1e-15 {
                worst = worst.max(error / bound);
            }
        }
    }
    worst
}

#[test]
fn interpolation_errs_by_no_more_than_its_bound() {
    for m in all_moves() {
        let worst = with_double_simd!(level(), simd => worst_error::<F64s<_>>(simd, &m));
        assert!(worst <= 1.0, "{m:?}: {worst} of the bound");
        assert!(worst > 0.02, "the bound is far too wide: {m:?}: {worst}");
    }
}

#[test]
fn words_are_read_and_written() {
    for tool in tools() {
        assert_eq!(tool.to_string().parse::<Tool>().unwrap(), tool);
        assert_eq!(tool.with_numbers(tool.numbers()).unwrap(), tool);
    }
    for (words, says) in [
        ("brush", "none of tine, comb"),
        ("comb through 0.5,0.5 angle 0 pull 0.1", "needs spacing"),
        ("comb through 0.5 angle 0 pull 0.1 spacing 1", "through is two numbers"),
        ("comb through 0.5,0.5 angle 0 pull 0.1 spacing 0", "spacing is 0; must be from"),
        ("comb through 0.5,0.5 angle 0 pull nan spacing 1", "pull is NaN; must be from"),
        ("comb teeth 7", "has no teeth: it has through"),
        ("swirl centre 0,0 radius 1 radius 2 turn 3", "radius is given twice"),
        ("swirl centre 0,0 radius", "what is \"radius\"?"),
        ("swirl centre 0,0 radius x turn 3", "no number"),
        ("stylus from 0,0 to 1,1 reach 0.0001", "too long for its reach"),
    ] {
        let error = words.parse::<Tool>().unwrap_err().to_string();
        assert!(error.contains(says), "{words}: {error}");
    }
}

/// A tool that is drawn over no way at all moves nothing, one that is drawn over all of it is
/// the whole.
#[test]
fn a_tool_is_drawn_from_nothing_to_the_whole() {
    for tool in tools() {
        assert!(tool.drawn(0.0).moves().is_empty(), "{tool}");
        assert_eq!(tool.drawn(1.0), tool);
        let x = vec2(0.43, 0.37);
        let to = |share: f64| tool.drawn(share).moves().iter().fold(x, |x, m| m.phi(x));
        assert!((to(0.5) - x).norm() < 0.2 && (to(1.0) - to(0.999)).norm() < 0.01, "{tool}");
    }
}

/// One similarity of the tool is the same similarity of what it does.
#[test]
fn placed_tools_do_the_same_elsewhere() {
    let (degrees, scale, by) = (33.0_f64, 0.7, vec2(0.1, -0.2));
    let dir = vec2(libm::cos(degrees.to_radians()), libm::sin(degrees.to_radians()));
    let point = |p: Vec2<f64>| p.out_of_frame(dir) * scale + by;
    for tool in tools() {
        let placed = tool.placed(point, degrees, scale).unwrap();
        let ahead = |tool: &Tool, x| tool.moves().iter().fold(x, |x, m| m.phi(x));
        for x in points(50, 8) {
            let error = point(ahead(&tool, x)) - ahead(&placed, point(x));
            assert!(error.norm() < 1e-12, "{tool}");
        }
    }
}
