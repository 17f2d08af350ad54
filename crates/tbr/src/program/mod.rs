//! The program: ordered strokes, palette, background and operator. Plain data
//! in canvas units that every other part makes or consumes.

pub mod colour;
pub mod format;
mod format_step;
pub mod oklab;
mod palette;
mod provenance;

pub use crate::numbers::MAX_COORDINATE;
pub use colour::Colour;
pub use palette::nearest;
pub use provenance::{MAX_PROVENANCE_BYTES, MAX_PROVENANCE_DEPTH, Provenance};

use crate::error::{Error, Result};
use crate::stroke::{MAX_BEND, Operator, Shape};
use crate::tool::{Pass, Tool};

/// The most strokes a program may have.
pub const MAX_STROKES: usize = 1_000_000;
/// The most moves that the tools of a program may be carried out by.
pub const MAX_MOVES: usize = 100_000;
/// The most colours a palette may have.
pub const MAX_PALETTE: usize = 65_536;
/// The thinnest stroke: a thousandth of the finest pixel, yet its square is far
/// from underflow in float32.
pub const MIN_HALF_WIDTH: f64 = 1e-9;
/// The flattest and the tallest canvas, as height over width.
pub const CANVAS_HEIGHTS: [f64; 2] = [1e-3, 1e3];

/// The colour of a stroke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paint {
    /// An entry of the palette, counted from 0.
    Palette(usize),
    /// A colour of its own.
    Own(Colour),
}

/// One stroke: where it goes and what it is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Anchor, offset and half-width.
    pub shape: Shape,
    /// Its colour.
    pub paint: Paint,
}

impl Stroke {
    /// The same with a share of its area; none if that is nothing.
    pub(crate) fn with_share(&self, share: f64) -> Option<Self> {
        if share >= 1.0 {
            return Some(*self);
        }
        let shape = self.shape.with_area(self.shape.area() * share);
        (shape.half_width >= MIN_HALF_WIDTH).then_some(Self { shape, ..*self })
    }
}

/// One step of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Paint is laid.
    Stroke(Stroke),
    /// Paint is moved.
    Tool(Tool),
}

impl From<Stroke> for Step {
    fn from(stroke: Stroke) -> Self {
        Self::Stroke(stroke)
    }
}

impl From<Tool> for Step {
    fn from(tool: Tool) -> Self {
        Self::Tool(tool)
    }
}

/// A step by its index among the strokes, or among the tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepIndex {
    /// A stroke.
    Stroke(usize),
    /// A tool.
    Tool(usize),
}

/// The steps in their order, of so many strokes and tools between them.
pub fn step_order(strokes: usize, tools: &[Pass]) -> impl Iterator<Item = StepIndex> {
    let mut next_tool = 0;
    let mut next_stroke = 0;
    std::iter::from_fn(move || {
        if tools.get(next_tool).is_some_and(|pass| pass.after <= next_stroke) {
            next_tool += 1;
            return Some(StepIndex::Tool(next_tool - 1));
        }
        next_stroke += 1;
        (next_stroke <= strokes).then_some(StepIndex::Stroke(next_stroke - 1))
    })
}

/// What a program is made of, not yet checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    /// Height of the canvas; its width is 1.
    pub height: f64,
    /// Colour of the bare canvas.
    pub background: Colour,
    /// How strokes move paint.
    pub operator: Operator,
    /// Colours that strokes refer to.
    pub palette: Vec<Colour>,
    /// Strokes in the order in which they are laid.
    pub strokes: Vec<Stroke>,
    /// Tools between them, in the order in which they are drawn.
    pub tools: Vec<Pass>,
    /// How the program was made: settings, seed, scores. Kept, not interpreted.
    pub provenance: Provenance,
}

impl Default for Parts {
    /// An empty white square.
    fn default() -> Self {
        Self {
            height: 1.0,
            background: [1.0; 3],
            operator: Operator::Capsule,
            palette: Vec::new(),
            strokes: Vec::new(),
            tools: Vec::new(),
            provenance: Provenance::default(),
        }
    }
}

impl Parts {
    /// The steps: strokes and tools in one list, to be changed.
    pub fn steps(&self) -> Vec<Step> {
        let step = |index| match index {
            StepIndex::Stroke(i) => Step::Stroke(self.strokes[i]),
            StepIndex::Tool(k) => Step::Tool(self.tools[k].tool),
        };
        step_order(self.strokes.len(), &self.tools).map(step).collect()
    }

    /// What messages call a step: by its number, counted from 1 among all.
    pub(crate) fn place(&self, step: StepIndex) -> String {
        match step {
            StepIndex::Stroke(i) if self.tools.is_empty() => format!("stroke {}", i + 1),
            StepIndex::Stroke(i) => {
                let tools = self.tools.iter().take_while(|pass| pass.after <= i).count();
                format!("step {}", i + 1 + tools)
            }
            StepIndex::Tool(k) => format!("step {}", self.tools[k].after + k + 1),
        }
    }

    /// Other steps in place of all strokes and tools.
    pub fn set_steps(&mut self, steps: impl IntoIterator<Item = Step>) {
        self.strokes.clear();
        self.tools.clear();
        for step in steps {
            match step {
                Step::Stroke(stroke) => self.strokes.push(stroke),
                Step::Tool(tool) => self.tools.push(Pass { after: self.strokes.len(), tool }),
            }
        }
    }
}

/// A valid program. To change it, take its [`Parts`] out, and make a new one.
#[derive(Clone, Debug, PartialEq)]
pub struct Program(Parts);

impl Program {
    /// Checks all parts. There is no other way to make a program.
    pub fn new(mut parts: Parts) -> Result<Self> {
        let [low, high] = CANVAS_HEIGHTS;
        if !(low..=high).contains(&parts.height) {
            let problem = format!("is {}; must be from {low} to {high}", parts.height);
            return Err(Error::program("canvas height", problem));
        }
        check_colour("background", parts.background)?;
        if parts.palette.len() > MAX_PALETTE {
            let what = format!("the palette has {} colours", parts.palette.len());
            return Err(Error::limit(what, MAX_PALETTE.to_string()));
        }
        for (i, colour) in parts.palette.iter().enumerate() {
            check_colour(&format!("palette colour {i}"), *colour)?;
        }
        if parts.strokes.len() > MAX_STROKES {
            let what = format!("the program has {} strokes", parts.strokes.len());
            return Err(Error::limit(what, MAX_STROKES.to_string()));
        }
        for (i, stroke) in parts.strokes.iter().enumerate() {
            check_stroke(stroke, parts.palette.len())
                .map_err(|problem| Error::program(parts.place(StepIndex::Stroke(i)), problem))?;
        }
        check_tools(&parts)?;
        // No bend is no bend: minus zero would make another file of the same picture.
        parts.strokes.iter_mut().for_each(|stroke| stroke.shape.bend += 0.0);
        Ok(Self(parts))
    }

    /// The parts, to be changed.
    pub fn into_parts(self) -> Parts {
        self.0
    }

    /// Height of the canvas; its width is 1.
    pub fn height(&self) -> f64 {
        self.0.height
    }

    /// Colour of the bare canvas.
    pub fn background(&self) -> Colour {
        self.0.background
    }

    /// How strokes move paint.
    pub fn operator(&self) -> Operator {
        self.0.operator
    }

    /// Colours that strokes refer to.
    pub fn palette(&self) -> &[Colour] {
        &self.0.palette
    }

    /// Strokes in the order in which they are laid.
    pub fn strokes(&self) -> &[Stroke] {
        &self.0.strokes
    }

    /// Tools between the strokes, in the order in which they are drawn.
    pub fn tools(&self) -> &[Pass] {
        &self.0.tools
    }

    /// How many steps there are: strokes and tools.
    pub fn step_count(&self) -> usize {
        self.0.strokes.len() + self.0.tools.len()
    }

    /// The steps in their order.
    pub fn steps(&self) -> Vec<Step> {
        self.0.steps()
    }

    /// The number, counted from 1 among all steps, of the stroke with some index.
    pub fn step_number(&self, stroke: usize) -> usize {
        stroke + 1 + self.0.tools.partition_point(|pass| pass.after <= stroke)
    }

    /// How many strokes, and which tools, there are among so many steps from the first; all if
    /// none is said.
    pub fn first_steps(&self, first: Option<usize>) -> Result<(usize, &[Pass])> {
        let count = self.step_count();
        let first = first.unwrap_or(count);
        if first > count {
            let what = self.step_word();
            return Err(Error::Request(format!("the program has {count} {what}, not {first}")));
        }
        let order = step_order(self.0.strokes.len(), &self.0.tools);
        let tools = order.take(first).filter(|step| matches!(step, StepIndex::Tool(_))).count();
        Ok((first - tools, &self.0.tools[..tools]))
    }

    /// The program of the first steps only, and without what it says of its making.
    pub fn first(&self, steps: usize) -> Result<Self> {
        let (strokes, tools) = self.first_steps(Some(steps))?;
        let mut parts = self.with_strokes(self.0.strokes[..strokes].to_vec())?.into_parts();
        parts.tools = tools.to_vec();
        Self::new(parts)
    }

    /// What its steps are called: strokes, if they all are.
    pub fn step_word(&self) -> &'static str {
        if self.0.tools.is_empty() { "strokes" } else { "steps" }
    }

    /// How the program was made.
    pub fn provenance(&self) -> &Provenance {
        &self.0.provenance
    }

    /// The colour that a paint of this program has.
    ///
    /// # Panics
    ///
    /// If it is an entry that the palette does not have: that of another program.
    pub fn colour(&self, paint: Paint) -> Colour {
        match paint {
            Paint::Palette(index) => self.0.palette[index],
            Paint::Own(colour) => colour,
        }
    }

    /// The program with other strokes, without tools, and without what it says of its making.
    pub fn with_strokes(&self, strokes: Vec<Stroke>) -> Result<Self> {
        Self::new(Parts {
            height: self.0.height,
            background: self.0.background,
            operator: self.0.operator,
            palette: self.0.palette.clone(),
            strokes,
            ..Parts::default()
        })
    }

    /// Does any stroke bend?
    pub fn bends(&self) -> bool {
        self.0.strokes.iter().any(|s| s.shape.bend != 0.0)
    }

    /// Area of all deposits together, in canvases.
    pub fn deposited_area(&self) -> f64 {
        self.0.strokes.iter().map(|s| s.shape.area()).fold(0.0, |a, b| a + b) / self.0.height
    }
}

fn check_colour(place: &str, colour: Colour) -> Result<()> {
    match colour.iter().find(|v| !(0.0..=1.0).contains(*v)) {
        Some(v) => Err(Error::program(place, format!("has the value {v}; must be from 0 to 1"))),
        None => Ok(()),
    }
}

fn check_tools(parts: &Parts) -> Result<()> {
    let mut before = 0;
    for (k, pass) in parts.tools.iter().enumerate() {
        if !(before..=parts.strokes.len()).contains(&pass.after) {
            let problem = format!("comes after {} strokes, out of order", pass.after);
            return Err(Error::program(format!("tool {} of the list", k + 1), problem));
        }
        before = pass.after;
    }
    let moves: usize = parts.tools.iter().map(|pass| pass.tool.move_count()).sum();
    if moves <= MAX_MOVES {
        return Ok(());
    }
    Err(Error::limit(format!("the program's tools make {moves} moves"), MAX_MOVES.to_string()))
}

/// Checks the numbers of a stroke's shape; says what is wrong with one that no program may have.
pub fn check_shape(shape: &Shape) -> std::result::Result<(), String> {
    let Shape { anchor, offset, half_width, bend } = *shape;
    for (name, value) in
        [("anchor", anchor.x), ("anchor", anchor.y), ("offset", offset.x), ("offset", offset.y)]
    {
        if !(-MAX_COORDINATE..=MAX_COORDINATE).contains(&value) {
            return Err(format!(
                "{name} has the value {value}; must be within {MAX_COORDINATE} of 0"
            ));
        }
    }
    if !(MIN_HALF_WIDTH..=MAX_COORDINATE).contains(&half_width) {
        return Err(format!(
            "half_width is {half_width}; must be from {MIN_HALF_WIDTH:e} to {MAX_COORDINATE}"
        ));
    }
    if !(-MAX_BEND..=MAX_BEND).contains(&bend) {
        return Err(format!("bend is {bend}; must be from -{MAX_BEND} to {MAX_BEND}"));
    }
    Ok(())
}

fn check_stroke(stroke: &Stroke, palette: usize) -> std::result::Result<(), String> {
    check_shape(&stroke.shape)?;
    match stroke.paint {
        Paint::Palette(index) if index >= palette => Err(format!(
            "colour is palette index {index}, but the palette has {palette} colours (counted from 0)"
        )),
        Paint::Palette(_) => Ok(()),
        Paint::Own(colour) => check_colour("", colour)
            .map_err(|_| format!("colour is {colour:?}; each value must be from 0 to 1")),
    }
}
