//! Targets of fits, made from picture files: resized, with matte, mask and bare parts.

use crate::failure::Failure;
use crate::picture::{Picture, Size, check_aspect};
use std::path::Path;
use tbr::fit::{Bare, Target};
use tbr::program::Colour;

/// The smallest side of a picture that can be fitted.
const LEAST_PX: u32 = 2;
/// What a black place of a mask counts, white being 1. With 0, nothing would say what to
/// paint there.
const MASKED: f64 = 0.05;

/// The least alpha of a pixel that is painted with `--bare`.
const OPAQUE: f64 = 0.5;

/// How a picture is turned into a target.
pub struct Preparation {
    /// Longer side, in pixels.
    pub size_px: u32,
    /// What lies behind transparent parts.
    pub matte: Colour,
    /// Are they to stay unpainted?
    pub bare: bool,
}

impl Preparation {
    /// The target; a mask says how much each of its pixels counts.
    pub fn target(&self, picture: &Picture, mask: Option<Vec<f64>>) -> Result<Target, Failure> {
        let (width, height) = picture.size();
        if width.min(height) < LEAST_PX {
            let message =
                format!("{width} x {height} pixels are too few to fit (limit: {LEAST_PX} a side)");
            return Err(Failure::limit(message));
        }
        let size = fitted_size((width, height), self.size_px);
        if self.bare {
            return bare(picture, size, mask, self.matte);
        }
        Ok(Target::new(picture.over_at(self.matte, size)?, mask)?)
    }
}

/// Transparent parts stay unpainted.
fn bare(
    picture: &Picture,
    size: Size,
    mask: Option<Vec<f64>>,
    matte: Colour,
) -> Result<Target, Failure> {
    let (colours, alpha) = picture.with_alpha_at(size)?;
    let pixels: Vec<bool> = alpha.iter().map(|a| *a < OPAQUE).collect();
    if pixels.iter().all(|bare| *bare) {
        let message = "all of the picture is transparent: with --bare there is nothing to paint";
        return Err(Failure::usage(message));
    }
    // Pixels on an edge count as much as there is of them.
    let weights = match mask {
        Some(mask) => mask.iter().zip(&alpha).map(|(mask, alpha)| mask * alpha).collect(),
        None => alpha,
    };
    let target = Target::new(colours, Some(weights))?;
    Ok(target.with_bare(Bare { pixels, colour: matte })?)
}

/// The size with the longer side at `longer`.
pub fn fitted_size((width, height): Size, longer: u32) -> Size {
    let scale = f64::from(longer) / f64::from(width.max(height));
    let scaled = |px: u32| ((f64::from(px) * scale).round() as u32).max(1);
    (scaled(width), scaled(height))
}

/// How much pixels count, by a mask's brightness.
pub fn mask_weights(path: &Path, shape: Size, size: Size) -> Result<Vec<f64>, Failure> {
    let mask = Picture::read(path)?;
    let ratio = f64::from(shape.1) / f64::from(shape.0);
    check_aspect(mask.size(), ratio, "the picture that it is a mask of")
        .map_err(|e| e.in_file(path))?;
    let colours = mask.over_at([0.0; 3], size)?;
    let brightness = |c: &Colour| 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
    Ok(colours.pixels().iter().map(|c| MASKED + (1.0 - MASKED) * brightness(c)).collect())
}
