//! A step of version 2 of the file format: a stroke that may bend, or a tool.

use super::format::{PaintEntry, Parsed};
use super::{Step, Stroke};
use crate::numbers::vec2;
use crate::program::Paint;
use crate::stroke::Shape;
use crate::tool::{MAX_NUMBERS, Tool, ToolKind};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt;

/// A step as it stands in a file.
pub(super) struct StepEntry(Step);

impl From<StepEntry> for Step {
    fn from(StepEntry(step): StepEntry) -> Self {
        step
    }
}

impl<'de> Deserialize<'de> for StepEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Parsed<Self, D::Error> {
        deserializer.deserialize_map(StepVisitor)
    }
}

struct StepVisitor;

impl<'de> Visitor<'de> for StepVisitor {
    type Value = StepEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Parsed<StepEntry, A::Error> {
        let mut entries = Entries::default();
        while let Some(Name(name)) = map.next_key()? {
            entries.read(&name, &mut map)?;
        }
        entries.step().map(StepEntry).map_err(A::Error::custom)
    }
}

/// A field's name.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The fields of a step, as far as they have been read.
#[derive(Default)]
struct Entries {
    tool: Option<ToolKind>,
    colour: Option<Paint>,
    numbers: Vec<(String, Vec<f64>)>,
}

/// A number, or a few.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a number or a list of two")]
enum Numbers {
    One(f64),
    Two([f64; 2]),
}

impl Entries {
    fn read<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Parsed<(), A::Error> {
        let twice = |is_there: bool| match is_there {
            true => Err(A::Error::custom(format!("duplicate field `{name}`"))),
            false => Ok(()),
        };
        match name {
            "tool" => {
                twice(self.tool.is_some())?;
                let Name(kind) = map.next_value()?;
                self.tool = Some(ToolKind::named(&kind).ok_or_else(|| {
                    let names = ToolKind::ALL.map(ToolKind::name).join(", ");
                    A::Error::custom(format!("tool is {kind:?}; must be one of {names}"))
                })?);
            }
            "colour" => {
                twice(self.colour.is_some())?;
                self.colour = Some(map.next_value::<PaintEntry>()?.0);
            }
            _ => {
                twice(self.numbers.iter().any(|(other, _)| other == name))?;
                if self.numbers.len() == MAX_NUMBERS {
                    return Err(A::Error::custom(format!("unknown field `{name}`")));
                }
                let numbers = match map.next_value()? {
                    Numbers::One(number) => vec![number],
                    Numbers::Two(pair) => pair.to_vec(),
                };
                self.numbers.push((name.to_owned(), numbers));
            }
        }
        Ok(())
    }

    fn step(self) -> Result<Step, String> {
        match self.tool {
            Some(_) if self.colour.is_some() => Err("a tool has no colour".to_owned()),
            Some(kind) => {
                let named = self.numbers.iter().map(|(name, values)| (&name[..], &values[..]));
                Tool::new(kind, named).map(Step::Tool)
            }
            None => self.stroke().map(Step::Stroke),
        }
    }

    fn stroke(self) -> Result<Stroke, String> {
        const NAMES: [&str; 4] = ["anchor", "offset", "half_width", "bend"];
        let is_known = |name: &str| NAMES.contains(&name);
        if let Some((name, _)) = self.numbers.iter().find(|(name, _)| !is_known(name)) {
            return Err(format!("unknown field `{name}`, expected one of {}", NAMES.join(", ")));
        }
        let of = |name: &str| self.numbers.iter().find(|(n, _)| n == name).map(|(_, v)| &v[..]);
        let missing = |name: &str| format!("missing field `{name}`");
        let point = |name: &str| match of(name) {
            Some(&[x, y]) => Ok(vec2(x, y)),
            Some(_) => Err(format!("{name} is a list of two numbers")),
            None => Err(missing(name)),
        };
        let number = |name: &str| match of(name) {
            Some(&[value]) => Ok(value),
            Some(_) => Err(format!("{name} is a number")),
            None => Err(missing(name)),
        };
        let shape = Shape::line(point("anchor")?, point("offset")?, number("half_width")?);
        let bend = if of("bend").is_some() { number("bend")? } else { 0.0 };
        let paint = self.colour.ok_or_else(|| missing("colour"))?;
        Ok(Stroke { shape: shape.with_bend(bend), paint })
    }
}
