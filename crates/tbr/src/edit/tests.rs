use super::*;
use crate::chain::Chain;
use crate::prior;
use crate::render::{Replay, ReplayOptions, View};
use crate::stroke::Operator;

fn chosen(program: &Program, text: &str) -> Vec<usize> {
    let choice = text.parse::<Selection>().unwrap().choose(program).unwrap();
    choice.iter().enumerate().filter(|(_, c)| *c).map(|(i, _)| i + 1).collect()
}

fn refused(program: &Program, text: &str) -> String {
    let choice = text.parse::<Selection>().and_then(|s| s.choose(program));
    choice.unwrap_err().to_string()
}

#[test]
fn selections_mean_what_they_say() {
    let mut parts = prior::program(10, 1.0, 2).unwrap().into_parts();
    for (i, stroke) in parts.strokes.iter_mut().enumerate() {
        stroke.paint = Paint::Palette(i % 3);
        stroke.shape.half_width = 0.01 * (i + 1) as f64;
        stroke.shape.offset = vec2(0.1 * i as f64, 0.0);
        stroke.shape.bend = 0.25 * (i as f64 - 4.0);
    }
    parts.strokes[9].paint = Paint::Own([1.0, 0.0, 0.0]);
    let program = Program::new(parts).unwrap();
    let cases: [(&str, &[usize]); 17] = [
        ("4", &[4]),
        ("9..", &[9, 10]),
        ("first 20%", &[1, 2]),
        ("last 3", &[8, 9, 10]),
        ("first 0", &[]),
        ("colour 1", &[2, 5, 8]),
        ("colour #ff0000", &[10]),
        ("half-width 0.0195..0.0405", &[2, 3, 4]),
        ("length ..0.1", &[1, 2]),
        ("bend 0.75..", &[8, 9, 10]),
        ("bend ..-0.75", &[1, 2]),
        ("bend 0", &[5]),
        ("not bend -0.8..1.2", &[1, 10]),
        ("not 3..10", &[1, 2]),
        ("colour 1 and last 50%", &[8]),
        ("1 or 2 or 3 and 4", &[1, 2]),
        ("(1 or 2 or 3) and not(2)", &[1, 3]),
    ];
    for (text, expected) in cases {
        assert_eq!(chosen(&program, text), expected, "{text}");
    }
    assert_eq!(chosen(&program, "all").len(), 10);
}

#[test]
fn owners_are_selected_by_what_they_own() {
    let program = prior::program(300, 0.6, 5).unwrap();
    let region = "region 0.3,0.2,0.2,0.2";
    let view = View::new(region[7..].parse().unwrap(), Some(205), None).unwrap();
    let replay = Replay::new(&program, view, &ReplayOptions::default()).unwrap();
    let mut owners = replay.owners(0..replay.strips());
    owners.sort_unstable();
    owners.dedup();
    let owners: Vec<usize> = owners.into_iter().filter(|o| *o > 0).map(|o| o as usize).collect();
    assert_eq!(chosen(&program, region), owners);

    let info = crate::info::Info::new(&program, None, OWNED_WIDTH_PX).unwrap();
    assert_eq!(chosen(&program, "visible").len(), info.visible_strokes);
    assert_eq!(chosen(&program, "invisible").len(), 300 - info.visible_strokes);
    let none: Vec<usize> = (1..=300).filter(|n| info.owned_pixels[n - 1] == 0).collect();
    assert!(!none.is_empty());
    assert_eq!(chosen(&program, "unseen"), none);
    let many: Vec<usize> = (1..=300).filter(|n| info.owned_pixels[n - 1] >= 900).collect();
    assert_eq!(chosen(&program, "pixels 900.."), many);
}

#[test]
fn wrong_selections_say_what_is_wrong() {
    let program = prior::program(10, 1.0, 2).unwrap();
    for (text, part) in [
        ("", "a rule is missing"),
        ("1 and", "a rule is missing"),
        ("(1 or 2", ") is missing"),
        ("1 2", "one word too many"),
        ("latest 5", "\"latest\" is none of"),
        ("last", "must follow \"last\""),
        ("last 120%", "\"120%\""),
        ("last 11", "has 10 strokes, not 11"),
        ("11", "there is no stroke 11"),
        ("0..3", "there is no stroke 0"),
        ("8..5", "\"8..5\""),
        ("length wide", "\"wide\""),
        ("bend left", "\"left\""),
        ("bend", "must follow \"bend\""),
        ("colour 8", "there is no palette colour 8"),
        ("colour red", "\"red\""),
        ("region 0,0,1", "four numbers"),
        ("region 0,0,0,1", "region"),
    ] {
        let said = refused(&program, text);
        assert!(said.contains(part), "\"{text}\": {said}");
    }
}

#[test]
fn strokes_turn_and_grow_about_a_point() {
    let program = prior::program(5, 0.5, 3).unwrap();
    let all = Choice::all(&program);
    let about = vec2(0.2, 0.1);
    let turned = rotate(&program, &all, 90.0, about).unwrap();
    let (a, b) = (program.strokes()[2].shape, turned.strokes()[2].shape);
    let (from, to) = (a.anchor - about, b.anchor - about);
    // A quarter turn clockwise on a canvas whose y goes down: right becomes down.
    assert!((to - vec2(-from.y, from.x)).norm() < 1e-15);
    assert!((b.offset - vec2(-a.offset.y, a.offset.x)).norm() < 1e-15);

    let grown = scale(&program, &all, 2.0, about).unwrap().strokes()[2].shape;
    assert!((grown.anchor - about - from * 2.0).norm() < 1e-15);
    assert!((grown.area() - 4.0 * a.area()).abs() < 1e-15);
    for factor in [0.0, -1.0, f64::NAN, 1e9] {
        assert!(scale(&program, &all, factor, about).is_err());
    }
    let long = set(&program, &all, Change::Length(0.25)).unwrap().strokes()[2].shape;
    assert!((long.length() - 0.25).abs() < 1e-15);
    let middle = |s: Shape| s.anchor + s.offset * 0.5;
    assert!((middle(long) - middle(a)).norm() < 1e-15);
}

/// A crop shows what the region showed.
#[test]
fn a_reframed_program_is_the_region_of_the_old_one() {
    let program = prior::program(150, 0.8, 7).unwrap();
    let region = Region { x: 0.25, y: 0.125, width: 0.5, height: 0.25 };
    let cropped = reframe(&program, region).unwrap();
    assert_eq!(cropped.height(), 0.5);
    let owners = |p: &Program, region| {
        let view = View::new(region, Some(128), None).unwrap();
        let replay = Replay::new(p, view, &ReplayOptions::default()).unwrap();
        replay.owners(0..replay.strips())
    };
    let (a, b) = (owners(&program, region), owners(&cropped, Region::canvas(&cropped)));
    let differ = a.iter().zip(&b).filter(|(a, b)| a != b).count();
    assert!(differ * 200 < a.len(), "{differ} of {}", a.len());
    for (width, height) in [(0.0, 1.0), (1.0, -1.0), (f64::NAN, 1.0), (1e-9, 1.0)] {
        assert!(reframe(&program, Region { width, height, ..region }).is_err());
    }
}

#[test]
fn programs_are_laid_on_top_of_each_other() {
    let first = prior::program(4, 0.5, 1).unwrap();
    let mut parts = prior::program(3, 1.0, 2).unwrap().into_parts();
    parts.palette[5] = first.palette()[2];
    parts.strokes[1].paint = Paint::Palette(5);
    let second = Program::new(parts).unwrap();
    let both = concat(&first, &second).unwrap();
    assert_eq!((both.strokes().len(), both.height()), (7, 0.5));
    assert_eq!(both.palette().len(), 8 + 7, "one colour is in both");
    for (a, b) in second.strokes().iter().zip(&both.strokes()[4..]) {
        assert_eq!(second.colour(a.paint), both.colour(b.paint));
    }
    let mut other = second.into_parts();
    other.operator = Operator::Inert;
    assert!(concat(&first, &Program::new(other).unwrap()).is_err());
}

#[test]
fn palettes_are_replaced_or_repainted() {
    let program = prior::program(30, 1.0, 1).unwrap();
    let greys: Vec<Colour> = (0..8).map(|k| [f64::from(k) / 7.0; 3]).collect();
    let grey = replace_palette(&program, &greys).unwrap();
    assert_eq!((grey.palette(), grey.strokes()), (&*greys, program.strokes()));
    assert!(replace_palette(&program, &greys[..7]).is_err());

    let two = repaint(&program, &Choice::all(&program), &greys[..2]).unwrap();
    assert!(two.strokes().iter().all(|s| matches!(s.paint, Paint::Palette(0 | 1))));
    let half = Choice::of(&program, |i| i < 15);
    let some = repaint(&program, &half, &greys[..2]).unwrap();
    for (a, b) in program.strokes().iter().zip(some.strokes()).skip(15) {
        assert_eq!(program.colour(a.paint), some.colour(b.paint));
    }
    let swapped = swap_colours(&program, &half, Paint::Palette(1), Paint::Palette(2)).unwrap();
    let back = swap_colours(&swapped, &half, Paint::Palette(2), Paint::Palette(1)).unwrap();
    assert!(swapped != program && back == program);
}

/// Steps by what they are: `S` and the half-width in thousandths, or a tool's name.
fn spelled(program: &Program) -> String {
    let word = |step: &Step| match step {
        Step::Stroke(stroke) => format!("S{:.0}", 1000.0 * stroke.shape.half_width),
        Step::Tool(tool) => tool.kind().name().to_owned(),
    };
    program.steps().iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Four strokes, with a tine after the first, and a comb and a swirl after the third.
fn mixed() -> Program {
    let mut parts = prior::program(4, 1.0, 2).unwrap().into_parts();
    for (i, stroke) in parts.strokes.iter_mut().enumerate() {
        stroke.shape.half_width = 0.001 * (i + 1) as f64;
        stroke.paint = Paint::Palette(i % 2);
    }
    let tools = [
        (1, "tine through 0.3,0.3 angle 10 pull 0.05 reach 0.04"),
        (3, "comb through 0.5,0.5 angle 90 pull 0.05 spacing 0.03"),
        (3, "swirl centre 0.4,0.6 radius 0.2 turn 45"),
    ];
    parts.tools = tools.map(|(after, words)| Pass { after, tool: words.parse().unwrap() }).to_vec();
    Program::new(parts).unwrap()
}

#[test]
fn edits_keep_the_order_of_strokes_and_tools() {
    let program = mixed();
    assert_eq!(spelled(&program), "S1 tine S2 S3 comb swirl S4");
    let chosen = |text: &str| text.parse::<Selection>().unwrap().choose(&program).unwrap();
    type Edit = fn(&Program, &Choice) -> Result<Program>;
    let cases: [(Edit, &str, &str); 12] = [
        (delete, "1", "tine S2 S3 comb swirl S4"),
        (delete, "tool comb", "S1 tine S2 S3 swirl S4"),
        (delete, "tools", "S1 S2 S3 S4"),
        (delete, "strokes", "tine comb swirl"),
        (delete, "2..4", "S1 comb swirl S4"),
        (reverse, "all", "S4 swirl comb S3 S2 tine S1"),
        (reverse, "tools", "S1 swirl S2 S3 comb tine S4"),
        (reverse, "1 or 2", "tine S1 S2 S3 comb swirl S4"),
        (duplicate, "2 or 3", "S1 tine tine S2 S2 S3 comb swirl S4"),
        (|p, c| move_to(p, c, 1), "last 2", "swirl S4 S1 tine S2 S3 comb"),
        (|p, c| move_to(p, c, 5), "tools", "S1 S2 S3 S4 tine comb swirl"),
        (|p, c| move_to(p, c, 3), "1", "tine S2 S1 S3 comb swirl S4"),
    ];
    for (change, text, expected) in cases {
        assert_eq!(spelled(&change(&program, &chosen(text)).unwrap()), expected, "{text}");
    }
    let ring: crate::tool::Tool =
        "ring centre 0.5,0.5 radius 0.2 pull 0.1 reach 0.05".parse().unwrap();
    for (number, expected) in [
        (1, "ring S1 tine S2 S3 comb swirl S4"),
        (6, "S1 tine S2 S3 comb ring swirl S4"),
        (8, "S1 tine S2 S3 comb swirl S4 ring"),
    ] {
        assert_eq!(spelled(&insert(&program, number, ring).unwrap()), expected);
    }
    assert!(insert(&program, 9, ring).unwrap_err().to_string().contains("from 1 to 8"));
    let both = concat(&program, &program).unwrap();
    assert_eq!(spelled(&both), [spelled(&program), spelled(&program)].join(" "));
}

#[test]
fn rules_about_strokes_choose_no_tools() {
    let program = mixed();
    let cases: [(&str, &[usize]); 11] = [
        ("strokes", &[1, 3, 4, 7]),
        ("tools", &[2, 5, 6]),
        ("not tools", &[1, 3, 4, 7]),
        ("tool swirl", &[6]),
        ("not tool swirl", &[1, 2, 3, 4, 5, 7]),
        ("colour 1", &[3, 7]),
        ("not colour 1", &[1, 4]),
        ("not colour 1 or tool comb", &[1, 4, 5]),
        ("not (colour 1 and last 3)", &[1, 2, 3, 4]),
        ("not bend 0", &[]),
        ("last 3 and not half-width ..0.0035", &[7]),
    ];
    for (text, expected) in cases {
        assert_eq!(chosen(&program, text), expected, "{text}");
    }
    let combed = prior::combed_program(60, 1.0, 3).unwrap();
    for text in ["invisible", "visible", "unseen", "not visible", "region 0,0,1,1"] {
        let choice = text.parse::<Selection>().unwrap().choose(&combed).unwrap();
        let left = delete(&combed, &choice).unwrap();
        assert_eq!(left.tools().len(), combed.tools().len(), "{text}");
    }
    assert!(refused(&program, "tool broom").contains("\"broom\" is no tool"));
    assert!(refused(&program, "8").contains("there is no step 8"));
    assert!(refused(&program, "last 8").contains("has 7 steps, not 8"));
}

#[test]
fn fields_of_tools_are_set() {
    let program = mixed();
    let chosen = |text: &str| text.parse::<Selection>().unwrap().choose(&program).unwrap();
    let pulled = set_tools(&program, &chosen("tool comb or strokes"), "pull", &[0.1]).unwrap();
    assert_eq!(pulled.tools()[1].tool.number("pull"), Some(0.1));
    assert_eq!(pulled.tools()[0], program.tools()[0]);
    assert_eq!(pulled.strokes(), program.strokes());
    let moved = set_tools(&program, &chosen("2"), "through", &[0.1, 0.2]).unwrap();
    assert_eq!(moved.tools()[0].tool.numbers()[..2], [0.1, 0.2]);
    for (text, name, values, part) in [
        ("tools", "pull", &[0.1][..], "step 6: a swirl has no pull: it has centre, radius, turn"),
        ("2", "through", &[0.1], "step 2: through is two numbers"),
        ("2", "pull", &[0.1, 0.2], "step 2: pull is a number"),
        ("2", "pull", &[11.0], "step 2: pull is 11; must be from -10 to 10"),
        ("5", "spacing", &[f64::NAN], "step 5: spacing is NaN"),
    ] {
        let said = set_tools(&program, &chosen(text), name, values).unwrap_err().to_string();
        assert!(said.contains(part), "{text} {name}: {said}");
    }
    let mut parts = program.into_parts();
    parts.strokes[2].shape.half_width = 0.0;
    assert!(Program::new(parts).unwrap_err().to_string().contains("step 4: half_width"));
}

/// What is moved, turned, scaled or seen in another frame is the same picture there, tools and
/// all.
#[test]
fn combed_pictures_go_along() {
    type Motion = fn(Vec2<f64>) -> Vec2<f64>;
    const ABOUT: Vec2<f64> = Vec2 { x: 0.2, y: 0.1 };
    let program = prior::combed_program(60, 0.7, 5).unwrap();
    let all = Choice::all(&program);
    let region = Region { x: 0.25, y: -0.5, width: 0.5, height: 2.0 };
    let cases: [(&str, Result<Program>, Motion); 4] = [
        ("translate", translate(&program, &all, vec2(0.3, -0.2)), |x| x + vec2(0.3, -0.2)),
        ("rotate", rotate(&program, &all, 90.0, ABOUT), |x| {
            ABOUT + vec2(ABOUT.y - x.y, x.x - ABOUT.x)
        }),
        ("scale", scale(&program, &all, 2.5, ABOUT), |x| ABOUT + (x - ABOUT) * 2.5),
        ("reframe", reframe(&program, region), |x| (x - vec2(0.25, -0.5)) * 2.0),
    ];
    let before = Chain::of(&program, None);
    for (name, edited, motion) in cases {
        let after = Chain::of(&edited.unwrap(), None);
        let mut same = 0;
        for k in 0..1600 {
            let x = vec2(f64::from(k % 40) / 40.0, 0.7 * f64::from(k / 40) / 40.0);
            let ((a, at), (b, to)) = (before.owner(x), after.owner(motion(x)));
            let is_same = a.map(|(index, _)| index) == b.map(|(index, _)| index);
            same += usize::from(is_same && (motion(at) - to).norm() < 1e-9);
        }
        // (A point right at an edge may fall on either side.)
        assert!(same >= 1598, "{name}: {same} of 1600");
    }
}
