//! What a reel says of its making.

use super::Args;
use serde_json::json;
use tbr::fit::{Fit, SOLVER_REVISION};
use tbr::program::{Program, Provenance};
use tbr::reel::Keyframe;
use tbr_io::Failure;
use tbr_io::fit::Wishes;

/// All that decides a reel but the frames; options before they are suited to those.
pub fn made(args: &Args, wishes: &Wishes) -> Result<Provenance, Failure> {
    Ok(Provenance::of(&json!({
        "made_by": "tbr follow",
        "version": env!("CARGO_PKG_VERSION"),
        "preset": args.preset.name(),
        "size_px": args.size,
        "solver_revision": format!("{SOLVER_REVISION:016x}"),
        "options": wishes.options(args.preset.options(), None),
        "part": args.part.map(|part| part.to_string()),
    }))?)
}

/// A keyframe that says of which frame it is, and how near it came.
pub fn with_provenance(keyframe: Keyframe, fit: &Fit, digest: &str) -> Result<Keyframe, Failure> {
    let (shot, time_secs, names) =
        (keyframe.shot(), keyframe.time_secs(), keyframe.names().to_vec());
    let mut parts = keyframe.into_program().into_parts();
    let made = json!({ "picture_digest": digest, "floor_ratio": fit.floor_ratio() });
    parts.provenance = Provenance::of(&made)?;
    Ok(Keyframe::new(shot, time_secs, names, Program::new(parts)?)?)
}
