//! The file format `*.tbr.jsonl`: a reel, one JSON object a line. `docs/format.md` describes it.

use super::Keyframe;
use crate::error::{Error, Result};
use crate::program::{Provenance, format};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::fmt::Write;

/// The value of the field `format` in every file.
pub const FORMAT: &str = "tbr-reel";
/// The version that is read and written.
pub const VERSION: u64 = 1;
/// The longest line that is read: a keyframe of a million strokes.
pub const MAX_LINE_BYTES: u64 = format::MAX_BYTES;
/// Frames a second, the fewest and the most.
pub const FRAMES_PER_SECOND: [f64; 2] = [0.01, 1000.0];

/// What a reel says in its first line.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// Frames a second of what was followed, and of what is played if nothing else is asked for.
    pub frames_per_second: f64,
    /// How the reel was made. Kept, not interpreted.
    pub provenance: Provenance,
}

/// The first line of a reel.
pub fn write_header(header: &Header) -> String {
    let fps = format::number(header.frames_per_second);
    let provenance = &header.provenance;
    format!(
        "{{\"format\": \"{FORMAT}\", \"version\": {VERSION}, \"frames_per_second\": {fps}, \
         \"provenance\": {provenance}}}\n"
    )
}

/// A keyframe's line.
pub fn write_keyframe(keyframe: &Keyframe) -> String {
    let mut names = String::with_capacity(6 * keyframe.names.len());
    for (k, name) in keyframe.names.iter().enumerate() {
        let comma = if k == 0 { "" } else { "," };
        let _ = write!(names, "{comma}{name}");
    }
    let time = format::number(keyframe.time_secs);
    let program = one_line(&format::write(&keyframe.program));
    let shot = keyframe.shot;
    format!(
        "{{\"shot\": {shot}, \"time\": {time}, \"names\": [{names}], \"program\": {program}}}\n"
    )
}

/// JSON without its line breaks, which stand between its values, never inside them.
fn one_line(json: &str) -> String {
    json.lines().map(str::trim_start).collect()
}

/// Reads the first line of a reel.
pub fn parse_header(line: &[u8]) -> Result<Header> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Entry<'a> {
        #[serde(rename = "format")]
        _format: IgnoredAny,
        version: u64,
        frames_per_second: f64,
        #[serde(borrow)]
        provenance: &'a RawValue,
    }
    if !is_reel(line) {
        let problem = format!("does not begin as reels do, with {{\"format\": \"{FORMAT}\"");
        return Err(Error::program("reel", problem));
    }
    let problem = |e: serde_json::Error| Error::program("the reel's first line", e.to_string());
    let entry: Entry = serde_json::from_slice(line).map_err(problem)?;
    if entry.version != VERSION {
        let problem = format!("is {}; this build reads version {VERSION}", entry.version);
        return Err(Error::program("the reel's version", problem));
    }
    let [least, most] = FRAMES_PER_SECOND;
    if !(least..=most).contains(&entry.frames_per_second) {
        let problem = format!("is {}; must be from {least} to {most}", entry.frames_per_second);
        return Err(Error::program("frames_per_second", problem));
    }
    let provenance = Provenance::parse(entry.provenance.get())?;
    Ok(Header { frames_per_second: entry.frames_per_second, provenance })
}

/// Does a file begin as reels do? (The format is what a reel says first.)
pub fn is_reel(start: &[u8]) -> bool {
    let name = format!("\"{FORMAT}\"");
    let mut rest = start;
    ["{", "\"format\"", ":", &name].into_iter().all(|token| {
        match rest.trim_ascii_start().strip_prefix(token.as_bytes()) {
            Some(after) => {
                rest = after;
                true
            }
            None => false,
        }
    })
}

/// Reads the line of keyframe `number`, counted from 1.
pub fn parse_keyframe(line: &[u8], number: usize) -> Result<Keyframe> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Entry<'a> {
        shot: usize,
        time: f64,
        names: Vec<u32>,
        #[serde(borrow)]
        program: &'a RawValue,
    }
    let place = |e: Error| e.within(&format!("keyframe {number}"));
    let entry: Entry = serde_json::from_slice(line)
        .map_err(|e| Error::program(format!("keyframe {number}"), e.to_string()))?;
    let program = format::parse(entry.program.get().as_bytes()).map_err(place)?;
    Keyframe::new(entry.shot, entry.time, entry.names, program).map_err(place)
}
