//! JPEG, streamed: the encoder asks for one row after the other.

use super::rows::Rows;
use super::{Encoding, srgb_profile};
use crate::failure::Failure;
use crate::files::Output;
use jpeg_encoder::{
    Encoder, ImageBuffer, JpegColorType, PixelDensity, SamplingFactor, rgb_to_ycbcr,
};
use std::cell::RefCell;

pub fn write(encoding: &Encoding, rows: Rows, output: &mut Output) -> Result<(), Failure> {
    let profile = srgb_profile()?;
    let mut encoder = Encoder::new(&mut *output, encoding.quality);
    // Full colour resolution: deposits have sharp, saturated edges.
    encoder.set_sampling_factor(SamplingFactor::F_1_1);
    if let Some(dpi) = encoding.dpi {
        let dpi = dpi.round() as u16;
        encoder.set_density(PixelDensity::dpi(dpi));
    }
    let image = RowImage { rows: RefCell::new(rows), current: RefCell::new((None, Vec::new())) };
    let written = encoder.add_icc_profile(&profile).and_then(|()| encoder.encode_image(image));
    written.map_err(|e| output.failure(e))
}

/// Rows as the encoder wants them: from the top, the last perhaps several times.
struct RowImage<'a> {
    rows: RefCell<Rows<'a>>,
    /// The row that was asked for last, and its number.
    current: RefCell<(Option<u16>, Vec<u8>)>,
}

impl ImageBuffer for RowImage<'_> {
    fn get_jpeg_color_type(&self) -> JpegColorType {
        JpegColorType::Ycbcr
    }
    fn width(&self) -> u16 {
        self.rows.borrow().width() as u16
    }
    fn height(&self) -> u16 {
        self.rows.borrow().height() as u16
    }
    fn fill_buffers(&self, y: u16, buffers: &mut [Vec<u8>; 4]) {
        let (number, bytes) = &mut *self.current.borrow_mut();
        if number.replace(y) != Some(y) {
            bytes.clear();
            self.rows.borrow_mut().next_8(bytes);
        }
        for pixel in bytes.chunks_exact(3) {
            let (y, cb, cr) = rgb_to_ycbcr(pixel[0], pixel[1], pixel[2]);
            buffers[0].push(y);
            buffers[1].push(cb);
            buffers[2].push(cr);
        }
    }
}
