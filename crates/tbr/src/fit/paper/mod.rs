//! The paper's solver (its Sec. 5.1; docs/math.md, Sec. 17): all strokes from a rule, moved
//! by Adam in free numbers, coverage and colours sharpened as it goes.

mod chart;
mod lens;
mod price;
mod start;

#[cfg(test)]
mod tests;

pub use chart::Rates;
pub(super) use lens::Lens;
pub use price::Prices;

use super::Target;
use super::adam::Adam;
use super::colouring::{Colouring, Palette};
use super::draft::Draft;
use crate::adjoint::{
    Engine, Gradient, Outcome, PixelLoss, Precision, Relaxation, Scene, gradient,
};
use crate::error::{Error, Result};
use crate::program::Colour;
use crate::view::View;
use chart::{Chart, Inks, Kind};
use serde::{Deserialize, Serialize};

/// What the paper's solver is asked for, beside what every fit is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Step sizes.
    pub rates: Rates,
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
    /// render over its pixel error, or [`Options::DATA_SCALE`] where there is no network.
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

impl Default for Options {
    fn default() -> Self {
        Self {
            rates: Rates::default(),
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

impl Options {
    /// The factor of the pixel error where there is no network to measure it with: the
    /// geometric mean of what it measures on eight pictures, which is from 75 to 670.
    pub const DATA_SCALE: f64 = 270.0;

    pub(super) fn check(&self, palette: &Palette) -> Result<()> {
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

/// The solver's state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Paper {
    numbers: Vec<f64>,
    /// The palette at the start, and whether it stays.
    palette: Vec<Colour>,
    fixed: bool,
    background: Colour,
    adam: Adam,
    /// The factor of the data term; none before the first step.
    pub scale: Option<f64>,
    /// And what the error target makes of it.
    multiplier: f64,
    /// The relaxed pixel error of the last step, and the hard one over it when last judged.
    error: f64,
    gap: f64,
}

/// What a step needs to know.
pub(super) struct Pace<'a> {
    pub target: &'a Target,
    /// Where its pixels are looked at.
    pub view: View,
    pub relaxation: Relaxation,
    /// Share of the step sizes.
    pub rate: f64,
    /// Share of the first stage that is done.
    pub cooled: f64,
    pub lens: Option<&'a Lens>,
}

/// How Adam's second mean forgets: its authors' value, which the paper does not change.
const FORGET: f64 = 0.999;
/// The error target's multiplier: the largest change a step, as a logarithm, and its bounds.
const STEER: f64 = 0.1;
const STEERED: [f64; 2] = [0.01, 10.0];
/// The most that a hard error is taken to be above the relaxed one.
const MOST_GAP: f64 = 2.0;

impl Paper {
    /// The start by the rule, or from a program that is given.
    pub fn new(
        target: &Target,
        options: &super::Options,
        own: &Options,
        given: Option<&Draft>,
    ) -> Result<Self> {
        let (colours, fixed) = match given {
            Some(draft) => (draft.colouring.palette.clone(), draft.colouring.is_fixed()),
            None => options.palette.colours(target, options.seed),
        };
        let inks = Inks { colours, fixed };
        let kind = Kind { strokes: options.strokes, drops: options.drops };
        let chart = Chart::new(target, kind, &inks, own);
        let shapes = match given {
            Some(draft) => draft.shapes.clone(),
            None => start::shapes(target, options, &chart),
        };
        let weights = match given {
            Some(draft) => start::weights_of(&draft.colouring.colours, &inks),
            None => start::weights(target, options, &shapes, &inks)?,
        };
        let numbers = chart.encode(&shapes, &weights, &inks.colours);
        Ok(Self {
            adam: Adam::new(numbers.len(), FORGET),
            numbers,
            palette: inks.colours,
            fixed,
            background: target.mean(),
            scale: None,
            multiplier: 1.0,
            error: 0.0,
            gap: 1.0,
        })
    }

    /// Begins a stage: what Adam remembers is of other pixels.
    pub fn enter_stage(&mut self) {
        self.adam = Adam::new(self.numbers.len(), FORGET);
    }

    fn chart(&self, target: &Target, options: &super::Options, own: &Options) -> Chart {
        let inks = Inks { colours: self.palette.clone(), fixed: self.fixed };
        let kind = Kind { strokes: options.strokes, drops: options.drops };
        Chart::new(target, kind, &inks, own)
    }

    /// Has it the numbers that a fit with these options has?
    pub fn suits(&self, target: &Target, options: &super::Options, own: &Options) -> bool {
        let colours = options.palette.count() == Some(self.palette.len());
        colours && self.numbers.len() == self.chart(target, options, own).count()
    }

    /// One step; gives the data term before it.
    pub fn step(&mut self, options: &super::Options, own: &Options, pace: &Pace) -> Result<f64> {
        let chart = self.chart(pace.target, options, own);
        let [hot, cold] = own.temperature;
        let temperature = hot * libm::pow(cold / hot, pace.cooled);
        let decoded = chart.decode(&self.numbers, temperature);
        let scene = Scene {
            shapes: decoded.shapes.clone(),
            colours: decoded.colours.clone(),
            background: self.background,
            operator: options.operator,
            relaxation: pace.relaxation,
            view: pace.view,
        };
        let (loss, mut gradient) = match own.objective {
            Objective::Pixels => self.pixels(&scene, own, pace)?,
            Objective::Features => self.features(&scene, pace)?,
        };
        own.prices.add_to(&mut gradient, &scene, chart.scale)?;
        if let Some(enough) = own.error_target {
            self.steer(enough);
        }
        let d_numbers = chart.decode_vjp(&self.numbers, temperature, &decoded, &gradient);
        let change = self.adam.step(&d_numbers);
        chart.advance(&mut self.numbers, &change, &own.rates, pace.rate);
        Ok(loss)
    }

    /// The pixel error and its gradient, scaled.
    fn pixels(&mut self, scene: &Scene, own: &Options, pace: &Pace) -> Result<(f64, Gradient)> {
        let Outcome { loss, image, mut gradient, .. } = descend(scene, &pace.target.loss())?;
        let scale = match self.scale {
            Some(scale) => scale,
            None => data_scale(own, pace.lens, &image, loss)?,
        };
        (self.scale, self.error) = (Some(scale), loss);
        scale_by(&mut gradient, scale * self.multiplier);
        Ok((loss, gradient))
    }

    /// The deep-feature distance and its gradient: a render for the network, and another
    /// for what it says of every pixel.
    fn features(&mut self, scene: &Scene, pace: &Pace) -> Result<(f64, Gradient)> {
        let Some(lens) = pace.lens else {
            let message = "the deep-feature objective needs the weights of VGG16";
            return Err(Error::Request(message.into()));
        };
        let pixels = descend(scene, &pace.target.loss())?;
        let (loss, d_image) = lens.loss_and_gradient(&pixels.image)?;
        let told = |pixel: usize, colour: Colour| {
            let d = d_image[pixel];
            ((0..3).map(|c| d[c] * colour[c]).sum(), d)
        };
        let mut gradient = descend(scene, &told)?.gradient;
        (self.scale, self.error) = (Some(1.0), pixels.loss);
        scale_by(&mut gradient, self.multiplier);
        Ok((loss, gradient))
    }

    /// Raises the data term's weight if the hard error is likely above what is enough, and
    /// lowers it if below.
    fn steer(&mut self, enough: f64) {
        let excess = libm::log((self.error * self.gap / enough).max(1e-9));
        let turn = STEER * excess.clamp(-1.0, 1.0);
        let [least, most] = STEERED;
        self.multiplier = (self.multiplier * libm::exp(turn)).clamp(least, most);
    }

    /// Takes note of the hard error.
    pub fn judged(&mut self, hard: f64) {
        if self.error > 0.0 {
            self.gap = (hard / self.error).clamp(1.0, MOST_GAP);
        }
    }

    /// The program as it would be exported: every stroke in its heaviest colour.
    pub fn draft(&self, target: &Target, options: &super::Options, own: &Options) -> Draft {
        let chart = self.chart(target, options, own);
        let decoded = chart.decode(&self.numbers, 1.0);
        let colour = |i: usize| decoded.palette[chart.snapped(&self.numbers, i)];
        let colours = (0..decoded.shapes.len()).map(colour).collect();
        let colouring =
            Colouring::new(decoded.palette.clone(), self.fixed, colours, self.background);
        Draft { shapes: decoded.shapes, colouring }
    }
}

/// The gradient with the care that a fit needs.
fn descend(scene: &Scene, loss: &PixelLoss) -> Result<Outcome> {
    gradient(scene, Engine::Coarse, Precision::Single, loss)
}

fn scale_by(gradient: &mut Gradient, factor: f64) {
    for d in &mut gradient.shapes {
        d.anchor = d.anchor * factor;
        d.offset = d.offset * factor;
        d.half_width *= factor;
    }
    gradient.colours.iter_mut().flatten().for_each(|d| *d *= factor);
}

/// The factor of the pixel error.
fn data_scale(own: &Options, lens: Option<&Lens>, image: &[Colour], error: f64) -> Result<f64> {
    match (own.data_scale, lens) {
        (Some(scale), _) => Ok(scale),
        (None, Some(lens)) if error > 0.0 => Ok(lens.loss(image)? / error),
        _ => Ok(Options::DATA_SCALE),
    }
}
