//! The names of the patterns, and the recipes that they stand for.

use super::bath::Bath;
use super::{combed, flowers, stones};
use crate::error::{Error, Result};
use crate::program::{Program, Provenance};
use serde_json::json;
use std::fmt;
use std::str::FromStr;

/// The most that one side of a sheet may be longer than the other: drops are laid
/// by area, and a longer strip would have too many.
pub const MAX_ASPECT: f64 = 8.0;

/// Another name of nonpareil.
const COMBED: &str = "combed";

/// A traditional pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// Sprinkled drops, the ground of all others.
    Battal,
    /// Raked back and forth.
    GelGit,
    /// Raked, then a fine comb. Also called combed.
    Nonpareil,
    /// Nonpareil, then a coarse comb that sways.
    Bouquet,
    /// Nonpareil, then a wide rake.
    Feather,
    /// Stones in folds.
    SpanishWave,
    /// Flowers of concentric drops, parted with a needle.
    Hatip,
    /// A tulip with its leaves.
    Tulip,
    /// Gel-git, then a comb that sways.
    WavedGelGit,
    /// Raked, then curls in rows.
    Whirl,
}

impl Pattern {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Battal,
        Self::GelGit,
        Self::Nonpareil,
        Self::Bouquet,
        Self::Feather,
        Self::SpanishWave,
        Self::Hatip,
        Self::Tulip,
        Self::WavedGelGit,
        Self::Whirl,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Battal => "battal",
            Self::GelGit => "gel-git",
            Self::Nonpareil => "nonpareil",
            Self::Bouquet => "bouquet",
            Self::Feather => "feather",
            Self::SpanishWave => "spanish-wave",
            Self::Hatip => "hatip",
            Self::Tulip => "tulip",
            Self::WavedGelGit => "waved-gel-git",
            Self::Whirl => "whirl",
        }
    }

    /// What it is, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Self::Battal => "sprinkled drops, veins between them",
            Self::GelGit => "raked back and forth, one way and the other",
            Self::Nonpareil => "raked back and forth, then drawn with a fine comb; also: combed",
            Self::Bouquet => "nonpareil, then drawn with a swaying comb into scales",
            Self::Feather => "nonpareil, its lines bent to barbs by a wide rake",
            Self::SpanishWave => "stones in folds, as if the sheet was rocked",
            Self::Hatip => "flowers of concentric drops, parted with a needle",
            Self::Tulip => "a tulip with its leaves, drawn with a needle",
            Self::WavedGelGit => "gel-git, then drawn with a swaying comb",
            Self::Whirl => "raked back and forth, then curls in rows",
        }
    }

    /// The steps, in order.
    fn make(self, bath: &mut Bath) -> Result<()> {
        match self {
            Self::Battal => stones::battal(bath),
            Self::GelGit => combed::gel_git(bath)?,
            Self::Nonpareil => combed::nonpareil(bath)?,
            Self::Bouquet => combed::bouquet(bath)?,
            Self::Feather => combed::feather(bath)?,
            Self::SpanishWave => stones::spanish_wave(bath)?,
            Self::Hatip => flowers::hatip(bath)?,
            Self::Tulip => flowers::tulip(bath)?,
            Self::WavedGelGit => combed::waved_gel_git(bath)?,
            Self::Whirl => stones::whirl(bath)?,
        }
        Ok(())
    }

    /// The recipe of a sheet of this pattern, 1 wide, the same for the same seed on every
    /// machine. It can be changed as any program can:
    ///
    /// ```
    /// use tbr::program::{Program, Step};
    /// use tbr::sample::Pattern;
    ///
    /// let mut parts = Pattern::Nonpareil.program(1.0, 2)?.into_parts();
    /// let mut steps = parts.steps();
    /// steps.push(Step::Tool("rake through 0.5,0.5 angle 0 pull 0.2 spacing 0.25".parse()?));
    /// parts.set_steps(steps);
    /// let image = tbr::render(&Program::new(parts)?, 80)?;
    /// # assert_eq!(image.size(), (80, 80));
    /// # Ok::<(), tbr::Error>(())
    /// ```
    pub fn program(self, height: f64, seed: u64) -> Result<Program> {
        if !(1.0 / MAX_ASPECT..=MAX_ASPECT).contains(&height) {
            let what =
                format!("one side of the sheet is {:.2} times the other", height.max(1.0 / height));
            return Err(Error::limit(what, format!("{MAX_ASPECT} times")));
        }
        let mut bath = Bath::new(height, seed);
        self.make(&mut bath)?;
        bath.into_program(Provenance::of(&json!({
            "made_by": "tbr sample",
            "version": env!("CARGO_PKG_VERSION"),
            "pattern": self.name(),
            "seed": seed,
        }))?)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Pattern {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self> {
        let name = if name == COMBED { Self::Nonpareil.name() } else { name };
        Self::ALL.into_iter().find(|p| p.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::Request(format!("\"{name}\" is none of {names}"))
        })
    }
}
