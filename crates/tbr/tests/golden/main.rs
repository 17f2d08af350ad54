//! Small pictures that are compared with what they were, on every test run. If one differs, the
//! test writes expected, difference and actual side by side and says where. If the change is
//! meant: `TBR_BLESS=1 cargo test -p tbr-marbling --test golden`, look at the pictures, commit.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod strip;

use std::path::{Path, PathBuf};
use strip::{read_png, write_png, write_strip};
use tbr::adjoint::{Engine, Precision, Relaxation, Scene, gradient_of};
use tbr::explain::{age_map, error_map, ownership_map};
use tbr::program::colour::to_bytes;
use tbr::render::{Background, ReplayOptions};
use tbr::{Image, Operator, Program, Region, Replay, View, format, prior};

/// A ring of drops with lines through it: every kind of neighbourhood in seven strokes.
const SEVEN: &str = include_str!("seven.tbr.json");

/// A drop, bows to either side, weak and strong, and a straight line.
const BENT: &str = include_str!("bent.tbr.json");

/// Four colours, with every tool drawn through them.
const COMBED: &str = include_str!("combed.tbr.json");

/// Pixels across.
const WIDTH_PX: u32 = 64;

/// Pixels of a hard render that may fall to the other side of an edge on machines whose
/// arithmetic is not fused: float32 is off by 1e-6 there, which meets an edge in fewer than
/// one pixel in a thousand.
const ACROSS_EDGES: usize = 4;

fn seven() -> Program {
    format::parse(SEVEN.as_bytes()).unwrap()
}

fn bent() -> Program {
    format::parse(BENT.as_bytes()).unwrap()
}

fn combed() -> Program {
    format::parse(COMBED.as_bytes()).unwrap()
}

fn replay(program: &Program, options: ReplayOptions) -> Image {
    let view = View::of_canvas(program, WIDTH_PX).unwrap();
    Replay::new(program, view, &options).unwrap().image()
}

fn under(operator: Operator) -> Image {
    replay(&seven(), ReplayOptions { operator: Some(operator), ..ReplayOptions::default() })
}

fn relaxed(program: &Program, tau: f64) -> Image {
    let view = View::of_canvas(program, WIDTH_PX).unwrap();
    let tau_min = Relaxation::LEAST_RIM_PX * view.pixel().x;
    let scene = Scene::of(program, view, Relaxation { tau, tau_min }).unwrap();
    let nothing = |_: usize, _: [f64; 3]| (0.0, [0.0; 3]);
    gradient_of(&scene, Engine::Tiled, Precision::Double, &nothing).unwrap().image
}

/// Compares a hard render, exactly or but for pixels on an edge.
fn check_hard(name: &str, image: &Image) {
    check(name, image, |expected, actual| {
        expected.iter().zip(actual).filter(|(a, b)| a != b).count() > ACROSS_EDGES
    });
}

/// Compares a picture without edges: values may be rounded the other way.
fn check_smooth(name: &str, image: &Image) {
    check(name, image, |expected, actual| {
        let bytes = expected.as_flattened().iter().zip(actual.as_flattened());
        bytes.into_iter().any(|(a, b)| a.abs_diff(*b) > 1)
    });
}

fn check(name: &str, image: &Image, differs: impl Fn(&[[u8; 3]], &[[u8; 3]]) -> bool) {
    let path = folder("tests/golden/pictures").join(format!("{name}.png"));
    let actual: Vec<[u8; 3]> = image.pixels().iter().map(|c| to_bytes(*c)).collect();
    if std::env::var_os("TBR_BLESS").is_some() {
        write_png(&path, image.size(), &actual);
        return;
    }
    let (size, expected) = read_png(&path);
    assert_eq!(size, image.size(), "{name}: another size than {}", path.display());
    if differs(&expected, &actual) {
        let wrong: Vec<usize> = (0..actual.len()).filter(|k| expected[*k] != actual[*k]).collect();
        let (x, y) = (wrong[0] % size.0 as usize, wrong[0] / size.0 as usize);
        let strip = folder("../../target/golden").join(format!("{name}.png"));
        write_strip(&strip, size, &expected, &actual);
        panic!(
            "{name}: {} pixels differ, the first at column {x}, row {y}: {:?} instead of {:?}. \
             Expected, difference and actual: {}",
            wrong.len(),
            actual[wrong[0]],
            expected[wrong[0]],
            strip.display()
        );
    }
}

fn folder(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(below)
}

#[test]
fn hard_renders_under_each_operator() {
    check_hard("capsule", &under(Operator::Capsule));
    check_hard("calibrated", &under(Operator::Calibrated));
    check_hard("drops", &under(Operator::Drops));
    check_hard("inert", &under(Operator::Inert));
    check_hard("line-source", &under(Operator::LineSource));
}

#[test]
fn smooth_edges_prefixes_and_bare_canvas() {
    check_hard(
        "three-samples",
        &replay(&seven(), ReplayOptions { samples: 3, ..ReplayOptions::default() }),
    );
    check_hard(
        "first-four",
        &replay(&seven(), ReplayOptions { first: Some(4), ..ReplayOptions::default() }),
    );
    let background = Background::Bare;
    check_hard("bare", &replay(&seven(), ReplayOptions { background, ..ReplayOptions::default() }));
}

#[test]
fn a_region_from_near() {
    let region = Region { x: 0.45, y: 0.3, width: 0.02, height: 0.01 };
    let view = View::new(region, Some(WIDTH_PX), None).unwrap();
    let replay = Replay::new(&seven(), view, &ReplayOptions::default()).unwrap();
    check_hard("region", &replay.image());
}

#[test]
fn relaxed_renders() {
    check_smooth("relaxed-0.35", &relaxed(&seven(), 0.35));
    check_smooth("relaxed-0.05", &relaxed(&seven(), 0.05));
}

#[test]
fn bent_strokes() {
    check_hard("bent", &replay(&bent(), ReplayOptions::default()));
    check_smooth("bent-relaxed", &relaxed(&bent(), 0.35));
}

#[test]
fn tools() {
    check_hard("combed", &replay(&combed(), ReplayOptions::default()));
    check_smooth("combed-relaxed", &relaxed(&combed(), 0.35));
}

#[test]
fn maps_of_error_ownership_and_age() {
    let hard = tbr::render(&seven(), WIDTH_PX).unwrap();
    check_smooth("error", &error_map(&relaxed(&seven(), 0.35), &hard).unwrap());
    let program = prior::program(60, 0.75, 3).unwrap();
    let view = View::of_canvas(&program, WIDTH_PX).unwrap();
    let owners = Replay::new(&program, view, &ReplayOptions::default()).unwrap().all_owners();
    let image = |colours| Image::new(view.size(), colours).unwrap();
    check_hard("ownership", &image(ownership_map(&program, &owners)));
    check_hard("age", &image(age_map(&program, &owners)));
}
