//! Changes of pictures: what headers say, and chunks whose checksums are made right again.

use super::bytes;
use crate::png::{self, Chunk};
use crate::random::Random;

/// What fields of headers are set to: nothing, limits of formats, and sizes that memory does
/// not hold.
const FIELDS: [u32; 20] = [
    0,
    1,
    2,
    3,
    8,
    255,
    256,
    4096,
    11_000,
    16_384,
    30_000,
    32_767,
    32_768,
    65_535,
    65_536,
    1_000_000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
];
/// Where headers end, in most formats.
const HEADER: usize = 64;

/// A picture with a change.
pub fn changed(picture: Vec<u8>, random: &mut Random) -> Vec<u8> {
    if let Some(chunks) = png::chunks(&picture)
        && !random.once_in(4)
    {
        return png::file(&changed_chunks(chunks, random));
    }
    if picture.starts_with(&[0xff, 0xd8]) && random.once_in(2) {
        return changed_segment(picture, random);
    }
    with_field(picture, random)
}

/// A PNG's chunks: their contents changed, or their order.
fn changed_chunks(mut chunks: Vec<Chunk>, random: &mut Random) -> Vec<Chunk> {
    if chunks.is_empty() {
        return chunks;
    }
    let (at, other) = (random.below(chunks.len()), random.below(chunks.len()));
    match random.below(8) {
        0 => drop(chunks.remove(at)),
        1 => {
            let copy = chunks[at].clone();
            chunks.insert(other, copy);
        }
        2 => chunks.swap(at, other),
        // Sizes, depth, kind of colour, interlacing.
        3 | 4 => {
            let header = std::mem::take(&mut chunks[0].data);
            chunks[0].data = with_field(header, random);
        }
        5 => chunks[at].name[random.below(4)] ^= 1 << random.below(8),
        _ => {
            let data = std::mem::take(&mut chunks[at].data);
            let other = chunks[other].data.clone();
            chunks[at].data = bytes::changed(data, &other, random);
        }
    }
    chunks
}

/// A JPEG with a byte or a size changed in one of its segments, scans excepted.
fn changed_segment(mut jpeg: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let mut segments = Vec::new();
    let mut at = 2;
    while let Some(&[0xff, kind, high, low]) = jpeg.get(at..at + 4) {
        let length = usize::from(u16::from_be_bytes([high, low]));
        segments.push((at + 4)..(at + 2 + length).min(jpeg.len()));
        if kind == 0xda {
            break;
        }
        at += 2 + length;
    }
    segments.retain(|segment| !segment.is_empty());
    if segments.is_empty() {
        return with_field(jpeg, random);
    }
    let segment = segments[random.below(segments.len())].clone();
    let at = segment.start + random.below(segment.len().min(HEADER));
    if random.once_in(2) {
        jpeg[at] = random.next() as u8;
        return jpeg;
    }
    put_field(&mut jpeg, at, random);
    jpeg
}

/// Bytes with a number in their header, or seldom elsewhere, that is another.
fn with_field(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let end = if random.once_in(4) { bytes.len() } else { bytes.len().min(HEADER) };
    let at = random.below(end);
    put_field(&mut bytes, at, random);
    bytes
}

/// Writes one, two or four bytes, in either order.
fn put_field(bytes: &mut [u8], at: usize, random: &mut Random) {
    let value = FIELDS[random.below(FIELDS.len())];
    let field: Vec<u8> = match random.below(5) {
        0 => vec![value as u8],
        1 => (value as u16).to_le_bytes().to_vec(),
        2 => (value as u16).to_be_bytes().to_vec(),
        3 => value.to_le_bytes().to_vec(),
        _ => value.to_be_bytes().to_vec(),
    };
    for (byte, new) in bytes.iter_mut().skip(at).zip(field) {
        *byte = new;
    }
}
