//! The target as a stage of a fit sees it.

use super::options::Stage;
use super::solver::Work;
use super::target::Target;
use crate::cells::PixelOrder;
use crate::numbers::{Vec2, vec2};
use std::sync::Arc;

/// How many times as many pixels a side the picture has that shifted pixels are taken from: more
/// are sharper, and noisier from step to step.
const FINER: u32 = 2;

/// The target at the size of a stage.
pub(super) struct Staged {
    target: Target,
    /// The same with more pixels, if pixels are shifted.
    finer: Option<Target>,
    /// The order of its pixels, if tools come last, and that of the whole target's.
    pub order: Option<Arc<PixelOrder>>,
    pub order_of_all: Option<Arc<PixelOrder>>,
}

impl Staged {
    /// A target that no stage has begun with.
    pub fn whole(target: &Target) -> Self {
        Self { target: target.clone(), finer: None, order: None, order_of_all: None }
    }

    pub fn new(target: &Target, stage: &Stage, work: &Work) -> Self {
        let small = target.at_most(stage.side_px);
        let finer = || target.at_most(stage.side_px.saturating_mul(FINER));
        let is_whole = small.view() == target.view();
        let order = work.order(&small.view());
        let order_of_all = match is_whole {
            true => order.clone(),
            false => work.order(&target.view()),
        };
        let finer = (stage.shifted && !is_whole).then(finer);
        Self { target: small, finer, order, order_of_all }
    }

    /// What a step sees of it.
    pub fn at_step(&self, step: usize) -> Target {
        match &self.finer {
            Some(finer) => finer.sampled(&self.target, shift(step)),
            None => self.target.clone(),
        }
    }
}

/// Where the pixels of a step lie, in pixels from where they would: places that fill the square
/// evenly (multiples of powers of the plastic number).
fn shift(step: usize) -> Vec2<f64> {
    const PLASTIC: f64 = 1.324_717_957_244_746;
    let place = |share: f64| (0.5 + step as f64 * share).fract() - 0.5;
    vec2(place(1.0 / PLASTIC), place(1.0 / (PLASTIC * PLASTIC)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In 64 steps, each of 16 parts of a pixel is seen two to six times (one in four random ones would be).
    #[test]
    fn shifts_fill_the_pixel_evenly() {
        let mut seen = [0; 16];
        for step in 0..64 {
            let Vec2 { x, y } = shift(step);
            let part = |v: f64| ((v + 0.5) * 4.0) as usize;
            seen[part(y) * 4 + part(x)] += 1;
        }
        assert!(seen.iter().all(|count| (2..=6).contains(count)), "{seen:?}");
    }
}
