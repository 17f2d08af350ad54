//! Animated PNG: lossless, any size.

use super::{Format, Frames};
use crate::failure::Failure;
use crate::files::Output;
use crate::picture::png_encoder;

/// Delays are counted in milliseconds; longer ones than this cannot be said.
const MOST_MS: u32 = 65_535;

pub fn write(mut output: Output, format: &Format, frames: Frames) -> Result<(), Failure> {
    let path = output.path().to_owned();
    let failure = |e| Failure::file(&path, e);
    let mut encoder = png_encoder(&mut output, (format.width_px, format.height_px), format.alpha);
    encoder.set_animated(format.frames as u32, u32::from(!format.repeat)).map_err(failure)?;
    let mut writer = encoder.write_header().map_err(failure)?;
    for (k, frame) in frames.enumerate() {
        let frame = frame?;
        let delay = format.duration(k, 1000.0).min(MOST_MS) as u16;
        writer
            .set_frame_delay(delay, 1000)
            .and_then(|()| writer.write_image_data(&frame))
            .map_err(failure)?;
    }
    writer.finish().map_err(failure)?;
    output.finish()
}
