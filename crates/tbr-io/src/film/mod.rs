//! Writing of films: frames are rendered and encoded one by one, and not kept.

mod apng;
mod folder;
mod gif;
mod mp4;
mod webp;

use crate::failure::Failure;
use crate::files::{DASH, Output};
use crate::picture::{Size, bytes, floats, quick_png};
use crate::reel::Reel;
use std::path::Path;
use tbr::animate::{self, Film};
use tbr::render::{self, Replay};
use tbr::{Program, Region, View};

/// A kind of film file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilmKind {
    /// 256 colours; plays anywhere.
    Gif,
    /// Animated PNG: exact, and large.
    Apng,
    /// Exact and small, for browsers.
    WebP,
    /// H.264, by ffmpeg.
    Mp4,
    /// A folder of numbered PNGs.
    Folder,
}

impl FilmKind {
    /// By the name's ending; a name without one is a folder.
    pub fn of(path: &Path) -> Result<Self, Failure> {
        if path == Path::new(DASH) {
            let failure = Failure::usage("a film cannot go to standard output");
            return Err(failure.hint("give -o a name: *.gif, *.png, *.webp or *.mp4"));
        }
        let Some(ending) = path.extension() else { return Ok(Self::Folder) };
        match ending.to_ascii_lowercase().to_str() {
            Some("gif") => Ok(Self::Gif),
            Some("png" | "apng") => Ok(Self::Apng),
            Some("webp") => Ok(Self::WebP),
            Some("mp4") => Ok(Self::Mp4),
            _ => Err(Failure::usage(format!("{}: not a kind of film", path.display()))
                .hint("name it *.gif, *.png, *.webp or *.mp4, or without an ending for a folder of frames")),
        }
    }

    /// What its name ends in; nothing for a folder.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Gif => "gif",
            Self::Apng => "apng",
            Self::WebP => "webp",
            Self::Mp4 => "mp4",
            Self::Folder => "",
        }
    }

    /// The size that it can have: players of MP4 want sides of even length.
    pub fn size(self, (width_px, height_px): Size) -> Size {
        let even = |px: u32| (px & !1).max(2);
        if self == Self::Mp4 { (even(width_px), even(height_px)) } else { (width_px, height_px) }
    }

    /// The longest side, in pixels, that it can say.
    fn most_px(self) -> u32 {
        match self {
            Self::Gif => 65_535,
            Self::WebP | Self::Mp4 => 16_384,
            Self::Apng | Self::Folder => 1_000_000,
        }
    }

    /// The most frames a second that it can say, or that viewers heed.
    fn most_fps(self) -> f64 {
        match self {
            Self::Gif => 50.0,
            _ => 1000.0,
        }
    }
}

/// The most pixels of a frame: 100 MB of bytes, 134 if they are transparent, and up to twice as much
/// to encode them. With a million strokes that become others, a GIF took 575 MB (2026-11-18).
const MOST_PX: u64 = 1 << 25;

impl std::fmt::Display for FilmKind {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Self::Gif => "a GIF",
            Self::Apng => "a PNG",
            Self::WebP => "a WebP",
            Self::Mp4 => "an MP4",
            Self::Folder => "a folder of PNGs",
        })
    }
}

/// The format of a film: file, size, frames and timing.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// What kind of file.
    pub kind: FilmKind,
    /// Pixels across.
    pub width_px: u32,
    /// Pixels down.
    pub height_px: u32,
    /// Frames that will come.
    pub frames: usize,
    /// Frames a second.
    pub fps: f64,
    /// How much longer the last frame stays.
    pub hold_secs: f64,
    /// Are pixels RGBA rather than RGB?
    pub alpha: bool,
    /// Begin again at the end?
    pub repeat: bool,
}

impl Format {
    /// The view of a region with its pixels.
    pub fn view(&self, region: Region) -> View {
        View { region, width_px: self.width_px, height_px: self.height_px }
    }

    /// Refuses what the kind cannot hold, before anything is rendered.
    pub fn check(&self) -> Result<(), Failure> {
        let (width, height, kind) = (self.width_px, self.height_px, self.kind);
        let most = kind.most_px();
        if width > most || height > most {
            let message = format!("{width} x {height} pixels are too many for {kind}");
            return Err(Failure::limit(format!("{message} (limit: {most} a side)")));
        }
        if u64::from(width) * u64::from(height) > MOST_PX {
            let message = format!("frames of {width} x {height} pixels are too large");
            return Err(Failure::limit(format!("{message} (limit: {MOST_PX} pixels)")));
        }
        if self.fps > kind.most_fps() {
            let (fps, most) = (self.fps, kind.most_fps());
            let message = format!("{fps} frames a second are too many for {kind} (limit: {most})");
            return Err(Failure::limit(message));
        }
        if self.alpha && matches!(kind, FilmKind::Mp4 | FilmKind::Gif) {
            return Err(Failure::usage(format!("{kind} has no transparency here"))
                .hint("write a PNG or WebP, or give --background a colour"));
        }
        Ok(())
    }

    /// How long frame `k` (from 0) stays, in units of which there are `per_second`. Rounded
    /// so that the film as a whole keeps its time.
    fn duration(&self, k: usize, per_second: f64) -> u32 {
        let end = |k: usize| ((k as f64) * per_second / self.fps).round();
        let mut duration = end(k + 1) - end(k);
        if k + 1 == self.frames {
            duration += (self.hold_secs * per_second).round();
        }
        duration as u32
    }

    /// How often frame `k` is shown, where frames have no duration of their own.
    fn times(&self, k: usize) -> usize {
        if k + 1 < self.frames { 1 } else { 1 + (self.hold_secs * self.fps).round() as usize }
    }
}

/// How long the last frame stays, if nothing else is asked for.
pub const HOLD_SECS: f64 = 1.5;
/// The longest that it may stay: an APNG cannot say much more.
pub const MOST_HOLD_SECS: f64 = 50.0;

/// Renders a film frame by frame and writes it to a file that is not there, or that `force`
/// allows to be replaced; `before` hears of each frame, and may end it.
pub fn shoot(
    path: &Path,
    force: bool,
    film: &Film,
    view: View,
    options: &render::ReplayOptions,
    format: &Format,
    before: impl Fn(usize) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut frames = (0..film.frames()).map(|k| {
        before(k)?;
        let replay = Replay::new(&film.program(k)?, view, options)?;
        Ok(bytes(&replay, format.alpha))
    });
    write(path, force, format, &mut frames)
}

/// The same of a reel: frame `k` is what is seen of it at the time that `when` tells.
pub fn shoot_reel(
    path: &Path,
    force: bool,
    reel: &Reel,
    (view, options): (View, &render::ReplayOptions),
    format: &Format,
    when: impl Fn(usize) -> Result<f64, Failure>,
) -> Result<(), Failure> {
    let mut frames = (0..format.frames).map(|k| {
        let seen = reel.at(when(k)?)?;
        mixed(&seen, view, options, format.alpha)
    });
    write(path, force, format, &mut frames)
}

/// Replays of programs as one picture, each mixed with those before it by its share.
fn mixed(
    seen: &[(Program, f64)],
    view: View,
    options: &render::ReplayOptions,
    alpha: bool,
) -> Result<Vec<u8>, Failure> {
    if let [(program, _)] = seen {
        return Ok(bytes(&Replay::new(program, view, options)?, alpha));
    }
    let mut mixed = Vec::new();
    for (program, share) in seen {
        let share = *share as f32;
        let values = floats(&Replay::new(program, view, options)?, alpha);
        if mixed.is_empty() {
            mixed = values;
        } else {
            let pairs = mixed.iter_mut().zip(values);
            pairs.for_each(|(mixed, value)| *mixed += (value - *mixed) * share);
        }
    }
    Ok(mixed.into_iter().map(|v| (v * 255.0).round() as u8).collect())
}

/// How far a stroke may misplace far paint in frames that are played, pixels: twice as fast,
/// and what it moves is gone at once.
const PLAYED_TOLERANCE_PX: f64 = 0.03;

/// What a view sees of a program at a time (strokes laid, all if none), as the bytes of a PNG:
/// a frame that is played and gone. With `grow`, so many strokes grow together.
pub fn frame(
    program: &Program,
    view: View,
    time: Option<f64>,
    grow: Option<f64>,
) -> Result<Vec<u8>, Failure> {
    let program = animate::laid_at(program, time, grow)?;
    let options = render::ReplayOptions {
        tolerance_px: PLAYED_TOLERANCE_PX,
        ..render::ReplayOptions::default()
    };
    let replay = Replay::new(&program, view, &options)?;
    quick_png(&bytes(&replay, false), view.size())
}

/// Frames as they are made: rows of RGB or RGBA bytes.
pub type Frames<'a> = &'a mut dyn Iterator<Item = Result<Vec<u8>, Failure>>;

/// Writes a film. The file appears under its name when it is whole.
fn write(path: &Path, force: bool, format: &Format, frames: Frames) -> Result<(), Failure> {
    if format.kind == FilmKind::Folder {
        return folder::write(path, force, format, frames);
    }
    let output = Output::create_new(path, force)?;
    match format.kind {
        FilmKind::Gif => gif::write(output, format, frames),
        FilmKind::Apng => apng::write(output, format, frames),
        FilmKind::WebP => webp::write(output, format, frames),
        FilmKind::Mp4 | FilmKind::Folder => mp4::write(output, format, frames),
    }
}
