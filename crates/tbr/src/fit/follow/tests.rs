use super::motion::Motion;
use crate::fit::Target;
use crate::image::{Image, View};
use crate::numbers::{Vec2, vec2};
use crate::prior;
use crate::render::render_view;
use crate::program::{Program, Stroke};
use crate::stroke::Shape;

const SIDE_PX: u32 = 192;

fn picture(program: &Program) -> Target {
    let view = View::of_canvas(program, SIDE_PX).unwrap();
    Target::new(render_view(program, view).unwrap(), None).unwrap()
}

/// A sheet's strokes after a turn about the middle, in radians, a widening, and a shift.
fn moved(sheet: &Program, turn: f64, larger: f64, shift: Vec2<f64>) -> Program {
    let middle = vec2(0.5, 0.5 * sheet.height());
    let (sin, cos) = (larger * turn.sin(), larger * turn.cos());
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
            let (sin, cos) = (larger * turn.sin(), larger * turn.cos());
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
    assert_eq!(motion.by_itself(p), vec2(0.0, 0.0));
}
