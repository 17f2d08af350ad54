//! Which strokes are meant, in words: `last 20% and colour 3 and not region 0,0,1,0.5`.

use super::colours::{check_paint, is_of};
use crate::error::{Error, Result};
use crate::info::VISIBLE_SHARE;
use crate::program::{Paint, Program};
use crate::render::{Region, Replay, ReplayOptions, View};
use std::cell::OnceCell;

/// Width of the replay in which owned pixels are counted, as in the paper.
pub const OWNED_WIDTH_PX: u32 = 1024;

/// Some of a program's strokes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice(Vec<bool>);

impl Choice {
    /// All strokes of a program.
    pub fn all(program: &Program) -> Self {
        Self(vec![true; program.strokes().len()])
    }

    /// The strokes that a test holds for, by their index from 0.
    pub fn of(program: &Program, test: impl Fn(usize) -> bool) -> Self {
        Self((0..program.strokes().len()).map(test).collect())
    }

    /// How many are chosen.
    pub fn count(&self) -> usize {
        self.0.iter().filter(|chosen| **chosen).count()
    }

    /// For each stroke, whether it is chosen.
    pub fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        self.0.iter().copied()
    }

    /// Refuses a choice that was made for a program of another length.
    pub(super) fn check(&self, program: &Program) -> Result<()> {
        let (own, strokes) = (self.0.len(), program.strokes().len());
        if own == strokes {
            return Ok(());
        }
        Err(Error::Request(format!("a choice among {own} strokes is none among {strokes}")))
    }

    fn joined(self, other: &Self, join: impl Fn(bool, bool) -> bool) -> Self {
        Self(self.iter().zip(other.iter()).map(|(a, b)| join(a, b)).collect())
    }
}

/// A count of strokes, or a share of all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// So many.
    Count(usize),
    /// So many of a hundred.
    Percent(f64),
}

impl Amount {
    fn of(self, strokes: usize) -> Result<usize> {
        match self {
            Self::Count(count) if count <= strokes => Ok(count),
            Self::Count(count) => {
                Err(Error::Request(format!("the program has {strokes} strokes, not {count}")))
            }
            Self::Percent(percent) => Ok((strokes as f64 * percent / 100.0).round() as usize),
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

/// A rule that chooses strokes. It is read from words, one for each kind below: `all`, `7`,
/// `5..8`, `first 20%`, `last 100`, `colour 3`, `colour #1d3f73`, `half-width 0.01..0.02`,
/// `length ..0.05`, `bend 0.5..`, `pixels 50..`, `region X,Y,W,H`, `visible`, joined with `and`,
/// `or`, `not` and parentheses:
///
/// ```
/// # use tbr::edit::Selection;
/// let rule: Selection = "last 20% and (colour 3 or not visible)".parse()?;
/// # Ok::<(), tbr::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Selection {
    /// Every stroke.
    All,
    /// Strokes by number, counted from 1.
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
    /// The strokes of a program that it means.
    pub fn choose(&self, program: &Program) -> Result<Choice> {
        Chooser { program, owned: OnceCell::new(), visible: OnceCell::new() }.choose(self)
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
    fn choose(&self, selection: &Selection) -> Result<Choice> {
        let strokes = self.program.strokes();
        let count = strokes.len();
        let by = |test: &dyn Fn(usize) -> bool| Ok(Choice::of(self.program, test));
        match selection {
            Selection::All => Ok(Choice::all(self.program)),
            Selection::Numbers(range) => {
                self.check_numbers(*range)?;
                by(&|i| range.holds((i + 1) as f64))
            }
            Selection::First(amount) => {
                let first = amount.of(count)?;
                by(&|i| i < first)
            }
            Selection::Last(amount) => {
                let last = amount.of(count)?;
                by(&|i| i + last >= count)
            }
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
            Selection::Not(inner) => {
                let inner = self.choose(inner)?;
                Ok(Choice(inner.iter().map(|chosen| !chosen).collect()))
            }
            Selection::And(a, b) => Ok(self.choose(a)?.joined(&self.choose(b)?, |a, b| a && b)),
            Selection::Or(a, b) => Ok(self.choose(a)?.joined(&self.choose(b)?, |a, b| a || b)),
        }
    }

    fn check_numbers(&self, range: Interval) -> Result<()> {
        let count = self.program.strokes().len() as f64;
        for number in [range.from, range.to].into_iter().filter(|n| n.is_finite()) {
            if !(1.0..=count).contains(&number) {
                let message = format!("there is no stroke {number}: they go from 1 to {count}");
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
        let least = VISIBLE_SHARE * view.pixels() as f64;
        let owned = self.owned_in(view)?;
        let visible = owned.iter().map(|owned| *owned as f64 >= least).collect();
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
