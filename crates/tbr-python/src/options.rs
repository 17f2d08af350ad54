//! What Python asks of a fit: the one place where names become options.

use crate::error::{of_library, request};
use crate::given::{colour, colours, operator};
use crate::program::Program;
use crate::tool::of_value;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;
use tbr::Colour;
use tbr::fit::{ErrorBy, Options, Palette, PaletteBy};
use tbr_io::fit::{Preparation, Preset, Wishes};
use tbr_io::palette;
use tbr_io::picture::MATTE;

/// The sizes at which pictures can be fitted, as on the command line.
const SIZES_PX: [u32; 2] = [16, 8192];

/// The options of a fit, as keywords.
pub struct Asked<'a, 'py>(pub &'a Bound<'py, PyDict>);

impl<'py> Asked<'_, 'py> {
    /// What is said under a name; none if nothing is.
    pub fn any(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.0.get_item(name)?.filter(|value| !value.is_none()))
    }

    fn get<T: FromPyObjectOwned<'py>>(&self, name: &str) -> PyResult<Option<T>> {
        let Some(value) = self.any(name)? else { return Ok(None) };
        let extracted: PyResult<T> = value.extract::<T>().map_err(Into::into);
        let wrong = |e: PyErr| request(format!("{name}: {}", e.value(self.0.py())));
        extracted.map(Some).map_err(wrong)
    }

    /// Is it asked for?
    pub fn flag(&self, name: &str) -> PyResult<bool> {
        Ok(self.get(name)?.unwrap_or(false))
    }

    /// The preset.
    pub fn preset(&self) -> PyResult<Preset> {
        let name: Option<String> = self.get("preset")?;
        name.map_or(Ok(Preset::Default), |name| name.parse().map_err(request))
    }

    /// How the picture is prepared.
    pub fn preparation(&self) -> PyResult<Preparation> {
        let size: Option<u32> = self.get("size")?;
        if let Some(size) = size.filter(|size| !(SIZES_PX[0]..=SIZES_PX[1]).contains(size)) {
            let [least, most] = SIZES_PX;
            return Err(request(format!("a size of {size} pixels: it is from {least} to {most}")));
        }
        Ok(Preparation {
            size_px: self.preset()?.size_px(size),
            matte: self.matte()?,
            bare: self.flag("bare")?,
        })
    }

    /// What lies behind transparent parts.
    pub fn matte(&self) -> PyResult<Colour> {
        self.any("matte")?.map_or(Ok(MATTE), |matte| colour(&matte, "matte"))
    }

    /// The program to start from.
    pub fn start(&self) -> PyResult<Option<tbr::Program>> {
        let Some(program) = self.any("start")? else { return Ok(None) };
        let program = program.cast::<Program>().map_err(|_| request("start is a tbr.Program"))?;
        Ok(Some(program.get().0.clone()))
    }

    /// The options, before they are suited to the picture.
    pub fn options(&self, start: Option<&tbr::Program>) -> PyResult<Options> {
        let tools: Option<Vec<Bound<'py, PyAny>>> = self.get("tools")?;
        let tools = tools.unwrap_or_default().iter().map(of_value).collect::<PyResult<_>>()?;
        let wishes = Wishes {
            strokes: self.get("strokes")?,
            palette: self.any("palette")?.map(|value| palette_of(&value)).transpose()?,
            palette_by: self.by_eyes("palette_by")?.map(|eyes| match eyes {
                true => PaletteBy::Eyes,
                false => PaletteBy::Pixels,
            }),
            error_by: self.by_eyes("error_by")?.map(|eyes| match eyes {
                true => ErrorBy::Eyes,
                false => ErrorBy::Pixels,
            }),
            operator: self.get::<String>("operator")?.as_deref().map(operator).transpose()?,
            drops: self.flag("drops")?,
            straight: self.flag("straight")?,
            tools,
            hold_tools: self.flag("hold_tools")?,
            seed: self.get("seed")?.unwrap_or(0),
            steps: self.get("steps")?,
        };
        let options = wishes.options(self.preset()?.options(), start);
        let options = match self.any("options")? {
            Some(more) => with_more(&options, &more)?,
            None => options,
        };
        options.check().map_err(of_library)?;
        Ok(options)
    }

    /// Is something to be done by eyes, or by pixels? None if nothing is said.
    fn by_eyes(&self, what: &str) -> PyResult<Option<bool>> {
        let name: Option<String> = self.get(what)?;
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
    if let Ok(size) = value.extract::<usize>() {
        return Ok(Palette::Size(size));
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
