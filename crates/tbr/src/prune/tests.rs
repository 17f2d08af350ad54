//! Laws of pruning.

use super::*;
use crate::edit;
use crate::image::{Region, View};
use crate::prior;
use crate::render::render_view;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn pruned(program: &Program, picture: Option<&Target>, goal: Goal) -> Prune {
    let mut prune = Prune::new(program.clone(), picture, goal).unwrap();
    while !prune.is_done() {
        prune.round().unwrap();
    }
    prune
}

#[test]
fn an_error_is_kept_and_strokes_go() {
    let program = prior::program(120, 1.0, 3).unwrap();
    let prune = pruned(&program, None, Goal::Error(0.01));
    let left = prune.program().strokes().len();
    assert!(prune.error().unwrap() <= 0.01);
    assert!(left < 110, "{left} of 120 strokes are left");
}

#[test]
fn a_count_is_met_and_a_picture_steers() {
    let program = prior::program(60, 0.5, 4).unwrap();
    let view = View::new(Region::canvas(&program), Some(200), None).unwrap();
    let target = Target::new(render_view(&program, view).unwrap(), None).unwrap();
    let prune = pruned(&program, Some(&target), Goal::Strokes(41));
    assert_eq!(prune.program().strokes().len(), 41);
    // The latest strokes are all seen: taking those would do more harm.
    let tail = take_out(&program, &(41..60).collect::<Vec<_>>()).unwrap();
    assert!(prune.error().unwrap() < prune.whole.error(&tail, &Stop::never()).unwrap());
}

/// Earlier paint stays where it is when a stroke far from it goes, which it would not
/// if the stroke were only deleted.
#[test]
fn what_a_stroke_pushed_stays() {
    let mut parts = prior::program(40, 1.0, 8).unwrap().into_parts();
    parts.strokes.truncate(30);
    parts.strokes[29].shape =
        Shape::line(crate::numbers::vec2(1.3, 0.5), crate::numbers::vec2(0.0, 0.1), 0.15);
    let program = Program::new(parts).unwrap();
    let yardstick = Yardstick::new(&program, None, 256).unwrap();
    let taken = yardstick.error(&take_out(&program, &[29]).unwrap(), &Stop::never()).unwrap();
    let all = edit::Choice::of(&program, |i| i == 29);
    let deleted = yardstick.error(&edit::delete(&program, &all).unwrap(), &Stop::never()).unwrap();
    assert!(taken < 0.25 * deleted, "{taken} changed, {deleted} if it were deleted");
    for (a, b) in program.strokes().iter().zip(take_out(&program, &[29]).unwrap().strokes()) {
        assert!((a.shape.area() / b.shape.area() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn goals_that_cannot_be_are_refused() {
    let program = prior::program(5, 1.0, 1).unwrap();
    assert!(Prune::new(program.clone(), None, Goal::Strokes(6)).is_err());
    assert!(Prune::new(program.clone(), None, Goal::Error(f64::NAN)).is_err());
    assert_eq!(pruned(&program, None, Goal::Strokes(5)).program(), &program);
    assert!(pruned(&program, None, Goal::Strokes(0)).program().strokes().is_empty());
    // Everything may go.
    assert!(pruned(&program, None, Goal::Error(1.0)).program().strokes().is_empty());
}

#[test]
fn after_the_end_a_round_takes_nothing() {
    let program = prior::program(5, 1.0, 1).unwrap();
    for goal in [Goal::Strokes(3), Goal::Strokes(5), Goal::Error(0.01)] {
        let mut prune = pruned(&program, None, goal);
        let left = prune.program().clone();
        assert_eq!(prune.round().unwrap(), 0, "{goal:?}");
        assert!(prune.is_done() && prune.program() == &left, "{goal:?}");
    }
}

/// A step is a part of a round, and rounds made of steps are the same; the work that is done
/// never shrinks.
#[test]
fn progress_grows_step_by_step_to_the_end() {
    let program = prior::program(60, 1.0, 3).unwrap();
    for goal in [Goal::Error(0.01), Goal::Strokes(30)] {
        let mut prune = Prune::new(program.clone(), None, goal).unwrap();
        let (mut steps, mut before) = (0, prune.progress());
        while !prune.is_done() {
            prune.step().unwrap();
            assert!((before..=1.0).contains(&prune.progress()), "{before} {}", prune.progress());
            before = prune.progress();
            steps += 1;
        }
        assert!(steps > 12, "{steps}");
        assert_eq!(before, 1.0);
        assert_eq!(prune.program(), pruned(&program, None, goal).program());
    }
}

/// A tall canvas takes no more pixels than one that is four times as high as wide.
#[test]
fn tall_canvases_are_judged_in_larger_pixels() {
    for (height, width) in [(1.0, 1024), (4.0, 1024), (40.0, 323), (900.0, 68), (1000.0, 64)] {
        let program = prior::program(3, height, 1).unwrap();
        assert_eq!(width_px(&program).unwrap(), width, "{height}");
    }
    let program = prior::program(5, 900.0, 1).unwrap();
    let prune = pruned(&program, None, Goal::Strokes(2));
    assert_eq!(prune.program().strokes().len(), 2);
}

#[test]
fn a_round_that_is_stopped_leaves_the_program_of_the_round_before() {
    let program = prior::program(60, 1.0, 3).unwrap();
    for asks in [0, 20, 200, 500] {
        let asked = Arc::new(AtomicUsize::new(0));
        let stop = Stop::when(move || asked.fetch_add(1, Ordering::SeqCst) >= asks);
        let prune = Prune::new(program.clone(), None, Goal::Error(0.01)).unwrap();
        let mut prune = prune.with_stop(stop);
        let mut before = program.clone();
        while let Ok(gone) = prune.round() {
            assert_eq!(before.strokes().len() - gone, prune.program().strokes().len());
            before = prune.program().clone();
            assert!(!prune.is_done(), "{asks} asks are too many to stop it");
        }
        assert!(matches!(prune.step(), Err(Error::Stopped)));
        assert_eq!(prune.program(), &before);
        assert!(prune.error().unwrap() <= 0.01);
    }
}
