//! The paper's solver (its Sec. 5.1; docs/math.md, Sec. 17): all strokes from a rule, moved
//! by Adam in free numbers, coverage and colours sharpened as it goes.

mod features;
mod jitter;
mod parameters;
mod price;
mod start;

#[cfg(test)]
mod tests;

pub use parameters::PaperRates;
pub use price::Prices;

use super::adam::{Adam, Decays};
use super::colouring::{Colouring, Palette};
use super::draft::Draft;
use super::loss::PictureLoss;
use super::options::Solver;
use super::solver::StepContext;
use super::{Target, not_begun};
use crate::adjoint::{Engine, Gradient, Outcome, PixelLoss, Precision, Scene, gradient_until};
use crate::error::{Error, Result};
use crate::fit;
use crate::image::Image;
use crate::parallel::Stop;
use crate::program::Colour;
use features::Features;
use jitter::jittered;
use parameters::{Inks, Parameters, ProgramKind};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What the paper's solver is asked for, beside what every fit is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PaperOptions {
    /// Step sizes.
    pub rates: PaperRates,
    /// Temperature of the choice among palette colours, first and last, over the first
    /// stage; later stages stay at the last. Less is harder.
    pub temperature: [f64; 2],
    /// May every stroke be as wide as any?
    pub free_width: bool,
    /// Does every footprint stay in the middle 64 % of the canvas?
    pub contain: bool,
    /// What is minimised.
    pub objective: Objective,
    /// Penalties.
    pub prices: Prices,
    /// Mean squared error that is enough: the data term's weight rises above it and
    /// falls below it, so that penalties get what is left.
    pub error_target: Option<f64>,
    /// Factor of the pixel error. By default, the deep-feature distance of the first
    /// render over its pixel error, or [`PaperOptions::DATA_SCALE`] where there is no network.
    pub data_scale: Option<f64>,
    /// Longer side at which the network looks at renders, pixels.
    pub feature_px: u32,
}

/// The data term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    /// Mean squared error of pixels, sRGB as stored.
    Pixels,
    /// The distance of deep features; needs a network's weights.
    Features,
}

impl Default for PaperOptions {
    fn default() -> Self {
        Self {
            rates: PaperRates::default(),
            temperature: [1.0, 0.05],
            free_width: false,
            contain: false,
            objective: Objective::Pixels,
            prices: Prices::default(),
            error_target: None,
            data_scale: None,
            feature_px: 1024,
        }
    }
}

impl PaperOptions {
    /// The factor of the pixel error where there is no network to measure it with: the
    /// geometric mean of what it measures on eight pictures, which is from 75 to 670.
    pub const DATA_SCALE: f64 = 270.0;

    /// The most strokes of the paper's solver: they take five kilobytes each, beside the
    /// gigabyte of a network.
    pub const MAX_STROKES: usize = 20_000;

    pub(super) fn check(&self, strokes: usize, palette: &Palette) -> Result<()> {
        if strokes > Self::MAX_STROKES {
            let what = format!("{strokes} strokes in the paper's solver");
            return Err(Error::limit(what, Self::MAX_STROKES.to_string()));
        }
        let request = |message: &str| Err(Error::Request(message.into()));
        if *palette == Palette::Free {
            return request("the paper's solver chooses among the colours of a palette: give one");
        }
        let Prices { length, area, unseen } = self.prices;
        let scale = self.data_scale.unwrap_or(1.0);
        let target = self.error_target.unwrap_or(1.0);
        if [length, area, unseen].iter().any(|p| !(0.0..=1e6).contains(p)) {
            return request("prices are numbers from 0 to a million");
        }
        if ![scale, target].iter().all(|v| *v > 0.0 && v.is_finite()) {
            return request("the data scale and the error target are above 0");
        }
        Ok(())
    }
}

/// The paper's solver: its options and its state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Paper {
    options: PaperOptions,
    /// None before it has begun.
    state: Option<PaperState>,
    #[serde(skip)]
    features: Features,
}

/// The free numbers, and what goes with them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PaperState {
    numbers: Vec<f64>,
    /// The palette at the start, and whether it stays.
    palette: Vec<Colour>,
    fixed: bool,
    background: Colour,
    adam: Adam,
    /// The factor of the data term; none before the first step.
    scale: Option<f64>,
    /// And what the error target makes of it.
    multiplier: f64,
    /// The relaxed pixel error of the last step, and the hard one over it when last judged.
    error: f64,
    gap: f64,
}

/// What Adam remembers: its authors' values, which the paper does not change.
const DECAYS: Decays = Decays { beta1: 0.9, beta2: 0.999 };
/// The error target's multiplier: the largest change a step, as a logarithm, and its bounds.
const MULTIPLIER_STEP: f64 = 0.1;
const MULTIPLIER_BOUNDS: [f64; 2] = [0.01, 10.0];
/// The most that a hard error is taken to be above the relaxed one.
const MOST_GAP: f64 = 2.0;

impl Paper {
    /// A solver before its first step.
    pub fn new(options: PaperOptions) -> Self {
        Self { options, state: None, features: Features::default() }
    }

    /// With a loss on whole pictures at hand.
    pub fn set_loss(&mut self, loss: Arc<dyn PictureLoss>) {
        self.features.loss = Some(loss);
    }

    /// The factor of the data term, once it is known.
    pub fn data_scale(&self) -> Option<f64> {
        self.state.as_ref()?.scale
    }

    /// Is the best program the one with the least error?
    pub fn is_judged_by_error(&self) -> bool {
        let Prices { area, unseen, .. } = self.options.prices;
        self.options.objective == Objective::Pixels && area == 0.0 && unseen == 0.0
    }

    /// Is it the state of a fit with these options, whole?
    pub fn suits(&self, target: &Target, options: &fit::Options) -> bool {
        let whole = |state: &PaperState| {
            let count = self.parameters(state, target, options).count();
            options.palette.count() == Some(state.palette.len())
                && state.numbers.len() == count
                && state.adam.is_for(count, DECAYS)
                && state.is_sound()
        };
        options.solver == Solver::Paper(self.options.clone())
            && self.state.as_ref().is_none_or(whole)
    }

    /// Starts by the rule, or from a program that is given.
    pub fn start(
        &mut self,
        target: &Target,
        options: &fit::Options,
        given: Option<&Draft>,
    ) -> Result<()> {
        let (colours, fixed) = match given {
            Some(draft) => (draft.colouring.palette.clone(), draft.colouring.is_fixed()),
            None => options.palette.colours(options.palette_by, target, options.seed),
        };
        let inks = Inks { colours, fixed };
        let kind = ProgramKind { strokes: options.strokes, drops: options.drops };
        let parameters = Parameters::new(target, kind, &inks, &self.options);
        let shapes = match given {
            Some(draft) => draft.shapes.clone(),
            None => start::shapes(target, options, &parameters),
        };
        let weights = match given {
            Some(draft) => start::weights_of(&draft.colouring.colours, &inks),
            None => start::weights(target, options, &shapes, &inks),
        };
        let numbers = parameters.encode(&shapes, &weights, &inks.colours);
        self.state = Some(PaperState {
            adam: Adam::new(numbers.len(), DECAYS),
            numbers,
            palette: inks.colours,
            fixed,
            background: target.mean(),
            scale: None,
            multiplier: 1.0,
            error: 0.0,
            gap: 1.0,
        });
        Ok(())
    }

    /// Begins a stage: what Adam remembers is of other pixels.
    pub fn enter_stage(&mut self) {
        self.features.forget();
        if let Some(state) = &mut self.state {
            state.adam = Adam::new(state.numbers.len(), DECAYS);
        }
    }

    fn parameters(
        &self,
        state: &PaperState,
        target: &Target,
        options: &fit::Options,
    ) -> Parameters {
        let inks = Inks { colours: state.palette.clone(), fixed: state.fixed };
        let kind = ProgramKind { strokes: options.strokes, drops: options.drops };
        Parameters::new(target, kind, &inks, &self.options)
    }

    /// One step; gives the data term before it.
    pub fn step(&mut self, context: &StepContext) -> Result<f64> {
        let mut state = self.state.take().ok_or_else(not_begun)?;
        let stepped = self.step_from(&mut state, context);
        self.state = Some(state);
        stepped
    }

    fn step_from(&mut self, state: &mut PaperState, context: &StepContext) -> Result<f64> {
        let parameters = self.parameters(state, context.target, context.options);
        let temperature = self.temperature(context);
        let decoded = parameters.decode(&state.numbers, temperature);
        let scene = Scene::new(
            decoded.shapes.clone(),
            decoded.colours.clone(),
            state.background,
            context.options.operator,
            context.relaxation,
            jittered(context),
        )?;
        let (loss, mut gradient) = match self.options.objective {
            Objective::Pixels => self.pixels(state, &scene, context)?,
            Objective::Features => self.by_features(state, &scene, context)?,
        };
        self.options.prices.add_to(&mut gradient, &scene, parameters.scale)?;
        if let Some(enough) = self.options.error_target {
            state.steer(enough);
        }
        let d_numbers = parameters.decode_vjp(&state.numbers, temperature, &decoded, &gradient);
        let change = state.adam.step(&d_numbers);
        parameters.advance(&mut state.numbers, &change, &self.options.rates, context.rate);
        Ok(loss)
    }

    /// The temperature falls over the first stage, and stays.
    fn temperature(&self, context: &StepContext) -> f64 {
        let [hot, cold] = self.options.temperature;
        let cooled = if context.stage == 0 { context.stage_share } else { 1.0 };
        hot * libm::pow(cold / hot, cooled)
    }

    /// The pixel error and its gradient, scaled.
    fn pixels(
        &mut self,
        state: &mut PaperState,
        scene: &Scene,
        context: &StepContext,
    ) -> Result<(f64, Gradient)> {
        let Outcome { loss, image, mut gradient, .. } =
            descend(scene, &context.target.loss(), context.stop)?;
        let scale = match state.scale {
            Some(scale) => scale,
            None => self.measured_scale(context, &image, loss)?,
        };
        (state.scale, state.error) = (Some(scale), loss);
        gradient.scale(scale * state.multiplier);
        Ok((loss, gradient))
    }

    /// The factor of the pixel error: as asked for, or measured with the loss on whole
    /// pictures, if there is one.
    fn measured_scale(&mut self, context: &StepContext, image: &Image, error: f64) -> Result<f64> {
        if let Some(scale) = self.options.data_scale {
            return Ok(scale);
        }
        let StepContext { target, stop, .. } = context;
        let distance = self.features.distance(target, self.options.feature_px, false, stop)?;
        let scale = match distance {
            Some(distance) if error > 0.0 => distance.loss(image)? / error,
            _ => PaperOptions::DATA_SCALE,
        };
        self.features.forget();
        Ok(scale)
    }

    /// The deep-feature distance and its gradient: a render for the network, and another
    /// for what it says of every pixel.
    fn by_features(
        &mut self,
        state: &mut PaperState,
        scene: &Scene,
        context: &StepContext,
    ) -> Result<(f64, Gradient)> {
        let StepContext { target, stop, .. } = context;
        let distance = self.features.distance(target, self.options.feature_px, true, stop)?;
        let Some(distance) = distance else {
            let message = "the deep-feature objective needs the weights of VGG16";
            return Err(Error::Request(message.into()));
        };
        let pixels = descend(scene, &context.target.loss(), context.stop)?;
        let (loss, d_image) = distance.loss_and_gradient(&pixels.image)?;
        let told = |pixel: usize, colour: Colour| {
            let d = d_image[pixel];
            ((0..3).map(|c| d[c] * colour[c]).sum(), d)
        };
        let mut gradient = descend(scene, &told, context.stop)?.gradient;
        (state.scale, state.error) = (Some(1.0), pixels.loss);
        gradient.scale(state.multiplier);
        Ok((loss, gradient))
    }

    /// Takes note of the hard error.
    pub fn judged(&mut self, hard: f64) {
        if let Some(state) = &mut self.state
            && state.error > 0.0
        {
            state.gap = (hard / state.error).clamp(1.0, MOST_GAP);
        }
    }

    /// The program as it would be exported: every stroke in its heaviest colour.
    pub fn draft(&self, target: &Target, options: &fit::Options) -> Option<Draft> {
        let state = self.state.as_ref()?;
        let parameters = self.parameters(state, target, options);
        let decoded = parameters.decode(&state.numbers, 1.0);
        let colour = |i: usize| decoded.palette[parameters.snapped(&state.numbers, i)];
        let colours = (0..decoded.shapes.len()).map(colour).collect();
        let palette = decoded.palette.clone();
        let colouring = Colouring::new(palette, state.fixed, colours, state.background);
        Some(Draft { shapes: decoded.shapes, tools: Vec::new(), colouring, names: None })
    }
}

impl PaperState {
    /// Are all its numbers ones that steps would have left?
    fn is_sound(&self) -> bool {
        let colours = self.palette.iter().chain([&self.background]);
        let is_factor = |v: f64| v.is_finite() && v >= 0.0;
        let [least, most] = MULTIPLIER_BOUNDS;
        colours.flatten().all(|v| (0.0..=1.0).contains(v))
            && self.numbers.iter().all(|v| v.is_finite())
            && self.scale.is_none_or(is_factor)
            && (least..=most).contains(&self.multiplier)
            && self.error.is_finite()
            && self.error >= 0.0
            && (1.0..=MOST_GAP).contains(&self.gap)
    }

    /// Raises the data term's weight if the hard error is likely above what is enough, and
    /// lowers it if below.
    fn steer(&mut self, enough: f64) {
        let excess = libm::log((self.error * self.gap / enough).max(1e-9));
        let turn = MULTIPLIER_STEP * excess.clamp(-1.0, 1.0);
        let [least, most] = MULTIPLIER_BOUNDS;
        self.multiplier = (self.multiplier * libm::exp(turn)).clamp(least, most);
    }
}

/// The gradient, as accurate as a fit needs it.
fn descend(scene: &Scene, loss: &PixelLoss, stop: &Stop) -> Result<Outcome> {
    gradient_until(scene, Engine::Coarse, Precision::Single, loss, stop)
}
