//! The interface of the solvers to the loop of a fit. Each solver owns its options and its
//! state.

use super::draft::Draft;
use super::joint::JointSolver;
use super::options::{Options, Solver};
use super::paper::Paper;
use super::rebirth::Terms;
use super::target::Target;
use crate::adjoint::Relaxation;
use crate::cells::PixelOrder;
use crate::error::Result;
use crate::image::View;
use crate::parallel::Stop;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A solver and its state, as a checkpoint holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Work {
    Peel(JointSolver),
    Paper(Paper),
}

/// What a gradient step needs to know.
pub(super) struct StepContext<'a> {
    pub options: &'a Options,
    /// The target at the size of the stage.
    pub target: &'a Target,
    /// The order of its pixels, if tools come last.
    pub order: Option<Arc<PixelOrder>>,
    pub relaxation: Relaxation,
    /// Share of the step sizes.
    pub rate: f64,
    /// Steps done, and steps in all.
    pub step: usize,
    pub steps: usize,
    /// The stage, counted from 0, and the share of it that is done.
    pub stage: usize,
    pub stage_share: f64,
    /// Who may stop it.
    pub stop: &'a Stop,
}

impl Work {
    /// A solver before its first step.
    pub fn new(solver: &Solver) -> Self {
        match solver {
            Solver::Peel(peel, rates) => Self::Peel(JointSolver::new(peel.clone(), *rates)),
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

    /// Makes some of the first program, or takes the one that is given. Is there a program now?
    /// `cared` is the target with what an error counts.
    pub fn start(
        &mut self,
        target: &Target,
        cared: &Target,
        options: &Options,
        given: Option<Draft>,
    ) -> Result<bool> {
        match self {
            Self::Peel(peeled) => peeled.start(target, cared, options, given),
            Self::Paper(paper) => paper.start(target, options, given.as_ref()).map(|()| true),
        }
    }

    /// What making the first program costs, in the unit of [`super::Fit::progress`], and the
    /// share of it that is done as long as there is none.
    pub fn start_cost(&self, options: &Options) -> (f64, f64) {
        match self {
            Self::Peel(peeled) => {
                let strokes = peeled.strokes_peeled().unwrap_or(0) as f64;
                (peeled.peeling_cost(), strokes / options.strokes as f64)
            }
            Self::Paper(_) => (0.0, 0.0),
        }
    }

    /// The strokes that there are so far, also where some of them are still to be made.
    pub fn so_far(&self, target: &Target, options: &Options) -> Option<Draft> {
        match self {
            Self::Peel(peeled) => peeled.so_far(target, options),
            Self::Paper(paper) => paper.draft(target, options),
        }
    }

    /// The order in which a stage takes the pixels of a view, if tools come last.
    pub fn order(&self, view: &View) -> Option<Arc<PixelOrder>> {
        match self {
            Self::Peel(peeled) => peeled.order(view),
            Self::Paper(_) => None,
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

    /// Renews the colours from the owners of a hard render's pixels, if the solver does so.
    pub fn recolour(
        &mut self,
        draft: &mut Draft,
        target: &Target,
        owners: &[u32],
        salience: Option<&[f32]>,
    ) {
        if let Self::Peel(peeled) = self {
            peeled.recolour(draft, target, owners, salience);
        }
    }

    /// Lays strokes that would hardly be missed anew, on terms.
    pub fn rebirth(
        &mut self,
        target: &Target,
        options: &Options,
        owners: &[u32],
        terms: Terms,
    ) -> Result<()> {
        match self {
            Self::Peel(peeled) => peeled.rebirth(target, options, owners, terms),
            Self::Paper(_) => Ok(()),
        }
    }

    /// Has it begun with strokes that have names, to follow a moving picture?
    pub fn follows(&self) -> bool {
        match self {
            Self::Peel(peeled) => peeled.draft().is_some_and(|draft| draft.names.is_some()),
            Self::Paper(_) => false,
        }
    }

    /// Takes note of the error of a hard render.
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
