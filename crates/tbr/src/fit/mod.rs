//! From a picture to a program.
//!
//! A fit peels the picture ([`peel`]), then moves all strokes at once, down the
//! gradient through the whole chain, in stages of finer pixels and sharper rims. Now and
//! then the program is rendered hard: colours are renewed from what each stroke
//! owns, and the best program so far is kept. The caller owns the loop:
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
mod joint;
mod mean;
mod options;
pub mod palette;
pub mod peel;
mod target;

#[cfg(test)]
mod tests;

pub use colouring::Palette;
pub use joint::Rates;
pub use options::{Options, Stage};
pub use target::Target;

use crate::adjoint::{Relaxation, Scene};
use crate::error::{Error, Result};
use crate::program::{Colour, Parts, Program, Stroke};
use crate::render::{self, Replay};
use crate::stroke::Shape;
use colouring::Colouring;
use joint::Joint;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// A fit on its way.
pub struct Fit {
    target: Target,
    /// The target's error as one colour.
    floor: f64,
    options: Options,
    /// The target at the size of the current stage.
    staged: Target,
    state: State,
}

/// All that changes in a fit: what a checkpoint holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Steps done; the first is the peeling.
    step: usize,
    shapes: Vec<Shape>,
    colouring: Colouring,
    joint: Joint,
    /// The relaxed loss before the last step; 0 before the first.
    loss: f64,
    best: Option<Best>,
}

/// The program that has replayed best.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Best {
    error: f64,
    step: usize,
    shapes: Vec<Shape>,
    colouring: Colouring,
}

/// How a fit stands after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Steps done, the peeling included.
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
        options.check()?;
        let state = State {
            step: 0,
            shapes: Vec::new(),
            colouring: Colouring::new(Vec::new(), false, Vec::new(), target.mean()),
            joint: Joint::new(options.strokes, options.drops),
            loss: 0.0,
            best: None,
        };
        Self::resume(target, options, state)
    }

    /// Goes on from a state of a fit of the same picture with the same options.
    pub fn resume(target: Target, options: Options, state: State) -> Result<Self> {
        options.check()?;
        let strokes = if state.step == 0 { 0 } else { options.strokes };
        if state.shapes.len() != strokes || state.colouring.colours.len() != strokes {
            let message = "the checkpoint belongs to a fit with another number of strokes";
            return Err(Error::Request(message.into()));
        }
        let floor = target.floor();
        let mut fit = Self { staged: target.clone(), floor, target, options, state };
        fit.enter_stage();
        Ok(fit)
    }

    /// Where it stands, to go on from.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Steps in all, the peeling included.
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

    /// One step: the peeling, or a gradient step with, now and then, a hard render.
    pub fn step(&mut self) -> Result<Report> {
        let best_before = self.state.best.as_ref().map(|b| b.step);
        match self.stage() {
            None => self.peel()?,
            Some((stage, k)) => self.descend(stage, k)?,
        }
        self.state.step += 1;
        let begins = self.stage().is_some_and(|(_, k)| k == 0);
        if begins || self.is_done() || self.state.step.is_multiple_of(self.options.judge_every) {
            self.judge()?;
        }
        if begins {
            self.enter_stage();
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

    /// The stage that the next step belongs to, and its number there; none for the peeling.
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

    /// Gets ready for the stage that the next step belongs to.
    fn enter_stage(&mut self) {
        if let Some((stage, k)) = self.stage() {
            self.staged = self.target.at_most(stage.side_px);
            if k == 0 {
                self.state.joint = Joint::new(self.options.strokes, self.options.drops);
            }
        }
    }

    fn peel(&mut self) -> Result<()> {
        let options = &self.options;
        let (palette, fixed) = match &options.palette {
            Palette::Free => (Vec::new(), false),
            Palette::Size(count) => {
                (palette::of_picture(&self.target, *count, options.seed), false)
            }
            Palette::Fixed(palette) => (palette.clone(), true),
        };
        let job = peel::Job {
            strokes: options.strokes,
            operator: options.operator,
            drops: options.drops,
            palette: &palette,
            seed: options.seed,
        };
        let peeled = peel::peel(&self.target, &job, &options.peel)?;
        self.state.shapes = peeled.shapes;
        self.state.colouring = Colouring::new(palette, fixed, peeled.colours, peeled.background);
        Ok(())
    }

    /// Step `k` of a stage.
    fn descend(&mut self, stage: Stage, k: usize) -> Result<()> {
        let share = k as f64 / stage.steps as f64;
        let between = |[first, last]: [f64; 2]| first * libm::pow(last / first, share);
        let cosine = 0.5 * (1.0 + libm::cos(PI * share));
        let rates = stage.rates.scaled(stage.last_rate + (1.0 - stage.last_rate) * cosine);
        let view = self.staged.view();
        let relaxation =
            Relaxation { tau: between(stage.tau), tau_min: between(stage.rim_px) * view.pixel().x };
        let state = &mut self.state;
        let mut scene = Scene {
            shapes: std::mem::take(&mut state.shapes),
            colours: state.colouring.colours.clone(),
            background: state.colouring.background,
            operator: self.options.operator,
            relaxation,
            view,
        };
        state.loss = state.joint.step(&mut scene, &rates, &self.staged.loss())?;
        state.shapes = scene.shapes;
        if state.colouring.is_free() {
            state.colouring.colours = scene.colours;
        }
        Ok(())
    }

    /// Renders hard, renews the colours, and keeps the program if it is the best.
    fn judge(&mut self) -> Result<()> {
        let program = self.assemble(&self.state.shapes, &self.state.colouring)?;
        let replay = Replay::new(&program, self.target.view(), &render::Options::default())?;
        let owners = replay.owners(0..replay.strips());
        let state = &mut self.state;
        state.colouring.renew(&self.target, &owners);
        let colour = |pixel: usize| match owners[pixel] {
            0 => state.colouring.background,
            owner => state.colouring.colours[owner as usize - 1],
        };
        let error = self.target.error(colour);
        if state.best.as_ref().is_none_or(|best| error < best.error) {
            let (shapes, colouring) = (state.shapes.clone(), state.colouring.clone());
            state.best = Some(Best { error, step: state.step, shapes, colouring });
        }
        Ok(())
    }

    /// The error of the best constant picture over that of the best program so far; 0
    /// before there is one.
    pub fn floor_ratio(&self) -> f64 {
        self.state.best.as_ref().map_or(0.0, |best| self.floor / best.error)
    }

    /// The best program so far.
    pub fn program(&self) -> Result<Program> {
        match &self.state.best {
            Some(best) => self.assemble(&best.shapes, &best.colouring),
            None => Err(Error::Request("the fit has not begun: there is no program yet".into())),
        }
    }

    fn assemble(&self, shapes: &[Shape], colouring: &Colouring) -> Result<Program> {
        let stroke =
            |(i, shape): (usize, &Shape)| Stroke { shape: *shape, paint: colouring.paint(i) };
        Program::new(Parts {
            height: self.target.height(),
            background: colouring.background,
            operator: self.options.operator,
            palette: colouring.palette.clone(),
            strokes: shapes.iter().enumerate().map(stroke).collect(),
            provenance: serde_json::Map::new(),
        })
    }

    /// The best that any program with the palette so far could do: the floor ratio of the
    /// picture with each pixel in its nearest palette colour. None where colours are free.
    pub fn ceiling(&self) -> Option<f64> {
        let palette = &self.state.best.as_ref()?.colouring.palette;
        let nearest = |colour: &Colour| palette::nearest(palette, *colour).map(|k| palette[k]);
        let colours: Vec<Colour> =
            self.target.colours.iter().map(nearest).collect::<Option<_>>()?;
        Some(self.floor / self.target.error(|pixel| colours[pixel]))
    }
}
