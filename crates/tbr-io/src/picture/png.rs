//! PNG, streamed to a file or whole in memory.

use super::rows::Rows;
use super::{Encoding, Size};
use crate::failure::Failure;
use crate::files::Output;
use png::{BitDepth, ColorType, Compression, PixelDimensions, SrgbRenderingIntent, Unit};
use std::io::Write;
use tbr::Image;

const INCHES_PER_METRE: f64 = 1.0 / 0.0254;

pub fn write(encoding: &Encoding, rows: &mut Rows, output: &mut Output) -> Result<(), Failure> {
    let result = stream(encoding, rows, output);
    result.map_err(|e| output.failure(e))
}

/// An encoder of sRGB in eight bits.
pub fn png_encoder<W: Write>(
    output: W,
    (width, height): Size,
    alpha: bool,
) -> png::Encoder<'static, W> {
    let mut encoder = png::Encoder::new(output, width, height);
    encoder.set_color(if alpha { ColorType::Rgba } else { ColorType::Rgb });
    encoder.set_depth(BitDepth::Eight);
    encoder.set_source_srgb(SrgbRenderingIntent::RelativeColorimetric);
    encoder
}

fn stream(
    encoding: &Encoding,
    rows: &mut Rows,
    output: &mut Output,
) -> Result<(), png::EncodingError> {
    let mut encoder = png_encoder(output, (rows.width(), rows.height()), encoding.alpha);
    encoder.set_depth(if encoding.depth == 16 { BitDepth::Sixteen } else { BitDepth::Eight });
    encoder.set_pixel_dims(encoding.dpi.map(|dpi| {
        let per_metre = (dpi * INCHES_PER_METRE).round() as u32;
        PixelDimensions { xppu: per_metre, yppu: per_metre, unit: Unit::Meter }
    }));
    let mut header = encoder.write_header()?;
    let mut writer = header.stream_writer()?;
    let mut bytes = Vec::new();
    for _ in 0..rows.height() {
        if rows.is_unwanted() {
            return Err(std::io::Error::other("nobody wants it any more").into());
        }
        bytes.clear();
        if encoding.depth == 16 {
            rows.next_16(&mut bytes)
        } else {
            rows.next_8(&mut bytes)
        }
        writer.write_all(&bytes)?;
    }
    writer.finish()?;
    header.finish()
}

/// A picture as the bytes of a PNG, eight bits a channel.
pub fn png_bytes(image: &Image) -> Result<Vec<u8>, Failure> {
    compressed(&image.to_rgb8(), image.size(), Compression::Balanced)
}

/// Rows of RGB as the bytes of a PNG, made quickly: it goes no farther than this machine.
pub fn quick_png(pixels: &[u8], size: Size) -> Result<Vec<u8>, Failure> {
    compressed(pixels, size, Compression::Fastest)
}

fn compressed(pixels: &[u8], size: Size, effort: Compression) -> Result<Vec<u8>, Failure> {
    let mut file = Vec::with_capacity(pixels.len() / 2);
    let write = |file: &mut Vec<u8>| {
        let mut encoder = png_encoder(file, size, false);
        encoder.set_compression(effort);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(pixels)?;
        writer.finish()
    };
    write(&mut file).map_err(|e| {
        let (width, height) = size;
        Failure::limit(format!("{width} x {height} pixels cannot be written as a PNG: {e}"))
    })?;
    Ok(file)
}
