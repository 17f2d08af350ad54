//! Arguments of gradients on the command line: engine, precision, size and rim width.

use clap::ValueEnum;
use tbr::adjoint::{Engine, Precision, Relaxation};
use tbr::{Program, View};
use tbr_io::Failure;

/// Rim width as a share of the half-width, as in the paper.
pub const TAU: f64 = 0.35;
/// The most strokes of a gradient: they take a kilobyte each, beside 600 MB of
/// blocks.
const MOST_STROKES: usize = 300_000;

/// The engines' names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// Every state of every pixel kept: the definition, for small pictures
    Stored,
    /// States kept every --interval strokes, the rest computed again
    Checkpointed,
    /// The paper's replay adjoint: states regenerated, kept every --interval strokes or never
    Replay,
    /// Cells of pixels, a block at a time: the fastest
    Tiled,
}

/// The precision of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Bits {
    /// Single precision
    F32,
    /// Double precision
    F64,
}

/// Strokes between checkpoints; none for no checkpoints at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckpointInterval(pub Option<usize>);

/// The engine of a gradient, on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::Args)]
pub struct EngineArgs {
    /// How the gradient is computed
    #[arg(long, value_enum, default_value_t = EngineName::Tiled)]
    pub engine: EngineName,
    /// Strokes between checkpoints: 20 for checkpointed, 256 for replay if not given; replay
    /// also takes none
    #[arg(long, value_name = "K|none", value_parser = interval)]
    pub interval: Option<CheckpointInterval>,
    /// Numbers that it is computed with
    #[arg(long, value_enum, default_value_t = Bits::F32)]
    pub precision: Bits,
}

impl EngineArgs {
    /// The engine, if the interval suits it.
    pub fn engine(&self) -> Result<Engine, Failure> {
        match (self.engine, self.interval) {
            (EngineName::Stored, None) => Ok(Engine::Stored),
            (EngineName::Tiled, None) => Ok(Engine::Tiled),
            (EngineName::Stored | EngineName::Tiled, Some(_)) => {
                let name = self.name();
                Err(Failure::usage(format!("--interval: the engine {name} has no checkpoints"))
                    .hint("leave it out, or choose --engine checkpointed or replay"))
            }
            (EngineName::Checkpointed, interval) => match interval {
                None => Ok(Engine::Checkpointed(Engine::CHECKPOINT_INTERVAL)),
                Some(CheckpointInterval(Some(k))) => Ok(Engine::Checkpointed(k)),
                Some(CheckpointInterval(None)) => {
                    let message = "--interval none: the engine checkpointed needs checkpoints";
                    Err(Failure::usage(message)
                        .hint("give a number of strokes, or choose --engine replay"))
                }
            },
            (EngineName::Replay, None) => Ok(Engine::Replay(Some(Engine::REPLAY_INTERVAL))),
            (EngineName::Replay, Some(CheckpointInterval(k))) => Ok(Engine::Replay(k)),
        }
    }

    /// The engine's name on the command line and in JSON.
    pub fn name(&self) -> String {
        said(self.engine)
    }

    /// The precision's name on the command line.
    pub fn bits(&self) -> String {
        said(self.precision)
    }

    /// The precision, as the library has it.
    pub fn precision(&self) -> Precision {
        match self.precision {
            Bits::F32 => Precision::Single,
            Bits::F64 => Precision::Double,
        }
    }
}

/// What clap takes for a value.
fn said(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|v| v.get_name().to_owned()).unwrap_or_default()
}

/// For clap: a number of strokes, or `none`.
fn interval(text: &str) -> Result<CheckpointInterval, String> {
    if text == "none" {
        return Ok(CheckpointInterval(None));
    }
    let strokes = text.parse().ok().filter(|k| *k > 0);
    strokes
        .map(|k| CheckpointInterval(Some(k)))
        .ok_or_else(|| "must be a number of strokes, at least 1, or none".into())
}

/// For clap: a rim width as a share of the half-width.
pub fn tau(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|v: &f64| v.is_finite() && *v >= 0.0);
    value.ok_or_else(|| "must be a finite number, 0 or more".into())
}

/// The whole canvas, if that is not too many pixels.
pub fn view(program: &Program, width: u32) -> Result<View, Failure> {
    let view = View::of_canvas(program, width)?;
    view.check_pixels().map_err(|e| Failure::from(e).hint("give a smaller --width"))?;
    Ok(view)
}

/// Refuses a gradient of more strokes than a gigabyte holds.
pub fn check_strokes(strokes: usize) -> Result<(), Failure> {
    if strokes <= MOST_STROKES {
        return Ok(());
    }
    Err(Failure::limit(format!("a gradient of {strokes} strokes (limit: {MOST_STROKES})")))
}

/// How soft coverage is; the least rim width follows the pixels if none is given.
pub fn relaxation(tau: f64, tau_min: Option<f64>, view: &View) -> Relaxation {
    let tau_min = tau_min.unwrap_or(Relaxation::LEAST_RIM_PX / f64::from(view.width_px));
    Relaxation { tau, tau_min }
}
