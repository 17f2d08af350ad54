//! Distances between pictures in the eyes of trained networks, with gradients.
//!
//! A network is a chain of stages (`stage`): convolutions with rectifiers, a tap
//! where features are compared, a pool. Both networks run on the same code;
//! `vgg` and `lpips` only say what the stages are. `docs/math.md`, section 15.

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
pub(crate) mod tests;
mod vgg;
mod weights;
mod window;

pub use lpips::Lpips;
pub use vgg::VggFeatures;
pub use weights::Weights;
