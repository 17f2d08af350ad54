//! The relaxed render and its gradient, by four engines that share one step.
//!
//! - [`Engine::Stored`]: every state of every pixel is kept. The definition.
//! - [`Engine::Checkpointed`]: whole-image states every few strokes, the rest
//!   computed again: the paper's baseline.
//! - [`Engine::Replay`]: the paper's replay adjoint: states are regenerated with
//!   `phi`, and only what cannot be is recorded.
//! - [`Engine::Tiled`]: ours, the default: cells of pixels, far strokes moved on
//!   control grids, nothing kept beyond one block. [`Engine::Coarse`] is the same
//!   with less accuracy.

mod chain;
mod checkpointed;
mod part;
mod replay;
mod scene;
mod step;
mod tape;
mod tiled;

#[cfg(test)]
pub(crate) mod tests;

pub use scene::{Gradient, Outcome, Relaxation, Scene, SideTable};

pub use crate::numbers::Precision;

use crate::error::{Error, Result};
use crate::image::{Image, Region, View};
use crate::numbers::lanes::{F32s, F64s, level, with_double_simd, with_simd};
use crate::parallel::Stop;
use crate::program::{Colour, Program};
use tiled::Accuracy;

/// A loss that is a sum over pixels: gives a pixel's part of it and the
/// derivative with respect to the pixel's colour. (For another loss: render,
/// differentiate it with respect to the picture, and hand that out here.)
pub type PixelLoss<'a> = dyn Fn(usize, Colour) -> (f64, Colour) + Sync + 'a;

/// How the gradient is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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

    /// Memory that the way back takes for whole pictures of states; the tiled engines keep none.
    pub fn state_bytes(self, scene: &Scene, precision: Precision) -> f64 {
        let strokes = scene.shapes().len() as f64;
        let numbers = match self {
            Self::Stored => STATE_NUMBERS * strokes,
            Self::Checkpointed(k) => STATE_NUMBERS * (strokes / k as f64 + strokes.min(k as f64)),
            Self::Replay(interval) => {
                REPLAY_NUMBERS + interval.map_or(0.0, |k| POSITION_NUMBERS * strokes / k as f64)
            }
            Self::Tiled | Self::Coarse => 0.0,
        };
        let bytes = match precision {
            Precision::Single => 4.0,
            Precision::Double => 8.0,
        };
        scene.pixels() as f64 * numbers * bytes
    }
}

/// Numbers in the state of a pixel: position, transmittance, colour.
const STATE_NUMBERS: f64 = 6.0;
/// Numbers in a pixel's position: what a checkpoint of the replay adjoint keeps.
const POSITION_NUMBERS: f64 = 2.0;
/// Numbers that the replay adjoint keeps of a pixel without any checkpoint: its state, the
/// adjoint of its state, and the records of some deposits.
const REPLAY_NUMBERS: f64 = 20.0;

/// Mean squared error over pixels and channels against a picture, which must be of the
/// scene's size.
pub fn mean_squared_error(target: &Image) -> impl Fn(usize, Colour) -> (f64, Colour) + Sync {
    let target = target.pixels();
    let scale = 1.0 / (3 * target.len()) as f64;
    move |pixel: usize, colour: Colour| {
        let difference: Colour = std::array::from_fn(|c| colour[c] - target[pixel][c]);
        let loss = difference.iter().map(|d| d * d).sum::<f64>() * scale;
        (loss, difference.map(|d| 2.0 * scale * d))
    }
}

/// Calls an engine with the lanes at hand: in f64 where registers are narrow, for maps are
/// computed in f64 there anyway.
macro_rules! with_lanes {
    ($precision:expr, $engine:ident::$call:ident($($arg:expr),*)) => {
        match $precision {
            Precision::Single => with_simd!(
                level(),
                simd => $engine::$call::<F32s<_>>(simd, $($arg),*),
                narrow => $engine::$call::<F64s<_>>(simd, $($arg),*)
            ),
            Precision::Double => with_double_simd!(level(), simd => {
                $engine::$call::<F64s<_>>(simd, $($arg),*)
            }),
        }
    };
}

/// The mean squared error of a program's relaxed replay against a picture, and its gradient
/// with respect to every number of the program. [`gradient_of`] has more options.
///
/// `tau` is the width of the rim over which a stroke's coverage fades, as a share of its
/// half-width (0.35 in the paper); rims are at least [`Relaxation::LEAST_RIM_PX`] wide. So the
/// loss against a program's own hard render is small, but not 0. The picture has the shape of
/// the program's canvas, at any size.
///
/// ```
/// # fn main() -> tbr::Result<()> {
/// let program = tbr::prior::program(10, 1.0, 0)?;
/// let grey = tbr::Image::new((32, 32), vec![[0.5; 3]; 32 * 32])?;
/// let outcome = tbr::gradient(&program, &grey, 0.35)?;
/// println!("loss {}, d anchor 1: {:?}", outcome.loss, outcome.gradient.shapes[0].anchor);
/// # Ok(())
/// # }
/// ```
pub fn gradient(program: &Program, target: &Image, tau: f64) -> Result<Outcome> {
    let view =
        View::new(Region::canvas(program), Some(target.width_px()), Some(target.height_px()))?;
    let tau_min = Relaxation::LEAST_RIM_PX * view.pixel().x;
    let scene = Scene::of(program, view, Relaxation { tau, tau_min })?;
    gradient_of(&scene, Engine::Tiled, Precision::Single, &mean_squared_error(target))
}

/// The relaxed picture, the loss, and its gradient.
pub fn gradient_of(
    scene: &Scene,
    engine: Engine,
    precision: Precision,
    loss: &PixelLoss,
) -> Result<Outcome> {
    gradient_until(scene, engine, precision, loss, &Stop::never())
}

/// The same, unless it is stopped, between blocks or chunks of pixels.
pub fn gradient_until(
    scene: &Scene,
    engine: Engine,
    precision: Precision,
    loss: &PixelLoss,
    stop: &Stop,
) -> Result<Outcome> {
    let outcome = match engine {
        Engine::Stored => {
            let interval = scene.shapes().len().max(1);
            with_lanes!(precision, checkpointed::gradient(scene, interval, loss, stop))
        }
        Engine::Checkpointed(interval) => {
            let interval = interval.max(1);
            with_lanes!(precision, checkpointed::gradient(scene, interval, loss, stop))
        }
        Engine::Replay(interval) => {
            let interval = interval.unwrap_or(usize::MAX).max(1);
            with_lanes!(precision, replay::gradient(scene, interval, loss, stop))
        }
        Engine::Tiled => {
            let accuracy = Accuracy::full(scene);
            with_lanes!(precision, tiled::gradient(scene, accuracy, loss, stop))
        }
        Engine::Coarse => {
            let accuracy = Accuracy::coarse(scene);
            with_lanes!(precision, tiled::gradient(scene, accuracy, loss, stop))
        }
    };
    stop.check()?;
    outcome
}

/// The relaxed picture alone, forward and not back: the very pixels of [`gradient_of`], in a
/// fraction of its time, and with no state kept beyond a block. Unless it is stopped.
///
/// ```
/// use tbr::adjoint::{Engine, Precision, Relaxation, Scene, pull_back, relaxed};
/// use tbr::{Stop, View};
///
/// # fn main() -> tbr::Result<()> {
/// let program = tbr::prior::program(10, 1.0, 0)?;
/// let view = View::of_canvas(&program, 32)?;
/// let scene = Scene::of(&program, view, Relaxation { tau: 0.35, tau_min: 0.02 })?;
/// let never = Stop::never();
/// let picture = relaxed(&scene, Engine::Tiled, Precision::Single, &never)?;
/// // Any loss: here the sum of all red, whose derivative by the picture is this.
/// let d_picture = vec![[1.0, 0.0, 0.0]; picture.pixels().len()];
/// let gradient = pull_back(&scene, Engine::Tiled, Precision::Single, &d_picture, &never)?;
/// assert_eq!(gradient.shapes.len(), 10);
/// # Ok(())
/// # }
/// ```
pub fn relaxed(scene: &Scene, engine: Engine, precision: Precision, stop: &Stop) -> Result<Image> {
    match engine {
        Engine::Stored | Engine::Checkpointed(_) => {
            with_lanes!(precision, checkpointed::picture(scene, stop))
        }
        Engine::Replay(_) => with_lanes!(precision, replay::picture(scene, stop)),
        Engine::Tiled => {
            let accuracy = Accuracy::full(scene);
            with_lanes!(precision, tiled::picture(scene, accuracy, stop))
        }
        Engine::Coarse => {
            let accuracy = Accuracy::coarse(scene);
            with_lanes!(precision, tiled::picture(scene, accuracy, stop))
        }
    }
}

/// The vector-Jacobian product of [`relaxed`]: what a loss whose derivative with respect to each
/// pixel is `d_picture`, row by row, says about every number of the scene. Unless it is stopped.
pub fn pull_back(
    scene: &Scene,
    engine: Engine,
    precision: Precision,
    d_picture: &[Colour],
    stop: &Stop,
) -> Result<Gradient> {
    if d_picture.len() != scene.pixels() {
        let (pixels, given) = (scene.pixels(), d_picture.len());
        return Err(Error::Request(format!("{pixels} pixels have {given} derivatives")));
    }
    if let Some(pixel) = d_picture.iter().position(|d| d.iter().any(|v| !v.is_finite())) {
        let message = format!("the derivative with respect to pixel {pixel} is not finite");
        return Err(Error::Request(message));
    }
    let loss = |pixel: usize, _: Colour| (0.0, d_picture[pixel]);
    Ok(gradient_until(scene, engine, precision, &loss, stop)?.gradient)
}
