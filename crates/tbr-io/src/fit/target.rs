//! Targets of fits, made from picture files: resized, with matte, mask and bare parts.

use crate::failure::Failure;
use crate::picture::{Picture, Size, check_aspect};
use std::path::Path;
use tbr::fit::{Bare, Target};
use tbr::{Colour, Image};

/// Bounds of the longer side at which a picture is fitted if none is asked for. A picture with
/// fewer pixels is enlarged: strokes need some between them, or they meet the pixels' centres and
/// nothing else. One with more would take longer and gain little.
const OWN_PX: [u32; 2] = [768, 1024];
/// The smallest side of a picture that can be fitted.
const LEAST_PX: u32 = 2;
/// The most pixels that are fitted, 4096 x 4096: a fit takes thirty to forty bytes for each.
const MOST_PX: u64 = 1 << 24;
/// The most bytes of a picture and of what is made of it for a fit. Resampling takes some 170 MB
/// beside them.
const MOST_BYTES: u64 = 810_000_000;
/// Bytes of a fitted pixel's colour, and of each other value that it may have.
const COLOUR_BYTES: u64 = 24;
const VALUE_BYTES: u64 = 8;
/// What a black place of a mask counts, white being 1. With 0, nothing would say what to
/// paint there.
const MASKED: f64 = 0.05;

/// The least alpha of a pixel that is painted with `--bare`.
const OPAQUE: f64 = 0.5;

/// How a picture is turned into a target.
pub struct Preparation {
    /// Longer side, in pixels; if none, the picture's own, but from 768 to 1024.
    pub size_px: Option<u32>,
    /// What lies behind transparent parts.
    pub matte: Colour,
    /// Are they to stay unpainted?
    pub bare: bool,
}

impl Preparation {
    /// The picture at its size, and its transparency if that is to stay unpainted.
    pub fn prepare(&self, picture: &Picture) -> Result<Prepared, Failure> {
        let (width, height) = picture.size();
        if width.min(height) < LEAST_PX {
            let message =
                format!("{width} x {height} pixels are too few to fit (limit: {LEAST_PX} a side)");
            return Err(Failure::limit(message));
        }
        let longer = longer_px((width, height), self.size_px);
        let size = fitted_size((width, height), longer);
        self.check_pixels(size, picture.bytes())?;
        let (colours, alpha) = if self.bare {
            let (colours, alpha) = picture.with_alpha_at(size)?;
            (colours, Some(alpha))
        } else {
            (picture.over_at(self.matte, size)?, None)
        };
        Ok(Prepared { shape: (width, height), colours, alpha, matte: self.matte })
    }

    /// Refuses more pixels than a fit can have beside a picture of so many bytes.
    fn check_pixels(&self, (width, height): Size, picture_bytes: u64) -> Result<(), Failure> {
        let px_bytes = COLOUR_BYTES + if self.bare { VALUE_BYTES } else { 0 };
        let most = MOST_PX.min(MOST_BYTES.saturating_sub(picture_bytes) / px_bytes);
        if u64::from(width) * u64::from(height) <= most {
            return Ok(());
        }
        let most = most / 1_000_000;
        let message =
            format!("{width} x {height} pixels are too many to fit (limit: {most} million)");
        Err(Failure::limit(message).hint("give a smaller --size"))
    }
}

/// A picture at the size at which it is fitted. The picture itself is no longer needed, so that
/// a mask can be read in its place.
pub struct Prepared {
    /// The picture's own size.
    shape: Size,
    colours: Image,
    /// If transparent parts are to stay unpainted.
    alpha: Option<Vec<f64>>,
    matte: Colour,
}

impl Prepared {
    /// How much pixels count, by a mask's brightness.
    pub fn mask_weights(&self, path: &Path) -> Result<Vec<f64>, Failure> {
        let pixels = self.colours.pixels().len() as u64;
        let alpha_bytes = if self.alpha.is_some() { VALUE_BYTES } else { 0 };
        let beside = pixels * (COLOUR_BYTES + alpha_bytes + VALUE_BYTES);
        self.weights_of(&Picture::read_beside(beside, path)?).map_err(|e| e.in_file(path))
    }

    /// The same of a mask that is read already.
    pub fn weights_of(&self, mask: &Picture) -> Result<Vec<f64>, Failure> {
        let ratio = f64::from(self.shape.1) / f64::from(self.shape.0);
        check_aspect(mask.size(), ratio, "the picture that it is a mask of")?;
        let brightness = |c: Colour| 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
        let weight = |colour| MASKED + (1.0 - MASKED) * brightness(colour);
        mask.values_over_at([0.0; 3], self.colours.size(), weight)
    }

    /// The target; a mask says how much each of its pixels counts.
    pub fn target(self, mask: Option<Vec<f64>>) -> Result<Target, Failure> {
        let Self { colours, alpha, matte, .. } = self;
        match alpha {
            Some(alpha) => bare(colours, alpha, mask, matte),
            None => Ok(Target::new(colours, mask)?),
        }
    }
}

/// Transparent parts stay unpainted.
fn bare(
    colours: Image,
    mut alpha: Vec<f64>,
    mask: Option<Vec<f64>>,
    matte: Colour,
) -> Result<Target, Failure> {
    let pixels: Vec<bool> = alpha.iter().map(|a| *a < OPAQUE).collect();
    if pixels.iter().all(|bare| *bare) {
        let message = "all of the picture is transparent: with --bare there is nothing to paint";
        return Err(Failure::usage(message));
    }
    // Pixels on an edge count as much as there is of them.
    for (alpha, mask) in alpha.iter_mut().zip(mask.into_iter().flatten()) {
        *alpha *= mask;
    }
    let target = Target::new(colours, Some(alpha))?;
    Ok(target.with_bare(Bare { pixels, colour: matte })?)
}

/// The longer side at which a picture is fitted: as asked for, or its own, but from 768 to 1024
/// pixels.
pub fn longer_px((width, height): Size, asked: Option<u32>) -> u32 {
    asked.unwrap_or_else(|| width.max(height).clamp(OWN_PX[0], OWN_PX[1]))
}

/// The size with the longer side at `longer`.
pub fn fitted_size((width, height): Size, longer: u32) -> Size {
    let scale = f64::from(longer) / f64::from(width.max(height));
    let scaled = |px: u32| ((f64::from(px) * scale).round() as u32).max(1);
    (scaled(width), scaled(height))
}
