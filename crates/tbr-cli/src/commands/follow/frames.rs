//! Which frames of a film are followed, and what colours it has.

use std::path::PathBuf;
use tbr::fit::palette::{for_eyes, of_picture};
use tbr::fit::{Palette, Target};
use tbr::{Colour, Image};
use tbr_io::Failure;
use tbr_io::fit::Shard;
use tbr_io::frames::Frames;

/// Frames that a part goes on beyond its end, where it dissolves into the next: a third of a second
/// of most films.
const OVERLAP: usize = 8;
/// The most frames that a palette is chosen by, and the side of each: many small ones tell more of a
/// film's colours than a few large ones.
const SAMPLES: usize = 32;
const SAMPLE_PX: u32 = 32;
/// Samples in a row of the sheet that the palette is chosen on.
const COLUMNS: usize = 8;

/// Some frames of a film.
pub struct Part {
    pub first: usize,
    /// The first that does not belong to it.
    end: usize,
}

impl Part {
    /// A part of a film, or all of it. (The frames of a film are counted only where that is needed.)
    pub fn of(film: &[PathBuf], fps: Option<f64>, part: Option<Shard>) -> Result<Self, Failure> {
        let mut all = 0;
        for frame in Frames::open(film, fps)? {
            frame?;
            all += 1;
        }
        if all == 0 {
            return Err(Failure::file(&film[0], "the film has no frames"));
        }
        let Some(part) = part else { return Ok(Self { first: 0, end: all }) };
        let (index, count) = (part.index() as usize, part.count() as usize);
        if count > all {
            let message = format!("{part}: the film has only {all} frames");
            return Err(Failure::usage(message));
        }
        let bound = |k: usize| k * all / count;
        let end = if index + 1 == count { all } else { (bound(index + 1) + OVERLAP).min(all) };
        Ok(Self { first: bound(index), end })
    }

    /// How many there are.
    pub fn frames(&self) -> usize {
        self.end - self.first
    }
}

/// The palette of a film: of so many colours, chosen by frames from all over it.
pub fn palette(
    film: &[PathBuf],
    fps: Option<f64>,
    count: usize,
    seed: u64,
    matte: Colour,
) -> Result<Palette, Failure> {
    let (mut samples, mut every) = (Vec::new(), 1);
    for (k, frame) in Frames::open(film, fps)?.enumerate() {
        let picture = frame?.picture;
        if k % every == 0 {
            samples.push(points_of(&picture.over_at(matte, picture.size())?)?);
        }
        if samples.len() > SAMPLES {
            every *= 2;
            samples = samples.into_iter().step_by(2).collect();
        }
    }
    let sheet = Target::new(contact_sheet(&samples)?, None)?;
    let colours = for_eyes(&sheet, count, seed).unwrap_or_else(|| of_picture(&sheet, count, seed));
    Ok(Palette::Fixed(colours))
}

/// Pixels of a picture that lie evenly over it. (Means of several would be mixtures, and the palette
/// without the purest colours.)
fn points_of(picture: &Image) -> Result<Image, Failure> {
    let (width, height) = picture.size();
    let at = |k: u32, count: u32| (2 * k as usize + 1) * count as usize / (2 * SAMPLE_PX as usize);
    let pixel = |k: u32| picture.row(at(k / SAMPLE_PX, height))[at(k % SAMPLE_PX, width)];
    Ok(Image::new((SAMPLE_PX, SAMPLE_PX), (0..SAMPLE_PX * SAMPLE_PX).map(pixel).collect())?)
}

/// Samples in rows; the last row is filled with the first ones.
fn contact_sheet(samples: &[Image]) -> Result<Image, Failure> {
    let (side, columns) = (SAMPLE_PX as usize, COLUMNS.min(samples.len()));
    let rows = samples.len().div_ceil(columns);
    let pixel = |k: usize| {
        let (x, y) = (k % (columns * side), k / (columns * side));
        let sample = &samples[(y / side * columns + x / side) % samples.len()];
        sample.row(y % side)[x % side]
    };
    let size = (SAMPLE_PX * columns as u32, SAMPLE_PX * rows as u32);
    Ok(Image::new(size, (0..size.0 as usize * size.1 as usize).map(pixel).collect())?)
}
