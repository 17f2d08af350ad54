//! From a picture file to what a fit aims at.

use super::Args;
use crate::failure::Failure;
use crate::picture::{Picture, Size, check_aspect};
use std::path::Path;
use tbr::fit::Target;
use tbr::program::Colour;

/// The smallest side of a picture that can be fitted.
const LEAST_PX: u32 = 2;
/// What a black place of a mask counts, white being 1. With 0, nothing would say what to
/// paint there.
const MASKED: f64 = 0.05;

/// Reads a picture and brings it to the size that is fitted.
pub fn read(args: &Args, path: &Path) -> Result<Target, Failure> {
    let picture = Picture::read(path)?;
    let (width, height) = picture.size();
    if width.min(height) < LEAST_PX {
        let message =
            format!("{width} x {height} pixels are too few to fit (limit: {LEAST_PX} a side)");
        return Err(Failure::limit(message).in_file(path));
    }
    let size = fitted_size((width, height), args.size);
    let colours = picture.over_at(args.matte, size)?;
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
    let ratio = f64::from(shape.1) / f64::from(shape.0);
    check_aspect(mask.size(), ratio, "the picture that it is a mask of")
        .map_err(|e| e.in_file(path))?;
    let colours = mask.over_at([0.0; 3], size)?;
    let brightness = |c: &Colour| 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
    Ok(colours.iter().map(|c| MASKED + (1.0 - MASKED) * brightness(c)).collect())
}
