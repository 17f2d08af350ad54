//! Reports: HTML pages about a program, in one file each.

mod charts;
mod histogram;
pub mod info;
mod page;
mod pictures;
pub mod score;
mod settings;

use crate::WIDTH_PX;
use crate::failure::Failure;
use crate::picture::Picture;
use crate::progress::Progress;
use page::Page;
use pictures::Album;
use score::Scored;
use std::path::Path;
use tbr::Program;
use tbr::info::Info;

/// Pixels across in the page's pictures if nothing else is asked for: five of them, as PNG,
/// make a page of two megabytes.
pub const PICTURE_PX: u32 = 512;

/// The subject of a report: a program, and perhaps its target.
pub struct ReportSubject<'a> {
    /// The program.
    pub program: &'a Program,
    /// What the page calls it.
    pub name: String,
    /// What it should look like, if that is known.
    pub target: Option<ReportTarget<'a>>,
    /// Width in pixels of the pictures on the page.
    pub width_px: u32,
    /// Where the networks' weights are, if they are.
    pub weights: Option<&'a Path>,
}

/// The picture that a program should look like, and what the page calls it.
pub struct ReportTarget<'a> {
    /// The picture.
    pub picture: &'a Picture,
    /// What the page calls it.
    pub name: String,
}

impl ReportSubject<'_> {
    /// Refuses pictures of too many pixels.
    pub fn check(&self) -> Result<(), Failure> {
        Album::new(self.program, self.width_px).map(|_| ())
    }

    /// Counts, scores, draws, and puts the page together; a bar tells which.
    pub fn html(&self, progress: &Progress) -> Result<String, Failure> {
        let Self { program, target, .. } = self;
        let album = Album::new(program, self.width_px)?;
        progress.say("counting");
        let info = Info::within(program, None, WIDTH_PX)?;
        progress.say("scoring");
        let scored = match target {
            Some(target) => {
                let scored =
                    Scored::of_program(program, &info, target.picture, None, self.weights)?;
                scored.print_notes();
                Some(scored)
            }
            None => None,
        };
        progress.say("drawing");
        let page = Page {
            name: self.name.clone(),
            image: target.as_ref().map(|target| target.name.clone()),
            program,
            info: &info,
            scored: scored.as_ref(),
            figures: album.figures(target.as_ref(), &info)?,
            prefixes: album.prefixes()?,
        };
        Ok(page.html())
    }
}
