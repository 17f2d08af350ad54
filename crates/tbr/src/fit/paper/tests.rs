//! Laws of the paper's solver, on a small picture.

mod features;

use super::parameters::Decoded;
use super::*;
use crate::adjoint::Relaxation;
use crate::fit::revision::KNOWN_FIGURES;
use crate::fit::tests::checkpoints::{assert_sound, assert_whole};
use crate::fit::tests::{assert_known, picture};
use crate::fit::{Distance, Fit};
use crate::image::Region;
use crate::numbers::vec2;
use crate::prior;
use crate::program::Program;
use crate::stroke::{Operator, Shape, ShapeGrad};

const STROKES: usize = 60;

/// The paper's settings for a few strokes and steps.
fn options(own: PaperOptions) -> fit::Options {
    let solver = Solver::Paper(own);
    let mut options =
        fit::Options { strokes: STROKES, judge_every: 4, solver, ..fit::Options::paper() };
    options.share_out(10);
    options
}

fn run(options: fit::Options) -> (Vec<f64>, Program) {
    let mut fit = Fit::new(picture(), options).unwrap();
    let mut losses = Vec::new();
    while !fit.is_done() {
        losses.push(fit.step().unwrap().loss);
    }
    (losses, fit.program().unwrap())
}

fn inks() -> Inks {
    Inks { colours: vec![[0.9, 0.5, 0.2], [0.2, 0.3, 0.7], [0.8, 0.8, 0.6]], fixed: false }
}

fn parameters() -> Vec<(Parameters, bool)> {
    let kind = ProgramKind { strokes: 4, drops: false };
    let of = |kind, own| Parameters::new(&picture(), kind, &inks(), &own);
    vec![
        (of(kind, PaperOptions::default()), false),
        (of(kind, PaperOptions { free_width: true, ..PaperOptions::default() }), false),
        (of(kind, PaperOptions { contain: true, ..PaperOptions::default() }), false),
        (of(ProgramKind { drops: true, ..kind }, PaperOptions::default()), true),
    ]
}

/// Numbers of no special kind.
fn numbers(count: usize) -> Vec<f64> {
    (0..count).map(|k| libm::sin(1.7 * k as f64 + 0.3)).collect()
}

#[test]
fn numbers_and_programs_say_the_same() {
    for (parameters, drops) in parameters() {
        let numbers = numbers(parameters.count());
        let decoded = parameters.decode(&numbers, 1.0);
        let weights: Vec<f64> =
            numbers.chunks_exact(8).take(4).flat_map(|own| own[5..].to_vec()).collect();
        let again = parameters.encode(&decoded.shapes, &weights, &decoded.palette);
        for (k, (a, b)) in numbers.iter().zip(&again).enumerate() {
            let of_drop = drops && k < 32 && (k % 8 == 3 || k % 8 == 4);
            assert!(of_drop || (a - b).abs() < 1e-9, "number {k}: {a} and {b}");
        }
    }
}

/// A loss that weighs everything differently, so that no derivative hides.
fn some_loss(decoded: &Decoded) -> (f64, Gradient) {
    let (mut loss, mut shapes, mut colours) = (0.0, Vec::new(), Vec::new());
    for (i, (shape, colour)) in decoded.shapes.iter().zip(&decoded.colours).enumerate() {
        let w = |k: usize| libm::cos((7 * i + k) as f64);
        loss += w(0) * shape.anchor.x + w(1) * shape.anchor.y + w(2) * shape.offset.x;
        loss += w(3) * shape.offset.y + w(4) * shape.half_width;
        loss += w(5) * colour[0] + w(6) * colour[1] + w(7) * colour[2];
        shapes.push(ShapeGrad {
            anchor: vec2(w(0), w(1)),
            offset: vec2(w(2), w(3)),
            half_width: w(4),
            bend: 0.0,
        });
        colours.push([w(5), w(6), w(7)]);
    }
    (loss, Gradient { shapes, colours, background: [0.0; 3], tools: Vec::new() })
}

#[test]
fn the_adjoint_of_the_numbers_agrees_with_differences() {
    for (parameters, _) in parameters() {
        let (mut numbers, temperature, h) = (numbers(parameters.count()), 0.7, 1e-6);
        let decoded = parameters.decode(&numbers, temperature);
        let gradient = some_loss(&decoded).1;
        let d_numbers = parameters.decode_vjp(&numbers, temperature, &decoded, &gradient);
        for k in 0..numbers.len() {
            let mut at = |change: f64| {
                let number = numbers[k];
                numbers[k] = number + change;
                let loss = some_loss(&parameters.decode(&numbers, temperature)).0;
                numbers[k] = number;
                loss
            };
            let difference = (at(h) - at(-h)) / (2.0 * h);
            assert!((d_numbers[k] - difference).abs() < 1e-8, "number {k}: {d_numbers:?}");
        }
    }
}

/// Without fusing, SSE2 is off by 8e-8: wide rims share every pixel among many, so that nothing
/// depends on the last digits of one.
#[test]
fn the_first_ten_losses_are_known() {
    let losses = || run(options(PaperOptions::default())).0;
    assert_known(losses, &KNOWN_FIGURES[1], 1e-6, 1e-6);
}

#[test]
fn a_fit_goes_on_from_any_step_as_if_nothing_had_happened() {
    let options = || {
        let mut options = fit::Options { strokes: STROKES, ..fit::Options::paper_staged() };
        options.share_out(8);
        options
    };
    let whole = run(options());
    for stop in [0, 1, 4, 7] {
        let mut fit = Fit::new(picture(), options()).unwrap();
        let mut losses: Vec<f64> = (0..stop).map(|_| fit.step().unwrap().loss).collect();
        let state = serde_json::from_str(&serde_json::to_string(fit.state()).unwrap()).unwrap();
        let mut fit = Fit::resume(picture(), options(), state).unwrap();
        while !fit.is_done() {
            losses.push(fit.step().unwrap().loss);
        }
        assert_eq!((losses, fit.program().unwrap()), whole, "stopped after {stop}");
    }
}

#[test]
fn the_start_has_the_papers_area_and_beats_no_floor_but_the_fit_does() {
    let mut options = options(PaperOptions::default());
    options.share_out(120);
    let mut fit = Fit::new(picture(), options).unwrap();
    let start = fit.step().unwrap().floor_ratio;
    let area = fit.program().unwrap().deposited_area();
    // Drops of the schedule cover 4.5 canvases at 2000 strokes, in proportion here; lines more.
    let due = 4.5 * STROKES as f64 / 2000.0;
    assert!(area > due && area < 2.0 * due, "{area} canvases, drops {due}");
    while !fit.is_done() {
        fit.step().unwrap();
    }
    assert!(start < 1.5 && fit.floor_ratio() > 2.0, "{start} to {}", fit.floor_ratio());
}

#[test]
fn every_stroke_keeps_to_its_window() {
    let windowed = run(options(PaperOptions::default())).1;
    let free = run(options(PaperOptions { free_width: true, ..PaperOptions::default() })).1;
    let contained = run(options(PaperOptions { contain: true, ..PaperOptions::default() })).1;
    let scale = picture().height().sqrt();
    for (i, stroke) in windowed.strokes().iter().enumerate() {
        let due = prior::half_width(i as f64 / STROKES as f64) * scale;
        let share = stroke.shape.half_width / due;
        assert!((0.6..=1.7).contains(&share), "stroke {i}: {share}");
    }
    for stroke in free.strokes() {
        let width = stroke.shape.half_width / scale;
        assert!((0.6 * 0.005..=1.7 * 0.12).contains(&width), "{width}");
    }
    let height = picture().height();
    for Shape { anchor, offset, half_width, .. } in contained.strokes().iter().map(|s| s.shape) {
        for end in [anchor, anchor + offset] {
            let clear = |v: f64, side: f64| {
                v - half_width >= 0.1 * side - 1e-12 && v + half_width <= 0.9 * side + 1e-12
            };
            assert!(clear(end.x, 1.0) && clear(end.y, height), "{anchor:?} {offset:?}");
        }
    }
}

#[test]
fn the_papers_other_arms_run() {
    for operator in [Operator::Calibrated, Operator::Inert] {
        let (losses, _) = run(fit::Options { operator, ..options(PaperOptions::default()) });
        assert!(losses[10] < losses[1], "{operator}: {losses:?}");
    }
    let drops = run(fit::Options { drops: true, ..options(PaperOptions::default()) }).1;
    assert!(drops.strokes().iter().all(|s| s.shape.length() == 0.0));
}

#[test]
fn prices_are_paid() {
    let with = |prices: Prices| {
        let own = PaperOptions { prices, free_width: true, ..PaperOptions::default() };
        let mut options = options(own);
        options.share_out(40);
        run(options).1
    };
    let free = with(Prices { length: 0.0, ..Prices::default() });
    let length = |p: &Program| p.strokes().iter().map(|s| s.shape.length()).sum::<f64>();
    let short = with(Prices { length: 1.0, ..Prices::default() });
    assert!(length(&short) < 0.7 * length(&free), "{} {}", length(&short), length(&free));
    for prices in
        [Prices { area: 50.0, ..Prices::default() }, Prices { unseen: 50.0, ..Prices::default() }]
    {
        let (less, more) = (with(prices).deposited_area(), free.deposited_area());
        assert!(less < 0.9 * more, "{prices:?}: {less} and {more}");
    }
}

#[test]
fn an_error_that_is_enough_leaves_the_rest_to_the_prices() {
    let with = |error_target: f64| {
        let prices = Prices { unseen: 1.0, ..Prices::default() };
        let own =
            PaperOptions { prices, error_target: Some(error_target), ..PaperOptions::default() };
        let mut options = options(own);
        options.share_out(40);
        run(options).1.deposited_area()
    };
    // One is enough from the start, the other never.
    let (lax, strict) = (with(1.0), with(1e-6));
    assert!(lax < 0.97 * strict, "{lax} and {strict}");
}

#[test]
fn bad_requests_are_refused() {
    let refused = |options: fit::Options| Fit::new(picture(), options).is_err();
    assert!(refused(fit::Options { palette: Palette::Free, ..fit::Options::paper() }));
    let bad = Prices { area: f64::NAN, ..Prices::default() };
    assert!(refused(options(PaperOptions { prices: bad, ..PaperOptions::default() })));
    assert!(refused(options(PaperOptions { data_scale: Some(0.0), ..PaperOptions::default() })));
    let features = PaperOptions { objective: Objective::Features, ..PaperOptions::default() };
    let mut fit = Fit::new(picture(), options(features)).unwrap();
    fit.step().unwrap();
    let said = fit.step().unwrap_err().to_string();
    assert!(said.contains("VGG16"), "{said}");
}

/// A cheap program is the newest, not the one with the least error.
#[test]
fn prices_outlive_the_best_error() {
    let prices = Prices { area: 1e5, ..Prices::default() };
    let own = PaperOptions { prices, free_width: true, ..PaperOptions::default() };
    let mut options = options(own);
    options.share_out(60);
    let mut fit = Fit::new(picture(), options).unwrap();
    let mut most = 0.0f64;
    while !fit.is_done() {
        most = most.max(fit.step().unwrap().floor_ratio);
    }
    assert!(fit.floor_ratio() < 0.99 * most, "{most}, in the end {}", fit.floor_ratio());
}

#[test]
fn a_checkpoint_of_another_fit_is_refused() {
    let mut fit = Fit::new(picture(), options(PaperOptions::default())).unwrap();
    fit.step().unwrap();
    let state = fit.state().clone();
    let other = fit::Options { palette: Palette::Size(5), ..options(PaperOptions::default()) };
    assert!(Fit::resume(picture(), other, state.clone()).is_err());
    let ours = fit::Options { strokes: STROKES, ..fit::Options::default() };
    assert!(Fit::resume(picture(), ours, state).is_err());
}

#[test]
fn a_checkpoint_that_is_not_whole_is_refused() {
    assert_whole(&options(PaperOptions::default()), &["first", "second", "numbers", "palette"]);
}

#[test]
fn a_checkpoint_with_numbers_of_no_fit_is_refused() {
    let numbers = [
        ("steps", (-5).into()),
        ("scale", (-1.0).into()),
        ("multiplier", 1e300.into()),
        ("gap", 0.0.into()),
    ];
    assert_sound(&options(PaperOptions::default()), &numbers);
}

/// A program to start from needs the palette that strokes choose from.
#[test]
fn a_checkpoint_that_has_not_begun_and_lost_its_palette_is_refused() {
    let options = options(PaperOptions::default());
    let start = prior::program(STROKES, picture().height(), 1).unwrap();
    let fit = Fit::from_program(picture(), options.clone(), &start).unwrap();
    let mut state = serde_json::to_value(fit.state()).unwrap();
    assert!(Fit::resume(picture(), options.clone(), fit.state().clone()).is_ok());
    state["given"]["colouring"]["palette"] = serde_json::json!([]);
    let state = serde_json::from_value(state).unwrap();
    assert!(Fit::resume(picture(), options, state).is_err());
}

/// Most steps look at the pixels' centres; the last ones anywhere in the pixels, and evenly.
#[test]
fn the_last_views_fill_the_pixels() {
    let (target, options) = (picture(), fit::Options::paper());
    let steps = Fit::new(picture(), options.clone()).unwrap().steps();
    let view = target.view();
    let (mut mean, mut moved) = ([0.0f64; 2], 0.0);
    for step in 0..steps {
        let context = StepContext {
            options: &options,
            target: &target,
            order: None,
            relaxation: Relaxation { tau: 0.1, tau_min: 0.01 },
            rate: 1.0,
            step,
            steps,
            stage: 0,
            stage_share: 0.0,
            stop: &Stop::never(),
        };
        let Region { x, y, width, height } = jittered(&context).region;
        assert_eq!([width, height], [view.region.width, view.region.height]);
        let pixel = view.pixel();
        let shift = [x / pixel.x, y / pixel.y];
        assert!(shift.iter().all(|s| s.abs() <= 0.5), "step {step}: {shift:?}");
        if step * 10 < steps * 8 {
            assert_eq!(shift, [0.0; 2], "step {step}");
        } else {
            (mean, moved) = ([mean[0] + shift[0], mean[1] + shift[1]], moved + 1.0);
        }
    }
    assert!(mean.iter().all(|m| (m / moved).abs() < 0.03), "{mean:?} of {moved}");
}
