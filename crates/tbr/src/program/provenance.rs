//! How a program was made: what its file says of settings, seeds and scores.

use crate::error::{Error, Result};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;

/// The longest provenance, as JSON: parsed, it takes forty times as much memory.
pub const MAX_PROVENANCE_BYTES: usize = 16 << 20;
/// How deep lists and objects may be nested in a provenance: what the reader of files takes.
pub const MAX_PROVENANCE_DEPTH: usize = 120;

/// How a program was made: a JSON object that is kept and not interpreted. Clones share it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Provenance(Arc<Map<String, Value>>);

impl Provenance {
    /// From the text of a JSON object.
    pub fn parse(json: &str) -> Result<Self> {
        if json.len() > MAX_PROVENANCE_BYTES {
            return Err(too_long());
        }
        let fields =
            serde_json::from_str(json).map_err(|e| Error::program("provenance", e.to_string()))?;
        Self::checked(fields)
    }

    /// From anything that serialises as a JSON object.
    pub fn of(fields: &impl Serialize) -> Result<Self> {
        match serde_json::to_value(fields) {
            Ok(Value::Object(fields)) => {
                let provenance = Self::checked(fields)?;
                if provenance.to_string().len() > MAX_PROVENANCE_BYTES {
                    return Err(too_long());
                }
                Ok(provenance)
            }
            Ok(_) => Err(Error::program("provenance", "is not a JSON object")),
            Err(e) => Err(Error::program("provenance", e.to_string())),
        }
    }

    fn checked(fields: Map<String, Value>) -> Result<Self> {
        if fields.values().all(|value| is_shallow(value, MAX_PROVENANCE_DEPTH)) {
            return Ok(Self(Arc::new(fields)));
        }
        let limit = format!("{MAX_PROVENANCE_DEPTH} levels");
        Err(Error::limit("the provenance is nested too deeply", limit))
    }

    /// Does it say nothing?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text under a key, if it is one.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.as_str()
    }

    /// The number under a key, if it is one.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.0.get(key)?.as_f64()
    }
}

/// As JSON, on one line.
impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(&self.0).map_err(|_| fmt::Error)?)
    }
}

fn too_long() -> Error {
    Error::limit("the provenance is too long", format!("{MAX_PROVENANCE_BYTES} bytes"))
}

/// Are lists and objects nested at most `depth` deep?
fn is_shallow(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(items) => depth > 0 && items.iter().all(|v| is_shallow(v, depth - 1)),
        Value::Object(fields) => depth > 0 && fields.values().all(|v| is_shallow(v, depth - 1)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_back_cannot_be_made() {
        let same = Provenance::parse(r#"{"seed":7,"note":"by hand"}"#).unwrap();
        assert_eq!(same.to_string(), r#"{"seed":7,"note":"by hand"}"#);
        assert_eq!((same.number("seed"), same.text("note")), (Some(7.0), Some("by hand")));
        assert!(Provenance::parse("[1]").is_err());
        assert!(Provenance::of(&[1]).is_err());
        let long = "x".repeat(MAX_PROVENANCE_BYTES);
        assert!(matches!(
            Provenance::of(
                &[("note", &long)].into_iter().collect::<std::collections::BTreeMap<_, _>>()
            ),
            Err(Error::Limit { .. })
        ));
        let mut deep = Value::Null;
        for _ in 0..=MAX_PROVENANCE_DEPTH {
            deep = Value::Array(vec![deep]);
        }
        let deep: Map<_, _> = [("a".to_owned(), deep)].into_iter().collect();
        assert!(matches!(Provenance::of(&deep), Err(Error::Limit { .. })));
    }
}
