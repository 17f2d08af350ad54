//! Small pictures of every kind that is read.

use crate::png;
use image::codecs::bmp::BmpEncoder;
use image::codecs::gif::GifEncoder;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::codecs::tiff::TiffEncoder;
use image::codecs::webp::WebPEncoder;
use image::{
    Delay, ExtendedColorType as Stored, Frame, ImageEncoder, ImageResult, Rgba, RgbaImage,
};
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};
use std::io::Cursor;

/// Both sides, pixels.
const SIDE: u16 = 12;
/// Orientation 6: turn me clockwise.
const EXIF: &[u8] = b"II\x2a\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";

/// All of them.
pub fn pictures() -> Vec<Vec<u8>> {
    [pngs(), jpegs(), webps(), tiffs(), bmps(), gifs()].concat()
}

/// Bytes that look like a picture of so many channels.
fn pixels(channels: usize) -> Vec<u8> {
    (0..usize::from(SIDE).pow(2) * channels).map(|k| (k * k / 7 + 13 * k) as u8).collect()
}

fn side() -> u32 {
    SIDE.into()
}

/// The bytes that an encoder writes.
fn encoded(write: impl FnOnce(&mut Cursor<Vec<u8>>) -> ImageResult<()>) -> Vec<u8> {
    let mut cursor = Cursor::new(Vec::new());
    write(&mut cursor).expect("a picture");
    cursor.into_inner()
}

/// A profile that is not sRGB.
fn profile() -> Vec<u8> {
    moxcms::ColorProfile::new_display_p3().encode().expect("a profile")
}

fn pngs() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for interlaced in [false, true] {
        let kinds = [(1, 0), (4, 0), (16, 0), (2, 3), (8, 3), (8, 2), (16, 2), (8, 4), (16, 6)];
        files.extend(kinds.map(|(bits, colour)| png::picture(bits, colour, interlaced)));
    }
    files.push(encoded(|w| {
        let mut encoder = PngEncoder::new(w);
        encoder.set_icc_profile(profile()).expect("a profile");
        encoder.set_exif_metadata(EXIF.to_vec()).expect("an orientation");
        encoder.write_image(&pixels(3), side(), side(), Stored::Rgb8)
    }));
    files
}

fn jpegs() -> Vec<Vec<u8>> {
    let kinds = [
        (ColorType::Luma, 1, false),
        (ColorType::Rgb, 3, false),
        (ColorType::Rgb, 3, true),
        (ColorType::Cmyk, 4, false),
        (ColorType::CmykAsYcck, 4, true),
    ];
    let mut files: Vec<Vec<u8>> = kinds.map(|(kind, n, early)| jpeg(kind, n, early)).to_vec();
    files.push(encoded(|w| {
        let mut encoder = JpegEncoder::new_with_quality(w, 60);
        encoder.set_icc_profile(profile()).expect("a profile");
        encoder.set_exif_metadata(EXIF.to_vec()).expect("an orientation");
        encoder.write_image(&pixels(3), side(), side(), Stored::Rgb8)
    }));
    files
}

/// A JPEG with halved colours and restart marks, progressive or not.
fn jpeg(kind: ColorType, channels: usize, progressive: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, 70);
    encoder.set_progressive(progressive);
    encoder.set_sampling_factor(SamplingFactor::F_2_2);
    encoder.set_restart_interval(1);
    encoder.encode(&pixels(channels), SIDE, SIDE, kind).expect("a picture");
    bytes
}

fn webps() -> Vec<Vec<u8>> {
    let plain = |channels: usize, stored: Stored| {
        encoded(|w| {
            let encoder = WebPEncoder::new_lossless(w);
            encoder.write_image(&pixels(channels), side(), side(), stored)
        })
    };
    let extended = encoded(|w| {
        let mut encoder = WebPEncoder::new_lossless(w);
        encoder.set_icc_profile(profile()).expect("a profile");
        encoder.set_exif_metadata(EXIF.to_vec()).expect("an orientation");
        encoder.write_image(&pixels(4), side(), side(), Stored::Rgba8)
    });
    vec![plain(3, Stored::Rgb8), plain(4, Stored::Rgba8), extended]
}

fn tiffs() -> Vec<Vec<u8>> {
    let kinds = [
        (1, Stored::L8),
        (2, Stored::L16),
        (3, Stored::Rgb8),
        (8, Stored::Rgba16),
        (12, Stored::Rgb32F),
    ];
    let kinds = kinds.map(|(bytes, stored)| {
        // As many bytes as a pixel has; those of floats are small numbers.
        let pixels = match stored {
            Stored::Rgb32F => 0.25_f32.to_ne_bytes().repeat(3 * usize::from(SIDE).pow(2)),
            _ => pixels(bytes),
        };
        encoded(|w| TiffEncoder::new(w).write_image(&pixels, side(), side(), stored))
    });
    let profiled = encoded(|w| {
        let mut encoder = TiffEncoder::new(w);
        encoder.set_icc_profile(profile()).expect("a profile");
        encoder.write_image(&pixels(3), side(), side(), Stored::Rgb8)
    });
    kinds.into_iter().chain([profiled]).collect()
}

fn bmps() -> Vec<Vec<u8>> {
    [(1, Stored::L8), (3, Stored::Rgb8), (4, Stored::Rgba8)]
        .map(|(channels, stored)| {
            let pixels = pixels(channels);
            encoded(|w| BmpEncoder::new(w).write_image(&pixels, side(), side(), stored))
        })
        .to_vec()
}

fn gifs() -> Vec<Vec<u8>> {
    let frame = |by: u32| {
        let pixel =
            |i: u32, j: u32| Rgba([(by * i) as u8, (20 * j) as u8, 90, 255 * (i > 2) as u8]);
        let image = RgbaImage::from_fn(side(), side(), pixel);
        Frame::from_parts(image, 0, 0, Delay::from_numer_denom_ms(100, 1))
    };
    [1, 2]
        .map(|count| {
            encoded(|w| GifEncoder::new(w).encode_frames((0..count).map(|k| frame(7 + k))))
        })
        .to_vec()
}
