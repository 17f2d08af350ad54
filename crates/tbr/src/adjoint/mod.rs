//! The relaxed render and its gradient, by four engines that share one step.
//!
//! - [`Engine::Stored`]: every state of every pixel is kept. The definition.
//! - [`Engine::Checkpointed`]: whole-image states every few strokes, the rest
//!   computed again: the paper's baseline.
//! - [`Engine::Replay`]: the paper's replay adjoint: states are regenerated with
//!   `phi`, and only what cannot be is recorded.
//! - [`Engine::Tiled`]: ours, the default: cells of pixels, far strokes moved on
//!   control grids, nothing kept beyond one block.

mod chain;
mod checkpointed;
mod scene;
mod tiled;

#[cfg(test)]
mod tests;

pub use scene::{Gradient, Outcome, Relaxation, Scene, SideTable};

use crate::lanes::{F32s, F64s, with_simd};
use crate::program::{Colour, Operator};
use crate::stroke::{Calibrated, Capsule, Drops, Inert};
use crate::{Error, Result};
use fearless_simd::Level;

/// A loss that is a sum over pixels: gives a pixel's part of it and the
/// derivative with respect to the pixel's colour. (For another loss: render,
/// differentiate it with respect to the picture, and hand that out here.)
pub trait PixelLoss: Fn(usize, Colour) -> (f64, Colour) + Sync {}
impl<F: Fn(usize, Colour) -> (f64, Colour) + Sync> PixelLoss for F {}

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
pub fn mean_squared_error(target: &[Colour]) -> impl PixelLoss {
    let scale = 1.0 / (3 * target.len()) as f64;
    move |pixel: usize, colour: Colour| {
        let difference: Colour = std::array::from_fn(|c| colour[c] - target[pixel][c]);
        let loss = difference.iter().map(|d| d * d).sum::<f64>() * scale;
        (loss, difference.map(|d| 2.0 * scale * d))
    }
}

/// Calls a generic engine with the lanes and the operator at hand.
macro_rules! with_lanes {
    ($scene:expr, $precision:expr, $call:path, $($arg:expr),*) => {
        with_lanes!(@operator $scene, $precision, $call, ($($arg),*),
            Capsule, Calibrated, Drops, Inert)
    };
    (@operator $scene:expr, $precision:expr, $call:path, $args:tt, $($name:ident),*) => {
        match $scene.operator {
            $(Operator::$name => with_lanes!(@precision $scene, $precision, $call, $name, $args),)*
            Operator::LineSource => return Err(no_adjoint($scene.operator)),
        }
    };
    (@precision $scene:expr, $precision:expr, $call:path, $name:ident, ($($arg:expr),*)) => {{
        use $call as call;
        match $precision {
            Precision::Single => {
                with_simd!(Level::new(), simd => call::<F32s<_>, $name>(simd, $scene, $($arg),*))
            }
            Precision::Double => {
                with_simd!(Level::new(), simd => call::<F64s<_>, $name>(simd, $scene, $($arg),*))
            }
        }
    }};
}

fn no_adjoint(operator: Operator) -> Error {
    Error::Request(format!("the operator {operator} has no adjoint"))
}

/// The relaxed picture, the loss, and its gradient.
pub fn gradient(
    scene: &Scene,
    engine: Engine,
    precision: Precision,
    loss: impl PixelLoss,
) -> Result<Outcome> {
    let loss = &loss;
    let outcome = match engine {
        Engine::Stored => {
            let interval = scene.shapes.len().max(1);
            with_lanes!(scene, precision, checkpointed::gradient, interval, loss)
        }
        Engine::Checkpointed(interval) => {
            let interval = interval.max(1);
            with_lanes!(scene, precision, checkpointed::gradient, interval, loss)
        }
        Engine::Replay(_) => return Err(Error::Request("not yet".into())),
        Engine::Tiled => with_lanes!(scene, precision, tiled::gradient, loss),
    };
    Ok(outcome)
}
