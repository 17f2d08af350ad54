//! A folder of numbered PNGs, for other tools to make a film of. It appears when all are there.

use super::{Format, Frames};
use crate::failure::Failure;
use crate::files::FolderOutput;
use crate::picture::png_encoder;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// What a frame's name begins and ends with; a number stands between.
const PREFIX: &str = "frame-";
const SUFFIX: &str = ".png";

pub fn write(path: &Path, force: bool, format: &Format, frames: Frames) -> Result<(), Failure> {
    let folder = FolderOutput::create(path, force, is_frame)?;
    let mut number = 0;
    for (k, frame) in frames.enumerate() {
        let frame = frame?;
        for _ in 0..format.times(k) {
            number += 1;
            let file = folder.file(&format!("{PREFIX}{number:05}{SUFFIX}"));
            file.and_then(|file| write_frame(&file, format, &frame))
                .map_err(|e| Failure::file(path, e))?;
        }
    }
    folder.finish()
}

/// Is this a name that we give?
fn is_frame(name: &str) -> bool {
    let number = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    number.is_some_and(|n| n.len() >= 5 && n.bytes().all(|b| b.is_ascii_digit()))
}

fn write_frame(file: &File, format: &Format, pixels: &[u8]) -> std::io::Result<()> {
    let size = (format.width_px, format.height_px);
    let mut writer = png_encoder(BufWriter::new(file), size, format.alpha).write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    file.sync_all()
}
