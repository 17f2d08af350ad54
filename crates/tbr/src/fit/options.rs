//! What a fit is asked for.

use super::colouring::Palette;
use super::joint::Rates;
use super::peel;
use crate::error::{Error, Result};
use crate::program::{MAX_PALETTE, MAX_STROKES, Operator};
use serde::{Deserialize, Serialize};

/// Everything that decides a fit but the picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// How many strokes.
    pub strokes: usize,
    /// What colours they may have.
    pub palette: Palette,
    /// How they move paint.
    pub operator: Operator,
    /// Drops only.
    pub drops: bool,
    /// Seed of the random numbers.
    pub seed: u64,
    /// The peeling that it starts with.
    pub peel: peel::Options,
    /// The joint fits that follow.
    pub stages: Vec<Stage>,
    /// Steps between hard renders, which renew the colours and keep the best program.
    /// Fewer are slower and miss less.
    pub judge_every: usize,
}

/// A joint fit at one size.
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
    /// Step sizes at the start.
    pub rates: Rates,
    /// Share of them that is left at the end, along a cosine.
    pub last_rate: f64,
}

impl Default for Stage {
    fn default() -> Self {
        Self {
            side_px: 512,
            steps: 100,
            tau: [0.05, 0.01],
            rim_px: [0.4, 0.15],
            rates: Rates { place: 0.1, width: 0.05, colour: 0.01 },
            last_rate: 0.1,
        }
    }
}

impl Stage {
    /// The last touch, at full size: rims and steps go on from where the stage before
    /// it ended.
    fn fine(steps: usize) -> Self {
        Self {
            side_px: 1024,
            steps,
            tau: [0.01, 0.01],
            rim_px: [0.25, 0.12],
            rates: Rates { place: 0.03, width: 0.015, colour: 0.003 },
            last_rate: 0.1,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            strokes: 2000,
            palette: Palette::Free,
            operator: Operator::Capsule,
            drops: false,
            seed: 0,
            peel: peel::Options::default(),
            stages: vec![Stage::default(), Stage::fine(40)],
            judge_every: 10,
        }
    }
}

impl Options {
    /// A good first look.
    pub fn fast() -> Self {
        let stage = Stage { steps: 30, rim_px: [0.35, 0.15], ..Stage::default() };
        Self { stages: vec![stage], ..Self::default() }
    }

    /// As good as patience makes it.
    pub fn best() -> Self {
        let stage = Stage { steps: 250, ..Stage::default() };
        let peel = peel::Options { points: 768, seeds: 64, ..peel::Options::default() };
        Self { peel, stages: vec![stage, Stage::fine(150)], ..Self::default() }
    }

    /// So many gradient steps in all, shared out among the stages as they were.
    pub fn share_out(&mut self, steps: usize) {
        let mut before: usize = self.stages.iter().map(|s| s.steps).sum();
        let mut left = steps;
        for stage in &mut self.stages {
            let share = if before == 0 { left } else { (left * stage.steps).div_ceil(before) };
            before -= stage.steps;
            stage.steps = share.min(left);
            left -= stage.steps;
        }
    }

    /// Checks what can be wrong with them.
    pub(super) fn check(&self) -> Result<()> {
        let request = |message: &str| Err(Error::Request(message.into()));
        if self.strokes == 0 {
            return request("a program without strokes cannot be fitted");
        }
        if self.strokes > MAX_STROKES {
            return Err(Error::limit(format!("{} strokes", self.strokes), MAX_STROKES.to_string()));
        }
        let colours = match &self.palette {
            Palette::Free => 1,
            Palette::Size(count) => *count,
            Palette::Fixed(palette) => palette.len(),
        };
        if colours == 0 {
            return request("a palette has at least one colour");
        }
        if colours > MAX_PALETTE {
            return Err(Error::limit(format!("{colours} colours"), MAX_PALETTE.to_string()));
        }
        Ok(())
    }
}
