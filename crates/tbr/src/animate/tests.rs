//! Films begin bare, end with the program, and do not jump.

use super::*;
use crate::numbers::vec2;
use crate::prior;
use crate::program::Stroke;
use crate::render::render;

fn film(program: &Program, frames: usize, growth: Option<f64>) -> Film<'_> {
    Film::laying(program, FilmOptions { frames, growth, ..FilmOptions::default() }).unwrap()
}

#[test]
fn a_film_begins_bare_and_ends_with_the_program() {
    let program = prior::program(30, 0.8, 2).unwrap();
    for growth in [None, Some(1.0), Some(12.5), Some(59.0 / 6.0)] {
        for easing in Easing::ALL {
            let options = FilmOptions { frames: 11, easing, growth };
            let film = Film::laying(&program, options).unwrap();
            assert!(film.program(0).unwrap().strokes().is_empty());
            assert_eq!(film.program(10).unwrap(), program);
            let half = film.program(5).unwrap().deposited_area();
            assert!(half > 0.0 && half < program.deposited_area());
        }
    }
    assert_eq!(film(&program, 1, None).program(0).unwrap(), program);
}

#[test]
fn a_growing_deposit_has_its_share_of_the_area() {
    let program = prior::program(4, 1.0, 6).unwrap();
    for stroke in program.strokes() {
        for share in [0.001, 0.25, 0.7] {
            let part = stroke.with_share(share).unwrap().shape;
            assert!((part.area() / stroke.shape.area() - share).abs() < 1e-12);
            assert_eq!((part.anchor, part.offset), (stroke.shape.anchor, stroke.shape.offset));
        }
        assert_eq!(stroke.with_share(0.0), None);
    }
}

/// A growing deposit keeps its bend, and a morph goes from one bend to the other.
#[test]
fn films_keep_and_mix_bends() {
    let program = prior::bent_program(12, 1.0, 6).unwrap();
    let half = film(&program, 11, Some(12.0)).program(5).unwrap();
    assert!(half.deposited_area() < program.deposited_area());
    for (grown, whole) in half.strokes().iter().zip(program.strokes()) {
        assert_eq!(grown.shape.bend, whole.shape.bend);
    }

    let mut parts = program.clone().into_parts();
    for Stroke { shape, .. } in &mut parts.strokes {
        *shape = shape.reversed().with_bend(-shape.bend - 0.5);
    }
    let to = Program::new(parts).unwrap();
    let middle = Film::morph(&program, &to, FilmOptions::default()).unwrap().at(0.5).unwrap();
    for (a, b) in program.strokes().iter().zip(middle.strokes()) {
        // (A drop has no end that it could be drawn from.)
        let end = (a.shape.bend + 0.5) * if a.shape.length() > 0.0 { 1.0 } else { -1.0 };
        assert!((b.shape.bend - 0.5 * (a.shape.bend + end)).abs() < 1e-12);
    }
}

/// Largest mean difference of one frame from the next.
fn largest_jump(film: &Film) -> f64 {
    let picture = |k| {
        let program = film.program(k).unwrap();
        render(&program, 128).unwrap().into_pixels()
    };
    let mut before = picture(0);
    let mut largest = 0.0f64;
    for k in 1..film.frames() {
        let after = picture(k);
        let sum: f64 = before
            .iter()
            .zip(&after)
            .map(|(a, b)| (0..3).map(|c| (a[c] - b[c]).abs()).sum::<f64>() / 3.0)
            .sum();
        largest = largest.max(sum / after.len() as f64);
        before = after;
    }
    largest
}

/// Twelve large strokes in 240 frames: laid at once each is a jump, grown none is, and
/// twice the frames halve the largest difference: it is motion.
#[test]
fn growth_has_no_jumps() {
    let program = prior::program(12, 1.0, 9).unwrap();
    let at_once = largest_jump(&film(&program, 240, None));
    let grown = largest_jump(&film(&program, 240, Some(1.0)));
    let finer = largest_jump(&film(&program, 480, Some(1.0)));
    let together = largest_jump(&film(&program, 240, Some(6.0)));
    let all = format!("{at_once} at once, {grown} grown, {finer} finer, {together} together");
    assert!(at_once > 0.01, "{all}");
    assert!(grown < 0.25 * at_once && together < 0.25 * at_once, "{all}");
    assert!(finer < 0.65 * grown, "{all}");
}

#[test]
fn a_morph_goes_from_one_to_the_other_the_short_way() {
    let from = prior::program(20, 1.0, 3).unwrap();
    let mut parts = from.clone().into_parts();
    for stroke in &mut parts.strokes {
        // The same segment from its other end, moved and wider.
        stroke.shape = stroke.shape.reversed();
        stroke.shape.anchor = stroke.shape.anchor + vec2(0.1, 0.0);
        stroke.shape.half_width *= 1.5;
        stroke.paint = Paint::Own([0.0; 3]);
    }
    let to = Program::new(parts).unwrap();
    let options = FilmOptions { frames: 5, ..FilmOptions::default() };
    let film = Film::morph(&from, &to, options).unwrap();
    assert_eq!(film.program(0).unwrap(), from);
    let middle = film.program(2).unwrap();
    for (a, b) in from.strokes().iter().zip(middle.strokes()) {
        assert!((b.shape.anchor - a.shape.anchor - vec2(0.05, 0.0)).norm() < 1e-12);
        assert!((b.shape.offset - a.shape.offset).norm() < 1e-12);
        assert!((b.shape.half_width / a.shape.half_width - 1.25).abs() < 1e-12);
        let half = from.colour(a.paint).map(|v| 0.5 * v);
        assert_eq!(middle.colour(b.paint), half);
    }
    let end = film.program(4).unwrap();
    assert_eq!(end.deposited_area(), to.deposited_area());

    let other = prior::program(19, 1.0, 3).unwrap();
    assert!(Film::morph(&from, &other, options).is_err());
    assert!(Film::morph(&from, &prior::program(20, 0.9, 3).unwrap(), options).is_err());
}

#[test]
fn films_that_cannot_be_are_refused() {
    let program = prior::program(3, 1.0, 1).unwrap();
    for (frames, growth) in
        [(0, None), (MAX_FRAMES + 1, None), (10, Some(0.5)), (10, Some(f64::NAN))]
    {
        let options = FilmOptions { frames, growth, ..FilmOptions::default() };
        assert!(Film::laying(&program, options).is_err());
    }
}
