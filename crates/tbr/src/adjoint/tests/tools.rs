//! Every engine on programs with tools.

use super::*;
use crate::prior;
use crate::tool::Pass;

fn combed_scene(strokes: usize, width: u32) -> (Scene, Image) {
    scene_of(&prior::combed_program(strokes, 0.8, 3).unwrap(), width, 0.35)
}

/// The scene with one number of one tool changed.
fn varied(scene: &Scene, tool: usize, number: usize, by: f64) -> Scene {
    let mut tools: Vec<Pass> = scene.tools().to_vec();
    let mut numbers = tools[tool].tool.numbers().to_vec();
    numbers[number] += by;
    tools[tool].tool = tools[tool].tool.with_numbers(&numbers).unwrap();
    scene.clone().with_tools(tools).unwrap()
}

fn outcome(scene: &Scene, target: &Image, engine: Engine, precision: Precision) -> Outcome {
    gradient_of(scene, engine, precision, &mean_squared_error(target)).unwrap()
}

#[test]
fn tools_are_differentiated_through_the_chain() {
    let (scene, target) = combed_scene(24, 24);
    let exact = outcome(&scene, &target, Engine::Stored, Precision::Double);
    let loss = |scene: &Scene| outcome(scene, &target, Engine::Stored, Precision::Double).loss;
    for (k, derivatives) in exact.gradient.tools.iter().enumerate() {
        assert_eq!(derivatives.len(), scene.tools()[k].tool.numbers().len());
        for (n, got) in derivatives.iter().enumerate() {
            let h = 1e-6;
            let slope =
                (loss(&varied(&scene, k, n, h)) - loss(&varied(&scene, k, n, -h))) / (2.0 * h);
            let size = derivatives.iter().fold(1e-3_f64, |a, b| a.max(b.abs()));
            let what = format!("{}, number {n}: {got} {slope}", scene.tools()[k].tool);
            assert!((got - slope).abs() <= 1e-4 * size, "{what}");
        }
    }
}

#[test]
fn all_engines_agree_on_tools() {
    let (scene, target) = combed_scene(80, 48);
    let exact = outcome(&scene, &target, Engine::Stored, Precision::Double);
    for (engine, tolerance) in [
        (Engine::Checkpointed(7), 1e-12),
        (Engine::Replay(None), 1e-6),
        (Engine::Replay(Some(9)), 1e-6),
        (Engine::Tiled, 5e-3),
    ] {
        let got = outcome(&scene, &target, engine, Precision::Double);
        let (error, cosine) = got.gradient.error_and_cosine(&exact.gradient);
        assert!(error <= tolerance, "{engine:?}: {error:e}, {cosine}");
        assert!((got.loss / exact.loss - 1.0).abs() <= 1e-3, "{engine:?}");
    }
    let single = outcome(&scene, &target, Engine::Tiled, Precision::Single);
    let (error, _) = single.gradient.error_and_cosine(&exact.gradient);
    assert!(error <= 5e-3, "float32: {error:e}");
}

/// A tool of no strength yet moves nothing, and has a derivative that says where it would go.
#[test]
fn a_tool_may_grow_from_nothing() {
    let (scene, target) = combed_scene(40, 32);
    let still: Vec<Pass> = scene
        .tools()
        .iter()
        .filter(|pass| pass.tool.number("pull").is_some())
        .map(|pass| Pass { tool: pass.tool.with("pull", &[0.0]).unwrap(), ..*pass })
        .collect();
    let count = still.len();
    let bare = scene.clone().with_tools(Vec::new()).unwrap();
    let with = scene.with_tools(still).unwrap();
    for engine in [Engine::Stored, Engine::Tiled] {
        let plain = outcome(&bare, &target, engine, Precision::Double);
        let got = outcome(&with, &target, engine, Precision::Double);
        assert!((got.loss - plain.loss).abs() < 1e-5 * plain.loss, "{engine:?}");
        assert_eq!(got.gradient.tools.len(), count);
        assert!(got.gradient.tools.iter().all(|d| d.iter().any(|v| v.abs() > 1e-6)), "{engine:?}");
    }
}
