//! GIF: at most 256 colours a frame. Hard renders of small palettes are exact.

use super::{Format, Frames};
use crate::failure::Failure;
use crate::files::Output;
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use std::collections::HashMap;

/// Colours of a frame, one place being kept for what does not change.
const MOST_COLOURS: usize = 255;
/// How hard frames of more colours are looked at, 1 (slow) to 30.
const SPEED: i32 = 10;

pub fn write(mut output: Output, format: &Format, frames: Frames) -> Result<(), Failure> {
    let path = output.path().to_owned();
    let failure = |e| Failure::file(&path, e);
    let (width, height) = (format.width_px as u16, format.height_px as u16);
    let mut encoder = Encoder::new(&mut output, width, height, &[]).map_err(failure)?;
    if format.repeat {
        encoder.set_repeat(Repeat::Infinite).map_err(failure)?;
    }
    let (mut before, mut reduced) = (Vec::new(), false);
    for (k, pixels) in frames.enumerate() {
        let pixels = pixels?;
        let mut frame = exact(format, &before, &pixels).unwrap_or_else(|| {
            reduced = true;
            Frame::from_rgb_speed(width, height, &pixels, SPEED)
        });
        frame.delay = format.duration(k, 100.0).min(u32::from(u16::MAX)) as u16;
        frame.dispose = DisposalMethod::Keep;
        encoder.write_frame(&frame).map_err(failure)?;
        // (Of a frame with other colours than it should have, nothing can be said to stay.)
        before = if frame.transparent.is_some() { pixels } else { Vec::new() };
    }
    encoder.into_inner().map_err(|e| Failure::file(&path, e))?;
    if reduced {
        tell!("note: a GIF has 256 colours a frame, so some were changed; WebP and PNG are exact");
    }
    output.finish()
}

/// A frame with its own exact colours, if they are few enough; pixels that are as they were
/// `before` become transparent, which is short.
fn exact(format: &Format, before: &[u8], pixels: &[u8]) -> Option<Frame<'static>> {
    let mut entries: HashMap<[u8; 3], u8> = HashMap::new();
    let mut palette = Vec::new();
    let mut indices = Vec::with_capacity(pixels.len() / 3);
    let mut before = before.chunks_exact(3);
    for pixel in pixels.chunks_exact(3) {
        if before.next() == Some(pixel) {
            indices.push(MOST_COLOURS as u8);
            continue;
        }
        let colour = [pixel[0], pixel[1], pixel[2]];
        let count = entries.len();
        let entry = *entries.entry(colour).or_insert(count as u8);
        if entries.len() > MOST_COLOURS {
            return None;
        }
        if entries.len() > count {
            palette.extend(colour);
        }
        indices.push(entry);
    }
    palette.resize(3 * (MOST_COLOURS + 1), 0);
    let (width, height) = (format.width_px as u16, format.height_px as u16);
    Some(Frame::from_palette_pixels(width, height, indices, palette, Some(MOST_COLOURS as u8)))
}
