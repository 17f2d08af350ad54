//! Fewer strokes for the same picture.
//!
//! A stroke that is not seen still pushes, so it cannot simply be taken away: all earlier
//! paint would flow back. It is taken out and the earlier strokes are put where it had
//! pushed them; then little changes, and what does is measured by replay.
//!
//! Small replays, each without one stroke, rank the strokes by how much they would be
//! missed. In that order blocks of them are taken out, if the replay bears it; a block that
//! costs too much is halved, and a stroke that costs too much stays. What is missed changes
//! with what is gone: so there are rounds, the first of which take only what is cheap.
//!
//! A round is many replays, and the caller owns the loop: each [`Prune::step`] makes a few.

mod thinning;
mod yardstick;

#[cfg(test)]
mod tests;

use crate::error::{Error, Result};
use crate::fit::Target;
use crate::numbers::Vec2;
use crate::parallel::Stop;
use crate::program::{MAX_COORDINATE, MIN_HALF_WIDTH, Program, Stroke};
use crate::render::{Replay, ReplayOptions};
use crate::stroke::Operator;
use crate::stroke::{Frame, Shape};
use crate::tool::{Move, Pass};
use rayon::prelude::*;
use thinning::{Allowance, Thinning};
use yardstick::{Yardstick, judging_width};

/// Width of the replay that judges the result, as in scores; less where the canvas is tall, see
/// [`width_px`].
pub const WIDTH_PX: u32 = 1024;
/// Widths of the replays that judge blocks, and of those that rank, as shares of it.
const BLOCK_SHARE: f64 = 384.0 / 1024.0;
const RANK_SHARE: f64 = 128.0 / 1024.0;
/// Share of the strokes that are looked at: those that own least. The others are seen.
const CANDIDATES: f64 = 0.5;
/// Strokes that are ranked in one step, at least: enough for some threads, and well under a
/// second with twenty thousand strokes.
const RANKED_AT_ONCE: usize = 8;
/// What a stroke may cost in each round towards an error, in units of the whole allowance
/// over a fifth of the strokes.
const ROUNDS: [f64; 3] = [1.0, 4.0, f64::INFINITY];
/// Share of what is too many that a round towards a count takes away.
const ROUND_SHARE: f64 = 0.4;
/// Share of a round's time that ranking takes, roughly.
const RANKING_TIME: f64 = 0.5;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// At this many strokes.
    Strokes(usize),
    /// Before the error exceeds this: see [`Prune::error`].
    Error(f64),
}

/// The error that [`Prune::error`] gives for a program before it is pruned.
pub fn error(program: &Program, picture: Option<&Target>) -> Result<f64> {
    Yardstick::new(program, picture, width_px(program)?)?.error(program, &Stop::never())
}

/// The width at which a program is judged: [`WIDTH_PX`], or less if its canvas is so tall that
/// these would be too many pixels.
pub fn width_px(program: &Program) -> Result<u32> {
    judging_width(program, WIDTH_PX)
}

/// A program that is losing strokes.
pub struct Prune {
    goal: Goal,
    /// Strokes at the start.
    strokes: usize,
    program: Program,
    /// How the result, blocks and single strokes are measured.
    whole: Yardstick,
    block: Yardstick,
    single: Yardstick,
    rounds: usize,
    work: Work,
    /// The program's error, where it is known already.
    known_error: Option<f64>,
    is_done: bool,
    stop: Stop,
}

/// Where a round stands.
enum Work {
    /// Not begun.
    Begin,
    /// Candidates are being ranked: `missed` says how much each of the first of them would be.
    Ranking { candidates: Vec<usize>, missed: Vec<f64> },
    /// Blocks are being taken out.
    Thinning(Box<Thinning>),
    /// Blocks were judged at a smaller size, and the last ones may have been too many: the last
    /// state that is good lies in `good..bad`.
    Settling { thinning: Box<Thinning>, good: usize, bad: usize },
}

impl Prune {
    /// Prepares a program to be pruned towards a goal. Its error is measured against a
    /// picture, or against its own replay as it is now.
    pub fn new(program: Program, picture: Option<&Target>, goal: Goal) -> Result<Self> {
        let strokes = program.strokes().len();
        match goal {
            Goal::Strokes(count) if count > strokes => {
                let message = format!("the program has {strokes} strokes, not {count}");
                return Err(Error::Request(message));
            }
            Goal::Error(error) if error < 0.0 || error.is_nan() => {
                return Err(Error::Request(format!("an error of {error} cannot be kept")));
            }
            _ => {}
        }
        let width = width_px(&program)?;
        let share = |share: f64| ((f64::from(width) * share).round() as u32).max(1);
        Ok(Self {
            goal,
            strokes,
            whole: Yardstick::new(&program, picture, width)?,
            block: Yardstick::new(&program, picture, share(BLOCK_SHARE))?,
            single: Yardstick::of_replay(&program, share(RANK_SHARE))?,
            rounds: 0,
            work: Work::Begin,
            // Against its own replay it has none.
            known_error: picture.is_none().then_some(0.0),
            is_done: goal == Goal::Strokes(strokes),
            program,
            stop: Stop::never(),
        })
    }

    /// With somebody who may stop it in the middle of a step: [`Prune::step`] then gives
    /// [`Error::Stopped`], and the program is that of the last round.
    pub fn with_stop(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// Is the goal reached, or nothing more to be had?
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// The program as it is after the last round.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Its error at [`width_px`]: mean squared against a picture; without one, the share
    /// of pixels that have another colour than at the start.
    pub fn error(&self) -> Result<f64> {
        match self.known_error {
            Some(error) => Ok(error),
            None => self.whole.error(&self.program, &Stop::never()),
        }
    }

    /// Share of the work that is done, roughly: rounds towards an error are taken to be equal.
    pub fn progress(&self) -> f64 {
        if self.is_done {
            return 1.0;
        }
        let of_round = match &self.work {
            Work::Begin => 0.0,
            Work::Ranking { candidates, missed } => {
                RANKING_TIME * missed.len() as f64 / candidates.len().max(1) as f64
            }
            Work::Thinning(thinning) => RANKING_TIME + (1.0 - RANKING_TIME) * thinning.share(),
            Work::Settling { .. } => 1.0,
        };
        match self.goal {
            Goal::Error(_) => (self.rounds as f64 + of_round) / ROUNDS.len() as f64,
            Goal::Strokes(goal) => {
                let gone = (self.strokes - self.program.strokes().len()) as f64;
                let going = self.round_count(goal) as f64 * of_round / RANKING_TIME;
                (gone + going) / (self.strokes - goal) as f64
            }
        }
    }

    /// One round; gives the number of strokes taken away: none after the end.
    pub fn round(&mut self) -> Result<usize> {
        let (strokes, round) = (self.program.strokes().len(), self.rounds);
        while !self.is_done && self.rounds == round {
            self.step()?;
        }
        Ok(strokes - self.program.strokes().len())
    }

    /// A part of a round: a few replays. The program changes at the round's end; whoever stops
    /// before has the program of the round before.
    pub fn step(&mut self) -> Result<()> {
        if self.is_done {
            return Ok(());
        }
        self.stop.check()?;
        self.work = match std::mem::replace(&mut self.work, Work::Begin) {
            Work::Begin => Work::Ranking { candidates: self.candidates()?, missed: Vec::new() },
            Work::Ranking { candidates, missed } if missed.len() < candidates.len() => {
                self.rank(candidates, missed)?
            }
            Work::Ranking { candidates, missed } => self.ranked(candidates, missed)?,
            Work::Thinning(mut thinning) => match thinning.step(&self.block, &self.stop)? {
                true => Work::Thinning(thinning),
                false => Work::Settling { good: 0, bad: thinning.states.len(), thinning },
            },
            Work::Settling { thinning, good, bad } => self.settle(thinning, good, bad)?,
        };
        Ok(())
    }

    /// How many strokes a round towards a count takes away.
    fn round_count(&self, goal: usize) -> usize {
        let strokes = self.program.strokes().len();
        let excess = strokes - goal;
        let share = (excess as f64 * ROUND_SHARE).ceil() as usize;
        share.max(strokes / 100).min(excess)
    }

    /// The indices of the strokes that own least, which are looked at in this round.
    fn candidates(&self) -> Result<Vec<usize>> {
        let count = self.program.strokes().len();
        let half = (CANDIDATES * count as f64).ceil() as usize;
        let most = match self.goal {
            Goal::Strokes(goal) => half.max(2 * self.round_count(goal)),
            Goal::Error(_) => half,
        };
        let replay = Replay::new(&self.program, self.block.view, &ReplayOptions::default())?;
        let owned = replay.count_owned();
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|i| owned[i + 1]);
        order.truncate(most);
        Ok(order)
    }

    /// Finds out how much some more of the candidates would be missed.
    fn rank(&self, candidates: Vec<usize>, mut missed: Vec<f64>) -> Result<Work> {
        let at_once = RANKED_AT_ONCE.max(2 * rayon::current_num_threads());
        let next = &candidates[missed.len()..];
        let would_be = |i: &usize| {
            self.stop.check()?;
            self.single.error(&take_out(&self.program, &[*i])?, &self.stop)
        };
        let some = next[..at_once.min(next.len())].par_iter().map(would_be);
        missed.extend(some.collect::<Result<Vec<f64>>>()?);
        Ok(Work::Ranking { candidates, missed })
    }

    /// Those that would be missed least go: at once, or block by block.
    fn ranked(&mut self, candidates: Vec<usize>, missed: Vec<f64>) -> Result<Work> {
        let mut ranked: Vec<(f64, usize)> = missed.into_iter().zip(candidates).collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let order: Vec<usize> = ranked.into_iter().map(|(_, i)| i).collect();
        match self.goal {
            Goal::Strokes(goal) => {
                self.program = take_out(&self.program, &order[..self.round_count(goal)])?;
                self.known_error = None;
                self.rounds += 1;
                self.is_done = self.program.strokes().len() == goal;
                Ok(Work::Begin)
            }
            Goal::Error(limit) => {
                let allowance = self.allowance(limit)?;
                Ok(Work::Thinning(Box::new(Thinning::new(&self.program, order, allowance))))
            }
        }
    }

    /// What this round may lose.
    fn allowance(&mut self, limit: f64) -> Result<Allowance> {
        let start = match self.known_error {
            Some(error) => error,
            None => self.whole.error(&self.program, &self.stop)?,
        };
        self.known_error = Some(start);
        let small = self.block.error(&self.program, &self.stop)?;
        let fifth = 0.2 * self.program.strokes().len() as f64;
        Ok(Allowance {
            limit: limit - start + small,
            price: ROUNDS[self.rounds] * (limit - start).max(0.0) / fifth,
            error: small,
        })
    }

    /// Looks at the state in the middle, until one is left; that ends the round.
    fn settle(&mut self, thinning: Box<Thinning>, good: usize, bad: usize) -> Result<Work> {
        let Goal::Error(limit) = self.goal else { return Ok(Work::Begin) };
        if good + 1 < bad {
            let middle = (good + bad) / 2;
            let error = self.whole.error(&thinning.states.get(middle)?, &self.stop)?;
            let (good, bad) = if error <= limit { (middle, bad) } else { (good, middle) };
            return Ok(Work::Settling { thinning, good, bad });
        }
        if good > 0 {
            self.program = thinning.states.get(good)?;
            self.known_error = None;
        }
        self.rounds += 1;
        self.is_done = self.rounds == ROUNDS.len();
        Ok(Work::Begin)
    }
}

/// The program without some strokes, by their indices; earlier strokes are put where those
/// had pushed them, with the area that they have.
fn take_out(program: &Program, indices: &[usize]) -> Result<Program> {
    let mut indices = indices.to_vec();
    indices.sort_unstable();
    indices.dedup();
    let frame = |i: &usize| (*i, Frame::of(&program.strokes()[*i].shape));
    let gone: Vec<(usize, Frame<f64>)> = indices.iter().map(frame).collect();
    let pusher = Pusher { operator: program.operator(), moves: moves(program) };
    let stays = |(j, _): &(usize, &Stroke)| indices.binary_search(j).is_err();
    let strokes = program.strokes().iter().enumerate().filter(stays).map(|(j, stroke)| {
        let later = &gone[indices.partition_point(|i| *i < j)..];
        Stroke { shape: pusher.pushed(j, later, stroke.shape), ..*stroke }
    });
    let mut parts = program.clone().into_parts();
    parts.strokes = strokes.collect();
    for pass in &mut parts.tools {
        pass.after -= indices.partition_point(|i| *i < pass.after);
    }
    Program::new(parts)
}

/// The moves of a program's tools, each with the number of strokes before it.
fn moves(program: &Program) -> Vec<(usize, Move<f64>)> {
    let each = |pass: &Pass| pass.tool.moves().into_iter().map(|m| (pass.after, m)).collect();
    program.tools().iter().flat_map(|pass| -> Vec<_> { each(pass) }).collect()
}

/// Pushes deposits to where strokes that are gone had pushed them.
struct Pusher {
    operator: Operator,
    moves: Vec<(usize, Move<f64>)>,
}

impl Pusher {
    /// Where strokes push the deposit of stroke `index`, as one of the same area, through where they
    /// push beginning, middle and end. (One that would lie beyond all limits stays: it is far from
    /// everything.)
    fn pushed(&self, index: usize, strokes: &[(usize, Frame<f64>)], shape: Shape) -> Shape {
        if strokes.is_empty() || self.operator == Operator::Inert {
            return shape;
        }
        let carry = |x: Vec2<f64>| strokes.iter().fold(x, |x, stroke| self.carry(index, stroke, x));
        let moved = if shape.length() == 0.0 {
            Shape { anchor: carry(shape.anchor), ..shape }
        } else if shape.bend == 0.0 {
            let start = carry(shape.anchor);
            Shape { anchor: start, offset: carry(shape.anchor + shape.offset) - start, ..shape }
        } else {
            Shape::through(shape.skeleton().map(carry), shape.half_width)
        };
        let moved = moved.with_area(shape.area());
        let fits = |p: Vec2<f64>| p.x.abs().max(p.y.abs()) <= MAX_COORDINATE;
        let is_valid =
            fits(moved.anchor) && fits(moved.offset) && moved.half_width >= MIN_HALF_WIDTH;
        if is_valid { moved } else { shape }
    }

    /// Where a later stroke pushes a place of stroke `index`, seen from before the tools between
    /// them.
    fn carry(&self, index: usize, (later, frame): &(usize, Frame<f64>), x: Vec2<f64>) -> Vec2<f64> {
        let between =
            || self.moves.iter().filter(|(after, _)| (index + 1..=*later).contains(after));
        let there = between().fold(x, |x, (_, tool)| tool.phi(x));
        let pushed = self.operator.phi(frame, there);
        between().rev().fold(pushed, |x, (_, tool)| tool.psi(x))
    }
}
