//! The input of the gradient engines, a [`Scene`], and their output, an [`Outcome`].

use super::chain::SoftStroke;
use super::step::{SoftStep, StepGrad};
use crate::cells::PixelOrder;
use crate::image::{Image, View};
use crate::numbers::lanes::{LANES, Lanes, Scalar};
use crate::numbers::{Vec2, map3, vec2};
use crate::program::{Colour, Program, StepIndex, step_order};
use crate::stroke::Operator;
use crate::stroke::{Frame, Shape, ShapeGrad, Softness};
use crate::tool::{MoveGrad, Pass, last_moves};
use crate::{Error, Result};
use std::ops::Range;
use std::sync::Arc;

/// How soft coverage is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relaxation {
    /// Rim width as a share of the half-width.
    pub tau: f64,
    /// Least rim width, canvas units.
    pub tau_min: f64,
}

impl Relaxation {
    /// The least rim width that suits most pictures, pixels: with less, a pixel's centre can
    /// miss an edge.
    pub const LEAST_RIM_PX: f64 = 0.7;

    /// Refuses rims that are not numbers, negative, or of no width at all.
    fn check(&self) -> Result<()> {
        let Self { tau, tau_min } = *self;
        if [tau, tau_min].iter().all(|v| v.is_finite() && *v >= 0.0) && tau + tau_min > 0.0 {
            return Ok(());
        }
        let message = format!("a rim of tau {tau} and at least {tau_min} is no rim");
        Err(Error::Request(message + ": both are finite, neither is negative, one is above 0"))
    }
}

/// A program as the engines see it: colours resolved, coverage relaxed, pixels given.
#[derive(Clone, Debug)]
pub struct Scene {
    shapes: Vec<Shape>,
    colours: Vec<Colour>,
    background: Colour,
    operator: Operator,
    relaxation: Relaxation,
    view: View,
    bends: bool,
    tools: Vec<Pass>,
    order: Option<Arc<PixelOrder>>,
}

impl Scene {
    /// Strokes in the order in which they are laid, with their colours, on a bare canvas of
    /// another. An error if there are not as many colours as strokes, if the view has no
    /// pixels, if the operator has no adjoint, or if coverage is not relaxed.
    pub fn new(
        shapes: Vec<Shape>,
        colours: Vec<Colour>,
        background: Colour,
        operator: Operator,
        relaxation: Relaxation,
        view: View,
    ) -> Result<Self> {
        operator.check_closed_form("adjoint")?;
        relaxation.check()?;
        if colours.len() != shapes.len() {
            let (colours, shapes) = (colours.len(), shapes.len());
            return Err(Error::Request(format!("{shapes} strokes have {colours} colours")));
        }
        if view.pixels() == 0 {
            return Err(Error::Request("the view has no pixels".into()));
        }
        let bends = shapes.iter().any(|shape| shape.bend != 0.0);
        Ok(Self {
            shapes,
            colours,
            background,
            operator,
            relaxation,
            view,
            bends,
            tools: Vec::new(),
            order: None,
        })
    }

    /// Are gradients to have derivatives with respect to all bends? Without, those of strokes
    /// that do not bend are left out (and are 0), which is faster; so it is unless some stroke
    /// bends.
    pub fn with_bends(self, bends: bool) -> Self {
        Self { bends, ..self }
    }

    /// The scene with tools between its strokes, in order.
    pub fn with_tools(self, tools: Vec<Pass>) -> Result<Self> {
        let ordered = tools.is_sorted_by_key(|pass| pass.after);
        if ordered && tools.iter().all(|pass| pass.after <= self.shapes.len()) {
            return Ok(Self { tools, ..self });
        }
        Err(Error::Request("tools come in order, after strokes that there are".into()))
    }

    /// The scene with its pixels in an order, made for last tools that are much like its own.
    /// (Without, one is made for each gradient.)
    pub(crate) fn with_order(self, order: Option<Arc<PixelOrder>>) -> Self {
        Self { order, ..self }
    }

    /// The order of its pixels, if tools come last.
    pub(super) fn order(&self) -> Option<Arc<PixelOrder>> {
        let moves = last_moves(&self.tools, self.shapes.len());
        let made = || Arc::new(PixelOrder::new(&self.view, &moves));
        (!moves.is_empty()).then(|| self.order.clone().unwrap_or_else(made))
    }

    /// A program seen through a view.
    pub fn of(program: &Program, view: View, relaxation: Relaxation) -> Result<Self> {
        let shapes = program.strokes().iter().map(|s| s.shape).collect();
        let colours = program.strokes().iter().map(|s| program.colour(s.paint)).collect();
        Self::new(shapes, colours, program.background(), program.operator(), relaxation, view)?
            .with_tools(program.tools().to_vec())
    }

    /// The tools between the strokes.
    pub fn tools(&self) -> &[Pass] {
        &self.tools
    }

    /// The strokes' shapes.
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// The strokes' colours.
    pub fn colours(&self) -> &[Colour] {
        &self.colours
    }

    /// Colour of the bare canvas.
    pub fn background(&self) -> Colour {
        self.background
    }

    /// How strokes move paint.
    pub fn operator(&self) -> Operator {
        self.operator
    }

    /// How soft coverage is.
    pub fn relaxation(&self) -> Relaxation {
        self.relaxation
    }

    /// The pixels.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// How many pixels there are.
    pub fn pixels(&self) -> usize {
        self.view.pixels()
    }

    /// Strokes and the moves of tools, in their order: what the engines walk.
    pub(super) fn soft_steps<S: Scalar>(&self) -> Vec<SoftStep<S>> {
        let Relaxation { tau, tau_min } = self.relaxation;
        let softness = Softness { tau: S::from_f64(tau), tau_min: S::from_f64(tau_min) };
        let stroke = |i: usize| SoftStroke {
            frame: self.frame(&self.shapes[i]).map(S::from_f64),
            softness,
            colour: map3(self.colours[i], S::from_f64),
        };
        let mut steps = Vec::with_capacity(self.shapes.len());
        for step in step_order(self.shapes.len(), &self.tools) {
            match step {
                StepIndex::Stroke(i) => steps.push(SoftStep::Stroke(stroke(i))),
                StepIndex::Tool(k) => {
                    let moves = self.tools[k].tool.all_moves();
                    steps.extend(moves.into_iter().map(SoftStep::Move));
                }
            }
        }
        steps
    }

    /// The frame of a stroke, with a bow if its bend is to be differentiated.
    fn frame(&self, shape: &Shape) -> Frame<f64> {
        let frame = Frame::of(shape);
        if self.bends { frame.bent(shape.bend) } else { frame }
    }

    /// The picture's vectors of pixels, counted row by row, in ranges of `size`.
    pub(super) fn chunks(&self, size: usize) -> impl Iterator<Item = Range<usize>> {
        let vectors = self.pixels().div_ceil(LANES);
        (0..vectors).step_by(size).map(move |first| first..(first + size).min(vectors))
    }

    /// Positions of pixels, counted row by row, a lane each.
    pub(super) fn positions<V: Lanes>(
        &self,
        simd: V::Simd,
        pixel_of: impl Fn(usize) -> usize,
    ) -> Vec2<V> {
        let width = self.view.width_px as usize;
        let centre = |lane: usize| {
            let pixel = pixel_of(lane).min(self.pixels() - 1);
            self.view.centre((pixel % width) as u32, (pixel / width) as u32)
        };
        vec2(V::of_f64(simd, |lane| centre(lane).x), V::of_f64(simd, |lane| centre(lane).y))
    }
}

impl<S: Scalar> SoftStroke<S> {
    /// The stroke in every lane.
    #[inline(always)]
    pub fn splat<V: Lanes<Scalar = S>>(&self, simd: V::Simd) -> SoftStroke<V> {
        let s = |value| V::splat(simd, value);
        SoftStroke {
            frame: self.frame.splat(simd),
            softness: Softness { tau: s(self.softness.tau), tau_min: s(self.softness.tau_min) },
            colour: map3(self.colour, s),
        }
    }
}

/// Derivatives of a loss with respect to a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradient {
    /// With respect to each stroke's shape.
    pub shapes: Vec<ShapeGrad>,
    /// With respect to each stroke's colour.
    pub colours: Vec<Colour>,
    /// With respect to the background.
    pub background: Colour,
    /// With respect to each tool's numbers, in their order.
    pub tools: Vec<Vec<f64>>,
}

/// The output of an engine.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The relaxed picture.
    pub image: Image,
    /// The loss.
    pub loss: f64,
    /// Its gradient.
    pub gradient: Gradient,
    /// What the replay adjoint had to record; nothing for the other engines.
    pub side_table: SideTable,
}

/// Positions that cannot be regenerated, as the replay adjoint keeps them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SideTable {
    /// How many there are.
    pub records: usize,
    /// Memory they take.
    pub bytes: usize,
    /// What is left of a colour, at most, when all that was gathered has been
    /// taken away again: 0 but for drift.
    pub drift: f64,
}

impl Outcome {
    /// Nothing rendered yet.
    pub(super) fn empty(scene: &Scene) -> Self {
        Self {
            image: Image::of_view(&scene.view, vec![[0.0; 3]; scene.pixels()]),
            loss: 0.0,
            gradient: Gradient::zero(scene),
            side_table: SideTable::default(),
        }
    }
}

impl Gradient {
    /// All zero.
    pub(super) fn zero(scene: &Scene) -> Self {
        let strokes = scene.shapes.len();
        Self {
            shapes: vec![ShapeGrad::default(); strokes],
            colours: vec![[0.0; 3]; strokes],
            background: [0.0; 3],
            tools: scene.tools.iter().map(|pass| vec![0.0; pass.tool.numbers().len()]).collect(),
        }
    }

    /// Puts in the sums over all pixels for all steps.
    pub(super) fn set(&mut self, scene: &Scene, sums: &[StepGrad<f64>]) {
        let mut sums = sums.iter();
        for step in step_order(scene.shapes.len(), &scene.tools) {
            match step {
                StepIndex::Stroke(i) => {
                    if let Some(StepGrad::Stroke(grad)) = sums.next() {
                        self.shapes[i] = grad.frame.to_shape(&Frame::of(&scene.shapes[i]));
                        self.colours[i] = grad.colour;
                    }
                }
                StepIndex::Tool(k) => {
                    let tool = &scene.tools[k].tool;
                    let grads = sums.by_ref().take(tool.move_count());
                    let grads: Vec<MoveGrad<f64>> = grads.filter_map(StepGrad::of_move).collect();
                    self.tools[k] = tool.pull_back(&grads);
                }
            }
        }
    }

    /// Multiplies the derivatives with respect to strokes, colours and tools.
    pub(crate) fn scale(&mut self, factor: f64) {
        for d in &mut self.shapes {
            d.anchor = d.anchor * factor;
            d.offset = d.offset * factor;
            d.half_width *= factor;
            d.bend *= factor;
        }
        self.colours.iter_mut().flatten().for_each(|d| *d *= factor);
        self.tools.iter_mut().flatten().for_each(|d| *d *= factor);
    }

    /// All numbers in a row, bends and tools last: for norms and angles.
    pub fn flat(&self) -> Vec<f64> {
        let shape = |g: &ShapeGrad| {
            let ShapeGrad { anchor, offset, half_width, .. } = *g;
            [anchor.x, anchor.y, offset.x, offset.y, half_width]
        };
        let bends = self.shapes.iter().map(|g| g.bend);
        let tools = self.tools.iter().flatten().copied();
        let shapes = self.shapes.iter().flat_map(shape);
        let colours = self.colours.iter().flatten().copied();
        shapes.chain(colours).chain(self.background).chain(bends).chain(tools).collect()
    }

    /// The inverse of [`Gradient::flat`], of a scene without tools; none if that cannot have given so many numbers.
    pub fn from_flat(numbers: &[f64]) -> Option<Self> {
        let strokes = numbers.len().checked_sub(3)? / 9;
        if numbers.len() != 9 * strokes + 3 {
            return None;
        }
        let (shapes, rest) = numbers.split_at(5 * strokes);
        let (colours, bends) = rest.split_at(3 * strokes + 3);
        let (&background, colours) = colours.as_chunks::<3>().0.split_last()?;
        let shape = |([x, y, dx, dy, half_width], bend): (&[f64; 5], &f64)| ShapeGrad {
            anchor: vec2(*x, *y),
            offset: vec2(*dx, *dy),
            half_width: *half_width,
            bend: *bend,
        };
        let shapes = shapes.as_chunks::<5>().0.iter().zip(bends).map(shape).collect();
        Some(Self { shapes, colours: colours.to_vec(), background, tools: Vec::new() })
    }

    /// |self - exact| / |exact|, and the cosine of the angle between them.
    pub fn error_and_cosine(&self, exact: &Self) -> (f64, f64) {
        let (a, b) = (self.flat(), exact.flat());
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let difference: Vec<f64> = a.iter().zip(&b).map(|(x, y)| x - y).collect();
        let (aa, bb) = (dot(&a, &a).sqrt(), dot(&b, &b).sqrt());
        (dot(&difference, &difference).sqrt() / bb, dot(&a, &b) / (aa * bb))
    }
}
