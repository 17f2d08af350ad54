//! What Python asks of a fit: the one place where names become options.

use crate::error::{of_library, request};
use crate::given::{colour, colours, operator};
use crate::keywords::Keywords;
use crate::program::Program;
use crate::tool::of_values;
use pyo3::prelude::*;
use serde_json::Value;
use std::sync::Arc;
use tbr::Colour;
use tbr::fit::{ErrorBy, Options, Palette, PaletteBy};
use tbr_io::fit::{Preparation, Preset, Wishes};
use tbr_io::palette;
use tbr_io::picture::MATTE;

/// The sizes at which pictures can be fitted, as on the command line.
const SIZES_PX: [u32; 2] = [16, 8192];

/// The options of a fit, as keywords.
pub struct Asked<'a, 'py>(pub Keywords<'a, 'py>);

impl Asked<'_, '_> {
    /// The preset.
    pub fn preset(&self) -> PyResult<Preset> {
        let name: Option<String> = self.0.get("preset")?;
        name.map_or(Ok(Preset::Default), |name| name.parse().map_err(request))
    }

    /// How the picture is prepared.
    pub fn preparation(&self) -> PyResult<Preparation> {
        let size: Option<u32> = self.0.get("size")?;
        if let Some(size) = size.filter(|size| !(SIZES_PX[0]..=SIZES_PX[1]).contains(size)) {
            let [least, most] = SIZES_PX;
            return Err(request(format!("a size of {size} pixels: it is from {least} to {most}")));
        }
        Ok(Preparation {
            size_px: self.preset()?.size_px(size),
            matte: self.matte()?,
            bare: self.0.flag("bare")?,
        })
    }

    /// What lies behind transparent parts.
    pub fn matte(&self) -> PyResult<Colour> {
        self.0.any("matte")?.map_or(Ok(MATTE), |matte| colour(&matte, "matte"))
    }

    /// The program to start from.
    pub fn start(&self) -> PyResult<Option<Arc<tbr::Program>>> {
        let Some(program) = self.0.any("start")? else { return Ok(None) };
        let program = program.cast::<Program>().map_err(|_| request("start is a tbr.Program"))?;
        Ok(Some(program.get().0.clone()))
    }

    /// The options, before they are suited to the picture.
    pub fn options(&self, start: Option<&tbr::Program>) -> PyResult<Options> {
        let tools = self.0.any("tools")?.map(|tools| of_values(&tools)).transpose()?;
        let wishes = Wishes {
            strokes: self.0.get("strokes")?,
            palette: self.0.any("palette")?.map(|value| palette_of(&value)).transpose()?,
            palette_by: self.by_eyes("palette_by")?.map(|eyes| match eyes {
                true => PaletteBy::Eyes,
                false => PaletteBy::Pixels,
            }),
            error_by: self.by_eyes("error_by")?.map(|eyes| match eyes {
                true => ErrorBy::Eyes,
                false => ErrorBy::Pixels,
            }),
            operator: self.0.get::<String>("operator")?.as_deref().map(operator).transpose()?,
            drops: self.0.flag("drops")?,
            straight: self.0.flag("straight")?,
            tools: tools.unwrap_or_default(),
            hold_tools: self.0.flag("hold_tools")?,
            seed: self.0.get("seed")?.unwrap_or(0),
            steps: self.0.get("steps")?,
        };
        let options = wishes.options(self.preset()?.options(), start);
        let is_chosen = matches!(options.palette, Palette::Size(_));
        if wishes.palette_by.is_some() && !is_chosen && start.is_none() {
            return Err(request("palette_by is for colours that are chosen: palette=8, say"));
        }
        let options = match self.0.any("options")? {
            Some(more) => with_more(&options, &more)?,
            None => options,
        };
        options.check().map_err(of_library)?;
        Ok(options)
    }

    /// Is something to be done by eyes, or by pixels? None if nothing is said.
    fn by_eyes(&self, what: &str) -> PyResult<Option<bool>> {
        let name: Option<String> = self.0.get(what)?;
        name.map(|name| match name.as_str() {
            "eyes" => Ok(true),
            "pixels" => Ok(false),
            _ => Err(request(format!("{what} is \"{name}\": it is \"eyes\" or \"pixels\""))),
        })
        .transpose()
    }
}

/// A palette: a number of colours, colours, or in the command's words.
fn palette_of(value: &Bound<'_, PyAny>) -> PyResult<Palette> {
    if let Ok(size) = value.extract::<i64>() {
        let size = usize::try_from(size);
        return size.map(Palette::Size).map_err(|_| request("a palette has at least one colour"));
    }
    match value.extract::<String>() {
        Ok(words) => palette::parse(&words).map_err(request),
        Err(_) => colours(value, "palette").map(Palette::Fixed),
    }
}

/// Options with any of their fields replaced, by the names that programs' provenance has.
fn with_more(options: &Options, more: &Bound<'_, PyAny>) -> PyResult<Options> {
    let wrong = |e: serde_json::Error| request(format!("options: {e}"));
    let json: String = more.py().import("json")?.call_method1("dumps", (more,))?.extract()?;
    let mut all = serde_json::to_value(options).map_err(wrong)?;
    merge(&mut all, serde_json::from_str(&json).map_err(wrong)?, "options")?;
    serde_json::from_value(all).map_err(wrong)
}

/// Replaces what is said in `more`; objects are gone into, and have no other fields.
fn merge(own: &mut Value, more: Value, place: &str) -> PyResult<()> {
    match (own, more) {
        (Value::Object(own), Value::Object(more)) => {
            for (name, value) in more {
                let place = format!("{place}: {name}");
                match own.get_mut(&name) {
                    Some(field) => merge(field, value, &place)?,
                    None => return Err(request(format!("{place} is no option"))),
                }
            }
        }
        (own, more) => *own = more,
    }
    Ok(())
}
