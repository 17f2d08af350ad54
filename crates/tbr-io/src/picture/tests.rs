//! Every kind of picture that is read, by its pixels, and what is refused. All files
//! are made here.

use super::{Picture, Values};
use crate::failure::Failure;
use image::codecs::bmp::BmpEncoder;
use image::codecs::gif::GifEncoder;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::codecs::tiff::TiffEncoder;
use image::codecs::webp::WebPEncoder;
use image::{
    Delay, ExtendedColorType as Stored, Frame, ImageEncoder, ImageResult, Rgba, RgbaImage,
};
use std::io::Cursor;
use tbr::program::Colour;

const BLACK: Colour = [0.0; 3];
/// Two pixels of three bytes, and of four.
const RGB: [u8; 6] = [10, 100, 200, 250, 0, 51];
const RGBA: [u8; 8] = [10, 100, 200, 255, 250, 0, 51, 51];

/// A picture's colours over a background, at its own size.
fn over(picture: &Picture, background: Colour) -> Vec<Colour> {
    picture.over_at(background, picture.size()).unwrap().into_pixels()
}

/// Reads a picture from bytes, as from a file.
fn read(bytes: &[u8]) -> Result<Picture, Failure> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    Picture::read(file.path())
}

/// What a failure says.
fn said(bytes: &[u8]) -> String {
    format!("{:?}", read(bytes).err().expect("a failure"))
}

/// Colours of bytes.
fn colours(bytes: &[u8]) -> Vec<Colour> {
    let value = |v: &u8| f64::from(*v) / 255.0;
    bytes.chunks(3).map(|p| [value(&p[0]), value(&p[1]), value(&p[2])]).collect()
}

#[track_caller]
fn assert_close(picture: &Picture, expected: &[Colour], tolerance: f64) {
    let found = over(picture, BLACK);
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!((a - b).abs() <= tolerance, "{found:?} is not {expected:?}");
    }
}

/// The bytes that an encoder writes.
fn encoded(write: impl FnOnce(&mut Cursor<Vec<u8>>) -> ImageResult<()>) -> Vec<u8> {
    let mut cursor = Cursor::new(Vec::new());
    write(&mut cursor).unwrap();
    cursor.into_inner()
}

/// A picture 2 wide and 1 high by each encoder that loses nothing.
fn lossless(pixels: &[u8], stored: Stored) -> [Vec<u8>; 4] {
    [
        encoded(|w| PngEncoder::new(w).write_image(pixels, 2, 1, stored)),
        encoded(|w| TiffEncoder::new(w).write_image(pixels, 2, 1, stored)),
        encoded(|w| BmpEncoder::new(w).write_image(pixels, 2, 1, stored)),
        encoded(|w| WebPEncoder::new_lossless(w).write_image(pixels, 2, 1, stored)),
    ]
}

fn gif(frames: &[RgbaImage]) -> Vec<u8> {
    encoded(|w| {
        let frame =
            |i: &RgbaImage| Frame::from_parts(i.clone(), 0, 0, Delay::from_numer_denom_ms(100, 1));
        GifEncoder::new(w).encode_frames(frames.iter().map(frame))
    })
}

/// A picture 16 x 8 of one colour of four inks.
fn four_inks(inks: [u8; 4], kind: jpeg_encoder::ColorType) -> Vec<u8> {
    let mut bytes = Vec::new();
    let encoder = jpeg_encoder::Encoder::new(&mut bytes, 100);
    encoder.encode(&inks.repeat(128), 16, 8, kind).unwrap();
    bytes
}

/// A PNG of one row that claims to be 30000 x 30000.
fn bomb() -> Vec<u8> {
    let [mut png, ..] = lossless(&RGB, Stored::Rgb8);
    png[16..24].copy_from_slice(&[0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30]);
    let crc = !png[12..29].iter().fold(!0u32, |crc, byte| {
        let step = |c: u32, _| if c & 1 == 1 { c >> 1 ^ 0xedb8_8320 } else { c >> 1 };
        (0..8).fold(crc ^ u32::from(*byte), step)
    });
    png[29..33].copy_from_slice(&crc.to_be_bytes());
    png
}

#[test]
fn eight_bits_of_colour_are_read_exactly() {
    for file in lossless(&RGB, Stored::Rgb8) {
        let picture = read(&file).unwrap();
        assert_eq!(picture.size(), (2, 1));
        assert_eq!(over(&picture, BLACK), colours(&RGB));
    }
}

#[test]
fn grey_is_read_exactly() {
    for file in lossless(&[7, 200], Stored::L8) {
        assert_eq!(over(&read(&file).unwrap(), BLACK), colours(&[7, 7, 7, 200, 200, 200]));
    }
}

#[test]
fn alpha_is_straight() {
    for file in lossless(&RGBA, Stored::Rgba8) {
        let picture = read(&file).unwrap();
        let second = [250.0, 0.0, 51.0].map(|v| 0.2 * v / 255.0);
        assert_close(&picture, &[colours(&RGB)[0], second], 1e-12);
    }
}

#[test]
fn what_is_transparent_shows_what_lies_behind() {
    for file in lossless(&[9, 9, 9, 0, 200, 200, 200, 0], Stored::Rgba8) {
        let picture = read(&file).unwrap();
        assert_eq!(over(&picture, [0.25, 0.5, 0.75]), [[0.25, 0.5, 0.75]; 2]);
    }
}

#[test]
fn sixteen_bits_are_read_exactly() {
    let words: [u16; 6] = [1, 1000, 30_001, 65_535, 257, 0];
    let bytes: Vec<u8> = words.iter().flat_map(|v| v.to_ne_bytes()).collect();
    let expected: Vec<f64> = words.iter().map(|v| f64::from(*v) / 65_535.0).collect();
    for file in [
        encoded(|w| PngEncoder::new(w).write_image(&bytes, 2, 1, Stored::Rgb16)),
        encoded(|w| TiffEncoder::new(w).write_image(&bytes, 2, 1, Stored::Rgb16)),
    ] {
        assert_eq!(over(&read(&file).unwrap(), BLACK).concat(), expected);
    }
    for file in [
        encoded(|w| PngEncoder::new(w).write_image(&bytes, 6, 1, Stored::L16)),
        encoded(|w| TiffEncoder::new(w).write_image(&bytes, 6, 1, Stored::L16)),
    ] {
        let grey: Vec<f64> = over(&read(&file).unwrap(), BLACK).iter().map(|c| c[1]).collect();
        assert_eq!(grey, expected);
    }
}

#[test]
fn of_a_moving_gif_the_first_frame_is_read() {
    let frame = |pixel: [u8; 4]| RgbaImage::from_pixel(3, 2, Rgba(pixel));
    let moving = gif(&[frame([10, 100, 200, 255]), frame([255, 0, 0, 255])]);
    let picture = read(&moving).unwrap();
    assert_eq!(picture.size(), (3, 2));
    assert_eq!(over(&picture, BLACK), [colours(&RGB)[0]; 6]);
    let clear = read(&gif(&[frame([0; 4])])).unwrap();
    assert_eq!(over(&clear, [0.5; 3]), [[0.5; 3]; 6]);
}

#[test]
fn jpegs_of_colour_and_grey_are_read() {
    let flat = [10, 100, 200].repeat(128);
    let file =
        encoded(|w| JpegEncoder::new_with_quality(w, 100).write_image(&flat, 16, 8, Stored::Rgb8));
    assert_close(&read(&file).unwrap(), &[colours(&RGB)[0]; 128], 0.01);
    let file = encoded(|w| {
        JpegEncoder::new_with_quality(w, 100).write_image(&[77; 128], 16, 8, Stored::L8)
    });
    assert_close(&read(&file).unwrap(), &[[77.0 / 255.0; 3]; 128], 0.01);
}

/// Each ink takes its share of one light, black of all.
#[test]
fn jpegs_of_four_inks_are_read() {
    let inks = [204, 51, 0, 51].map(|v: u8| f64::from(v) / 255.0);
    let expected = std::array::from_fn(|c| (1.0 - inks[c]) * (1.0 - inks[3]));
    for kind in [jpeg_encoder::ColorType::Cmyk, jpeg_encoder::ColorType::CmykAsYcck] {
        let picture = read(&four_inks([204, 51, 0, 51], kind)).unwrap();
        assert_close(&picture, &[expected; 128], 0.015);
    }
}

/// Orientation 6 says: turn me clockwise.
#[test]
fn the_orientation_is_followed() {
    let exif = b"II\x2a\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
    let webp = encoded(|w| {
        let mut encoder = WebPEncoder::new_lossless(w);
        encoder.set_exif_metadata(exif.to_vec()).unwrap();
        encoder.write_image(&RGB, 2, 1, Stored::Rgb8)
    });
    let png = encoded(|w| {
        let mut encoder = PngEncoder::new(w);
        encoder.set_exif_metadata(exif.to_vec()).unwrap();
        encoder.write_image(&RGB, 1, 2, Stored::Rgb8)
    });
    let picture = read(&webp).unwrap();
    assert_eq!(picture.size(), (1, 2));
    assert_eq!(over(&picture, BLACK), colours(&RGB));
    let picture = read(&png).unwrap();
    assert_eq!(picture.size(), (2, 1));
    let turned: Vec<Colour> = colours(&RGB).into_iter().rev().collect();
    assert_eq!(over(&picture, BLACK), turned);
}

#[test]
fn profiles_are_converted_in_every_kind_that_has_them() {
    let profile = moxcms::ColorProfile::new_display_p3().encode().unwrap();
    // The reader of TIFF gives tags no more memory than pixels: not too few of them.
    let pixels = [128, 153, 102].repeat(128 * 128);
    let tiff = encoded(|w| {
        let mut encoder = TiffEncoder::new(w);
        encoder.set_icc_profile(profile.clone()).unwrap();
        encoder.write_image(&pixels, 128, 128, Stored::Rgb8)
    });
    let webp = encoded(|w| {
        let mut encoder = WebPEncoder::new_lossless(w);
        encoder.set_icc_profile(profile.clone()).unwrap();
        encoder.write_image(&pixels, 128, 128, Stored::Rgb8)
    });
    // P3's (0.5, 0.6, 0.4) in sRGB, by the published matrices.
    let expected = [[0.4763, 0.6037, 0.3760]; 128 * 128];
    assert_close(&read(&webp).unwrap(), &expected, 2e-3);
    assert_close(&read(&tiff).unwrap(), &expected, 2e-3);
}

#[test]
fn single_pixels_and_thin_strips_are_read() {
    let one = encoded(|w| PngEncoder::new(w).write_image(&RGB[..3], 1, 1, Stored::Rgb8));
    assert_eq!(over(&read(&one).unwrap(), BLACK), [colours(&RGB)[0]]);
    let strip: Vec<u8> = (0..2000).map(|k| (k % 251) as u8).collect();
    for (width, height) in [(1, 2000), (2000, 1)] {
        let file = encoded(|w| TiffEncoder::new(w).write_image(&strip, width, height, Stored::L8));
        let picture = read(&file).unwrap();
        assert_eq!(picture.size(), (width, height));
        let grey: Vec<u8> =
            over(&picture, BLACK).iter().map(|c| (c[0] * 255.0).round() as u8).collect();
        assert_eq!(grey, strip);
    }
}

/// Noise, which does not compress, so that half a file is half a picture.
#[test]
fn files_cut_short_are_refused() {
    let noise: Vec<u8> =
        (0..48 * 32 * 3_u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let image = RgbaImage::from_fn(48, 32, |i, j| {
        let k = 3 * (48 * j + i) as usize;
        Rgba([noise[k], noise[k + 1], noise[k + 2], 255])
    });
    let write = |encoder: &dyn Fn(&mut Cursor<Vec<u8>>) -> ImageResult<()>| encoded(encoder);
    let files = [
        ("png", write(&|w| PngEncoder::new(w).write_image(&noise, 48, 32, Stored::Rgb8))),
        ("jpeg", write(&|w| JpegEncoder::new(w).write_image(&noise, 48, 32, Stored::Rgb8))),
        (
            "webp",
            write(&|w| WebPEncoder::new_lossless(w).write_image(&noise, 48, 32, Stored::Rgb8)),
        ),
        ("tiff", write(&|w| TiffEncoder::new(w).write_image(&noise, 48, 32, Stored::Rgb8))),
        ("bmp", write(&|w| BmpEncoder::new(w).write_image(&noise, 48, 32, Stored::Rgb8))),
        ("gif", gif(&[image])),
    ];
    for (kind, file) in files {
        assert!(read(&file).is_ok(), "{kind}");
        for share in [0.1, 0.5, 0.9] {
            let length = (share * file.len() as f64) as usize;
            let said = said(&file[..length]);
            assert!(said.contains("kind: File"), "{kind} at {share}: {said}");
        }
    }
}

/// The end mark of a preview is not that of the picture.
#[test]
fn the_preview_of_a_photograph_does_not_pass_for_its_end() {
    let flat = [10, 100, 200].repeat(128);
    let jpeg = encoded(|w| JpegEncoder::new(w).write_image(&flat, 16, 8, Stored::Rgb8));
    let preview = [&[0xff, 0xe1, 0, 8][..], b"\xff\xd8..\xff\xd9"].concat();
    let whole = [&jpeg[..2], &preview, &jpeg[2..]].concat();
    assert!(read(&whole).is_ok());
    assert!(said(&whole[..whole.len() - 20]).contains("cut short"));
}

#[test]
fn claims_of_too_many_pixels_are_refused_with_the_limit() {
    let said = said(&bomb());
    assert!(said.contains("30000 x 30000") && said.contains("134 million"), "{said}");
    assert!(said.contains("kind: Limit"), "{said}");
}

#[test]
fn what_is_no_picture_is_refused_with_the_kinds() {
    for bytes in [&b"no picture at all"[..], b"", b"%PDF-1.7 and so on"] {
        let said = said(bytes);
        assert!(said.contains("not a picture") && said.contains("TIFF, BMP or GIF"), "{said}");
    }
}

/// A file, a pipe's bytes and the same bytes beside something large.
#[test]
fn what_is_held_already_leaves_less_room() {
    let [png, ..] = lossless(&RGB, Stored::Rgb8);
    let name = std::path::Path::new("a.png");
    assert_eq!(Picture::decode(png.clone(), name).unwrap().bytes(), 6);
    let failure = Picture::decode_beside(1 << 30, png, name).err().unwrap();
    let said = format!("{failure:?}");
    assert!(said.contains("kind: Limit") && said.contains("2 x 1 pixels"), "{said}");
}

/// The decoder would make room for all that a profile claims to be.
#[test]
fn a_webp_whose_profile_is_not_there_is_refused() {
    let webp = encoded(|w| {
        let mut encoder = WebPEncoder::new_lossless(w);
        encoder.set_icc_profile(vec![0; 100]).unwrap();
        encoder.write_image(&RGB, 2, 1, Stored::Rgb8)
    });
    let at = webp.windows(4).position(|name| name == b"ICCP").unwrap();
    let mut claim = webp.clone();
    claim[at + 4..at + 8].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(said(&claim).contains("cut short"));
    assert_eq!(over(&read(&webp).unwrap(), BLACK), colours(&RGB));
}

/// Its strips may be of any size, whatever the TIFF says of itself.
#[test]
fn a_tiff_of_jpegs_is_refused() {
    let mut tiff = encoded(|w| TiffEncoder::new(w).write_image(&RGB, 2, 1, Stored::Rgb8));
    // The tag of the compression, a short, once: no longer 1 but 7.
    let tag = [3, 1, 3, 0, 1, 0, 0, 0, 1, 0];
    let at = tiff.windows(10).position(|bytes| bytes == tag).unwrap();
    tiff[at + 8] = 7;
    assert!(said(&tiff).contains("holds JPEGs"));
}

/// Whatever the depth and the channels, values mean what they mean in a file.
#[test]
fn values_in_memory_are_pictures() {
    let words = |bytes: &[u8]| Values::Words(bytes.iter().map(|v| u16::from(*v) * 257).collect());
    let floats =
        |bytes: &[u8]| Values::Floats(bytes.iter().map(|v| f32::from(*v) / 255.0).collect());
    let own = |bytes: &[u8]| Values::Bytes(bytes.to_vec());
    for values in [own(&RGB), words(&RGB), floats(&RGB)] {
        assert_close(&Picture::of_values((2, 1), 3, values).unwrap(), &colours(&RGB), 1e-12);
    }
    let transparent = encoded(|out| PngEncoder::new(out).write_image(&RGBA, 2, 1, Stored::Rgba8));
    let expected = over(&read(&transparent).unwrap(), [1.0; 3]);
    for values in [own(&RGBA), words(&RGBA), floats(&RGBA)] {
        assert_eq!(over(&Picture::of_values((2, 1), 4, values).unwrap(), [1.0; 3]), expected);
    }
    let grey = colours(&[10, 10, 10, 250, 250, 250]);
    for values in [own(&[10, 250]), words(&[10, 250]), floats(&[10, 250])] {
        assert_close(&Picture::of_values((1, 2), 1, values).unwrap(), &grey, 1e-12);
    }
    for values in [own(&[10, 255, 250, 255]), floats(&[10, 255, 250, 255])] {
        assert_close(&Picture::of_values((1, 2), 2, values).unwrap(), &grey, 1e-12);
    }
    for (size, channels) in [((2, 1), 4), ((0, 0), 3), ((3, 1), 3), ((1, 1), 3), ((6, 1), 5)] {
        assert!(Picture::of_values(size, channels, own(&RGB)).is_err(), "{size:?} {channels}");
    }
}
