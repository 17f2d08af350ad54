//! What is counted adds up.

use super::*;
use crate::prior;

#[test]
fn paint_is_conserved() {
    let program = prior::program(300, 0.8, 5).unwrap();
    for operator in [Operator::Capsule, Operator::Inert, Operator::Drops] {
        let info = Info::new(&program, Some(operator), 256).unwrap();
        let seen = 1.0 - info.bare_share;
        let whole = seen + info.expelled_area + info.covered_area;
        assert!((whole - info.deposited_area).abs() < 1e-9);
        assert_eq!(operator == Operator::Capsule, info.covered_area == 0.0);
        let pixels: u64 = info.owned_pixels.iter().sum();
        assert!((pixels as f64 / (256.0 * 205.0) - seen).abs() < 1e-12);
    }
}

/// Only strokes that bend are counted, whichever way they do.
#[test]
fn bends_are_counted() {
    let program = prior::program(40, 0.8, 5).unwrap();
    let straight = Info::new(&program, None, 64).unwrap();
    assert_eq!((straight.bent_strokes, straight.bend.p90), (0, 0.0));
    let mut strokes = program.strokes().to_vec();
    for (stroke, bend) in strokes.iter_mut().zip([0.5, -1.0, 0.0, 1.5]) {
        stroke.shape.bend = bend;
    }
    let bent = Info::new(&program.with_strokes(strokes).unwrap(), None, 64).unwrap();
    let Spread { q1, median, q3, p90 } = bent.bend;
    assert_eq!((bent.bent_strokes, q1, median, q3), (3, 0.75, 1.0, 1.25));
    assert!((p90 - 1.4).abs() < 1e-15);
    assert_eq!(bent.deposited_area, straight.deposited_area);
}

#[test]
fn a_drop_in_the_corner_lies_three_quarters_outside() {
    let shape = Shape::drop(vec2(0.0, 0.0), 0.1);
    assert!((area_inside(&shape, 1.0) / shape.area() - 0.25).abs() < 1e-4);
    let line = Shape { offset: vec2(-0.3, 0.0), anchor: vec2(1.0, 0.5), ..shape };
    let expected = shape.area() / 2.0 + 0.3 * 0.2;
    assert!((area_inside(&line, 1.0) - expected).abs() < 1e-4);
    assert!(area_inside(&Shape { anchor: vec2(5.0, 5.0), ..shape }, 1.0) < 1e-12);
}

/// A stroke that is far and thin has no paint on the canvas: that is a number too.
#[test]
fn far_and_thin_strokes_are_counted_in_numbers() {
    let mut parts = prior::program(1, 1.0, 5).unwrap().into_parts();
    for far in [-1000.0, -3.0, 0.5, 7.0, 1000.0] {
        for (length, half_width) in [(1e-12, 1e-9), (0.0, 1e-9), (1e3, 1e-9), (1e-3, 1e-6)] {
            let (anchor, offset) = (vec2(0.5, far), vec2(0.0, length));
            parts.strokes[0].shape = Shape::line(anchor, offset, half_width);
            let program = Program::new(parts.clone()).unwrap();
            let info = Info::new(&program, None, 16).unwrap();
            let areas = [info.laid_outside_area, info.expelled_area, info.covered_area];
            let whole = info.deposited_area * (1.0 + 1e-9);
            let is_share = |area: &f64| (0.0..=whole).contains(area);
            assert!(areas.iter().all(is_share), "{far} {length} {half_width}: {areas:?}");
        }
    }
}

/// Sums over strokes are taken in one order, whoever takes them.
#[test]
fn one_thread_and_two_count_the_same() {
    for (operator, strokes) in [(Operator::Inert, 2000), (Operator::Drops, 200)] {
        let program = prior::program(strokes, 0.8, 5).unwrap();
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let info = pool.install(|| Info::new(&program, Some(operator), 64)).unwrap();
            [info.laid_outside_area, info.expelled_area, info.covered_area].map(f64::to_bits)
        };
        assert_eq!(with(1), with(2), "{operator}");
    }
}

#[test]
fn quartiles_of_a_ramp() {
    let spread = Spread::of((0..=100).map(f64::from).collect());
    assert_eq!([spread.q1, spread.median, spread.q3, spread.p90], [25.0, 50.0, 75.0, 90.0]);
    assert_eq!(Spread::of(Vec::new()).median, 0.0);
}

/// The paper's bar for as many strokes as it has; a tenth of the mean for more; and a pixel at least.
#[test]
fn what_is_visible_depends_on_how_many_there_are() {
    let pixels = 1024 * 1024;
    assert_eq!(least_visible(0, pixels), 50);
    assert_eq!(least_visible(2000, pixels), 50);
    assert_eq!(least_visible(4194, pixels), 26);
    assert_eq!(least_visible(1_000_000, pixels), 1);
    assert_eq!(least_visible(2000, 64 * 64), 1);
}
