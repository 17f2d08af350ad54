//! The options of a fit, and the presets.

use super::colouring::{Palette, PaletteBy};
use super::is_false;
use super::joint::Rates;
use super::{paper, peel};
use crate::error::{Error, Result};
use crate::program::MAX_STROKES;
use crate::stroke::Operator;
use crate::tool::Tool;
use serde::{Deserialize, Serialize};

/// Pixels that a stroke has at least, in the mean, where the picture has as many.
const PIXELS_PER_STROKE: f64 = 64.0;

/// Everything that decides a fit but the picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// How many strokes.
    pub strokes: usize,
    /// What colours they may have.
    pub palette: Palette,
    /// What a palette of so many colours is chosen by. Eyes keep rare colours, for a few percent
    /// more error where there are any; the paper's solver knows only pixels.
    #[serde(default, skip_serializing_if = "PaletteBy::is_pixels")]
    pub palette_by: PaletteBy,
    /// What the error counts by which strokes are moved and programs compared. (Floor ratios are
    /// told by pixels.)
    #[serde(default, skip_serializing_if = "ErrorBy::is_pixels")]
    pub error_by: ErrorBy,
    /// How they move paint.
    pub operator: Operator,
    /// Drops only.
    pub drops: bool,
    /// May strokes bend? (The paper's never do.)
    pub bends: bool,
    /// Tools that come last, after all strokes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// Do tools stay as they are? Else their numbers are fitted with the strokes.
    #[serde(default, skip_serializing_if = "is_false")]
    pub hold_tools: bool,
    /// Seed of the random numbers.
    pub seed: u64,
    /// How the program is found.
    pub solver: Solver,
    /// The gradient steps.
    pub stages: Vec<Stage>,
    /// Steps between hard renders, which renew the colours and keep the best program.
    /// Fewer are slower and miss less.
    pub judge_every: usize,
}

/// What an error counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorBy {
    /// The same in all pixels.
    #[default]
    Pixels,
    /// What people see of it: less where the picture is busy (`fit/care.rs`).
    Eyes,
}

impl ErrorBy {
    /// For serde: options from before there was a choice do not say it.
    fn is_pixels(&self) -> bool {
        *self == Self::Pixels
    }
}

/// How a program is found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Solver {
    /// Peeled, then moved in units of the strokes' widths: ours.
    Peel(peel::PeelOptions, Rates),
    /// From a rule, in free numbers, as in the paper.
    Paper(paper::PaperOptions),
}

/// Gradient steps at one size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Longer side of the picture, pixels; at most that of the target.
    pub side_px: u32,
    /// Gradient steps.
    pub steps: usize,
    /// Rim width as a share of the half-width, first and last.
    pub tau: [f64; 2],
    /// Least rim width in pixels, first and last. A hard edge has none; the less, the
    /// truer the loss and the fewer the pixels that tell where to go.
    pub rim_px: [f64; 2],
    /// Share of the solver's step sizes, first and last, along a cosine.
    pub rate: [f64; 2],
    /// Are pixels shifted from step to step, if the picture has more of them? Strokes then fit
    /// what lies between them, too.
    pub shifted: bool,
    /// The most strokes, as a share of all, that are born again at a time (see
    /// `fit/rebirth.rs`): whenever the program is judged and is the best so far, until two
    /// thirds of the stage are done. More finds detail sooner, and shakes the rest.
    pub reborn: f64,
    /// How many times as much a stroke that is born must gain as the one that goes for it would be
    /// missed: both are estimates, and the others must find their places anew.
    #[serde(default = "usual_price", skip_serializing_if = "is_usual_price")]
    pub birth_price: f64,
}

/// What births cost if nothing else is said.
fn usual_price() -> f64 {
    2.0
}

/// For serde: options from before there was a price do not say it.
fn is_usual_price(price: &f64) -> bool {
    *price == usual_price()
}

impl Default for Stage {
    fn default() -> Self {
        Self {
            side_px: 512,
            steps: 150,
            tau: [0.05, 0.01],
            rim_px: [0.4, 0.1],
            rate: [1.5, 0.1],
            shifted: true,
            reborn: 0.2,
            birth_price: usual_price(),
        }
    }
}

impl Stage {
    /// Refuses sizes and shares that make no sense. A rim of no width has no slope, and a fit
    /// with it would move nothing.
    fn check(&self) -> Result<()> {
        let request = |message: &str| Err(Error::Request(message.into()));
        if self.side_px == 0 {
            return request("a picture has pixels");
        }
        let above_0 = |values: [f64; 2]| values.iter().all(|v| *v > 0.0 && v.is_finite());
        if !above_0(self.tau) || !above_0(self.rim_px) {
            return request("rims have a width: tau and rim_px are finite and above 0");
        }
        if !(0.0..=1.0).contains(&self.reborn) {
            return request("the share of strokes that are born again is between 0 and 1");
        }
        if !(self.birth_price >= 1.0 && self.birth_price.is_finite()) {
            return request("a birth gains at least as much as what goes for it is missed");
        }
        if !self.rate.iter().all(|v| *v >= 0.0 && v.is_finite()) {
            return request("the rates are finite, and none is negative");
        }
        Ok(())
    }

    /// The last touch, at full size: rims and steps go on from where the stage before
    /// it ended.
    fn fine(steps: usize) -> Self {
        Self {
            side_px: 1024,
            steps,
            tau: [0.01; 2],
            rim_px: [0.25, 0.12],
            rate: [0.3, 0.03],
            shifted: false,
            reborn: 0.0,
            birth_price: usual_price(),
        }
    }

    /// The paper's anneal.
    fn paper(side_px: u32, steps: usize) -> Self {
        Self {
            side_px,
            steps,
            tau: [0.35, 0.02],
            rim_px: [0.7; 2],
            rate: [1.0, 0.0],
            shifted: false,
            reborn: 0.0,
            birth_price: usual_price(),
        }
    }
}

/// The preset `default`: 2000 strokes of any colour, the best in about a minute.
impl Default for Options {
    fn default() -> Self {
        Self {
            strokes: 2000,
            palette: Palette::Free,
            palette_by: PaletteBy::Pixels,
            error_by: ErrorBy::Eyes,
            operator: Operator::Capsule,
            drops: false,
            bends: true,
            tools: Vec::new(),
            hold_tools: false,
            seed: 0,
            solver: Solver::Peel(peel::PeelOptions::default(), Rates::default()),
            stages: vec![Stage::default(), Stage::fine(40)],
            judge_every: 10,
        }
    }
}

impl Options {
    /// The preset `fast`: a good first look, in seconds.
    pub fn fast() -> Self {
        // (In so few steps, strokes that are born again do not find their places.)
        let (rim_px, rate) = ([0.35, 0.15], [1.0, 0.1]);
        let stage = Stage { steps: 30, rim_px, rate, reborn: 0.0, ..Stage::default() };
        Self { stages: vec![stage], ..Self::default() }
    }

    /// The preset `best`: the lowest error, in minutes.
    pub fn best() -> Self {
        let stage = Stage { steps: 350, ..Stage::default() };
        let peel = peel::PeelOptions { points: 768, seeds: 64, ..peel::PeelOptions::default() };
        let solver = Solver::Peel(peel, Rates::default());
        Self { solver, stages: vec![stage, Stage::fine(150)], ..Self::default() }
    }

    /// The preset `paper`: the paper's solver and settings.
    pub fn paper() -> Self {
        Self {
            palette: Palette::Size(8),
            error_by: ErrorBy::Pixels,
            bends: false,
            solver: Solver::Paper(paper::PaperOptions::default()),
            stages: vec![Stage::paper(u32::MAX, 240)],
            ..Self::default()
        }
    }

    /// The paper's stages A and B: coarse with a free width, then fine, the relaxation
    /// near its floor.
    pub fn paper_staged() -> Self {
        let fine = Stage { tau: [0.03, 0.02], rate: [0.5, 0.0], ..Stage::paper(u32::MAX, 40) };
        let own = paper::PaperOptions { free_width: true, ..paper::PaperOptions::default() };
        Self {
            solver: Solver::Paper(own),
            stages: vec![Stage::paper(512, 200), fine],
            ..Self::paper()
        }
    }

    /// Suits stages and peeling to the number of strokes and to the picture's longer side: strokes
    /// have enough pixels to be told apart, and no stage has more than the picture. (The
    /// paper's sizes are its own.)
    pub fn suit(&mut self, size_px: u32) {
        let least = (PIXELS_PER_STROKE * self.strokes as f64).sqrt() as u32;
        let mut least_px = 0;
        if let Solver::Peel(peel, _) = &mut self.solver {
            least_px = least.min(size_px);
            peel.points = peel.points.max(least_px);
        }
        for stage in &mut self.stages {
            stage.side_px = stage.side_px.max(least_px).min(size_px);
        }
    }

    /// Gradient steps in all.
    pub fn steps(&self) -> usize {
        self.stages.iter().map(|s| s.steps).sum()
    }

    /// Sets the number of gradient steps in all; each stage keeps its share of them.
    pub fn share_out(&mut self, steps: usize) {
        let mut before = self.steps();
        let mut left = steps;
        for stage in &mut self.stages {
            let share = if before == 0 { left } else { (left * stage.steps).div_ceil(before) };
            before -= stage.steps;
            stage.steps = share.min(left);
            left -= stage.steps;
        }
    }

    /// Refuses eyes where nothing is left to choose, or where others choose.
    fn check_eyes(&self) -> Result<()> {
        let request = |message: &str| Err(Error::Request(message.into()));
        if !matches!(self.palette, Palette::Size(_)) {
            return request("only a palette of so many colours is chosen by eyes");
        }
        if matches!(self.solver, Solver::Paper(_)) {
            return request("the paper's solver chooses its palette by pixels");
        }
        Ok(())
    }

    /// Checks what can be wrong with them.
    pub fn check(&self) -> Result<()> {
        let request = |message: &str| Err(Error::Request(message.into()));
        if self.strokes == 0 {
            return request("a program without strokes cannot be fitted");
        }
        if self.strokes > MAX_STROKES {
            return Err(Error::limit(format!("{} strokes", self.strokes), MAX_STROKES.to_string()));
        }
        if self.judge_every == 0 {
            return request("a fit is judged every so many steps, at least every one");
        }
        if !self.tools.is_empty() && matches!(self.solver, Solver::Paper(_)) {
            return request("the paper's solver knows no tools");
        }
        if self.error_by == ErrorBy::Eyes && matches!(self.solver, Solver::Paper(_)) {
            return request("for the paper's solver an error counts the same in all pixels");
        }
        self.palette.check()?;
        if !self.palette_by.is_pixels() {
            self.check_eyes()?;
        }
        for (k, stage) in self.stages.iter().enumerate() {
            stage.check().map_err(|e| Error::Request(format!("stage {}: {e}", k + 1)))?;
        }
        match &self.solver {
            Solver::Peel(peel, rates) => {
                peel.check()?;
                rates.check()
            }
            Solver::Paper(own) => own.check(self.strokes, &self.palette),
        }
    }
}
