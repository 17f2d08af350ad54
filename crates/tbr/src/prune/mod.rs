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

use crate::error::{Error, Result};
use crate::fit::Target;
use crate::image::Image;
use crate::numbers::Vec2;
use crate::program::colour::squared_distance;
use crate::program::{MAX_COORDINATE, MIN_HALF_WIDTH, Program, Stroke};
use crate::render::{Region, Replay, ReplayOptions, View, render_view};
use crate::stroke::Operator;
use crate::stroke::{Frame, Shape};
use rayon::prelude::*;

/// Width of the replay that judges the result, as in scores.
pub const WIDTH_PX: u32 = 1024;
/// Width of the replays that judge blocks.
const BLOCK_PX: u32 = 384;
/// Width of the replays that rank.
const RANK_PX: u32 = 128;
/// Share of the strokes that are looked at: those that own least. The others are seen.
const CANDIDATES: f64 = 0.5;
/// Strokes that are tried together.
const BLOCK: usize = 8;
/// A round ends when so many blocks in a row have given nothing: later ones are missed more.
const FRUITLESS: usize = 6;
/// What a stroke may cost in each round towards an error, in units of the whole allowance
/// over a fifth of the strokes.
const ROUNDS: [f64; 3] = [1.0, 4.0, f64::INFINITY];
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

/// The error that [`Prune::error`] gives for a program before it is pruned.
pub fn error(program: &Program, picture: Option<&Target>) -> Result<f64> {
    Yardstick::new(program, picture, WIDTH_PX)?.error(program)
}

/// A program that is losing strokes.
pub struct Prune {
    goal: Goal,
    program: Program,
    /// How the result, blocks and single strokes are measured.
    whole: Yardstick,
    block: Yardstick,
    single: Yardstick,
    rounds: usize,
    is_done: bool,
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
        Ok(Self {
            goal,
            whole: Yardstick::new(&program, picture, WIDTH_PX)?,
            block: Yardstick::new(&program, picture, BLOCK_PX)?,
            single: Yardstick { counts: false, ..Yardstick::new(&program, None, RANK_PX)? },
            rounds: 0,
            is_done: goal == Goal::Strokes(strokes),
            program,
        })
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
        self.whole.error(&self.program)
    }

    /// One round; gives the number of strokes taken away: none after the end.
    pub fn round(&mut self) -> Result<usize> {
        if self.is_done {
            return Ok(0);
        }
        let before = self.program.strokes().len();
        match self.goal {
            Goal::Strokes(goal) => {
                let excess = before - goal;
                let share = (excess as f64 * ROUND_SHARE).ceil() as usize;
                let count = share.max(before / 100).min(excess);
                let order = self.order((2 * count).max(self.candidates()))?;
                self.program = take_out(&self.program, &order[..count])?;
                self.is_done = self.program.strokes().len() == goal;
            }
            Goal::Error(limit) => {
                let order = self.order(self.candidates())?;
                self.program = self.thinned(&order, limit, ROUNDS[self.rounds])?;
                self.rounds += 1;
                self.is_done = self.rounds == ROUNDS.len();
            }
        }
        Ok(before - self.program.strokes().len())
    }

    fn candidates(&self) -> usize {
        (CANDIDATES * self.program.strokes().len() as f64).ceil() as usize
    }

    /// The indices of the strokes that own least, so many of them at most, those that would
    /// be missed least first.
    fn order(&self, most: usize) -> Result<Vec<usize>> {
        let count = self.program.strokes().len();
        let replay = Replay::new(&self.program, self.block.view, &ReplayOptions::default())?;
        let owned = replay.count_owned();
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|i| owned[i + 1]);
        order.truncate(most);
        let missed = |i: &usize| self.single.error(&take_out(&self.program, &[*i])?);
        let missed = order.par_iter().map(missed).collect::<Result<Vec<f64>>>()?;
        let mut ranked: Vec<(f64, usize)> = missed.into_iter().zip(order).collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Ok(ranked.into_iter().map(|(_, i)| i).collect())
    }

    /// The program with as many as possible of the strokes in `order` taken out at a cost of
    /// `price` each.
    fn thinned(&self, order: &[usize], limit: f64, price: f64) -> Result<Program> {
        let (start, small) = (self.whole.error(&self.program)?, self.block.error(&self.program)?);
        let fifth = 0.2 * self.program.strokes().len() as f64;
        let mut thinning = Thinning {
            judge: &self.block,
            limit: limit - start + small,
            price: price * (limit - start).max(0.0) / fifth,
            error: small,
            ids: (0..self.program.strokes().len()).collect(),
            states: vec![self.program.clone()],
        };
        let mut fruitless = 0;
        for block in order.chunks(BLOCK) {
            let before = thinning.states.len();
            thinning.try_block(block)?;
            fruitless = if thinning.states.len() > before { 0 } else { fruitless + 1 };
            if fruitless == FRUITLESS {
                break;
            }
        }
        // Blocks were judged at a smaller size: the last ones may have been too many.
        let states = &thinning.states;
        let (mut good, mut bad) = (0, states.len());
        while good + 1 < bad {
            let middle = (good + bad) / 2;
            let fits = self.whole.error(&states[middle])? <= limit;
            if fits { good = middle } else { bad = middle }
        }
        Ok(states[good].clone())
    }
}

/// A program losing blocks of strokes.
struct Thinning<'a> {
    judge: &'a Yardstick,
    limit: f64,
    price: f64,
    error: f64,
    /// The strokes that are left, by their index at the start.
    ids: Vec<usize>,
    /// The program at the start and after each block that went.
    states: Vec<Program>,
}

impl Thinning<'_> {
    /// Takes out a block of strokes, or what can go of it.
    fn try_block(&mut self, block: &[usize]) -> Result<()> {
        let places: Vec<usize> =
            block.iter().filter_map(|id| self.ids.binary_search(id).ok()).collect();
        let program = take_out(&self.states[self.states.len() - 1], &places)?;
        let error = self.judge.error(&program)?;
        if error <= self.limit && error - self.error <= self.price * block.len() as f64 {
            self.error = error;
            self.ids.retain(|id| !block.contains(id));
            self.states.push(program);
        } else if block.len() > 1 {
            let (first, second) = block.split_at(block.len() / 2);
            self.try_block(first)?;
            self.try_block(second)?;
        }
        Ok(())
    }
}

/// The program without some strokes, by their indices; earlier strokes are put where those
/// had pushed them, with the area that they have.
fn take_out(program: &Program, indices: &[usize]) -> Result<Program> {
    let mut indices = indices.to_vec();
    indices.sort_unstable();
    indices.dedup();
    let frame = |i: &usize| Frame::of(&program.strokes()[*i].shape);
    let gone: Vec<Frame<f64>> = indices.iter().map(frame).collect();
    let stays = |(j, _): &(usize, &Stroke)| indices.binary_search(j).is_err();
    let strokes = program.strokes().iter().enumerate().filter(stays).map(|(j, stroke)| {
        let later = &gone[indices.partition_point(|i| *i < j)..];
        Stroke { shape: pushed(program.operator(), later, stroke.shape), ..*stroke }
    });
    let mut parts = program.clone().into_parts();
    parts.strokes = strokes.collect();
    Program::new(parts)
}

/// Where strokes push a deposit, as a straight one of the same area. (One that would lie
/// beyond all limits stays: it is far from everything.)
fn pushed(operator: Operator, strokes: &[Frame<f64>], shape: Shape) -> Shape {
    if strokes.is_empty() || operator == Operator::Inert {
        return shape;
    }
    let carry = |x: Vec2<f64>| strokes.iter().fold(x, |x, f| operator.phi(f, x));
    let start = carry(shape.anchor);
    let is_drop = shape.length() == 0.0;
    let end = if is_drop { start } else { carry(shape.anchor + shape.offset) };
    let offset = end - start;
    let frame = Frame::uncoupled(start, offset, shape.half_width);
    let (half_width, _) = frame.curve_of_area(shape.area());
    let fits = |p: Vec2<f64>| p.x.abs().max(p.y.abs()) <= MAX_COORDINATE;
    if fits(start) && fits(offset) && half_width >= MIN_HALF_WIDTH {
        Shape { anchor: start, offset, half_width }
    } else {
        shape
    }
}

/// What replays are measured against.
struct Yardstick {
    view: View,
    image: Image,
    /// Count the pixels that differ, whatever by.
    counts: bool,
}

impl Yardstick {
    /// Of a picture; or of a program's own replay, where differing pixels are counted.
    fn new(program: &Program, picture: Option<&Target>, width_px: u32) -> Result<Self> {
        let Some(picture) = picture else {
            let view = View::new(Region::canvas(program), Some(width_px), None)?;
            return Ok(Self { view, image: render_view(program, view)?, counts: true });
        };
        let (width, height) = picture.image().size();
        let scale = f64::from(width_px) / f64::from(width);
        let longer = f64::from(width.max(height));
        let small = picture.at_most((longer * scale.min(1.0)).round() as u32);
        let view = View { region: Region::canvas(program), ..small.view() };
        Ok(Self { view, image: small.image().clone(), counts: false })
    }

    fn error(&self, program: &Program) -> Result<f64> {
        let picture = render_view(program, self.view)?;
        let pairs = picture.pixels().iter().zip(self.image.pixels());
        let sum: f64 = if self.counts {
            pairs.filter(|(a, b)| a != b).count() as f64
        } else {
            pairs.map(|(a, b)| squared_distance(*a, *b) / 3.0).sum()
        };
        Ok(sum / self.view.pixels() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit;
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
        let left = prune.program().strokes().len();
        assert!(prune.error().unwrap() <= 0.01);
        assert!(left < 110, "{left} of 120 strokes are left");
    }

    #[test]
    fn a_count_is_met_and_a_picture_steers() {
        let program = prior::program(60, 0.5, 4).unwrap();
        let view = View::new(Region::canvas(&program), Some(200), None).unwrap();
        let target = Target::new(render_view(&program, view).unwrap(), None).unwrap();
        let prune = pruned(&program, Some(&target), Goal::Strokes(41));
        assert_eq!(prune.program().strokes().len(), 41);
        // The latest strokes are all seen: taking those would do more harm.
        let tail = take_out(&program, &(41..60).collect::<Vec<_>>()).unwrap();
        assert!(prune.error().unwrap() < prune.whole.error(&tail).unwrap());
    }

    /// Earlier paint stays where it is when a stroke far from it goes, which it would not
    /// if the stroke were only deleted.
    #[test]
    fn what_a_stroke_pushed_stays() {
        let mut parts = prior::program(40, 1.0, 8).unwrap().into_parts();
        parts.strokes.truncate(30);
        parts.strokes[29].shape = Shape {
            anchor: crate::numbers::vec2(1.3, 0.5),
            offset: crate::numbers::vec2(0.0, 0.1),
            half_width: 0.15,
        };
        let program = Program::new(parts).unwrap();
        let yardstick = Yardstick::new(&program, None, 256).unwrap();
        let taken = yardstick.error(&take_out(&program, &[29]).unwrap()).unwrap();
        let all = edit::Choice::of(&program, |i| i == 29);
        let deleted = yardstick.error(&edit::delete(&program, &all).unwrap()).unwrap();
        assert!(taken < 0.25 * deleted, "{taken} changed, {deleted} if it were deleted");
        for (a, b) in program.strokes().iter().zip(take_out(&program, &[29]).unwrap().strokes()) {
            assert!((a.shape.area() / b.shape.area() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn goals_that_cannot_be_are_refused() {
        let program = prior::program(5, 1.0, 1).unwrap();
        assert!(Prune::new(program.clone(), None, Goal::Strokes(6)).is_err());
        assert!(Prune::new(program.clone(), None, Goal::Error(f64::NAN)).is_err());
        assert_eq!(pruned(&program, None, Goal::Strokes(5)).program(), &program);
        assert!(pruned(&program, None, Goal::Strokes(0)).program().strokes().is_empty());
        // Everything may go.
        assert!(pruned(&program, None, Goal::Error(1.0)).program().strokes().is_empty());
    }

    #[test]
    fn after_the_end_a_round_takes_nothing() {
        let program = prior::program(5, 1.0, 1).unwrap();
        for goal in [Goal::Strokes(3), Goal::Strokes(5), Goal::Error(0.01)] {
            let mut prune = pruned(&program, None, goal);
            let left = prune.program().clone();
            assert_eq!(prune.round().unwrap(), 0, "{goal:?}");
            assert!(prune.is_done() && prune.program() == &left, "{goal:?}");
        }
    }
}
