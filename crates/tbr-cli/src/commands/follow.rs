//! `tbr follow`.

mod frames;
mod join;
mod record;

use frames::Part;
use std::path::{Path, PathBuf};
use tbr::fit::{Fit, Follow, FollowOptions, Palette, Target};
use tbr::reel::Keyframe;
use tbr::reel::format::Header;
use tbr::{Colour, Stop};
use tbr_io::digest::Digest;
use tbr_io::files::{self, Lock};
use tbr_io::fit::{Preparation, Preset, Shard, Wishes};
use tbr_io::frames::Frames;
use tbr_io::picture::Picture;
use tbr_io::progress::Progress;
use tbr_io::reel::{ENDING, Unfinished};
use tbr_io::words::shell;
use tbr_io::{Failure, interrupt, palette, tell};
use tbr_lab::preset;

#[derive(clap::Args)]
pub struct Args {
    /// The film: a folder of frames, or several pictures in their order; a GIF, PNG or WebP that
    /// moves; any video where ffmpeg is. With --join, reels of its parts, in their order
    #[arg(required = true)]
    film: Vec<PathBuf>,
    /// The reel, *.tbr.jsonl. Named after the film, in the current folder, if not given
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How much time the first frame of a shot takes; those that follow it take a quarter
    #[arg(long, default_value = Preset::Default.name(), value_parser = preset())]
    preset: Preset,
    /// How many strokes; 2000 if not given
    #[arg(long, value_name = "N")]
    strokes: Option<usize>,
    /// Colours that strokes may have, the same in all frames: so many, chosen for the film, or inks
    /// like d9a441,1d3f73, or a file of them
    #[arg(long, value_name = "N|COLOURS|FILE", value_parser = palette::parse)]
    palette: Option<Palette>,
    /// Straight strokes only
    #[arg(long)]
    straight: bool,
    /// Frames a second, of pictures and of videos that are to have others than their own
    #[arg(long, value_name = "N", value_parser = rate)]
    fps: Option<f64>,
    /// Longer side of the frames that are fitted, in pixels [default: their own, from 768 to 1024]
    #[arg(long, value_name = "PX", value_parser = clap::value_parser!(u32).range(16..=2048))]
    size: Option<u32>,
    /// What lies behind transparent parts
    #[arg(long, value_name = "COLOUR", default_value = "#ffffff", value_parser = palette::colour)]
    matte: Colour,
    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Only the K-th of N parts of the film, to be joined with the others: each goes a few frames
    /// on, over which it dissolves into the next
    #[arg(long, value_name = "K/N", conflicts_with = "join")]
    part: Option<Shard>,
    /// Join the reels of all parts of a film into one
    #[arg(long, conflicts_with_all = ["strokes", "palette", "straight", "fps", "size", "seed"])]
    join: bool,
    /// Replace the reel if it is there already
    #[arg(long)]
    force: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let output = args.output()?;
    files::check_new(&output, args.force)?;
    files::check_writable(&output)?;
    let _lock = Lock::of(&output)?;
    match args.join {
        true => join::run(&args.film, &output, args.force)?,
        false => args.follow(&output)?,
    }
    let name = shell(&output);
    tell!(
        "next: tbr animate {name} -o {}",
        shell(&output.with_extension("").with_extension("webp"))
    );
    Ok(())
}

impl Args {
    /// Where the reel goes.
    fn output(&self) -> Result<PathBuf, Failure> {
        let Some(output) = &self.output else {
            let stem = self.film[0].file_stem().unwrap_or(std::ffi::OsStr::new("film"));
            let mut name = stem.to_owned();
            name.push(ENDING);
            return Ok(name.into());
        };
        if output.to_string_lossy().ends_with(ENDING) {
            return Ok(output.clone());
        }
        let message = format!("{}: a reel's name ends in {ENDING}", output.display());
        Err(Failure::usage(message).hint("tbr animate makes films of it"))
    }

    /// Follows the film, or the rest of it.
    fn follow(&self, output: &Path) -> Result<(), Failure> {
        let part = Part::of(&self.film, self.fps, self.part)?;
        let mut frames = Frames::open(&self.film, self.fps)?;
        let wishes = self.wishes()?;
        let provenance = record::made(self, &wishes)?;
        let header = Header { frames_per_second: frames.frames_per_second(), provenance };
        let mut unfinished = Unfinished::open(output, &header)?;
        let mut options = wishes.options(self.preset.options(), None);
        let mut follow: Option<Follow> = None;
        let progress = Progress::of(part.frames(), "frames");
        let mut shots = 0;
        for (k, frame) in (&mut frames).enumerate().skip(part.first).take(part.frames()) {
            let frame = frame?;
            progress.set(k - part.first);
            let target = self.target(&frame.picture)?;
            let follow = match &mut follow {
                Some(follow) => follow,
                none => {
                    options.suit(target.longer_px());
                    none.insert(Follow::new(FollowOptions::of(options.clone()))?.with_stop(stop()))
                }
            };
            let digest = Digest::of_target(&target);
            let is_of = |keyframe: &Keyframe| {
                keyframe.time_secs() == frame.time_secs
                    && keyframe.program().provenance().text("picture_digest") == Some(&digest)
            };
            if let Some(keyframe) = unfinished.next(is_of)? {
                shots = keyframe.shot();
                follow.goes_on(keyframe, target);
                continue;
            }
            let fit = fitted(follow.begin(target)).map_err(|e| self.stopped(e, output, k))?;
            let keyframe = follow.keep(&fit, frame.time_secs)?.clone();
            shots = keyframe.shot();
            unfinished.add(&record::with_provenance(keyframe, &fit, &digest)?)?;
        }
        drop(progress);
        let keyframes = unfinished.keyframes();
        unfinished.finish(output, self.force)?;
        let [frames, shots] =
            [(keyframes, "frame"), (shots, "shot")].map(|(n, what)| count(n, what));
        tell!("{}: {frames} in {shots}", output.display());
        Ok(())
    }

    fn wishes(&self) -> Result<Wishes, Failure> {
        let palette = match &self.palette {
            Some(Palette::Size(count)) => {
                Some(frames::palette(&self.film, self.fps, *count, self.seed, self.matte)?)
            }
            other => other.clone(),
        };
        let (strokes, straight, seed) = (self.strokes, self.straight, self.seed);
        Ok(Wishes { strokes, palette, straight, seed, ..Wishes::default() })
    }

    /// A frame as it is fitted.
    fn target(&self, picture: &Picture) -> Result<Target, Failure> {
        let preparation = Preparation { size_px: self.size, matte: self.matte, bare: false };
        preparation.prepare(picture)?.target(None)
    }

    /// A failure in frame `k`; if it is that somebody has asked to stop, with what to do.
    fn stopped(&self, failure: Failure, output: &Path, k: usize) -> Failure {
        if !interrupt::requested() {
            return failure.at(&format!("frame {}", k + 1));
        }
        let left = Unfinished::name_of(output);
        let message =
            format!("stopped in frame {}; those before it are in {}", k + 1, left.display());
        Failure::interrupted(message).hint("the same command goes on")
    }
}

/// All steps of a fit.
fn fitted(fit: tbr::Result<Fit>) -> Result<Fit, Failure> {
    let mut fit = fit?;
    while !fit.is_done() {
        fit.step()?;
    }
    Ok(fit)
}

fn stop() -> Stop {
    Stop::when(interrupt::requested)
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// For clap: frames a second.
fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|v| (0.1..=1000.0).contains(v));
    rate.ok_or_else(|| "must be a number from 0.1 to 1000".into())
}
