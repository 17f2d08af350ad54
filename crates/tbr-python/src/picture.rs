//! Pictures that come in: files, and arrays of bytes, words or floats; and sheets of our own.

use crate::arrays::to_picture;
use crate::error::{of_library, raised, request};
use crate::program::Program;
use crate::tool::{Tool, of_values};
use crate::work::run;
use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use tbr::fit::combs;
use tbr::sample::Pattern;
use tbr::{Colour, Image};
use tbr_io::Failure;
use tbr_io::fit::Preparation;
use tbr_io::picture::{MATTE, Picture, Size, Values};

/// How far floats may lie beyond 0 and 1 before they are taken for something else: filters swing
/// by a tenth, and bytes go to 255.
const BEYOND: f64 = 0.5;

/// The sizes at which combs can be looked for, as on the command line.
const SIZES_PX: RangeInclusive<u32> = 16..=4096;

/// A picture as it was given.
pub enum Given {
    /// A file.
    File(PathBuf),
    /// Values of bytes or words, or transparent ones.
    Stored(Picture),
    /// Opaque colours in floats, which keep all their digits.
    Exact(Image),
}

/// A picture, with its pixels.
pub enum Loaded {
    /// As from a file.
    Stored(Picture),
    /// With all digits.
    Exact(Image),
}

impl Given {
    /// A path, or an array as `tbr._pictures` makes it: of three sides, and of bytes, words or
    /// doubles.
    pub fn of(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(array) = value.cast::<PyArrayDyn<u8>>() {
            return stored(&array.readonly(), Values::Bytes);
        }
        if let Ok(array) = value.cast::<PyArrayDyn<u16>>() {
            return stored(&array.readonly(), Values::Words);
        }
        if let Ok(array) = value.cast::<PyArrayDyn<f64>>() {
            return floats(&array.readonly());
        }
        value.extract().map(Self::File).map_err(|_| {
            request("a picture is a path, an array of three sides, or one of Pillow's")
        })
    }

    /// Its pixels.
    pub fn load(self) -> Result<Loaded, Failure> {
        Ok(match self {
            Self::File(path) => Loaded::Stored(Picture::read(&path)?),
            Self::Stored(picture) => Loaded::Stored(picture),
            Self::Exact(image) => Loaded::Exact(image),
        })
    }

    /// The name of its file, if it is one: for messages.
    pub fn name(&self) -> Option<PathBuf> {
        if let Self::File(path) = self { Some(path.clone()) } else { None }
    }
}

impl Loaded {
    /// Pixels across and down.
    pub fn size(&self) -> Size {
        match self {
            Self::Stored(picture) => picture.size(),
            Self::Exact(image) => image.size(),
        }
    }

    /// Its colours over a background at a size; all digits are kept at its own.
    pub fn over_at(self, matte: Colour, size: Size) -> Result<Image, Failure> {
        match self {
            Self::Exact(image) if image.size() == size => Ok(image),
            other => other.stored().over_at(matte, size),
        }
    }

    /// It, as from a file: in sixteen bits.
    pub fn stored(self) -> Picture {
        match self {
            Self::Stored(picture) => picture,
            Self::Exact(image) => Picture::of(&image),
        }
    }
}

/// A failure that says which file the trouble is in, if it is one.
pub fn in_file(failure: Failure, name: &Option<PathBuf>) -> Failure {
    match name {
        Some(path) => failure.in_file(path),
        None => failure,
    }
}

/// Width, height and channels of an array.
fn sides(shape: &[usize]) -> PyResult<(Size, usize)> {
    let [height, width, channels] = *shape else {
        return Err(request(format!("a picture has the shape {shape:?}, not (h, w, channels)")));
    };
    let side = |side: usize| {
        u32::try_from(side).map_err(|_| request(format!("a picture has a side of {side} pixels")))
    };
    if !(1..=4).contains(&channels) {
        return Err(request(format!("a picture has {channels} channels, not 1 to 4")));
    }
    Ok(((side(width)?, side(height)?), channels))
}

fn stored<T: numpy::Element + Copy>(
    array: &PyReadonlyArrayDyn<'_, T>,
    values: impl FnOnce(Vec<T>) -> Values,
) -> PyResult<Given> {
    let (size, channels) = sides(array.shape())?;
    let values = values(array.as_slice()?.to_vec());
    let picture = Picture::of_values(size, channels, values);
    picture.map(Given::Stored).map_err(|failure| raised(&failure))
}

fn floats(array: &PyReadonlyArrayDyn<'_, f64>) -> PyResult<Given> {
    let (size, channels) = sides(array.shape())?;
    let values = array.as_slice()?;
    if let Some(value) = values.iter().find(|v| **v < -BEYOND || **v > 1.0 + BEYOND) {
        let message = "floats of a picture go from 0 to 1 (bytes are uint8, from 0 to 255)";
        return Err(request(format!("{message}; one is {value}")));
    }
    let pixels: Vec<Colour> = match channels {
        1 => values.iter().map(|v| [*v; 3]).collect(),
        3 => values.as_chunks::<3>().0.to_vec(),
        _ => {
            if values.iter().any(|v| !v.is_finite()) {
                return Err(request("the picture has a value that is not finite"));
            }
            let values = Values::Floats(values.iter().map(|v| *v as f32).collect());
            let picture = Picture::of_values(size, channels, values);
            return picture.map(Given::Stored).map_err(|failure| raised(&failure));
        }
    };
    Image::new(size, pixels).map(Given::Exact).map_err(of_library)
}

/// The recipe of a marbled sheet of our own: a program of drops and tools. `sample_names()` has
/// the names. Another seed gives another sheet.
///
/// >>> tbr.sample("nonpareil")
/// <tbr.Program: 1087 steps, canvas 1 x 1, capsule>
#[pyfunction]
#[pyo3(signature = (name, *, seed = 1, height = 1.0))]
pub fn sample(py: Python<'_>, name: &str, seed: u64, height: f64) -> PyResult<Program> {
    let pattern: Pattern = name.parse().map_err(of_library)?;
    run(py, move |_| Ok(pattern.program(height, seed)?)).map(Program::from)
}

/// The names of the sheets that `sample` makes.
///
/// >>> "tulip" in tbr.sample_names()
/// True
#[pyfunction]
pub fn sample_names() -> Vec<&'static str> {
    Pattern::ALL.map(Pattern::name).to_vec()
}

/// A combed sheet as it was before its combs, and the combs.
#[pyfunction]
pub fn uncomb<'py>(
    py: Python<'py>,
    picture: &Bound<'py, PyAny>,
    tools: Option<Bound<'py, PyAny>>,
    size: u32,
) -> PyResult<(Bound<'py, PyArrayDyn<f64>>, Vec<Tool>)> {
    if !SIZES_PX.contains(&size) {
        let (least, most) = (SIZES_PX.start(), SIZES_PX.end());
        return Err(request(format!("a size of {size} pixels: it is from {least} to {most}")));
    }
    let picture = Given::of(picture)?;
    let known = tools.map(|tools| of_values(&tools)).transpose()?;
    let (image, found) = run(py, move |stop| {
        let preparation = Preparation { size_px: Some(size), matte: MATTE, bare: false };
        let prepared = preparation.prepare(&picture.load()?.stored())?;
        let image = prepared.target(None)?.into_image();
        let found = match known {
            Some(tools) => tools,
            None => combs::find(&image, stop)?,
        };
        Ok((combs::uncombed(&image, &found), found))
    })?;
    let size = image.size();
    let sheet = to_picture(py, size, Some(3), image.into_pixels().into_flattened())?;
    Ok((sheet, found.into_iter().map(Tool).collect()))
}
