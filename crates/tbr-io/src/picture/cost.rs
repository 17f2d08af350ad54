//! What it takes to decode a picture, and the limits that follow: no picture may bring a
//! command over a gigabyte.

use super::outline::{JpegOutline, WebpOutline};
use super::resample::Size;
use image::Limits;

/// The most pixels: above nearly any camera's. A small file can claim to hold far more.
const MOST_PX: u64 = 1 << 27;
/// The longest side. Decoders hold some rows at once, and programs' canvases end long before.
const MOST_SIDE_PX: u32 = tbr::render::MAX_SIDE_PX;
/// The most bytes that are held once a picture is decoded, in the depth of its file: 134
/// million pixels of three bytes. As much again is left for what is made of it.
const HELD_BYTES: u64 = 3 << 27;
/// The most bytes while it is decoded, the compressed ones among them if they are in memory.
pub const DECODING_BYTES: u64 = 800 << 20;
/// The most bytes that are read into memory, from a pipe for example: several photographs.
pub const MOST_BYTES: u64 = 1 << 27;
/// The most bytes of a file whose decoder wants all of it in memory.
const COMPRESSED_BYTES: u64 = 1 << 28;
/// What decoders may take beside pixels: rows, tables, profiles, notes.
const ASIDE_BYTES: u64 = 64 << 20;

/// What decoding takes, beside the picture itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// How many times the decoded picture is held at once.
    copies: u64,
    /// Bytes for each pixel that are of another depth.
    px_bytes: u64,
    /// Bytes of the file that are held.
    file_bytes: u64,
}

/// Limits of a picture that are passed.
pub enum Excess {
    /// Width and height, and the most pixels of such pictures.
    Pixels(Size, u64),
    /// The most pixels of a side.
    Side(Size, u32),
    /// The most compressed bytes.
    Compressed(u64),
}

impl Default for Cost {
    /// Of kinds that are decoded row by row into the picture.
    fn default() -> Self {
        Self { copies: 1, px_bytes: 0, file_bytes: 0 }
    }
}

impl Cost {
    /// The decoder reads all of the file, and keeps coefficients of two bytes until the last
    /// scan.
    pub fn of_jpeg(outline: JpegOutline, length: u64) -> Self {
        let px_bytes = if outline.has_scans { 2 * u64::from(outline.components) } else { 0 };
        Self { px_bytes, file_bytes: length, ..Self::default() }
    }

    /// A frame's brightness, two colours and transparency, the last as a picture of its own; in
    /// films also the frame and the canvas that it is laid on.
    pub fn of_webp(outline: WebpOutline, length: u64) -> Self {
        let px_bytes = if outline.is_film { 15 } else { 7 };
        Self { px_bytes, file_bytes: length, ..Self::default() }
    }

    /// The decoder makes a copy.
    pub fn of_tiff() -> Self {
        Self { copies: 2, ..Self::default() }
    }

    /// Refuses a picture of `own` bytes a pixel that there is no room for.
    pub fn check(&self, (width, height): Size, own: u64, room: Room) -> Result<(), Excess> {
        if self.file_bytes > COMPRESSED_BYTES {
            return Err(Excess::Compressed(COMPRESSED_BYTES));
        }
        if width.max(height) > MOST_SIDE_PX {
            return Err(Excess::Side((width, height), MOST_SIDE_PX));
        }
        let bytes = room.bytes().saturating_sub(self.file_bytes);
        let most = (bytes / (own * self.copies + self.px_bytes)).min(HELD_BYTES / own);
        let most = most.min(room.most_px);
        if u64::from(width) * u64::from(height) > most {
            return Err(Excess::Pixels((width, height), most));
        }
        Ok(())
    }
}

/// The room that there is for a picture.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// The most pixels.
    pub most_px: u64,
    /// Bytes of other things that are held meanwhile.
    pub beside: u64,
}

impl Default for Room {
    /// For one picture alone.
    fn default() -> Self {
        Self { most_px: MOST_PX, beside: 0 }
    }
}

impl Room {
    /// Bytes for decoding.
    fn bytes(&self) -> u64 {
        DECODING_BYTES.saturating_sub(self.beside)
    }

    /// The limits of a decoder of a picture of so many bytes. Strips of a TIFF may be as large as
    /// the picture, and frames of a GIF.
    pub fn limits(&self, picture_bytes: u64) -> Limits {
        let mut limits = Limits::default();
        limits.max_alloc = Some((2 * picture_bytes + ASIDE_BYTES).min(self.bytes()));
        limits
    }
}

/// The limits of a decoder before the picture's size is known.
pub fn first_limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_alloc = Some(ASIDE_BYTES);
    limits
}

impl std::fmt::Display for Excess {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Pixels((width, height), most) => {
                let most = *most as f64 / 1e6;
                let digits = usize::from(most < 10.0);
                write!(f, "{width} x {height} pixels are too many to read ")?;
                write!(f, "(limit: {most:.digits$} million)")
            }
            Self::Side((width, height), most) => {
                write!(f, "{width} x {height} pixels are too many to read (limit: {most} a side)")
            }
            Self::Compressed(most) => {
                write!(f, "the file is too large to read (limit: {} MB)", most / 1_000_000)
            }
        }
    }
}
