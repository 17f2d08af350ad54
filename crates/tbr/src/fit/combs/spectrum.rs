//! Where the edges of a picture are sheared back and forth with one period: peaks of the
//! spectrum of its structure tensor.
//!
//! Along a wave vector k, with n its direction and m across it, what counts is the part J_mn of
//! the tensor: a shear by the slope g along m turns an isotropic tensor J into one with
//! J_mn = -g J. Its Fourier transform at k is that of two pictures, J_xx - J_yy and 2 J_xy,
//! combined by the direction of k.

use super::sheet::shrunk;
use crate::image::Image;
use crate::numbers::{Vec2, vec2};
use crate::program::Colour;
use std::f64::consts::{PI, TAU};

/// Longer side of the picture whose spectrum is taken.
const SIDE_PX: u32 = 256;
/// The most waves over a canvas unit: four pixels each.
const MOST_WAVES: f64 = 64.0;
/// The fewest: what is longer is the picture itself.
const FEWEST_WAVES: f64 = 2.5;
/// From one wave number to the next. A peak is as wide as 2.
const GRID: f64 = 0.75;
/// Peaks nearer to each other than this are one.
const APART: f64 = 2.5;
/// A peak is this many times higher than the middle of all: pictures that were never combed have
/// peaks of 15.
const HIGH: f64 = 12.0;
/// How exactly peaks are placed, in waves over a canvas unit.
const EXACT: f64 = 0.01;

/// A peak of the spectrum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peak {
    /// Its wave vector: waves over a canvas unit.
    pub wave: Vec2<f64>,
    /// Its phase at the canvas's corner.
    pub phase: f64,
}

/// The highest peaks, at most so many, that stand out.
pub(super) fn peaks(image: &Image, most: usize) -> Vec<Peak> {
    let tensor = Tensor::new(&shrunk(image, SIDE_PX));
    let (waves, heights) = tensor.spectrum();
    let mut sorted = heights.clone();
    sorted.sort_by(f64::total_cmp);
    let high = HIGH * sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
    let mut order: Vec<usize> = (0..waves.len()).filter(|k| heights[*k] > high).collect();
    order.sort_by(|a, b| heights[*b].total_cmp(&heights[*a]).then(a.cmp(b)));
    let mut found: Vec<Vec2<f64>> = Vec::new();
    for k in order {
        let wave = waves[k];
        let is_new =
            |other: &Vec2<f64>| (wave - *other).norm() > APART && (wave + *other).norm() > APART;
        if found.len() < most && found.iter().all(is_new) {
            found.push(wave);
        }
    }
    found.into_iter().map(|wave| tensor.climbed(wave)).collect()
}

/// The two pictures that the structure tensor is, windowed and less their means.
struct Tensor {
    width: usize,
    height: usize,
    /// J_xx - J_yy, and 2 J_xy.
    difference: Vec<f64>,
    product: Vec<f64>,
}

impl Tensor {
    fn new(image: &Image) -> Self {
        let (width, height) = (image.width_px() as usize, image.height_px() as usize);
        let mut tensor = Self { width, height, difference: Vec::new(), product: Vec::new() };
        for j in 0..height {
            for i in 0..width {
                let [difference, product] = gradients(image, i, j);
                tensor.difference.push(difference);
                tensor.product.push(product);
            }
        }
        let hann =
            |i: usize, count: usize| 0.5 - 0.5 * libm::cos(TAU * (i as f64 + 0.5) / count as f64);
        for part in [&mut tensor.difference, &mut tensor.product] {
            let mean = part.iter().sum::<f64>() / part.len() as f64;
            for (k, value) in part.iter_mut().enumerate() {
                *value = (*value - mean) * hann(k % width, width) * hann(k / width, height);
            }
        }
        tensor
    }

    /// Wave vectors of half a plane, and the heights of the spectrum there.
    fn spectrum(&self) -> (Vec<Vec2<f64>>, Vec<f64>) {
        let steps = (MOST_WAVES / GRID) as i32;
        let columns: Vec<f64> = (-steps..=steps).map(|k| GRID * f64::from(k)).collect();
        let rows: Vec<f64> = (0..=steps).map(|k| GRID * f64::from(k)).collect();
        // Row by row first, then down the columns: two short sums in place of a long one.
        let across = |part: &[f64]| -> Vec<Vec<Complex>> {
            let turns: Vec<Vec<Complex>> =
                columns.iter().map(|wave| turns(*wave, self.width, self.width)).collect();
            let row = |row: &[f64]| turns.iter().map(|t| sum(row.iter().copied(), t)).collect();
            part.chunks(self.width).map(row).collect()
        };
        let (difference, product) = (across(&self.difference), across(&self.product));
        let (mut waves, mut heights) = (Vec::new(), Vec::new());
        for y in rows {
            let down = turns(y, self.height, self.width);
            for (k, x) in columns.iter().enumerate() {
                let wave = vec2(*x, y);
                if wave.norm() >= FEWEST_WAVES {
                    let column = |part: &[Vec<Complex>]| {
                        let mut total = Complex::default();
                        for (row, turn) in part.iter().zip(&down) {
                            total = total.plus(row[k].times(*turn));
                        }
                        total
                    };
                    heights.push(shear(wave, column(&difference), column(&product)).size());
                    waves.push(wave);
                }
            }
        }
        (waves, heights)
    }

    /// The spectrum at any wave vector.
    fn at(&self, wave: Vec2<f64>) -> Complex {
        let across = turns(wave.x, self.width, self.width);
        let down = turns(wave.y, self.height, self.width);
        let whole = |part: &[f64]| {
            let rows = part.chunks(self.width).zip(&down);
            rows.fold(Complex::default(), |total, (row, turn)| {
                total.plus(sum(row.iter().copied(), &across).times(*turn))
            })
        };
        shear(wave, whole(&self.difference), whole(&self.product))
    }

    /// The top of the peak about a wave vector.
    fn climbed(&self, mut wave: Vec2<f64>) -> Peak {
        let mut top = self.at(wave);
        let mut step = 0.5 * GRID;
        while step > EXACT {
            let ways = [vec2(step, 0.0), vec2(-step, 0.0), vec2(0.0, step), vec2(0.0, -step)];
            let tried = ways.map(|way| (wave + way, self.at(wave + way)));
            match tried.into_iter().find(|(_, value)| value.size() > top.size()) {
                Some(higher) => (wave, top) = higher,
                None => step *= 0.5,
            }
        }
        Peak { wave, phase: libm::atan2(top.im, top.re) }
    }
}

/// J_xx - J_yy and 2 J_xy at a pixel, over the length of the gradient: else strong edges would
/// be all that counts.
fn gradients(image: &Image, i: usize, j: usize) -> [f64; 2] {
    let (width, height) = (image.width_px() as usize, image.height_px() as usize);
    if i == 0 || j == 0 || i + 1 >= width || j + 1 >= height {
        return [0.0; 2];
    }
    let (row, above, below) = (image.row(j), image.row(j - 1), image.row(j + 1));
    let half = |a: Colour, b: Colour| -> Colour { std::array::from_fn(|c| 0.5 * (b[c] - a[c])) };
    let (across, down) = (half(row[i - 1], row[i + 1]), half(above[i], below[i]));
    let dot = |a: Colour, b: Colour| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (xx, yy, xy) = (dot(across, across), dot(down, down), dot(across, down));
    let length = (xx + yy).sqrt() + 1e-6;
    [(xx - yy) / length, 2.0 * xy / length]
}

/// J_mn, with n along a wave vector and m = (n_y, -n_x), of which n is the normal.
fn shear(wave: Vec2<f64>, difference: Complex, product: Complex) -> Complex {
    let n = wave * (1.0 / wave.norm());
    let (along, crossed) = (n.x * n.y, 0.5 * (n.y * n.y - n.x * n.x));
    difference.scaled(along).plus(product.scaled(crossed))
}

/// exp(-2 pi i k x) at the centres of pixels, of which there are `width` to a canvas unit.
fn turns(wave: f64, count: usize, width: usize) -> Vec<Complex> {
    let turn = |i: usize| {
        let angle = -2.0 * PI * wave * (i as f64 + 0.5) / width as f64;
        Complex { re: libm::cos(angle), im: libm::sin(angle) }
    };
    (0..count).map(turn).collect()
}

fn sum(values: impl Iterator<Item = f64>, turns: &[Complex]) -> Complex {
    values.zip(turns).fold(Complex::default(), |total, (value, turn)| Complex {
        re: total.re + value * turn.re,
        im: total.im + value * turn.im,
    })
}

/// A complex number.
#[derive(Clone, Copy, Debug, Default)]
struct Complex {
    re: f64,
    im: f64,
}

impl Complex {
    fn plus(self, o: Self) -> Self {
        Self { re: self.re + o.re, im: self.im + o.im }
    }
    fn times(self, o: Self) -> Self {
        Self { re: self.re * o.re - self.im * o.im, im: self.re * o.im + self.im * o.re }
    }
    fn scaled(self, factor: f64) -> Self {
        Self { re: self.re * factor, im: self.im * factor }
    }
    fn size(self) -> f64 {
        libm::hypot(self.re, self.im)
    }
}
