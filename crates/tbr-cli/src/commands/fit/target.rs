//! From a picture file to what a fit aims at.

use super::Args;
use crate::failure::Failure;
use crate::picture::{Picture, Size, resampled};
use std::path::Path;
use tbr::fit::Target;
use tbr::program::Colour;

/// The smallest side of a picture that can be fitted.
const LEAST_PX: u32 = 2;
/// What a black place of a mask counts, white being 1. With 0, strokes would run wild
/// there.
const MASKED: f64 = 0.05;

/// Reads a picture and brings it to the size that is fitted.
pub fn read(args: &Args, path: &Path) -> Result<Target, Failure> {
    let picture = Picture::read(path)?;
    let (width, height) = (picture.width(), picture.height());
    if width.min(height) < LEAST_PX {
        let message =
            format!("{width} x {height} pixels are too few to fit (limit: {LEAST_PX} a side)");
        return Err(Failure::limit(message).in_file(path));
    }
    let size = fitted_size((width, height), args.size);
    let colours = resampled(picture.over(args.matte), (width, height), size)?;
    let weights =
        args.mask.as_deref().map(|mask| weights(mask, (width, height), size)).transpose()?;
    Target::new(size, colours, weights).map_err(|e| Failure::from(e).in_file(path))
}

/// The size with the longer side at `longer`.
fn fitted_size((width, height): Size, longer: u32) -> Size {
    let scale = f64::from(longer) / f64::from(width.max(height));
    let scaled = |px: u32| ((f64::from(px) * scale).round() as u32).max(1);
    (scaled(width), scaled(height))
}

/// How much pixels count, by a mask's brightness.
fn weights(path: &Path, shape: Size, size: Size) -> Result<Vec<f64>, Failure> {
    let mask = Picture::read(path)?;
    let (width, height) = (mask.width(), mask.height());
    let wide = f64::from(width) * f64::from(shape.1);
    let tall = f64::from(height) * f64::from(shape.0);
    if (wide / tall - 1.0).abs() > 0.02 {
        let message = format!(
            "the mask is {width} x {height} pixels, but the picture is {} x {}",
            shape.0, shape.1
        );
        return Err(Failure::usage(message).in_file(path).hint("give it the picture's shape"));
    }
    let colours = resampled(mask.over([0.0; 3]), (width, height), size)?;
    let brightness = |c: &Colour| 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
    Ok(colours.iter().map(|c| MASKED + (1.0 - MASKED) * brightness(c)).collect())
}
