//! Our solver: a peeled program whose strokes move all at once, by gradient steps through the
//! whole chain.

use super::adam::{Adam, Decays};
use super::colouring::Colouring;
use super::draft::Draft;
use super::options::{Options, Solver};
use super::rebirth::{Terms, rebirth};
use super::solver::StepContext;
use super::{Target, is_false, not_begun, peel, tools};
use crate::adjoint::{Engine, Gradient, Outcome, Precision, Scene, gradient_until};
use crate::cells::PixelOrder;
use crate::error::{Error, Result};
use crate::image::View;
use crate::numbers::{Vec2, vec2};
use crate::program::{Colour, MAX_COORDINATE, MIN_HALF_WIDTH};
use crate::stroke::Shape;
use crate::tool::{Pass, Tool, last_moves};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Step sizes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// Of middle and offset, in half-widths. More moves faster, and shakes the rest.
    pub place: f64,
    /// Of the half-width, as a share of it.
    pub width: f64,
    /// Of the bend. Half as much does nearly as well, twice as much a little worse.
    pub bend: f64,
    /// Of colours.
    pub colour: f64,
}

impl Rates {
    /// Refuses what is negative or not finite.
    pub(super) fn check(&self) -> Result<()> {
        let all = [self.place, self.width, self.bend, self.colour];
        if all.iter().all(|v| *v >= 0.0 && v.is_finite()) {
            return Ok(());
        }
        Err(Error::Request("step sizes are finite, and none is negative".into()))
    }

    /// A share of them.
    pub fn scaled(self, share: f64) -> Self {
        let Self { place, width, bend, colour } = self;
        Self {
            place: place * share,
            width: width * share,
            bend: bend * share,
            colour: colour * share,
        }
    }
}

impl Default for Rates {
    fn default() -> Self {
        Self { place: 0.14, width: 0.025, bend: 0.1, colour: 0.01 }
    }
}

/// What Adam remembers. The usual 0.9 and 0.999 remember longer: a fit has a few hundred steps, its
/// gradients change as the paint sharpens, and strokes are born among the others.
const DECAYS: Decays = Decays { beta1: 0.8, beta2: 0.99 };

/// Gradient steps that take as long as peeling, roughly: 18 with 2000 strokes and the default
/// options. It is for bars that tell how far a fit is.
pub(super) const PEELING_STEPS: f64 = 20.0;

/// The most that a fit bends a stroke, either way: one in fifty would bend more. Beyond it a
/// deposit is thin where it is steep, and no longer looks like a mark of a brush.
const MOST_BEND: f64 = 1.5;

/// How far a step takes tools, as a share of how far it takes strokes: they move all paint at
/// once. With steps as large as the strokes', four combs ran away from where they had been right.
const TOOL_SHARE: f64 = 0.1;

/// What a step does to one stroke, in units of the step sizes; or a gradient in those units.
struct StrokeStep {
    mid: Vec2<f64>,
    offset: Vec2<f64>,
    width: f64,
    bend: f64,
    colour: Colour,
}

impl StrokeStep {
    /// Numbers per stroke.
    const NUMBERS: usize = 9;

    fn to_array(&self) -> [f64; Self::NUMBERS] {
        let Self { mid, offset, width, bend, colour: [r, g, b] } = *self;
        [mid.x, mid.y, offset.x, offset.y, width, bend, r, g, b]
    }

    fn from_array([x, y, dx, dy, width, bend, r, g, b]: [f64; Self::NUMBERS]) -> Self {
        Self { mid: vec2(x, y), offset: vec2(dx, dy), width, bend, colour: [r, g, b] }
    }
}

/// Our solver: a program that is peeled, then moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct JointSolver {
    peel: peel::PeelOptions,
    rates: Rates,
    /// Did it begin with a program, whose strokes keep their places in it?
    #[serde(default, skip_serializing_if = "is_false")]
    is_given: bool,
    /// None before it has begun.
    state: Option<JointState>,
    /// A picture that is being peeled, until all strokes are there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    peeling: Option<PeelingWork>,
}

/// A picture that is being peeled, and the colours that strokes may have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PeelingWork {
    palette: Vec<Colour>,
    fixed: bool,
    peeling: peel::Peeling,
}

/// The strokes, and what Adam remembers of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct JointState {
    draft: Draft,
    adam: Adam,
    /// The tools as they were when the stage began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tools_then: Vec<Pass>,
}

impl JointState {
    fn new(draft: Draft) -> Self {
        let tools_then = draft.tools.clone();
        Self { adam: Adam::new(numbers(&draft), DECAYS), draft, tools_then }
    }
}

/// How many numbers of a draft are moved.
fn numbers(draft: &Draft) -> usize {
    StrokeStep::NUMBERS * draft.shapes.len() + tools::numbers(&draft.tools)
}

impl JointSolver {
    /// A solver before its first step.
    pub fn new(peel: peel::PeelOptions, rates: Rates) -> Self {
        Self { peel, rates, is_given: false, state: None, peeling: None }
    }

    /// Is it the state of a fit with these options, whole?
    pub fn suits(&self, target: &Target, options: &Options) -> bool {
        let whole = |state: &JointState| {
            let then = Draft { tools: state.tools_then.clone(), ..state.draft.clone() };
            state.draft.is_whole(target, options)
                && then.is_whole(target, options)
                && state.adam.is_for(numbers(&state.draft), DECAYS)
        };
        options.solver == Solver::Peel(self.peel.clone(), self.rates)
            && self.state.as_ref().is_none_or(whole)
            && self.peeling.as_ref().is_none_or(|work| work.peeling.is_whole(options.strokes))
    }

    /// Peels some of the picture, or takes the program that is given. Is there a program now? The
    /// palette is chosen on the target, strokes on the one with what an error counts, `cared`.
    pub fn start(
        &mut self,
        target: &Target,
        cared: &Target,
        options: &Options,
        given: Option<Draft>,
    ) -> Result<bool> {
        self.is_given = given.is_some();
        let draft = match given {
            Some(draft) => Some(draft),
            None => self.peel_on(target, cared, options)?,
        };
        self.state = draft.map(JointState::new);
        Ok(self.state.is_some())
    }

    /// Peels some more; gives the program when all strokes are there.
    fn peel_on(
        &mut self,
        target: &Target,
        cared: &Target,
        options: &Options,
    ) -> Result<Option<Draft>> {
        let work = match self.peeling.take() {
            Some(work) => work,
            None => self.begin_peeling(target, options)?,
        };
        let PeelingWork { palette, fixed, peeling } = work;
        match peeling.step(cared, &job(options, &palette), &self.peel)? {
            peel::PeelStep::More(peeling) => {
                self.peeling = Some(PeelingWork { palette, fixed, peeling });
                Ok(None)
            }
            peel::PeelStep::Done(peeled) => Ok(Some(draft(peeled, options, palette, fixed))),
        }
    }

    fn begin_peeling(&self, target: &Target, options: &Options) -> Result<PeelingWork> {
        let (palette, fixed) = options.palette.colours(options.palette_by, target, options.seed);
        let peeling = peel::Peeling::new(&job(options, &palette), &self.peel)?;
        Ok(PeelingWork { palette, fixed, peeling })
    }

    /// How many strokes are peeled, while they are.
    pub fn strokes_peeled(&self) -> Option<usize> {
        self.peeling.as_ref().map(|work| work.peeling.strokes())
    }

    /// The strokes that there are, while they are peeled and after.
    pub fn so_far(&self, target: &Target, options: &Options) -> Option<Draft> {
        match &self.peeling {
            Some(PeelingWork { palette, fixed, peeling }) => {
                Some(draft(peeling.so_far(target), options, palette.clone(), *fixed))
            }
            None => self.draft().cloned(),
        }
    }

    /// What peeling costs, in pixels along the side of gradient steps: as much as some steps on a
    /// picture of as many points.
    pub fn peeling_cost(&self) -> f64 {
        PEELING_STEPS * f64::from(self.peel.points)
    }

    /// Begins a stage: what Adam remembers is of other pixels.
    pub fn enter_stage(&mut self) {
        if let Some(state) = self.state.take() {
            self.state = Some(JointState::new(state.draft));
        }
    }

    /// An order of the pixels for the tools as they were when the stage began, if they come last.
    /// (In a stage they move little, and each step would take a tenth longer for an order of its
    /// own.)
    pub fn order(&self, view: &View) -> Option<Arc<PixelOrder>> {
        let state = self.state.as_ref()?;
        let moves = last_moves(&state.tools_then, state.draft.shapes.len());
        (!moves.is_empty()).then(|| Arc::new(PixelOrder::new(view, &moves)))
    }

    /// One step down the target's loss, for every stroke; gives what it was before.
    pub fn step(&mut self, context: &StepContext) -> Result<f64> {
        let JointState { draft, adam, .. } = self.state.as_mut().ok_or_else(not_begun)?;
        let (target, options) = (context.target, context.options);
        let colouring = &mut draft.colouring;
        let scene = Scene::new(
            draft.shapes.clone(),
            colouring.colours.clone(),
            target.backdrop(colouring.background),
            options.operator,
            context.relaxation,
            target.view(),
        )?
        .with_bends(options.bends && !options.drops)
        .with_tools(draft.tools.clone())?
        .with_order(context.order.clone());
        let Outcome { loss, gradient, .. } = gradient_until(
            &scene,
            Engine::Coarse,
            Precision::Single,
            &target.loss(),
            context.stop,
        )?;
        let rates = self.rates.scaled(context.rate);
        let mut d_numbers = pull_back(scene.shapes(), &gradient);
        d_numbers.extend(tools::pull_back(&draft.tools, &gradient.tools));
        let change = adam.step(&d_numbers);
        let (change, of_tools) = change.split_at(StrokeStep::NUMBERS * draft.shapes.len());
        if !options.hold_tools {
            tools::move_on(&mut draft.tools, of_tools, TOOL_SHARE * rates.place);
        }
        let changes = change.as_chunks().0.iter().map(|numbers| StrokeStep::from_array(*numbers));
        for (i, change) in changes.enumerate() {
            draft.shapes[i] = moved(&scene.shapes()[i], &change, &rates, options.drops);
            if colouring.is_free() {
                colouring.colours[i] = tinted(colouring.colours[i], change.colour, &rates);
            }
        }
        Ok(loss)
    }

    /// The program as it is.
    pub fn draft(&self) -> Option<&Draft> {
        self.state.as_ref().map(|state| &state.draft)
    }

    /// Gives every stroke the best colour for the pixels that it owns; the palette moves by their
    /// salience, if that is given.
    pub fn recolour(
        &mut self,
        draft: &mut Draft,
        target: &Target,
        owners: &[u32],
        salience: Option<&[f32]>,
    ) {
        draft.colouring.renew(target, owners, salience);
        if let Some(bare) = target.bare() {
            draft.colouring.background = bare.colour;
        }
        if let Some(state) = &mut self.state {
            state.draft.colouring = draft.colouring.clone();
        }
    }

    /// Lays strokes that would hardly be missed anew, on terms, where the picture is most
    /// wrong. Strokes that were given stay, unless they have names.
    pub fn rebirth(
        &mut self,
        target: &Target,
        options: &Options,
        owners: &[u32],
        terms: Terms,
    ) -> Result<()> {
        let Some(JointState { draft, adam, .. }) = &mut self.state else { return Ok(()) };
        if self.is_given && draft.names.is_none() {
            return Ok(());
        }
        let palette = draft.colouring.palette.clone();
        // The picture is peeled as it is before the tools as they are now.
        let tools: Vec<Tool> = draft.tools.iter().map(|pass| pass.tool).collect();
        let job = peel::PeelJob { tools: &tools, ..job(options, &palette) };
        let strokes = rebirth(draft, target, owners, (&job, &self.peel), terms)?;
        if let Some(names) = &mut draft.names {
            names.rearrange(&strokes);
        }
        let of_tools = (StrokeStep::NUMBERS * strokes.len()..numbers(draft)).map(Some);
        let of_stroke = |stroke: &Option<usize>| {
            let first = stroke.map(|k| k * StrokeStep::NUMBERS);
            (0..StrokeStep::NUMBERS).map(move |k| first.map(|first| first + k))
        };
        adam.rearrange(strokes.iter().flat_map(of_stroke).chain(of_tools));
        Ok(())
    }
}

/// What peeling is asked for.
fn job<'a>(options: &'a Options, palette: &'a [Colour]) -> peel::PeelJob<'a> {
    peel::PeelJob {
        strokes: options.strokes,
        operator: options.operator,
        drops: options.drops,
        bends: options.bends,
        palette,
        tools: &options.tools,
        seed: options.seed,
    }
}

/// Peeled strokes as a program on its way.
fn draft(peeled: peel::Peeled, options: &Options, palette: Vec<Colour>, fixed: bool) -> Draft {
    let peel::Peeled { shapes, colours, background } = peeled;
    let after = shapes.len();
    let tools = options.tools.iter().map(|tool| Pass { after, tool: *tool }).collect();
    let colouring = Colouring::new(palette, fixed, colours, background);
    Draft { shapes, tools, colouring, names: None }
}

/// A shape after a step.
fn moved(shape: &Shape, change: &StrokeStep, rates: &Rates, drops: bool) -> Shape {
    let step = rates.place * shape.half_width;
    let mid = shape.anchor + shape.offset * 0.5 + change.mid * step;
    let turn = if drops { 0.0 } else { step };
    let offset = shape.offset + change.offset * turn;
    let half_width = shape.half_width * libm::exp(rates.width * change.width);
    let bend = shape.bend + rates.bend * change.bend;
    Shape {
        anchor: within(mid - offset * 0.5),
        offset: within(offset),
        half_width: half_width.clamp(MIN_HALF_WIDTH, MAX_COORDINATE),
        bend: bend.clamp(-MOST_BEND, MOST_BEND),
    }
}

/// The nearest that a program may hold.
fn within(v: Vec2<f64>) -> Vec2<f64> {
    let clamp = |v: f64| v.clamp(-MAX_COORDINATE, MAX_COORDINATE);
    vec2(clamp(v.x), clamp(v.y))
}

/// The gradient with respect to middle and offset in half-widths, the logarithm
/// of the half-width, bend and colour.
fn pull_back(shapes: &[Shape], gradient: &Gradient) -> Vec<f64> {
    let mut all = Vec::with_capacity(StrokeStep::NUMBERS * shapes.len());
    for ((shape, d), colour) in shapes.iter().zip(&gradient.shapes).zip(&gradient.colours) {
        // The anchor is the middle less half the offset.
        let offset = d.offset - d.anchor * 0.5;
        let step = StrokeStep {
            mid: d.anchor * shape.half_width,
            offset: offset * shape.half_width,
            width: d.half_width * shape.half_width,
            bend: d.bend,
            colour: *colour,
        };
        all.extend(step.to_array());
    }
    all
}

fn tinted(colour: Colour, change: Colour, rates: &Rates) -> Colour {
    std::array::from_fn(|c| (colour[c] + rates.colour * change[c]).clamp(0.0, 1.0))
}
