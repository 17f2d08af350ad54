//! What a file tells of its memory before it is decoded.

use std::io::{self, BufRead, ErrorKind, Read, Seek};
use tiff::decoder::Decoder;
use tiff::tags::{CompressionMethod, Tag};

/// What is read: a file, or bytes in memory.
pub trait Source: BufRead + Seek {}
impl<S: BufRead + Seek> Source for S {}

/// A JPEG, by its segments up to the first scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JpegOutline {
    /// Does it come to its end mark? The decoder fills what is missing with grey and says
    /// nothing.
    pub is_whole: bool,
    /// Planes of colour.
    pub components: u8,
    /// Are they in several scans, as in progressive files? Then the decoder keeps all
    /// coefficients until the last.
    pub has_scans: bool,
}

impl JpegOutline {
    /// Reads segments up to the first scan, and looks for the end mark from there. A
    /// photograph's preview has an end mark of its own, in a segment; in a scan, 0xff 0xd9 is
    /// never data.
    pub fn read(source: &mut dyn Source) -> io::Result<Self> {
        let mut outline = Self::default();
        match outline.follow(source) {
            Err(e) if e.kind() == ErrorKind::UnexpectedEof => Ok(outline),
            result => result.map(|()| outline),
        }
    }

    fn follow(&mut self, source: &mut dyn Source) -> io::Result<()> {
        const FRAME_KINDS: std::ops::RangeInclusive<u8> = 0xc0..=0xcf;
        const TABLES: [u8; 3] = [0xc4, 0xc8, 0xcc];
        const SCAN: u8 = 0xda;
        // The first two bytes say that it is a JPEG.
        source.seek_relative(2)?;
        loop {
            let kind = next_mark(source)?;
            let length = i64::from(u16::from_be_bytes(bytes(source)?));
            if kind == SCAN {
                let [planes] = bytes(source)?;
                self.has_scans |= planes != self.components;
                self.is_whole = has_end(source)?;
                return Ok(());
            }
            let mut left = length - 2;
            if FRAME_KINDS.contains(&kind) && !TABLES.contains(&kind) {
                // Depth, height and width come first.
                let [_, _, _, _, _, components] = bytes(source)?;
                left -= 6;
                self.components = components;
                self.has_scans |= kind > 0xc1;
            }
            source.seek_relative(left.max(0))?;
        }
    }
}

/// The kind of the next segment. Fill bytes, and rubbish between segments, are the decoder's
/// business.
fn next_mark(source: &mut dyn Source) -> io::Result<u8> {
    let mut last = 0;
    loop {
        let [byte] = bytes(source)?;
        if last == 0xff && byte != 0xff {
            return Ok(byte);
        }
        last = byte;
    }
}

/// Is there an end mark in what is left?
fn has_end(source: &mut dyn Source) -> io::Result<bool> {
    let mut last = 0;
    loop {
        let buffer = source.fill_buf()?;
        if buffer.is_empty() {
            return Ok(false);
        }
        if (last == 0xff && buffer[0] == 0xd9) || buffer.windows(2).any(|p| p == [0xff, 0xd9]) {
            return Ok(true);
        }
        last = buffer[buffer.len() - 1];
        let length = buffer.len();
        source.consume(length);
    }
}

/// A WebP, by its chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WebpOutline {
    /// Are its profile and its notes in the file? The decoder makes room for as much as they
    /// claim to be.
    pub is_whole: bool,
    /// Does it hold several frames?
    pub is_film: bool,
}

impl WebpOutline {
    /// Reads the chunks of a file of so many bytes.
    pub fn read(source: &mut dyn Source, length: u64) -> io::Result<Self> {
        const FILM: u8 = 2;
        let mut head = Vec::new();
        source.take(21).read_to_end(&mut head)?;
        let is_extended = head.len() == 21 && head[12..16] == *b"VP8X";
        let is_film = is_extended && head[20] & FILM != 0;
        let mut outline = Self { is_whole: true, is_film };
        let mut at = 12;
        while is_extended && at + 8 <= length {
            source.seek(io::SeekFrom::Start(at))?;
            let name: [u8; 4] = bytes(source)?;
            let size = u64::from(u32::from_le_bytes(bytes(source)?));
            outline.is_whole &= !matches!(&name, b"ICCP" | b"EXIF") || at + 8 + size <= length;
            // Chunks are padded to even sizes.
            at += 8 + size + size % 2;
        }
        Ok(outline)
    }
}

/// Are the strips of a TIFF pictures of their own? Their sizes are anybody's guess. (A file that
/// cannot be read as far as that is refused later.)
pub fn holds_jpegs(source: &mut dyn Source) -> bool {
    let compression = Decoder::new(source)
        .and_then(|mut tiff| tiff.find_tag_unsigned::<u16>(Tag::Compression))
        .unwrap_or_default();
    let jpegs = [CompressionMethod::JPEG, CompressionMethod::ModernJPEG].map(|m| m.to_u16());
    compression.is_some_and(|method| jpegs.contains(&method))
}

/// The next bytes.
fn bytes<const N: usize>(source: &mut dyn Source) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    source.read_exact(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Cursor};

    fn outline(bytes: &[u8]) -> JpegOutline {
        // A buffer of a few bytes, so that marks lie across its ends.
        JpegOutline::read(&mut BufReader::with_capacity(3, Cursor::new(bytes))).unwrap()
    }

    #[test]
    fn scans_and_planes_are_told() {
        let mut baseline = Vec::new();
        let encoder = jpeg_encoder::Encoder::new(&mut baseline, 80);
        encoder.encode(&[9; 16 * 8 * 3], 16, 8, jpeg_encoder::ColorType::Rgb).unwrap();
        let expected = JpegOutline { is_whole: true, components: 3, has_scans: false };
        assert_eq!(outline(&baseline), expected);
        let mut progressive = Vec::new();
        let mut encoder = jpeg_encoder::Encoder::new(&mut progressive, 80);
        encoder.set_progressive(true);
        encoder.encode(&[9; 16 * 8], 16, 8, jpeg_encoder::ColorType::Luma).unwrap();
        let expected = JpegOutline { is_whole: true, components: 1, has_scans: true };
        assert_eq!(outline(&progressive), expected);
        assert!(!outline(&progressive[..progressive.len() - 1]).is_whole);
    }
}
