//! Replays: arrays of pixels, files of pixels or outlines, and who owns each pixel.

use crate::arrays::to_picture;
use crate::error::request;
use crate::given::{colour, operator};
use crate::keywords::Keywords;
use crate::program::Program;
use crate::work::{Flag, run, run_to_end};
use numpy::{Element, PyArrayDyn};
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use tbr::outline::svg::{Chunk, Svg, SvgOptions};
use tbr::render::{Background, MAX_IMAGE_PX, Replay, ReplayOptions};
use tbr::{Region, Stop, View};
use tbr_io::Failure;
use tbr_io::files::Output;
use tbr_io::picture::{Encoding, Size, StoppableReplay, bytes, floats};

/// The most pixels of a picture in memory: as many as a NumPy array of bytes may well have, 64
/// times the engine's.
const MOST_PX: u64 = MAX_IMAGE_PX << 6;

/// What is seen, and how.
pub struct Looks<'py> {
    width: Option<u32>,
    height: Option<u32>,
    region: Option<[f64; 4]>,
    samples: u32,
    first: Option<usize>,
    operator: Option<String>,
    background: Option<Bound<'py, PyAny>>,
}

impl<'py> FromPyObject<'_, 'py> for Looks<'py> {
    type Error = PyErr;

    fn extract(looks: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let looks = looks.cast::<PyDict>()?;
        let looks = Keywords(&looks);
        Ok(Self {
            width: looks.get("width")?,
            height: looks.get("height")?,
            region: looks.get("region")?,
            samples: looks.need("samples")?,
            first: looks.get("first")?,
            operator: looks.get("operator")?,
            background: looks.any("background")?,
        })
    }
}

impl Looks<'_> {
    pub fn view(&self, program: &tbr::Program) -> PyResult<View> {
        self.view_of_width(program, self.width)
    }

    /// The same of another width than the usual, if no side is given.
    pub fn view_of_width(&self, program: &tbr::Program, width: Option<u32>) -> PyResult<View> {
        let region = self.region.map(|[x, y, width, height]| Region { x, y, width, height });
        let region = region.unwrap_or_else(|| Region::canvas(program));
        View::new(region, width, self.height).map_err(crate::error::of_library)
    }

    /// The width; one that is usual if no side is given.
    pub fn width_or(&self, usual: u32) -> Option<u32> {
        self.width.or_else(|| self.height.is_none().then_some(usual))
    }

    pub fn options(&self) -> PyResult<ReplayOptions> {
        let background = match &self.background {
            None => Background::Program,
            Some(none) if none.extract::<String>().is_ok_and(|text| text == "none") => {
                Background::Bare
            }
            Some(own) => Background::Colour(colour(own, "background")?),
        };
        let operator = self.operator.as_deref().map(operator).transpose()?;
        let (first, samples) = (self.first, self.samples);
        Ok(ReplayOptions { operator, first, samples, background, ..ReplayOptions::default() })
    }
}

/// A program as an array of pixels: bytes, or floats from 0 to 1.
#[pyfunction]
pub fn render<'py>(
    program: &Bound<'py, Program>,
    looks: Looks<'py>,
    alpha: Option<bool>,
    float: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, program) = (program.py(), program.get().0.clone());
    let (view, options) = (looks.view(&program)?, looks.options()?);
    let alpha = alpha.unwrap_or(options.background == Background::Bare);
    check_pixels(&view)?;
    let size = (view.size(), Some(if alpha { 4 } else { 3 }));
    if float {
        return replayed(py, program, view, options, size, move |replay| floats(replay, alpha));
    }
    replayed(py, program, view, options, size, move |replay| bytes(replay, alpha))
}

/// The values of a replay of so many pixels and channels, in a kind of numbers.
fn replayed<T: Element + Send + 'static>(
    py: Python<'_>,
    program: Arc<tbr::Program>,
    view: View,
    options: ReplayOptions,
    (size, channels): (Size, Option<usize>),
    values: impl FnOnce(&StoppableReplay) -> Vec<T> + Send + 'static,
) -> PyResult<Bound<'_, PyAny>> {
    let values = run(py, move |stop| {
        let replay = Replay::new(&program, view, &options)?;
        let values = values(&StoppableReplay::new(&replay, stop));
        Ok(stop.check().map(|()| values)?)
    })?;
    Ok(to_picture(py, size, channels, values)?.into_any())
}

/// The number of the stroke that owns each pixel, from 1; 0 is the bare canvas.
#[pyfunction]
pub fn owners<'py>(
    program: &Bound<'py, Program>,
    looks: Looks<'py>,
) -> PyResult<Bound<'py, PyArrayDyn<u32>>> {
    let (py, program) = (program.py(), program.get().0.clone());
    let (view, options) = (looks.view(&program)?, looks.options()?);
    check_pixels(&view)?;
    let owners =
        move |stop: &Stop| Ok(Replay::new(&program, view, &options)?.all_owners_until(stop)?);
    let all = run(py, owners)?;
    to_picture(py, view.size(), None, all)
}

fn check_pixels(view: &View) -> PyResult<()> {
    let (width, height) = view.size();
    if u64::from(width) * u64::from(height) <= MOST_PX {
        return Ok(());
    }
    let message = format!("{width} x {height} pixels are too many for an array");
    let limit = tbr::Error::Limit { what: message, limit: format!("{MOST_PX} pixels") };
    Err(crate::error::of_library(limit))
}

/// A program as a picture file, with pixels or, for *.svg, with outlines.
#[pyfunction]
pub fn render_to<'py>(
    program: &Bound<'py, Program>,
    path: PathBuf,
    looks: Looks<'py>,
    encoding: &Bound<'py, PyDict>,
    force: bool,
) -> PyResult<()> {
    let (py, program) = (program.py(), &program.get().0);
    let (view, options) = (looks.view(program)?, looks.options()?);
    let encoding = Keywords(encoding);
    let (depth, quality): (u8, u8) = (encoding.need("depth")?, encoding.need("quality")?);
    let dpi: Option<f64> = encoding.get("dpi")?;
    run_to_end(py, &Flag::default(), |stop| {
        let replay = Replay::new(program, view, &options)?;
        let alpha = options.background == Background::Bare;
        let encoding = Encoding { depth, alpha, dpi, quality, ..Encoding::for_file(&path)? };
        let replay = StoppableReplay::new(&replay, stop);
        encoding.check(&replay)?;
        let mut output = Output::create_new(&path, force)?;
        encoding.write(&replay, &mut output)?;
        stop.check()?;
        output.finish()
    })
}

/// A program as the text of an SVG; written to a file if one is named.
#[pyfunction]
pub fn svg<'py>(
    program: &Bound<'py, Program>,
    looks: Looks<'py>,
    crisp: bool,
    dpi: Option<f64>,
    file: Option<(PathBuf, bool)>,
) -> PyResult<Option<String>> {
    let (py, program) = (program.py(), program.get().0.clone());
    let view = looks.view(&program)?;
    let ReplayOptions { operator, first, background, samples, .. } = looks.options()?;
    if samples != 1 {
        return Err(request("samples are for pixels: an SVG has none"));
    }
    let options = SvgOptions { operator, first, background, dpi, crisp };
    let chunk = |chunk: tbr::Result<Chunk>, stop: &Stop| -> Result<String, Failure> {
        stop.check()?;
        Ok(chunk?.text)
    };
    let Some((path, force)) = file else {
        let text = move |stop: &Stop| -> Result<String, Failure> {
            let svg = Svg::new(&program, view, &options)?;
            svg.chunks().map(|text| chunk(text, stop)).collect()
        };
        return run(py, text).map(Some);
    };
    run_to_end(py, &Flag::default(), |stop| {
        let svg = Svg::new(&program, view, &options)?;
        let mut output = Output::create_new(&path, force)?;
        for text in svg.chunks() {
            let text = chunk(text, stop)?;
            output.write_all(text.as_bytes()).map_err(|e| output.failure(e))?;
        }
        output.finish().map(|()| None)
    })
}
