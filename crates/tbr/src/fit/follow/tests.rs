use super::motion::Motion;
use super::*;
use crate::image::{Image, View};
use crate::numbers::{Vec2, vec2};
use crate::prior;
use crate::render::render_view;

const SIDE_PX: u32 = 192;

fn picture(program: &Program) -> Target {
    let view = View::of_canvas(program, SIDE_PX).unwrap();
    Target::new(render_view(program, view).unwrap(), None).unwrap()
}

/// A sheet's strokes after a turn about the middle, in radians, a widening, and a shift.
fn moved(sheet: &Program, turn: f64, larger: f64, shift: Vec2<f64>) -> Program {
    let middle = vec2(0.5, 0.5 * sheet.height());
    let (sin, cos) = (larger * libm::sin(turn), larger * libm::cos(turn));
    let map = |v: Vec2<f64>| vec2(cos * v.x - sin * v.y, sin * v.x + cos * v.y);
    let strokes = sheet.strokes().iter().map(|stroke| {
        let Shape { anchor, offset, half_width, bend } = stroke.shape;
        let anchor = middle + map(anchor - middle) + shift;
        let shape = Shape { anchor, offset: map(offset), half_width: larger * half_width, bend };
        Stroke { shape, ..*stroke }
    });
    sheet.with_strokes(strokes.collect()).unwrap()
}

/// Where a picture's sheet is shifted, turned and made larger, the motion of the whole is that, to
/// a quarter of a pixel.
#[test]
fn the_motion_of_a_whole_sheet_is_found() {
    let sheet = prior::program(150, 1.0, 3).unwrap();
    let sheet = moved(&sheet, 0.0, 1.4, vec2(0.0, 0.0));
    for (turn, larger, shift) in [
        (0.0, 1.0, vec2(0.0, 0.0)),
        (0.0, 1.0, vec2(0.03, -0.02)),
        (0.03, 1.0, vec2(0.0, 0.01)),
        (-0.02, 1.03, vec2(-0.01, 0.0)),
    ] {
        let next = moved(&sheet, turn, larger, shift);
        let motion = Motion::between(&picture(&sheet), &picture(&next));
        for p in [vec2(0.2, 0.2), vec2(0.8, 0.3), vec2(0.5, 0.5), vec2(0.3, 0.9)] {
            let from_middle = p - vec2(0.5, 0.5);
            let (sin, cos) = (larger * libm::sin(turn), larger * libm::cos(turn));
            let turned = vec2(
                cos * from_middle.x - sin * from_middle.y,
                sin * from_middle.x + cos * from_middle.y,
            );
            let expected = turned - from_middle + shift;
            let off = (motion.of_whole(p) - expected).norm() * f64::from(SIDE_PX);
            assert!(off < 0.25, "{turn} {larger} {shift:?} at {p:?}: {off} pixels off");
        }
    }
}

/// A flat picture tells of no motion, and asks for none.
#[test]
fn nothing_moves_where_nothing_is_seen() {
    let flat = Target::new(Image::new((40, 30), vec![[0.5; 3]; 1200]).unwrap(), None).unwrap();
    let motion = Motion::between(&flat, &flat);
    let p = vec2(0.3, 0.2);
    assert_eq!(motion.of_whole(p), vec2(0.0, 0.0));
    assert_eq!(motion.by_itself(p), (vec2(0.0, 0.0), [vec2(0.0, 0.0); 2]));
}

fn options(strokes: usize) -> FollowOptions {
    FollowOptions::of(Options { strokes, ..Options::fast() })
}

/// Follows pictures to their keyframes.
fn followed(options: FollowOptions, pictures: &[Target]) -> Vec<Keyframe> {
    let mut follow = Follow::new(options).unwrap();
    let keyframes = pictures.iter().enumerate();
    keyframes.map(|(k, picture)| next(&mut follow, picture, k)).collect()
}

/// The keyframe of the next picture, number `k`.
fn next(follow: &mut Follow, picture: &Target, k: usize) -> Keyframe {
    let mut fit = follow.begin(picture.clone()).unwrap();
    while !fit.is_done() {
        fit.step().unwrap();
    }
    follow.keep(&fit, k as f64).unwrap().clone()
}

/// A sheet that drifts and turns, picture by picture.
fn drifting(pictures: usize) -> Vec<Target> {
    let sheet = moved(&prior::program(40, 1.0, 3).unwrap(), 0.0, 1.5, vec2(0.0, 0.0));
    let at = |k: usize| 0.01 * k as f64;
    (0..pictures).map(|k| picture(&moved(&sheet, at(k), 1.0, vec2(at(k), 0.0)))).collect()
}

fn error(keyframe: &Keyframe, picture: &Target) -> f64 {
    let replay = render_view(keyframe.program(), picture.view()).unwrap();
    picture.error(|k| replay.pixels()[k])
}

/// Strokes keep their names and their order; those that are born have new names; and the last
/// picture is met nearly as well as by a program of its own (here 1.27 times its error).
#[test]
fn a_moving_sheet_is_one_shot_of_strokes_that_keep_their_names() {
    let pictures = drifting(4);
    let options = || FollowOptions::of(Options { strokes: 80, ..Options::default() });
    let keyframes = followed(options(), &pictures);
    let mut known: Vec<u32> = keyframes[0].names().to_vec();
    assert_eq!(known, (0..80).collect::<Vec<u32>>());
    for pair in keyframes.windows(2) {
        pair[0].check_next(&pair[1]).unwrap();
        assert_eq!(pair[1].shot(), 1);
        let stays = pair[1].names().iter().filter(|name| pair[0].names().contains(name)).count();
        assert!(stays >= 64, "only {stays} of 80 strokes stay");
        for name in pair[1].names().iter().filter(|name| !pair[0].names().contains(name)) {
            assert!(!known.contains(name), "{name} comes again");
            known.push(*name);
        }
    }
    let own = followed(options(), &pictures[3..]);
    let [followed, own] = [&keyframes[3], &own[0]].map(|keyframe| error(keyframe, &pictures[3]));
    assert!(followed < 1.5 * own, "{followed} beside {own}");
}

/// A program that is carried along needs no gradient step where a whole sheet moves.
#[test]
fn carrying_alone_keeps_most_of_a_picture() {
    let pictures = drifting(2);
    let keyframe = &followed(options(80), &pictures[..1])[0];
    let stop = Stop::never();
    let (_, carried) =
        carry::carried(keyframe.program(), &pictures[0], &pictures[1], &stop).unwrap();
    let (before, left) = (error(keyframe, &pictures[0]), error(keyframe, &pictures[1]));
    assert!(carried < 2.0 * before && carried < 0.5 * left, "{before} {carried} {left}");
}

#[test]
fn a_cut_begins_a_shot() {
    let mut pictures = drifting(2);
    let other = moved(&prior::program(30, 1.0, 8).unwrap(), 0.0, 1.5, vec2(0.0, 0.0));
    pictures.push(picture(&other));
    let keyframes = followed(options(40), &pictures);
    assert_eq!(keyframes.iter().map(Keyframe::shot).collect::<Vec<_>>(), [1, 1, 2]);
}

/// Whoever goes on from a keyframe comes to the same as if nobody had stopped; keyframes are what
/// a file of them holds, to the last digit.
#[test]
fn who_goes_on_comes_to_the_same() {
    let pictures = drifting(4);
    let keyframes = followed(options(30), &pictures);
    let mut follow = Follow::new(options(30)).unwrap();
    for (keyframe, picture) in keyframes.iter().zip(&pictures).take(2) {
        follow.goes_on(keyframe.clone(), picture.clone());
    }
    assert!((2..4).all(|k| next(&mut follow, &pictures[k], k) == keyframes[k]));
}

/// All pictures have the first one's palette, exactly, also after a cut.
#[test]
fn the_palette_stays() {
    let mut pictures = drifting(2);
    pictures.push(picture(&prior::program(30, 1.0, 8).unwrap()));
    let first = Options { strokes: 30, palette: Palette::Size(3), ..Options::fast() };
    let keyframes = followed(FollowOptions::of(first), &pictures);
    let palettes: Vec<_> = keyframes.iter().map(|k| k.program().palette().to_vec()).collect();
    assert!(palettes[0].len() == 3 && palettes.iter().all(|palette| *palette == palettes[0]));
}

#[test]
fn tools_do_not_follow() {
    let tools = vec!["tine through 0.5,0.5 angle 0 pull 0.1 reach 0.1".parse().unwrap()];
    let first = Options { tools, ..Options::fast() };
    assert!(Follow::new(FollowOptions::of(first)).is_err());
}
