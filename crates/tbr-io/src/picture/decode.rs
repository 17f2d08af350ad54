//! From a file's bytes to decoded pixels, within the limits of memory.

use super::cost::{self, Cost, DECODING_BYTES, Excess, MOST_BYTES, Room};
use super::outline::{JpegOutline, Source, WebpOutline, holds_jpegs};
use super::profile::Conversion;
use super::stored::Stored;
use crate::caught::caught;
use crate::failure::Failure;
use crate::files::{self, DASH};
use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader};
use std::fs::File;
use std::io::{BufReader, Cursor, Read, SeekFrom};
use std::path::Path;

/// The kinds of picture that are read, for messages.
const KINDS: &str = "PNG, JPEG, WebP, TIFF, BMP or GIF";

/// Decodes a file, or standard input for `-`. A file is read as it is decoded; what cannot be
/// read from the start again, like a pipe, is read into memory first.
pub fn decode_file(path: &Path, room: Room) -> Result<Stored, Failure> {
    if let Some(file) = regular_file(path)? {
        return decode_source(&mut BufReader::new(file), room, path);
    }
    decode_bytes(files::read_bytes(path, MOST_BYTES)?, room, path)
}

/// Decodes the bytes of a file; `path` is what messages call it.
pub fn decode_bytes(bytes: Vec<u8>, room: Room, path: &Path) -> Result<Stored, Failure> {
    let room = Room { beside: room.beside + bytes.len() as u64, ..room };
    decode_source(&mut Cursor::new(bytes), room, path)
}

/// The first bytes of a file; none of what cannot be read from the start again.
pub fn start_of(path: &Path) -> Result<Vec<u8>, Failure> {
    /// Enough for the marks of all kinds of picture, and for spaces before a text begins.
    const START_BYTES: u64 = 4096;
    let mut start = Vec::new();
    if let Some(file) = regular_file(path)? {
        let read = file.take(START_BYTES).read_to_end(&mut start);
        read.map_err(|e| Failure::file(path, e))?;
    }
    Ok(start)
}

/// Does a file begin as a picture of a kind that is read?
pub fn is_picture(start: &[u8]) -> bool {
    image::guess_format(start).is_ok_and(|format| format.reading_enabled())
}

/// A file that can be read from the start again; none for standard input, pipes and the like.
fn regular_file(path: &Path) -> Result<Option<File>, Failure> {
    if path == Path::new(DASH) {
        return Ok(None);
    }
    let open = || {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        Ok((file, metadata))
    };
    let (file, metadata) = open().map_err(|e: std::io::Error| Failure::file(path, e))?;
    Ok(metadata.is_file().then_some(file))
}

fn decode_source(source: &mut dyn Source, room: Room, path: &Path) -> Result<Stored, Failure> {
    let decoded = caught(|| decode(source, room)).unwrap_or_else(|said| Err(Problem::Panic(said)));
    let (stored, note) = decoded.map_err(|problem| problem.failure(path))?;
    if let Some(note) = note {
        tell!("note: {}: {note}", path.display());
    }
    Ok(stored)
}

/// Why a file gave no picture.
enum Problem {
    Decoder(ImageError),
    Excess(Excess),
    CutShort,
    Empty,
    NoPixels,
    Panic(String),
    JpegsInTiff,
}

impl From<ImageError> for Problem {
    fn from(error: ImageError) -> Self {
        Self::Decoder(error)
    }
}

impl From<std::io::Error> for Problem {
    fn from(error: std::io::Error) -> Self {
        Self::Decoder(ImageError::IoError(error))
    }
}

impl Problem {
    fn failure(self, path: &Path) -> Failure {
        match self {
            Self::Excess(excess) => {
                let limit = Failure::limit(excess.to_string()).in_file(path);
                limit.hint("scale the picture down first")
            }
            Self::CutShort => {
                Failure::file(path, "the picture cannot be read: the file is cut short")
            }
            Self::Empty => not_a_picture(path, "the file is empty"),
            Self::NoPixels => not_a_picture(path, "it has no pixels"),
            Self::Panic(said) => {
                let message = format!("the picture cannot be read: its decoder failed ({said})");
                Failure::file(path, message)
            }
            Self::JpegsInTiff => not_a_picture(path, "it is a TIFF that holds JPEGs"),
            Self::Decoder(ImageError::Limits(_)) => {
                let most = DECODING_BYTES / 1_000_000;
                let message = format!("too much memory is needed to read it (limit: {most} MB)");
                Failure::limit(message).in_file(path).hint("scale the picture down first")
            }
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
fn decode(source: &mut dyn Source, room: Room) -> Result<(Stored, Option<String>), Problem> {
    let (format, cost) = look(source)?;
    let mut reader = ImageReader::new(source);
    if let Some(format) = format {
        reader.set_format(format);
    }
    reader.limits(cost::first_limits());
    let mut decoder = reader.into_decoder()?;
    if decoder.dimensions().0 == 0 || decoder.dimensions().1 == 0 {
        return Err(Problem::NoPixels);
    }
    let own_px_bytes = u64::from(decoder.color_type().bytes_per_pixel());
    cost.check(decoder.dimensions(), own_px_bytes, room).map_err(Problem::Excess)?;
    decoder.set_limits(room.limits(decoder.total_bytes()))?;
    let profile = decoder.icc_profile()?;
    let orientation = decoder.orientation()?;
    let grey = !decoder.color_type().has_color();
    let (conversion, note) = match profile.map(|p| Conversion::of(&p, grey)).transpose() {
        Ok(conversion) => (conversion.flatten(), None),
        Err(problem) => (None, Some(format!("{problem}; its values are taken as sRGB"))),
    };
    let image = DynamicImage::from_decoder(decoder)?;
    Ok((Stored { image, orientation, conversion }, note))
}

/// The kind of a file and what it takes to decode it, from a first look.
fn look(source: &mut dyn Source) -> Result<(Option<ImageFormat>, Cost), Problem> {
    if source.fill_buf()?.is_empty() {
        return Err(Problem::Empty);
    }
    let format = ImageReader::new(&mut *source).with_guessed_format()?.format();
    source.rewind()?;
    let length = source.seek(SeekFrom::End(0))?;
    source.rewind()?;
    let cost = match format {
        Some(ImageFormat::Jpeg) => {
            let outline = JpegOutline::read(source)?;
            outline.is_whole.then(|| Cost::of_jpeg(outline, length)).ok_or(Problem::CutShort)?
        }
        Some(ImageFormat::WebP) => {
            let outline = WebpOutline::read(source, length)?;
            outline.is_whole.then(|| Cost::of_webp(outline, length)).ok_or(Problem::CutShort)?
        }
        Some(ImageFormat::Tiff) if holds_jpegs(source) => return Err(Problem::JpegsInTiff),
        Some(ImageFormat::Tiff) => Cost::of_tiff(),
        _ => Cost::default(),
    };
    source.rewind()?;
    Ok((format, cost))
}
