//! Notes of a table: what it says besides its strokes, in lines that begin with `#`.

use super::{FORMAT, Given, Unit, VERSIONS, check_sheet};
use std::collections::BTreeMap;
use tbr::colour::{from_hex, hex};
use tbr::format::number;
use tbr::program::{Colour, MAX_PALETTE};
use tbr::stroke::Operator;
use tbr::{Error, Result};

/// How much the sheet's shape may differ from the canvas's, relative to it: people
/// round the sheet to a hundredth of a millimetre, and mistake a side by more.
const SAME_SHAPE: f64 = 1e-3;
/// The bare canvas, if nothing is said: white paper.
const WHITE: Colour = [1.0; 3];

/// What a problem is, without its place.
type Said<T> = std::result::Result<T, String>;

/// The notes of a table, each if it is there.
#[derive(Default)]
pub(super) struct Notes {
    /// The version of a list of ours.
    version: Option<u64>,
    unit: Option<Unit>,
    sheet_mm: Option<[f64; 2]>,
    canvas_height: Option<f64>,
    background: Option<Colour>,
    operator: Option<Operator>,
    palette: BTreeMap<usize, Colour>,
}

/// All that a program needs besides its strokes, and the list's unit.
pub(super) struct Setting {
    /// The list's unit in a canvas's width.
    pub per_canvas: f64,
    pub height: f64,
    pub background: Colour,
    pub operator: Operator,
    pub palette: Vec<Colour>,
    /// Must there be a column of bends? A list of version 2 has one.
    pub needs_bends: bool,
}

impl Notes {
    /// Reads notes, each with the number of its line and without its mark. What is not
    /// known is somebody's remark.
    pub fn read<'a>(lines: impl IntoIterator<Item = (usize, &'a str)>) -> Result<Self> {
        let mut notes = Self::default();
        for (line, text) in lines {
            notes.add(text.trim()).map_err(|p| Error::program(format!("line {line}"), p))?;
        }
        Ok(notes)
    }

    fn add(&mut self, text: &str) -> Said<()> {
        if let Some(version) = text.strip_prefix(FORMAT) {
            self.version = Some(known_version(version.trim())?);
            return Ok(());
        }
        let Some((name, value)) = text.split_once(':') else { return Ok(()) };
        let (name, value) = (name.trim(), value.trim());
        let is_new = match name {
            "unit" => self.unit.replace(unit(value)?).is_none(),
            "sheet" => self.sheet_mm.replace(sheet(value)?).is_none(),
            "canvas" => self.canvas_height.replace(canvas(value)?).is_none(),
            "operator" => self.operator.replace(operator(value)?).is_none(),
            "background" => self.background.replace(colour(name, value)?).is_none(),
            _ => match name.strip_prefix("palette ") {
                Some(index) => self.palette.insert(entry(index)?, colour(name, value)?).is_none(),
                None => true,
            },
        };
        if is_new { Ok(()) } else { Err(format!("{name} is said a second time")) }
    }

    /// What the notes say, and where they are silent what is given besides.
    pub fn with(self, given: &Given) -> Result<Setting> {
        let per_canvas = self.per_canvas(given)?;
        let height = self.height(given)?;
        let show = |colour: &Colour| hex(*colour);
        let background = agreed("background", self.background, given.background, show)?;
        let background = background.map_or_else(|| self.silent("background", WHITE), Ok)?;
        let operator =
            agreed("operator", self.operator, given.operator, |operator| operator.to_string())?;
        let operator = operator.map_or_else(|| self.silent("operator", Operator::Capsule), Ok)?;
        let gap = self.palette.keys().enumerate().find(|(k, index)| k != *index);
        if let Some((missing, index)) = gap {
            let problem = format!("is missing, but there is palette {index}");
            return Err(Error::program(format!("palette {missing}"), problem));
        }
        let needs_bends = self.version == Some(VERSIONS[1]);
        let palette = self.palette.into_values().collect();
        Ok(Setting { per_canvas, height, background, operator, palette, needs_bends })
    }

    /// The value that a list of unknown origin has; a list of ours must say its own, or
    /// a mistyped note would be taken for a remark.
    fn silent<T>(&self, name: &str, default: T) -> Result<T> {
        if self.version.is_some() {
            let problem = format!("is missing; a list that begins with {FORMAT} says it");
            return Err(Error::program(name, problem));
        }
        Ok(default)
    }

    /// The list's unit in a canvas's width.
    fn per_canvas(&self, given: &Given) -> Result<f64> {
        if let Some(width) = given.sheet_mm {
            check_sheet(width)?;
        }
        let said = self.sheet_mm.map(|[width, _]| width);
        match (self.unit, said, given.sheet_mm) {
            (Some(Unit::Canvas) | None, Some(_), _) => {
                Err(Error::program("unit", "is not mm, but there is a sheet in millimetres"))
            }
            (Some(Unit::Canvas), None, Some(_)) => {
                let message = "the list is in canvas units: a sheet's width has no meaning for it";
                Err(Error::Request(message.into()))
            }
            (None, None, Some(width)) => Ok(width),
            (Some(Unit::Canvas), None, None) => Ok(1.0),
            (None, None, None) => self.silent("unit", 1.0),
            (Some(Unit::Mm), ..) => agreed("sheet", said, given.sheet_mm, |mm| number(*mm))?
                .ok_or_else(|| Error::program("sheet", "is missing, but the unit is mm")),
        }
    }

    /// Height of the canvas.
    fn height(&self, given: &Given) -> Result<f64> {
        let said = agreed("canvas height", self.canvas_height, given.height, |h| number(*h))?;
        let shape = self.sheet_mm.map(|[width, height]| height / width);
        match (said, shape) {
            (Some(height), Some(shape)) if (shape - height).abs() > SAME_SHAPE * height => {
                let [height, shape] = [height, shape].map(number);
                let problem = format!("is {shape} times as high as wide, the canvas {height}");
                Err(Error::program("sheet", problem))
            }
            (Some(height), _) | (None, Some(height)) => Ok(height),
            (None, None) => Err(Error::program("canvas height", "is not said")),
        }
    }
}

/// What is said or given; both may be if they are the same.
fn agreed<T>(
    name: &str,
    said: Option<T>,
    given: Option<T>,
    show: impl Fn(&T) -> String,
) -> Result<Option<T>> {
    if let (Some(said), Some(given)) = (said.as_ref().map(&show), given.as_ref().map(&show))
        && said != given
    {
        let message = format!("{name}: the list says {said}, and {given} is asked for");
        return Err(Error::Request(message));
    }
    Ok(said.or(given))
}

fn known_version(text: &str) -> Said<u64> {
    let [first, last] = VERSIONS;
    text.parse().ok().filter(|version| VERSIONS.contains(version)).ok_or_else(|| {
        format!("{FORMAT} has version {text:?}; this build reads versions {first} and {last}")
    })
}

fn unit(text: &str) -> Said<Unit> {
    let unit = [Unit::Canvas, Unit::Mm].into_iter().find(|unit| unit.name() == text);
    unit.ok_or_else(|| format!("unit is {text:?}; must be canvas or mm"))
}

fn operator(text: &str) -> Said<Operator> {
    text.parse().map_err(|e: Error| e.to_string())
}

/// Two numbers with an x between.
fn size(text: &str) -> Option<[f64; 2]> {
    let (width, height) = text.split_once('x')?;
    let side = |text: &str| text.trim().parse().ok().filter(|v: &f64| v.is_finite());
    Some([side(width)?, side(height)?])
}

fn sheet(text: &str) -> Said<[f64; 2]> {
    let size = text.strip_suffix("mm").and_then(size).ok_or_else(|| {
        format!("sheet is {text:?}; must be a width and a height, as in 300 x 225 mm")
    })?;
    check_sheet(size[0]).map_err(|e| e.to_string())?;
    Ok(size)
}

/// The canvas's height. `Program::new` knows which there are.
fn canvas(text: &str) -> Said<f64> {
    match size(text) {
        Some([1.0, height]) => Ok(height),
        _ => Err(format!("canvas is {text:?}; must be 1 and its height, as in 1 x 0.75")),
    }
}

fn entry(text: &str) -> Said<usize> {
    let index = text.trim().parse().ok().filter(|index| *index < MAX_PALETTE);
    index.ok_or_else(|| {
        format!("palette {text}: entries are counted from 0 to {} at most", MAX_PALETTE - 1)
    })
}

/// A colour in hex digits, in three numbers, or in both. Numbers are exact.
fn colour(name: &str, text: &str) -> Said<Colour> {
    let mut words = text.split_whitespace().peekable();
    let rough = words.next_if(|word| word.starts_with('#'));
    let rest: Vec<&str> = words.collect();
    let exact: Option<Vec<f64>> = rest.iter().map(|word| word.parse().ok()).collect();
    let problem = || format!("{name} is {text:?}; must be a colour like #1a3380 or 0.1 0.2 0.5");
    let rough = rough.map(|word| from_hex(word).ok_or_else(problem)).transpose()?;
    let colour = match (exact.as_deref(), rough) {
        (Some(&[r, g, b]), _) => [r, g, b],
        (Some([]), Some(rough)) => rough,
        _ => return Err(problem()),
    };
    if !colour.iter().all(|v| (0.0..=1.0).contains(v)) {
        return Err(format!("{name} is {text:?}; each value must be from 0 to 1"));
    }
    match rough {
        Some(rough) if hex(rough) != hex(colour) => Err(format!(
            "{name} is {} in hex digits, but {} in numbers; leave one of them out",
            hex(rough),
            hex(colour)
        )),
        _ => Ok(colour),
    }
}
