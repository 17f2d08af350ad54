//! Pictures from a file: decoded, turned upright, in sRGB, with their
//! transparency.

use super::profile::{self, Rgba16};
use super::resample::{Size, resampled};
use crate::failure::Failure;
use crate::files;
use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits, Rgba};
use std::io::Cursor;
use std::path::Path;
use tbr::{Colour, Image};

/// The largest file that is read: several times the largest photograph that is.
pub const MOST_BYTES: u64 = 1 << 30;
/// The most pixels: above any camera's, and a gigabyte once decoded. A small file
/// can claim to hold far more.
const MOST_PX: u64 = 1 << 27;
/// Bytes of a decoded pixel: four channels of sixteen bits.
const PX_BYTES: u64 = 8;

/// What lies behind transparent parts of a picture if nothing else is asked for: paper.
pub const MATTE: Colour = [1.0; 3];

/// The kinds of picture that are read, for messages.
const KINDS: &str = "PNG, JPEG, WebP, TIFF, BMP or GIF";

/// A picture. Values are sRGB as stored and alpha is straight; sixteen bits hold
/// every eight-bit value exactly, as 257 times it.
pub struct Picture {
    image: Rgba16,
}

impl Picture {
    /// Reads a PNG, JPEG, WebP, TIFF, BMP or GIF from a file, or from standard input for `-`; of a GIF
    /// or TIFF with several pictures the first.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        Self::decode(files::read_bytes(path, MOST_BYTES)?, path)
    }

    /// From the bytes of a file; `path` is what messages call it.
    pub fn decode(bytes: Vec<u8>, path: &Path) -> Result<Self, Failure> {
        Self::decode_within(MOST_PX, bytes, path)
    }

    /// The same, of at most so many pixels.
    pub fn decode_within(most_px: u64, bytes: Vec<u8>, path: &Path) -> Result<Self, Failure> {
        if bytes.is_empty() {
            return Err(not_a_picture(path, "the file is empty"));
        }
        let (image, note) = decode(bytes, most_px).map_err(|problem| problem.failure(path))?;
        if let Some(note) = note {
            tell!("note: {}: {note}", path.display());
        }
        Ok(Self { image })
    }

    /// Pixels across and down.
    pub fn size(&self) -> Size {
        self.image.dimensions()
    }

    /// An opaque picture, in sixteen bits.
    pub fn of(image: &Image) -> Self {
        let stored = |v: &f64| (v * f64::from(u16::MAX)).round() as u16;
        let mut own = Rgba16::new(image.width_px(), image.height_px());
        for (pixel, [r, g, b]) in own.pixels_mut().zip(image.pixels()) {
            pixel.0 = [r, g, b, &1.0].map(stored);
        }
        Self { image: own }
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
        let mut shrunk = Self::of(&colours);
        for (pixel, alpha) in shrunk.image.pixels_mut().zip(alpha) {
            pixel.0[3] = (alpha * f64::from(u16::MAX)).round() as u16;
        }
        Ok(shrunk)
    }

    /// Is some of it transparent?
    pub fn is_transparent(&self) -> bool {
        self.image.pixels().any(|pixel| pixel.0[3] < u16::MAX)
    }

    /// Its colours over a background at another size.
    pub fn over_at(&self, background: Colour, size: Size) -> Result<Image, Failure> {
        let colours = resampled(self.colours_over(background), self.size(), size)?;
        Ok(Image::new(size, colours)?)
    }

    /// Its own colours and its alpha at another size; black where it is transparent.
    pub fn with_alpha_at(&self, size: Size) -> Result<(Image, Vec<f64>), Failure> {
        let alpha = self.image.pixels().map(|pixel| [unit(pixel.0[3]); 3]).collect();
        let alpha = resampled(alpha, self.size(), size)?;
        let mut colours = resampled(self.colours_over([0.0; 3]), self.size(), size)?;
        for (colour, alpha) in colours.iter_mut().zip(&alpha) {
            let share = alpha[0].max(f64::MIN_POSITIVE);
            *colour = colour.map(|v| (v / share).clamp(0.0, 1.0));
        }
        Ok((Image::new(size, colours)?, alpha.iter().map(|a| a[0]).collect()))
    }

    /// Its colours over a background, row by row; exact where it is opaque.
    fn colours_over(&self, background: Colour) -> Vec<Colour> {
        let compose = |pixel: &Rgba<u16>| -> Colour {
            let [r, g, b, a] = pixel.0;
            let (colour, alpha) = ([r, g, b].map(unit), unit(a));
            std::array::from_fn(|c| colour[c] * alpha + background[c] * (1.0 - alpha))
        };
        self.image.pixels().map(compose).collect()
    }
}

/// A stored value as a share of the largest.
fn unit(value: u16) -> f64 {
    f64::from(value) / f64::from(u16::MAX)
}

/// Why a file gave no picture.
enum Problem {
    Decoder(ImageError),
    Size(u32, u32, u64),
    CutShort,
}

impl From<ImageError> for Problem {
    fn from(error: ImageError) -> Self {
        Self::Decoder(error)
    }
}

impl Problem {
    fn failure(self, path: &Path) -> Failure {
        match self {
            Self::Size(width, height, most) => {
                let message = format!(
                    "{width} x {height} pixels are too many to read (limit: {} million)",
                    most / 1_000_000
                );
                Failure::limit(message).in_file(path).hint("scale the picture down first")
            }
            Self::CutShort => {
                Failure::file(path, "the picture cannot be read: the file is cut short")
            }
            Self::Decoder(ImageError::Limits(e)) => Failure::limit(e.to_string()).in_file(path),
            Self::Decoder(ImageError::Unsupported(e)) => not_a_picture(path, e),
            Self::Decoder(e) => Failure::file(path, format!("the picture cannot be read: {e}")),
        }
    }
}

fn not_a_picture(path: &Path, problem: impl std::fmt::Display) -> Failure {
    Failure::file(path, format!("not a picture that can be read: {problem}"))
        .hint(format!("pictures are read as {KINDS}"))
}

/// The picture, and what a person should know about it.
fn decode(bytes: Vec<u8>, most_px: u64) -> Result<(Rgba16, Option<String>), Problem> {
    let whole = is_whole_jpeg(&bytes);
    let mut reader = ImageReader::new(Cursor::new(bytes));
    let mut limits = Limits::default();
    limits.max_alloc = Some(most_px * PX_BYTES);
    reader.limits(limits);
    let reader = reader.with_guessed_format().map_err(ImageError::IoError)?;
    if reader.format() == Some(ImageFormat::Jpeg) && !whole {
        return Err(Problem::CutShort);
    }
    let mut decoder = reader.into_decoder()?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > most_px {
        return Err(Problem::Size(width, height, most_px));
    }
    let profile = decoder.icc_profile()?;
    let orientation = decoder.orientation()?;
    let grey = !decoder.color_type().has_color();
    let mut image = DynamicImage::from_decoder(decoder)?.into_rgba16();
    let problem = profile.and_then(|p| profile::to_srgb(&mut image, &p, grey).err());
    let mut upright = DynamicImage::ImageRgba16(image);
    upright.apply_orientation(orientation);
    let note = problem.map(|p| format!("{p}; its values are taken as sRGB"));
    Ok((upright.into_rgba16(), note))
}

/// Does a JPEG come to its end mark? The decoder fills what is missing with grey and
/// says nothing. Segments before the first scan are skipped, for a photograph's
/// preview has an end mark of its own; in a scan, 0xff 0xd9 is never data.
fn is_whole_jpeg(bytes: &[u8]) -> bool {
    const SCAN: u8 = 0xda;
    const END: [u8; 2] = [0xff, 0xd9];
    let mut at = 2;
    while let Some(&[mark, kind, high, low]) = bytes.get(at..at + 4) {
        if mark != 0xff {
            // Fill bytes or rubbish between segments: the decoder's business.
            at += 1;
        } else if kind == SCAN {
            return bytes[at..].windows(2).any(|pair| pair == END);
        } else if kind == 0xff {
            at += 1;
        } else {
            at += 2 + usize::from(u16::from_be_bytes([high, low]));
        }
    }
    false
}
