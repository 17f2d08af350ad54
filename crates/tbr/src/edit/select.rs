//! Which steps are meant, in words: `last 20% and colour 3 and not region 0,0,1,0.5`.

use super::colours::{check_paint, is_of};
use crate::error::{Error, Result};
use crate::info::least_visible;
use crate::program::{Paint, Program, StepIndex, step_order};
use crate::render::{Region, Replay, ReplayOptions, View};
use crate::tool::ToolKind;
use std::cell::OnceCell;

/// Width of the replay in which owned pixels are counted, as in the paper.
pub const OWNED_WIDTH_PX: u32 = 1024;

/// Some of a program's steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice(Vec<bool>);

impl Choice {
    /// All steps of a program.
    pub fn all(program: &Program) -> Self {
        Self(vec![true; program.step_count()])
    }

    /// The strokes that a test holds for, by their index among the strokes from 0. (No tools.)
    pub fn of(program: &Program, test: impl Fn(usize) -> bool) -> Self {
        Self(order(program).map(|step| matches!(step, StepIndex::Stroke(i) if test(i))).collect())
    }

    /// The steps that a test holds for, by their index from 0.
    pub fn of_steps(program: &Program, test: impl Fn(usize) -> bool) -> Self {
        Self((0..program.step_count()).map(test).collect())
    }

    /// For each stroke, whether it is chosen.
    pub fn of_strokes(&self, program: &Program) -> impl Iterator<Item = bool> {
        let steps = self.iter().zip(order(program));
        steps.filter(|(_, step)| matches!(step, StepIndex::Stroke(_))).map(|(chosen, _)| chosen)
    }

    /// How many are chosen.
    pub fn count(&self) -> usize {
        self.0.iter().filter(|chosen| **chosen).count()
    }

    /// For each step, whether it is chosen.
    pub fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        self.0.iter().copied()
    }

    /// Refuses a choice that was made for a program of another length.
    pub(super) fn check(&self, program: &Program) -> Result<()> {
        let (own, steps) = (self.0.len(), program.step_count());
        if own == steps {
            return Ok(());
        }
        Err(Error::Request(format!("a choice among {own} steps is none among {steps}")))
    }
}

/// The steps of a program, by their index.
fn order(program: &Program) -> impl Iterator<Item = StepIndex> {
    step_order(program.strokes().len(), program.tools())
}

/// For each step, whether a rule chooses it; nothing where it says nothing about such steps: a
/// tool has no colour, so it is neither of one nor not of it.
struct Answers(Vec<Option<bool>>);

impl Answers {
    fn not(self) -> Self {
        Self(self.0.into_iter().map(|answer| answer.map(|chosen| !chosen)).collect())
    }

    /// What two rules say together: `decides` settles it, whatever the other says.
    fn joined(self, other: Self, decides: bool) -> Self {
        let join = |(a, b): (Option<bool>, Option<bool>)| match (a, b) {
            (Some(a), _) if a == decides => Some(decides),
            (_, Some(b)) if b == decides => Some(decides),
            (Some(_), Some(_)) => Some(!decides),
            _ => None,
        };
        Self(self.0.into_iter().zip(other.0).map(join).collect())
    }
}

/// A count of steps, or a share of all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// So many.
    Count(usize),
    /// So many of a hundred.
    Percent(f64),
}

impl Amount {
    fn of(self, program: &Program) -> Result<usize> {
        let (steps, what) = (program.step_count(), program.step_word());
        match self {
            Self::Count(count) if count <= steps => Ok(count),
            Self::Count(count) => {
                Err(Error::Request(format!("the program has {steps} {what}, not {count}")))
            }
            Self::Percent(percent) => Ok((steps as f64 * percent / 100.0).round() as usize),
        }
    }
}

/// Numbers from one to another, both included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The least.
    pub from: f64,
    /// The most.
    pub to: f64,
}

impl Interval {
    fn holds(self, value: f64) -> bool {
        (self.from..=self.to).contains(&value)
    }
}

/// A rule that chooses steps. It is read from words, one for each kind below: `all`, `7`,
/// `5..8`, `first 20%`, `last 100`, `colour 3`, `colour #1d3f73`, `half-width 0.01..0.02`,
/// `length ..0.05`, `bend 0.5..`, `pixels 50..`, `region X,Y,W,H`, `visible`, `strokes`, `tools`,
/// `tool comb`, joined with `and`, `or`, `not` and parentheses. A rule about what only strokes
/// have, a colour or a width, chooses no tool, and neither does its negation.
///
/// ```
/// # use tbr::edit::Selection;
/// let rule: Selection = "last 20% and (colour 3 or not visible)".parse()?;
/// # Ok::<(), tbr::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Selection {
    /// Every step.
    All,
    /// Strokes.
    Strokes,
    /// Tools: all, or those of a kind.
    Tools(Option<ToolKind>),
    /// Steps by number, counted from 1.
    Numbers(Interval),
    /// The earliest.
    First(Amount),
    /// The latest.
    Last(Amount),
    /// Strokes of one colour.
    Colour(Paint),
    /// Strokes by half-width.
    HalfWidth(Interval),
    /// Strokes by the length of their segment.
    Length(Interval),
    /// Strokes by bend, which has a sign: to the other side it is negative.
    Bend(Interval),
    /// Strokes by how many pixels they own in a replay [`OWNED_WIDTH_PX`] wide.
    Pixels(Interval),
    /// Strokes that own enough to be seen, as in [`crate::info::Info::within`].
    Visible,
    /// Strokes that own pixels in a part of the picture.
    Region(Region),
    /// Strokes that another rule does not choose.
    Not(Box<Selection>),
    /// Strokes that both choose.
    And(Box<Selection>, Box<Selection>),
    /// Strokes that either chooses.
    Or(Box<Selection>, Box<Selection>),
}

impl Selection {
    /// The steps of a program that it means.
    pub fn choose(&self, program: &Program) -> Result<Choice> {
        let chooser = Chooser { program, owned: OnceCell::new(), visible: OnceCell::new() };
        let Answers(answers) = chooser.answers(self)?;
        Ok(Choice(answers.into_iter().map(|answer| answer == Some(true)).collect()))
    }
}

/// A program being asked.
struct Chooser<'a> {
    program: &'a Program,
    /// Pixels that each stroke owns, once somebody wants to know.
    owned: OnceCell<Vec<u64>>,
    /// The strokes that are seen, likewise.
    visible: OnceCell<Vec<bool>>,
}

impl Chooser<'_> {
    fn answers(&self, selection: &Selection) -> Result<Answers> {
        let (program, count) = (self.program, self.program.step_count());
        let steps =
            |test: &dyn Fn(usize) -> bool| Ok(Answers((0..count).map(|i| Some(test(i))).collect()));
        match selection {
            Selection::All => steps(&|_| true),
            Selection::Strokes | Selection::Tools(_) => {
                let is_meant = |step| match (selection, step) {
                    (Selection::Tools(kind), StepIndex::Tool(k)) => {
                        kind.is_none_or(|kind| program.tools()[k].tool.kind() == kind)
                    }
                    (selection, StepIndex::Stroke(_)) => *selection == Selection::Strokes,
                    _ => false,
                };
                Ok(Answers(order(program).map(|step| Some(is_meant(step))).collect()))
            }
            Selection::Numbers(range) => {
                self.check_numbers(*range)?;
                steps(&|i| range.holds((i + 1) as f64))
            }
            Selection::First(amount) => {
                let first = amount.of(program)?;
                steps(&|i| i < first)
            }
            Selection::Last(amount) => {
                let last = amount.of(program)?;
                steps(&|i| i + last >= count)
            }
            Selection::Not(inner) => Ok(self.answers(inner)?.not()),
            Selection::And(a, b) => Ok(self.answers(a)?.joined(self.answers(b)?, false)),
            Selection::Or(a, b) => Ok(self.answers(a)?.joined(self.answers(b)?, true)),
            _ => self.about_strokes(selection),
        }
    }

    /// Rules about what only strokes have.
    fn about_strokes(&self, selection: &Selection) -> Result<Answers> {
        let strokes = self.program.strokes();
        let by = |test: &dyn Fn(usize) -> bool| {
            let answer = |step| match step {
                StepIndex::Stroke(i) => Some(test(i)),
                StepIndex::Tool(_) => None,
            };
            Ok(Answers(order(self.program).map(answer).collect()))
        };
        match selection {
            Selection::Colour(paint) => {
                check_paint(self.program, *paint)?;
                by(&|i| is_of(self.program, strokes[i].paint, *paint))
            }
            Selection::HalfWidth(range) => by(&|i| range.holds(strokes[i].shape.half_width)),
            Selection::Length(range) => by(&|i| range.holds(strokes[i].shape.length())),
            Selection::Bend(range) => by(&|i| range.holds(strokes[i].shape.bend)),
            Selection::Pixels(range) => {
                let owned = self.owned()?;
                by(&|i| range.holds(owned[i] as f64))
            }
            Selection::Visible => {
                let visible = self.visible()?;
                by(&|i| visible[i])
            }
            Selection::Region(region) => match self.region_view(*region)? {
                None => by(&|_| false),
                Some(view) => {
                    let owned = self.owned_in(view)?;
                    by(&|i| owned[i] > 0)
                }
            },
            _ => by(&|_| false),
        }
    }

    fn check_numbers(&self, range: Interval) -> Result<()> {
        let count = self.program.step_count() as f64;
        let what = self.program.step_word().trim_end_matches('s');
        for number in [range.from, range.to].into_iter().filter(|n| n.is_finite()) {
            if !(1.0..=count).contains(&number) {
                let message = format!("there is no {what} {number}: they go from 1 to {count}");
                return Err(Error::Request(message));
            }
        }
        Ok(())
    }

    /// What a region has of the canvas, with pixels as large as those of the whole; none
    /// if it has nothing of it.
    fn region_view(&self, region: Region) -> Result<Option<View>> {
        View::new(region, Some(1), None)?;
        let (x, y) = (region.x.max(0.0), region.y.max(0.0));
        let width = (region.x + region.width).min(1.0) - x;
        let height = (region.y + region.height).min(self.program.height()) - y;
        if width <= 0.0 || height <= 0.0 {
            return Ok(None);
        }
        let px = |side: f64| (side * f64::from(OWNED_WIDTH_PX)).ceil().max(1.0) as u32;
        let region = Region { x, y, width, height };
        Ok(Some(View { region, width_px: px(width), height_px: px(height) }))
    }

    /// Pixels that each stroke owns.
    fn owned(&self) -> Result<&[u64]> {
        if let Some(owned) = self.owned.get() {
            return Ok(owned);
        }
        let owned = self.owned_in(View::of_canvas(self.program, OWNED_WIDTH_PX)?)?;
        Ok(self.owned.get_or_init(|| owned))
    }

    /// Which strokes are seen: a share of the canvas, which can be counted in larger pixels.
    fn visible(&self) -> Result<&[bool]> {
        if let Some(visible) = self.visible.get() {
            return Ok(visible);
        }
        let view = View::of_canvas_within(self.program, OWNED_WIDTH_PX)?;
        let least = least_visible(self.program.strokes().len(), view.pixels());
        let owned = self.owned_in(view)?;
        let visible = owned.iter().map(|owned| *owned >= least).collect();
        Ok(self.visible.get_or_init(|| visible))
    }

    fn owned_in(&self, view: View) -> Result<Vec<u64>> {
        view.check_pixels()?;
        let replay = Replay::new(self.program, view, &ReplayOptions::default())?;
        let mut owned = replay.count_owned();
        owned.remove(0);
        Ok(owned)
    }
}
