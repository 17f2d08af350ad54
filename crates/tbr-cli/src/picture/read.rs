//! Pictures from a file: decoded, turned upright, in sRGB, with their
//! transparency.

use super::profile::{self, Rgba16};
use super::resample::{Size, resampled};
use crate::failure::Failure;
use crate::files;
use image::{DynamicImage, ImageDecoder, ImageError, ImageReader, Limits, Rgba};
use std::io::Cursor;
use std::path::Path;
use tbr::program::Colour;

/// The largest file that is read: several times a photograph of [`MOST_PX`].
pub const MOST_BYTES: u64 = 1 << 30;
/// The most pixels: above any camera's, and a gigabyte once decoded. A small file
/// can claim to hold far more.
const MOST_PX: u64 = 1 << 27;
/// Bytes of a decoded pixel: four channels of sixteen bits.
const PX_BYTES: u64 = 8;

/// A picture. Values are sRGB as stored and alpha is straight; sixteen bits hold
/// every eight-bit value exactly, as 257 times it.
pub struct Picture {
    image: Rgba16,
}

impl Picture {
    /// Reads a PNG, JPEG or WebP from a file, or from standard input for `-`.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        Self::decode(files::read_bytes(path, MOST_BYTES)?, path)
    }

    /// From the bytes of a file; `path` is what messages call it.
    pub fn decode(bytes: Vec<u8>, path: &Path) -> Result<Self, Failure> {
        if bytes.is_empty() {
            return Err(not_a_picture(path, "the file is empty"));
        }
        let (image, note) = decode(bytes).map_err(|problem| problem.failure(path))?;
        if let Some(note) = note {
            eprintln!("note: {}: {note}", path.display());
        }
        Ok(Self { image })
    }

    /// Pixels across and down.
    pub fn size(&self) -> Size {
        self.image.dimensions()
    }

    /// Its colours over a background at another size.
    pub fn over_at(&self, background: Colour, size: Size) -> Result<Vec<Colour>, Failure> {
        resampled(self.over(background), self.size(), size)
    }

    /// Its colours over a background, row by row; exact where it is opaque.
    fn over(&self, background: Colour) -> Vec<Colour> {
        let unit = |v: u16| f64::from(v) / f64::from(u16::MAX);
        let compose = |pixel: &Rgba<u16>| -> Colour {
            let [r, g, b, a] = pixel.0;
            let (colour, alpha) = ([r, g, b].map(unit), unit(a));
            std::array::from_fn(|c| colour[c] * alpha + background[c] * (1.0 - alpha))
        };
        self.image.pixels().map(compose).collect()
    }
}

/// Why a file gave no picture.
enum Problem {
    Decoder(ImageError),
    Size(u32, u32),
}

impl From<ImageError> for Problem {
    fn from(error: ImageError) -> Self {
        Self::Decoder(error)
    }
}

impl Problem {
    fn failure(self, path: &Path) -> Failure {
        match self {
            Self::Size(width, height) => {
                let message = format!(
                    "{width} x {height} pixels are too many to read (limit: {} million)",
                    MOST_PX / 1_000_000
                );
                Failure::limit(message).in_file(path).hint("scale the picture down first")
            }
            Self::Decoder(ImageError::Limits(e)) => Failure::limit(e.to_string()).in_file(path),
            Self::Decoder(ImageError::Unsupported(e)) => not_a_picture(path, e),
            Self::Decoder(e) => Failure::file(path, format!("the picture cannot be read: {e}")),
        }
    }
}

fn not_a_picture(path: &Path, problem: impl std::fmt::Display) -> Failure {
    Failure::file(path, format!("not a picture that can be read: {problem}"))
        .hint("pictures are read as PNG, JPEG or WebP")
}

/// The picture, and what a person should know about it.
fn decode(bytes: Vec<u8>) -> Result<(Rgba16, Option<String>), Problem> {
    let mut reader = ImageReader::new(Cursor::new(bytes));
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_PX * PX_BYTES);
    reader.limits(limits);
    let reader = reader.with_guessed_format().map_err(ImageError::IoError)?;
    let mut decoder = reader.into_decoder()?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MOST_PX {
        return Err(Problem::Size(width, height));
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
