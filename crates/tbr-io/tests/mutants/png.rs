//! PNG chunk by chunk: to change them, and to make kinds that no encoder at hand makes.

/// A chunk, without its length and checksum.
#[derive(Clone)]
pub struct Chunk {
    /// Its four letters.
    pub name: [u8; 4],
    /// What it holds.
    pub data: Vec<u8>,
}

const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
/// The passes of an interlaced picture: first column and row, and steps.
const PASSES: [[usize; 4]; 7] = [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
];
/// Both sides of the pictures that are made here.
const SIDE: usize = 9;

/// The chunks of a file; none if it is no PNG.
pub fn chunks(file: &[u8]) -> Option<Vec<Chunk>> {
    let mut rest = file.strip_prefix(&SIGNATURE)?;
    let mut chunks = Vec::new();
    while let Some((head, tail)) = rest.split_first_chunk::<8>() {
        let [a, b, c, d, name @ ..] = *head;
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        let Some(data) = tail.get(..length) else { break };
        chunks.push(Chunk { name, data: data.to_vec() });
        rest = tail.get(length + 4..).unwrap_or_default();
    }
    Some(chunks)
}

/// A file of chunks, with right lengths and checksums.
pub fn file(chunks: &[Chunk]) -> Vec<u8> {
    let mut file = SIGNATURE.to_vec();
    for Chunk { name, data } in chunks {
        let body = [name.as_slice(), data].concat();
        file.extend((data.len() as u32).to_be_bytes());
        file.extend(&body);
        file.extend(crc(&body).to_be_bytes());
    }
    file
}

/// A small picture with so many bits a sample, of a kind of colour as PNG numbers them.
pub fn picture(bits: usize, colour: u8, interlaced: bool) -> Vec<u8> {
    let channels = [1, 0, 3, 1, 2, 0, 4][usize::from(colour)];
    let side = (SIDE as u32).to_be_bytes();
    let header = [&side[..], &side, &[bits as u8, colour, 0, 0, u8::from(interlaced)]].concat();
    let mut chunks = vec![Chunk { name: *b"IHDR", data: header }];
    if colour == 3 {
        let palette = (0..3 << bits).map(|k| (k * 37) as u8).collect();
        chunks.push(Chunk { name: *b"PLTE", data: palette });
        chunks.push(Chunk { name: *b"tRNS", data: vec![0, 128] });
    }
    let passes = if interlaced { &PASSES[..] } else { &[[0, 0, 1, 1]] };
    let mut rows = Vec::new();
    for [column, row, across, down] in passes {
        let width = SIDE.saturating_sub(*column).div_ceil(*across);
        let height = SIDE.saturating_sub(*row).div_ceil(*down);
        for k in 0..height {
            // Each row by another filter.
            rows.push((k % 5) as u8);
            rows.extend((0..(width * channels * bits).div_ceil(8)).map(|i| (i * 41 + k) as u8));
        }
    }
    chunks.push(Chunk { name: *b"IDAT", data: stored(&rows) });
    chunks.push(Chunk { name: *b"IEND", data: Vec::new() });
    file(&chunks)
}

/// Bytes as a zlib stream that does not compress them.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len() as u16;
    let head = [0x78, 0x01, 1];
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in bytes {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    let sum = (b << 16 | a).to_be_bytes();
    [&head[..], &length.to_le_bytes(), &(!length).to_le_bytes(), bytes, &sum].concat()
}

fn crc(bytes: &[u8]) -> u32 {
    let step = |c: u32, _| if c & 1 == 1 { c >> 1 ^ 0xedb8_8320 } else { c >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}
