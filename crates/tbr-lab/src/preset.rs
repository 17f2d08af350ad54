//! Presets on the command line.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use tbr_io::fit::Preset;

/// A preset by name.
pub fn preset() -> impl TypedValueParser<Value = Preset> {
    let value = |p: Preset| PossibleValue::new(p.name()).help(p.about());
    PossibleValuesParser::new(Preset::ALL.map(value)).try_map(|name| name.parse::<Preset>())
}
