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

#[test]
fn the_tiled_engine_agrees_with_the_oracle() {
    for (i, case) in oracle().iter().enumerate() {
        for precision in [Precision::Double, Precision::Single] {
            let loss = mean_squared_error(&case.target);
            let outcome = gradient(&case.scene(), Engine::Tiled, precision, loss).unwrap();
            let image = outcome.image.iter().flatten().zip(case.image.iter().flatten());
            let worst = image.map(|(g, e)| (g - e).abs()).fold(0.0, f64::max);
            let (error, cosine) = outcome.gradient.error_and_cosine(&case.exact());
            println!(
                "case {i} {precision:?}: image {worst:e}, gradient {error:e}, cosine {cosine}"
            );
        }
    }
}
