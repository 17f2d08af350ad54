//! The fast renderer against the definition, the oracle and the laws of replay.

use super::*;
use crate::chain::Chain;
use crate::numbers::lanes::{forced, levels};
use crate::numbers::vec2;
use crate::prior;
use crate::program::{Paint, Parts, Stroke};
use crate::tool::Pass;
use serde::Deserialize;
use std::collections::HashMap;

const OPERATORS: [Operator; 4] =
    [Operator::Capsule, Operator::Calibrated, Operator::Drops, Operator::Inert];

fn view(program: &Program, width_px: u32) -> View {
    View::new(Region::canvas(program), Some(width_px), None).unwrap()
}

fn replay(program: &Program, view: View, operator: Operator) -> Replay {
    let options = ReplayOptions { operator: Some(operator), ..ReplayOptions::default() };
    Replay::new(program, view, &options).unwrap()
}

fn owners(replay: &Replay) -> Vec<u32> {
    replay.owners(0..replay.strips())
}

fn pixels(replay: &Replay) -> Vec<[f32; 4]> {
    replay.pixels(0..replay.strips())
}

#[derive(Deserialize)]
struct Oracle {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    width: u32,
    height: u32,
    background: [f64; 3],
    strokes: Vec<OracleStroke>,
    images: HashMap<String, Vec<[f64; 3]>>,
}

#[derive(Deserialize)]
struct OracleStroke {
    a: [f64; 2],
    d: [f64; 2],
    r: f64,
    c: [f64; 3],
}

impl Case {
    fn program(&self) -> Program {
        let strokes = self.strokes.iter().map(|s| Stroke {
            shape: Shape::line(vec2(s.a[0], s.a[1]), vec2(s.d[0], s.d[1]), s.r),
            paint: Paint::Own(s.c),
        });
        Program::new(Parts {
            height: f64::from(self.height) / f64::from(self.width),
            background: self.background,
            strokes: strokes.collect(),
            ..Parts::default()
        })
        .unwrap()
    }
}

#[test]
fn hard_renders_agree_with_the_oracle() {
    let text = include_str!("../../tests/oracle/render_hard.json");
    let oracle: Oracle = serde_json::from_str(text).unwrap();
    for case in &oracle.cases {
        let program = case.program();
        for (name, expected) in &case.images {
            let operator = match name.as_str() {
                "R_A" => Operator::Capsule,
                "R_U" => Operator::Inert,
                "R_D" => Operator::Drops,
                other => panic!("unknown operator {other}"),
            };
            let got = pixels(&replay(&program, view(&program, case.width), operator));
            let same = |(g, e): &(&[f32; 4], &[f64; 3])| {
                (0..3).all(|c| (f64::from(g[c]) - e[c]).abs() < 1e-5)
            };
            let agreeing = got.iter().zip(expected).filter(same).count();
            let strokes = case.strokes.len();
            assert_eq!(got.len(), expected.len());
            assert!(
                agreeing as f64 >= 0.995 * expected.len() as f64,
                "{name}, {strokes} strokes: {agreeing} of {} pixels agree",
                expected.len()
            );
        }
    }
}

/// Checks rows of a fast render against the definition: all but 1e-3 of the
/// pixels agree, and each that differs lies within a tenth of a pixel of an edge.
fn assert_agrees(program: &Program, view: View, operator: Operator, rows: &[u32]) {
    let fast = owners(&replay(program, view, operator));
    let chain = Chain::of(program, Some(operator));
    let owner = |x| naive::owner(&chain, x);
    let mut wrong = 0;
    for &j in rows {
        for i in 0..view.width_px {
            let got = fast[(j * view.width_px + i) as usize];
            let centre = view.centre(i, j);
            if got == owner(centre) {
                continue;
            }
            wrong += 1;
            let tenth = view.pixel() * 0.1;
            let around = [(1., 0.), (-1., 0.), (0., 1.), (0., -1.), (0.7, 0.7), (-0.7, -0.7)];
            let near_edge = around
                .iter()
                .any(|(x, y)| owner(centre + vec2(tenth.x * x, tenth.y * y)) != owner(centre));
            assert!(near_edge, "{operator}: pixel {i}, {j} is wrong and not at an edge");
        }
    }
    let checked = rows.len() as u32 * view.width_px;
    assert!(f64::from(wrong) <= 1e-3 * f64::from(checked), "{operator}: {wrong} of {checked}");
}

#[test]
fn the_tree_agrees_with_the_definition_under_every_operator() {
    for program in [prior::program(600, 0.7, 3), prior::bent_program(600, 0.7, 3)] {
        let program = program.unwrap();
        let view = view(&program, 300);
        let rows: Vec<u32> = (0..view.height_px).step_by(3).collect();
        for operator in OPERATORS {
            assert_agrees(&program, view, operator, &rows);
        }
    }
}

#[test]
fn the_tree_agrees_at_1024_pixels_with_2000_strokes() {
    for program in [prior::program(2000, 1.0, 1), prior::bent_program(2000, 1.0, 1)] {
        let program = program.unwrap();
        let rows: Vec<u32> = (5..1024).step_by(64).collect();
        assert_agrees(&program, view(&program, 1024), Operator::Capsule, &rows);
    }
}

/// Tools of every kind, between bent strokes.
#[test]
fn the_tree_agrees_with_the_definition_on_tools() {
    for operator in [Operator::Capsule, Operator::Inert, Operator::Drops] {
        let program = prior::combed_program(300, 0.8, 5).unwrap();
        let view = view(&program, 384);
        let rows: Vec<u32> = (0..view.height_px).step_by(7).collect();
        assert_agrees(&program, view, operator, &rows);
    }
}

/// Whatever the order in which pixels are taken, the picture is the same, but for single pixels
/// on edges.
#[test]
fn the_order_of_pixels_does_not_matter() {
    let mut parts = prior::bent_program(300, 0.8, 5).unwrap().into_parts();
    let combs = [
        "rake through 0,0 angle 90 pull 0.1 spacing 0.15",
        "comb through 0,0 angle 0 pull 0.05 spacing 0.04",
    ];
    let last = parts.strokes.len();
    parts.tools = combs.map(|comb| Pass { after: last, tool: comb.parse().unwrap() }).to_vec();
    let program = Program::new(parts).unwrap();
    let view = view(&program, 301);
    let replay = Replay::new(&program, view, &ReplayOptions::default()).unwrap();
    let order = PixelOrder::new(&view, &crate::tool::last_moves(program.tools(), last));
    let mut pixels: Vec<u32> = order.blocks(1).flatten().copied().collect();
    let in_order = replay.owners_in_order(&order, &Stop::never()).unwrap();
    let different = in_order.iter().zip(replay.all_owners()).filter(|(a, b)| *a != b).count();
    assert!(different <= view.pixels() / 5000, "{different} pixels");
    pixels.sort_unstable();
    assert!(pixels.into_iter().eq(0..view.pixels() as u32));
}

/// A view may have more pixels than a number of 32 bits can say.
#[test]
fn combs_reach_the_last_pixel_of_the_largest_view() {
    let mut parts = prior::bent_program(200, 1.0, 5).unwrap().into_parts();
    let tool = "comb through 0,0 angle 10 pull 0.05 spacing 0.04".parse().unwrap();
    parts.tools = vec![Pass { after: parts.strokes.len(), tool }];
    let program = Program::new(parts).unwrap();
    let view = view(&program, MAX_SIDE_PX);
    let shapes: Vec<Shape> = program.strokes().iter().map(|s| s.shape).collect();
    let engine = HardEngine::new(program.operator(), &shapes, program.tools(), view, 0.0);
    let last = MAX_SIDE_PX - 40..MAX_SIDE_PX;
    let owners = engine.owners(&Window { columns: last.clone(), rows: last.clone() });
    let chain = Chain::of(&program, None);
    for (j, row) in last.clone().enumerate() {
        for (i, column) in last.clone().enumerate() {
            let owner = naive::owner(&chain, view.centre(column, row));
            assert_eq!(owners[j * BLOCK_PX as usize + i], owner, "{column} {row}");
        }
    }
}

/// A tool without strength is none: the very same picture.
#[test]
fn still_tools_change_no_pixel() {
    let program = prior::bent_program(200, 1.0, 6).unwrap();
    let mut parts = program.clone().into_parts();
    for pass in prior::combed_program(200, 1.0, 6).unwrap().tools() {
        parts.tools.push(Pass { tool: pass.tool.drawn(0.0), ..*pass });
    }
    let with = Program::new(parts).unwrap();
    assert_eq!(render(&with, 200).unwrap(), render(&program, 200).unwrap());
}

/// A tenth of the canvas's ten-millionth: float32 could not tell these pixels apart.
#[test]
fn deep_zoom_is_sharp() {
    let program = prior::program(300, 1.0, 4).unwrap();
    // An edge: the boundary between two owners, found by bisection.
    let chain = Chain::of(&program, None);
    let owner = |x: f64| naive::owner(&chain, vec2(x, 0.37));
    let (mut low, mut high) = (0.2, 0.9);
    assert_ne!(owner(low), owner(high));
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if owner(middle) == owner(low) { low = middle } else { high = middle }
    }
    let side = 1e-8;
    let region = Region { x: low - 0.5 * side, y: 0.37 - 0.5 * side, width: side, height: side };
    let view = View::new(region, Some(64), None).unwrap();
    let rows: Vec<u32> = (0..64).step_by(7).collect();
    assert_agrees(&program, view, Operator::Capsule, &rows);
}

#[test]
fn the_plain_walk_gives_the_same_picture() {
    let program = prior::program(400, 1.3, 5).unwrap();
    let view = view(&program, 150);
    let fast = owners(&replay(&program, view, Operator::Capsule));
    let plain = plain::owners(&program, &view);
    let wrong = fast.iter().zip(&plain).filter(|(a, b)| a != b).count();
    assert!(wrong * 1000 <= fast.len(), "{wrong} of {}", fast.len());
}

/// Every instruction set that this machine has draws the same picture, but for
/// pixels on an edge; those that fuse alike draw the same bytes.
#[test]
#[cfg(target_arch = "x86_64")]
fn instruction_sets_agree() {
    let program = prior::program(400, 1.0, 7).unwrap();
    let view = view(&program, 200);
    let options = ReplayOptions::default();
    let draw = |level| forced(level, || owners(&Replay::new(&program, view, &options).unwrap()));
    let pictures: Vec<_> = levels().into_iter().map(draw).collect();
    assert!(!pictures.is_empty());
    for other in &pictures[1..] {
        let wrong = pictures[0].iter().zip(other).filter(|(a, b)| a != b).count();
        assert!(wrong * 1000 <= other.len(), "{wrong} of {}", other.len());
    }
    if pictures.len() == 3 {
        assert_eq!(pictures[0], pictures[1], "AVX-512 and AVX2 fuse alike");
    }
}

#[test]
fn a_render_at_twice_the_size_averaged_is_two_samples() {
    let program = prior::program(200, 0.75, 6).unwrap();
    let small = view(&program, 100);
    let options = ReplayOptions { samples: 2, ..ReplayOptions::default() };
    let sampled = pixels(&Replay::new(&program, small, &options).unwrap());
    let large = pixels(&replay(&program, small.refined(2), Operator::Capsule));
    let at = |i: usize, j: usize| large[j * 200 + i];
    for (k, got) in sampled.iter().enumerate() {
        let (i, j) = (k % 100 * 2, k / 100 * 2);
        let four = [at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)];
        let mean: [f32; 4] = std::array::from_fn(|c| four.iter().map(|p| p[c]).sum::<f32>() / 4.0);
        assert_eq!(*got, mean, "pixel {k}");
    }
}

#[test]
fn one_thread_and_many_give_the_same_pixels() {
    let program = prior::program(500, 1.0, 8).unwrap();
    let all: Vec<Vec<u32>> = [1, 2, 7]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| owners(&replay(&program, view(&program, 400), Operator::Capsule)))
        })
        .collect();
    assert!(all.windows(2).all(|w| w[0] == w[1]));
}

#[test]
fn no_strokes_are_the_background_and_bare_is_transparent() {
    let program = prior::program(0, 0.5, 0).unwrap();
    let v = view(&program, 20);
    assert!(
        pixels(&replay(&program, v, Operator::Capsule)).iter().all(|p| *p == [0.9, 0.9, 0.9, 1.0])
    );
    let options = ReplayOptions { background: Background::Bare, ..ReplayOptions::default() };
    let bare = Replay::new(&program, v, &options).unwrap();
    assert!(pixels(&bare).iter().all(|p| *p == [0.0; 4]));
}

#[test]
fn prefixes_and_operators_are_honoured() {
    let program = prior::program(50, 1.0, 9).unwrap();
    let v = view(&program, 64);
    let options = ReplayOptions { first: Some(10), ..ReplayOptions::default() };
    let prefix = owners(&Replay::new(&program, v, &options).unwrap());
    assert!(prefix.iter().all(|o| *o <= 10));
    assert!(Replay::new(&program, v, &ReplayOptions { first: Some(51), ..options }).is_err());
    assert_ne!(
        owners(&replay(&program, v, Operator::Inert)),
        owners(&replay(&program, v, Operator::Capsule))
    );
    let large = View::new(Region::canvas(&program), Some(2000), None).unwrap();
    let line = ReplayOptions { operator: Some(Operator::LineSource), ..ReplayOptions::default() };
    assert!(matches!(Replay::new(&program, large, &line), Err(Error::Limit { .. })));
}

#[test]
fn the_line_source_lays_about_the_same_paint() {
    let program = prior::program(20, 1.0, 10).unwrap();
    let v = view(&program, 48);
    let line = owners(&replay(&program, v, Operator::LineSource));
    let calibrated = owners(&replay(&program, v, Operator::Calibrated));
    let same = line.iter().zip(&calibrated).filter(|(a, b)| a == b).count();
    assert!(same as f64 > 0.85 * line.len() as f64, "{same} of {}", line.len());
}

#[test]
fn a_tolerance_moves_few_pixels() {
    let program = prior::program(400, 1.0, 6).unwrap();
    let view = View::new(Region::canvas(&program), Some(256), None).unwrap();
    let owners = |tolerance_px: f64| {
        let options = ReplayOptions { tolerance_px, ..ReplayOptions::default() };
        Replay::new(&program, view, &options).map(|replay| replay.owners(0..replay.strips()))
    };
    let exact = owners(0.0).unwrap();
    let differing = |tolerance: f64| {
        let other = owners(tolerance).unwrap();
        exact.iter().zip(&other).filter(|(a, b)| a != b).count()
    };
    let few = differing(0.03);
    assert!(few > 0 && few < exact.len() / 100, "{few}");
    assert!(differing(0.3) > few);
    for wrong in [-0.1, 1.1, f64::NAN] {
        assert!(owners(wrong).is_err());
    }
}

#[test]
fn the_plain_render_is_the_replay_before_colours_are_rounded() {
    let program = prior::program(40, 0.6, 3).unwrap();
    let view = View::new(Region::canvas(&program), Some(300), None).unwrap();
    let exact = render_view(&program, view).unwrap();
    let replay = Replay::new(&program, view, &ReplayOptions::default()).unwrap();
    for (exact, pixel) in exact.pixels().iter().zip(replay.pixels(0..replay.strips())) {
        assert_eq!(exact.map(|v| v as f32), [pixel[0], pixel[1], pixel[2]]);
    }
    let bare = crate::program::format::parse(
           br#"{"format": "tbr-program", "version": 1, "canvas": {"width": 1, "height": 1},
"background": [0.1, 0.2, 0.3], "operator": "capsule", "palette": [], "strokes": [], "provenance": {}}"#,
       )
       .unwrap();
    assert_eq!(render(&bare, 4).unwrap().pixels(), [[0.1, 0.2, 0.3]; 16]);
}

/// Strips of a picture that is too wide for whole blocks are parts of them, to the last pixel.
#[test]
fn low_strips_have_the_pixels_of_high_ones() {
    let program = prior::program(60, 1.4, 2).unwrap();
    for (samples, strip_px) in [(1, 7), (1, 100), (1, 256), (3, 6), (3, 84), (32, 1), (32, 5)] {
        let view = View::of_canvas(&program, if samples == 32 { 20 } else { 300 }).unwrap();
        let options = ReplayOptions { samples, ..ReplayOptions::default() };
        let high = Replay::new(&program, view, &options).unwrap();
        let low = Replay { strip_px, ..Replay::new(&program, view, &options).unwrap() };
        assert!(low.strips() >= high.strips());
        let mut rows = 0;
        let mut joined = Vec::new();
        for strip in 0..low.strips() {
            let own = low.rows(strip..strip + 1);
            assert_eq!((own.start, own.is_empty()), (rows, false), "{samples} {strip_px}");
            assert!(own.len() as u32 <= strip_px);
            rows = own.end;
            joined.extend(low.pixels(strip..strip + 1));
        }
        assert_eq!(rows, view.height_px);
        assert_eq!(joined, pixels(&high), "{samples} {strip_px}");
        assert_eq!(low.all_owners(), owners(&high), "{samples} {strip_px}");
        assert_eq!(low.count_owned(), high.count_owned());
    }
}

/// A strip of the widest picture fits into memory many times.
#[test]
fn strips_are_lower_where_pictures_are_wide() {
    let program = prior::program(3, 0.001, 2).unwrap();
    for (width, rows) in [(1000, 1), (65_536, 66), (262_144, 64), (MAX_SIDE_PX, 16)] {
        let replay = replay(&program, view(&program, width), Operator::Capsule);
        assert_eq!(replay.rows(0..1).len(), rows, "{width}");
    }
}
