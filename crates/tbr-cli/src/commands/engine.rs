//! Which engine computes a gradient, as people say it.

use crate::failure::Failure;
use clap::ValueEnum;
use tbr::adjoint::{Engine, Precision};

/// The engines' names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Name {
    /// Every state of every pixel kept: the definition, for small pictures
    Stored,
    /// States kept every --interval strokes, the rest computed again
    Checkpointed,
    /// The paper's replay adjoint: states regenerated, kept every --interval strokes or never
    Replay,
    /// Cells of pixels, a block at a time: the fastest
    Tiled,
}

/// What an engine computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Bits {
    /// Single precision
    F32,
    /// Double precision
    F64,
}

/// Strokes between checkpoints; none for no checkpoints at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval(pub Option<usize>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::Args)]
pub struct EngineArgs {
    /// How the gradient is computed
    #[arg(long, value_enum, default_value_t = Name::Tiled)]
    pub engine: Name,
    /// Strokes between checkpoints: 20 for checkpointed, 256 for replay if not given; replay
    /// also takes none
    #[arg(long, value_name = "K|none", value_parser = interval)]
    pub interval: Option<Interval>,
    /// Numbers that it is computed with
    #[arg(long, value_enum, default_value_t = Bits::F32)]
    pub precision: Bits,
}

impl EngineArgs {
    /// The engine, if the interval suits it.
    pub fn engine(&self) -> Result<Engine, Failure> {
        match (self.engine, self.interval) {
            (Name::Stored, None) => Ok(Engine::Stored),
            (Name::Tiled, None) => Ok(Engine::Tiled),
            (Name::Stored | Name::Tiled, Some(_)) => {
                let name = self.name();
                Err(Failure::usage(format!("--interval: the engine {name} has no checkpoints"))
                    .hint("leave it out, or choose --engine checkpointed or replay"))
            }
            (Name::Checkpointed, None) => Ok(Engine::Checkpointed(Engine::CHECKPOINT_INTERVAL)),
            (Name::Checkpointed, Some(Interval(Some(k)))) => Ok(Engine::Checkpointed(k)),
            (Name::Checkpointed, Some(Interval(None))) => {
                Err(Failure::usage("--interval none: the engine checkpointed needs checkpoints")
                    .hint("give a number of strokes, or choose --engine replay"))
            }
            (Name::Replay, None) => Ok(Engine::Replay(Some(Engine::REPLAY_INTERVAL))),
            (Name::Replay, Some(Interval(k))) => Ok(Engine::Replay(k)),
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

fn interval(text: &str) -> Result<Interval, String> {
    if text == "none" {
        return Ok(Interval(None));
    }
    let strokes = text.parse().ok().filter(|k| *k > 0);
    strokes
        .map(|k| Interval(Some(k)))
        .ok_or_else(|| "must be a number of strokes, at least 1, or none".into())
}
