//! The deep-feature distance: VGG16 up to conv4_3.

use crate::conv::{Conv, ConvShape};
use crate::distance::FeatureDistance;
use crate::number::Number;
use crate::stage::Stage;
use crate::weights::Weights;
use crate::window::Window;
use tbr::Colour;
use tbr::Image;
use tbr::Result;
use tbr::Stop;
use tbr::fit::{self, PictureLoss};

const KERNEL: Window = Window { side: 3, stride: 1, pad: 1 };
const POOL: Window = Window { side: 2, stride: 2, pad: 0 };

/// Four stages: the layers' numbers in torchvision's `features`, and their channels.
/// Taps are relu1_2, relu2_2, relu3_3 and relu4_3.
const STAGES: [(&[usize], usize); 4] =
    [(&[0, 2], 64), (&[5, 7], 128), (&[10, 12, 14], 256), (&[17, 19, 21], 512)];

/// How far pictures are from a target in the eyes of VGG16: at four taps, the
/// squared distance of unit channel vectors, averaged over places; summed.
///
/// It keeps the target's features, 480 bytes a pixel (500 MB at 1024 x 1024).
/// A loss takes 120 bytes a pixel more while it is computed, a gradient twice as
/// much; features of small pictures are kept for the gradient, 270 MB at most.
/// The result is the same, bit by bit, for any number of threads.
pub struct VggFeatures {
    distance: FeatureDistance<f32>,
}

impl VggFeatures {
    /// The name of the file of weights.
    pub const FILE: &str = "vgg16_to_conv4_3_f16.safetensors";
    /// The shortest side of a picture: one place is left at the last tap.
    pub const MIN_SIDE_PX: u32 = 8;

    /// The distance from a target. An error if tensors are missing or of another
    /// shape, or if the target is smaller than [`VggFeatures::MIN_SIDE_PX`].
    pub fn new(weights: &Weights, target: &Image) -> Result<Self> {
        Self::new_until(weights, target, &Stop::never())
    }

    /// The same, unless it is stopped; and so are its distances.
    pub fn new_until(weights: &Weights, target: &Image, stop: &Stop) -> Result<Self> {
        Ok(Self { distance: FeatureDistance::new_until(stages(weights)?, target, stop)? })
    }

    /// The distance at relu1_2, relu2_2, relu3_3 and relu4_3. The picture must be
    /// of the target's size.
    pub fn layers(&self, image: &Image) -> Result<Vec<f64>> {
        self.distance.layers(image)
    }

    /// The distance: the sum of the layers.
    pub fn loss(&self, image: &Image) -> Result<f64> {
        Ok(self.layers(image)?.iter().sum())
    }

    /// The distance, and its derivative with respect to every colour.
    pub fn loss_and_gradient(&self, image: &Image) -> Result<(f64, Vec<Colour>)> {
        self.distance.with_gradient(image)
    }
}

/// VGG16's weights as a loss for fits.
impl PictureLoss for VggWeights {
    fn least_side_px(&self) -> u32 {
        VggFeatures::MIN_SIDE_PX
    }

    fn against(&self, target: &Image, stop: &Stop) -> Result<Box<dyn fit::Distance>> {
        Ok(Box::new(VggFeatures::new_until(&self.0, target, stop)?))
    }
}

/// The weights of VGG16.
pub struct VggWeights(pub Weights);

impl fit::Distance for VggFeatures {
    fn loss(&self, image: &Image) -> Result<f64> {
        self.loss(image)
    }

    fn loss_and_gradient(&self, image: &Image) -> Result<(f64, Vec<Colour>)> {
        self.loss_and_gradient(image)
    }
}

/// The network in any precision.
pub(super) fn stages<T: Number>(weights: &Weights) -> Result<Vec<Stage<T>>> {
    let mut inputs = 3;
    let mut stages = Vec::new();
    for (layers, outputs) in STAGES {
        let mut convs = Vec::new();
        for layer in layers {
            let shape = ConvShape { window: KERNEL, inputs, outputs };
            convs.push(Conv::read(weights, &format!("features.{layer}"), shape)?);
            inputs = outputs;
        }
        stages.push(Stage { convs, tap_weights: vec![T::ONE; outputs], pool: Some(POOL) });
    }
    // Nothing follows the last tap.
    stages.iter_mut().skip(STAGES.len() - 1).for_each(|last| last.pool = None);
    Ok(stages)
}
