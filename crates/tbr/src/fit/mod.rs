//! From a picture to a program.
//!
//! A fit peels the picture ([`peel`]), then moves all strokes at once, down the
//! gradient through the whole chain, in stages of finer pixels and sharper rims. Now and
//! then the program is rendered hard: colours are renewed from what each stroke
//! owns, and the best program so far is kept. ([`paper`] does it as in the paper.) The
//! caller owns the loop:
//!
//! ```
//! use tbr::fit::{Fit, Options, Target};
//!
//! # fn main() -> tbr::Result<()> {
//! let slope = (0..32 * 32).map(|k| [f64::from(k % 32) / 31.0, 0.5, 0.2]).collect();
//! let target = Target::new((32, 32), slope, None)?;
//! let mut fit = Fit::new(target, Options { strokes: 20, ..Options::fast() })?;
//! while !fit.is_done() {
//!     let report = fit.step()?;
//!     println!("{}: floor ratio {:.2}", report.step, report.floor_ratio);
//! }
//! let program = fit.program()?;
//! assert_eq!(program.strokes.len(), 20);
//! # Ok(())
//! # }
//! ```

mod adam;
mod colouring;
mod draft;
mod joint;
mod mean;
mod options;
pub mod palette;
pub mod paper;
pub mod peel;
mod shrink;
mod target;

#[cfg(test)]
mod tests;

pub use colouring::Palette;
pub use joint::Rates;
pub use options::{Options, Solver, Stage};
pub use target::{Bare, Target};

use crate::adjoint::Relaxation;
use crate::error::{Error, Result};
use crate::network::{VggFeatures, Weights};
use crate::program::{Colour, Program};
use crate::render::{self, Region, Replay, View};
use colouring::Colouring;
use draft::Draft;
use joint::Joint;
use paper::{Lens, Objective, Pace, Paper};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// Share of the paper's steps that look at the pixels' centres.
const UNJITTERED: f64 = 0.8;
/// Steps, in pixels, that fill a square evenly: powers of 1 / 1.3247..., the real root of
/// x^3 = x + 1.
const EVENLY: [f64; 2] = [0.754_877_666_246_692_7, 0.569_840_290_998_053_2];

/// A fit on its way.
pub struct Fit {
    target: Target,
    /// The target's error as one colour.
    floor: f64,
    options: Options,
    /// The target at the size of the current stage.
    staged: Target,
    /// A network, if one is at hand, and its view of the stage where it is needed.
    network: Option<Weights>,
    lens: Option<Lens>,
    state: State,
}

/// All that changes in a fit: what a checkpoint holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Steps done; the first makes the program that the others move.
    step: usize,
    work: Work,
    /// The relaxed loss before the last step; 0 before the first.
    loss: f64,
    best: Option<Best>,
}

impl State {
    /// Is it of a fit with as many strokes, and by the same solver?
    fn suits(&self, target: &Target, options: &Options) -> bool {
        let whole = |draft: &Draft| {
            let strokes = draft.shapes.len();
            strokes == options.strokes && draft.colouring.colours.len() == strokes
        };
        let work = match (&self.work, &options.solver) {
            (Work::Unbegun(given), _) => given.as_ref().is_none_or(whole),
            (Work::Joint(joint), Solver::Peel(..)) => whole(&joint.draft),
            (Work::Paper(paper), Solver::Paper(own)) => paper.suits(target, options, own),
            _ => false,
        };
        work && self.best.as_ref().is_none_or(|best| whole(&best.draft))
    }
}

/// The program in the making, and what its solver remembers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Work {
    /// Not begun; a program to start from, if one is given.
    Unbegun(Option<Draft>),
    Joint(Joint),
    Paper(Paper),
}

/// The program that has replayed best, or the newest where error is not all that counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Best {
    error: f64,
    step: usize,
    draft: Draft,
}

/// How a fit stands after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Steps done, the first included.
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

impl Fit {
    /// A fit of a picture, at its size, not begun.
    pub fn new(target: Target, options: Options) -> Result<Self> {
        Self::begin_with(target, options, None)
    }

    /// A fit that starts from a program instead of making one: to go on with it, or to
    /// fit it to another picture. It must have the strokes that the options say and the
    /// picture's shape.
    pub fn from_program(target: Target, options: Options, program: &Program) -> Result<Self> {
        let given = Draft::of(program, &target, &options)?;
        Self::begin_with(target, options, Some(given))
    }

    fn begin_with(target: Target, options: Options, given: Option<Draft>) -> Result<Self> {
        let state = State { step: 0, work: Work::Unbegun(given), loss: 0.0, best: None };
        Self::resume(target, options, state)
    }

    /// Goes on from a state of a fit of the same picture with the same options.
    pub fn resume(target: Target, options: Options, state: State) -> Result<Self> {
        options.check()?;
        if target.bare.is_some() && matches!(options.solver, Solver::Paper(_)) {
            let message = "the paper's solver paints everywhere: nothing can stay bare";
            return Err(Error::Request(message.into()));
        }
        if !state.suits(&target, &options) {
            let message = "the checkpoint belongs to a fit with other strokes or another solver";
            return Err(Error::Request(message.into()));
        }
        let (floor, staged) = (target.floor(), target.clone());
        let mut fit = Self { staged, floor, target, options, network: None, lens: None, state };
        fit.enter_stage(false);
        Ok(fit)
    }

    /// With the weights of VGG16 at hand, for the paper's solver: its deep-feature objective,
    /// and the scale of its pixel error.
    pub fn with_network(self, weights: Weights) -> Self {
        Self { network: Some(weights), ..self }
    }

    /// Where it stands, to go on from.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Steps in all, the first included.
    pub fn steps(&self) -> usize {
        1 + self.options.stages.iter().map(|s| s.steps).sum::<usize>()
    }

    /// Are all steps done?
    pub fn is_done(&self) -> bool {
        self.state.step >= self.steps()
    }

    /// Share of the work that is done, if a step costs as much as its pixels.
    pub fn progress(&self) -> f64 {
        let cost = |stage: &Stage| f64::from(stage.side_px);
        let all: f64 = self.options.stages.iter().map(|s| cost(s) * s.steps as f64).sum();
        let mut left = self.state.step.saturating_sub(1);
        let mut done = 0.0;
        for stage in &self.options.stages {
            let steps = left.min(stage.steps);
            done += cost(stage) * steps as f64;
            left -= steps;
        }
        if all > 0.0 { done / all } else { f64::from(u8::from(self.state.step > 0)) }
    }

    /// One step: the first program, or a gradient step; now and then, a hard render.
    pub fn step(&mut self) -> Result<Report> {
        let best_before = self.state.best.as_ref().map(|b| b.step);
        match self.stage() {
            None => self.begin()?,
            Some((stage, k)) => self.descend(stage, k)?,
        }
        self.state.step += 1;
        let begins = self.stage().is_some_and(|(_, k)| k == 0);
        if begins || self.is_done() || self.state.step.is_multiple_of(self.options.judge_every) {
            self.judge()?;
        }
        if begins {
            self.enter_stage(true);
        }
        let best = self.state.best.as_ref();
        Ok(Report {
            step: self.state.step,
            steps: self.steps(),
            loss: self.state.loss,
            floor_ratio: self.floor_ratio(),
            improved: best.map(|b| b.step) != best_before,
        })
    }

    /// The stage that the next step belongs to, and its number there; none for the first.
    fn stage(&self) -> Option<(Stage, usize)> {
        let mut k = self.state.step.checked_sub(1)?;
        for stage in &self.options.stages {
            if k < stage.steps {
                return Some((*stage, k));
            }
            k -= stage.steps;
        }
        None
    }

    /// Gets ready for the stage that the next step belongs to; `anew` if it begins there.
    fn enter_stage(&mut self, anew: bool) {
        if let Some((stage, _)) = self.stage() {
            self.staged = self.target.at_most(stage.side_px);
            self.lens = None;
        }
        match &mut self.state.work {
            Work::Joint(joint) if anew => joint.enter_stage(),
            Work::Paper(paper) if anew => paper.enter_stage(),
            _ => {}
        }
    }

    /// Makes the first program, or takes the one that is given.
    fn begin(&mut self) -> Result<()> {
        let Work::Unbegun(given) = &self.state.work else { return Ok(()) };
        let options = &self.options;
        self.state.work = match (&options.solver, given) {
            (Solver::Paper(own), given) => {
                Work::Paper(Paper::new(&self.target, options, own, given.as_ref())?)
            }
            (Solver::Peel(..), Some(draft)) => {
                Work::Joint(Joint::new(draft.clone(), options.drops))
            }
            (Solver::Peel(peel, _), None) => {
                Work::Joint(Joint::new(self.peeled(peel)?, options.drops))
            }
        };
        Ok(())
    }

    fn peeled(&self, peel: &peel::Options) -> Result<Draft> {
        let options = &self.options;
        let (palette, fixed) = options.palette.colours(&self.target, options.seed);
        let job = peel::Job {
            strokes: options.strokes,
            operator: options.operator,
            drops: options.drops,
            palette: &palette,
            seed: options.seed,
        };
        let peel::Peeled { shapes, colours, background } = peel::peel(&self.target, &job, peel)?;
        let colouring = Colouring::new(palette, fixed, colours, background);
        Ok(Draft { shapes, colouring })
    }

    /// Step `k` of a stage.
    fn descend(&mut self, stage: Stage, k: usize) -> Result<()> {
        let share = k as f64 / stage.steps as f64;
        let between = |[first, last]: [f64; 2]| first * libm::pow(last / first, share);
        let cosine = 0.5 * (1.0 + libm::cos(PI * share));
        let rate = stage.rate[1] + (stage.rate[0] - stage.rate[1]) * cosine;
        let tau_min = between(stage.rim_px) * self.staged.view().pixel().x;
        let relaxation = Relaxation { tau: between(stage.tau), tau_min };
        self.focus()?;
        let view = self.jittered(self.staged.view());
        let (options, target) = (&self.options, &self.staged);
        self.state.loss = match (&mut self.state.work, &options.solver) {
            (Work::Joint(joint), Solver::Peel(_, rates)) => {
                joint.step(target, options.operator, relaxation, &rates.scaled(rate))?
            }
            (Work::Paper(paper), Solver::Paper(own)) => {
                let first = self.state.step <= options.stages[0].steps;
                let cooled = if first { share } else { 1.0 };
                let lens = self.lens.as_ref();
                let pace = Pace { target, view, relaxation, rate, cooled, lens };
                paper.step(options, own, &pace)?
            }
            _ => return Err(Error::Request("the fit has not begun".into())),
        };
        Ok(())
    }

    /// The view, in the last steps moved by up to half a pixel, another way in each: strokes
    /// that only ever met the pixels' centres would fit these a little better than the picture
    /// between them.
    fn jittered(&self, view: View) -> View {
        let step = self.state.step as f64;
        if step < UNJITTERED * self.steps() as f64 {
            return view;
        }
        let off_centre = |k: usize| libm::fmod(step * EVENLY[k], 1.0) - 0.5;
        let (Region { x, y, .. }, pixel) = (view.region, view.pixel());
        let (x, y) = (x + off_centre(0) * pixel.x, y + off_centre(1) * pixel.y);
        View { region: Region { x, y, ..view.region }, ..view }
    }

    /// Has the network look at the stage, if a step needs it and there is one.
    fn focus(&mut self) -> Result<()> {
        let (Work::Paper(paper), Solver::Paper(own)) = (&self.state.work, &self.options.solver)
        else {
            return Ok(());
        };
        let by_features = own.objective == Objective::Features;
        if !by_features && (paper.scale.is_some() || own.data_scale.is_some()) {
            self.lens = None;
        } else if self.lens.is_none()
            && let Some(weights) = &self.network
            && (by_features || self.staged.shorter_px() >= VggFeatures::MIN_SIDE_PX as u32)
        {
            self.lens = Some(Lens::new(weights, &self.staged, own.feature_px)?);
        }
        Ok(())
    }

    /// Renders hard, renews the colours, and keeps the program if it is the best, or if the
    /// error is not what it is judged by.
    fn judge(&mut self) -> Result<()> {
        let mut draft = match (&self.state.work, &self.options.solver) {
            (Work::Joint(joint), _) => joint.draft.clone(),
            (Work::Paper(paper), Solver::Paper(own)) => {
                paper.draft(&self.target, &self.options, own)
            }
            _ => return Ok(()),
        };
        let program = draft.program(self.target.height(), self.options.operator)?;
        let replay = Replay::new(&program, self.target.view(), &render::Options::default())?;
        let owners = replay.owners(0..replay.strips());
        if let Work::Joint(joint) = &mut self.state.work {
            draft.colouring.renew(&self.target, &owners);
            if let Some(bare) = &self.target.bare {
                draft.colouring.background = bare.colour;
            }
            joint.draft.colouring = draft.colouring.clone();
        }
        let colour = |pixel: usize| match owners[pixel] {
            0 => draft.colouring.background,
            owner => draft.colouring.colours[owner as usize - 1],
        };
        let error = self.target.error(colour);
        if let Work::Paper(paper) = &mut self.state.work {
            paper.judged(error);
        }
        let by_error = self.options.solver.is_judged_by_error();
        let state = &mut self.state;
        if !by_error || state.best.as_ref().is_none_or(|best| error < best.error) {
            state.best = Some(Best { error, step: state.step, draft });
        }
        Ok(())
    }

    /// The error of the best constant picture over that of the best program so far; 0
    /// before there is one, infinite if its replay is exact.
    pub fn floor_ratio(&self) -> f64 {
        match &self.state.best {
            Some(best) if best.error > 0.0 => self.floor / best.error,
            Some(_) => f64::INFINITY,
            None => 0.0,
        }
    }

    /// The best program so far.
    pub fn program(&self) -> Result<Program> {
        match &self.state.best {
            Some(best) => best.draft.program(self.target.height(), self.options.operator),
            None => Err(Error::Request("the fit has not begun: there is no program yet".into())),
        }
    }

    /// The factor of the data term in the paper's solver, once it is known.
    pub fn data_scale(&self) -> Option<f64> {
        match &self.state.work {
            Work::Paper(paper) => paper.scale,
            _ => None,
        }
    }

    /// The best that any program with the palette so far could do: the floor ratio of the
    /// picture with each pixel in its nearest palette colour. None where colours are free, or
    /// where the palette has them all.
    pub fn ceiling(&self) -> Option<f64> {
        let palette = &self.state.best.as_ref()?.draft.colouring.palette;
        let nearest = |colour: &Colour| palette::nearest(palette, *colour).map(|k| palette[k]);
        let colours: Vec<Colour> =
            self.target.colours.iter().map(nearest).collect::<Option<_>>()?;
        let error = self.target.error(|pixel| colours[pixel]);
        (error > 0.0).then(|| self.floor / error)
    }
}
