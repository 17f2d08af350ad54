//! What is differentiated, and what comes out.

use super::chain::{SoftStroke, StrokeGrad};
use crate::lanes::{LANES, Lanes, Scalar};
use crate::program::{Colour, Operator, Program};
use crate::render::View;
use crate::stroke::{Frame, Shape, ShapeGrad, Softness};
use crate::vec2::{Vec2, vec2};
use std::ops::Range;

/// How soft coverage is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relaxation {
    /// Rim width as a share of the half-width.
    pub tau: f64,
    /// Least rim width, canvas units.
    pub tau_min: f64,
}

/// A program as the engines see it: colours resolved, coverage relaxed, pixels given.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The strokes, in the order in which they are laid.
    pub shapes: Vec<Shape>,
    /// Their colours.
    pub colours: Vec<Colour>,
    /// Colour of the bare canvas.
    pub background: Colour,
    /// How strokes move paint.
    pub operator: Operator,
    /// How soft coverage is.
    pub relaxation: Relaxation,
    /// The pixels.
    pub view: View,
}

impl Scene {
    /// A program seen through a view.
    pub fn new(program: &Program, view: View, relaxation: Relaxation) -> Self {
        Self {
            shapes: program.strokes.iter().map(|s| s.shape).collect(),
            colours: program.strokes.iter().map(|s| program.colour(s.paint)).collect(),
            background: program.background,
            operator: program.operator,
            relaxation,
            view,
        }
    }

    /// How many pixels there are.
    pub fn pixels(&self) -> usize {
        self.view.width_px as usize * self.view.height_px as usize
    }

    pub(super) fn soft_strokes<S: Scalar>(&self) -> Vec<SoftStroke<S>> {
        let Relaxation { tau, tau_min } = self.relaxation;
        let softness = Softness { tau: S::from_f64(tau), tau_min: S::from_f64(tau_min) };
        let stroke = |(shape, colour): (&Shape, &Colour)| SoftStroke {
            frame: Frame::of(shape).map(S::from_f64),
            softness,
            colour: colour.map(S::from_f64),
        };
        self.shapes.iter().zip(&self.colours).map(stroke).collect()
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
        let centres: [Vec2<f64>; LANES] = std::array::from_fn(centre);
        vec2(
            V::load(simd, &centres.map(|c| V::Scalar::from_f64(c.x))),
            V::load(simd, &centres.map(|c| V::Scalar::from_f64(c.y))),
        )
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
            colour: self.colour.map(s),
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
}

/// What an engine gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The relaxed picture, row by row.
    pub image: Vec<Colour>,
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
            image: vec![[0.0; 3]; scene.pixels()],
            loss: 0.0,
            gradient: Gradient::zero(scene.shapes.len()),
            side_table: SideTable::default(),
        }
    }
}

impl Gradient {
    /// All zero.
    pub(super) fn zero(strokes: usize) -> Self {
        Self {
            shapes: vec![ShapeGrad::default(); strokes],
            colours: vec![[0.0; 3]; strokes],
            background: [0.0; 3],
        }
    }

    /// Puts in the sums over all pixels for a range of strokes, given those of
    /// each part of the picture.
    pub(super) fn set_range(
        &mut self,
        range: Range<usize>,
        shapes: &[Shape],
        parts: &[Vec<StrokeGrad<f64>>],
    ) {
        for (k, i) in range.enumerate() {
            let sum = parts.iter().fold(StrokeGrad::zero_f64(), |sum, part| sum.plus(part[k]));
            self.set(i, &shapes[i], &sum);
        }
    }

    /// Puts in the sums over all pixels for stroke `i`.
    pub(super) fn set(&mut self, i: usize, shape: &Shape, grad: &StrokeGrad<f64>) {
        self.shapes[i] = grad.frame.to_shape(&Frame::of(shape));
        self.colours[i] = grad.colour;
    }

    /// All numbers in a row: for norms and angles.
    pub fn flat(&self) -> Vec<f64> {
        let shape = |g: &ShapeGrad| [g.anchor.x, g.anchor.y, g.offset.x, g.offset.y, g.half_width];
        let shapes = self.shapes.iter().flat_map(shape);
        shapes.chain(self.colours.iter().flatten().copied()).chain(self.background).collect()
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
