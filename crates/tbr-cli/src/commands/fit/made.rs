//! How a program was made, as its file tells.

use super::Preset;
use crate::failure::Failure;
use serde_json::{Map, Value, json};
use tbr::fit::{Fit, Options};
use tbr::program::Program;

/// What decided a fit.
pub struct Made<'a> {
    /// The picture's name.
    pub picture: Option<String>,
    /// That of the program it was started from.
    pub from: Option<String>,
    pub preset: Preset,
    pub size_px: u32,
    pub options: &'a Options,
}

impl Made<'_> {
    /// What a program says of how it was made, but for its scores.
    pub fn provenance(&self) -> Map<String, Value> {
        let mut made = Map::new();
        for (key, value) in [
            ("made_by", json!("tbr fit")),
            ("version", json!(env!("CARGO_PKG_VERSION"))),
            ("picture", json!(self.picture)),
            ("from", json!(self.from)),
            ("preset", json!(self.preset.name())),
            ("size_px", json!(self.size_px)),
            ("options", json!(self.options)),
        ] {
            made.insert(key.to_owned(), value);
        }
        made
    }

    /// The best program of a fit, with how it was made.
    pub fn program(&self, fit: &Fit) -> Result<Program, Failure> {
        let mut parts = fit.program()?.into_parts();
        parts.provenance = self.provenance();
        parts.provenance.insert("floor_ratio".to_owned(), json!(fit.floor_ratio()));
        if let Some(scale) = fit.data_scale() {
            parts.provenance.insert("data_scale".to_owned(), json!(scale));
        }
        parts.provenance.insert("palette_ceiling".to_owned(), json!(fit.ceiling()));
        Ok(Program::new(parts)?)
    }
}
