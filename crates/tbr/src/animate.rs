//! Animation: for each frame of a film, the program of that moment.
//!
//! Deposits can grow. The maps are defined for every inserted area, so a stroke that has
//! received a share of its paint is a stroke like any other: the same segment, with the
//! half-width that encloses that share of the area. As the share goes from 0 to 1, paint
//! really flows. Several strokes may grow at once; each still pushes what was begun
//! before it. Tools are drawn through the paint in the same way: a share of their pull, or of
//! their way, is a tool like any other.

#[cfg(test)]
mod tests;
mod timetable;

use crate::error::{Error, Result};
use crate::program::colour::blend;
use crate::program::{Paint, Program, Step};
use crate::tool::Pass;
use std::borrow::Cow;
use timetable::Timetable;

/// The most frames of a film: an hour at 28 a second.
pub const MAX_FRAMES: usize = 100_000;

/// The easing of a film: how its progress depends on time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Easing {
    /// Evenly.
    Linear,
    /// Slowly at first.
    In,
    /// Slowly at the end.
    Out,
    /// Slowly at both ends.
    InOut,
}

impl Easing {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Linear, Self::In, Self::Out, Self::InOut];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::In => "in",
            Self::Out => "out",
            Self::InOut => "in-out",
        }
    }

    /// How far things are at a share `t` of the time; both from 0 to 1.
    pub fn at(self, t: f64) -> f64 {
        match self {
            Self::Linear => t,
            Self::In => t * t,
            Self::Out => t * (2.0 - t),
            Self::InOut => t * t * (3.0 - 2.0 * t),
        }
    }
}

impl std::str::FromStr for Easing {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|e| e.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::Request(format!("\"{name}\" is none of {names}"))
        })
    }
}

/// How a film is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilmOptions {
    /// How many frames, the first and the last included.
    pub frames: usize,
    /// How progress depends on time.
    pub easing: Easing,
    /// How many strokes' time a deposit takes to grow: at 1 each is finished before the
    /// next begins, at more several grow together. None: strokes appear at once.
    pub growth: Option<f64>,
}

impl Default for FilmOptions {
    fn default() -> Self {
        Self { frames: 300, easing: Easing::Linear, growth: Some(1.0) }
    }
}

/// A film, frame by frame.
pub struct Film<'a> {
    from: &'a Program,
    /// Where a morph leads.
    to: Option<Program>,
    options: FilmOptions,
}

impl<'a> Film<'a> {
    /// A program being laid down, from the bare canvas to the whole.
    pub fn laying(program: &'a Program, options: FilmOptions) -> Result<Self> {
        check(&options)?;
        Ok(Self { from: program, to: None, options })
    }

    /// One program becoming another that differs from it in numbers only: stroke by stroke
    /// the places, widths, bends and colours go over, and the numbers of tools.
    pub fn morph(from: &'a Program, to: &Program, options: FilmOptions) -> Result<Self> {
        check(&options)?;
        check_alike(from, to)?;
        Ok(Self { from, to: Some(to.clone()), options })
    }

    /// How many frames there are.
    pub fn frames(&self) -> usize {
        self.options.frames
    }

    /// The program of frame `k`, counted from 0.
    pub fn program(&self, k: usize) -> Result<Program> {
        let last = self.options.frames - 1;
        self.at(if last == 0 { 1.0 } else { k.min(last) as f64 / last as f64 })
    }

    /// The program of any moment, as a share of the film's time.
    pub fn at(&self, time: f64) -> Result<Program> {
        let share = self.options.easing.at(time.clamp(0.0, 1.0));
        match &self.to {
            Some(to) => between(self.from, to, share),
            None => self.laid(share),
        }
    }

    /// The program of a moment that is counted in steps.
    fn at_step(&self, time: f64) -> Result<Program> {
        let timetable = Timetable::new(&self.from.steps(), self.options.growth);
        self.laid(timetable.share_at_step(time))
    }

    /// The program with a share of its paint laid.
    fn laid(&self, share: f64) -> Result<Program> {
        if share >= 1.0 {
            return Ok(self.from.clone());
        }
        let mut parts = self.from.clone().into_parts();
        let steps = parts.steps();
        let timetable = Timetable::new(&steps, self.options.growth);
        let done = |(i, step): (usize, &Step)| {
            let done = timetable.share(i, share);
            match step {
                Step::Stroke(stroke) => stroke.with_share(done).map(Step::Stroke),
                Step::Tool(tool) => (done > 0.0).then(|| Step::Tool(tool.drawn(done))),
            }
        };
        parts.set_steps(steps.iter().enumerate().filter_map(done));
        Program::new(parts)
    }
}

/// How many strokes are begun while one grows for `grow_secs`, in a film of a program that takes
/// so many seconds; none if they appear at once. (Tools take a part of the film.)
pub fn growth(grow_secs: f64, seconds: f64, program: &Program) -> Option<f64> {
    let time = || Timetable::new(&program.steps(), None).whole();
    (grow_secs > 0.0).then(|| (grow_secs / seconds * time()).max(1.0))
}

/// How many steps are done at a time that is counted in steps; all if none is given.
pub fn steps_at(program: &Program, time: Option<f64>) -> Result<usize> {
    let count = program.step_count();
    let Some(time) = time else { return Ok(count) };
    if (0.0..=count as f64).contains(&time) {
        return Ok(time as usize);
    }
    let what = program.step_word();
    Err(Error::Request(format!("there is no time {time}: it goes from 0 to {count} {what}")))
}

/// The program as it is at a time that is counted in steps: its first steps, or, with
/// `grow`, so many strokes growing together.
pub fn laid_at(
    program: &Program,
    time: Option<f64>,
    grow: Option<f64>,
) -> Result<Cow<'_, Program>> {
    let first = steps_at(program, time)?;
    if let (Some(time), Some(grow)) = (time, grow) {
        let options = FilmOptions { growth: Some(grow.max(1.0)), ..Default::default() };
        return Ok(Cow::Owned(Film::laying(program, options)?.at_step(time)?));
    }
    if first == program.step_count() {
        return Ok(Cow::Borrowed(program));
    }
    Ok(Cow::Owned(program.first(first)?))
}

fn check(options: &FilmOptions) -> Result<()> {
    if !(1..=MAX_FRAMES).contains(&options.frames) {
        let what = format!("a film of {} frames", options.frames);
        return Err(Error::limit(what, format!("1 to {MAX_FRAMES} frames")));
    }
    match options.growth {
        Some(growth) if !(1.0..=1e9).contains(&growth) => Err(Error::Request(format!(
            "deposits cannot grow over {growth} strokes: 1 is the least"
        ))),
        _ => Ok(()),
    }
}

/// Refuses programs that differ in more than numbers.
fn check_alike(a: &Program, b: &Program) -> Result<()> {
    let differ = |what: &str, one: String, other: String| {
        Err(Error::Request(format!(
            "programs that differ in {what} ({one} and {other}) do not go over into each other"
        )))
    };
    if a.strokes().len() != b.strokes().len() {
        let count = |p: &Program| p.strokes().len().to_string();
        return differ("their number of strokes", count(a), count(b));
    }
    let kinds =
        |p: &Program| p.tools().iter().map(|t| (t.after, t.tool.kind())).collect::<Vec<_>>();
    if kinds(a) != kinds(b) {
        let count = |p: &Program| p.tools().len().to_string();
        return differ("their tools", count(a), count(b));
    }
    if a.operator() != b.operator() {
        return differ("their operator", a.operator().to_string(), b.operator().to_string());
    }
    if a.height() != b.height() {
        return differ("their canvas's height", a.height().to_string(), b.height().to_string());
    }
    Ok(())
}

/// The program at a share of the way.
fn between(from: &Program, to: &Program, share: f64) -> Result<Program> {
    if share <= 0.0 {
        return Ok(from.clone());
    }
    if share >= 1.0 {
        return Ok(to.clone());
    }
    let mix = |a: f64, b: f64| a + (b - a) * share;
    let mut parts = from.clone().into_parts();
    parts.background = blend(from.background(), to.background(), share);
    for (k, (stroke, other)) in parts.strokes.iter_mut().zip(to.strokes()).enumerate() {
        stroke.shape = stroke.shape.towards(&other.shape.turned_like(&stroke.shape), share);
        let colours = [from.colour(from.strokes()[k].paint), to.colour(other.paint)];
        stroke.paint = Paint::Own(blend(colours[0], colours[1], share));
    }
    for (Pass { tool, after }, other) in parts.tools.iter_mut().zip(to.tools()) {
        let pairs = tool.numbers().iter().zip(other.tool.numbers());
        let numbers: Vec<f64> = pairs.map(|(a, b)| mix(*a, *b)).collect();
        *tool = tool
            .with_numbers(&numbers)
            .map_err(|problem| Error::program(format!("the tool after stroke {after}"), problem))?;
    }
    Program::new(parts)
}
