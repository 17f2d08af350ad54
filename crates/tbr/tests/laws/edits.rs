//! Laws of edits: whatever is asked of whatever program, the answer is a valid program or
//! an error; and edits that undo each other do.

use crate::cases;
use crate::programs::{any_colour, any_coordinate, any_half_width, any_program};
use proptest::prelude::*;
use tbr::edit::{self, Change, Choice, Selection};
use tbr::program::{Paint, Program, Stroke};
use tbr::render::{Region, Replay, ReplayOptions, View};
use tbr::stroke::Operator;
use tbr::stroke::Shape;
use tbr::{Vec2, vec2};
use tbr::{format, prior};

/// Everything that an edit may be given.
#[derive(Clone, Debug)]
struct Request {
    kind: usize,
    numbers: [usize; 2],
    point: Vec2<f64>,
    other: Vec2<f64>,
    half_width: f64,
    colour: [f64; 3],
    every: usize,
}

fn any_request() -> impl Strategy<Value = Request> {
    let point = || (any_coordinate(), any_coordinate()).prop_map(|(x, y)| vec2(x, y));
    (0..19usize, [0..12usize, 0..12], point(), point(), any_half_width(), any_colour(), 1..4usize)
        .prop_map(|(kind, numbers, point, other, half_width, colour, every)| Request {
            kind,
            numbers,
            point,
            other,
            half_width,
            colour,
            every,
        })
}

fn apply(program: &Program, r: &Request) -> tbr::Result<Program> {
    let choice = Choice::of(program, |i| i % r.every == 0);
    let (own, entry) = (Paint::Own(r.colour), Paint::Palette(r.numbers[1]));
    let region = Region { x: r.point.x, y: r.point.y, width: r.other.x, height: r.other.y };
    let shape = Shape { anchor: r.point, offset: r.other, half_width: r.half_width };
    match r.kind {
        0 => edit::insert(program, r.numbers[0], Stroke { shape, paint: own }),
        1 => edit::insert(program, r.numbers[0], Stroke { shape, paint: entry }),
        2 => edit::delete(program, &choice),
        3 => edit::move_to(program, &choice, r.numbers[0]),
        4 => edit::duplicate(program, &choice),
        5 => edit::reverse(program, &choice),
        6 => edit::translate(program, &choice, r.point),
        7 => edit::rotate(program, &choice, r.other.x, r.point),
        8 => edit::scale(program, &choice, r.other.x, r.point),
        9 => edit::set(program, &choice, Change::Anchor(r.point)),
        10 => edit::set(program, &choice, Change::Offset(r.point)),
        11 => edit::set(program, &choice, Change::Length(r.other.x)),
        12 => edit::set(program, &choice, Change::HalfWidth(r.half_width)),
        13 => edit::set(program, &choice, Change::Paint(entry)),
        14 => edit::swap_colours(program, &choice, own, entry),
        15 => edit::map_colour(program, &choice, entry, own),
        16 => edit::repaint(program, &choice, &[r.colour, [0.5; 3]]),
        17 => edit::reframe(program, region),
        _ => edit::concat(program, program),
    }
}

proptest! {
    #![proptest_config(cases(400))]

    /// What comes out can be written and read, and is the same again.
    #[test]
    fn any_edit_of_a_valid_program_is_valid(
        program in any_program(9),
        requests in prop::collection::vec(any_request(), 1..6),
    ) {
        let mut program = program;
        for request in &requests {
            if let Ok(edited) = apply(&program, request) {
                prop_assert_eq!(Program::new(edited.clone().into_parts()).unwrap(), edited.clone());
                program = edited;
            }
        }
        let text = format::write(&program);
        prop_assert_eq!(format::write(&format::parse(text.as_bytes()).unwrap()), text);
    }

    #[test]
    fn deleting_what_was_inserted_restores_every_byte(
        program in any_program(9),
        request in any_request(),
    ) {
        let stroke = Stroke {
            shape: Shape {
                anchor: request.point,
                offset: request.other,
                half_width: request.half_width,
            },
            paint: Paint::Own(request.colour),
        };
        let number = request.numbers[0] % (program.strokes().len() + 1) + 1;
        let longer = edit::insert(&program, number, stroke).unwrap();
        let inserted = Choice::of(&longer, |i| i + 1 == number);
        let again = edit::delete(&longer, &inserted).unwrap();
        prop_assert_eq!(format::write(&again), format::write(&program));
    }

    #[test]
    fn orders_can_be_undone(program in any_program(9), every in 1..4usize) {
        let choice = Choice::of(&program, |i| i % every == 0);
        let back = edit::reverse(&edit::reverse(&program, &choice).unwrap(), &choice).unwrap();
        prop_assert_eq!(&back, &program);
        let last = program.strokes().len() - choice.count() + 1;
        let moved = edit::move_to(&program, &choice, last).unwrap();
        let tail = Choice::of(&moved, |i| i + 1 >= last);
        prop_assert_eq!(tail.count(), choice.count());
        let kept = edit::delete(&moved, &tail).unwrap();
        prop_assert_eq!(kept, edit::delete(&program, &choice).unwrap());
    }

    /// Any text is a selection or an error.
    #[test]
    fn selections_are_read_or_refused(
        program in any_program(9),
        words in prop::collection::vec(prop::sample::select(vec![
            "all", "first", "last", "20%", "3", "1..2", "..", "5..", "colour", "#123456", "0",
            "region", "0,0,1,1", "pixels", "length", "half-width", "0..", "not", "and", "or", "(",
            ")", "visible", "invisible", "unseen", "NaN", "-1", "101%", "9999999999999999999999",
        ]), 0..7),
    ) {
        let program = edit::reframe(&program, Region { x: 0.0, y: 0.0, width: 1.0, height: 0.01 });
        let program = program.unwrap();
        // (The line source would take minutes to be replayed.)
        prop_assume!(program.operator() != Operator::LineSource);
        let selection = words.join(" ").parse::<Selection>();
        if let Ok(choice) = selection.and_then(|selection| selection.choose(&program)) {
            prop_assert_eq!(choice.iter().count(), program.strokes().len());
        }
    }
}

/// Recolouring changes the pixels that the strokes own, all of them and no others.
#[test]
fn recolouring_changes_exactly_the_owned_pixels() {
    for seed in 0..4 {
        let program = prior::program(200, 0.7, seed).unwrap();
        let view = View::new(Region::canvas(&program), Some(160), None).unwrap();
        let replay = |p: &Program| Replay::new(p, view, &ReplayOptions::default()).unwrap();
        let (before, owners) = {
            let replay = replay(&program);
            (replay.pixels(0..replay.strips()), replay.owners(0..replay.strips()))
        };
        for text in ["last 20%", "colour 3 or colour 4", "region 0.2,0.2,0.3,0.1", "pixels 40.."] {
            let choice = text.parse::<Selection>().unwrap().choose(&program).unwrap();
            assert!((1..200).contains(&choice.count()), "{text}: {}", choice.count());
            let change = Change::Paint(Paint::Own([0.123, 0.456, 0.789]));
            let edited = replay(&edit::set(&program, &choice, change).unwrap());
            let after = edited.pixels(0..edited.strips());
            let chosen: Vec<bool> = std::iter::once(false).chain(choice.iter()).collect();
            for ((a, b), owner) in before.iter().zip(&after).zip(&owners) {
                assert_eq!(a != b, chosen[*owner as usize], "{text}, seed {seed}");
            }
        }
    }
}
