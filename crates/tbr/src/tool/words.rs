//! Tools in words: `comb through 0.5,0.5 angle 90 pull 0.05 spacing 0.03`.

use super::{Tool, ToolKind};
use crate::error::{Error, Result};
use crate::program::format::number;
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
        let mut words = text.split_whitespace();
        let name = words.next().unwrap_or_default();
        let wrong = |problem: String| Error::Request(format!("{name}: {problem}"));
        let kind = ToolKind::named(name).ok_or_else(|| {
            let names = ToolKind::ALL.map(ToolKind::name).join(", ");
            Error::Request(format!("\"{name}\" is none of {names}"))
        })?;
        let mut named: Vec<(&str, Vec<f64>)> = Vec::new();
        while let Some(field) = words.next() {
            let text = words.next().ok_or_else(|| wrong(format!("what is \"{field}\"?")))?;
            let values: Option<Vec<f64>> = text.split(',').map(|v| v.parse().ok()).collect();
            let values = values.ok_or_else(|| {
                wrong(format!("{field} is \"{text}\", which is no number, nor two like 0.5,0.5"))
            })?;
            named.push((field, values));
        }
        Self::new(kind, named.iter().map(|(name, values)| (*name, &values[..]))).map_err(wrong)
    }
}
