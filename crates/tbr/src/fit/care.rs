//! Care: what errors count for in people's eyes, which miss less where much happens: there, a
//! difference hides among others.

use super::target::Target;
use crate::error::Result;
use crate::program::Colour;

/// How far the window in which contrast is measured reaches, as a share of the longer side: 11 of
/// 1024 pixels. Much less takes weight from edges alone; much more takes it from an eye, too, for
/// the hair about the face.
const REACH: f64 = 11.0 / 1024.0;
/// The contrast, as the standard deviation of brightness, at which an error counts 0.7 of what it
/// does where all is flat. Less sends strokes to what is hardly seen: with 0.02, a plain background
/// took a decibel from the face before it. With more, LPIPS gains less.
const FAINT: f64 = 0.05;

/// A target with each pixel's weight divided by the root of the contrast about it. (Divided by the
/// contrast itself, LPIPS gained no more, and outlines before plain backgrounds became ragged.)
pub(super) fn by_eyes(target: &Target) -> Result<Target> {
    let factor = |contrast: &f32| 1.0 / (FAINT + f64::from(*contrast)).sqrt();
    target.weighed(contrasts(target).iter().map(factor))
}

/// The standard deviation of brightness in the window about each pixel.
fn contrasts(target: &Target) -> Vec<f32> {
    let reach = ((REACH * f64::from(target.longer_px())).round() as usize).max(1);
    let (width, height) = target.image().size();
    let (width, height) = (width as usize, height as usize);
    let mut contrasts = Vec::with_capacity(width * height);
    // The window's columns, about a row that is `reach` behind the one that comes in.
    let mut columns = vec![Moments::default(); width];
    for row in 0..height + reach {
        if row < height {
            add_row(&mut columns, target, row, 1.0);
        }
        if let Some(gone) = row.checked_sub(2 * reach + 1) {
            add_row(&mut columns, target, gone, -1.0);
        }
        if row >= reach {
            along(&columns, reach, &mut contrasts);
        }
    }
    contrasts
}

/// Adds a row of pixels to the columns, or takes it away. What stays bare is passed over.
fn add_row(columns: &mut [Moments], target: &Target, row: usize, sign: f64) {
    let first = row * columns.len();
    for (i, column) in columns.iter_mut().enumerate() {
        if !target.is_bare(first + i) {
            let value = brightness(target.image().pixels()[first + i]);
            column.add(Moments { count: 1.0, sum: value, squares: value * value }, sign);
        }
    }
}

/// The contrasts of a row of windows.
fn along(columns: &[Moments], reach: usize, contrasts: &mut Vec<f32>) {
    let mut window = Moments::default();
    for i in 0..columns.len() + reach {
        if let Some(column) = columns.get(i) {
            window.add(*column, 1.0);
        }
        if let Some(gone) = i.checked_sub(2 * reach + 1) {
            window.add(columns[gone], -1.0);
        }
        if i >= reach {
            contrasts.push(window.deviation() as f32);
        }
    }
}

/// How bright a colour looks, from 0 to 1 (luma by BT.709, of values as stored).
fn brightness([r, g, b]: Colour) -> f64 {
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// A number of values, their sum and that of their squares.
#[derive(Clone, Copy, Default)]
struct Moments {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, other: Self, sign: f64) {
        self.count += sign * other.count;
        self.sum += sign * other.sum;
        self.squares += sign * other.squares;
    }

    fn deviation(&self) -> f64 {
        if self.count < 0.5 {
            return 0.0;
        }
        let mean = self.sum / self.count;
        (self.squares / self.count - mean * mean).max(0.0).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::super::target::Bare;
    use super::*;
    use crate::image::Image;

    fn grey(values: impl Iterator<Item = f64>, size: (u32, u32)) -> Target {
        Target::new(Image::new(size, values.map(|v| [v; 3]).collect()).unwrap(), None).unwrap()
    }

    /// Windows as they are defined, pixel by pixel, on a picture of odd sides.
    #[test]
    fn contrast_is_the_deviation_in_the_window() {
        let (width, height) = (301usize, 7usize);
        let value = |k: usize| (k * 7919 % 101) as f64 / 100.0;
        let target = grey((0..width * height).map(value), (width as u32, height as u32));
        let reach = 3;
        for (k, contrast) in contrasts(&target).into_iter().enumerate() {
            let (i, j) = (k % width, k / width);
            let (mut values, rows) = (Vec::new(), j.saturating_sub(reach)..(j + reach + 1));
            for row in rows.filter(|row| *row < height) {
                let (first, last) = (i.saturating_sub(reach), (i + reach).min(width - 1));
                values.extend((first..=last).map(|i| value(row * width + i)));
            }
            let count = values.len() as f64;
            let mean = values.iter().sum::<f64>() / count;
            let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / count;
            assert!((f64::from(contrast) - variance.sqrt()).abs() < 1e-6, "pixel {k}");
        }
    }

    /// A flat half counts for more than a busy one by what the contrast says, and a flat picture as
    /// it did.
    #[test]
    fn busy_places_count_for_less() {
        let value = |k: usize| if k % 200 < 100 { 0.5 } else { (k % 2) as f64 };
        let target = by_eyes(&grey((0..200 * 40).map(value), (200, 40))).unwrap();
        let at = |i: usize| f64::from(target.weights()[20 * 200 + i]);
        let busy = 0.5 * (at(150) + at(151));
        let known = ((FAINT + 0.5) / FAINT).sqrt();
        assert!((at(50) / busy - known).abs() < 0.2, "{} and {known}", at(50) / busy);
        let flat = by_eyes(&grey((0..64).map(|_| 0.3), (8, 8))).unwrap();
        assert!(flat.weights().iter().all(|w| (w - 1.0).abs() < 1e-6));
    }

    /// Weights that were there are kept as factors, and bare parts are not looked at.
    #[test]
    fn bare_parts_have_no_contrast() {
        let pixels = (0..64).map(|k| if k % 8 < 4 { [0.5; 3] } else { [1.0; 3] });
        let weights = (0..64).map(|k| if k % 8 < 2 { 2.0 } else { 1.0 }).collect();
        let target = Target::new(Image::new((8, 8), pixels.collect()).unwrap(), Some(weights));
        let bare = Bare { pixels: (0..64).map(|k| k % 8 >= 4).collect(), colour: [1.0; 3] };
        let target = by_eyes(&target.unwrap().with_bare(bare).unwrap()).unwrap();
        let weights = target.weights();
        assert_eq!(weights[0], 2.0 * weights[2]);
        assert_eq!((weights[2], weights[4]), (weights[3], 0.0));
    }
}
