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
        if self.is_on_its_side() { (height, width) } else { (width, height) }
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
        let (width, height) = (self.size().0, rows.end - rows.start);
        let mut values = self.values(rows);
        if let Some(conversion) = &self.conversion {
            // It was tried when the picture was read: it does not fail now.
            let _ = conversion.apply(&mut values);
        }
        Rgba16::from_raw(width, height, values).unwrap_or_default()
    }

    /// Are rows and columns exchanged?
    fn is_on_its_side(&self) -> bool {
        use Orientation::{Rotate90, Rotate90FlipH, Rotate270, Rotate270FlipH};
        matches!(self.orientation, Rotate90 | Rotate90FlipH | Rotate270 | Rotate270FlipH)
    }

    /// Where a pixel of the upright picture is stored.
    fn stored_place(&self, x: u32, y: u32) -> (u32, u32) {
        let (right, bottom) = (self.image.width() - 1, self.image.height() - 1);
        match self.orientation {
            Orientation::NoTransforms => (x, y),
            Orientation::FlipHorizontal => (right - x, y),
            Orientation::FlipVertical => (x, bottom - y),
            Orientation::Rotate180 => (right - x, bottom - y),
            Orientation::Rotate90 => (y, bottom - x),
            Orientation::Rotate90FlipH => (y, x),
            Orientation::Rotate270 => (right - y, x),
            Orientation::Rotate270FlipH => (right - y, bottom - x),
        }
    }

    /// The pixels of some upright rows in sixteen bits. (The same as
    /// [`DynamicImage::to_rgba16`]; written here, so that `image`, which is large and otherwise
    /// glue, need not be optimised.)
    fn values(&self, rows: Range<u32>) -> Vec<u16> {
        use DynamicImage as D;
        let wide = |v: u8| u16::from(v) * 257;
        let rounded = |v: f32| (v.clamp(0.0, 1.0) * f32::from(u16::MAX)).round() as u16;
        match &self.image {
            D::ImageLuma8(own) => self.gather(rows, own, |[v]: [u8; 1]| grey([wide(v), OPAQUE])),
            D::ImageLumaA8(own) => self.gather(rows, own, |p: [u8; 2]| grey(p.map(wide))),
            D::ImageRgb8(own) => self.gather(rows, own, |p: [u8; 3]| opaque(p.map(wide))),
            D::ImageRgba8(own) => self.gather(rows, own, |p: [u8; 4]| p.map(wide)),
            D::ImageLuma16(own) => self.gather(rows, own, |[v]: [u16; 1]| grey([v, OPAQUE])),
            D::ImageLumaA16(own) => self.gather(rows, own, grey),
            D::ImageRgb16(own) => self.gather(rows, own, opaque),
            D::ImageRgba16(own) => self.gather(rows, own, |p: [u16; 4]| p),
            D::ImageRgb32F(own) => self.gather(rows, own, |p: [f32; 3]| opaque(p.map(rounded))),
            D::ImageRgba32F(own) => self.gather(rows, own, |p: [f32; 4]| p.map(rounded)),
            other => self.gather(rows, &other.to_rgba16(), |p: [u16; 4]| p),
        }
    }

    /// What becomes of each pixel of some upright rows, given all stored values, N to a pixel.
    fn gather<T: Copy, const N: usize>(
        &self,
        rows: Range<u32>,
        values: &[T],
        of_pixel: impl Fn([T; N]) -> [u16; 4],
    ) -> Vec<u16> {
        let columns = self.size().0;
        let mut all = Vec::with_capacity(4 * columns as usize * rows.len());
        for y in rows {
            for x in 0..columns {
                let (i, j) = self.stored_place(x, y);
                let at = j as usize * self.image.width() as usize + i as usize;
                all.extend(of_pixel(std::array::from_fn(|k| values[N * at + k])));
            }
        }
        all
    }
}

/// The alpha of what has none.
const OPAQUE: u16 = u16::MAX;

fn grey([v, alpha]: [u16; 2]) -> [u16; 4] {
    [v, v, v, alpha]
}

fn opaque([r, g, b]: [u16; 3]) -> [u16; 4] {
    [r, g, b, OPAQUE]
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgba, Rgba32FImage, RgbaImage};

    /// Every depth and number of channels, with values at and beyond both ends.
    #[test]
    fn every_kind_of_pixel_becomes_what_image_makes_of_it() {
        let value = |x: u32, y: u32, c: u32| (x + 3 * y + 5 * c) as f32 / 17.0 - 0.2;
        let float = Rgba32FImage::from_fn(7, 5, |x, y| {
            Rgba(std::array::from_fn(|c| value(x, y, c as u32)))
        });
        let any = DynamicImage::ImageRgba32F(float);
        for image in [
            DynamicImage::ImageLuma8(any.to_luma8()),
            DynamicImage::ImageLumaA8(any.to_luma_alpha8()),
            DynamicImage::ImageRgb8(any.to_rgb8()),
            DynamicImage::ImageRgba8(any.to_rgba8()),
            DynamicImage::ImageLuma16(any.to_luma16()),
            DynamicImage::ImageLumaA16(any.to_luma_alpha16()),
            DynamicImage::ImageRgb16(any.to_rgb16()),
            DynamicImage::ImageRgba16(any.to_rgba16()),
            DynamicImage::ImageRgb32F(any.to_rgb32f()),
            any.clone(),
        ] {
            let expected = image.to_rgba16();
            let kind = image.color();
            let orientation = Orientation::NoTransforms;
            let stored = Stored { image, orientation, conversion: None };
            assert_eq!(stored.band(0..5), expected, "{kind:?}");
        }
    }

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
