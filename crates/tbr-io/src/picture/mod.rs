//! Pictures on their way to a file, rendered rows streamed into an encoder; and
//! pictures from one.

mod cost;
mod decode;
mod jpeg;
mod outline;
mod png;
mod profile;
mod read;
mod resample;
mod rows;
mod stored;
#[cfg(test)]
mod tests;
mod webp;

pub use self::png::{png_bytes, png_encoder, quick_png};
pub use cost::MOST_BYTES;
pub use decode::{is_picture, start_of};
pub use read::{MATTE, Picture, Values};
pub use resample::{Size, check_aspect};
pub use rows::{DrawnImage, Source, StoppableReplay};

use crate::failure::Failure;
use crate::files::{DASH, Output};
use crate::progress::Progress;
use rows::Rows;
use std::path::Path;
use tbr::outline::svg::check_dpi;

/// A kind of picture file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureKind {
    /// Exact.
    Png,
    /// Small, and never transparent.
    Jpeg,
    /// Exact, and smaller than a PNG.
    WebP,
}

impl PictureKind {
    /// By the name's ending; PNG for standard output.
    pub fn of(path: &Path) -> Result<Self, Failure> {
        if path == Path::new(DASH) {
            return Ok(Self::Png);
        }
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        match ending.to_ascii_lowercase().as_str() {
            "png" => Ok(Self::Png),
            "jpg" | "jpeg" => Ok(Self::Jpeg),
            "webp" => Ok(Self::WebP),
            _ => Err(Failure::usage(format!("{}: not a kind of picture", path.display()))
                .hint("name the output *.png, *.jpg or *.webp")),
        }
    }

    /// The longest side that the format can say.
    fn most_px(self) -> u32 {
        match self {
            Self::Png => tbr::render::MAX_SIDE_PX,
            Self::Jpeg => 65_535,
            Self::WebP => 16_384,
        }
    }
}

/// The most pixels of a WebP, whose encoder wants all of them at once: half a gigabyte. (PNG and
/// JPEG are written row by row.)
const MOST_WEBP_PX: u64 = 1 << 26;

/// JPEG quality if none is asked for: no artefacts to be seen.
pub const QUALITY: u8 = 95;

/// How pixels are written.
#[derive(Clone, Copy, Debug)]
pub struct Encoding {
    /// What kind of file.
    pub kind: PictureKind,
    /// Bits per channel: 8 or 16.
    pub depth: u8,
    /// Keep transparency?
    pub alpha: bool,
    /// Pixels per inch, to be noted in the file.
    pub dpi: Option<f64>,
    /// JPEG quality, 1 to 100.
    pub quality: u8,
}

impl Encoding {
    /// Opaque, eight bits, of the kind that a file's name says.
    pub fn for_file(path: &Path) -> Result<Self, Failure> {
        let kind = PictureKind::of(path)?;
        Ok(Self { kind, depth: 8, alpha: false, dpi: None, quality: QUALITY })
    }

    /// Refuses what the format cannot hold, before anything is rendered.
    pub fn check(&self, source: &dyn Source) -> Result<(), Failure> {
        let (width, height) = (source.width_px(), source.height_px());
        let most = self.kind.most_px();
        if width > most || height > most {
            let kind = self.kind;
            let message = format!(
                "{width} x {height} pixels are too many for {kind:?} (limit: {most} a side)"
            );
            return Err(Failure::limit(message).hint("a PNG can be larger"));
        }
        if self.kind == PictureKind::WebP && u64::from(width) * u64::from(height) > MOST_WEBP_PX {
            let message = format!(
                "{width} x {height} pixels are too many for WebP (limit: {MOST_WEBP_PX} pixels)"
            );
            return Err(Failure::limit(message).hint("a PNG can be larger"));
        }
        if self.depth != 8 && self.depth != 16 {
            return Err(Failure::usage(format!("a depth of {} bits: it is 8 or 16", self.depth)));
        }
        if self.depth == 16 && self.kind != PictureKind::Png {
            return Err(Failure::usage("16 bits a channel need a PNG"));
        }
        if !(1..=100).contains(&self.quality) {
            return Err(Failure::usage(format!("a quality of {}: it is 1 to 100", self.quality)));
        }
        if self.alpha && self.kind == PictureKind::Jpeg {
            return Err(Failure::usage("JPEG has no transparency")
                .hint("write a PNG or WebP, or give --background a colour"));
        }
        let Some(dpi) = self.dpi else { return Ok(()) };
        if self.kind == PictureKind::WebP {
            return Err(
                Failure::usage("WebP has no place for pixels per inch").hint("write a PNG or JPEG")
            );
        }
        Ok(check_dpi(dpi)?)
    }

    /// Renders and writes.
    pub fn write(&self, source: &dyn Source, output: &mut Output) -> Result<(), Failure> {
        let progress = match source.is_slow() {
            true => Progress::of(source.height_px() as usize, "rows"),
            false => Progress::hidden(),
        };
        let mut rows = Rows::new(source, self.alpha, progress);
        match self.kind {
            PictureKind::Png => png::write(self, &mut rows, output),
            PictureKind::Jpeg => jpeg::write(self, rows, output),
            PictureKind::WebP => webp::write(self, &mut rows, output),
        }
    }
}

/// A rendered picture as bytes, row by row: RGB, or RGBA with `alpha`. Rows are missing at the end
/// if somebody has lost interest.
pub fn bytes(source: &dyn Source, alpha: bool) -> Vec<u8> {
    let mut rows = Rows::new(source, alpha, Progress::hidden());
    let pixels = source.width_px() as usize * source.height_px() as usize;
    let mut bytes = Vec::with_capacity(pixels * rows.channels());
    for _ in (0..source.height_px()).take_while(|_| !source.is_unwanted()) {
        rows.next_8(&mut bytes);
    }
    bytes
}

/// The same as numbers from 0 to 1.
pub fn floats(source: &dyn Source, alpha: bool) -> Vec<f32> {
    let mut rows = Rows::new(source, alpha, Progress::hidden());
    let pixels = source.width_px() as usize * source.height_px() as usize;
    let mut floats = Vec::with_capacity(pixels * rows.channels());
    for _ in (0..source.height_px()).take_while(|_| !source.is_unwanted()) {
        rows.next_floats(&mut floats);
    }
    floats
}

/// When the profile was made, as it says: year, month, day and time of the day that sRGB was
/// published, IEC 61966-2-1. With the date of its writing no two files would be the same.
const PROFILE_DATE: [u16; 6] = [1999, 10, 18, 0, 0, 0];
/// Where a profile says so, bytes; two for each number.
const PROFILE_DATE_AT: usize = 24;

/// The sRGB profile, for formats that have no shorter way to say it.
fn srgb_profile() -> Result<Vec<u8>, Failure> {
    let mut profile = moxcms::ColorProfile::new_srgb()
        .encode()
        .map_err(|e| Failure::usage(format!("the sRGB profile cannot be written: {e:?}")))?;
    let date = PROFILE_DATE.into_iter().flat_map(u16::to_be_bytes);
    for (byte, date) in profile.iter_mut().skip(PROFILE_DATE_AT).zip(date) {
        *byte = date;
    }
    Ok(profile)
}

#[cfg(test)]
mod profile_tests {
    use super::*;
    use tbr::render::{Replay, ReplayOptions, View};

    /// Bytes and floats are the same pixels, and a replay that was stopped is soon over.
    #[test]
    fn pixels_are_had_in_either_kind_and_can_be_stopped() {
        let program = tbr::prior::program(20, 0.7, 1).unwrap();
        let view = View::of_canvas(&program, 40).unwrap();
        let options = ReplayOptions {
            samples: 2,
            background: tbr::render::Background::Bare,
            ..ReplayOptions::default()
        };
        let replay = Replay::new(&program, view, &options).unwrap();
        for alpha in [false, true] {
            let floats = floats(&replay, alpha).into_iter().map(|v| (v * 255.0).round() as u8);
            assert_eq!(floats.collect::<Vec<u8>>(), bytes(&replay, alpha));
            let never = tbr::Stop::never();
            let stoppable = StoppableReplay::new(&replay, &never);
            assert_eq!(bytes(&stoppable, alpha), bytes(&replay, alpha));
        }
        let now = tbr::Stop::when(|| true);
        let stopped = StoppableReplay::new(&replay, &now);
        assert!(bytes(&stopped, true).is_empty() && floats(&stopped, true).is_empty());
    }

    /// What a file cannot hold or note is refused before anything is rendered.
    #[test]
    fn encodings_that_cannot_be_are_refused() {
        let program = tbr::prior::program(2, 1.0, 1).unwrap();
        let view = View::of_canvas(&program, 8).unwrap();
        let source = Replay::new(&program, view, &ReplayOptions::default()).unwrap();
        let png = Encoding::for_file(Path::new("a.png")).unwrap();
        let jpeg = Encoding::for_file(Path::new("a.jpg")).unwrap();
        let dpi = |dpi| Encoding { dpi: Some(dpi), ..png };
        let quality = |quality| Encoding { quality, ..jpeg };
        for good in [png, jpeg, dpi(1.0), dpi(65_535.0), quality(1), quality(100)] {
            assert!(good.check(&source).is_ok(), "{good:?}");
        }
        let depths = [Encoding { depth: 9, ..png }, Encoding { depth: 16, ..jpeg }];
        let dpis = [0.0, -1.0, 65_536.0, f64::NAN].map(dpi);
        for bad in [depths.as_slice(), &dpis, &[quality(0), quality(101)]].concat() {
            assert!(bad.check(&source).is_err(), "{bad:?}");
        }
    }

    /// A picture file says nothing of when it was written.
    #[test]
    fn files_carry_a_profile_of_a_fixed_date() {
        let program = tbr::prior::program(20, 1.0, 1).unwrap();
        let view = View::of_canvas(&program, 16).unwrap();
        let source = Replay::new(&program, view, &ReplayOptions::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let written = |name: &str| {
            let path = folder.path().join(name);
            let mut output = Output::create(&path).unwrap();
            Encoding::for_file(&path).unwrap().write(&source, &mut output).unwrap();
            output.finish().unwrap();
            std::fs::read(path).unwrap()
        };
        let date = PROFILE_DATE.map(u16::to_be_bytes).concat();
        let profile = srgb_profile().unwrap();
        let read = moxcms::ColorProfile::new_from_slice(&profile).unwrap().creation_date_time;
        assert_eq!((read.year, read.month, read.day_of_the_month), (1999, 10, 18));
        for names in [["a.jpg", "b.jpg"], ["a.webp", "b.webp"]] {
            let [a, b] = names.map(written);
            assert!(a == b && a.windows(12).any(|bytes| bytes == date), "{names:?}");
        }
    }
}
