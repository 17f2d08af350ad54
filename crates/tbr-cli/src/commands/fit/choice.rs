//! Choices of a few names, for clap.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use tbr::fit::PaletteBy;
use tbr_io::fit::Style;

/// How progress is shown, by name.
pub fn style() -> impl TypedValueParser<Value = Style> {
    let values = [
        PossibleValue::new("bar").help("A bar, on a terminal"),
        PossibleValue::new("json").help("A line of JSON for each step, on standard output"),
        PossibleValue::new("none").help("Nothing"),
    ];
    PossibleValuesParser::new(values).map(|name| match name.as_str() {
        "json" => Style::Json,
        "none" => Style::None,
        _ => Style::Bar,
    })
}

/// What a palette is chosen by, by name.
pub fn palette_by() -> impl TypedValueParser<Value = PaletteBy> {
    let values = [
        PossibleValue::new("eyes").help("Rare colours count for more than their pixels"),
        PossibleValue::new("pixels").help("The least error over all pixels"),
    ];
    PossibleValuesParser::new(values).map(|name| match name.as_str() {
        "eyes" => PaletteBy::Eyes,
        _ => PaletteBy::Pixels,
    })
}
