//! Bent strokes and tools against an implementation of its own, `tests/oracle/steps.py`: hard
//! renders, relaxed ones, and all derivatives.

use crate::adjoint::{
    Engine, Gradient, Precision, Relaxation, Scene, gradient_of, mean_squared_error,
};
use crate::chain::Chain;
use crate::image::{Image, Region, View};
use crate::numbers::vec2;
use crate::program::Colour;
use crate::render::naive;
use crate::stroke::{Operator, Shape, ShapeGrad};
use crate::tool::{Pass, Tool, ToolKind};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    size: (u32, u32),
    tau: f64,
    tau_min: f64,
    program: Numbers,
    target: Vec<Colour>,
    hard: Vec<Colour>,
    soft: Vec<Colour>,
    loss: f64,
    gradient: Numbers,
    /// The tools, and how many strokes there are before each.
    kinds: Vec<String>,
    after: Vec<usize>,
}

/// A program, or derivatives with respect to one.
#[derive(Deserialize)]
struct Numbers {
    background: Colour,
    strokes: Vec<StrokeNumbers>,
    tools: Vec<Vec<f64>>,
}

#[derive(Deserialize)]
struct StrokeNumbers {
    anchor: [f64; 2],
    offset: [f64; 2],
    half_width: f64,
    bend: f64,
    colour: Colour,
}

impl Numbers {
    fn colours(&self) -> Vec<Colour> {
        self.strokes.iter().map(|s| s.colour).collect()
    }

    fn shapes(&self) -> Vec<Shape> {
        let pair = |[x, y]: [f64; 2]| vec2(x, y);
        let shape = |s: &StrokeNumbers| {
            Shape::line(pair(s.anchor), pair(s.offset), s.half_width).with_bend(s.bend)
        };
        self.strokes.iter().map(shape).collect()
    }

    fn as_gradient(&self) -> Gradient {
        let shape = |Shape { anchor, offset, half_width, bend }: Shape| ShapeGrad {
            anchor,
            offset,
            half_width,
            bend,
        };
        Gradient {
            tools: self.tools.clone(),
            shapes: self.shapes().into_iter().map(shape).collect(),
            colours: self.colours(),
            background: self.background,
        }
    }
}

impl Case {
    fn view(&self) -> View {
        let (width, height) = self.size;
        let region =
            Region { x: 0.0, y: 0.0, width: 1.0, height: f64::from(height) / f64::from(width) };
        View::new(region, Some(width), Some(height)).unwrap()
    }

    fn passes(&self) -> Vec<Pass> {
        let tools = self.kinds.iter().zip(&self.after).zip(&self.program.tools);
        tools
            .map(|((kind, after), numbers)| Pass { after: *after, tool: tool(kind, numbers) })
            .collect()
    }

    fn scene(&self) -> Scene {
        let relaxation = Relaxation { tau: self.tau, tau_min: self.tau_min };
        let Numbers { background, .. } = self.program;
        let (shapes, colours) = (self.program.shapes(), self.program.colours());
        Scene::new(shapes, colours, background, Operator::Capsule, relaxation, self.view())
            .unwrap()
            .with_bends(true)
            .with_tools(self.passes())
            .unwrap()
    }
}

/// A tool by its numbers in order.
fn tool(kind: &str, numbers: &[f64]) -> Tool {
    let kind = ToolKind::named(kind).unwrap();
    let mut at = 0;
    let named = kind.fields().iter().map(|field| {
        at += field.numbers();
        (field.name, &numbers[at - field.numbers()..at])
    });
    Tool::new(kind, named).unwrap()
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("../../../tests/oracle/steps.json")).unwrap()
}

#[track_caller]
fn assert_near(got: &[Colour], expected: &[Colour], tolerance: f64) {
    assert_eq!(got.len(), expected.len());
    let off = got.as_flattened().iter().zip(expected.as_flattened()).map(|(a, b)| (a - b).abs());
    let worst = off.fold(0.0, f64::max);
    assert!(worst <= tolerance, "off by {worst:e}");
}

#[test]
fn relaxed_renders_and_gradients_agree_with_the_oracle() {
    for case in cases() {
        let (scene, exact) = (case.scene(), case.gradient.as_gradient());
        let target = Image::new(case.size, case.target.clone()).unwrap();
        let run = |engine, precision| {
            gradient_of(&scene, engine, precision, &mean_squared_error(&target)).unwrap()
        };
        let stored = run(Engine::Stored, Precision::Double);
        assert_near(stored.image.pixels(), &case.soft, 1e-12);
        assert!((stored.loss - case.loss).abs() < 1e-13);
        for engine in [Engine::Stored, Engine::Checkpointed(4), Engine::Replay(Some(8))] {
            let (error, _) = run(engine, Precision::Double).gradient.error_and_cosine(&exact);
            assert!(error < 1e-9, "{engine:?}: {error:e}");
        }
        let tiled = run(Engine::Tiled, Precision::Single);
        assert_near(tiled.image.pixels(), &case.soft, 5e-4);
        let (error, cosine) = tiled.gradient.error_and_cosine(&exact);
        assert!(error < 5e-5, "tiled: {error:e}, {cosine}");
    }
}

#[test]
fn hard_renders_agree_with_the_oracle() {
    for case in cases() {
        let chain = Chain::new(Operator::Capsule, &case.program.shapes(), &case.passes());
        let colours = case.program.colours();
        let colour = |owner: u32| match owner {
            0 => case.program.background,
            stroke => colours[stroke as usize - 1],
        };
        let owners = naive::owners(&chain, &case.view());
        let got: Vec<Colour> = owners.into_iter().map(colour).collect();
        assert_near(&got, &case.hard, 1e-9);
    }
}
