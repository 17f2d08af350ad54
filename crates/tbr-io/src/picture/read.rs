//! Pictures from a file: upright, in sRGB, with their transparency.

use super::cost::Room;
use super::decode::{decode_bytes, decode_file};
use super::profile::Rgba16;
use super::resample::{Size, bands, resampled};
use super::stored::Stored;
use crate::failure::Failure;
use image::metadata::Orientation;
use image::{DynamicImage, ImageBuffer, Rgba};
use std::ops::Range;
use std::path::Path;
use tbr::{Colour, Image};

/// What lies behind transparent parts of a picture if nothing else is asked for: paper.
pub const MATTE: Colour = [1.0; 3];

/// A picture. Values are sRGB as stored and alpha is straight; it is held in the depth of its
/// file and read as sixteen bits, which hold every eight-bit value exactly, as 257 times it.
pub struct Picture {
    stored: Stored,
}

impl Picture {
    /// Reads a PNG, JPEG, WebP, TIFF, BMP or GIF from a file, or from standard input for `-`; of a GIF
    /// or TIFF with several pictures the first.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        Self::read_beside(0, path)
    }

    /// The same while so many bytes of other things are held.
    pub fn read_beside(bytes: u64, path: &Path) -> Result<Self, Failure> {
        let room = Room { beside: bytes, ..Room::default() };
        Ok(Self { stored: decode_file(path, room)? })
    }

    /// From the bytes of a file; `path` is what messages call it.
    pub fn decode(bytes: Vec<u8>, path: &Path) -> Result<Self, Failure> {
        Self::decode_beside(0, bytes, path)
    }

    /// The same while so many bytes of other things are held.
    pub fn decode_beside(held: u64, bytes: Vec<u8>, path: &Path) -> Result<Self, Failure> {
        let room = Room { beside: held, ..Room::default() };
        Ok(Self { stored: decode_bytes(bytes, room, path)? })
    }

    /// The same, of at most so many pixels.
    pub fn decode_within(most_px: u64, bytes: Vec<u8>, path: &Path) -> Result<Self, Failure> {
        let room = Room { most_px, ..Room::default() };
        Ok(Self { stored: decode_bytes(bytes, room, path)? })
    }

    /// Pixels across and down.
    pub fn size(&self) -> Size {
        self.stored.size()
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        let (width, height) = self.size();
        u64::from(width) * u64::from(height) * self.stored.px_bytes()
    }

    /// An opaque picture, in sixteen bits.
    pub fn of(image: &Image) -> Self {
        let mut own = Rgba16::new(image.width_px(), image.height_px());
        for (pixel, [r, g, b]) in own.pixels_mut().zip(image.pixels()) {
            pixel.0 = [*r, *g, *b, 1.0].map(stored_value);
        }
        Self { stored: Stored::upright(own) }
    }

    /// A picture of somebody else's values: rows of pixels of so many `channels`, which are grey,
    /// grey and alpha, RGB or RGBA. An error if there is no pixel, or if there are not as many
    /// values.
    pub fn of_values(size: Size, channels: usize, values: Values) -> Result<Self, Failure> {
        let (given, (width, height)) = (values.count(), size);
        let fits = given as u64 == u64::from(width) * u64::from(height) * channels as u64;
        let image = if fits && given > 0 { values.image(size, channels) } else { None };
        let image = image.ok_or_else(|| {
            Failure::usage(format!(
                "{given} values are no picture of {width} x {height} pixels and {channels} channels"
            ))
        })?;
        let orientation = Orientation::NoTransforms;
        Ok(Self { stored: Stored { image, orientation, conversion: None } })
    }

    /// The picture with its longer side at most `side_px`.
    pub fn at_most(self, side_px: u32) -> Result<Self, Failure> {
        let (width, height) = self.size();
        let scale = f64::from(side_px) / f64::from(width.max(height));
        if scale >= 1.0 {
            return Ok(self);
        }
        let px = |side: u32| (f64::from(side) * scale).round().max(1.0) as u32;
        let size = (px(width), px(height));
        let (colours, alpha) = self.with_alpha_at(size)?;
        drop(self);
        let mut shrunk = Rgba16::new(size.0, size.1);
        let pixels = colours.pixels().iter().zip(alpha);
        for (pixel, ([r, g, b], alpha)) in shrunk.pixels_mut().zip(pixels) {
            pixel.0 = [*r, *g, *b, alpha].map(stored_value);
        }
        Ok(Self { stored: Stored::upright(shrunk) })
    }

    /// Is some of it transparent?
    pub fn is_transparent(&self) -> bool {
        let clear =
            |band: Range<u32>| self.stored.band(band).pixels().any(|pixel| pixel.0[3] < u16::MAX);
        self.stored.has_alpha() && bands(self.size()).any(clear)
    }

    /// Its colours over a background at another size.
    pub fn over_at(&self, background: Colour, size: Size) -> Result<Image, Failure> {
        Ok(Image::new(size, self.values_over_at(background, size, |colour| colour)?)?)
    }

    /// What is wanted of each of these colours, row by row.
    pub fn values_over_at<T: Clone + Default>(
        &self,
        background: Colour,
        size: Size,
        value: impl Fn(Colour) -> T,
    ) -> Result<Vec<T>, Failure> {
        resampled(|rows| self.colours_over(background, rows), self.size(), size, value)
    }

    /// Its own colours and its alpha at another size; black where it is transparent.
    pub fn with_alpha_at(&self, size: Size) -> Result<(Image, Vec<f64>), Failure> {
        let alpha = |rows| {
            let band = self.stored.band(rows);
            band.pixels().map(|pixel| [unit(pixel.0[3]); 3]).collect()
        };
        let alpha = resampled(alpha, self.size(), size, |[alpha, ..]| alpha)?;
        let mut colours = self.values_over_at([0.0; 3], size, |colour| colour)?;
        for (colour, alpha) in colours.iter_mut().zip(&alpha) {
            let share = alpha.max(f64::MIN_POSITIVE);
            *colour = colour.map(|v| (v / share).clamp(0.0, 1.0));
        }
        Ok((Image::new(size, colours)?, alpha))
    }

    /// The colours of some rows over a background; exact where it is opaque.
    fn colours_over(&self, background: Colour, rows: Range<u32>) -> Vec<Colour> {
        let compose = |pixel: &Rgba<u16>| -> Colour {
            let [r, g, b, a] = pixel.0;
            let (colour, alpha) = ([r, g, b].map(unit), unit(a));
            std::array::from_fn(|c| colour[c] * alpha + background[c] * (1.0 - alpha))
        };
        self.stored.band(rows).pixels().map(compose).collect()
    }
}

/// Values of pixels, row by row.
pub enum Values {
    /// From 0 to 255.
    Bytes(Vec<u8>),
    /// From 0 to 65535.
    Words(Vec<u16>),
    /// From 0 to 1; what is beyond is cut off, and they are read as sixteen bits like all others.
    Floats(Vec<f32>),
}

impl Values {
    fn count(&self) -> usize {
        match self {
            Self::Bytes(values) => values.len(),
            Self::Words(values) => values.len(),
            Self::Floats(values) => values.len(),
        }
    }

    /// The pixels; none if their number is wrong.
    fn image(self, (width, height): Size, channels: usize) -> Option<DynamicImage> {
        use DynamicImage as D;
        let grey = |v: f32| (v.clamp(0.0, 1.0) * f32::from(u16::MAX)).round() as u16;
        match (self, channels) {
            (Self::Bytes(v), 1) => ImageBuffer::from_raw(width, height, v).map(D::ImageLuma8),
            (Self::Bytes(v), 2) => ImageBuffer::from_raw(width, height, v).map(D::ImageLumaA8),
            (Self::Bytes(v), 3) => ImageBuffer::from_raw(width, height, v).map(D::ImageRgb8),
            (Self::Bytes(v), 4) => ImageBuffer::from_raw(width, height, v).map(D::ImageRgba8),
            (Self::Words(v), 1) => ImageBuffer::from_raw(width, height, v).map(D::ImageLuma16),
            (Self::Words(v), 2) => ImageBuffer::from_raw(width, height, v).map(D::ImageLumaA16),
            (Self::Words(v), 3) => ImageBuffer::from_raw(width, height, v).map(D::ImageRgb16),
            (Self::Words(v), 4) => ImageBuffer::from_raw(width, height, v).map(D::ImageRgba16),
            (Self::Floats(v), 3) => ImageBuffer::from_raw(width, height, v).map(D::ImageRgb32F),
            (Self::Floats(v), 4) => ImageBuffer::from_raw(width, height, v).map(D::ImageRgba32F),
            (Self::Floats(v), 1 | 2) => {
                Self::Words(v.into_iter().map(grey).collect()).image((width, height), channels)
            }
            _ => None,
        }
    }
}

/// A stored value as a share of the largest.
fn unit(value: u16) -> f64 {
    f64::from(value) / f64::from(u16::MAX)
}

/// A share of the largest as a stored value.
fn stored_value(share: f64) -> u16 {
    (share * f64::from(u16::MAX)).round() as u16
}
