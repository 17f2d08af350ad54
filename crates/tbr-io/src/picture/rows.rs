//! Anything that renders, one row of pixels at a time.

use crate::progress::Progress;
use std::ops::Range;
use tbr::render::Replay;
use tbr::{Image, Stop};

/// Pixels rendered at once: enough for many cores, 32 MB as floats.
const CHUNK_PX: u32 = 1 << 21;

/// What renders pixels in strips, whole rows each.
pub trait Source {
    /// Pixels across.
    fn width_px(&self) -> u32;
    /// Pixels down.
    fn height_px(&self) -> u32;
    /// How many strips there are.
    fn strips(&self) -> u32;
    /// Rows of the first strip, which is the largest.
    fn strip_rows(&self) -> u32;
    /// The pixels of some strips, row by row, premultiplied.
    fn pixels(&self, strips: Range<u32>) -> Vec<[f32; 4]>;
    /// May it take so long that a person at a terminal wants to see it go on?
    fn is_slow(&self) -> bool {
        true
    }
    /// Has somebody lost interest? Then an encoder may stop where it is.
    fn is_unwanted(&self) -> bool {
        false
    }
}

impl Source for Replay {
    fn width_px(&self) -> u32 {
        self.width_px()
    }
    fn height_px(&self) -> u32 {
        self.height_px()
    }
    fn strips(&self) -> u32 {
        self.strips()
    }
    fn strip_rows(&self) -> u32 {
        self.rows(0..1).len() as u32
    }
    fn pixels(&self, strips: Range<u32>) -> Vec<[f32; 4]> {
        self.pixels(strips)
    }
}

/// A replay that shows no bar, and that somebody may stop: what is left of it is then empty.
pub struct StoppableReplay<'a> {
    replay: &'a Replay,
    stop: &'a Stop,
}

impl<'a> StoppableReplay<'a> {
    /// A replay, unless it is stopped: whoever is done with it asks `stop` whether it was.
    pub fn new(replay: &'a Replay, stop: &'a Stop) -> Self {
        Self { replay, stop }
    }
}

impl Source for StoppableReplay<'_> {
    fn width_px(&self) -> u32 {
        self.replay.width_px()
    }
    fn height_px(&self) -> u32 {
        self.replay.height_px()
    }
    fn strips(&self) -> u32 {
        self.replay.strips()
    }
    fn strip_rows(&self) -> u32 {
        Source::strip_rows(self.replay)
    }
    fn pixels(&self, strips: Range<u32>) -> Vec<[f32; 4]> {
        self.replay.pixels_unless(strips, self.stop)
    }
    fn is_slow(&self) -> bool {
        false
    }
    fn is_unwanted(&self) -> bool {
        self.stop.is_wanted()
    }
}

/// A picture that is drawn already; each row is a strip.
pub struct DrawnImage(pub Image);

impl Source for DrawnImage {
    fn width_px(&self) -> u32 {
        self.0.width_px()
    }
    fn height_px(&self) -> u32 {
        self.0.height_px()
    }
    fn strips(&self) -> u32 {
        self.0.height_px()
    }
    fn strip_rows(&self) -> u32 {
        1
    }
    fn pixels(&self, strips: Range<u32>) -> Vec<[f32; 4]> {
        let rows = strips.flat_map(|j| self.0.row(j as usize));
        rows.map(|[r, g, b]| [*r as f32, *g as f32, *b as f32, 1.0]).collect()
    }
    fn is_slow(&self) -> bool {
        false
    }
}

/// Renders a few strips at a time and hands out their rows.
pub struct Rows<'a> {
    source: &'a dyn Source,
    alpha: bool,
    chunk: Vec<[f32; 4]>,
    next_strip: u32,
    next_row: usize,
    rows_done: usize,
    progress: Progress,
}

impl<'a> Rows<'a> {
    pub fn new(source: &'a dyn Source, alpha: bool, progress: Progress) -> Self {
        let chunk = Vec::new();
        Self { source, alpha, chunk, next_strip: 0, next_row: 0, rows_done: 0, progress }
    }

    pub fn width(&self) -> u32 {
        self.source.width_px()
    }

    pub fn is_unwanted(&self) -> bool {
        self.source.is_unwanted()
    }

    pub fn height(&self) -> u32 {
        self.source.height_px()
    }

    pub fn channels(&self) -> usize {
        if self.alpha { 4 } else { 3 }
    }

    /// The next row, premultiplied.
    fn next(&mut self) -> &[[f32; 4]] {
        let width = self.width() as usize;
        if self.next_row * width >= self.chunk.len() {
            let strip_px = self.source.strip_rows() * self.width();
            let end = (self.next_strip + (CHUNK_PX / strip_px).max(1)).min(self.source.strips());
            self.chunk = self.source.pixels(self.next_strip..end);
            self.next_strip = end;
            self.next_row = 0;
            self.progress.set(self.rows_done);
        }
        let start = self.next_row * width;
        self.next_row += 1;
        self.rows_done += 1;
        &self.chunk[start..start + width]
    }

    /// Appends the next row as bytes.
    pub fn next_8(&mut self, out: &mut Vec<u8>) {
        let channels = self.channels();
        for pixel in self.next() {
            let straight = unmultiplied(*pixel);
            out.extend(straight[..channels].iter().map(|v| (v * 255.0).round() as u8));
        }
    }

    /// Appends the next row as numbers from 0 to 1.
    pub fn next_floats(&mut self, out: &mut Vec<f32>) {
        let channels = self.channels();
        for pixel in self.next() {
            out.extend_from_slice(&unmultiplied(*pixel)[..channels]);
        }
    }

    /// Appends the next row as big-endian 16-bit numbers.
    pub fn next_16(&mut self, out: &mut Vec<u8>) {
        let channels = self.channels();
        for pixel in self.next() {
            let straight = unmultiplied(*pixel);
            let values = straight[..channels].iter().map(|v| (v * 65535.0).round() as u16);
            out.extend(values.flat_map(u16::to_be_bytes));
        }
    }
}

fn unmultiplied([r, g, b, a]: [f32; 4]) -> [f32; 4] {
    if a <= 0.0 { [0.0; 4] } else { [r / a, g / a, b / a, a] }
}
