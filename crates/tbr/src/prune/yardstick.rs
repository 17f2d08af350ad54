//! What replays are measured against while a program is pruned.

use crate::error::Result;
use crate::fit::Target;
use crate::image::{Image, View};
use crate::parallel::Stop;
use crate::program::Program;
use crate::program::colour::squared_distance;
use crate::render::{Region, Replay, ReplayOptions, render_view};

/// The most pixels of the replay that judges the result: those of a canvas four times as high as
/// wide. Taller ones are judged in larger pixels, for every step takes a replay.
const MOST_PX: u64 = 4 << 20;

/// A picture, and how a replay's distance from it is measured.
pub(super) struct Yardstick {
    pub view: View,
    image: Image,
    /// Count the pixels that differ, whatever by.
    counts: bool,
}

impl Yardstick {
    /// Of a picture; or of a program's own replay, where differing pixels are counted. The width
    /// is meant for canvases that are not tall; see [`judging_width`].
    pub fn new(program: &Program, picture: Option<&Target>, width_px: u32) -> Result<Self> {
        let Some(picture) = picture else {
            let view = View::of_canvas(program, width_px)?;
            return Ok(Self { view, image: render_view(program, view)?, counts: true });
        };
        let (width, height) = picture.image().size();
        let scale = f64::from(width_px) / f64::from(width);
        let longer = f64::from(width.max(height));
        let small = picture.at_most((longer * scale.min(1.0)).round() as u32);
        let view = View { region: Region::canvas(program), ..small.view() };
        Ok(Self { view, image: small.into_image(), counts: false })
    }

    /// Of a program's own replay, by how much pixels differ.
    pub fn of_replay(program: &Program, width_px: u32) -> Result<Self> {
        Ok(Self { counts: false, ..Self::new(program, None, width_px)? })
    }

    /// How far a program's replay is from it: a share of pixels, or a mean squared error.
    pub fn error(&self, program: &Program, stop: &Stop) -> Result<f64> {
        let replay = Replay::new(program, self.view, &ReplayOptions::default())?;
        let owners = replay.all_owners_until(stop)?;
        let colour = |owner: &u32| match *owner {
            0 => program.background(),
            stroke => program.colour(program.strokes()[stroke as usize - 1].paint),
        };
        let pairs = owners.iter().map(colour).zip(self.image.pixels());
        let sum: f64 = if self.counts {
            pairs.filter(|(a, b)| a != *b).count() as f64
        } else {
            pairs.map(|(a, b)| squared_distance(a, *b) / 3.0).sum()
        };
        Ok(sum / self.view.pixels() as f64)
    }
}

/// The width at which a program is judged: `width_px`, or less if the canvas is so tall that
/// these would be too many pixels.
pub(super) fn judging_width(program: &Program, width_px: u32) -> Result<u32> {
    Ok(View::of_canvas_bounded(program, width_px, MOST_PX)?.width_px)
}
