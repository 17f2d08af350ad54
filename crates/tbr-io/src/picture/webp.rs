//! WebP, lossless; the format's encoder wants the whole picture at once.

use super::rows::Rows;
use super::{Encoding, srgb_profile};
use crate::failure::Failure;
use crate::files::Output;
use image_webp::{ColorType, WebPEncoder};

pub fn write(encoding: &Encoding, rows: &mut Rows, output: &mut Output) -> Result<(), Failure> {
    let (width, height) = (rows.width(), rows.height());
    let mut bytes = Vec::with_capacity(width as usize * height as usize * rows.channels());
    for _ in 0..height {
        rows.next_8(&mut bytes);
    }
    let mut encoder = WebPEncoder::new(&mut *output);
    encoder.set_icc_profile(srgb_profile()?);
    let color = if encoding.alpha { ColorType::Rgba8 } else { ColorType::Rgb8 };
    encoder.encode(&bytes, width, height, color).map_err(|e| output.failure(e))
}
