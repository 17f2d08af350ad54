//! Frames of moving pictures: a folder of pictures or several of them, a GIF, an animated PNG or
//! WebP, or a video, which ffmpeg reads.

mod animation;
mod order;
mod video;

use crate::failure::Failure;
use crate::picture::Picture;
use animation::Animation;
use std::fs;
use std::path::{Path, PathBuf};
use video::Video;

/// Frames a second of pictures that are given one by one, if nothing else is said.
pub const FRAMES_PER_SECOND: f64 = 25.0;

/// A frame, and when it is shown, from the beginning.
pub struct Frame {
    /// Seconds.
    pub time_secs: f64,
    /// What is seen.
    pub picture: Picture,
}

/// The frames of a moving picture, one after the other; only one at a time is in memory.
pub struct Frames {
    source: Source,
    next: usize,
    frames_per_second: f64,
}

enum Source {
    Files(Vec<PathBuf>),
    Animation(Animation),
    Video(Video),
}

impl Frames {
    /// Those of some pictures in their order, of a folder of them in the order of their numbers, or
    /// of a film. `frames_per_second` is what is asked for; a GIF and its like tell their own.
    pub fn open(paths: &[PathBuf], frames_per_second: Option<f64>) -> Result<Self, Failure> {
        let own = |source| {
            let frames_per_second = frames_per_second.unwrap_or(FRAMES_PER_SECOND);
            Self { source, next: 0, frames_per_second }
        };
        let [path] = paths else { return Ok(own(Source::Files(paths.to_vec()))) };
        if path.is_dir() {
            return Ok(own(Source::Files(pictures_in(path)?)));
        }
        if let Some(mut animation) = Animation::open(path)? {
            let no_rate = "frames of this film have times of their own";
            if frames_per_second.is_some() {
                let failure = Failure::usage(format!("{}: {no_rate}", path.display()));
                return Err(failure.hint("leave --fps out; tbr animate plays at any rate"));
            }
            let frames_per_second = animation.frames_per_second().unwrap_or(FRAMES_PER_SECOND);
            return Ok(Self { source: Source::Animation(animation), next: 0, frames_per_second });
        }
        let (video, frames_per_second) = Video::open(path, frames_per_second)?;
        Ok(Self { source: Source::Video(video), next: 0, frames_per_second })
    }

    /// Frames a second: what pictures are taken to have, the rate of a video, and that of the first
    /// frame of a GIF and its like.
    pub fn frames_per_second(&self) -> f64 {
        self.frames_per_second
    }

    fn read(&mut self) -> Result<Option<Frame>, Failure> {
        let time_secs = self.next as f64 / self.frames_per_second;
        let picture = match &mut self.source {
            Source::Animation(animation) => return animation.read(),
            Source::Files(files) => {
                files.get(self.next).map(|path| Picture::read(path)).transpose()?
            }
            Source::Video(video) => video.read()?,
        };
        self.next += 1;
        Ok(picture.map(|picture| Frame { time_secs, picture }))
    }
}

impl Iterator for Frames {
    type Item = Result<Frame, Failure>;
    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// The pictures in a folder, by their numbers; what is hidden, or no picture by its name, is passed
/// over.
fn pictures_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    const ENDINGS: [&str; 8] = ["png", "jpg", "jpeg", "webp", "tif", "tiff", "bmp", "gif"];
    let is_picture = |path: &PathBuf| {
        let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        !hidden && ending.is_some_and(|ending| ENDINGS.iter().any(|known| ending == **known))
    };
    let entries = fs::read_dir(folder).map_err(|e| Failure::file(folder, e))?;
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.map_err(|e: std::io::Error| Failure::file(folder, e))?;
    paths.retain(is_picture);
    if paths.is_empty() {
        let failure = Failure::file(folder, "there is no picture in it");
        return Err(failure.hint("frames are PNG, JPEG, WebP, TIFF, BMP or GIF, such as 0001.png"));
    }
    paths.sort_by(|a, b| order::by_numbers(a, b));
    Ok(paths)
}
