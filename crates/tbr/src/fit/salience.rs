//! Salience: how much more than others a pixel counts in a palette for eyes.
//!
//! A colour is worth an entry for being unlike the others, not only for being everywhere: what is
//! rare and far from what is common counts for more than its pixels, if it has an area of its
//! own. Specks of noise are rare, too, and so are the mixtures along edges, and nobody would miss
//! them.

use super::target::Target;
use crate::parallel;
use crate::program::Colour;
use crate::program::oklab::{Oklab, oklab};

/// Longer side of the picture that is looked at: with half as many pixels, a thin line is as pale
/// as what lies about it, and with more, the noise of large pictures is seen.
pub(super) const SIDE_PX: u32 = 512;

/// A colour counts as if it had at least this share of the picture. With half as much, a green leaf
/// of a sixth of a percent stays grey. (More was not tried: what has two hundredths is not rare.)
const LEAST_SHARE: f64 = 0.02;
/// But a pixel counts for so many at most: what has less than a twenty-fifth of a percent is no
/// colour of the picture.
const MOST: f64 = 50.0;

/// A colour is far if it is so far in OKLab from every mixture of two common ones. With 0.06, the
/// wide edges between blue and black of a sheet of drops are, and cost it 8 % of its floor ratio;
/// with much more, only the purest colours are.
const FAR: f64 = 0.08;

/// Two colours are alike within this distance in OKLab. With much less, paint with some noise is
/// made of specks; with much more, edges are not seen.
const ALIKE: f64 = 0.1;
/// How many of the 24 pixels about one are like it, at least, unless it is a speck: as many as
/// in a line one pixel wide.
const LEAST_ALIKE: usize = 4;
/// How far those are, in pixels, each way.
const REACH: i32 = 2;
/// A mixture lies between two opposite neighbours, within this share of their distance from the
/// middle: nearer to one of them, it is that one with some noise.
const FROM_MIDDLE: f64 = 0.35;
/// And off their line by less than this share of their distance, as OKLab bends mixtures.
const OFF_LINE: f64 = 0.25;

/// What each pixel of a picture counts for beside the common colours: 1, or more where its own is
/// rare and far from them.
pub(super) fn of_pixels(target: &Target, common: &[Colour]) -> Vec<f32> {
    let small = target.at_most(SIDE_PX);
    let salience = of_small(&small, common);
    let ((width, height), (across, down)) = (target.image().size(), small.image().size());
    let place = |k: u32, from: u32, to: u32| u64::from(k) * u64::from(to) / u64::from(from);
    let of_pixel = |k: u32| {
        let (i, j) = (place(k % width, width, across), place(k / width, height, down));
        salience[(j * u64::from(across) + i) as usize]
    };
    (0..width * height).map(of_pixel).collect()
}

fn of_small(target: &Target, common: &[Colour]) -> Vec<f32> {
    let picture = Lab::of(target);
    let has_area = parallel::map(picture.colours.len(), |k| picture.has_area(k));
    let mut shares = Shares::default();
    for ((colour, has_area), weight) in picture.colours.iter().zip(&has_area).zip(target.weights())
    {
        shares.add(*colour, if *has_area { f64::from(*weight) } else { 0.0 });
    }
    let shares = shares.blurred();
    let common: Vec<Oklab> = common.iter().map(|colour| oklab(*colour)).collect();
    let salience = |(colour, has_area): (&Oklab, &bool)| {
        let times = if *has_area { LEAST_SHARE / shares.of(*colour) } else { 1.0 };
        if times > 1.0 && is_far(*colour, &common) { times.min(MOST) as f32 } else { 1.0 }
    };
    picture.colours.iter().zip(&has_area).map(salience).collect()
}

/// Is a colour far from every mixture of two others?
fn is_far(colour: Oklab, others: &[Oklab]) -> bool {
    others.iter().enumerate().all(|(k, one)| {
        others[k..].iter().all(|other| {
            let (share, _) = along(colour, *one, *other);
            let mixture = std::array::from_fn(|c| one[c] + share * (other[c] - one[c]));
            let off = difference(colour, mixture);
            dot(off, off) > FAR * FAR
        })
    })
}

/// A picture in OKLab.
struct Lab {
    size_px: (i32, i32),
    colours: Vec<Oklab>,
}

impl Lab {
    fn of(target: &Target) -> Self {
        let (width, height) = target.image().size();
        let pixels = target.image().pixels();
        let colours = parallel::map(pixels.len(), |k| oklab(pixels[k]));
        Self { size_px: (width as i32, height as i32), colours }
    }

    /// The colour so far from a pixel, or at the picture's edge.
    fn about(&self, k: usize, (dx, dy): (i32, i32)) -> Oklab {
        let (width, height) = self.size_px;
        let (i, j) = (k as i32 % width + dx, k as i32 / width + dy);
        self.colours[(j.clamp(0, height - 1) * width + i.clamp(0, width - 1)) as usize]
    }

    /// Is a pixel part of an area, however thin, and neither a speck nor on an edge?
    fn has_area(&self, k: usize) -> bool {
        self.alike(k) >= LEAST_ALIKE && !self.is_mixture(k)
    }

    /// How many of the pixels about one are like it.
    fn alike(&self, k: usize) -> usize {
        let rows = (-REACH..=REACH).flat_map(|dy| (-REACH..=REACH).map(move |dx| (dx, dy)));
        let others = rows.filter(|place| *place != (0, 0));
        others.filter(|place| are_alike(self.about(k, *place), self.colours[k])).count()
    }

    /// Does a pixel lie between opposite neighbours that differ?
    fn is_mixture(&self, k: usize) -> bool {
        let lines = [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter();
        let mut pairs = lines.flat_map(|(x, y)| (1..=REACH).map(move |far| (far * x, far * y)));
        pairs.any(|(dx, dy)| {
            is_between(self.colours[k], self.about(k, (-dx, -dy)), self.about(k, (dx, dy)))
        })
    }
}

fn are_alike(a: Oklab, b: Oklab) -> bool {
    let off = difference(a, b);
    dot(off, off) < ALIKE * ALIKE
}

/// Is a colour a mixture of two others that differ?
fn is_between(colour: Oklab, one: Oklab, other: Oklab) -> bool {
    let (share, off) = along(colour, one, other);
    !are_alike(one, other) && (share - 0.5).abs() < FROM_MIDDLE && off < OFF_LINE
}

/// How far along the way between two others a colour lies, from 0 to 1, and how far off it, both
/// as shares of its length.
fn along(colour: Oklab, one: Oklab, other: Oklab) -> (f64, f64) {
    let (line, from) = (difference(other, one), difference(colour, one));
    let square = dot(line, line).max(f64::MIN_POSITIVE);
    let share = (dot(from, line) / square).clamp(0.0, 1.0);
    let off = difference(from, line.map(|v| share * v));
    (share, (dot(off, off) / square).sqrt())
}

fn difference(a: Oklab, b: Oklab) -> Oklab {
    std::array::from_fn(|c| a[c] - b[c])
}

fn dot(a: Oklab, b: Oklab) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Shares of the picture by colour: a histogram in OKLab.
struct Shares {
    cells: Vec<f64>,
    total: f64,
}

/// Cells along lightness, and along both axes of chroma: those of all colours, with two more on
/// each side, so that [`Shares::blurred`] loses nothing.
const CELLS: [usize; 3] = [10, 36, 36];
/// The cell of black.
const BLACK: [f64; 3] = [2.0, 18.0, 18.0];
/// Their sides. Lightness has few, as shades of a colour are not rare for being darker; chroma has
/// small ones, as each cell is seen with two on every side.
const SIDES: [f64; 3] = [0.2, 0.02, 0.02];
/// What [`Shares::blurred`] leaves in the cell of a single colour: a third along each axis.
const LEFT: f64 = 1.0 / 27.0;

impl Default for Shares {
    fn default() -> Self {
        Self { cells: vec![0.0; CELLS.iter().product()], total: 0.0 }
    }
}

impl Shares {
    fn cell(colour: Oklab) -> usize {
        let place =
            |c: usize| ((colour[c] / SIDES[c] + BLACK[c]).max(0.0) as usize).min(CELLS[c] - 1);
        (place(0) * CELLS[1] + place(1)) * CELLS[2] + place(2)
    }

    fn add(&mut self, colour: Oklab, weight: f64) {
        self.cells[Self::cell(colour)] += weight;
        self.total += weight;
    }

    /// Every cell with two on each side along each axis, the nearer the more, so that no colour
    /// is cut in two: means of three, twice.
    fn blurred(mut self) -> Self {
        let strides = [CELLS[1] * CELLS[2], CELLS[2], 1];
        for (stride, count) in strides.into_iter().zip(CELLS).cycle().take(6) {
            let before = self.cells.clone();
            for (k, cell) in self.cells.iter_mut().enumerate() {
                let place = k / stride % count;
                let left = if place > 0 { before[k - stride] } else { 0.0 };
                let right = if place + 1 < count { before[k + stride] } else { 0.0 };
                *cell = (left + before[k] + right) / 3.0;
            }
        }
        self
    }

    /// The share of a colour that was added.
    fn of(&self, colour: Oklab) -> f64 {
        self.cells[Self::cell(colour)] / (LEFT * self.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Image;

    const BLUE: Colour = [0.15, 0.3, 0.6];
    const YELLOW: Colour = [0.9, 0.75, 0.2];

    /// A picture of 64 x 64 pixels.
    fn salience(colour: impl Fn(usize, usize) -> Colour) -> Vec<f32> {
        let pixels = (0..64 * 64).map(|k| colour(k % 64, k / 64)).collect();
        of_pixels(&Target::new(Image::new((64, 64), pixels).unwrap(), None).unwrap(), &[BLUE])
    }

    /// Of a line one pixel wide and ten long, the six pixels that have two on either side count as
    /// much as two hundredths of the picture; the others are no area.
    #[test]
    fn a_thin_line_counts_as_two_hundredths() {
        let line = |i: usize, j: usize| i == 30 && (20..30).contains(&j);
        let salience = salience(|i, j| if line(i, j) { YELLOW } else { BLUE });
        for (k, s) in salience.into_iter().enumerate() {
            let expected = match line(k % 64, k / 64) && (22..28).contains(&(k / 64)) {
                true => 0.02 * (64.0 * 64.0 - 4.0) / 6.0,
                false => 1.0,
            };
            assert!((s - expected).abs() < 1e-4, "{k}: {s} for {expected}");
        }
    }

    #[test]
    fn specks_and_mixtures_count_for_one() {
        let speck = salience(|i, j| if (i, j) == (30, 30) { YELLOW } else { BLUE });
        assert!(speck.iter().all(|s| *s == 1.0));
        let mixed = std::array::from_fn(|c| 0.5 * (BLUE[c] + YELLOW[c]));
        let edge = salience(|i, _| [BLUE, mixed, YELLOW][(i + 1).saturating_sub(32).min(2)]);
        assert!(edge.iter().all(|s| *s == 1.0), "{edge:?}");
    }

    /// Whatever the picture and its size, every pixel counts for something, and for no more than
    /// the most.
    #[test]
    fn salience_has_its_limits() {
        for size in [(1, 1), (3, 200), (700, 40)] {
            let pixels = (0..size.0 * size.1).map(|k: u32| {
                let part = |n: u32| f64::from(k.wrapping_mul(2_654_435_761) >> n & 255) / 255.0;
                [part(0), part(8), part(16)]
            });
            let image = Image::new(size, pixels.collect()).unwrap();
            let salience = of_pixels(&Target::new(image, None).unwrap(), &[BLUE, YELLOW]);
            assert_eq!(salience.len(), (size.0 * size.1) as usize);
            assert!(salience.iter().all(|s| (1.0..=MOST as f32).contains(s)), "{size:?}");
        }
    }
}
