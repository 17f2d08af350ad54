//! The paper's parameterisation (docs/math.md, Sec. 17): a program as free numbers,
//! every one of which is allowed.

use super::PaperOptions;
use crate::adjoint::Gradient;
use crate::fit::Target;
use crate::numbers::{Vec2, vec2};
use crate::prior;
use crate::program::Colour;
use crate::stroke::{Shape, ShapeGrad};

/// Numbers of a stroke before its colour weights: anchor, half-width, offset.
const PLACE: usize = 5;
/// A stroke's half-width, as shares of what the schedule gives it.
const WIDTH_WINDOW: [f64; 2] = [0.6, 1.7];
/// The longest offset along either axis, in square roots of the canvas's area.
const LONGEST: f64 = 0.30;
/// Side of the window that holds every footprint, as a share of the canvas's: 64 % of its area.
const CONTAINED: f64 = 0.8;
/// How near to the ends of its window a number may start: beyond, it would hardly move.
const MARGIN: f64 = 0.01;

/// What numbers mean: where a number's window lies.
pub(super) struct Parameters {
    strokes: usize,
    /// How many colours there are.
    colours: usize,
    /// The palette, if it is not trained.
    fixed: Option<Vec<Colour>>,
    /// The square root of the canvas's area, or less where footprints would not fit.
    pub scale: f64,
    /// Each stroke's half-widths, least and most.
    widths: Vec<[f64; 2]>,
    /// Corners of the window for anchors, or for whole footprints.
    window: [Vec2<f64>; 2],
    contain: bool,
    drops: bool,
}

/// The program that some numbers stand for, colours still mixed.
pub(super) struct Decoded {
    pub shapes: Vec<Shape>,
    pub palette: Vec<Colour>,
    /// Each stroke's share of each palette colour.
    shares: Vec<f64>,
    /// And so its colour.
    pub colours: Vec<Colour>,
}

/// Step sizes of the kinds of numbers.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PaperRates {
    /// Of anchors.
    pub anchor: f64,
    /// Of half-widths.
    pub width: f64,
    /// Of offsets.
    pub offset: f64,
    /// Of colour weights.
    pub colour: f64,
    /// Of the palette.
    pub palette: f64,
}

impl Default for PaperRates {
    fn default() -> Self {
        Self { anchor: 0.012, width: 0.018, offset: 0.015, colour: 0.030, palette: 0.010 }
    }
}

/// How many strokes a program has, and whether they are all drops.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProgramKind {
    pub strokes: usize,
    pub drops: bool,
}

impl Parameters {
    pub fn new(target: &Target, kind: ProgramKind, palette: &Inks, options: &PaperOptions) -> Self {
        let height = target.height();
        let [low, high] = WIDTH_WINDOW;
        let [widest, narrowest] = prior::HALF_WIDTHS;
        let mut scale = height.sqrt();
        let mut window = [vec2(0.0, 0.0), vec2(1.0, height)];
        if options.contain {
            let margin = 0.5 * (1.0 - CONTAINED);
            window = [vec2(margin, margin * height), vec2(1.0 - margin, (1.0 - margin) * height)];
            let largest = LONGEST + 2.0 * high * widest;
            scale = scale.min(CONTAINED * height.min(1.0) / largest);
        }
        let width = |i: usize| {
            let middle = prior::half_width(i as f64 / kind.strokes as f64);
            let [least, most] =
                if options.free_width { [narrowest, widest] } else { [middle, middle] };
            [low * least * scale, high * most * scale]
        };
        Self {
            strokes: kind.strokes,
            colours: palette.colours.len(),
            fixed: palette.fixed.then(|| palette.colours.clone()),
            scale,
            widths: (0..kind.strokes).map(width).collect(),
            window,
            contain: options.contain,
            drops: kind.drops,
        }
    }

    /// Numbers of one stroke.
    fn stride(&self) -> usize {
        PLACE + self.colours
    }

    /// Numbers in all.
    pub fn count(&self) -> usize {
        self.strokes * self.stride() + if self.fixed.is_some() { 0 } else { 3 * self.colours }
    }

    /// Where a stroke's anchor may be, given its half-width and offset.
    fn anchors(&self, half_width: f64, offset: Vec2<f64>) -> [Vec2<f64>; 2] {
        let [low, high] = self.window;
        if !self.contain {
            return [low, high];
        }
        let edge = vec2(half_width, half_width);
        let before = vec2((-offset.x).max(0.0), (-offset.y).max(0.0));
        let after = vec2(offset.x.max(0.0), offset.y.max(0.0));
        [low + edge + before, high - edge - after]
    }

    /// The numbers of a program: shapes, a weight for each stroke and palette colour, and
    /// the palette. What lies outside its window is brought to its edge.
    pub fn encode(&self, shapes: &[Shape], weights: &[f64], palette: &[Colour]) -> Vec<f64> {
        let mut numbers = Vec::with_capacity(self.count());
        let longest = LONGEST * self.scale;
        for (i, shape) in shapes.iter().enumerate() {
            let [least, most] = self.widths[i];
            let half_width = shape.half_width.clamp(least, most);
            let turn = |d: f64| libm::atanh((d / longest).clamp(MARGIN - 1.0, 1.0 - MARGIN));
            let turns = [turn(shape.offset.x), turn(shape.offset.y)];
            let offset = self.offset(turns);
            let [low, high] = self.anchors(half_width, offset);
            let place = |v: f64, low: f64, high: f64| logit((v - low) / (high - low));
            numbers.push(place(shape.anchor.x, low.x, high.x));
            numbers.push(place(shape.anchor.y, low.y, high.y));
            numbers.push(place(half_width, least, most));
            numbers.extend(turns);
            numbers.extend(&weights[i * self.colours..(i + 1) * self.colours]);
        }
        if self.fixed.is_none() {
            numbers.extend(palette.iter().flatten().map(|v| logit(*v)));
        }
        numbers
    }

    fn offset(&self, turns: [f64; 2]) -> Vec2<f64> {
        let longest = if self.drops { 0.0 } else { LONGEST * self.scale };
        vec2(longest * libm::tanh(turns[0]), longest * libm::tanh(turns[1]))
    }

    /// The program that numbers stand for, with colours mixed at a temperature.
    pub fn decode(&self, numbers: &[f64], temperature: f64) -> Decoded {
        let palette = self.palette(numbers);
        let (mut shapes, mut colours) = (Vec::new(), Vec::new());
        let mut shares = Vec::with_capacity(self.strokes * self.colours);
        for (i, own) in numbers.chunks_exact(self.stride()).take(self.strokes).enumerate() {
            let [least, most] = self.widths[i];
            let half_width = least + (most - least) * sigmoid(own[2]);
            let offset = self.offset([own[3], own[4]]);
            let [low, high] = self.anchors(half_width, offset);
            let x = low.x + (high.x - low.x) * sigmoid(own[0]);
            let y = low.y + (high.y - low.y) * sigmoid(own[1]);
            shapes.push(Shape::line(vec2(x, y), offset, half_width));
            let mix = softmax(&own[PLACE..], temperature);
            let part = |c: usize| mix.iter().zip(&palette).map(|(s, p)| s * p[c]).sum();
            colours.push(std::array::from_fn(part));
            shares.extend(mix);
        }
        Decoded { shapes, palette, shares, colours }
    }

    /// The palette alone.
    fn palette(&self, numbers: &[f64]) -> Vec<Colour> {
        let trained = &numbers[self.strokes * self.stride()..];
        let colour = |own: &[f64]| std::array::from_fn(|c| sigmoid(own[c]));
        self.fixed.clone().unwrap_or_else(|| trained.chunks_exact(3).map(colour).collect())
    }

    /// The palette entry that weighs most for a stroke.
    pub fn snapped(&self, numbers: &[f64], stroke: usize) -> usize {
        let weights = &numbers[stroke * self.stride() + PLACE..][..self.colours];
        let heavier = |best: usize, k: usize| if weights[k] > weights[best] { k } else { best };
        (0..self.colours).fold(0, heavier)
    }

    /// Adjoint of [`Parameters::decode`].
    pub fn decode_vjp(
        &self,
        numbers: &[f64],
        temperature: f64,
        decoded: &Decoded,
        gradient: &Gradient,
    ) -> Vec<f64> {
        let mut d_numbers = Vec::with_capacity(numbers.len());
        let mut d_palette = vec![[0.0; 3]; self.colours];
        for (i, own) in numbers.chunks_exact(self.stride()).take(self.strokes).enumerate() {
            let shape = &decoded.shapes[i];
            d_numbers.extend(self.place_vjp(own, self.widths[i], shape, &gradient.shapes[i]));
            let shares = &decoded.shares[i * self.colours..(i + 1) * self.colours];
            let d_colour = gradient.colours[i];
            let dot = |colour: &Colour| (0..3).map(|c| d_colour[c] * colour[c]).sum::<f64>();
            let mean = dot(&decoded.colours[i]);
            for ((share, colour), d_entry) in
                shares.iter().zip(&decoded.palette).zip(&mut d_palette)
            {
                d_numbers.push(share * (dot(colour) - mean) / temperature);
                for c in 0..3 {
                    d_entry[c] += share * d_colour[c];
                }
            }
        }
        if self.fixed.is_none() {
            let entries = decoded.palette.iter().flatten().zip(d_palette.iter().flatten());
            d_numbers.extend(entries.map(|(v, d)| d * v * (1.0 - v)));
        }
        d_numbers
    }

    /// The same for a stroke's anchor, half-width and offset.
    fn place_vjp(
        &self,
        own: &[f64],
        [least, most]: [f64; 2],
        shape: &Shape,
        d: &ShapeGrad,
    ) -> [f64; PLACE] {
        let [low, high] = self.anchors(shape.half_width, shape.offset);
        let share = vec2(sigmoid(own[0]), sigmoid(own[1]));
        let (mut d_width, mut d_offset) = (d.half_width, d.offset);
        if self.contain {
            // The window shrinks with the half-width on both sides, with the offset on one.
            d_width += (1.0 - 2.0 * share.x) * d.anchor.x + (1.0 - 2.0 * share.y) * d.anchor.y;
            let follow = |offset: f64, share: f64| if offset < 0.0 { share - 1.0 } else { -share };
            d_offset.x += follow(shape.offset.x, share.x) * d.anchor.x;
            d_offset.y += follow(shape.offset.y, share.y) * d.anchor.y;
        }
        let slope = |share: f64| share * (1.0 - share);
        let longest = if self.drops { 0.0 } else { LONGEST * self.scale };
        let turn = |v: f64| longest * (1.0 - libm::tanh(v) * libm::tanh(v));
        [
            d.anchor.x * (high.x - low.x) * slope(share.x),
            d.anchor.y * (high.y - low.y) * slope(share.y),
            d_width * (most - least) * slope(sigmoid(own[2])),
            d_offset.x * turn(own[3]),
            d_offset.y * turn(own[4]),
        ]
    }

    /// Adds to each number its change, in units of its step size.
    pub fn advance(&self, numbers: &mut [f64], change: &[f64], rates: &PaperRates, share: f64) {
        let PaperRates { anchor, width, offset, colour, palette } = *rates;
        let place = [anchor, anchor, width, offset, offset];
        let strokes = self.strokes * self.stride();
        for (k, (number, change)) in numbers.iter_mut().zip(change).enumerate() {
            let rate = match k % self.stride() {
                _ if k >= strokes => palette,
                part if part < PLACE => place[part],
                _ => colour,
            };
            *number += share * rate * change;
        }
    }
}

/// The palette that a program starts from.
pub(super) struct Inks {
    pub colours: Vec<Colour>,
    /// May it not change?
    pub fixed: bool,
}

fn sigmoid(v: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-v))
}

/// Inverse of the sigmoid, for shares from [`MARGIN`] to 1 less it.
fn logit(share: f64) -> f64 {
    let share = share.clamp(MARGIN, 1.0 - MARGIN);
    libm::log(share / (1.0 - share))
}

fn softmax(weights: &[f64], temperature: f64) -> Vec<f64> {
    let most = weights.iter().fold(f64::MIN, |a, b| a.max(*b));
    let powers: Vec<f64> = weights.iter().map(|w| libm::exp((w - most) / temperature)).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|p| p / sum).collect()
}
