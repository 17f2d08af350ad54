//! Programs, and parts of them, as Python gives them: arrays, numbers and words.

use crate::arrays::{column, points, rows};
use crate::error::{of_library, request};
use crate::tool::of_values;
use pyo3::prelude::*;
use tbr::colour::from_hex;
use tbr::program::{Paint, Parts, Stroke};
use tbr::tool::Pass;
use tbr::{Colour, Operator, Provenance, Shape};

/// The paint of a stroke that has a colour of its own.
pub const OWN: i64 = -1;

/// What a program is made of, as Python says it.
pub struct Given<'py> {
    pub anchors: Bound<'py, PyAny>,
    pub offsets: Option<Bound<'py, PyAny>>,
    pub half_widths: Bound<'py, PyAny>,
    pub colours: Option<Bound<'py, PyAny>>,
    pub bends: Option<Bound<'py, PyAny>>,
    pub paints: Option<Bound<'py, PyAny>>,
    pub palette: Option<Bound<'py, PyAny>>,
    pub background: Option<Bound<'py, PyAny>>,
    pub height: f64,
    pub operator: String,
    pub tools: Option<Bound<'py, PyAny>>,
    pub tools_after: Option<Vec<usize>>,
    pub provenance: Option<String>,
}

impl Given<'_> {
    /// The strokes' shapes.
    fn shapes(&self) -> PyResult<Vec<Shape>> {
        let anchors = points(&self.anchors, "anchors", None)?;
        let count = Some(anchors.len());
        let offsets = match &self.offsets {
            Some(offsets) => points(offsets, "offsets", count)?,
            None => vec![tbr::vec2(0.0, 0.0); anchors.len()],
        };
        let half_widths = column(&self.half_widths, "half_widths", count)?;
        let bends = match &self.bends {
            Some(bends) => column(bends, "bends", count)?,
            None => vec![0.0; anchors.len()],
        };
        let numbers = anchors.into_iter().zip(offsets).zip(half_widths).zip(bends);
        let shape = |(((anchor, offset), half_width), bend)| {
            Shape::line(anchor, offset, half_width).with_bend(bend)
        };
        Ok(numbers.map(shape).collect())
    }

    /// A paint for each stroke: an entry of the palette, or a colour of its own.
    fn paints(&self, strokes: usize) -> PyResult<Vec<Paint>> {
        let count = Some(strokes);
        let colours = match &self.colours {
            Some(own) => Some(colours_of(own, strokes)?),
            None => None,
        };
        let entries = match &self.paints {
            Some(paints) => column(paints, "paints", count)?,
            None => vec![OWN as f64; strokes],
        };
        let paint = |(i, entry): (usize, f64)| match (&colours, entry) {
            (_, entry) if entry >= 0.0 && entry.fract() == 0.0 => {
                Ok(Paint::Palette(entry as usize))
            }
            (Some(colours), entry) if entry == OWN as f64 => Ok(Paint::Own(colours[i])),
            (None, entry) if entry == OWN as f64 => {
                Err(request(format!("stroke {} has no colour: give colours, or paints", i + 1)))
            }
            _ => Err(request(format!("paint {entry} is neither a palette entry nor -1"))),
        };
        entries.into_iter().enumerate().map(paint).collect()
    }

    /// The tools at their places; after all of so many strokes if nobody says where.
    fn tools(&self, strokes: usize) -> PyResult<Vec<Pass>> {
        let tools = self.tools.as_ref().map(of_values).transpose()?.unwrap_or_default();
        let after = self.tools_after.clone().unwrap_or_else(|| vec![strokes; tools.len()]);
        if after.len() != tools.len() {
            let (tools, after) = (tools.len(), after.len());
            return Err(request(format!("{tools} tools have {after} places in tools_after")));
        }
        Ok(after.into_iter().zip(tools).map(|(after, tool)| Pass { after, tool }).collect())
    }

    /// The program, if it is one.
    pub fn program(&self) -> PyResult<tbr::Program> {
        let shapes = self.shapes()?;
        let paints = self.paints(shapes.len())?;
        let tools = self.tools(shapes.len())?;
        let stroke = |(shape, paint)| Stroke { shape, paint };
        let palette =
            self.palette.as_ref().map(|palette| colours(palette, "palette")).transpose()?;
        let background = self.background.as_ref().map(|c| colour(c, "background")).transpose()?;
        let parts = Parts {
            height: self.height,
            background: background.unwrap_or(Parts::default().background),
            operator: operator(&self.operator)?,
            palette: palette.unwrap_or_default(),
            strokes: shapes.into_iter().zip(paints).map(stroke).collect(),
            tools,
            provenance: match &self.provenance {
                Some(json) => Provenance::parse(json).map_err(of_library)?,
                None => Provenance::default(),
            },
        };
        tbr::Program::new(parts).map_err(of_library)
    }
}

/// Colours of so many strokes.
fn colours_of(value: &Bound<'_, PyAny>, strokes: usize) -> PyResult<Vec<Colour>> {
    let own = colours(value, "colours")?;
    if own.len() == strokes {
        return Ok(own);
    }
    Err(request(format!("colours have the shape [{}, 3], not ({strokes}, 3)", own.len())))
}

/// An operator by its name.
pub fn operator(name: &str) -> PyResult<Operator> {
    name.parse().map_err(of_library)
}

/// A colour: three numbers from 0 to 1, or in words like #1d3f73.
pub fn colour(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Colour> {
    if let Ok(text) = value.extract::<String>() {
        return from_hex(&text).ok_or_else(|| {
            request(format!("{name} is \"{text}\": a colour is three numbers, or like \"#1d3f73\""))
        });
    }
    let numbers = column(value, name, Some(3))?;
    if numbers.iter().any(|v| !(0.0..=1.0).contains(v)) {
        return Err(request(format!("{name} is {numbers:?}: its numbers go from 0 to 1")));
    }
    Ok([numbers[0], numbers[1], numbers[2]])
}

/// Colours: rows of three numbers, or a list of words.
pub fn colours(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<Colour>> {
    if value.extract::<Vec<String>>().is_ok() {
        return value.try_iter()?.map(|value| colour(&value?, name)).collect();
    }
    rows::<3>(value, name, None)
}
