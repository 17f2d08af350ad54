//! Pictures in files, for comparisons that failed.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;

/// How much brighter differences are shown than they are.
const GAIN: u8 = 4;
/// Pixels of grey between the three pictures.
const GAP_PX: usize = 2;

/// Size and pixels of a PNG of eight bits a channel.
pub fn read_png(path: &Path) -> ((u32, u32), Vec<[u8; 3]>) {
    let file = File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut reader = png::Decoder::new(BufReader::new(file)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    ((info.width, info.height), bytes.as_chunks::<3>().0.to_vec())
}

pub fn write_png(path: &Path, (width, height): (u32, u32), pixels: &[[u8; 3]]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path).unwrap()), width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(pixels.as_flattened()).unwrap();
}

/// Expected, difference and actual side by side.
pub fn write_strip(path: &Path, size: (u32, u32), expected: &[[u8; 3]], actual: &[[u8; 3]]) {
    let width = size.0 as usize;
    let difference: Vec<[u8; 3]> = expected
        .iter()
        .zip(actual)
        .map(|(a, b)| std::array::from_fn(|c| a[c].abs_diff(b[c]).saturating_mul(GAIN)))
        .collect();
    let mut pixels = Vec::new();
    for row in 0..size.1 as usize {
        for (k, picture) in [expected, &difference, actual].into_iter().enumerate() {
            if k > 0 {
                pixels.extend([[128; 3]; GAP_PX]);
            }
            pixels.extend(&picture[row * width..(row + 1) * width]);
        }
    }
    write_png(path, ((3 * width + 2 * GAP_PX) as u32, size.1), &pixels);
}
