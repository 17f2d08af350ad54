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

/// A traditional pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// Sprinkled drops, the ground of all others.
    Battal,
    /// Battal raked back and forth.
    GelGit,
    /// Gel-git, then a fine comb.
    Combed,
    /// A fine comb, then a coarse one that sways.
    Bouquet,
    /// Flowers of concentric drops, parted with a needle.
    Hatip,
    /// A tulip with its leaves.
    Tulip,
}

impl Pattern {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Battal, Self::GelGit, Self::Combed, Self::Bouquet, Self::Hatip, Self::Tulip];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Battal => "battal",
            Self::GelGit => "gel-git",
            Self::Combed => "combed",
            Self::Bouquet => "bouquet",
            Self::Hatip => "hatip",
            Self::Tulip => "tulip",
        }
    }

    /// What it is, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Self::Battal => "sprinkled drops, veins between them",
            Self::GelGit => "battal, raked back and forth",
            Self::Combed => "nonpareil: raked back and forth, then drawn with a fine comb",
            Self::Bouquet => "combed, then drawn with a swaying comb into scales",
            Self::Hatip => "flowers of concentric drops, parted with a needle",
            Self::Tulip => "a tulip with its leaves, drawn with a needle",
        }
    }

    /// The recipe of a sheet of this pattern, 1 wide, the same for the same seed on every
    /// machine.
    pub fn program(self, height: f64, seed: u64) -> Result<Program> {
        if !(1.0 / MAX_ASPECT..=MAX_ASPECT).contains(&height) {
            let what =
                format!("one side of the sheet is {:.2} times the other", height.max(1.0 / height));
            return Err(Error::limit(what, format!("{MAX_ASPECT} times")));
        }
        let mut bath = Bath::new(height, seed);
        match self {
            Self::Battal => stones::battal(&mut bath),
            Self::GelGit => combed::gel_git(&mut bath)?,
            Self::Combed => combed::nonpareil(&mut bath)?,
            Self::Bouquet => combed::bouquet(&mut bath)?,
            Self::Hatip => flowers::hatip(&mut bath)?,
            Self::Tulip => flowers::tulip(&mut bath)?,
        }
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
        Self::ALL.into_iter().find(|p| p.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::Request(format!("\"{name}\" is none of {names}"))
        })
    }
}
