//! Pictures at another size, a band of rows after the other.

use crate::failure::Failure;
use fast_image_resize::images::TypedImage;
use fast_image_resize::pixels::F32x3;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use std::ops::Range;
use tbr::program::Colour;

/// Width and height in pixels.
pub type Size = (u32, u32);

/// Pixels of a band of rows: 12 MB as float64. Fewer would compute the filter's weights more
/// often, more take memory and no less time.
const BAND_PX: u32 = 1 << 19;
/// Pixels that are narrowed and not yet lowered, 100 MB as float32. With fewer, large pictures
/// are narrowed more than once.
const NARROWED_PX: u32 = 1 << 23;

/// The bands of a picture, from the top.
pub fn bands((width, height): Size) -> impl Iterator<Item = Range<u32>> {
    let rows = (BAND_PX / width.max(1)).max(1);
    (0..height).step_by(rows as usize).map(move |top| top..height.min(top + rows))
}

/// A picture at another size, by Lanczos's filter on the values as stored; at its own size it
/// stays as it is. `rows` gives the colours of a band, and `keep` says what is wanted of a pixel.
///
/// Rows are narrowed first, then columns are lowered, as many columns at a time as there is
/// room for. Each value is made of the same numbers in the same order as if the picture were
/// resampled whole.
pub fn resampled<T: Clone + Default>(
    rows: impl Fn(Range<u32>) -> Vec<Colour>,
    from: Size,
    to: Size,
    keep: impl Fn(Colour) -> T,
) -> Result<Vec<T>, Failure> {
    let mut kept = Vec::with_capacity(to.0 as usize * to.1 as usize);
    if from == to {
        for band in bands(from) {
            kept.extend(rows(band).into_iter().map(&keep));
        }
        return Ok(kept);
    }
    kept.resize(kept.capacity(), T::default());
    let failure = |problem: String| {
        let ((w, h), (to_w, to_h)) = (from, to);
        Failure::limit(format!(
            "a picture of {w} x {h} pixels cannot be resampled to {to_w} x {to_h}: {problem}"
        ))
    };
    let at_once = (NARROWED_PX / from.1.max(to.1)).max(1);
    for left in (0..to.0).step_by(at_once as usize) {
        let columns = left as usize..to.0.min(left + at_once) as usize;
        let narrowed = narrowed(&rows, from, to.0, &columns).map_err(failure)?;
        let across = columns.len() as u32;
        let lowered = filtered(narrowed, (across, from.1), (across, to.1)).map_err(failure)?;
        for (own, row) in kept.chunks_mut(to.0 as usize).zip(lowered.chunks(columns.len())) {
            for (own, pixel) in own[columns.clone()].iter_mut().zip(row) {
                // The filter swings a little beyond black and white.
                *own = keep(pixel.0.map(|v| f64::from(v).clamp(0.0, 1.0)));
            }
        }
    }
    Ok(kept)
}

/// Some columns of a picture that is made `width` pixels wide and stays as high as it is.
fn narrowed(
    rows: &impl Fn(Range<u32>) -> Vec<Colour>,
    from: Size,
    width: u32,
    columns: &Range<usize>,
) -> Result<Vec<F32x3>, String> {
    let mut all = Vec::with_capacity(columns.len() * from.1 as usize);
    for band in bands(from) {
        let height = band.end - band.start;
        let pixels = rows(band).iter().map(|c| F32x3::new(c.map(|v| v as f32))).collect();
        let band = filtered(pixels, (from.0, height), (width, height))?;
        for row in band.chunks(width as usize) {
            all.extend_from_slice(&row[columns.clone()]);
        }
    }
    Ok(all)
}

/// Pixels at another size, all at once.
fn filtered(pixels: Vec<F32x3>, from: Size, to: Size) -> Result<Vec<F32x3>, String> {
    if from == to {
        return Ok(pixels);
    }
    let source = TypedImage::from_pixels(from.0, from.1, pixels).map_err(|e| e.to_string())?;
    let mut pixels = vec![F32x3::new([0.0; 3]); to.0 as usize * to.1 as usize];
    let mut result =
        TypedImage::from_pixels_slice(to.0, to.1, &mut pixels).map_err(|e| e.to_string())?;
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3));
    Resizer::new().resize_typed(&source, &mut result, &options).map_err(|e| e.to_string())?;
    Ok(pixels)
}

/// A picture is as high for its width as something else asks for, `ratio`, give or
/// take the pixel that rounding may cost.
pub fn check_aspect(picture: Size, ratio: f64, other: &str) -> Result<(), Failure> {
    let (width, height) = (f64::from(picture.0), f64::from(picture.1));
    if (width * ratio - height).abs() < 1.0 || (height / ratio - width).abs() < 1.0 {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "the picture is {width} x {height} pixels, {:.4} times as high as wide, but {other} is \
         {ratio:.4} times as high as wide",
        height / width
    ))
    .hint("crop the picture to the same shape"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without a pattern, from 0 to 1.
    fn noise((width, height): Size) -> Vec<Colour> {
        let value = |k: u32| f64::from(k.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24);
        (0..width * height).map(|k| [value(3 * k), value(3 * k + 1), value(3 * k + 2)]).collect()
    }

    /// The picture at another size by one call of the filter.
    fn whole(colours: &[Colour], from: Size, to: Size) -> Vec<Colour> {
        let pixels = colours.iter().map(|c| F32x3::new(c.map(|v| v as f32))).collect();
        let pixels = filtered(pixels, from, to).unwrap();
        pixels.iter().map(|p| p.0.map(|v| f64::from(v).clamp(0.0, 1.0))).collect()
    }

    #[test]
    fn bands_give_the_very_numbers_of_the_whole() {
        // Several bands; for the last, several turns of columns.
        for (from, to) in [
            ((1201, 907), (257, 194)),
            ((1201, 907), (1201, 300)),
            ((1201, 907), (300, 907)),
            ((40, 30), (1401, 1051)),
            ((3, 70_000), (200, 1000)),
        ] {
            let colours = noise(from);
            let width = from.0 as usize;
            let rows =
                |r: Range<u32>| colours[r.start as usize * width..r.end as usize * width].to_vec();
            let banded = resampled(rows, from, to, |c| c).unwrap();
            assert!(banded == whole(&colours, from, to), "{from:?} to {to:?}");
            assert!(resampled(rows, from, from, |c| c).unwrap() == colours);
        }
    }

    #[test]
    fn bands_are_all_rows_once() {
        for size in [(1, 1), (1000, 1), (1, 2_000_000), (1_000_000, 3), (700, 1500)] {
            let rows: Vec<u32> = bands(size).flatten().collect();
            assert!(rows.into_iter().eq(0..size.1), "{size:?}");
            assert!(bands(size).all(|b| u64::from(b.end - b.start) * u64::from(size.0) <= 1 << 20));
        }
    }
}
