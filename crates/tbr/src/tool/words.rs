//! Tools in words: `comb through 0.5,0.5 angle 90 pull 0.05 spacing 0.03`.

use super::{Tool, ToolKind};
use crate::error::{Error, Result};
use crate::numbers::number;
use std::fmt;
use std::str::FromStr;

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind().name())?;
        for (field, values) in self.fields() {
            let values: Vec<String> = values.iter().map(|v| number(*v)).collect();
            write!(f, " {} {}", field.name, values.join(","))?;
        }
        Ok(())
    }
}

impl From<Tool> for String {
    fn from(tool: Tool) -> Self {
        tool.to_string()
    }
}

impl TryFrom<String> for Tool {
    type Error = Error;
    fn try_from(words: String) -> Result<Self> {
        words.parse()
    }
}

impl FromStr for Tool {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let Words { kind, fields } = Words::parse(text).map_err(Error::Request)?;
        let named = fields.iter().map(|(name, values)| (*name, &values[..]));
        let wrong = |problem| Error::Request(format!("{}: {problem}", kind.name()));
        Self::new(kind, named).map_err(wrong)
    }
}

/// The words of a tool, not yet checked: its kind, and names with their numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Words<'a> {
    /// What it is.
    pub kind: ToolKind,
    /// Its numbers by name, as they are written; a point has two.
    pub fields: Vec<(&'a str, Vec<f64>)>,
}

impl<'a> Words<'a> {
    /// Reads the name of a tool, then names and numbers in turn. An error, in words, if one of
    /// them is missing or is no number.
    pub fn parse(text: &'a str) -> std::result::Result<Self, String> {
        let mut words = text.split_whitespace();
        let name = words.next().unwrap_or_default();
        let kind = ToolKind::named(name).ok_or_else(|| {
            let names = ToolKind::ALL.map(ToolKind::name).join(", ");
            format!("\"{name}\" is none of {names}")
        })?;
        let mut fields: Vec<(&str, Vec<f64>)> = Vec::new();
        while let Some(field) = words.next() {
            let text = words.next().ok_or_else(|| format!("{name}: what is \"{field}\"?"))?;
            let values: Option<Vec<f64>> = text.split(',').map(|v| v.parse().ok()).collect();
            let values = values.ok_or_else(|| {
                let form = "which is no number, nor two like 0.5,0.5";
                format!("{name}: {field} is \"{text}\", {form}")
            })?;
            fields.push((field, values));
        }
        Ok(Self { kind, fields })
    }
}

/// The names of a kind's numbers, for messages.
pub(super) fn names(kind: ToolKind) -> String {
    let names: Vec<&str> = kind.fields().iter().map(|field| field.name).collect();
    format!("it has {}", names.join(", "))
}
