//! Tools in a fit: their numbers in units in which one step suits all.

use crate::tool::{Pass, Tool, Unit};

/// What share of a feature a unit is.
const SHARE: f64 = 0.1;

/// How many numbers tools have.
pub(super) fn numbers(tools: &[Pass]) -> usize {
    tools.iter().map(|pass| pass.tool.numbers().len()).sum()
}

/// The gradient with respect to the tools' numbers, in their units.
pub(super) fn pull_back(tools: &[Pass], gradient: &[Vec<f64>]) -> Vec<f64> {
    let each = |(pass, d): (&Pass, &Vec<f64>)| -> Vec<f64> {
        units(&pass.tool).into_iter().zip(d).map(|(unit, d)| unit * d).collect()
    };
    tools.iter().zip(gradient).flat_map(each).collect()
}

/// Moves the tools by a step in their units, each number within its limits. (A tool that cannot
/// have such numbers together stays.)
pub(super) fn move_on(tools: &mut [Pass], change: &[f64], rate: f64) {
    let mut change = change.iter();
    for Pass { tool, .. } in tools {
        let moved: Vec<f64> = units(tool)
            .into_iter()
            .zip(tool.numbers())
            .zip(change.by_ref())
            .zip(limits(tool))
            .map(|(((unit, number), change), [least, most])| {
                (number + rate * unit * change).clamp(least, most)
            })
            .collect();
        *tool = tool.with_numbers(&moved).unwrap_or(*tool);
    }
}

/// The least and the most that each number of a tool may be.
fn limits(tool: &Tool) -> impl Iterator<Item = [f64; 2]> {
    tool.fields().flat_map(|(field, values)| std::iter::repeat_n(field.limits(), values.len()))
}

/// A unit for each number of a tool: how far it may go for paint to move by a share of the
/// tool's finest feature.
fn units(tool: &Tool) -> Vec<f64> {
    let number = |name: &str| tool.number(name);
    let finest = number("spacing").or(number("reach")).or(number("wavelength"));
    let finest = finest.or(number("radius")).unwrap_or(SHARE) * SHARE;
    let mut units = Vec::with_capacity(tool.numbers().len());
    for (field, values) in tool.fields() {
        let unit = match (field.name, field.unit) {
            // Over the whole canvas, teeth come to lie elsewhere by as much.
            ("spacing" | "wavelength", _) => finest * values[0],
            ("angle" | "turn", Unit::Degrees) => finest.to_degrees(),
            (_, Unit::Degrees) => SHARE * 360.0,
            (_, Unit::Share) => SHARE,
            (_, Unit::Scale) => SHARE * values[0],
            _ => finest,
        };
        units.extend(values.iter().map(|_| unit));
    }
    units
}
