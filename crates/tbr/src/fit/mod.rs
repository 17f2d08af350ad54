//! Fitting: the search for a program whose replay looks like a given picture.
//!
//! A fit peels the picture ([`peel`]), then moves all strokes at once, down the
//! gradient through the whole chain, in stages of finer pixels and sharper rims. Now and
//! then the program is rendered hard: colours are renewed from what each stroke
//! owns, and the best program so far is kept. ([`paper`] does it as in the paper.) The
//! caller owns the loop:
//!
//! ```
//! use tbr::Image;
//! use tbr::fit::{Fit, Options, Target};
//!
//! # fn main() -> tbr::Result<()> {
//! let slope = (0..32 * 32).map(|k| [f64::from(k % 32) / 31.0, 0.5, 0.2]).collect();
//! let target = Target::new(Image::new((32, 32), slope)?, None)?;
//! let mut fit = Fit::new(target, Options { strokes: 20, ..Options::fast() })?;
//! while !fit.is_done() {
//!     let report = fit.step()?;
//!     println!("{}: floor ratio {:.2}", report.step, report.floor_ratio);
//! }
//! let program = fit.program()?;
//! assert_eq!(program.strokes().len(), 20);
//! # Ok(())
//! # }
//! ```

mod adam;
mod care;
mod colouring;
pub mod combs;
mod draft;
mod follow;
mod joint;
mod loss;
mod mean;
mod options;
pub mod palette;
pub mod paper;
pub mod peel;
mod rebirth;
mod revision;
mod salience;
mod solver;
mod staged;
mod state;
mod target;
mod tools;

#[cfg(test)]
mod tests;

pub use colouring::{MAX_CHOSEN_COLOURS, Palette, PaletteBy};
pub use follow::{Follow, FollowOptions};
pub use joint::Rates;
pub use loss::{Distance, PictureLoss};
pub use options::{ErrorBy, Options, Solver, Stage};
pub use revision::SOLVER_REVISION;
pub use state::State;
pub use target::{Bare, Target};

use crate::adjoint::Relaxation;
use crate::error::{Error, Result};
use crate::parallel::Stop;
use crate::program::{Colour, Program, nearest};
use crate::render::{self, Replay};
use draft::{Draft, Names};
use rebirth::Terms;
use solver::{StepContext, Work};
use staged::Staged;
use state::Best;
use std::f64::consts::PI;
use std::sync::Arc;

/// A fit in progress: the target, the options, and the state that [`Fit::step`] advances.
pub struct Fit {
    target: Target,
    /// The same, with what an error counts in each pixel while strokes are chosen and moved.
    cared: Target,
    /// The error of the best constant picture.
    floor: f64,
    options: Options,
    staged: Staged,
    /// What each pixel counts for where the palette moves; none if all alike.
    salience: Option<Vec<f32>>,
    state: State,
    stop: Stop,
}

/// The progress of a fit after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct StepReport {
    /// Steps done, the first included; 0 as long as the first program is being made.
    pub step: usize,
    /// Steps in all.
    pub steps: usize,
    /// The relaxed loss before the step; 0 before the first.
    pub loss: f64,
    /// The best hard replay so far: the error of the best constant picture over its.
    pub floor_ratio: f64,
    /// Was that found in this step?
    pub improved: bool,
}

/// For serde: most states say nothing of what is not so.
fn is_false(value: &bool) -> bool {
    !value
}

impl Fit {
    /// A fit of a picture, at its size, before its first step.
    pub fn new(target: Target, options: Options) -> Result<Self> {
        let state = State::new(&options, None);
        Self::resume(target, options, state)
    }

    /// A fit that starts from a program instead of making one: to go on with it, or to
    /// fit it to another picture. It must have the strokes that the options say and the
    /// picture's shape.
    pub fn from_program(target: Target, options: Options, program: &Program) -> Result<Self> {
        options.check()?;
        let given = Draft::of(program, &target, &options)?;
        let state = State::new(&options, Some(given));
        Self::resume(target, options, state)
    }

    /// The same from a program whose strokes have names, by which they are known wherever others
    /// are born: to follow a moving picture.
    fn from_named(
        target: Target,
        options: Options,
        program: &Program,
        names: Names,
    ) -> Result<Self> {
        let given = Draft { names: Some(names), ..Draft::of(program, &target, &options)? };
        let state = State::new(&options, Some(given));
        Self::resume(target, options, state)
    }

    /// What the strokes of [`Fit::program`] are called, if they have names.
    fn names(&self) -> Option<&Names> {
        self.state.best.as_ref()?.draft.names.as_ref()
    }

    /// Goes on from a state of a fit of the same picture with the same options.
    pub fn resume(target: Target, options: Options, state: State) -> Result<Self> {
        options.check()?;
        if target.bare().is_some() && matches!(options.solver, Solver::Paper(_)) {
            let message = "the paper's solver paints everywhere: nothing can stay bare";
            return Err(Error::Request(message.into()));
        }
        if !state.suits(&target, &options) {
            let message = "the checkpoint belongs to a fit with other strokes or another solver, \
                           or is not whole";
            return Err(Error::Request(message.into()));
        }
        let (floor, staged) = (target.floor(), Staged::whole(&target));
        let cared = match options.error_by {
            ErrorBy::Pixels => target.clone(),
            ErrorBy::Eyes => care::by_eyes(&target)?,
        };
        let salience = options.palette.salience(options.palette_by, &target, options.seed);
        let stop = Stop::never();
        let mut fit = Self { target, cared, floor, options, staged, salience, state, stop };
        fit.prepare_stage();
        Ok(fit)
    }

    /// With a loss on whole pictures at hand, like the distance of VGG16's features. The
    /// paper's solver can minimise it, and measures its pixel error's scale with it; the other
    /// passes it over.
    pub fn with_loss(mut self, loss: Arc<dyn PictureLoss>) -> Self {
        if let Work::Paper(paper) = &mut self.state.work {
            paper.set_loss(loss);
        }
        self
    }

    /// With somebody who may stop it in the middle of a step: [`Fit::step`] then gives
    /// [`Error::Stopped`], and the state is one to go on from, to the same program.
    pub fn with_stop(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// What is fitted.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Where it stands, to go on from.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Steps in all, the first included.
    pub fn steps(&self) -> usize {
        1 + self.options.steps()
    }

    /// Are all steps done?
    pub fn is_done(&self) -> bool {
        self.state.step >= self.steps() && !self.state.unjudged
    }

    /// Share of the work that is done, if a step costs as much as its pixels.
    pub fn progress(&self) -> f64 {
        let cost = |stage: &Stage| f64::from(stage.side_px);
        let (start, started) = self.state.work.start_cost(&self.options);
        let steps: f64 = self.options.stages.iter().map(|s| cost(s) * s.steps as f64).sum();
        let all = start + steps;
        let mut left = self.state.step.saturating_sub(1);
        let mut done = if self.state.step == 0 { start * started } else { start };
        for stage in &self.options.stages {
            let steps = left.min(stage.steps);
            done += cost(stage) * steps as f64;
            left -= steps;
        }
        if all > 0.0 { done / all } else { f64::from(u8::from(self.state.step > 0)) }
    }

    /// One step: some strokes of the first program, or a gradient step; now and then, a hard
    /// render. (Small programs are made in one go.)
    pub fn step(&mut self) -> Result<StepReport> {
        let best_before = self.state.best.as_ref().map(|b| b.step);
        if !self.state.unjudged && !self.advance()? {
            return Ok(self.report(best_before));
        }
        self.state.unjudged = true;
        let begins = self.stage().is_some_and(|(_, k)| k == 0);
        let is_last = self.state.step >= self.steps();
        if begins || is_last || self.state.step.is_multiple_of(self.options.judge_every) {
            self.judge()?;
        }
        if begins {
            self.state.work.enter_stage();
            self.prepare_stage();
        }
        self.state.unjudged = false;
        Ok(self.report(best_before))
    }

    /// A step before it is judged: is it whole, or is there more of the first program to make?
    fn advance(&mut self) -> Result<bool> {
        self.stop.check()?;
        match self.stage() {
            None if !self.start()? => return Ok(false),
            None => {}
            Some((stage, k)) => self.descend(stage, k)?,
        }
        self.state.step += 1;
        Ok(true)
    }

    /// How it stands, if the best program was of step `best_before`.
    fn report(&self, best_before: Option<usize>) -> StepReport {
        let best = self.state.best.as_ref();
        StepReport {
            step: self.state.step,
            steps: self.steps(),
            loss: self.state.loss,
            floor_ratio: self.floor_ratio(),
            improved: best.map(|b| b.step) != best_before,
        }
    }

    /// The stage that the next step belongs to, counted from 0, and the step's number there;
    /// none for the first step.
    fn stage(&self) -> Option<(usize, usize)> {
        let mut k = self.state.step.checked_sub(1)?;
        for (index, stage) in self.options.stages.iter().enumerate() {
            if k < stage.steps {
                return Some((index, k));
            }
            k -= stage.steps;
        }
        None
    }

    /// Brings the target to the size of the stage that the next step belongs to.
    fn prepare_stage(&mut self) {
        if let Some((stage, _)) = self.stage() {
            let stage = &self.options.stages[stage];
            self.staged = Staged::new(&self.cared, stage, &self.state.work);
        }
    }

    /// Makes some of the first program, or takes the one that is given. Is there a program now?
    /// (After the last step there is nothing to start.)
    fn start(&mut self) -> Result<bool> {
        if self.state.step > 0 {
            return Ok(true);
        }
        let given = self.state.given.take();
        self.state.work.start(&self.target, &self.cared, &self.options, given)
    }

    /// Step `k` of a stage.
    fn descend(&mut self, index: usize, k: usize) -> Result<()> {
        let stage = self.options.stages[index];
        let share = k as f64 / stage.steps as f64;
        let between = |[first, last]: [f64; 2]| first * libm::pow(last / first, share);
        let cosine = 0.5 * (1.0 + libm::cos(PI * share));
        let target = self.staged.at_step(self.state.step);
        let tau_min = between(stage.rim_px) * target.view().pixel().x;
        let context = StepContext {
            options: &self.options,
            target: &target,
            order: self.staged.order.clone(),
            relaxation: Relaxation { tau: between(stage.tau), tau_min },
            rate: stage.rate[1] + (stage.rate[0] - stage.rate[1]) * cosine,
            step: self.state.step,
            steps: self.steps(),
            stage: index,
            stage_share: share,
            stop: &self.stop,
        };
        self.state.loss = self.state.work.step(&context)?;
        Ok(())
    }

    /// Renders hard, renews the colours, and keeps the program if it is the best, or if the
    /// error is not what it is judged by.
    fn judge(&mut self) -> Result<()> {
        let Some(mut draft) = self.state.work.draft(&self.target, &self.options) else {
            return Ok(());
        };
        let owners = self.owners(&draft)?;
        self.state.work.recolour(&mut draft, &self.cared, &owners, self.salience.as_deref());
        let new = self.judged(draft, &owners);
        self.state.work.judged(new.error);
        let better = self.state.best.as_ref().is_none_or(|best| new.objective < best.objective);
        if better || !self.state.work.is_judged_by_error() {
            self.state.best = Some(new);
        }
        if better { self.rebirth(&owners) } else { Ok(()) }
    }

    /// Who owns each pixel of a draft's hard render.
    fn owners(&self, draft: &Draft) -> Result<Vec<u32>> {
        let program = draft.program(self.target.height(), self.options.operator)?;
        let replay = Replay::new(&program, self.target.view(), &render::ReplayOptions::default())?;
        match &self.staged.order_of_all {
            Some(order) => replay.owners_in_order(order, &self.stop),
            None => replay.all_owners_until(&self.stop),
        }
    }

    /// A draft with its errors, by who owns each pixel.
    fn judged(&self, draft: Draft, owners: &[u32]) -> Best {
        let colour = |pixel: usize| draft.colouring.of_owner(owners[pixel]);
        let (error, objective) = (self.target.error(colour), self.cared.error(colour));
        Best { error, objective, step: self.state.step, draft }
    }

    /// Lays some strokes of the best program so far anew, if it is time for that. (Where it is not
    /// the best, strokes have not yet settled since the last time.)
    fn rebirth(&mut self, owners: &[u32]) -> Result<()> {
        let Some((stage, k)) = self.stage() else { return Ok(()) };
        let Stage { steps, reborn, birth_price: price, .. } = self.options.stages[stage];
        let most = (reborn * self.options.strokes as f64) as usize;
        // (A picture that is peeled has just had all its births.)
        let begins = k == 0 && !self.state.work.follows();
        if most > 0 && !begins && 3 * k < 2 * steps {
            self.state.work.rebirth(&self.cared, &self.options, owners, Terms { most, price })?;
        }
        Ok(())
    }

    /// The mean squared error of the best program so far, with hard edges, at the target's size
    /// and by its weights; none before there is one.
    pub fn error(&self) -> Option<f64> {
        self.state.best.as_ref().map(|best| best.error)
    }

    /// The error of the best constant picture over that of the best program so far; 0
    /// before there is one, infinite if its replay is exact.
    pub fn floor_ratio(&self) -> f64 {
        match self.error() {
            Some(error) if error > 0.0 => self.floor / error,
            Some(_) => f64::INFINITY,
            None => 0.0,
        }
    }

    /// The best program so far. As long as the first one is being made, it is of the strokes
    /// that there are.
    pub fn program(&self) -> Result<Program> {
        let (height, operator) = (self.target.height(), self.options.operator);
        match &self.state.best {
            Some(best) => best.draft.program(height, operator),
            None => {
                let draft = self.state.work.so_far(&self.target, &self.options);
                let draft = draft.ok_or_else(not_begun)?;
                draft.program(height, operator)
            }
        }
    }

    /// The factor of the data term in the paper's solver, once it is known.
    pub fn data_scale(&self) -> Option<f64> {
        match &self.state.work {
            Work::Paper(paper) => paper.data_scale(),
            Work::Peel(_) => None,
        }
    }

    /// The best that any program with the palette so far could do: the floor ratio of the
    /// picture with each pixel in its nearest palette colour. None where colours are free, or
    /// where the palette has them all.
    pub fn ceiling(&self) -> Option<f64> {
        let palette = &self.state.best.as_ref()?.draft.colouring.palette;
        let first = *palette.first()?;
        let pixels = self.target.image().pixels();
        let nearest = |colour: Colour| nearest(palette, colour).map_or(first, |k| palette[k]);
        let error = self.target.error(|pixel| nearest(pixels[pixel]));
        (error > 0.0).then(|| self.floor / error)
    }
}

fn not_begun() -> Error {
    Error::Request("the fit has not begun: there is no program yet".into())
}
