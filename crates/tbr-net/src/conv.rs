//! Convolution with bias, and its adjoint.

use crate::band::{Band, MapSize};
use crate::matmul::add_product;
use crate::number::Number;
use crate::weights::Weights;
use crate::window::Window;
use rayon::prelude::*;
use std::ops::Range;
use tbr::Result;

/// Places that are gathered and multiplied as one. At 512, the matrix of weights
/// is read seldom enough, the gathered matrix takes at most 10 MB a thread in
/// VGG16, and a map of 32 x 32 still feeds two cores. Fixed, so that sums do
/// not depend on the number of threads.
const BLOCK_PLACES: usize = 512;

/// A convolution's measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvShape {
    /// The kernel.
    pub window: Window,
    /// Channels in.
    pub inputs: usize,
    /// Channels out.
    pub outputs: usize,
}

/// A convolution: out(x, o) = bias(o) + sum over k, i of w(o, i, k) in(x * stride
/// + k - pad, i), with zeros outside the map.
pub struct Conv<T> {
    /// Its measures.
    pub shape: ConvShape,
    /// Rows (k, i), columns o.
    forward: Vec<T>,
    /// Rows (k, o), columns i.
    backward: Vec<T>,
    bias: Vec<T>,
}

impl<T: Number> Conv<T> {
    /// From the tensors `name.weight` and `name.bias` of a file.
    pub fn read(weights: &Weights, name: &str, shape: ConvShape) -> Result<Self> {
        let ConvShape { window: Window { side, .. }, inputs, outputs } = shape;
        let kernels = weights.tensor(&format!("{name}.weight"), &[outputs, inputs, side, side])?;
        let bias = weights.tensor(&format!("{name}.bias"), &[outputs])?;
        Ok(Self::new(shape, &kernels, &bias))
    }

    /// From weights in the order output, input, row, column.
    ///
    /// # Panics
    ///
    /// If there are more or fewer weights than the shape says.
    pub fn new(shape: ConvShape, weights: &[f32], bias: &[f32]) -> Self {
        let ConvShape { window, inputs, outputs } = shape;
        let kernel = window.side * window.side;
        assert!(weights.len() == outputs * inputs * kernel && bias.len() == outputs);
        let number = |v: &f32| T::of(f64::from(*v));
        let mut forward = vec![T::default(); weights.len()];
        let mut backward = forward.clone();
        for (at, weight) in weights.iter().enumerate() {
            let (o, i, k) = (at / (inputs * kernel), at / kernel % inputs, at % kernel);
            forward[(k * inputs + i) * outputs + o] = number(weight);
            backward[(k * outputs + o) * inputs + i] = number(weight);
        }
        Self { shape, forward, backward, bias: bias.iter().map(number).collect() }
    }

    /// The size of what it makes of a map.
    pub fn size(&self, input: MapSize) -> MapSize {
        let window = self.shape.window;
        MapSize {
            width: window.places(input.width),
            height: window.places(input.height),
            channels: self.shape.outputs,
        }
    }

    /// Some rows of the output. The input must have the rows that they need.
    pub fn forward(&self, input: &Band<T>, rows: Range<usize>) -> Band<T> {
        let Window { side, .. } = self.shape.window;
        let (window, size) = (self.shape.window, input.size);
        let mut out = Band::zeros(self.size(size), rows);
        multiply(&mut out, &self.forward, &self.bias, |(x, y), cells| {
            let column = |k| window.sees(x, k, size.width);
            let row = |k| window.sees(y, k, size.height);
            gather(input, side, column, row, cells);
        });
        out
    }

    /// The adjoint: some rows of the derivative with respect to the input, of
    /// size `input`, by gathering all that each of its places was seen by. Rows
    /// that `d_out` does not have count as zero.
    pub fn forward_vjp(&self, d_out: &Band<T>, input: MapSize, rows: Range<usize>) -> Band<T> {
        let Window { side, .. } = self.shape.window;
        let window = self.shape.window;
        let mut d_input = Band::zeros(input, rows);
        let start = vec![T::default(); input.channels];
        multiply(&mut d_input, &self.backward, &start, |(x, y), cells| {
            let column = |k| window.seen_by(x, k).filter(|x| *x < d_out.size.width);
            gather(d_out, side, column, |k| window.seen_by(y, k), cells);
        });
        d_input
    }
}

/// Each place of `out` becomes `start` plus what `gather` finds for it times `matrix`.
fn multiply<T: Number>(
    out: &mut Band<T>,
    matrix: &[T],
    start: &[T],
    gather: impl Fn((usize, usize), &mut [T]) + Sync,
) {
    let MapSize { width, channels, .. } = out.size;
    let (first, depth) = (out.rows.start, matrix.len() / channels);
    let blocks = out.values.par_chunks_mut(BLOCK_PLACES * channels).enumerate();
    blocks.for_each(|(b, block)| {
        let places = block.len() / channels;
        let mut cells = vec![T::default(); places * depth];
        for (p, cells) in cells.chunks_exact_mut(depth).enumerate() {
            let at = b * BLOCK_PLACES + p;
            gather((at % width, first + at / width), cells);
        }
        block.chunks_exact_mut(channels).for_each(|place| place.copy_from_slice(start));
        add_product(block, &cells, matrix, [places, depth, channels]);
    });
}

/// Copies the channels of every place of a kernel, zeros where there is none.
fn gather<T: Number>(
    source: &Band<T>,
    side: usize,
    column: impl Fn(usize) -> Option<usize>,
    row: impl Fn(usize) -> Option<usize>,
    cells: &mut [T],
) {
    let channels = source.size.channels;
    for (ky, cells) in cells.chunks_exact_mut(side * channels).enumerate() {
        let y = row(ky).filter(|y| source.rows.contains(y));
        for (kx, cell) in cells.chunks_exact_mut(channels).enumerate() {
            match (column(kx), y) {
                (Some(x), Some(y)) => cell.copy_from_slice(source.at(x, y)),
                _ => cell.fill(T::default()),
            }
        }
    }
}
