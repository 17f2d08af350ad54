//! A film of a reel.

use super::{Args, in_reach};
use std::time::Instant;
use tbr::Region;
use tbr::animate::{Easing, MAX_FRAMES};
use tbr_io::Failure;
use tbr_io::film::{self, FilmKind, MOST_HOLD_SECS};
use tbr_io::progress::Progress;
use tbr_io::reel::Reel;

/// Plays a reel at its own speed, or in as many seconds as are asked for.
pub fn play(args: &Args, kind: FilmKind) -> Result<(), Failure> {
    check(args)?;
    let reel = Reel::open(&args.program)?;
    let seconds = args.seconds.unwrap_or_else(|| reel.seconds());
    let fps = args.fps.unwrap_or(reel.header().frames_per_second);
    let frames = args.frames.unwrap_or_else(|| ((seconds * fps).round() as usize).max(1));
    if frames == 0 || frames > MAX_FRAMES {
        let message = format!("a film of {frames} frames");
        return Err(Failure::limit(format!("{message} (limit: 1 to {MAX_FRAMES} frames)")));
    }
    let canvas = Region { x: 0.0, y: 0.0, width: 1.0, height: reel.height() };
    let region = args.region.unwrap_or(canvas);
    let format = args.format(kind, region, frames, fps, 0.0)?;
    format.check()?;
    let start = Instant::now();
    let progress = Progress::of(frames, "frames");
    let looks = (format.view(region), &args.replay_options());
    let speed = reel.seconds() / (frames as f64 / fps);
    film::shoot_reel(&args.output, args.force, &reel, looks, &format, |k| {
        progress.set(k);
        Ok(reel.start_secs() + k as f64 / fps * speed)
    })?;
    drop(progress);
    args.tell(&format, start);
    Ok(())
}

/// Refuses what only the films of programs have.
fn check(args: &Args) -> Result<(), Failure> {
    let only = [
        ("--morph-to", args.morph_to.is_some()),
        ("--grow", args.grow.is_some()),
        ("--at-once", args.at_once),
        ("--easing", args.easing != Easing::Linear),
    ];
    if let Some((option, _)) = only.into_iter().find(|(_, given)| *given) {
        let message = format!("{option} is for a program that is laid down; a reel is played");
        return Err(Failure::usage(message).in_file(&args.program));
    }
    in_reach("--seconds", args.seconds, 0.01, 86_400.0)?;
    in_reach("--hold", args.hold, 0.0, MOST_HOLD_SECS)?;
    in_reach("--fps", args.fps, 0.1, 1000.0)
}
