//! Changes of bytes that mean nothing in particular.

use crate::random::Random;

/// Bytes that mean something in many formats.
const SPECIAL: [u8; 12] = [0, 1, 0x7f, 0x80, 0xff, b'\n', b'\r', b' ', b'"', b'{', b',', b'-'];

/// Some bytes with a change.
pub fn changed(mut bytes: Vec<u8>, other: &[u8], random: &mut Random) -> Vec<u8> {
    match random.below(8) {
        0 => flip(&mut bytes, random),
        1 => replace(&mut bytes, random),
        2 => {
            let at = random.below(bytes.len() + 1);
            let count = random.length().min(64);
            let new: Vec<u8> = (0..count).map(|_| byte(random)).collect();
            bytes.splice(at..at, new);
        }
        3 => {
            let span = short_span(bytes.len(), random);
            bytes.drain(span);
        }
        4 => {
            let span = short_span(bytes.len(), random);
            let copy = bytes[span].to_vec();
            let at = random.below(bytes.len() + 1);
            let most = if random.once_in(10) { 500 } else { 3 };
            bytes.splice(at..at, copy.repeat(1 + random.below(most)));
        }
        5 => {
            let at = random.below(bytes.len() + 1);
            bytes.truncate(at);
        }
        6 => return spliced(&bytes, other, random),
        _ => {
            for _ in 0..random.length().min(bytes.len()) {
                flip(&mut bytes, random);
            }
        }
    }
    bytes
}

fn byte(random: &mut Random) -> u8 {
    if random.once_in(2) { SPECIAL[random.below(SPECIAL.len())] } else { random.next() as u8 }
}

fn flip(bytes: &mut [u8], random: &mut Random) {
    if !bytes.is_empty() {
        bytes[random.below(bytes.len())] ^= 1 << random.below(8);
    }
}

fn replace(bytes: &mut [u8], random: &mut Random) {
    if !bytes.is_empty() {
        bytes[random.below(bytes.len())] = byte(random);
    }
}

/// A part of something, most often a small one.
fn short_span(length: usize, random: &mut Random) -> std::ops::Range<usize> {
    if random.once_in(4) {
        return random.span(length);
    }
    let start = random.below(length + 1);
    start..(start + random.length()).min(length)
}

/// The beginning of one and the end of another.
fn spliced(one: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let (end, start) = (random.below(one.len() + 1), random.below(other.len() + 1));
    [&one[..end], &other[start..]].concat()
}
