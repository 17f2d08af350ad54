//! Reels of a film's parts, joined.

use std::io::Write;
use std::path::{Path, PathBuf};
use tbr::program::Provenance;
use tbr::reel::format::{Header, write_header, write_keyframe};
use tbr_io::Failure;
use tbr_io::files::Output;
use tbr_io::files::place::Inputs;
use tbr_io::reel::Reel;
use tbr_io::tell;

/// One reel after the other; where two are of the same time, the first dissolves into the second.
pub fn run(parts: &[PathBuf], output: &Path, force: bool) -> Result<(), Failure> {
    Inputs::of(parts.iter().map(PathBuf::as_path)).check_apart(&[output])?;
    let reels: Vec<Reel> = parts.iter().map(|path| Reel::open(path)).collect::<Result<_, _>>()?;
    check(parts, &reels)?;
    let mut out = Output::create_new(output, force)?;
    let mut write = |line: String| out.write_all(line.as_bytes()).map_err(|e| out.failure(e));
    write(write_header(&Header { provenance: whole(&reels[0])?, ..reels[0].header().clone() }))?;
    let mut shots = 0;
    for reel in &reels {
        for k in 0..reel.keyframes() {
            let keyframe = (*reel.keyframe(k)?).clone();
            let shot = shots + keyframe.shot();
            write(write_keyframe(&keyframe.in_shot(shot)))?;
        }
        shots += reel.shots();
    }
    out.finish()?;
    let frames: usize = reels.iter().map(Reel::keyframes).sum();
    tell!("{}: {frames} keyframes of {} parts, {shots} shots", output.display(), reels.len());
    Ok(())
}

/// Refuses parts that are not of one film, or not in order.
fn check(parts: &[PathBuf], reels: &[Reel]) -> Result<(), Failure> {
    for (k, pair) in reels.windows(2).enumerate() {
        let [a, b] = pair else { continue };
        let names = format!("{} and {}", parts[k].display(), parts[k + 1].display());
        let same = a.height() == b.height()
            && a.header().frames_per_second == b.header().frames_per_second
            && whole(a)? == whole(b)?;
        if !same {
            return Err(Failure::usage(format!("{names} are not parts of one film"))
                .hint("parts are made by the same command but for --part and -o"));
        }
        let starts = |reel: &Reel| reel.keyframe(0).map(|keyframe| keyframe.time_secs());
        if starts(b)? <= starts(a)? {
            return Err(Failure::usage(format!("{names} are not in their order")));
        }
    }
    Ok(())
}

/// What the reel of a part says of its making, without the part.
fn whole(reel: &Reel) -> Result<Provenance, Failure> {
    let mut made = serde_json::to_value(&reel.header().provenance).unwrap_or_default();
    if let Some(fields) = made.as_object_mut() {
        fields.insert("part".into(), serde_json::Value::Null);
    }
    Ok(Provenance::of(&made)?)
}
