//! Laws of edits: whatever is asked of whatever program, the answer is a valid program or
//! an error; and edits that undo each other do.

use crate::cases;
use crate::programs::{any_colour, any_coordinate, any_half_width, any_program};
use proptest::prelude::*;
use tbr::edit::{self, Change, Choice, Selection};
use tbr::program::{Paint, Program, Stroke};
use tbr::render::{Region, Replay, ReplayOptions, View};
use tbr::stroke::{Frame, Operator, Shape};
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
    (0..20usize, [0..12usize, 0..12], point(), point(), any_half_width(), any_colour(), 1..4usize)
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
    let shape = Shape::line(r.point, r.other, r.half_width).with_bend(r.colour[0]);
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
        18 => edit::set(program, &choice, Change::Bend(r.point.y)),
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
            shape: Shape::line(request.point, request.other, request.half_width)
                .with_bend(2.0 * request.colour[1]),
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
            "region", "0,0,1,1", "pixels", "length", "half-width", "bend", "0..", "not", "and", "or", "(",
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

/// What is moved, turned, scaled or seen in another frame is the same stroke there, bend and
/// all: points that go with it keep their places about its skeleton.
#[test]
fn edits_carry_bent_strokes_as_they_are() {
    type Edit = fn(&Program) -> tbr::Result<Program>;
    type Motion = fn(Vec2<f64>) -> Vec2<f64>;
    const ABOUT: Vec2<f64> = Vec2 { x: 0.2, y: 0.1 };
    let edits: [(&str, Edit, Motion, f64); 4] = [
        (
            "translate",
            |p| edit::translate(p, &Choice::all(p), vec2(0.3, -0.2)),
            |x| x + vec2(0.3, -0.2),
            1.0,
        ),
        (
            "rotate",
            |p| edit::rotate(p, &Choice::all(p), 90.0, ABOUT),
            |x| ABOUT + vec2(ABOUT.y - x.y, x.x - ABOUT.x),
            1.0,
        ),
        (
            "scale",
            |p| edit::scale(p, &Choice::all(p), 2.5, ABOUT),
            |x| ABOUT + (x - ABOUT) * 2.5,
            2.5,
        ),
        (
            "reframe",
            |p| edit::reframe(p, Region { x: 0.25, y: -0.5, width: 0.5, height: 2.0 }),
            |x| (x - vec2(0.25, -0.5)) * 2.0,
            2.0,
        ),
    ];
    let program = prior::bent_program(20, 0.7, 3).unwrap();
    for (name, change, motion, size) in edits {
        let edited = change(&program).unwrap();
        // (A drop has no direction to be turned.)
        let pairs = program.strokes().iter().zip(edited.strokes());
        for (before, after) in pairs.filter(|(stroke, _)| stroke.shape.length() > 0.0) {
            let [old, new] = [before, after].map(|stroke| Frame::of(&stroke.shape));
            for k in 0..20 {
                let x = vec2(0.3 * f64::from(k % 5) - 0.2, 0.3 * f64::from(k / 5) - 0.2);
                let (a, b) = (old.into_straight(x) * size, new.into_straight(motion(x)));
                assert!((a - b).norm() < 1e-12, "{name}: {a:?} {b:?}");
            }
        }
    }
}

/// Copies and joined programs have the bends of what they are made of.
#[test]
fn copies_keep_their_bends() {
    let [first, second] = [5, 6].map(|seed| prior::bent_program(9, 0.7, seed).unwrap());
    let bends =
        |p: &Program| p.strokes().iter().map(|stroke| stroke.shape.bend).collect::<Vec<_>>();
    let joined = bends(&edit::concat(&first, &second).unwrap());
    assert_eq!(joined, [bends(&first), bends(&second)].concat());
    let twice = bends(&edit::duplicate(&first, &Choice::all(&first)).unwrap());
    assert_eq!(twice, bends(&first).into_iter().flat_map(|b| [b, b]).collect::<Vec<_>>());
    let set = edit::set(&first, &Choice::all(&first), Change::Length(0.3)).unwrap();
    assert_eq!(bends(&set), bends(&first));
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
