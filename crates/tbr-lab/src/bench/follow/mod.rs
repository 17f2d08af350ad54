//! `tbr bench follow`: films that are followed against films whose frames are fitted one by one.

mod clips;

use crate::preset;
use clips::Clip;
use serde::Serialize;
use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Instant;
use tbr::fit::{Fit, Follow, FollowOptions, Options, Target};
use tbr::reel::Keyframe;
use tbr::render::render_view;
use tbr::{Image, Program};
use tbr_io::Failure;
use tbr_io::files;
use tbr_io::fit::Preset;
use tbr_io::interrupt;
use tbr_io::picture::Picture;
use tbr_io::progress::Progress;
use tbr_io::table::{aligned, cells};

/// The most that a pixel of a source that does not change may change, in any channel.
const STILL: f64 = 1.5 / 255.0;

#[derive(clap::Args)]
pub struct Args {
    /// What to pan over; a marbled sheet if not given
    picture: Option<PathBuf>,
    /// Frames of each film
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(2..=1000))]
    frames: u32,
    /// Strokes
    #[arg(long, value_name = "N", default_value_t = 1000)]
    strokes: usize,
    /// Side of the films, in pixels
    #[arg(long, value_name = "PX", default_value_t = 512, value_parser = clap::value_parser!(u32).range(16..=1024))]
    size: u32,
    /// Preset of the first frame, and of all frames that are fitted one by one
    #[arg(long, default_value = Preset::Default.name(), value_parser = preset())]
    preset: Preset,
    /// Seed of the sheets and of the fits
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// The figures, as JSON
    #[arg(long)]
    json: bool,
}

/// One film, either way.
#[derive(Serialize)]
struct FilmRow {
    film: &'static str,
    frames: usize,
    shots: usize,
    /// Mean share of the strokes that go on from one frame to the next.
    staying: f64,
    one_by_one: Figures,
    followed: Figures,
}

/// What programs of a film's frames are like.
#[derive(Serialize)]
struct Figures {
    /// Mean squared error of the frames but the first.
    error: f64,
    /// Mean change of pixels from frame to frame where the source does not change.
    flicker: f64,
    /// For each frame but the first.
    seconds: f64,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let (frames, size) = (args.frames as usize, args.size);
    let picture = match &args.picture {
        Some(path) => Picture::read(path)?,
        None => clips::sheet(2 * size, args.seed + 1)?,
    };
    let films = [
        clips::turning(frames, size, args.seed)?,
        clips::swirling(frames, size, args.seed)?,
        clips::panning(&picture, frames, size)?,
    ];
    let progress = Progress::still(films.len());
    let mut rows = Vec::new();
    for (k, film) in films.iter().enumerate() {
        progress.begin(k, film.0);
        rows.push(measure(args, film)?);
    }
    if args.json {
        return files::print_json(&rows);
    }
    let mut table = vec![cells([
        &"film",
        &"error",
        &"one by one",
        &"ratio",
        &"flicker",
        &"one by one",
        &"ratio",
        &"seconds",
        &"one by one",
        &"ratio",
        &"strokes that stay",
        &"shots",
    ])];
    table.extend(rows.iter().map(|row| {
        let (a, b) = (&row.followed, &row.one_by_one);
        let thousandth = |v: f64| format!("{:.3}e-3", 1e3 * v);
        cells([
            &row.film,
            &thousandth(a.error),
            &thousandth(b.error),
            &format!("{:.3}", a.error / b.error),
            &thousandth(a.flicker),
            &thousandth(b.flicker),
            &format!("{:.3}", a.flicker / b.flicker),
            &format!("{:.2}", a.seconds),
            &format!("{:.2}", b.seconds),
            &format!("{:.3}", a.seconds / b.seconds),
            &format!("{:.0} %", 100.0 * row.staying),
            &row.shots,
        ])
    }));
    files::print(&aligned(&table))
}

fn measure(args: &Args, (name, frames): &Clip) -> Result<FilmRow, Failure> {
    let mut options = args.preset.options();
    options.strokes = args.strokes;
    options.seed = args.seed;
    let (width, height) = frames[0].size();
    options.suit(width.max(height));
    let one_by_one = figures(frames, |frame| one_by_one(&options, frame))?;
    let mut follow = Follow::new(FollowOptions::of(options.clone()))?;
    let (mut keyframes, mut staying) = (Vec::<Keyframe>::new(), 0.0);
    let followed = figures(frames, |frame| {
        let mut fit = follow.begin(frame.clone())?;
        finish(&mut fit)?;
        let keyframe = follow.keep(&fit, keyframes.len() as f64 / 25.0)?;
        if let Some(before) = keyframes.pop() {
            let known: HashSet<u32> = before.names().iter().copied().collect();
            let stays = keyframe.names().iter().filter(|name| known.contains(name)).count();
            staying += stays as f64 / known.len() as f64;
        }
        keyframes.push(keyframe.clone());
        Ok(keyframe.program().clone())
    })?;
    let (count, shots) = (frames.len(), keyframes.pop().map_or(0, |last| last.shot()));
    let staying = staying / (count - 1) as f64;
    Ok(FilmRow { film: name, frames: count, shots, staying, one_by_one, followed })
}

/// A frame fitted by itself.
fn one_by_one(options: &Options, frame: &Target) -> Result<Program, Failure> {
    let mut fit = Fit::new(frame.clone(), options.clone())?;
    finish(&mut fit)?;
    Ok(fit.program()?)
}

fn finish(fit: &mut Fit) -> Result<(), Failure> {
    while !fit.is_done() {
        if interrupt::requested() {
            return Err(Failure::interrupted("stopped"));
        }
        fit.step()?;
    }
    Ok(())
}

/// The figures of a film whose frames are fitted in some way.
fn figures(
    frames: &[Image],
    mut fitted: impl FnMut(&Target) -> Result<Program, Failure>,
) -> Result<Figures, Failure> {
    let (mut error, mut flicker, mut seconds) = (0.0, 0.0, 0.0);
    let mut before: Option<(Image, Image)> = None;
    for frame in frames {
        let target = Target::new(frame.clone(), None)?;
        let begun = Instant::now();
        let program = fitted(&target)?;
        let took = begun.elapsed().as_secs_f64();
        let replay = render_view(&program, target.view())?;
        if let Some((source, shown)) = &before {
            error += target.error(|k| replay.pixels()[k]);
            flicker += change_where_still((source, frame), (shown, &replay));
            seconds += took;
        }
        before = Some((frame.clone(), replay));
    }
    let count = (frames.len() - 1) as f64;
    Ok(Figures { error: error / count, flicker: flicker / count, seconds: seconds / count })
}

/// Mean change of the pixels of `shown` whose sources do not change.
fn change_where_still(source: (&Image, &Image), shown: (&Image, &Image)) -> f64 {
    let pairs = |(a, b): (&Image, &Image)| -> Vec<f64> {
        let change = |(a, b): (&tbr::Colour, &tbr::Colour)| {
            (0..3).map(|c| (a[c] - b[c]).abs()).fold(0.0, f64::max)
        };
        a.pixels().iter().zip(b.pixels()).map(change).collect()
    };
    let (source, shown) = (pairs(source), pairs(shown));
    let still = || source.iter().zip(&shown).filter(|(source, _)| **source <= STILL);
    let count = still().count().max(1) as f64;
    still().map(|(_, change)| change).sum::<f64>() / count
}
