//! Decoded pixels as their file stores them, and bands of them made upright and sRGB.

use super::profile::{Conversion, Rgba16};
use super::resample::Size;
use image::DynamicImage;
use image::metadata::Orientation;
use std::ops::Range;

/// A picture in the depth and the orientation of its file. What is done to each of its pixels
/// is done when a band is asked for, so that there is no second copy.
pub struct Stored {
    /// The pixels as decoded.
    pub image: DynamicImage,
    /// How they are to be turned.
    pub orientation: Orientation,
    /// How their colours become sRGB; none if they are.
    pub conversion: Option<Conversion>,
}

impl Stored {
    /// Upright pixels in sRGB.
    pub fn upright(image: Rgba16) -> Self {
        let image = DynamicImage::ImageRgba16(image);
        Self { image, orientation: Orientation::NoTransforms, conversion: None }
    }

    /// Pixels across and down when it is upright.
    pub fn size(&self) -> Size {
        let (width, height) = (self.image.width(), self.image.height());
        if self.columns().is_some() { (height, width) } else { (width, height) }
    }

    /// Bytes of a pixel.
    pub fn px_bytes(&self) -> u64 {
        u64::from(self.image.color().bytes_per_pixel())
    }

    /// Might some of it be transparent?
    pub fn has_alpha(&self) -> bool {
        self.image.color().has_alpha()
    }

    /// Some rows of the upright picture, in sRGB.
    pub fn band(&self, rows: Range<u32>) -> Rgba16 {
        let (width, height) = (self.image.width(), self.image.height());
        let count = rows.end - rows.start;
        let from = |backward: bool, all: u32| if backward { all - rows.end } else { rows.start };
        let band = match self.columns() {
            Some(backward) => self.image.crop_imm(from(backward, width), 0, count, height),
            None => self.image.crop_imm(0, from(self.is_upside_down(), height), width, count),
        };
        let mut band = band.into_rgba16();
        if let Some(conversion) = &self.conversion {
            // It was tried when the picture was read: it does not fail now.
            let _ = conversion.apply(&mut band);
        }
        let mut band = DynamicImage::ImageRgba16(band);
        band.apply_orientation(self.orientation);
        band.into_rgba16()
    }

    /// Are the upright rows the columns that are stored, and if so, from the last to the first?
    fn columns(&self) -> Option<bool> {
        match self.orientation {
            Orientation::Rotate90 | Orientation::Rotate90FlipH => Some(false),
            Orientation::Rotate270 | Orientation::Rotate270FlipH => Some(true),
            _ => None,
        }
    }

    /// Is the last row that is stored the first of the upright picture?
    fn is_upside_down(&self) -> bool {
        matches!(self.orientation, Orientation::Rotate180 | Orientation::FlipVertical)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgba, RgbaImage};

    /// Every orientation, in bands of two rows, is what it is at once.
    #[test]
    fn bands_make_up_the_upright_picture() {
        let image = RgbaImage::from_fn(5, 7, |x, y| Rgba([x as u8, y as u8, 9, 200]));
        for exif in 1..=8 {
            let orientation = Orientation::from_exif(exif).unwrap();
            let mut whole = DynamicImage::ImageRgba8(image.clone());
            let stored = Stored { image: whole.clone(), orientation, conversion: None };
            whole.apply_orientation(orientation);
            assert_eq!(stored.size(), (whole.width(), whole.height()));
            let bands = (0..whole.height()).step_by(2);
            let rows: Vec<u16> =
                bands.flat_map(|y| stored.band(y..whole.height().min(y + 2)).into_raw()).collect();
            assert_eq!(rows, whole.into_rgba16().into_raw(), "{orientation:?}");
        }
    }
}
