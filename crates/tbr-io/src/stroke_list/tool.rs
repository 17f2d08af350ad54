//! Tools in stroke lists: words in the list's unit.

use super::row::within;
use std::fmt::Write;
use tbr::format::{list, number};
use tbr::program::{Program, StepIndex, step_order};
use tbr::tool::{Field, Tool, ToolKind, Words};

/// A tool in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolEntry {
    /// Its number among all steps, from 1.
    pub number: usize,
    /// What it is.
    pub kind: ToolKind,
    /// Its numbers by name, lengths and places in the list's unit; a point has two.
    pub fields: Vec<(&'static str, Vec<f64>)>,
}

/// The tools of a program, with their lengths multiplied by `per_canvas`.
pub(super) fn entries(program: &Program, per_canvas: f64) -> Vec<ToolEntry> {
    let order = step_order(program.strokes().len(), program.tools());
    let entry = |(index, step)| match step {
        StepIndex::Stroke(_) => None,
        StepIndex::Tool(k) => Some(entry(index + 1, &program.tools()[k].tool, per_canvas)),
    };
    order.enumerate().filter_map(entry).collect()
}

fn entry(number: usize, tool: &Tool, per_canvas: f64) -> ToolEntry {
    let fields = tool.fields().map(|(field, values)| {
        let scale = scale(field, per_canvas);
        (field.name, values.iter().map(|value| value * scale).collect())
    });
    ToolEntry { number, kind: tool.kind(), fields: fields.collect() }
}

/// What a number of a field is multiplied by: angles and shares have no unit of length.
fn scale(field: &Field, per_canvas: f64) -> f64 {
    if field.unit.is_length() { per_canvas } else { 1.0 }
}

impl ToolEntry {
    /// It as a cell of a table. (A point has a comma, so that the cell has quotes.)
    pub(super) fn words(&self) -> String {
        let mut words = format!("\"{}", self.kind.name());
        for (name, values) in &self.fields {
            let values: Vec<String> = values.iter().map(|v| number(*v)).collect();
            let _ = write!(words, " {name} {}", values.join(","));
        }
        words + "\""
    }

    /// Its fields as JSON values, with their names.
    pub(super) fn json_fields(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.fields.iter().map(|(name, values)| match values[..] {
            [value] => (*name, number(value)),
            _ => (*name, list(values)),
        })
    }
}

/// The tool that a cell of a table means, whose lengths are `per_canvas` times those of the
/// canvas; or what is wrong with it.
pub(super) fn parse(text: &str, per_canvas: f64) -> Result<Tool, String> {
    let Words { kind, mut fields } = Words::parse(text)?;
    for (name, values) in &mut fields {
        let Some(field) = kind.fields().iter().find(|field| field.name == *name) else { continue };
        let scale = scale(field, per_canvas);
        for value in values {
            *value = within(*value / scale, field.limits(), scale).map_err(|[low, high]| {
                format!("{name} is {value}; must be from {low} to {high}")
            })?;
        }
    }
    Tool::new(kind, fields.iter().map(|(name, values)| (*name, &values[..])))
}
