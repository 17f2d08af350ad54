//! Options of fits on the command line.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use tbr::fit::ErrorBy;
use tbr_io::fit::Preset;

/// A preset by name.
pub fn preset() -> impl TypedValueParser<Value = Preset> {
    let value = |p: Preset| PossibleValue::new(p.name()).help(p.about());
    PossibleValuesParser::new(Preset::ALL.map(value)).try_map(|name| name.parse::<Preset>())
}

/// What an error counts, by name.
pub fn error_by() -> impl TypedValueParser<Value = ErrorBy> {
    let values = [
        PossibleValue::new("eyes").help("What people see of it: less where the picture is busy"),
        PossibleValue::new("pixels").help("The same everywhere: the least squared error"),
    ];
    PossibleValuesParser::new(values).map(|name| match name.as_str() {
        "eyes" => ErrorBy::Eyes,
        _ => ErrorBy::Pixels,
    })
}
