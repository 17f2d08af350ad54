//! LPIPS v0.1 on AlexNet (Zhang et al. 2018).

use crate::conv::{Conv, ConvShape};
use crate::distance::FeatureDistance;
use crate::number::Number;
use crate::stage::Stage;
use crate::weights::Weights;
use crate::window::Window;
use tbr::Colour;
use tbr::Image;
use tbr::Result;

const POOL: Window = Window { side: 3, stride: 2, pad: 0 };

/// A layer's number in torchvision's `features`, its kernel, its channels, and
/// whether a pool follows its tap.
const LAYERS: [(usize, Window, usize, bool); 5] = [
    (0, Window { side: 11, stride: 4, pad: 2 }, 64, true),
    (3, Window { side: 5, stride: 1, pad: 2 }, 192, true),
    (6, Window { side: 3, stride: 1, pad: 1 }, 384, false),
    (8, Window { side: 3, stride: 1, pad: 1 }, 256, false),
    (10, Window { side: 3, stride: 1, pad: 1 }, 256, false),
];

/// How far pictures are from a target as people see it: at five taps of AlexNet,
/// the squared distance of unit channel vectors, channels weighted by what was
/// learned from people's judgements, averaged over places; summed.
/// The result is the same, bit by bit, for any number of threads.
pub struct Lpips {
    distance: FeatureDistance<f32>,
}

impl Lpips {
    /// The name of the file of weights.
    pub const FILE: &str = "alexnet_lpips_v01_f32.safetensors";
    /// The shortest side of a picture: one place is left at the last tap.
    pub const MIN_SIDE_PX: u32 = 31;

    /// The distance from a target. An error if tensors are missing or of another
    /// shape, or if the target is smaller than [`Lpips::MIN_SIDE_PX`].
    pub fn new(weights: &Weights, target: &Image) -> Result<Self> {
        Ok(Self { distance: FeatureDistance::new(stages(weights)?, target)? })
    }

    /// The distance of a picture of the target's size.
    pub fn loss(&self, image: &Image) -> Result<f64> {
        Ok(self.distance.layers(image)?.iter().sum())
    }

    /// The distance, and its derivative with respect to every colour.
    pub fn loss_and_gradient(&self, image: &Image) -> Result<(f64, Vec<Colour>)> {
        self.distance.with_gradient(image)
    }
}

/// The network in any precision.
pub(super) fn stages<T: Number>(weights: &Weights) -> Result<Vec<Stage<T>>> {
    let mut inputs = 3;
    let mut stages = Vec::new();
    for (tap, (layer, window, outputs, pooled)) in LAYERS.into_iter().enumerate() {
        let shape = ConvShape { window, inputs, outputs };
        let conv = Conv::read(weights, &format!("features.{layer}"), shape)?;
        let tap_weights = weights.tensor(&format!("lin{tap}.weight"), &[outputs])?;
        stages.push(Stage {
            convs: vec![conv],
            tap_weights: tap_weights.into_iter().map(|v| T::of(f64::from(v))).collect(),
            pool: pooled.then_some(POOL),
        });
        inputs = outputs;
    }
    Ok(stages)
}
