//! A stage of a network: convolutions with rectifiers, a tap, and a pool.

use crate::band::{Band, MapSize};
use crate::conv::Conv;
use crate::number::Number;
use crate::pool::{max_pool, max_pool_vjp, pooled_size};
use crate::relu::{relu, relu_vjp};
use crate::tap::Tap;
use crate::window::Window;
use std::ops::Range;
use tbr::{Result, Stop};

/// Rows of a tap that are computed at a time. At 64, a band of VGG16's first
/// stage takes 18 MB a map for a picture 1024 wide, and the rows beyond its edges,
/// which are computed twice, are a tenth at most. Fixed, for the same sums always.
const BAND_ROWS: usize = 64;

/// Convolutions, each followed by a rectifier; the last one's output is the tap.
/// The next stage takes the tap, pooled if there is a pool.
pub struct Stage<T> {
    /// At least one.
    pub convs: Vec<Conv<T>>,
    /// How much the tap's channels count.
    pub tap_weights: Vec<T>,
    /// On the way to the next stage.
    pub pool: Option<Window>,
}

/// The rows of one band.
#[derive(Clone, Debug)]
pub struct Cut {
    /// Of the tap: each row belongs to one band, which counts its distance.
    pub own: Range<usize>,
    /// Of the tap: its own, and those that its pool needs besides.
    tap: Range<usize>,
    /// Of the next stage's input.
    next: Range<usize>,
}

impl<T: Number> Stage<T> {
    /// The size of the tap for an input.
    pub fn tap_size(&self, input: MapSize) -> MapSize {
        self.convs.iter().fold(input, |size, conv| conv.size(size))
    }

    /// The size of the next stage's input.
    pub fn next_size(&self, input: MapSize) -> MapSize {
        let tap = self.tap_size(input);
        self.pool.map_or(tap, |window| pooled_size(window, tap))
    }

    /// Numbers that the convolutions put out for an input.
    pub fn numbers(&self, input: MapSize) -> usize {
        let mut size = input;
        let outputs = self.convs.iter().map(|conv| {
            size = conv.size(size);
            size.numbers()
        });
        outputs.sum()
    }

    /// The bands that an input is worked off in.
    pub fn cuts(&self, input: MapSize) -> Vec<Cut> {
        let height = self.tap_size(input).height;
        let starts = (0..height).step_by(BAND_ROWS);
        starts.map(|start| self.cut(start..(start + BAND_ROWS).min(height), height)).collect()
    }

    fn cut(&self, own: Range<usize>, height: usize) -> Cut {
        let Some(window) = self.pool else {
            return Cut { own: own.clone(), tap: own.clone(), next: own };
        };
        let place = |row: usize| row.div_ceil(window.stride).min(window.places(height));
        let next = place(own.start)..place(own.end);
        let end = window.needs(next.clone(), height).end.max(own.end);
        Cut { tap: own.start..end, own, next }
    }

    /// The rectified output of every convolution, as far as a band needs them.
    /// Asks before each whether to stop.
    pub fn forward(&self, input: &Band<T>, cut: &Cut, stop: &Stop) -> Result<Vec<Band<T>>> {
        let mut maps: Vec<Band<T>> = Vec::with_capacity(self.convs.len());
        for (conv, rows) in self.convs.iter().zip(self.rows(input.size, cut)) {
            stop.check()?;
            let mut map = conv.forward(maps.last().unwrap_or(input), rows);
            relu(&mut map);
            maps.push(map);
        }
        Ok(maps)
    }

    /// The rows of every convolution's output that a band needs.
    fn rows(&self, input: MapSize, cut: &Cut) -> Vec<Range<usize>> {
        let mut heights = vec![input];
        for conv in &self.convs[..self.convs.len() - 1] {
            heights.extend(heights.last().map(|size| conv.size(*size)));
        }
        let mut rows = vec![cut.tap.clone()];
        for (conv, size) in self.convs.iter().zip(&heights).skip(1).rev() {
            rows.extend(rows.last().map(|r| conv.shape.window.needs(r.clone(), size.height)));
        }
        rows.reverse();
        rows
    }

    /// Writes a band's rows of the next stage's input.
    pub fn hand_on(&self, tap: &Band<T>, cut: &Cut, next: &mut Band<T>) {
        match self.pool {
            None => next.add(tap, cut.next.clone()),
            Some(window) => next.add(&max_pool(window, tap, cut.next.clone()), cut.next.clone()),
        }
    }

    /// The adjoint of [`Stage::hand_on`]: the derivative with respect to the tap.
    fn hand_on_vjp(&self, tap: &Band<T>, cut: &Cut, d_next: &Band<T>) -> Band<T> {
        match self.pool {
            Some(window) => max_pool_vjp(window, tap, d_next, cut.next.clone()),
            None => {
                let mut d_tap = Band::zeros(tap.size, tap.rows.clone());
                d_tap.add(d_next, cut.next.clone());
                d_tap
            }
        }
    }

    /// The adjoint of a band: the derivative, with respect to the stage's input, of
    /// its distance from the target and of what it hands on. `maps` are those of
    /// [`Stage::forward`]; the last stage has no `d_next`. Asks before each convolution whether
    /// to stop.
    pub fn vjp(
        &self,
        input: MapSize,
        maps: &[Band<T>],
        cut: &Cut,
        (target, d_next): (&Band<T>, Option<&Band<T>>),
        stop: &Stop,
    ) -> Result<Band<T>> {
        let tap = &maps[maps.len() - 1];
        let mut d_map = match d_next {
            Some(d_next) => self.hand_on_vjp(tap, cut, d_next),
            None => Band::zeros(tap.size, tap.rows.clone()),
        };
        self.tap(target).distance_vjp(tap, cut.own.clone(), &mut d_map);
        for (k, conv) in self.convs.iter().enumerate().rev() {
            stop.check()?;
            relu_vjp(&mut d_map, &maps[k]);
            let size = if k == 0 { input } else { maps[k - 1].size };
            let rows = conv.shape.window.needs(d_map.rows.clone(), size.height);
            d_map = conv.forward_vjp(&d_map, size, rows);
        }
        Ok(d_map)
    }

    /// Its tap, with what it is compared with.
    pub fn tap<'a>(&'a self, target: &'a Band<T>) -> Tap<'a, T> {
        Tap { target, weights: &self.tap_weights }
    }
}
