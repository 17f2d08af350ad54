//! The pictures of a report.

use super::ReportTarget;
use crate::failure::Failure;
use crate::fit::matte_of;
use crate::html::Figure;
use std::fmt::Write;
use tbr::colour::hex;
use tbr::explain::{ERROR_GAIN, age_colour, age_map, error_map, ownership_map};
use tbr::info::Info;
use tbr::render::{Region, Replay, ReplayOptions, View};
use tbr::{Image, Operator, Program};

/// Per cent of the strokes in the small pictures: denser at the start, where the picture
/// changes most.
const PREFIXES: [usize; 7] = [5, 10, 20, 40, 60, 80, 100];
/// Pixels across in the small pictures.
const PREFIX_PX: u32 = 192;
/// The most pixels of a picture: as PNG and text some fifteen megabytes.
const MOST_PX: u64 = 1 << 22;
/// Samples along the side of a pixel: smooth edges at this size.
const SAMPLES: u32 = 3;
/// Colours of the age map's legend.
const LEGEND_STEPS: usize = 16;

/// A program that pictures are made of.
pub struct Album<'a> {
    program: &'a Program,
    view: View,
}

impl<'a> Album<'a> {
    /// Refuses pictures of too many pixels.
    pub fn new(program: &'a Program, width_px: u32) -> Result<Self, Failure> {
        let view = View::new(Region::canvas(program), Some(width_px), None)?;
        let (width, height) = (view.width_px, view.height_px);
        if u64::from(width) * u64::from(height) <= MOST_PX {
            return Ok(Self { program, view });
        }
        let most = MOST_PX / 1_000_000;
        let message =
            format!("{width} x {height} pixels are too many for a page (limit: {most} million)");
        Err(Failure::limit(message).hint("give a smaller --width"))
    }

    /// Target, replay and error, if there is a target; ownership and age.
    pub fn figures(
        &self,
        target: Option<&ReportTarget>,
        info: &Info,
    ) -> Result<Vec<Figure>, Failure> {
        let image = self.image(self.view, None)?;
        let count = steps(self.program, self.program.step_count());
        let replay = Figure::new("Replay", format!("The replay of {count}"), &image)?
            .caption(&format!("{count}, edges smoothed."));
        let mut figures = match target {
            None => vec![replay],
            Some(target) => {
                let picture = target.picture.over_at(matte_of(self.program), image.size())?;
                let name = &target.name;
                let own = target.picture.size();
                let shown = Figure::new("Target", format!("The picture {name}"), &picture)?
                    .caption(&format!("{name}, {} x {} pixels.", own.0, own.1));
                vec![shown, replay, error_figure(&image, &picture)?]
            }
        };
        figures.extend(self.maps(info)?);
        Ok(figures)
    }

    fn maps(&self, info: &Info) -> Result<[Figure; 2], Failure> {
        let replay = Replay::new(self.program, self.view, &ReplayOptions::default())?;
        let owners = replay.all_owners();
        let bare = if info.bare_share > 0.0 { " White is bare canvas." } else { "" };
        let size = self.view.size();
        let ownership = Image::new(size, ownership_map(self.program, &owners))?;
        let age = Image::new(size, age_map(self.program, &owners))?;
        let alt = |what: &str| format!("The canvas, with each stroke {what}");
        let ownership = Figure::new("Ownership", alt("in a colour of its own"), &ownership)?
            .caption(&format!("Each stroke in a colour of its own.{bare}"));
        let age = Figure::new("Age", alt("coloured by when it was laid"), &age)?
            .caption(&format!("When the paint that is seen was laid.{bare}"))
            .caption_html(&legend(self.program));
        Ok([ownership, age])
    }

    /// Small replays of the first steps.
    pub fn prefixes(&self) -> Result<Vec<Figure>, Failure> {
        let width = self.view.width_px.min(PREFIX_PX);
        let view = View::new(self.view.region, Some(width), None)?;
        let figure = |percent: usize| {
            let first = (self.program.step_count() * percent).div_ceil(100);
            let image = self.image(view, Some(first))?;
            let count = steps(self.program, first);
            let alt = format!("The replay of the first {count}");
            Ok(Figure::new(&format!("{percent} %"), alt, &image)?.caption(&count))
        };
        PREFIXES.into_iter().map(figure).collect()
    }

    /// The replay of the first steps, or of all.
    fn image(&self, view: View, first: Option<usize>) -> Result<Image, Failure> {
        // The line source is integrated, sample by sample, and only so much of it is allowed.
        let samples = if self.program.operator() == Operator::LineSource { 1 } else { SAMPLES };
        let options = ReplayOptions { first, samples, ..ReplayOptions::default() };
        Ok(Replay::new(self.program, view, &options)?.image())
    }
}

fn error_figure(image: &Image, target: &Image) -> Result<Figure, Failure> {
    let error = error_map(image, target)?;
    let alt = "The difference of target and replay".into();
    Ok(Figure::new("Error", alt, &error)?.caption(&format!(
        "Difference of target and replay, {ERROR_GAIN} times as bright; black is exact."
    )))
}

/// A bar of the age map's colours, from the first stroke to the last, by their numbers.
fn legend(program: &Program) -> String {
    let mut stops = String::new();
    for k in 0..=LEGEND_STEPS {
        let colour = hex(age_colour(k as f64 / LEGEND_STEPS as f64));
        let _ = write!(stops, ", {colour}");
    }
    let [first, last] = match program.strokes().len() {
        0 => [0, 0],
        count => [0, count - 1].map(|index| program.step_number(index)),
    };
    let what = program.step_word().trim_end_matches('s');
    format!(
        "<span class=\"ramp\"><span>{what} {first}</span><span class=\"bar\" \
         style=\"background: linear-gradient(to right{stops})\"></span><span>{last}</span></span>"
    )
}

/// So many steps, in words.
fn steps(program: &Program, count: usize) -> String {
    let what = program.step_word();
    if count == 1 { format!("1 {}", what.trim_end_matches('s')) } else { format!("{count} {what}") }
}
