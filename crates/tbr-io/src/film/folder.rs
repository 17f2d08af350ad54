//! A folder of numbered PNGs, for other tools to make a film of.

use super::{Format, Frames};
use crate::failure::Failure;
use crate::files::Output;
use crate::picture::png_encoder;
use std::path::Path;

pub fn write(path: &Path, format: &Format, frames: Frames) -> Result<(), Failure> {
    std::fs::create_dir_all(path).map_err(|e| Failure::file(path, e))?;
    let mut number = 0;
    for (k, frame) in frames.enumerate() {
        let frame = frame?;
        for _ in 0..format.times(k) {
            number += 1;
            write_frame(&path.join(name(number)), format, &frame)?;
        }
    }
    remove_later(path, number)
}

fn name(number: usize) -> String {
    format!("frame-{number:05}.png")
}

/// Removes what a longer film has left in the folder: frames that would follow ours.
fn remove_later(path: &Path, last: usize) -> Result<(), Failure> {
    let mut later = (last + 1..).map(|number| path.join(name(number)));
    while let Some(frame) = later.next().filter(|frame| frame.exists()) {
        std::fs::remove_file(&frame).map_err(|e| Failure::file(&frame, e))?;
    }
    Ok(())
}

fn write_frame(path: &Path, format: &Format, pixels: &[u8]) -> Result<(), Failure> {
    let mut output = Output::create(path)?;
    let encoder = png_encoder(&mut output, (format.width_px, format.height_px), format.alpha);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(pixels)?;
        writer.finish()
    });
    written.map_err(|e| output.failure(e))?;
    output.finish()
}
