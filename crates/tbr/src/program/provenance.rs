//! How a program was made: what its file says of settings, seeds and scores.

use crate::error::{Error, Result};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt;
use std::io::{self, Write};
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
            Ok(Value::Object(fields)) => Self::checked(fields),
            Ok(_) => Err(Error::program("provenance", "is not a JSON object")),
            Err(e) => Err(Error::program("provenance", e.to_string())),
        }
    }

    /// The only door: refuses what could be written but not be read again. That is not what was
    /// read: `1e15` is written with all its digits.
    fn checked(fields: Map<String, Value>) -> Result<Self> {
        if !fields.values().all(|value| is_shallow(value, MAX_PROVENANCE_DEPTH)) {
            let limit = format!("{MAX_PROVENANCE_DEPTH} levels");
            return Err(Error::limit("the provenance is nested too deeply", limit));
        }
        let mut length = Length(0);
        match serde_json::to_writer(&mut length, &fields) {
            Ok(()) if length.0 <= MAX_PROVENANCE_BYTES => Ok(Self(Arc::new(fields))),
            _ => Err(too_long()),
        }
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

/// Counts what is written to it.
struct Length(usize);

impl Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
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
        // Six bytes each are read, and twenty would be written.
        let grows = format!("{{\"a\":[{}1e15]}}", "1e+15,".repeat(MAX_PROVENANCE_BYTES / 6 - 10));
        assert!(grows.len() < MAX_PROVENANCE_BYTES);
        assert!(matches!(Provenance::parse(&grows), Err(Error::Limit { .. })));
        let mut deep = Value::Null;
        for _ in 0..=MAX_PROVENANCE_DEPTH {
            deep = Value::Array(vec![deep]);
        }
        let deep: Map<_, _> = [("a".to_owned(), deep)].into_iter().collect();
        assert!(matches!(Provenance::of(&deep), Err(Error::Limit { .. })));
    }
}
