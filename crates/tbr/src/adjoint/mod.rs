//! The relaxed render and its gradient, by four engines that share one step.
//!
//! - [`Engine::Stored`]: every state of every pixel is kept. The definition.
//! - [`Engine::Checkpointed`]: whole-image states every few strokes, the rest
//!   computed again: the paper's baseline.
//! - [`Engine::Replay`]: the paper's replay adjoint: states are regenerated with
//!   `phi`, and only what cannot be is recorded.
//! - [`Engine::Tiled`]: ours, the default: cells of pixels, far strokes moved on
//!   control grids, nothing kept beyond one block. [`Engine::Coarse`] is the same
//!   with less care.

mod chain;
mod checkpointed;
mod part;
mod replay;
mod scene;
mod tape;
mod tiled;

#[cfg(test)]
mod tests;

pub use scene::{Gradient, Outcome, Relaxation, Scene, SideTable};

use crate::lanes::{F32s, F64s, with_simd};
use crate::program::{Colour, Operator};
use crate::{Error, Result};
use fearless_simd::Level;
use tiled::Care;

/// A loss that is a sum over pixels: gives a pixel's part of it and the
/// derivative with respect to the pixel's colour. (For another loss: render,
/// differentiate it with respect to the picture, and hand that out here.)
pub type PixelLoss<'a> = dyn Fn(usize, Colour) -> (f64, Colour) + Sync + 'a;

/// How the gradient is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Every state of every pixel kept.
    Stored,
    /// States kept every so many strokes.
    Checkpointed(usize),
    /// The replay adjoint: positions regenerated, kept every so many strokes or
    /// (`None`) never.
    Replay(Option<usize>),
    /// Cells of pixels, forward and back, a block at a time.
    Tiled,
    /// The same, with only the care that a fit's steps need.
    Coarse,
}

impl Engine {
    /// Strokes between the checkpoints of [`Engine::Checkpointed`], as in the paper.
    pub const CHECKPOINT_INTERVAL: usize = 20;
    /// Strokes between the position checkpoints of [`Engine::Replay`], as in the paper.
    pub const REPLAY_INTERVAL: usize = 256;
}

/// The numbers that an engine computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// f32.
    Single,
    /// f64.
    Double,
}

/// Mean squared error over pixels and channels against a picture.
pub fn mean_squared_error(target: &[Colour]) -> impl Fn(usize, Colour) -> (f64, Colour) + Sync {
    let scale = 1.0 / (3 * target.len()) as f64;
    move |pixel: usize, colour: Colour| {
        let difference: Colour = std::array::from_fn(|c| colour[c] - target[pixel][c]);
        let loss = difference.iter().map(|d| d * d).sum::<f64>() * scale;
        (loss, difference.map(|d| 2.0 * scale * d))
    }
}

/// Calls an engine with the lanes at hand.
macro_rules! with_lanes {
    ($precision:expr, $engine:ident($($arg:expr),*)) => {
        match $precision {
            Precision::Single => with_simd!(Level::new(), simd => {
                $engine::gradient::<F32s<_>>(simd, $($arg),*)
            }),
            Precision::Double => with_simd!(Level::new(), simd => {
                $engine::gradient::<F64s<_>>(simd, $($arg),*)
            }),
        }
    };
}

/// The relaxed picture, the loss, and its gradient.
pub fn gradient(
    scene: &Scene,
    engine: Engine,
    precision: Precision,
    loss: &PixelLoss,
) -> Result<Outcome> {
    if scene.operator == Operator::LineSource {
        let message = format!("the operator {} has no adjoint", scene.operator);
        return Err(Error::Request(message));
    }
    let outcome = match engine {
        Engine::Stored => {
            let interval = scene.shapes.len().max(1);
            with_lanes!(precision, checkpointed(scene, interval, loss))
        }
        Engine::Checkpointed(interval) => {
            let interval = interval.max(1);
            with_lanes!(precision, checkpointed(scene, interval, loss))
        }
        Engine::Replay(interval) => {
            if scene.operator == Operator::Drops {
                return Err(Error::Request(
                    "the replay adjoint is not made for sixteen drops: use another engine".into(),
                ));
            }
            let interval = interval.unwrap_or(usize::MAX).max(1);
            with_lanes!(precision, replay(scene, interval, loss))
        }
        Engine::Tiled => {
            let care = Care::full(scene);
            with_lanes!(precision, tiled(scene, care, loss))
        }
        Engine::Coarse => {
            let care = Care::coarse(scene);
            with_lanes!(precision, tiled(scene, care, loss))
        }
    };
    Ok(outcome)
}
