//! GIFs, animated PNGs and animated WebPs.

use super::Frame;
use crate::failure::Failure;
use crate::picture::{Picture, Values};
use image::codecs::{gif::GifDecoder, png::PngDecoder, webp::WebPDecoder};
use image::{AnimationDecoder, ImageDecoder, ImageFormat, ImageResult};
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::iter::Peekable;
use std::path::{Path, PathBuf};

/// The most pixels of a frame: several are held while one is put together.
const MOST_PX: u64 = 1 << 24;

/// An animation, frame by frame.
pub struct Animation {
    path: PathBuf,
    frames: Peekable<image::Frames<'static>>,
    time_secs: f64,
}

impl Animation {
    /// None where a file is no animation: a video, or a picture that stands still.
    pub fn open(path: &Path) -> Result<Option<Self>, Failure> {
        let cannot = |e: std::io::Error| Failure::file(path, e);
        let mut file = File::open(path).map_err(cannot)?;
        let mut start = Vec::new();
        file.by_ref().take(64).read_to_end(&mut start).map_err(cannot)?;
        file.rewind().map_err(cannot)?;
        let Ok(format) = image::guess_format(&start) else { return Ok(None) };
        let frames = frames(format, BufReader::new(file)).map_err(|problem| match problem {
            Problem::Large(width, height) => {
                let message = format!("frames of {width} x {height} pixels are too large");
                Failure::limit(format!("{message} (limit: {MOST_PX} pixels)")).in_file(path)
            }
            Problem::Still => Failure::file(path, "is a picture that does not move")
                .hint("tbr fit makes a program of it; frames are given in a folder, or one by one"),
            Problem::Broken(e) => Failure::file(path, format!("the film cannot be read: {e}")),
        })?;
        Ok(Some(Self { path: path.to_owned(), frames: frames.peekable(), time_secs: 0.0 }))
    }

    /// Frames a second, if all are shown for as long as the first.
    pub fn frames_per_second(&mut self) -> Option<f64> {
        self.frames.peek()?.as_ref().ok().map(|frame| 1.0 / shown_secs(frame))
    }

    pub fn read(&mut self) -> Result<Option<Frame>, Failure> {
        let Some(frame) = self.frames.next() else { return Ok(None) };
        let broken = |e| Failure::file(&self.path, format!("the film cannot be read: {e}"));
        let frame = frame.map_err(broken)?;
        let shown_secs = shown_secs(&frame);
        let image = frame.into_buffer();
        let picture = Picture::of_values(image.dimensions(), 4, Values::Bytes(image.into_raw()))?;
        let time_secs = self.time_secs;
        self.time_secs += shown_secs;
        Ok(Some(Frame { time_secs, picture }))
    }
}

/// How long a frame is shown. What says that it is for no time, or next to none, is shown for a tenth
/// of a second, as browsers do.
fn shown_secs(frame: &image::Frame) -> f64 {
    let (numerator, denominator) = frame.delay().numer_denom_ms();
    let secs = f64::from(numerator) / f64::from(denominator.max(1)) / 1000.0;
    if secs < 0.0101 { 0.1 } else { secs }
}

enum Problem {
    Still,
    Large(u32, u32),
    Broken(image::ImageError),
}

/// The frames of an animation of some format.
fn frames(format: ImageFormat, source: BufReader<File>) -> Result<image::Frames<'static>, Problem> {
    let broken = |result: ImageResult<_>| result.map_err(Problem::Broken);
    match format {
        ImageFormat::Gif => {
            Ok(of_size(GifDecoder::new(source).map_err(Problem::Broken)?)?.into_frames())
        }
        ImageFormat::Png => {
            let decoder = of_size(PngDecoder::new(source).map_err(Problem::Broken)?)?;
            match decoder.is_apng().map_err(Problem::Broken)? {
                true => broken(decoder.apng().map(AnimationDecoder::into_frames)),
                false => Err(Problem::Still),
            }
        }
        ImageFormat::WebP => {
            let decoder = of_size(WebPDecoder::new(source).map_err(Problem::Broken)?)?;
            if decoder.has_animation() { Ok(decoder.into_frames()) } else { Err(Problem::Still) }
        }
        _ => Err(Problem::Still),
    }
}

/// A decoder of frames that are not too large.
fn of_size<D: ImageDecoder>(decoder: D) -> Result<D, Problem> {
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MOST_PX {
        return Err(Problem::Large(width, height));
    }
    Ok(decoder)
}
