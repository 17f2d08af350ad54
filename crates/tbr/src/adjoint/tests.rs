//! Every engine against the oracle and against one another.

use super::*;
use crate::render::{Region, View};
use crate::stroke::{Shape, ShapeGrad};
use crate::vec2::vec2;
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
        let shape = |s: &OracleStroke| Shape {
            anchor: vec2(s.a[0], s.a[1]),
            offset: vec2(s.d[0], s.d[1]),
            half_width: s.r,
        };
        let height = f64::from(self.height) / f64::from(self.width);
        let region = Region { x: 0.0, y: 0.0, width: 1.0, height };
        Scene {
            shapes: self.strokes.iter().map(shape).collect(),
            colours: self.strokes.iter().map(|s| s.c).collect(),
            background: self.background,
            operator: if self.transport { Operator::Capsule } else { Operator::Inert },
            relaxation: Relaxation { tau: self.tau, tau_min: self.tau_min },
            view: View::new(region, Some(self.width), Some(self.height)).unwrap(),
        }
    }

    fn exact(&self) -> Gradient {
        let pair = |p: [f64; 2]| vec2(p[0], p[1]);
        let shape = |i: usize| ShapeGrad {
            anchor: pair(self.grad.a[i]),
            offset: pair(self.grad.d[i]),
            half_width: self.grad.r[i],
        };
        Gradient {
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
            let loss = mean_squared_error(&case.target);
            let outcome = gradient(&case.scene(), engine, Precision::Double, loss).unwrap();
            for (got, expected) in outcome.image.iter().flatten().zip(case.image.iter().flatten()) {
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
            let loss = mean_squared_error(&case.target);
            let outcome = gradient(&case.scene(), Engine::Tiled, precision, loss).unwrap();
            let image = outcome.image.iter().flatten().zip(case.image.iter().flatten());
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
    target: Vec<Colour>,
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
        let shape =
            |i: usize| Shape { anchor: anchors[i], offset: offsets[i], half_width: widths[i] };
        let d_shape = |i: usize| ShapeGrad { anchor: d_a[i], offset: d_d[i], half_width: d_r[i] };
        let region = Region { x: 0.0, y: 0.0, width: 1.0, height: 1.0 };
        Self {
            scene: Scene {
                shapes: (0..N).map(shape).collect(),
                colours,
                background: background[0],
                operator: Operator::Capsule,
                relaxation: Relaxation { tau, tau_min },
                view: View::new(region, Some(40), None).unwrap(),
            },
            target,
            exact: Gradient {
                shapes: (0..N).map(d_shape).collect(),
                colours: d_c,
                background: [0.0; 3],
            },
        }
    }

    /// Relative error of an engine's gradient. (The oracle has none for the background.)
    fn error(&self, engine: Engine, precision: Precision) -> f64 {
        let loss = mean_squared_error(&self.target);
        let outcome = gradient(&self.scene, engine, precision, loss).unwrap();
        let ours = Gradient { background: [0.0; 3], ..outcome.gradient };
        ours.error_and_cosine(&self.exact).0
    }
}

/// In float64 the definition is the oracle's. In float32 the chain itself loses
/// more than it should, whatever the engine: the aim is 2e-3 and 1e-2, and these
/// bounds only keep it from getting worse until then.
#[test]
fn two_thousand_strokes_agree_with_the_oracle() {
    let early = LongChain::read(include_bytes!("../../tests/oracle/long_chain_early.f64"));
    let late = LongChain::read(include_bytes!("../../tests/oracle/long_chain_late.f64"));
    for (name, chain, single) in [("early", &early, 1.2e-2), ("late", &late, 5e-2)] {
        let exact = chain.error(Engine::Stored, Precision::Double);
        assert!(exact < 1e-6, "{name}: stored, float64: {exact:e}");
        for engine in [Engine::Stored, Engine::Tiled] {
            let error = chain.error(engine, Precision::Single);
            assert!(error < single, "{name}: {engine:?}, float32: {error:e}");
        }
    }
}

#[test]
fn one_thread_and_many_give_the_same_gradient() {
    let case = &oracle()[10];
    let outcomes: Vec<Outcome> = [1, 3]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut scene = case.scene();
            scene.view = View::new(scene.view.region, Some(300), None).unwrap();
            let loss = |_: usize, colour: Colour| (colour[0], [1.0, 0.0, 0.0]);
            pool.install(|| gradient(&scene, Engine::Tiled, Precision::Single, loss).unwrap())
        })
        .collect();
    assert_eq!(outcomes[0], outcomes[1]);
}
