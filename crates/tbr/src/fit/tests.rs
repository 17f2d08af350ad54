//! Laws of the fit, on a small picture.

use super::*;
use crate::vec2::vec2;

/// A round sun over a sea, 96 x 64.
pub(super) fn picture() -> Target {
    let (width, height) = (96, 64);
    let colour = |pixel: u32| {
        let (x, y) = (f64::from(pixel % width) / 96.0, f64::from(pixel / width) / 96.0);
        let sun = (vec2(x, y) - vec2(0.6, 0.25)).norm() < 0.15;
        let wave = y > 0.4 + 0.05 * libm::sin(20.0 * x);
        if sun {
            [0.9, 0.6, 0.2]
        } else if wave {
            [0.1, 0.2, 0.5 - 0.3 * x]
        } else {
            [0.8, 0.9, 1.0]
        }
    };
    Target::new((width, height), (0..width * height).map(colour).collect(), None).unwrap()
}

fn options() -> Options {
    let mut options = Options { strokes: 60, judge_every: 4, ..Options::default() };
    options.share_out(10);
    options
}

fn run(mut fit: Fit) -> (Vec<f64>, Program) {
    let mut losses = Vec::new();
    while !fit.is_done() {
        losses.push(fit.step().unwrap().loss);
    }
    (losses, fit.program().unwrap())
}

#[test]
fn a_fit_gets_better_and_keeps_its_counts() {
    let mut fit = Fit::new(picture(), options()).unwrap();
    let peeled = fit.step().unwrap().floor_ratio;
    let (_, program) = run(fit);
    assert!(peeled > 10.0, "{peeled}");
    assert_eq!(program.strokes.len(), 60);
    assert!(program.deposited_area() < 1.6, "{}", program.deposited_area());
    let replay = Replay::new(&program, picture().view(), &render::Options::default()).unwrap();
    let pixels = replay.pixels(0..replay.strips());
    let error = picture().error(|k| std::array::from_fn(|c| f64::from(pixels[k][c])));
    let ratio = picture().floor() / error;
    assert!(ratio > 1.2 * peeled, "{peeled} to {ratio}");
}

/// The whole of it, to six digits: a change here is a change of every fit.
#[test]
fn the_first_ten_losses_are_known() {
    let (losses, _) = run(Fit::new(picture(), options()).unwrap());
    let known = [
        5.507400e-3,
        1.052297e-2,
        7.439415e-3,
        4.472799e-3,
        5.006217e-3,
        4.628255e-3,
        4.099009e-3,
        3.341410e-3,
        3.071284e-3,
        3.039616e-3,
    ];
    for (k, (loss, known)) in losses[1..].iter().zip(known).enumerate() {
        assert!((loss / known - 1.0).abs() < 5e-7, "step {k}: {loss:e}, all: {losses:?}");
    }
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(Fit::new(picture(), options()).unwrap()))
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn a_fit_goes_on_from_any_step_as_if_nothing_had_happened() {
    let whole = run(Fit::new(picture(), options()).unwrap());
    for stop in [0, 1, 4, 7, 10] {
        let mut fit = Fit::new(picture(), options()).unwrap();
        let mut losses: Vec<f64> = (0..stop).map(|_| fit.step().unwrap().loss).collect();
        let text = serde_json::to_string(fit.state()).unwrap();
        let state = serde_json::from_str(&text).unwrap();
        let (rest, program) = run(Fit::resume(picture(), options(), state).unwrap());
        losses.extend(rest);
        assert_eq!((losses, program), whole, "stopped after {stop}");
    }
}

#[test]
fn a_palette_is_kept_to() {
    let inks = vec![[0.9, 0.6, 0.2], [0.1, 0.2, 0.4], [0.8, 0.9, 1.0]];
    let options = Options { palette: Palette::Fixed(inks.clone()), ..options() };
    let mut fit = Fit::new(picture(), options).unwrap();
    while !fit.is_done() {
        fit.step().unwrap();
    }
    let program = fit.program().unwrap();
    assert_eq!(program.palette, inks);
    assert!(program.strokes.iter().all(|s| matches!(s.paint, crate::program::Paint::Palette(_))));
    let (ratio, ceiling) = (fit.floor_ratio(), fit.ceiling().unwrap());
    assert!(ratio > 8.0 && ratio < ceiling, "{ratio} of {ceiling}");

    let options = Options { palette: Palette::Size(4), ..self::options() };
    let (_, program) = run(Fit::new(picture(), options).unwrap());
    assert_eq!(program.palette.len(), 4);
}

#[test]
fn drops_stay_drops() {
    let options = Options { drops: true, ..options() };
    let (_, program) = run(Fit::new(picture(), options).unwrap());
    assert!(program.strokes.iter().all(|s| s.shape.length() == 0.0));
}

#[test]
fn weights_draw_strokes_to_where_they_are() {
    let (width, height) = (64, 64);
    // Stripes everywhere, but only the left half matters.
    let stripe = |pixel: u32| [f64::from(u8::from((pixel % width / 4).is_multiple_of(2))); 3];
    let weight = |pixel: u32| if pixel % width < 32 { 1.0 } else { 0.01 };
    let pixels = 0..width * height;
    let target = |weights: Option<Vec<f64>>| {
        Target::new((width, height), pixels.clone().map(stripe).collect(), weights).unwrap()
    };
    let left = |target: Target| {
        let options = Options { strokes: 40, ..options() };
        let (_, program) = run(Fit::new(target, options).unwrap());
        program.strokes.iter().filter(|s| s.shape.anchor.x < 0.5).count()
    };
    let (even, weighted) =
        (left(target(None)), left(target(Some(pixels.clone().map(weight).collect()))));
    assert!(weighted > even + 4, "{even} and {weighted} of 40 strokes on the left");
}

#[test]
fn bad_requests_are_refused() {
    let none = Options { strokes: 0, ..Options::default() };
    assert!(Fit::new(picture(), none).is_err());
    let no_ink = Options { palette: Palette::Fixed(vec![]), ..Options::default() };
    assert!(Fit::new(picture(), no_ink).is_err());
    assert!(Target::new((2, 2), vec![[0.0; 3]; 4], Some(vec![0.0; 4])).is_err());
    assert!(Target::new((2, 2), vec![[0.0; 3]; 3], None).is_err());
    let drops = Options { operator: crate::program::Operator::Drops, ..Options::default() };
    assert!(Fit::new(picture(), drops).unwrap().step().is_err());
}

#[test]
fn pictures_of_one_colour_and_odd_shapes_are_fitted() {
    for size in [(2, 2), (200, 2), (3, 90)] {
        let colours = vec![[0.3, 0.5, 0.7]; size.0 as usize * size.1 as usize];
        let target = Target::new(size, colours, None).unwrap();
        let options = Options { strokes: 5, ..options() };
        let mut fit = Fit::new(target.clone(), options.clone()).unwrap();
        assert!(!fit.step().unwrap().floor_ratio.is_nan());
        let (losses, program) = run(Fit::new(target, options).unwrap());
        assert!(losses.iter().all(|l| l.is_finite()), "{size:?}: {losses:?}");
        assert_eq!(program.strokes.len(), 5);
    }
}

#[test]
fn a_program_is_taken_up_and_gets_better() {
    let (_, first) = run(Fit::new(picture(), options()).unwrap());
    let mut fit = Fit::from_program(picture(), options(), &first).unwrap();
    let taken = fit.step().unwrap().floor_ratio;
    let (_, more) = run(fit);
    let ratio = |program: &Program| {
        let replay = Replay::new(program, picture().view(), &render::Options::default()).unwrap();
        let pixels = replay.pixels(0..replay.strips());
        let error = picture().error(|k| std::array::from_fn(|c| f64::from(pixels[k][c])));
        picture().floor() / error
    };
    assert!((taken / ratio(&first) - 1.0).abs() < 1e-3, "{taken} and {}", ratio(&first));
    assert!(ratio(&more) > 1.02 * taken, "{taken} and {}", ratio(&more));

    // With colours of a palette it keeps to them, and the paper's solver takes it up too.
    let inks = Options { palette: Palette::Size(4), ..options() };
    let (_, first) = run(Fit::new(picture(), inks.clone()).unwrap());
    let mut fit = Fit::from_program(picture(), inks, &first).unwrap();
    fit.step().unwrap();
    assert_eq!(fit.program().unwrap().strokes, first.strokes);
    let mut own = Options { strokes: 60, palette: Palette::Size(4), ..Options::paper() };
    own.share_out(2);
    let fit = Fit::from_program(picture(), own, &first).unwrap();
    assert_eq!(run(fit).1.palette.len(), 4);

    let drops = Options { drops: true, ..options() };
    let (_, dropped) = run(Fit::from_program(picture(), drops, &first).unwrap());
    assert!(dropped.strokes.iter().all(|s| s.shape.length() == 0.0));

    let fewer = Options { strokes: 59, ..options() };
    assert!(Fit::from_program(picture(), fewer, &first).is_err());
    let square = Target::new((8, 8), vec![[0.5; 3]; 64], None).unwrap();
    assert!(Fit::from_program(square, options(), &first).is_err());
}

#[test]
fn what_is_to_stay_bare_stays_bare() {
    // A disc on nothing.
    let (width, height) = (96, 64);
    let centre = vec2(48.0, 32.0);
    let inside = |k: u32| {
        (vec2(f64::from(k % width) + 0.5, f64::from(k / width) + 0.5) - centre).norm() < 24.0
    };
    let colour = |k: u32| [0.2 + 0.6 * f64::from(k % width) / 96.0, 0.4, 0.1];
    let pixels = 0..width * height;
    let target = Target::new((width, height), pixels.clone().map(colour).collect(), None).unwrap();
    let bare = Bare { pixels: pixels.clone().map(|k| !inside(k)).collect(), colour: [1.0; 3] };
    let target = target.with_bare(bare).unwrap();
    let (_, program) = run(Fit::new(target.clone(), options()).unwrap());
    assert_eq!(program.background, [1.0; 3]);
    let replay = Replay::new(&program, target.view(), &render::Options::default()).unwrap();
    let owners = replay.owners(0..replay.strips());
    let wrong = pixels.filter(|k| (owners[*k as usize] > 0) != inside(*k)).count();
    // The edge is 150 pixels long.
    assert!(wrong < 60, "{wrong} pixels painted or bare that should not be");

    let all = Bare { pixels: vec![true; 96 * 64], colour: [1.0; 3] };
    assert!(picture().with_bare(all).is_err());
    assert!(Fit::new(target, Options::paper()).is_err());
}

/// Most steps look at the pixels' centres; the last ones anywhere in the pixels, and evenly.
#[test]
fn the_last_views_fill_the_pixels() {
    let mut fit = Fit::new(picture(), Options::paper()).unwrap();
    let (view, steps) = (picture().view(), fit.steps());
    let (mut mean, mut jittered) = ([0.0; 2], 0.0);
    for step in 0..steps {
        fit.state.step = step;
        let Region { x, y, width, height } = fit.jittered(view).region;
        assert_eq!([width, height], [view.region.width, view.region.height]);
        let pixel = view.pixel();
        let shift = [x / pixel.x, y / pixel.y];
        assert!(shift.iter().all(|s| s.abs() <= 0.5), "step {step}: {shift:?}");
        if step * 10 < steps * 8 {
            assert_eq!(shift, [0.0; 2], "step {step}");
        } else {
            (mean, jittered) = ([mean[0] + shift[0], mean[1] + shift[1]], jittered + 1.0);
        }
    }
    assert!(mean.iter().all(|m| (m / jittered).abs() < 0.03), "{mean:?} of {jittered}");
}
