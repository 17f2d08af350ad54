//! Every engine against the oracle and against one another.

mod forward;
pub(crate) mod outliers;
mod scenes;
mod steps;
mod tools;

use super::chain::{Backward, CompositeGrad, Met, StrokeGrad, soft_kernel};
use super::*;
use crate::Error;
use crate::numbers::lanes::{LANES, Lanes};
use crate::numbers::vec2;
use crate::stroke::{Operator, Shape, ShapeGrad};
use serde::Deserialize;

#[derive(Deserialize)]
struct Oracle {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    width: u32,
    height: u32,
    tau: f64,
    tau_min: f64,
    transport: bool,
    background: Colour,
    strokes: Vec<OracleStroke>,
    target: Vec<Colour>,
    image: Vec<Colour>,
    loss: f64,
    grad: OracleGrad,
}

#[derive(Deserialize)]
struct OracleStroke {
    a: [f64; 2],
    d: [f64; 2],
    r: f64,
    c: Colour,
}

#[derive(Deserialize)]
struct OracleGrad {
    a: Vec<[f64; 2]>,
    d: Vec<[f64; 2]>,
    r: Vec<f64>,
    c: Vec<Colour>,
    bg: Colour,
}

fn oracle() -> Vec<Case> {
    let text = include_str!("../../tests/oracle/render_soft.json");
    serde_json::from_str::<Oracle>(text).unwrap().cases
}

impl Case {
    fn scene(&self) -> Scene {
        let shape = |s: &OracleStroke| Shape::line(vec2(s.a[0], s.a[1]), vec2(s.d[0], s.d[1]), s.r);
        let height = f64::from(self.height) / f64::from(self.width);
        let region = Region { x: 0.0, y: 0.0, width: 1.0, height };
        Scene::new(
            self.strokes.iter().map(shape).collect(),
            self.strokes.iter().map(|s| s.c).collect(),
            self.background,
            if self.transport { Operator::Capsule } else { Operator::Inert },
            Relaxation { tau: self.tau, tau_min: self.tau_min },
            View::new(region, Some(self.width), Some(self.height)).unwrap(),
        )
        .unwrap()
    }

    fn target(&self) -> Image {
        Image::new((self.width, self.height), self.target.clone()).unwrap()
    }

    fn exact(&self) -> Gradient {
        let pair = |p: [f64; 2]| vec2(p[0], p[1]);
        let shape = |i: usize| ShapeGrad {
            anchor: pair(self.grad.a[i]),
            offset: pair(self.grad.d[i]),
            half_width: self.grad.r[i],
            bend: 0.0,
        };
        Gradient {
            tools: Vec::new(),
            shapes: (0..self.strokes.len()).map(shape).collect(),
            colours: self.grad.c.clone(),
            background: self.grad.bg,
        }
    }
}

#[test]
fn the_definition_agrees_with_the_oracle() {
    for (i, case) in oracle().iter().enumerate() {
        for engine in [Engine::Stored, Engine::Checkpointed(7)] {
            let target = case.target();
            let loss = mean_squared_error(&target);
            let outcome = gradient_of(&case.scene(), engine, Precision::Double, &loss).unwrap();
            let image = outcome.image.pixels().iter().flatten();
            for (got, expected) in image.zip(case.image.iter().flatten()) {
                assert!((got - expected).abs() < 1e-10, "case {i}, {engine:?}: image");
            }
            assert!((outcome.loss - case.loss).abs() < 1e-10);
            let (error, _) = outcome.gradient.error_and_cosine(&case.exact());
            assert!(error < 1e-8, "case {i}, {engine:?}: gradient off by {error:e}");
        }
    }
}

/// Interpolation, cut-off coverage and rounding are all that the tiled engine
/// may differ by. (The one case of 200 strokes at tau = 0.05 magnifies them.)
#[test]
fn the_tiled_engine_agrees_with_the_oracle() {
    for (i, case) in oracle().iter().enumerate() {
        let bound = if case.strokes.len() < 200 { 5e-5 } else { 2e-3 };
        for precision in [Precision::Double, Precision::Single] {
            let target = case.target();
            let loss = mean_squared_error(&target);
            let outcome = gradient_of(&case.scene(), Engine::Tiled, precision, &loss).unwrap();
            let pixels = outcome.image.pixels();
            let image = pixels.iter().flatten().zip(case.image.iter().flatten());
            let worst = image.map(|(g, e)| (g - e).abs()).fold(0.0, f64::max);
            let (error, _) = outcome.gradient.error_and_cosine(&case.exact());
            assert!(worst < 5e-4, "case {i}, {precision:?}: image off by {worst:e}");
            assert!(error < bound, "case {i}, {precision:?}: gradient off by {error:e}");
        }
    }
}

/// A chain of 2000 strokes with its float64 gradient.
struct LongChain {
    scene: Scene,
    target: Image,
    exact: Gradient,
}

impl LongChain {
    fn read(bytes: &[u8]) -> Self {
        let numbers = bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap()));
        let mut numbers = numbers.collect::<Vec<_>>().into_iter();
        let mut array = |count: usize| numbers.by_ref().take(count).collect::<Vec<_>>();
        let pairs = |v: Vec<f64>| v.chunks(2).map(|p| vec2(p[0], p[1])).collect::<Vec<_>>();
        let triples = |v: Vec<f64>| v.chunks(3).map(|p| [p[0], p[1], p[2]]).collect::<Vec<_>>();
        const N: usize = 2000;
        let (anchors, offsets) = (pairs(array(2 * N)), pairs(array(2 * N)));
        let (widths, colours) = (array(N), triples(array(3 * N)));
        let (background, target) = (triples(array(3)), triples(array(3 * 1600)));
        let (tau, tau_min) = (array(1)[0], array(1)[0]);
        let (d_a, d_d) = (pairs(array(2 * N)), pairs(array(2 * N)));
        let (d_r, d_c) = (array(N), triples(array(3 * N)));
        assert!(array(1).is_empty(), "the whole file is read");
        let shape = |i: usize| Shape::line(anchors[i], offsets[i], widths[i]);
        let d_shape =
            |i: usize| ShapeGrad { anchor: d_a[i], offset: d_d[i], half_width: d_r[i], bend: 0.0 };
        let region = Region { x: 0.0, y: 0.0, width: 1.0, height: 1.0 };
        Self {
            scene: Scene::new(
                (0..N).map(shape).collect(),
                colours,
                background[0],
                Operator::Capsule,
                Relaxation { tau, tau_min },
                View::new(region, Some(40), None).unwrap(),
            )
            .unwrap(),
            target: Image::new((40, 40), target).unwrap(),
            exact: Gradient {
                tools: Vec::new(),
                shapes: (0..N).map(d_shape).collect(),
                colours: d_c,
                background: [0.0; 3],
            },
        }
    }

    /// Relative error of an engine's gradient. (The oracle has none for the background.)
    fn error(&self, engine: Engine, precision: Precision) -> f64 {
        let loss = mean_squared_error(&self.target);
        let outcome = gradient_of(&self.scene, engine, precision, &loss).unwrap();
        let ours = Gradient { background: [0.0; 3], ..outcome.gradient };
        ours.error_and_cosine(&self.exact).0
    }
}

impl LongChain {
    fn early() -> Self {
        Self::read(include_bytes!("../../tests/oracle/long_chain_early.f64"))
    }

    fn late() -> Self {
        Self::read(include_bytes!("../../tests/oracle/long_chain_late.f64"))
    }
}

#[test]
fn two_thousand_strokes_agree_with_the_oracle() {
    for (name, chain, single) in
        [("early", LongChain::early(), 2e-3), ("late", LongChain::late(), 1e-2)]
    {
        for engine in [Engine::Stored, Engine::Replay(Some(256)), Engine::Replay(None)] {
            let exact = chain.error(engine, Precision::Double);
            assert!(exact < 1e-6, "{name}: {engine:?}, float64: {exact:e}");
        }
        for engine in [Engine::Stored, Engine::Tiled, Engine::Replay(Some(256))] {
            let error = chain.error(engine, Precision::Single);
            assert!(error < single, "{name}: {engine:?}, float32: {error:e}");
        }
    }
}

/// Regenerated positions drift, and checkpoints hold the drift down. (Against
/// the same precision without drift, as in the paper.)
#[test]
fn the_replay_adjoint_drifts_with_its_interval() {
    let mut chain = LongChain::early();
    let checkpointed = |chain: &LongChain| {
        let loss = mean_squared_error(&chain.target);
        gradient_of(&chain.scene, Engine::Checkpointed(20), Precision::Single, &loss).unwrap()
    };
    chain.exact = Gradient { background: [0.0; 3], ..checkpointed(&chain).gradient };
    let drift = [Some(16), Some(256), None]
        .map(|interval| chain.error(Engine::Replay(interval), Precision::Single));
    assert!(drift[0] > 0.0 && drift[2] < 7.4e-3, "{drift:?}");
    assert!(drift[0] < drift[1] && drift[1] < drift[2], "{drift:?}");
}

/// A random program of `strokes` strokes with a smooth target.
fn random_scene(strokes: usize, width: u32, tau: f64) -> (Scene, Image) {
    scene_of(&crate::prior::program(strokes, 1.0, 1).unwrap(), width, tau)
}

/// The same with strokes that bend.
fn bent_scene(strokes: usize, width: u32, tau: f64) -> (Scene, Image) {
    scene_of(&crate::prior::bent_program(strokes, 1.0, 1).unwrap(), width, tau)
}

fn scene_of(program: &Program, width: u32, tau: f64) -> (Scene, Image) {
    let view = View::new(Region::canvas(program), Some(width), None).unwrap();
    let tau_min = 0.7 / f64::from(width);
    let scene = Scene::of(program, view, Relaxation { tau, tau_min }).unwrap();
    let share = |i: u32| f64::from(i) / f64::from(width);
    let target = (0..width * width).map(|p| [share(p % width), share(p / width), 0.5]).collect();
    (scene, Image::new((width, width), target).unwrap())
}

/// The scene with other shapes, another operator and another view.
fn changed(scene: &Scene, shapes: Vec<Shape>, operator: Operator, view: View) -> Scene {
    let (colours, background) = (scene.colours().to_vec(), scene.background());
    Scene::new(shapes, colours, background, operator, scene.relaxation(), view).unwrap()
}

fn with_operator(scene: &Scene, operator: Operator) -> Scene {
    changed(scene, scene.shapes().to_vec(), operator, *scene.view())
}

#[test]
fn the_replay_adjoint_serves_the_operators_that_can_be_undone() {
    let (straight, target) = random_scene(60, 24, 0.2);
    let (bent, _) = bent_scene(60, 24, 0.2);
    let operators = [Operator::Capsule, Operator::Calibrated, Operator::Inert];
    let cases =
        operators.into_iter().flat_map(|operator| [(&straight, operator), (&bent, operator)]);
    for (scene, operator) in cases {
        let scene = with_operator(scene, operator);
        let run = |engine| {
            gradient_of(&scene, engine, Precision::Double, &mean_squared_error(&target)).unwrap()
        };
        let (exact, replay) = (run(Engine::Stored), run(Engine::Replay(None)));
        let (error, _) = replay.gradient.error_and_cosine(&exact.gradient);
        assert!(error < 1e-6, "{operator}: {error:e}");
        assert!(replay.side_table.drift < 1e-6, "{operator}: {:?}", replay.side_table);
        let records = replay.side_table.records;
        assert_eq!(records == 0, operator == Operator::Inert, "{operator}: {records} records");
    }
    let scene = with_operator(&straight, Operator::Drops);
    let refused =
        gradient_of(&scene, Engine::Replay(None), Precision::Double, &|_, _| (0.0, [0.0; 3]));
    assert!(matches!(refused, Err(Error::Request(_))));
}

#[test]
fn the_tiled_engine_agrees_with_float64_on_random_programs() {
    for (scene, target) in [random_scene(2000, 128, 0.35), bent_scene(2000, 128, 0.35)] {
        assert_tiled_agrees(&scene, &target);
    }
}

#[track_caller]
fn assert_tiled_agrees(scene: &Scene, target: &Image) {
    let run = |engine, precision| {
        gradient_of(scene, engine, precision, &mean_squared_error(target)).unwrap().gradient
    };
    let exact = run(Engine::Checkpointed(50), Precision::Double);
    let (error, cosine) = run(Engine::Tiled, Precision::Single).error_and_cosine(&exact);
    assert!(cosine > 0.9999, "cosine {cosine}, error {error:e}");
    let (error, cosine) = run(Engine::Coarse, Precision::Single).error_and_cosine(&exact);
    assert!(cosine > 0.99, "coarse: cosine {cosine}, error {error:e}");
}

/// The derivative with respect to bends is that of the whole chain, also of strokes that do
/// not bend yet.
#[test]
fn bends_are_differentiated_through_the_chain() {
    let (scene, target) = bent_scene(40, 24, 0.35);
    let mut shapes = scene.shapes().to_vec();
    shapes.iter_mut().step_by(2).for_each(|shape| shape.bend = 0.0);
    let loss = |shapes: Vec<Shape>| {
        let scene = changed(&scene, shapes, scene.operator(), *scene.view()).with_bends(true);
        let loss = mean_squared_error(&target);
        gradient_of(&scene, Engine::Stored, Precision::Double, &loss).unwrap()
    };
    let exact = loss(shapes.clone()).gradient;
    let h = 1e-5;
    for i in 0..shapes.len() {
        let at = |bend: f64| {
            let mut shapes = shapes.clone();
            shapes[i].bend += bend;
            loss(shapes).loss
        };
        let difference = (at(h) - at(-h)) / (2.0 * h);
        let off = (difference - exact.shapes[i].bend).abs();
        assert!(off < 1e-9, "stroke {i}: {difference:e}, not {:e}", exact.shapes[i].bend);
    }
    let largest = exact.shapes.iter().map(|d| d.bend.abs()).fold(0.0, f64::max);
    assert!(largest > 1e-4, "the test sees nothing: {largest:e}");

    let (straight, target) = random_scene(40, 24, 0.35);
    let loss = mean_squared_error(&target);
    let plain = gradient_of(&straight, Engine::Stored, Precision::Double, &loss).unwrap();
    assert!(plain.gradient.shapes.iter().all(|d| d.bend == 0.0), "nobody asked");
}

#[test]
fn a_flat_gradient_is_read_back() {
    let (scene, target) = bent_scene(10, 16, 0.35);
    let loss = mean_squared_error(&target);
    let gradient = gradient_of(&scene, Engine::Stored, Precision::Double, &loss).unwrap().gradient;
    let numbers = gradient.flat();
    assert_eq!(Gradient::from_flat(&numbers), Some(gradient));
    assert_eq!(Gradient::from_flat(&numbers[1..]), None);
    assert_eq!(Gradient::from_flat(&[]), None);
}

/// All directions meet in the centre of a drop. A pixel that lies right in it
/// must not spoil what the others say.
#[test]
fn pixels_in_the_centres_of_drops_stay_within_bounds() {
    let (scene, target) = random_scene(200, 32, 0.35);
    let mut shapes = scene.shapes().to_vec();
    for (i, shape) in shapes.iter_mut().enumerate().rev().take(40) {
        shape.anchor = scene.view().centre(i as u32 % 32, i as u32 % 29);
        shape.offset = vec2(0.0, 0.0);
    }
    let scene = changed(&scene, shapes, scene.operator(), *scene.view());
    let run = |engine, precision| {
        gradient_of(&scene, engine, precision, &mean_squared_error(&target)).unwrap().gradient
    };
    let exact = run(Engine::Stored, Precision::Double);
    assert!(exact.flat().iter().all(|d| d.abs() < 1.0), "the derivative is bounded");
    for engine in [Engine::Stored, Engine::Tiled] {
        let (error, _) = run(engine, Precision::Single).error_and_cosine(&exact);
        assert!(error < 2e-3, "{engine:?}: {error:e}");
    }
}

#[test]
fn one_thread_and_many_give_the_same_gradient() {
    let case = &oracle()[10];
    let outcomes: Vec<Outcome> = [1, 3]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let scene = case.scene();
            let view = View::new(scene.view().region, Some(300), None).unwrap();
            let scene = changed(&scene, scene.shapes().to_vec(), scene.operator(), view);
            let loss = |_: usize, colour: Colour| (colour[0], [1.0, 0.0, 0.0]);
            pool.install(|| gradient_of(&scene, Engine::Tiled, Precision::Single, &loss).unwrap())
        })
        .collect();
    assert_eq!(outcomes[0], outcomes[1]);
}

/// Checkpoints save memory and change nothing.
#[test]
fn kept_states_and_those_computed_again_give_the_same_gradient() {
    let (scene, target) = random_scene(60, 24, 0.2);
    for precision in [Precision::Single, Precision::Double] {
        let run =
            |engine| gradient_of(&scene, engine, precision, &mean_squared_error(&target)).unwrap();
        let stored = run(Engine::Stored);
        for interval in [1, 7, 59, 60, 61, usize::MAX] {
            let again = run(Engine::Checkpointed(interval));
            assert_eq!(again, stored, "every {interval}, {precision:?}");
        }
    }
}
