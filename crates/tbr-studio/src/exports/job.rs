//! The making of an export's file.

use super::{CANCELLED, ExportProgress, ExportRequest};
use crate::target::OpenPicture;
use crate::workspace::Studio;
use std::io::{self, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use tbr::Program;
use tbr::animate::{self, Easing, Film, growth};
use tbr::outline::svg::{self, Svg};
use tbr::render::{Background, Region, Replay, ReplayOptions, View};
use tbr_io::Failure;
use tbr_io::files::Output;
use tbr_io::film::{self, Format, HOLD_SECS, shoot};
use tbr_io::picture::{Encoding, PictureKind, QUALITY, Source};
use tbr_io::report::{self, PICTURE_PX, ReportSubject};

/// Everything that an export needs.
pub struct ExportJob {
    pub id: u64,
    pub request: ExportRequest,
    pub name: String,
    pub program: Arc<Program>,
    pub target: Option<Arc<OpenPicture>>,
    pub path: PathBuf,
    pub progress: Arc<ExportProgress>,
}

impl ExportJob {
    /// Makes the file.
    pub fn write(&self, studio: &Studio) -> Result<(), Failure> {
        match &self.request {
            ExportRequest::Png { width, samples, transparent } => {
                self.png(*width, *samples, *transparent, studio)
            }
            ExportRequest::Svg {} => self.svg(studio),
            ExportRequest::Film { seconds, fps, width, grow_seconds, .. } => {
                self.film(*seconds, *fps, *width, *grow_seconds, studio)
            }
            ExportRequest::Program {} => self.text(&tbr::format::write(&self.program)),
            ExportRequest::Report {} => self.report(studio),
        }
    }

    fn view(&self, width_px: Option<u32>) -> Result<View, Failure> {
        Ok(View::new(Region::canvas(&self.program), width_px, None)?)
    }

    fn png(&self, width: u32, samples: u32, bare: bool, studio: &Studio) -> Result<(), Failure> {
        let background = if bare { Background::Bare } else { Background::Program };
        let options = ReplayOptions { samples, background, ..ReplayOptions::default() };
        let replay = Replay::new(&self.program, self.view(Some(width))?, &options)?;
        let encoding =
            Encoding { kind: PictureKind::Png, depth: 8, alpha: bare, dpi: None, quality: QUALITY };
        encoding.check(&replay)?;
        let mut output = Output::create(&self.path)?;
        encoding.write(&Watched { replay, job: self, studio }, &mut output)?;
        self.finish(output)
    }

    fn svg(&self, studio: &Studio) -> Result<(), Failure> {
        let svg = Svg::new(&self.program, self.view(None)?, &svg::SvgOptions::default())?;
        let mut output = Output::create(&self.path)?;
        let written = svg.write(&mut Counted { output: &mut output, lines: 0, job: self, studio });
        written.map_err(|e| output.failure(e))?;
        self.finish(output)
    }

    fn film(
        &self,
        seconds: f64,
        fps: f64,
        width: u32,
        grow_secs: f64,
        studio: &Studio,
    ) -> Result<(), Failure> {
        let frames = ((seconds * fps).round() as usize).max(1);
        let growth = growth(grow_secs, frames as f64 / fps, &self.program);
        let options = animate::FilmOptions { frames, easing: Easing::Linear, growth };
        let film = Film::laying(&self.program, options)?;
        let kind = film::FilmKind::of(&self.path)?;
        let mut view = self.view(Some(width))?;
        (view.width_px, view.height_px) = kind.size(view.size());
        let format = Format {
            kind,
            width_px: view.width_px,
            height_px: view.height_px,
            frames,
            fps,
            hold_secs: HOLD_SECS,
            alpha: false,
            repeat: true,
        };
        format.check()?;
        shoot(&self.path, true, &film, view, &ReplayOptions::default(), &format, |k| {
            self.check_wanted()?;
            self.progress.note(k as f64 / frames as f64, studio);
            Ok(())
        })
    }

    fn report(&self, studio: &Studio) -> Result<(), Failure> {
        let target = self.target.as_ref().map(|target| report::ReportTarget {
            picture: &target.picture,
            name: target.name.clone(),
        });
        let name = self.name.strip_suffix(".html").unwrap_or(&self.name).to_owned();
        let weights = studio.weights.as_deref();
        let program = &self.program;
        let subject = ReportSubject { program, name, target, width_px: PICTURE_PX, weights };
        self.text(&subject.html(&tbr_io::progress::Progress::hidden())?)
    }

    fn text(&self, text: &str) -> Result<(), Failure> {
        let mut output = Output::create(&self.path)?;
        output.write_all(text.as_bytes()).map_err(|e| output.failure(e))?;
        self.finish(output)
    }

    fn finish(&self, output: Output) -> Result<(), Failure> {
        self.check_wanted()?;
        output.finish()
    }

    /// Refuses to go on with an export that somebody has ended.
    pub fn check_wanted(&self) -> Result<(), Failure> {
        if self.progress.is_cancelled() {
            return Err(Failure::interrupted(CANCELLED));
        }
        Ok(())
    }
}

/// A replay that reports its progress, and whether it is still wanted.
struct Watched<'a> {
    replay: Replay,
    job: &'a ExportJob,
    studio: &'a Studio,
}

impl Source for Watched<'_> {
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
        self.replay.rows(0..1).len() as u32
    }
    fn pixels(&self, strips: Range<u32>) -> Vec<[f32; 4]> {
        let share = f64::from(strips.end) / f64::from(self.strips());
        let pixels = self.replay.pixels(strips);
        self.job.progress.note(share, self.studio);
        pixels
    }
    fn is_slow(&self) -> bool {
        // The page shows it.
        false
    }
    fn is_unwanted(&self) -> bool {
        self.job.progress.is_cancelled()
    }
}

/// Output that counts lines, of which an SVG has about one for each stroke.
struct Counted<'a> {
    output: &'a mut Output,
    lines: usize,
    job: &'a ExportJob,
    studio: &'a Studio,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.job.progress.is_cancelled() {
            return Err(io::Error::other(CANCELLED));
        }
        let written = self.output.write(bytes)?;
        self.lines += bytes[..written].iter().filter(|byte| **byte == b'\n').count();
        let strokes = self.job.program.strokes().len().max(1);
        self.job.progress.note(self.lines as f64 / strokes as f64, self.studio);
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
