//! The operators by name, and the one table from a name to its maps.

use super::kernel::{Adjoint, Forward, Hard, Of, Regenerate};
use super::{Calibrated, Capsule, Frame, Inert, Transport, line_source};
use crate::error::{Error, Result};
use crate::numbers::lanes::Lanes;
use crate::numbers::{Real, Vec2};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

/// The family of maps that a program is executed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "kebab-case")]
pub enum Operator {
    /// The capsule insertion map psi_A.
    Capsule,
    /// Its variant closer to a line source.
    Calibrated,
    /// Sixteen drops per stroke, psi_D, with the capsule's coverage.
    Drops,
    /// Marks that stay put, psi_U.
    Inert,
    /// The line source psi_L, integrated: a reference, for small pictures only.
    LineSource,
}

/// Evaluates an expression with the operator's type as `$o`, or the last one for the line
/// source, which has no closed form. The only place that matches names with types.
macro_rules! with_operator {
    ($operator:expr, $o:ident => $closed:expr, $line_source:expr) => {{
        use $crate::stroke::{Calibrated, Capsule, Drops, Inert, Operator};
        match $operator {
            Operator::Capsule => {
                type $o = Capsule;
                $closed
            }
            Operator::Calibrated => {
                type $o = Calibrated;
                $closed
            }
            Operator::Drops => {
                type $o = Drops;
                $closed
            }
            Operator::Inert => {
                type $o = Inert;
                $closed
            }
            Operator::LineSource => $line_source,
        }
    }};
}
pub(crate) use with_operator;

impl Operator {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Capsule, Self::Calibrated, Self::Drops, Self::Inert, Self::LineSource];

    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Capsule => "capsule",
            Self::Calibrated => "calibrated",
            Self::Drops => "drops",
            Self::Inert => "inert",
            Self::LineSource => "line-source",
        }
    }

    /// The backward step of one stroke, in float64: whether `x` is in its deposit, and where the
    /// material at `x` was before.
    pub fn step(self, stroke: &Frame<f64>, x: Vec2<f64>) -> (bool, Vec2<f64>) {
        with_operator!(self, O => O::step(stroke, x), line_source::step(stroke, x))
    }

    /// The backward map, in float64: where the material at `x` after a stroke was before it.
    pub fn psi(self, stroke: &Frame<f64>, x: Vec2<f64>) -> Vec2<f64> {
        self.step(stroke, x).1
    }

    /// The forward map, in float64: where a stroke moves the material at `x`.
    pub fn phi(self, stroke: &Frame<f64>, x: Vec2<f64>) -> Vec2<f64> {
        with_operator!(self, O => O::phi(stroke, x), line_source::phi(stroke, x))
    }

    /// Distance from the segment to the deposit's edge at the leaf coordinate `nu`. (The line
    /// source has no closed form: that of the capsule.)
    pub(crate) fn edge<R: Real>(self, stroke: &Frame<R>, nu: R) -> R {
        with_operator!(self, O => O::edge(stroke, nu), Capsule::edge(stroke, nu))
    }

    /// Refuses the line source where maps on lanes or adjoints are needed.
    pub(crate) fn check_closed_form(self, what: &str) -> Result<()> {
        if self != Self::LineSource {
            return Ok(());
        }
        let why = format!("the line source has no {what}: its map is integrated point by point");
        Err(Error::Request(format!("operator {self}: {why}")))
    }

    /// Its maps on lanes. (The line source has none, and is walked point by point: what
    /// nobody asks for here.)
    pub(crate) fn hard<V: Lanes>(self) -> &'static dyn Hard<V> {
        with_operator!(self, O => &Of::<O>(PhantomData), &Of::<Inert>(PhantomData))
    }

    /// Its adjoint on lanes.
    pub(crate) fn adjoint<V: Lanes>(self) -> &'static dyn Adjoint<V> {
        with_operator!(self, O => &Of::<O>(PhantomData), &Of::<Inert>(PhantomData))
    }

    /// Its forward map on lanes, and that map's derivative along a direction.
    pub(crate) fn forward<V: Lanes<Scalar = f64>>(self) -> &'static dyn Forward<V> {
        with_operator!(self, O => &Of::<O>(PhantomData), &Of::<Inert>(PhantomData))
    }

    /// What the replay adjoint needs; none where points cannot be regenerated: the sixteen
    /// drops cover what they do not lay.
    pub(crate) fn regenerate<V: Lanes>(self) -> Option<&'static dyn Regenerate<V>> {
        match self {
            Self::Capsule => Some(&Of::<Capsule>(PhantomData)),
            Self::Calibrated => Some(&Of::<Calibrated>(PhantomData)),
            Self::Inert => Some(&Of::<Inert>(PhantomData)),
            Self::Drops | Self::LineSource => None,
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Operator {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|o| o.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::program("operator", format!("\"{name}\" is none of {names}"))
        })
    }
}
