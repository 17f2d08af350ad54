//! Laws of programs: numbers that are hard to write, to read or to render.

use crate::{cases, decades};
use proptest::prelude::*;
use tbr::format;
use tbr::info::Info;
use tbr::outline::Outlines;
use tbr::program::{Paint, Parts, Program, Provenance, Stroke};
use tbr::reel::{self, Keyframe};
use tbr::render::{Region, Replay, ReplayOptions, View};
use tbr::stroke::Operator;
use tbr::stroke::Shape;
use tbr::vec2;

/// Signed zeros, subnormals, the limits, numbers with all their digits.
const HARD: [f64; 9] =
    [0.0, -0.0, 5e-324, -2.2e-308, 1e-9, 1e3, -1e3, 0.30000000000000004, 2.0 / 3.0];

/// Coordinates that are valid, and hard to write or to render.
pub fn any_coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::sample::select(HARD.to_vec()),
        0.0..1.0,
        -1e3..=1e3,
        decades(-320.0, 3.0),
        any::<u64>()
            .prop_map(|bits| f64::from_bits(bits).clamp(-1e3, 1e3))
            .prop_filter("NaN", |v| !v.is_nan()),
    ]
}

fn any_share() -> impl Strategy<Value = f64> {
    any_coordinate().prop_map(|v| v.clamp(-0.0, 1.0))
}

pub fn any_colour() -> impl Strategy<Value = [f64; 3]> {
    [any_share(), any_share(), any_share()]
}

pub fn any_half_width() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1e-9), Just(1e3), decades(-9.0, 3.0).prop_map(|r| r.clamp(1e-9, 1e3))]
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::{Value, json};
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(|v| json!(v)),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..3).prop_map(|m| json!(m)),
        ]
    })
}

pub fn any_program(most: usize) -> impl Strategy<Value = Program> {
    let point = || (any_coordinate(), any_coordinate()).prop_map(|(x, y)| vec2(x, y));
    let bend = any_coordinate().prop_map(|v| v.clamp(-2.0, 2.0));
    let shape = (point(), point(), any_half_width(), bend).prop_map(
        |(anchor, offset, half_width, bend)| {
            Shape::line(anchor, offset, half_width).with_bend(bend)
        },
    );
    let paint =
        prop_oneof![any::<usize>().prop_map(Paint::Palette), any_colour().prop_map(Paint::Own),];
    let stroke = (shape, paint).prop_map(|(shape, paint)| Stroke { shape, paint });
    (
        decades(-3.0, 3.0).prop_map(|h| h.clamp(1e-3, 1e3)),
        any_colour(),
        prop::sample::select(Operator::ALL.to_vec()),
        prop::collection::vec(any_colour(), 1..4),
        prop::collection::vec(stroke, 0..most),
        prop::collection::btree_map(any::<String>(), any_json(), 0..3),
        any::<bool>(),
    )
        .prop_map(|(height, background, operator, palette, mut strokes, provenance, bends)| {
            for stroke in &mut strokes {
                if !bends {
                    stroke.shape.bend = 0.0;
                }
                if let Paint::Palette(index) = &mut stroke.paint {
                    *index %= palette.len();
                }
            }
            let provenance = Provenance::of(&provenance).expect("it is an object, and small");
            Program::new(Parts {
                height,
                background,
                operator,
                palette,
                strokes,
                provenance,
                ..Parts::default()
            })
            .expect("every number is within its limits")
        })
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn parse_after_write_is_the_identity(program in any_program(8)) {
        let text = format::write(&program);
        let again = format::parse(text.as_bytes()).expect("what is written can be read");
        prop_assert_eq!(&again, &program);
        // To the bit: a debug text tells -0.0 from 0.0, equality does not.
        prop_assert_eq!(format!("{again:?}"), format!("{program:?}"));
        prop_assert_eq!(format::write(&again), text);
    }
}

/// Every pixel is a colour, every owner a stroke.
fn assert_renders(program: &Program) {
    let view = View { region: Region::canvas(program), width_px: 16, height_px: 16 };
    for operator in [Operator::Capsule, Operator::Calibrated, Operator::Drops, Operator::Inert] {
        let options = ReplayOptions { operator: Some(operator), ..ReplayOptions::default() };
        let replay = Replay::new(program, view, &options).expect("a small picture");
        let pixels = replay.pixels(0..replay.strips());
        let owners = replay.owners(0..replay.strips());
        assert_eq!((pixels.len(), owners.len()), (256, 256));
        let fine = pixels.iter().flatten().all(|v| (0.0..=1.0).contains(v));
        assert!(fine, "{operator}: a pixel is no colour, {program:?}");
        let most = program.strokes().len() as u32;
        assert!(owners.iter().all(|o| *o <= most), "{operator}: no such owner, {program:?}");
    }
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn extreme_programs_have_finite_pixels(program in any_program(12)) {
        assert_renders(&program);
    }
}

/// Every number in a JSON value; JSON has none for those that are not finite.
fn assert_finite(value: &serde_json::Value, program: &Program) {
    match value {
        serde_json::Value::Null => panic!("a number is not finite: {program:?}"),
        serde_json::Value::Array(items) => items.iter().for_each(|v| assert_finite(v, program)),
        serde_json::Value::Object(fields) => {
            fields.values().for_each(|v| assert_finite(v, program));
        }
        _ => {}
    }
}

fn assert_counts(program: &Program) {
    for operator in [Operator::Capsule, Operator::Drops, Operator::Inert] {
        let info = Info::new(program, Some(operator), 2).expect("a small picture");
        assert_finite(&serde_json::to_value(&info).expect("plain data"), program);
        let outside = info.laid_outside_area;
        let all = info.deposited_area * (1.0 + 1e-9);
        assert!((-1e-9..=all).contains(&outside), "{outside} of {all}, {program:?}");
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn extreme_programs_have_finite_facts(program in any_program(12)) {
        assert_counts(&program);
    }
}

/// Far and so thin that its outline is one point, seen from the canvas's corner.
#[test]
fn a_far_thin_stroke_lies_outside() {
    let shape = Shape::line(vec2(0.5, 1000.0), vec2(0.0, 1e-12), 1e-9);
    let stroke = Stroke { shape, paint: Paint::Own([0.0; 3]) };
    let program = Program::new(Parts { strokes: vec![stroke], ..Parts::default() });
    let program = program.expect("every number is within its limits");
    assert_counts(&program);
    let info = Info::new(&program, None, 16).expect("a small picture");
    assert_eq!(info.laid_outside_area, info.deposited_area);
}

/// Each number of a small program, to be overwritten.
type Field = fn(&mut Parts) -> &mut f64;
const FIELDS: [(&str, Field); 13] = [
    ("height", |p| &mut p.height),
    ("background", |p| &mut p.background[1]),
    ("palette", |p| &mut p.palette[0][0]),
    ("first anchor x", |p| &mut p.strokes[0].shape.anchor.x),
    ("first half-width", |p| &mut p.strokes[0].shape.half_width),
    ("anchor x", |p| &mut p.strokes[1].shape.anchor.x),
    ("anchor y", |p| &mut p.strokes[1].shape.anchor.y),
    ("offset x", |p| &mut p.strokes[1].shape.offset.x),
    ("offset y", |p| &mut p.strokes[1].shape.offset.y),
    ("half-width", |p| &mut p.strokes[1].shape.half_width),
    ("bend", |p| &mut p.strokes[1].shape.bend),
    ("last offset y", |p| &mut p.strokes[2].shape.offset.y),
    ("own colour", |p| match &mut p.strokes[2].paint {
        Paint::Own(colour) => &mut colour[2],
        Paint::Palette(_) => unreachable!("the last stroke has a colour of its own"),
    }),
];

fn small_parts() -> Parts {
    let stroke = |x, y, half_width, paint| Stroke {
        shape: Shape::line(vec2(x, y), vec2(0.2, 0.1), half_width),
        paint,
    };
    Parts {
        tools: Vec::new(),
        height: 0.8,
        background: [0.9; 3],
        operator: Operator::Capsule,
        palette: vec![[0.1, 0.2, 0.3]],
        strokes: vec![
            stroke(0.1, 0.2, 0.2, Paint::Palette(0)),
            stroke(0.5, 0.5, 0.1, Paint::Palette(0)),
            stroke(0.3, 0.4, 0.05, Paint::Own([0.8, 0.1, 0.1])),
        ],
        provenance: Provenance::default(),
    }
}

#[test]
fn poison_is_refused_or_harmless() {
    const DEADLY: [f64; 6] =
        [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -1e308, 1000.0000000000001];
    const SUSPECT: [f64; 6] = [-1.0, 1e-310, f64::MIN_POSITIVE, 1e-45, 1.0, 1.0000000000000002];
    for (name, field) in FIELDS {
        let with = |value: f64| {
            let mut parts = small_parts();
            *field(&mut parts) = value;
            Program::new(parts)
        };
        for value in DEADLY {
            assert!(with(value).is_err(), "{name} = {value} passes");
        }
        for value in SUSPECT.into_iter().chain(HARD) {
            if let Ok(program) = with(value) {
                assert_renders(&program);
            }
        }
    }
    for half_width in [0.0, -0.0, -1.0, 5e-324, 9.9e-10] {
        let mut parts = small_parts();
        parts.strokes[1].shape.half_width = half_width;
        assert!(Program::new(parts).is_err(), "a half-width of {half_width} passes");
    }
    let mut parts = small_parts();
    parts.strokes[0].paint = Paint::Palette(1);
    assert!(Program::new(parts).is_err(), "an index past the palette passes");
}

/// The program of a text, which is written again as it was read.
#[track_caller]
fn kept(text: &str) -> Program {
    let program = format::parse(text.as_bytes()).expect("it is a program");
    assert_eq!(format::write(&program), text);
    program
}

#[test]
fn a_canonical_text_is_kept_to_the_byte() {
    let text = "\
{
  \"format\": \"tbr-program\",
  \"version\": 1,
  \"canvas\": {\"width\": 1, \"height\": 0.75},
  \"background\": [1, 0.9, 0.30000000000000004],
  \"operator\": \"calibrated\",
  \"palette\": [
    [0, 0.5, 1]
  ],
  \"strokes\": [
    {\"anchor\": [-0, 1e-9], \"offset\": [1000, -5e-324], \"half_width\": 0.00001, \"colour\": 0},
    {\"anchor\": [0.1, 0.2], \"offset\": [0, 0], \"half_width\": 0.05, \"colour\": [0.1, 0.2, 0.3]}
  ],
  \"provenance\": {\"seed\":7,\"note\":\"by hand\"}
}
";
    kept(text);
}

#[test]
fn bends_are_kept_to_the_byte_in_version_2() {
    let text = "\
{
  \"format\": \"tbr-program\",
  \"version\": 2,
  \"canvas\": {\"width\": 1, \"height\": 0.75},
  \"background\": [1, 0.9, 0],
  \"operator\": \"capsule\",
  \"palette\": [],
  \"steps\": [
    {\"anchor\": [0, 0], \"offset\": [1, 0], \"half_width\": 0.1, \"bend\": -2, \"colour\": [1, 1, 0]},
    {\"anchor\": [0.1, 0.2], \"offset\": [0, 0], \"half_width\": 0.05, \"colour\": [0.1, 0.2, 0.3]}
  ],
  \"provenance\": {}
}
";
    let program = kept(text);
    assert_eq!(program.strokes()[0].shape.bend, -2.0);
    // One that says that nothing bends is written as the first version has it.
    for flat in ["0", "-0", "0.0", "1e-999"] {
        let flat = text.replace("\"bend\": -2", &format!("\"bend\": {flat}"));
        let program = format::parse(flat.as_bytes()).expect("it is a program");
        let first = text.replace("2,\n  \"canvas", "1,\n  \"canvas").replace("steps", "strokes");
        assert_eq!(format::write(&program), first.replace("\"bend\": -2, ", ""));
    }
}

/// The examples of `docs/format.md` are programs, and the second is the first with a bend and
/// tools.
#[test]
fn the_documented_examples_are_programs() {
    let page = include_str!("../../../../docs/format.md");
    let blocks = page.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next());
    let programs: Vec<Program> = blocks
        .map(|text| {
            let program = format::parse(text.as_bytes()).expect("it is a program");
            let plain = |text: &str| text.replace(' ', "");
            assert_eq!(plain(&format::write(&program)), plain(text));
            program
        })
        .collect();
    let [first, second] = &programs[..] else { panic!("{} examples", programs.len()) };
    let mut parts = second.clone().into_parts();
    parts.strokes[1].shape.bend = 0.0;
    parts.tools.clear();
    assert_eq!(Program::new(parts).expect("it is a program"), *first);
}

/// So is the one of a reel.
#[test]
fn the_documented_reel_is_one() {
    let page = include_str!("../../../../docs/format.md");
    let (_, block) = page.split_once("```jsonl\n").expect("an example");
    let mut lines = block.split("```").next().unwrap_or_default().lines();
    let header = lines.next().unwrap_or_default();
    let header = reel::format::parse_header(header.as_bytes()).expect("a reel's first line");
    assert_eq!(header.frames_per_second, 25.0);
    let keyframe = |(k, line): (usize, &str)| {
        reel::format::parse_keyframe(line.as_bytes(), k + 1).expect("a keyframe")
    };
    let keyframes: Vec<Keyframe> = lines.enumerate().map(keyframe).collect();
    let [a, b] = &keyframes[..] else { panic!("{} keyframes", keyframes.len()) };
    a.check_next(b).expect("one shot");
    assert_eq!(reel::between(a, b, 0.5).expect("a program").strokes().len(), 3);
}

#[test]
fn the_shipped_garden_is_a_canonical_program() {
    let text = include_str!("../../../../programs/garden.tbr.json");
    let program = kept(text);
    assert!(program.strokes().len() > 500);
}

proptest! {
    #![proptest_config(cases(60))]

    /// Whatever the numbers, outlines are closed curves of finite length in reasonable time, or
    /// are refused by their limit.
    #[test]
    fn any_program_has_outlines(program in any_program(7)) {
        prop_assume!(program.operator() != Operator::LineSource);
        let outlines = Outlines::new(&program, None, None).unwrap();
        for index in 0..outlines.len() {
            let outline = match outlines.outline(index) {
                Err(tbr::Error::Limit { .. }) => continue,
                outline => outline.unwrap(),
            };
            prop_assert!(outline.curves.iter().flatten().all(|p| p.is_finite()));
            let end = outline.curves[outline.curves.len() - 1][2];
            let reach = 1.0 + outline.start.norm();
            prop_assert!((end - outline.start).norm() < 1e-5 * reach, "{:?} {end:?}", outline.start);
        }
    }
}
