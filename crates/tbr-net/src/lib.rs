//! Distances between pictures in the eyes of trained networks, with gradients.
//!
//! A network is a chain of stages (`stage`): convolutions with rectifiers, a tap
//! where features are compared, a pool. Both networks run on the same code;
//! `vgg` and `lpips` only say what the stages are. `docs/math.md`, section 15.
//!
//! [`VggWeights`] is a [`PictureLoss`](tbr::fit::PictureLoss) that fits can take.

mod band;
mod conv;
mod distance;
mod lpips;
mod matmul;
mod number;
mod pool;
mod relu;
mod stage;
mod tap;
#[cfg(test)]
mod tests;
mod vgg;
mod weights;
mod window;

pub use lpips::Lpips;
pub use vgg::{VggFeatures, VggWeights};
pub use weights::Weights;
