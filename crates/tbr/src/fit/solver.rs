//! A solver at work. Each owns its options and what it remembers; the loop of a fit knows only
//! what is here.

use super::draft::Draft;
use super::joint::Peeled;
use super::options::{Options, Solver};
use super::paper::Paper;
use super::target::Target;
use crate::adjoint::Relaxation;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// A solver and its state, as a checkpoint holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Work {
    Peel(Peeled),
    Paper(Paper),
}

/// What a gradient step needs to know.
pub(super) struct StepContext<'a> {
    pub options: &'a Options,
    /// The target at the size of the stage.
    pub target: &'a Target,
    pub relaxation: Relaxation,
    /// Share of the step sizes.
    pub rate: f64,
    /// Steps done, and steps in all.
    pub step: usize,
    pub steps: usize,
    /// The stage, counted from 0, and the share of it that is done.
    pub stage: usize,
    pub stage_share: f64,
}

impl Work {
    /// Not begun.
    pub fn new(solver: &Solver) -> Self {
        match solver {
            Solver::Peel(peel, rates) => Self::Peel(Peeled::new(peel.clone(), *rates)),
            Solver::Paper(own) => Self::Paper(Paper::new(own.clone())),
        }
    }

    /// Is it the state of a fit with these options, whole?
    pub fn suits(&self, target: &Target, options: &Options) -> bool {
        match self {
            Self::Peel(peeled) => peeled.suits(target, options),
            Self::Paper(paper) => paper.suits(target, options),
        }
    }

    /// Makes the first program, or takes the one that is given.
    pub fn start(
        &mut self,
        target: &Target,
        options: &Options,
        given: Option<Draft>,
    ) -> Result<()> {
        match self {
            Self::Peel(peeled) => peeled.start(target, options, given),
            Self::Paper(paper) => paper.start(target, options, given.as_ref()),
        }
    }

    /// Begins a stage.
    pub fn enter_stage(&mut self) {
        match self {
            Self::Peel(peeled) => peeled.enter_stage(),
            Self::Paper(paper) => paper.enter_stage(),
        }
    }

    /// One gradient step; gives the loss before it.
    pub fn step(&mut self, context: &StepContext) -> Result<f64> {
        match self {
            Self::Peel(peeled) => peeled.step(context),
            Self::Paper(paper) => paper.step(context),
        }
    }

    /// The program as it would be exported; none before there is one.
    pub fn draft(&self, target: &Target, options: &Options) -> Option<Draft> {
        match self {
            Self::Peel(peeled) => peeled.draft().cloned(),
            Self::Paper(paper) => paper.draft(target, options),
        }
    }

    /// Hears who owns the pixels of a hard render, and may give the draft better colours.
    pub fn recolour(&mut self, draft: &mut Draft, target: &Target, owners: &[u32]) {
        if let Self::Peel(peeled) = self {
            peeled.recolour(draft, target, owners);
        }
    }

    /// Hears the error of a hard render.
    pub fn judged(&mut self, error: f64) {
        if let Self::Paper(paper) = self {
            paper.judged(error);
        }
    }

    /// Is the best program the one with the least error? With another objective, or prices
    /// on paint, it is the newest.
    pub fn is_judged_by_error(&self) -> bool {
        match self {
            Self::Peel(_) => true,
            Self::Paper(paper) => paper.is_judged_by_error(),
        }
    }
}
