//! Fewer strokes for the same picture.
//!
//! A stroke that is not seen still pushes, so it cannot simply be taken away: what matters
//! is what the replay does without it. Each round leaves out every stroke in turn, in
//! small replays, and ranks the strokes by the harm; then it takes away as many of the most
//! harmless together as the goal allows, judged by the replay at full size. Harms change
//! with what is gone, hence rounds.

use crate::edit::{self, Choice};
use crate::error::{Error, Result};
use crate::fit::Target;
use crate::program::{Colour, Program};
use crate::render::{Region, View};
use crate::score::hard_render;
use rayon::prelude::*;

/// Width of the replay that judges, as in scores.
pub const WIDTH_PX: u32 = 1024;
/// Width of the replays that rank. With half of it, the harm of a stroke of some pixels
/// drowns in the grid; with twice, ranking takes three times as long.
const RANK_PX: u32 = 192;
/// Rounds towards an error: later ones find little.
const ROUNDS: usize = 6;
/// A round that takes away a smaller share of the strokes is the last.
const LEAST_GAIN: f64 = 0.01;
/// Share of what is too many that a round towards a count takes away.
const ROUND_SHARE: f64 = 0.4;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// At this many strokes.
    Strokes(usize),
    /// Before the error exceeds this: see [`Prune::error`].
    Error(f64),
}

/// A program that is losing strokes.
pub struct Prune {
    goal: Goal,
    program: Program,
    judge: Yardstick,
    rank: Yardstick,
    rounds: usize,
    is_done: bool,
}

impl Prune {
    /// Prepares a program to be pruned towards a goal. Its error is measured against a
    /// picture, or against its own replay as it is now.
    pub fn new(program: Program, picture: Option<&Target>, goal: Goal) -> Result<Self> {
        match goal {
            Goal::Strokes(count) if count > program.strokes.len() => {
                let message =
                    format!("the program has {} strokes, not {count}", program.strokes.len());
                return Err(Error::Request(message));
            }
            Goal::Error(error) if !(error >= 0.0) => {
                return Err(Error::Request(format!("an error of {error} cannot be kept")));
            }
            _ => {}
        }
        let judge = Yardstick::new(&program, picture, WIDTH_PX, true)?;
        let rank = Yardstick::new(&program, picture, RANK_PX, false)?;
        let is_done = goal == Goal::Strokes(program.strokes.len());
        Ok(Self { goal, program, judge, rank, rounds: 0, is_done })
    }

    /// Is the goal reached, or nothing more to be had?
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// The program as it is now.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Its error at [`WIDTH_PX`]: mean squared against a picture; without one, the share
    /// of pixels that have another colour than at the start.
    pub fn error(&self) -> Result<f64> {
        self.judge.error(&self.program)
    }

    /// One round; gives the number of strokes taken away.
    pub fn round(&mut self) -> Result<usize> {
        let before = self.program.strokes.len();
        let order = self.order()?;
        let count = match self.goal {
            Goal::Strokes(goal) => {
                let excess = before - goal;
                ((excess as f64 * ROUND_SHARE).ceil() as usize).max(before / 100).min(excess)
            }
            Goal::Error(limit) => self.most(&order, limit)?,
        };
        self.program = without(&self.program, &order[..count])?;
        self.rounds += 1;
        self.is_done = match self.goal {
            Goal::Strokes(goal) => self.program.strokes.len() == goal,
            Goal::Error(_) => self.rounds >= ROUNDS || (count as f64) < LEAST_GAIN * before as f64,
        };
        Ok(count)
    }

    /// The strokes' indices, the most harmless first.
    fn order(&self) -> Result<Vec<usize>> {
        let count = self.program.strokes.len();
        let harm = |i| self.rank.error(&without(&self.program, &[i])?);
        let harms = (0..count).into_par_iter().map(harm).collect::<Result<Vec<f64>>>()?;
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|a, b| harms[*a].total_cmp(&harms[*b]));
        Ok(order)
    }

    /// How many of the first in that order can go together.
    fn most(&self, order: &[usize], limit: f64) -> Result<usize> {
        let (mut good, mut bad) = (0, order.len() + 1);
        // Few at first: the error grows ever faster.
        let mut next = (order.len() / 8).max(1).min(order.len());
        while good + 1 < bad {
            if self.judge.error(&without(&self.program, &order[..next])?)? <= limit {
                good = next;
            } else {
                bad = next;
            }
            next = if bad > order.len() { (2 * good).min(order.len()) } else { (good + bad) / 2 };
            if good == order.len() {
                break;
            }
        }
        Ok(good)
    }
}

/// The program without some strokes.
fn without(program: &Program, indices: &[usize]) -> Result<Program> {
    let mut gone = vec![false; program.strokes.len()];
    indices.iter().for_each(|i| gone[*i] = true);
    edit::delete(program, &Choice::of(program, |i| gone[i]))
}

/// What replays are measured against.
struct Yardstick {
    view: View,
    colours: Vec<Colour>,
    /// Count the pixels that differ, whatever by.
    counts: bool,
}

impl Yardstick {
    /// Of a picture, or of a program's own replay: then with differing pixels counted, if
    /// `counts`.
    fn new(
        program: &Program,
        picture: Option<&Target>,
        width_px: u32,
        counts: bool,
    ) -> Result<Self> {
        let Some(picture) = picture else {
            let view = View::new(Region::canvas(program), Some(width_px), None)?;
            return Ok(Self { view, colours: hard_render(program, view)?, counts });
        };
        let scale = f64::from(width_px) / f64::from(picture.width_px);
        let longer = f64::from(picture.width_px.max(picture.height_px));
        let small = picture.at_most((longer * scale.min(1.0)).round() as u32);
        let view = View { region: Region::canvas(program), ..small.view() };
        Ok(Self { view, colours: small.colours, counts: false })
    }

    fn error(&self, program: &Program) -> Result<f64> {
        let picture = hard_render(program, self.view)?;
        let pairs = picture.iter().zip(&self.colours);
        let sum: f64 = if self.counts {
            pairs.filter(|(a, b)| a != b).count() as f64
        } else {
            let square = |a: &Colour, b: &Colour| {
                (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>() / 3.0
            };
            pairs.map(|(a, b)| square(a, b)).sum()
        };
        Ok(sum / self.colours.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prior;

    fn pruned(program: &Program, picture: Option<&Target>, goal: Goal) -> Prune {
        let mut prune = Prune::new(program.clone(), picture, goal).unwrap();
        while !prune.is_done() {
            prune.round().unwrap();
        }
        prune
    }

    #[test]
    fn an_error_is_kept_and_strokes_go() {
        let program = prior::program(120, 1.0, 3).unwrap();
        let prune = pruned(&program, None, Goal::Error(0.01));
        let left = prune.program().strokes.len();
        assert!(prune.error().unwrap() <= 0.01);
        assert!(left < 110, "{left} of 120 strokes are left");
        // What is left are strokes of the program, in their order.
        let mut rest = program.strokes.iter();
        assert!(prune.program().strokes.iter().all(|s| rest.any(|t| s == t)));
    }

    #[test]
    fn a_count_is_met_and_a_picture_steers() {
        let program = prior::program(60, 0.5, 4).unwrap();
        let view = View::new(Region::canvas(&program), Some(200), None).unwrap();
        let colours = hard_render(&program, view).unwrap();
        let target = Target::new((200, 100), colours, None).unwrap();
        let prune = pruned(&program, Some(&target), Goal::Strokes(41));
        assert_eq!(prune.program().strokes.len(), 41);
        // The latest strokes are all seen: taking those would do more harm.
        let tail = without(&program, &(41..60).collect::<Vec<_>>()).unwrap();
        assert!(prune.error().unwrap() < prune.judge.error(&tail).unwrap());
    }

    #[test]
    fn goals_that_cannot_be_are_refused() {
        let program = prior::program(5, 1.0, 1).unwrap();
        assert!(Prune::new(program.clone(), None, Goal::Strokes(6)).is_err());
        assert!(Prune::new(program.clone(), None, Goal::Error(f64::NAN)).is_err());
        assert_eq!(pruned(&program, None, Goal::Strokes(5)).program(), &program);
        assert!(pruned(&program, None, Goal::Strokes(0)).program().strokes.is_empty());
        // Everything may go.
        assert!(pruned(&program, None, Goal::Error(1.0)).program().strokes.is_empty());
    }
}
