//! Animated WebP, lossless. The crate that encodes still pictures does the frames; the
//! container around them, which no crate without C code writes, is a few headers.

use super::{Format, Frames};
use crate::failure::Failure;
use crate::files::Output;
use image_webp::{ColorType, EncodingError, WebPEncoder};
use std::io::Write;

/// Flags of the container: it is a film, and there may be transparency.
const ANIMATION: u8 = 0x02;
const ALPHA: u8 = 0x10;
/// A frame replaces what was there; it is not blended over it.
const NO_BLEND: u8 = 0x02;
/// Bytes before the picture's own chunk in a still file.
const STILL_HEADER: usize = 12;
/// Bytes that a file may have: its length is said in 32 bits.
const MOST_BYTES: u64 = u32::MAX as u64 - 1;

pub fn write(output: Output, format: &Format, frames: Frames) -> Result<(), Failure> {
    let mut file = Container { output, length: 0 };
    // The length is filled in at the end.
    file.write(b"RIFF\0\0\0\0WEBP")?;
    let mut header = vec![ANIMATION | if format.alpha { ALPHA } else { 0 }, 0, 0, 0];
    header.extend(bytes_24(format.width_px - 1));
    header.extend(bytes_24(format.height_px - 1));
    file.chunk(b"VP8X", &header)?;
    let plays = u16::from(!format.repeat).to_le_bytes();
    file.chunk(b"ANIM", &[255, 255, 255, 255, plays[0], plays[1]])?;
    for (k, pixels) in frames.enumerate() {
        let frame = frame(format, k, &pixels?).map_err(|e| file.output.failure(e))?;
        file.chunk(b"ANMF", &frame)?;
    }
    let length = (file.length - 8) as u32;
    file.output.patch(4, &length.to_le_bytes())?;
    file.output.finish()
}

/// What a frame's chunk holds: its place, its size, how long it stays, and the picture.
fn frame(format: &Format, k: usize, pixels: &[u8]) -> Result<Vec<u8>, EncodingError> {
    let Format { width_px, height_px, alpha, .. } = *format;
    let mut still = Vec::new();
    let color = if alpha { ColorType::Rgba8 } else { ColorType::Rgb8 };
    WebPEncoder::new(&mut still).encode(pixels, width_px, height_px, color)?;
    let mut frame = Vec::with_capacity(still.len() + 16);
    frame.extend([0; 6]);
    frame.extend(bytes_24(width_px - 1));
    frame.extend(bytes_24(height_px - 1));
    frame.extend(bytes_24(format.duration(k, 1000.0)));
    frame.push(NO_BLEND);
    frame.extend(&still[STILL_HEADER..]);
    Ok(frame)
}

/// A file of chunks.
struct Container {
    output: Output,
    length: u64,
}

impl Container {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.length += bytes.len() as u64;
        if self.length > MOST_BYTES {
            return Err(Failure::limit("a WebP cannot be longer than 4 GB")
                .hint("fewer or smaller frames, or an MP4"));
        }
        self.output.write_all(bytes).map_err(|e| self.output.failure(e))
    }

    /// A chunk: its name, its length, what it holds, and a byte that makes it even.
    fn chunk(&mut self, name: &[u8; 4], bytes: &[u8]) -> Result<(), Failure> {
        self.write(name)?;
        self.write(&(bytes.len() as u32).to_le_bytes())?;
        self.write(bytes)?;
        if bytes.len() % 2 == 1 { self.write(&[0]) } else { Ok(()) }
    }
}

/// The lower three bytes, lowest first.
fn bytes_24(value: u32) -> [u8; 3] {
    let [a, b, c, _] = value.min(0x00ff_ffff).to_le_bytes();
    [a, b, c]
}
