//! `tbr animate`.

mod reel;

use super::operator;
use super::render::{background, region};
use std::path::PathBuf;
use std::time::Instant;
use tbr::animate::{Easing, Film, FilmOptions, growth};
use tbr::program::Program;
use tbr::reel::format::is_reel;
use tbr::render::{self, Background, Region, View};
use tbr::stroke::Operator;
use tbr_io::Failure;
use tbr_io::files;
use tbr_io::film::{self, FilmKind, Format, HOLD_SECS, MOST_HOLD_SECS};
use tbr_io::picture::start_of;
use tbr_io::progress::Progress;
use tbr_io::tell;

/// Width of a film in pixels, if no side is given.
const WIDTH_PX: u32 = 512;
/// Length of a program's film, frames a second, and how long a deposit grows, if nothing is asked for.
const SECONDS: f64 = 10.0;
const FRAMES_PER_SECOND: f64 = 30.0;
const GROW_SECS: f64 = 0.5;

#[derive(clap::Args)]
pub struct Args {
    /// The program, *.tbr.json, that is laid down, or a reel, *.tbr.jsonl, that is played; - for a
    /// program on standard input
    program: PathBuf,
    /// The film: *.gif, *.png, *.webp or *.mp4 (needs ffmpeg); without an ending, a folder of
    /// frames
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Let the program become this one, which differs in numbers only, instead of being laid down
    #[arg(long, value_name = "PROGRAM", conflicts_with_all = ["grow", "at_once"])]
    morph_to: Option<PathBuf>,
    /// Length of the film; 10, or that of the reel, if not given
    #[arg(long, value_name = "SECS", allow_negative_numbers = true)]
    seconds: Option<f64>,
    /// Frames a second; 30, or those of the reel, if not given
    #[arg(long, value_name = "N")]
    fps: Option<f64>,
    /// How many frames, instead of a length
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    frames: Option<usize>,
    /// How long the last frame stays; 1.5, or 0 of a reel, if not given
    #[arg(long, value_name = "SECS", allow_negative_numbers = true)]
    hold: Option<f64>,
    /// How time runs: linear, in (slowly at first), out (slowly at the end), in-out
    #[arg(long, default_value = "linear", value_parser = easing)]
    easing: Easing,
    /// How long a deposit grows, half a second if not given; strokes grow together as far as it
    /// takes, tools are drawn alone
    #[arg(long, value_name = "SECS")]
    grow: Option<f64>,
    /// Strokes appear at once, without growing
    #[arg(long, conflicts_with = "grow")]
    at_once: bool,
    /// Play once, not over and over
    #[arg(long)]
    once: bool,
    /// Width in pixels; 512 if no side is given
    #[arg(long, value_name = "PX")]
    width: Option<u32>,
    /// Height in pixels; follows from the width if not given
    #[arg(long, value_name = "PX")]
    height: Option<u32>,
    /// Part of the canvas, in canvas units (the canvas is 1 wide)
    #[arg(long, value_name = "X,Y,W,H", value_parser = region, allow_hyphen_values = true)]
    region: Option<Region>,
    /// Samples along each side of a pixel: 1 for hard edges, 2 to 4 for smooth ones
    #[arg(long, value_name = "N", default_value_t = 1)]
    samples: u32,
    /// What shows where there is no paint: none (transparent), or a colour like #ede8d9
    #[arg(long, value_name = "COLOUR", value_parser = background)]
    background: Option<Background>,
    /// Replay with another operator
    #[arg(long, value_parser = operator)]
    operator: Option<Operator>,
    /// Replace the output if it is there already
    #[arg(long)]
    force: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let kind = FilmKind::of(&args.output)?;
    files::check_new(&args.output, args.force)?;
    if is_reel(&start_of(&args.program)?) {
        return reel::play(args, kind);
    }
    let program = files::read_program(&args.program)?;
    let other = args.morph_to.as_deref().map(files::read_program).transpose()?;
    let film = film(args, &program, other.as_ref())?;
    let region = args.region.unwrap_or_else(|| Region::canvas(&program));
    let format = args.format(kind, region, film.frames(), args.fps(), HOLD_SECS)?;
    let view = format.view(region);
    format.check()?;
    let start = Instant::now();
    write(args, &film, view, &format)?;
    args.tell(&format, start);
    Ok(())
}

impl Args {
    /// Frames a second of a program that is laid down.
    fn fps(&self) -> f64 {
        self.fps.unwrap_or(FRAMES_PER_SECOND)
    }

    /// The format of a film of a region: so many frames a second, of which the last stays as long as
    /// is asked for, or `hold_secs`.
    fn format(
        &self,
        kind: FilmKind,
        region: Region,
        frames: usize,
        fps: f64,
        hold_secs: f64,
    ) -> Result<Format, Failure> {
        let side = self.width.or_else(|| self.height.is_none().then_some(WIDTH_PX));
        let (width_px, height_px) = kind.size(View::new(region, side, self.height)?.size());
        let hold_secs = self.hold.unwrap_or(hold_secs);
        let alpha = self.background == Some(Background::Bare);
        let repeat = !self.once;
        Ok(Format { kind, width_px, height_px, frames, fps, hold_secs, alpha, repeat })
    }

    /// How frames are rendered.
    fn replay_options(&self) -> render::ReplayOptions {
        render::ReplayOptions {
            operator: self.operator,
            first: None,
            samples: self.samples,
            background: self.background.unwrap_or(Background::Program),
            ..render::ReplayOptions::default()
        }
    }

    /// Says what was written.
    fn tell(&self, format: &Format, start: Instant) {
        let (path, seconds) = (self.output.display(), start.elapsed().as_secs_f64());
        let Format { frames, width_px, height_px, .. } = *format;
        tell!("{path}: {frames} frames of {width_px} x {height_px} pixels, {seconds:.1} s");
    }
}

/// Refuses what is beyond an option's bounds.
fn in_reach(option: &str, value: Option<f64>, least: f64, most: f64) -> Result<(), Failure> {
    match value {
        Some(value) if !(least..=most).contains(&value) => {
            let message = format!("{option} {value}: must be a number from {least} to {most}");
            Err(Failure::usage(message))
        }
        _ => Ok(()),
    }
}

fn film<'a>(
    args: &Args,
    program: &'a Program,
    other: Option<&Program>,
) -> Result<Film<'a>, Failure> {
    in_reach("--seconds", args.seconds, 0.0, 36_000.0)?;
    in_reach("--hold", args.hold, 0.0, MOST_HOLD_SECS)?;
    in_reach("--grow", args.grow, 0.0, 36_000.0)?;
    in_reach("--fps", args.fps, 0.1, 1000.0)?;
    let seconds = args.seconds.unwrap_or(SECONDS);
    let frames = args.frames.unwrap_or_else(|| ((seconds * args.fps()).round() as usize).max(1));
    let grow_secs = if args.at_once { 0.0 } else { args.grow.unwrap_or(GROW_SECS) };
    let growth = growth(grow_secs, frames as f64 / args.fps(), program);
    let options = FilmOptions { frames, easing: args.easing, growth };
    Ok(match other {
        Some(other) => Film::morph(program, other, options)?,
        None => Film::laying(program, options)?,
    })
}

fn write(args: &Args, film: &Film, view: View, format: &Format) -> Result<(), Failure> {
    let options = args.replay_options();
    let progress = Progress::of(film.frames(), "frames");
    film::shoot(&args.output, args.force, film, view, &options, format, |k| {
        progress.set(k);
        Ok(())
    })
}

/// For clap: an easing by name.
fn easing(name: &str) -> Result<Easing, String> {
    name.parse().map_err(|e: tbr::Error| e.to_string())
}
