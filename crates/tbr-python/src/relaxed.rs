//! The relaxed render, forward and back, for arrays of numbers.

use crate::arrays::{column, pixels, points, rows, to_column, to_picture, to_points, to_rows};
use crate::error::{of_library, request};
use crate::given::{colour, operator};
use crate::keywords::Keywords;
use crate::picture::{Given, in_file};
use crate::program::Program;
use crate::tool::of_value;
use crate::work::run;
use numpy::{PyArray1, PyArray2, PyArrayDyn};
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tbr::adjoint::{
    Engine, Gradient, Precision, Relaxation, Scene, gradient_until, mean_squared_error, pull_back,
    relaxed,
};
use tbr::program::check_shape;
use tbr::tool::Pass;
use tbr::{Colour, Error, Operator, Region, Shape, Stop, View};
use tbr_io::fit::matte_of;
use tbr_io::picture::check_aspect;

/// The most memory for states, bytes: what keeps every one of many strokes is soon at a terabyte,
/// and a process that takes it is ended without a word.
const MOST_STATE_BYTES: f64 = 16e9;

/// How a relaxed picture is computed.
pub struct Settings {
    tau: f64,
    tau_min: Option<f64>,
    engine: String,
    interval: Option<usize>,
    precision: String,
}

impl<'py> FromPyObject<'_, 'py> for Settings {
    type Error = PyErr;

    fn extract(settings: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let settings = settings.cast::<PyDict>()?;
        let settings = Keywords(&settings);
        Ok(Self {
            tau: settings.need("tau")?,
            tau_min: settings.get("tau_min")?,
            engine: settings.need("engine")?,
            interval: settings.get("interval")?,
            precision: settings.need("precision")?,
        })
    }
}

impl Settings {
    /// The least rim follows the pixels if it is not given.
    fn relaxation(&self, view: &View) -> Relaxation {
        let tau_min = self.tau_min.unwrap_or(Relaxation::LEAST_RIM_PX * view.pixel().x);
        Relaxation { tau: self.tau, tau_min }
    }

    fn engine(&self) -> PyResult<Engine> {
        let no_interval = |engine| match self.interval {
            None => Ok(engine),
            Some(_) => Err(request(format!("the engine {} has no interval", self.engine))),
        };
        match self.engine.as_str() {
            "tiled" => no_interval(Engine::Tiled),
            "stored" => no_interval(Engine::Stored),
            "checkpointed" => {
                let interval = self.interval.unwrap_or(Engine::CHECKPOINT_INTERVAL);
                if interval > 0 {
                    return Ok(Engine::Checkpointed(interval));
                }
                Err(request("the engine checkpointed keeps states every so many strokes, not 0"))
            }
            // 0 keeps no positions at all.
            "replay" => Ok(Engine::Replay(match self.interval {
                None => Some(Engine::REPLAY_INTERVAL),
                Some(0) => None,
                interval => interval,
            })),
            name => {
                let engines = "tiled, stored, checkpointed or replay";
                Err(request(format!("the engine \"{name}\" is none of {engines}")))
            }
        }
    }

    fn precision(&self) -> PyResult<Precision> {
        match self.precision.as_str() {
            "single" => Ok(Precision::Single),
            "double" => Ok(Precision::Double),
            name => Err(request(format!("the precision \"{name}\" is neither single nor double"))),
        }
    }
}

/// Relaxed pictures of one size and one list of tools: all that is no number to differentiate.
#[pyclass(frozen, module = "tbr._tbr")]
pub struct Relaxed {
    view: View,
    operator: Operator,
    relaxation: Relaxation,
    engine: Engine,
    precision: Precision,
    tools: Vec<Pass>,
}

/// Numbers to differentiate: those of strokes, the background, and those of tools.
#[derive(FromPyObject)]
struct Numbers<'py> {
    anchors: Bound<'py, PyAny>,
    offsets: Bound<'py, PyAny>,
    half_widths: Bound<'py, PyAny>,
    /// None: they do not bend, and nobody asks for derivatives.
    bends: Option<Bound<'py, PyAny>>,
    colours: Bound<'py, PyAny>,
    background: Bound<'py, PyAny>,
    /// None: as the tools have them.
    tool_numbers: Option<Bound<'py, PyAny>>,
}

/// The derivatives in the order of [`Numbers`].
type Derivatives<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
);

#[pymethods]
impl Relaxed {
    #[new]
    fn new(
        size: (u32, u32),
        height: f64,
        operator_name: &str,
        tools: Vec<(usize, Bound<'_, PyAny>)>,
        settings: Settings,
    ) -> PyResult<Self> {
        let region = Region { x: 0.0, y: 0.0, width: 1.0, height };
        let view = View::new(region, Some(size.0), Some(size.1)).map_err(of_library)?;
        view.check_pixels().map_err(of_library)?;
        let pass =
            |(after, tool): (usize, Bound<'_, PyAny>)| Ok(Pass { after, tool: of_value(&tool)? });
        Ok(Self {
            view,
            operator: operator(operator_name)?,
            relaxation: settings.relaxation(&view),
            engine: settings.engine()?,
            precision: settings.precision()?,
            tools: tools.into_iter().map(pass).collect::<PyResult<_>>()?,
        })
    }

    /// The picture, (height, width, 3), in doubles.
    fn render<'py>(
        &self,
        py: Python<'py>,
        numbers: Numbers<'py>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let scene = self.scene(&numbers)?;
        let (engine, precision) = (self.engine, self.precision);
        let image = run(py, move |stop| Ok(relaxed(&scene, engine, precision, stop)?))?;
        to_picture(py, self.view.size(), Some(3), image.into_pixels().into_flattened())
    }

    /// The vector-Jacobian product: what derivatives with respect to the picture say about all
    /// numbers.
    fn pull_back<'py>(
        &self,
        py: Python<'py>,
        numbers: Numbers<'py>,
        d_picture: &Bound<'py, PyAny>,
    ) -> PyResult<Derivatives<'py>> {
        let scene = self.scene(&numbers)?;
        let (engine, precision) = (self.engine, self.precision);
        check_memory(&scene, engine, precision).map_err(of_library)?;
        let d_picture = pixels(d_picture, "derivatives of the picture", self.view.size())?;
        let pulled = move |stop: &Stop| Ok(pull_back(&scene, engine, precision, &d_picture, stop)?);
        derivatives(py, run(py, pulled)?)
    }
}

impl Relaxed {
    fn scene(&self, numbers: &Numbers<'_>) -> PyResult<Scene> {
        let shapes = shapes(numbers)?;
        let count = Some(shapes.len());
        let colours = rows::<3>(&numbers.colours, "colours", count)?;
        let background = column(&numbers.background, "background", Some(3))?;
        check_colours(&colours, &background)?;
        let background = [background[0], background[1], background[2]];
        let tools = self.tools(numbers.tool_numbers.as_ref())?;
        let (operator, relaxation) = (self.operator, self.relaxation);
        let scene = Scene::new(shapes, colours, background, operator, relaxation, self.view);
        let scene = scene.and_then(|scene| scene.with_tools(tools)).map_err(of_library)?;
        Ok(if numbers.bends.is_some() { scene.with_bends(true) } else { scene })
    }

    /// The tools, with other numbers if there are any.
    fn tools(&self, numbers: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Pass>> {
        let Some(numbers) = numbers else { return Ok(self.tools.clone()) };
        let count = self.tools.iter().map(|pass| pass.tool.numbers().len()).sum();
        let numbers = column(numbers, "tool_numbers", Some(count))?;
        let mut rest = numbers.as_slice();
        let with_own = |pass: &Pass| {
            let (own, others) = rest.split_at(pass.tool.numbers().len());
            rest = others;
            Ok(Pass { tool: pass.tool.with_numbers(own).map_err(request)?, ..*pass })
        };
        self.tools.iter().map(with_own).collect()
    }
}

/// The strokes' shapes, if they are such as a program may have.
fn shapes(numbers: &Numbers<'_>) -> PyResult<Vec<Shape>> {
    let anchors = points(&numbers.anchors, "anchors", None)?;
    let count = Some(anchors.len());
    let offsets = points(&numbers.offsets, "offsets", count)?;
    let half_widths = column(&numbers.half_widths, "half_widths", count)?;
    let bends = match &numbers.bends {
        Some(bends) => column(bends, "bends", count)?,
        None => vec![0.0; anchors.len()],
    };
    let mut shapes = Vec::with_capacity(anchors.len());
    for (i, anchor) in anchors.into_iter().enumerate() {
        let shape = Shape::line(anchor, offsets[i], half_widths[i]).with_bend(bends[i]);
        check_shape(&shape)
            .map_err(|problem| of_library(Error::program(format!("stroke {}", i + 1), problem)))?;
        shapes.push(shape);
    }
    Ok(shapes)
}

/// Refuses what is not finite. (Colours beyond 0 and 1 may come about on the way to better ones.)
fn check_colours(colours: &[Colour], background: &[f64]) -> PyResult<()> {
    if let Some(i) = colours.iter().position(|c| c.iter().any(|v| !v.is_finite())) {
        let place = format!("stroke {}", i + 1);
        return Err(of_library(Error::program(place, "its colour is not finite")));
    }
    if background.iter().any(|v| !v.is_finite()) {
        return Err(of_library(Error::program("background", "is not finite")));
    }
    Ok(())
}

/// Refuses to keep more states than a machine holds.
fn check_memory(scene: &Scene, engine: Engine, precision: Precision) -> tbr::Result<()> {
    let needed = engine.state_bytes(scene, precision);
    if needed <= MOST_STATE_BYTES {
        return Ok(());
    }
    let what = format!("the engine would keep {:.0} GB of states", needed / 1e9);
    Err(Error::limit(what, format!("{:.0} GB; tiled keeps none", MOST_STATE_BYTES / 1e9)))
}

/// A gradient as arrays.
fn derivatives(py: Python<'_>, gradient: Gradient) -> PyResult<Derivatives<'_>> {
    let Gradient { shapes, colours, background, tools } = gradient;
    Ok((
        to_points(py, shapes.iter().map(|shape| shape.anchor))?,
        to_points(py, shapes.iter().map(|shape| shape.offset))?,
        to_column(py, shapes.iter().map(|shape| shape.half_width).collect()),
        to_column(py, shapes.iter().map(|shape| shape.bend).collect()),
        to_rows(py, colours)?,
        to_column(py, background.to_vec()),
        to_column(py, tools.concat()),
    ))
}

/// The mean squared error of a program's relaxed picture against a target, and its derivatives.
#[pyfunction]
pub fn gradient<'py>(
    program: &Bound<'py, Program>,
    target: &Bound<'py, PyAny>,
    width: Option<u32>,
    matte: Option<Bound<'py, PyAny>>,
    bends: bool,
    settings: Settings,
) -> PyResult<(f64, Derivatives<'py>)> {
    let (py, program) = (program.py(), program.get().0.clone());
    let target = Given::of(target)?;
    let matte = matte.map(|matte| colour(&matte, "matte")).transpose()?;
    let (engine, precision) = (settings.engine()?, settings.precision()?);
    let outcome = run(py, move |stop| {
        let name = target.name();
        let target = target.load()?;
        check_aspect(target.size(), program.height(), "the program's canvas")
            .map_err(|e| in_file(e, &name))?;
        let view = View::of_canvas(&program, width.unwrap_or(target.size().0))?;
        view.check_pixels()?;
        let target = target.over_at(matte.unwrap_or_else(|| matte_of(&program)), view.size())?;
        let scene = Scene::of(&program, view, settings.relaxation(&view))?;
        let scene = scene.with_bends(bends || program.bends());
        check_memory(&scene, engine, precision)?;
        Ok(gradient_until(&scene, engine, precision, &mean_squared_error(&target), stop)?)
    })?;
    Ok((outcome.loss, derivatives(py, outcome.gradient)?))
}
