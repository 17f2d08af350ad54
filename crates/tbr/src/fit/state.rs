//! The state of a fit, which its steps change.

use super::draft::Draft;
use super::options::Options;
use super::solver::Work;
use super::{Target, is_false};
use serde::{Deserialize, Serialize};

/// All that changes in a fit: what a checkpoint holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Steps done; the first makes the program that the others move.
    pub(super) step: usize,
    /// A program to start from, until the first step.
    pub(super) given: Option<Draft>,
    pub(super) work: Work,
    /// The relaxed loss before the last step; 0 before the first.
    pub(super) loss: f64,
    /// Is the last step still to be judged? Only if it was stopped there.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) unjudged: bool,
    pub(super) best: Option<Best>,
}

impl State {
    pub(super) fn new(options: &Options, given: Option<Draft>) -> Self {
        let work = Work::new(&options.solver);
        Self { step: 0, given, work, loss: 0.0, unjudged: false, best: None }
    }

    /// Is the first program there, and judged? Up to here, the number of gradient steps decides
    /// nothing.
    pub fn has_started(&self) -> bool {
        self.step > usize::from(self.unjudged)
    }

    /// Has a gradient step been done?
    pub fn has_descended(&self) -> bool {
        self.step > 1
    }

    /// The same, with no program judged yet: the next that is, is the best so far.
    pub fn without_best(self) -> Self {
        Self { best: None, ..self }
    }

    /// Is it of a fit with these options, with every number that it needs?
    pub(super) fn suits(&self, target: &Target, options: &Options) -> bool {
        let whole = |draft: &Draft| draft.is_whole(target, options);
        self.work.suits(target, options)
            && self.given.as_ref().is_none_or(whole)
            && self.best.as_ref().is_none_or(|best| whole(&best.draft))
    }
}

/// The program that has replayed best, or the newest where error is not all that counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Best {
    /// By the target's weights.
    pub(super) error: f64,
    /// The error that strokes are moved by, and programs compared.
    pub(super) objective: f64,
    pub(super) step: usize,
    pub(super) draft: Draft,
}
