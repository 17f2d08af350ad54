//! Carrying a program along with what it shows, from one picture to the next.

use super::motion::Motion;
use crate::error::Result;
use crate::fit::Target;
use crate::image::View;
use crate::numbers::Vec2;
use crate::parallel::Stop;
use crate::program::{Program, Stroke};
use crate::render::{Replay, ReplayOptions};
use crate::stroke::Shape;

/// Pixels along the longer side of the replay that tells where each stroke is seen.
const SEEN_PX: u32 = 256;
/// How much a stroke's width may change from one picture to the next.
const WIDTHS: [f64; 2] = [0.8, 1.25];

/// The program for the next picture, as far as the pictures tell how all moves: the one that errs
/// less, moved or not; and its error.
pub(super) fn carried(
    program: &Program,
    from: &Target,
    to: &Target,
    stop: &Stop,
) -> Result<(Program, f64)> {
    let motion = Motion::between(from, to);
    let moved = moved(program, &motion, from, stop)?;
    let (stays, moves) = (error(program, to, stop)?, error(&moved, to, stop)?);
    Ok(if moves < stays { (moved, moves) } else { (program.clone(), stays) })
}

/// The error of a program's replay.
fn error(program: &Program, target: &Target, stop: &Stop) -> Result<f64> {
    let owners = owners(program, target.view(), stop)?;
    Ok(target.error(|pixel| match owners[pixel] {
        0 => program.background(),
        owner => program.colour(program.strokes()[owner as usize - 1].paint),
    }))
}

/// Who owns each pixel of a view; strokes are numbered from 1, 0 is the bare canvas.
fn owners(program: &Program, view: View, stop: &Stop) -> Result<Vec<u32>> {
    Replay::new(program, view, &ReplayOptions::default())?.all_owners_until(stop)
}

/// Every stroke moves with the whole, where it is laid; and by as much as what is seen of it moves,
/// turns and stretches by itself. (The whole's motion is right for strokes wherever later ones have pushed them: a
/// program that is shifted, turned or scaled is one of the picture that is.)
fn moved(program: &Program, motion: &Motion, from: &Target, stop: &Stop) -> Result<Program> {
    let view = from.at_most(SEEN_PX).view();
    let seen = owners(program, view, stop)?;
    let mut own = vec![Seen::default(); program.strokes().len() + 1];
    for (k, owner) in seen.iter().enumerate() {
        let place = view.centre(k as u32 % view.width_px, k as u32 / view.width_px);
        own[*owner as usize].add(motion.by_itself(place));
    }
    let strokes = program.strokes().iter().zip(&own[1..]);
    let strokes = strokes.map(|(stroke, seen)| Stroke {
        shape: with_motion(&stroke.shape, motion, seen),
        ..*stroke
    });
    program.with_strokes(strokes.collect())
}

/// The motion of what is seen of a stroke, and its derivative: sums over pixels.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    pixels: f64,
    shift: Vec2<f64>,
    slope: [Vec2<f64>; 2],
}

impl Seen {
    fn add(&mut self, (shift, slope): (Vec2<f64>, [Vec2<f64>; 2])) {
        self.pixels += 1.0;
        self.shift = self.shift + shift;
        self.slope = [self.slope[0] + slope[0], self.slope[1] + slope[1]];
    }

    /// The means; nothing where nothing is seen.
    fn mean(&self) -> (Vec2<f64>, [Vec2<f64>; 2]) {
        let share = if self.pixels > 0.0 { 1.0 / self.pixels } else { 0.0 };
        (self.shift * share, self.slope.map(|slope| slope * share))
    }
}

/// A shape after the motion of the whole, and that of what is seen of it.
fn with_motion(shape: &Shape, motion: &Motion, seen: &Seen) -> Shape {
    let (shift, own) = seen.mean();
    let whole = motion.slope_of_whole();
    let middle = shape.anchor + shape.offset * 0.5;
    let middle = middle + motion.of_whole(middle) + shift;
    let [along_x, along_y] = [whole[0] + own[0], whole[1] + own[1]];
    let offset = shape.offset + along_x * shape.offset.x + along_y * shape.offset.y;
    let widening = (1.0 + 0.5 * (whole[0].x + whole[1].y)).clamp(WIDTHS[0], WIDTHS[1]);
    Shape {
        anchor: middle - offset * 0.5,
        offset,
        half_width: shape.half_width * widening,
        bend: shape.bend,
    }
}
