//! Programs as Python sees them.

use crate::arrays::{to_column, to_points, to_rows};
use crate::error::{of_library, request};
use crate::given::{Given, OWN};
use crate::tool::Tool;
use crate::work::{Flag, run, run_to_end};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use tbr::Shape;
use tbr::program::{Paint, Stroke};
use tbr_io::files;

/// A program of deposition strokes: an ordered list of strokes and tools that replays as a
/// picture at any size. It never changes: to change one, make another, with `edit` or `replace`.
///
/// >>> program = tbr.Program(
/// ...     anchors=[[0.5, 0.5], [0.3, 0.5]],
/// ...     offsets=[[0, 0], [0.4, 0]],
/// ...     half_widths=[0.2, 0.05],
/// ...     colours=[[0.8, 0.2, 0.1], [1, 1, 1]],
/// ...     background="#1d3f73",
/// ... )
/// >>> program
/// <tbr.Program: 2 strokes, canvas 1 x 1, capsule>
/// >>> tbr.render(program, width=64)[32, 32]
/// array([255, 255, 255], dtype=uint8)
#[pyclass(frozen, module = "tbr")]
pub struct Program(pub Arc<tbr::Program>);

impl From<tbr::Program> for Program {
    fn from(program: tbr::Program) -> Self {
        Self(Arc::new(program))
    }
}

#[pymethods]
impl Program {
    #[new]
    #[pyo3(signature = (anchors, offsets = None, half_widths = None, colours = None, *, bends = None,
        paints = None, palette = None, background = None, height = 1.0, operator = "capsule",
        tools = None, tools_after = None, provenance = None))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords; they are named there")]
    fn new<'py>(
        py: Python<'py>,
        anchors: Bound<'py, PyAny>,
        offsets: Option<Bound<'py, PyAny>>,
        half_widths: Option<Bound<'py, PyAny>>,
        colours: Option<Bound<'py, PyAny>>,
        bends: Option<Bound<'py, PyAny>>,
        paints: Option<Bound<'py, PyAny>>,
        palette: Option<Bound<'py, PyAny>>,
        background: Option<Bound<'py, PyAny>>,
        height: f64,
        operator: &str,
        tools: Option<Bound<'py, PyAny>>,
        tools_after: Option<Vec<usize>>,
        provenance: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Self> {
        let json = |fields: Bound<'py, PyDict>| {
            py.import("json")?.call_method1("dumps", (fields,))?.extract::<String>()
        };
        let given = Given {
            anchors,
            offsets,
            half_widths: half_widths.ok_or_else(|| request("strokes need half_widths"))?,
            colours,
            bends,
            paints,
            palette,
            background,
            height,
            operator: operator.to_owned(),
            tools,
            tools_after,
            provenance: provenance.map(json).transpose()?,
        };
        given.program().map(Self::from)
    }

    /// Where the strokes begin, (n, 2), in canvas units: the canvas is 1 wide.
    #[getter]
    fn anchors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_points(py, self.shapes().map(|shape| shape.anchor))
    }

    /// From where they begin to where they end, (n, 2); zero for drops.
    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_points(py, self.shapes().map(|shape| shape.offset))
    }

    /// Their half-widths, (n,).
    #[getter]
    fn half_widths<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        to_column(py, self.shapes().map(|shape| shape.half_width).collect())
    }

    /// How much they bend, (n,): 0 is straight.
    #[getter]
    fn bends<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        to_column(py, self.shapes().map(|shape| shape.bend).collect())
    }

    /// Their colours, (n, 3), sRGB from 0 to 1, wherever they come from.
    #[getter]
    fn colours<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let strokes = self.0.strokes().iter();
        to_rows(py, strokes.map(|stroke| self.0.colour(stroke.paint)).collect())
    }

    /// Their entries in the palette, (n,); -1 for a colour of its own.
    #[getter]
    fn paints<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let entry = |stroke: &Stroke| match stroke.paint {
            Paint::Palette(entry) => entry as i64,
            Paint::Own(_) => OWN,
        };
        to_column(py, self.0.strokes().iter().map(entry).collect())
    }

    /// Colours that strokes refer to, (k, 3).
    #[getter]
    fn palette<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_rows(py, self.0.palette().to_vec())
    }

    /// The colour of the bare canvas, (3,).
    #[getter]
    fn background<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        to_column(py, self.0.background().to_vec())
    }

    /// Height of the canvas; its width is 1.
    #[getter]
    fn height(&self) -> f64 {
        self.0.height()
    }

    /// How strokes move paint: "capsule", say.
    #[getter]
    fn operator(&self) -> &'static str {
        self.0.operator().name()
    }

    /// The tools, in their order.
    #[getter]
    fn tools(&self) -> Vec<Tool> {
        self.0.tools().iter().map(|pass| Tool(pass.tool)).collect()
    }

    /// How many strokes there are before each tool.
    #[getter]
    fn tools_after(&self) -> Vec<usize> {
        self.0.tools().iter().map(|pass| pass.after).collect()
    }

    /// How the program was made: settings, seed, scores.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.0.provenance().to_string(),))
    }

    /// Area of all deposits together, in canvases.
    #[getter]
    fn deposited_area(&self) -> f64 {
        self.0.deposited_area()
    }

    /// The strokes, as a structured array with the fields anchor, offset, half_width, bend,
    /// colour and paint.
    #[getter]
    fn strokes<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        helper(slf, "strokes", None)
    }

    /// The steps in their order: a row of `strokes`, or a `Tool`.
    #[getter]
    fn steps<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        helper(slf, "steps", None)
    }

    /// The program with some of its parts replaced: any keyword of `Program`.
    ///
    /// >>> garden = tbr.sample("battal")
    /// >>> wider = garden.replace(half_widths=garden.half_widths * 1.1)
    #[pyo3(signature = (**parts))]
    fn replace<'py>(
        slf: &Bound<'py, Self>,
        parts: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        helper(slf, "replace", parts.as_ref())
    }

    /// The program of the first steps only.
    ///
    /// >>> tbr.sample("battal").first(9)
    /// <tbr.Program: 9 strokes, canvas 1 x 1, capsule>
    fn first(&self, steps: usize) -> PyResult<Self> {
        self.0.first(steps).map(Self::from).map_err(of_library)
    }

    /// The text of the program's file.
    ///
    /// >>> sheet = tbr.sample("battal")
    /// >>> tbr.loads(sheet.dumps()) == sheet
    /// True
    fn dumps(&self) -> String {
        tbr::format::write(&self.0)
    }

    /// Writes the program's file, *.tbr.json: whole or not at all. One that is there is replaced
    /// only with `force`.
    ///
    /// >>> tbr.sample("battal").save("battal.tbr.json")
    #[pyo3(signature = (path, *, force = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, force: bool) -> PyResult<()> {
        run_to_end(py, &Flag::default(), |_| {
            files::check_program_name(&path)?;
            files::write_program(&self.0, &path, force)
        })
    }

    /// How many steps there are.
    fn __len__(&self) -> usize {
        self.0.step_count()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.get().0 == self.0)
    }

    /// (0 and -0 are equal, and so are their sums with 0, bit for bit.)
    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let mut add = |number: f64| (number + 0.0).to_bits().hash(&mut hasher);
        for shape in self.shapes() {
            let Shape { anchor, offset, half_width, bend } = shape;
            for number in [anchor.x, anchor.y, offset.x, offset.y, half_width, bend] {
                add(number);
            }
        }
        add(self.0.height());
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        let (steps, what) = (self.0.step_count(), self.0.step_word());
        let what = if steps == 1 { what.trim_end_matches('s') } else { what };
        let (height, operator) = (self.0.height(), self.0.operator());
        format!("<tbr.Program: {steps} {what}, canvas 1 x {height}, {operator}>")
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let loads = py.import("tbr._tbr")?.getattr("loads")?;
        Ok((loads, (PyBytes::new(py, self.dumps().as_bytes()),)))
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn _repr_png_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        helper(slf, "png", None)
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        helper(slf, "html", None)
    }
}

impl Program {
    fn shapes(&self) -> impl Iterator<Item = Shape> {
        self.0.strokes().iter().map(|stroke| stroke.shape)
    }
}

/// What is written in Python: a function of `tbr._show`, of the program and keywords.
fn helper<'py>(
    program: &Bound<'py, Program>,
    name: &str,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    program.py().import("tbr._show")?.getattr(name)?.call((program,), keywords)
}

/// A program from its file, *.tbr.json.
///
/// >>> tbr.sample("battal").save("sheet.tbr.json")
/// >>> tbr.load("sheet.tbr.json") == tbr.sample("battal")
/// True
#[pyfunction]
pub fn load(py: Python<'_>, path: PathBuf) -> PyResult<Program> {
    run(py, move |_| files::read_program(&path)).map(Program::from)
}

/// A program from the text of its file.
///
/// >>> sheet = tbr.sample("battal")
/// >>> tbr.loads(sheet.dumps()) == sheet
/// True
#[pyfunction]
pub fn loads(py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<Program> {
    let bytes: Vec<u8> = match text.cast::<PyString>() {
        Ok(text) => text.to_str()?.as_bytes().to_vec(),
        Err(_) => text.extract().map_err(|_| request("a program's text is str or bytes"))?,
    };
    run(py, move |_| Ok(tbr::format::parse(&bytes)?)).map(Program::from)
}
