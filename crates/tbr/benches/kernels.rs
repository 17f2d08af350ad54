//! Instructions that the hot kernels take, counted by valgrind: a busy machine
//! does not disturb them.
//!
//! ```text
//! crates/tbr/benches/compare
//! ```
//!
//! runs this and sets the counts against `instructions.txt`. Valgrind knows no
//! AVX-512, so what is counted is the code for AVX2 at best.

#![expect(missing_docs, unused_qualifications, reason = "gungraun's macros make such items")]

use gungraun::{library_benchmark, library_benchmark_group, main};
use rayon::ThreadPoolBuilder;
use std::hint::black_box;
use tbr::adjoint::{
    Engine, Outcome, Precision, Relaxation, Scene, gradient_of, mean_squared_error,
};
use tbr::prior;
use tbr::program::{Colour, Program};
use tbr::render::{Replay, ReplayOptions};
use tbr::stroke::{Capsule, Frame, FrameGrad, Transport};
use tbr::{Image, Region, Vec2, View, vec2};

const STROKES: usize = 300;
/// Points that the map of a stroke, and its adjoint, are evaluated at.
const POINTS: usize = 1000;
/// Least rim width: what `tbr gradient` takes for 1024 pixels. With 0.7 of the
/// large pixels here, most rims would be of that width, whatever tau is.
const TAU_MIN: f64 = 0.7 / 1024.0;
const GREY: Colour = [0.5; 3];

/// Valgrind counts where the benchmark was entered, in that thread alone, so
/// that thread is the pool. (Every benchmark has a process of its own.)
fn stay_in_this_thread() {
    let pool = ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global().expect("no pool has been built before");
}

fn program() -> Program {
    prior::program(STROKES, 1.0, 1).expect("the prior's programs are valid")
}

fn view(program: &Program, side_px: u32) -> View {
    let region = Region::canvas(program);
    View::new(region, Some(side_px), Some(side_px)).expect("the canvas is square")
}

/// What a gradient needs.
struct Fit {
    scene: Scene,
    engine: Engine,
    target: Image,
}

fn fit(engine: Engine, side_px: u32, tau: f64) -> Fit {
    stay_in_this_thread();
    let program = program();
    let relaxation = Relaxation { tau, tau_min: TAU_MIN };
    let view = view(&program, side_px);
    let scene = Scene::of(&program, view, relaxation).expect("capsules have an adjoint");
    let grey = vec![GREY; scene.pixels()];
    let target = Image::new(view.size(), grey).expect("as many pixels as the view has");
    Fit { scene, engine, target }
}

#[library_benchmark(setup = fit)]
#[bench::tiled_soft(Engine::Tiled, 64, 0.35)]
#[bench::tiled_sharp(Engine::Tiled, 64, 0.05)]
#[bench::checkpointed(Engine::Checkpointed(Engine::CHECKPOINT_INTERVAL), 32, 0.35)]
#[bench::replay(Engine::Replay(Some(Engine::REPLAY_INTERVAL)), 32, 0.35)]
fn relaxed_gradient(fit: Fit) -> Outcome {
    let loss = mean_squared_error(&fit.target);
    gradient_of(&fit.scene, fit.engine, Precision::Single, &loss).expect("capsules have an adjoint")
}

fn picture(side_px: u32) -> (Program, View) {
    stay_in_this_thread();
    let program = program();
    let view = view(&program, side_px);
    (program, view)
}

#[library_benchmark(setup = picture)]
#[bench::tree(256)]
fn hard_render((program, view): (Program, View)) -> Vec<u32> {
    let replay =
        Replay::new(&program, view, &ReplayOptions::default()).expect("the options are valid");
    replay.owners(0..replay.strips())
}

/// Points all over the canvas, each with one of the program's strokes.
fn pairs(count: usize) -> Vec<(Frame<f64>, Vec2<f64>)> {
    const SIDE: usize = 32;
    let at = |k: usize| (k as f64 + 0.5) / SIDE as f64;
    let points = (0..count).map(|k| vec2(at(k % SIDE), at(k / SIDE % SIDE)));
    let program = program();
    let frames = program.strokes().iter().map(|s| Frame::of(&s.shape)).cycle();
    frames.zip(points).collect()
}

#[library_benchmark(setup = pairs)]
#[bench::psi(POINTS)]
fn capsule(pairs: Vec<(Frame<f64>, Vec2<f64>)>) -> Vec2<f64> {
    let images = pairs.iter().map(|(frame, x)| Capsule::psi(frame, *x));
    images.fold(vec2(0.0, 0.0), |sum, image| sum + image)
}

#[library_benchmark(setup = pairs)]
#[bench::psi_vjp(POINTS)]
fn capsule_adjoint(pairs: Vec<(Frame<f64>, Vec2<f64>)>) -> (Vec2<f64>, FrameGrad<f64>) {
    let d_out = black_box(vec2(1.0, -1.0));
    let parts = pairs.iter().map(|(frame, x)| Capsule::psi_vjp(frame, *x, d_out));
    let zero = (vec2(0.0, 0.0), FrameGrad::zero(0.0));
    parts.fold(zero, |(d_x, grad), part| (d_x + part.0, grad + part.1))
}

library_benchmark_group!(
    name = kernels,
    benchmarks = [relaxed_gradient, hard_render, capsule, capsule_adjoint]
);

main!(library_benchmark_groups = kernels);
