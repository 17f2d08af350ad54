//! Following a moving picture: a reel that goes on, from each picture to the next, with the strokes
//! that are there. They are carried along with what they show; strokes that would hardly be missed
//! are born again where there is something new; then all are moved, in a few gradient steps. Where a
//! program that is carried along shows little of the next picture, there was a cut: a shot ends, and
//! the next begins with a program of its own.
//!
//! The caller owns the loop:
//!
//! ```
//! use tbr::Image;
//! use tbr::fit::{Follow, FollowOptions, Options, Target};
//!
//! # fn main() -> tbr::Result<()> {
//! let options = Options { strokes: 10, ..Options::fast() };
//! let mut follow = Follow::new(FollowOptions::of(options))?;
//! for k in 0..3 {
//!     let slope = (0..24 * 24).map(|i| [f64::from((i + k) % 24) / 23.0, 0.5, 0.2]).collect();
//!     let target = Target::new(Image::new((24, 24), slope)?, None)?;
//!     let mut fit = follow.begin(target)?;
//!     while !fit.is_done() {
//!         fit.step()?;
//!     }
//!     let keyframe = follow.keep(&fit, f64::from(k) / 25.0)?;
//!     assert_eq!(keyframe.program().strokes().len(), 10);
//! }
//! # Ok(())
//! # }
//! ```

mod carry;
mod motion;
#[cfg(test)]
mod tests;

use super::draft::Names;
use super::joint::PEELING_STEPS;
use super::{Fit, Options, Palette, PaletteBy, Stage, Target};
use crate::error::{Error, Result};
use crate::parallel::Stop;
use crate::program::{Paint, Program, Stroke};
use crate::reel::Keyframe;
use crate::stroke::Shape;

/// A program that is carried along and errs by more than this share of the next picture's floor
/// shows another picture: half of it would be as good as none in every other place.
const CUT: f64 = 0.6;

/// Places and widths of keyframes are multiples of this, and colours of the other: finer than
/// anything that can be seen, and half as long to write.
const PLACE_GRAIN: f64 = 1e-7;
const COLOUR_GRAIN: f64 = 1e-4;

/// How a moving picture is followed.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowOptions {
    /// How the first picture of a shot is fitted.
    pub first: Options,
    /// The gradient steps on each picture after it.
    pub then: Vec<Stage>,
}

impl FollowOptions {
    /// With the gradient steps that go with those of a first picture.
    pub fn of(first: Options) -> Self {
        let then = first.stages.iter().enumerate().map(after).collect();
        Self { first, then }
    }
}

/// The steps of a first picture's stage on those after it: a quarter of the time. Few, as strokes
/// are nearly where they should be; with a sixth the error was a tenth higher, and with a third a little
/// lower. Births are in the first stage, a few at a time and at twice the price: more were no
/// better.
fn after((index, stage): (usize, &Stage)) -> Stage {
    let peeling = if index == 0 { PEELING_STEPS as usize } else { 0 };
    Stage {
        steps: (peeling + stage.steps).div_ceil(4),
        tau: [stage.tau[1]; 2],
        rim_px: [stage.rim_px[0].min(0.3), stage.rim_px[1]],
        rate: [stage.rate[0].min(0.8), stage.rate[1]],
        reborn: if index == 0 { 0.05 } else { 0.0 },
        birth_price: 2.0 * stage.birth_price,
        ..*stage
    }
}

/// A moving picture being followed.
pub struct Follow {
    options: FollowOptions,
    last: Option<Last>,
    stop: Stop,
}

/// The newest keyframe, and what it is of.
struct Last {
    keyframe: Keyframe,
    target: Target,
    /// The name of the next stroke that is born in its shot.
    next_name: u32,
}

impl Follow {
    /// Before the first picture.
    pub fn new(options: FollowOptions) -> Result<Self> {
        options.first.check()?;
        if !options.first.tools.is_empty() {
            return Err(Error::Request("a moving picture is followed without tools".into()));
        }
        Ok(Self { options, last: None, stop: Stop::never() })
    }

    /// With somebody who may stop it, as [`Fit::with_stop`] has it.
    pub fn with_stop(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// Goes on after a keyframe that was made before, and the picture that it is of.
    pub fn goes_on(&mut self, keyframe: Keyframe, target: Target) {
        let before = self.last.as_ref().filter(|last| last.keyframe.shot() == keyframe.shot());
        let after = keyframe.names().iter().max().map_or(0, |name| name.saturating_add(1));
        let next_name = before.map_or(0, |last| last.next_name).max(after);
        self.last = Some(Last { keyframe, target, next_name });
    }

    /// The fit of the next picture, before its first step.
    pub fn begin(&self, target: Target) -> Result<Fit> {
        let fit = match self.carried(&target)? {
            Some((program, names)) => {
                let options = self.options_after(&program);
                Fit::from_named(target, options, &program, names)?
            }
            None => Fit::new(target, self.options_first())?,
        };
        Ok(fit.with_stop(self.stop.clone()))
    }

    /// The keyframe that a fit has come to, which the next picture goes on from.
    pub fn keep(&mut self, fit: &Fit, time_secs: f64) -> Result<&Keyframe> {
        let program = grained(&fit.program()?)?;
        let before = self.last.take();
        let (shot, names) = match (&before, fit.names()) {
            (Some(last), Some(own)) => {
                (last.keyframe.shot(), Names::of_survivors(own, last.next_name))
            }
            (last, _) => {
                let shot = last.as_ref().map_or(1, |last| last.keyframe.shot() + 1);
                (shot, Names::new(program.strokes().len(), 0))
            }
        };
        let keyframe = Keyframe::new(shot, time_secs, names.of_strokes, program)?;
        let target = fit.target().clone();
        let last = Last { keyframe, target, next_name: names.next };
        Ok(&self.last.insert(last).keyframe)
    }

    /// The last program, carried along to a picture, with its strokes' names; none where there was
    /// a cut.
    fn carried(&self, target: &Target) -> Result<Option<(Program, Names)>> {
        let Some(last) = &self.last else { return Ok(None) };
        if last.target.image().size() != target.image().size() {
            return Ok(None);
        }
        let program = last.keyframe.program();
        let (program, error) = carry::carried(program, &last.target, target, &self.stop)?;
        if error > CUT * target.floor() {
            return Ok(None);
        }
        let of_strokes = last.keyframe.names().to_vec();
        Ok(Some((program, Names { of_strokes, next: last.next_name })))
    }

    /// The options of a shot's first picture: the palette of the shot before stays.
    fn options_first(&self) -> Options {
        match &self.last {
            Some(last) => with_palette_of(&self.options.first, last.keyframe.program()),
            None => self.options.first.clone(),
        }
    }

    fn options_after(&self, program: &Program) -> Options {
        let FollowOptions { first, then } = &self.options;
        Options { stages: then.clone(), ..with_palette_of(first, program) }
    }
}

/// Options with a program's palette, if they ask for one.
fn with_palette_of(options: &Options, program: &Program) -> Options {
    let palette = match options.palette {
        Palette::Free => Palette::Free,
        _ => Palette::Fixed(program.palette().to_vec()),
    };
    Options { palette, palette_by: PaletteBy::Pixels, ..options.clone() }
}

/// A program whose numbers have no more digits than are of use.
fn grained(program: &Program) -> Result<Program> {
    let to = |value: f64, grain: f64| (value / grain).round() / (1.0 / grain).round();
    let place = |v: f64| to(v, PLACE_GRAIN);
    let stroke = |stroke: &Stroke| {
        let Shape { anchor, offset, half_width, bend } = stroke.shape;
        let point = |p: crate::Vec2<f64>| crate::vec2(place(p.x), place(p.y));
        let shape = Shape {
            anchor: point(anchor),
            offset: point(offset),
            half_width: place(half_width).max(PLACE_GRAIN),
            bend: to(bend, COLOUR_GRAIN),
        };
        let paint = match stroke.paint {
            Paint::Own(colour) => Paint::Own(colour.map(|v| to(v, COLOUR_GRAIN))),
            entry => entry,
        };
        Stroke { shape, paint }
    };
    let strokes = program.strokes().iter().map(stroke).collect();
    let mut parts = program.with_strokes(strokes)?.into_parts();
    parts.background = parts.background.map(|v| to(v, COLOUR_GRAIN));
    Program::new(parts)
}
