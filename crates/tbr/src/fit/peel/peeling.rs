//! A picture that is peeled some strokes at a time, and what is kept of it between.

use super::sheet::Points;
use super::{Peel, PeelJob, PeelOptions, Peeled};
use crate::error::{Error, Result};
use crate::fit::Target;
use crate::numbers::lanes::{F32s, level, with_simd};
use crate::program::Colour;
use crate::stroke::{Operator, Shape};
use serde::{Deserialize, Serialize};

/// Points that the rounds of a step go through, in all: a tenth of a second.
const STEP_POINTS: usize = 1 << 20;
/// The most rounds of a step, however few points are left: the search takes time too.
const MOST_ROUNDS: usize = 128;

/// A picture that is being peeled. It can be kept between steps, and goes on as if nothing had
/// happened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Peeling {
    /// Chosen so far, the last laid first.
    pub(super) shapes: Vec<Shape>,
    pub(super) colours: Vec<Colour>,
    /// What all have gained, and their area.
    pub(super) gained: f64,
    pub(super) laid: f64,
    /// Words of random numbers that have been drawn.
    pub(super) drawn: u64,
    /// What is left of the sheet; none before the first step.
    pub(super) left: Option<Points>,
    /// The picture at the size of the sheet.
    #[serde(skip)]
    pub(super) small: Small,
}

/// What a step has come to.
pub enum PeelStep {
    /// There is more to peel.
    More(Peeling),
    /// All strokes are there.
    Done(Peeled),
}

/// A picture that is made again by whoever goes on from a checkpoint. It is no part of the state:
/// clones and comparisons pass it over.
#[derive(Debug, Default)]
pub(super) struct Small(Option<Target>);

impl Clone for Small {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl PartialEq for Small {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Peeling {
    /// Nothing is peeled yet. Refuses what cannot be.
    pub fn new(job: &PeelJob, options: &PeelOptions) -> Result<Self> {
        options.check()?;
        if matches!(job.operator, Operator::Drops | Operator::LineSource) {
            let message = format!("the operator {} cannot be peeled", job.operator);
            return Err(Error::Request(message));
        }
        Ok(Self::default())
    }

    /// Chooses some more strokes: always the same number for the same picture, options and
    /// strokes so far. The job and the options are those that it began with.
    pub fn step(
        mut self,
        target: &Target,
        job: &PeelJob,
        options: &PeelOptions,
    ) -> Result<PeelStep> {
        let small = self.small.0.take().unwrap_or_else(|| target.at_most(options.points));
        with_simd!(level(), simd => {
            let mut peel = Peel::<F32s<_>>::new(simd, &small, job, options, self)?;
            let rounds = (STEP_POINTS / peel.sheet.points().max(1)).clamp(1, MOST_ROUNDS);
            for _ in 0..rounds {
                if peel.is_done() {
                    break;
                }
                peel.round();
            }
            // (The end follows at once: what is left would be summed up in another order.)
            if peel.is_done() {
                return Ok(PeelStep::Done(peel.finish()));
            }
            let mut rest = peel.pause();
            rest.small = Small(Some(small));
            Ok(PeelStep::More(rest))
        })
    }

    /// The strokes so far: they are the last of the program.
    pub fn so_far(&self, target: &Target) -> Peeled {
        Peeled {
            shapes: self.shapes.iter().rev().copied().collect(),
            colours: self.colours.iter().rev().copied().collect(),
            background: target.mean(),
        }
    }

    /// How many strokes are chosen.
    pub fn strokes(&self) -> usize {
        self.shapes.len()
    }

    /// Is it of a job of so many strokes, with every number that it needs?
    pub(in crate::fit) fn is_whole(&self, strokes: usize) -> bool {
        let left = self.left.as_ref();
        self.shapes.len() == self.colours.len()
            && self.shapes.len() < strokes
            && left.is_none_or(Points::is_whole)
    }
}
