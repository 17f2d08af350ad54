//! Reels in files: read keyframe by keyframe, written as they come to be, and played.

mod unfinished;

pub use unfinished::Unfinished;

use crate::failure::Failure;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tbr::Program;
use tbr::reel::format::{Header, MAX_LINE_BYTES, parse_header, parse_keyframe};
use tbr::reel::{Keyframe, between};

/// What a reel's name ends in.
pub const ENDING: &str = ".tbr.jsonl";
/// Keyframes that are kept in memory: two for each of two shots, as many as a moment has.
const KEPT: usize = 4;

/// A time that is nearer than this to a keyframe's, as a share of the way to the next, is its.
const ROUNDING: f64 = 1e-6;

/// A reel in a file. Keyframes stay there until they are played.
pub struct Reel {
    path: PathBuf,
    header: Header,
    height: f64,
    moments: Vec<Moment>,
    shots: Vec<Shot>,
    source: Mutex<Opened>,
}

/// Where a keyframe lies.
#[derive(Clone, Copy, Debug)]
struct Moment {
    time_secs: f64,
    at: u64,
    bytes: usize,
}

/// The keyframes of a shot, counted from 0: the first, and the last.
#[derive(Clone, Copy, Debug)]
struct Shot {
    first: usize,
    last: usize,
}

/// The file, and the keyframes that were read last.
struct Opened {
    file: File,
    kept: Vec<(usize, Arc<Keyframe>)>,
}

impl Reel {
    /// Reads a reel once, and refuses what cannot be played.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let cannot = |e: std::io::Error| Failure::file(path, e);
        let mut lines = Lines::new(BufReader::new(File::open(path).map_err(cannot)?));
        let first = lines.next().map_err(cannot)?.unwrap_or_default();
        let in_file = |e: tbr::Error| Failure::from(e).in_file(path);
        let header = parse_header(&first).map_err(in_file)?;
        let (mut moments, mut shots) = (Vec::new(), Vec::<Shot>::new());
        let mut before: Option<Keyframe> = None;
        let mut at = lines.at;
        while let Some(line) = lines.next().map_err(cannot)? {
            let keyframe = parse_keyframe(&line, moments.len() + 1).map_err(in_file)?;
            let starts = shots.last().map(|shot| moments[shot.first]);
            check(before.as_ref(), starts, &keyframe)
                .map_err(|e| in_file(e).at(&format!("keyframe {}", moments.len() + 1)))?;
            match shots.last_mut() {
                Some(shot) if keyframe.shot() == shots_of(before.as_ref()) => shot.last += 1,
                _ => shots.push(Shot { first: moments.len(), last: moments.len() }),
            }
            moments.push(Moment { time_secs: keyframe.time_secs(), at, bytes: line.len() });
            before = Some(keyframe);
            at = lines.at;
        }
        let Some(last) = before else {
            return Err(Failure::file(path, "the reel has no keyframes"));
        };
        let height = last.program().height();
        let source = Opened { file: File::open(path).map_err(cannot)?, kept: Vec::new() };
        Ok(Self {
            path: path.to_owned(),
            header,
            height,
            moments,
            shots,
            source: Mutex::new(source),
        })
    }

    /// What it says in its first line.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Height of the canvas.
    pub fn height(&self) -> f64 {
        self.height
    }

    /// How many keyframes there are.
    pub fn keyframes(&self) -> usize {
        self.moments.len()
    }

    /// How many shots there are.
    pub fn shots(&self) -> usize {
        self.shots.len()
    }

    /// When it begins: a part of a film begins later than the film.
    pub fn start_secs(&self) -> f64 {
        self.moments[0].time_secs
    }

    /// How long it is: from its beginning to the end of the last keyframe's frame.
    pub fn seconds(&self) -> f64 {
        let last = self.moments.iter().map(|moment| moment.time_secs).fold(0.0, f64::max);
        last - self.start_secs() + 1.0 / self.header.frames_per_second
    }

    /// Keyframe `k`, counted from 0.
    pub fn keyframe(&self, k: usize) -> Result<Arc<Keyframe>, Failure> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, kept)) = source.kept.iter().find(|(own, _)| *own == k) {
            return Ok(kept.clone());
        }
        let Moment { at, bytes, .. } = self.moments[k];
        let mut line = vec![0; bytes];
        let read =
            source.file.seek(SeekFrom::Start(at)).and_then(|_| source.file.read_exact(&mut line));
        read.map_err(|e| Failure::file(&self.path, e))?;
        let keyframe =
            parse_keyframe(&line, k + 1).map_err(|e| Failure::from(e).in_file(&self.path))?;
        let keyframe = Arc::new(keyframe);
        source.kept.truncate(KEPT - 1);
        source.kept.insert(0, (k, keyframe.clone()));
        Ok(keyframe)
    }

    /// What is seen at a time: programs, each with its share of what is seen once those before it
    /// have been mixed. One, but where a shot dissolves into the next.
    pub fn at(&self, time_secs: f64) -> Result<Vec<(Program, f64)>, Failure> {
        let time = |k: usize| self.moments[k].time_secs;
        let begun = self.shots.partition_point(|shot| time(shot.first) <= time_secs);
        let newest = begun.saturating_sub(1);
        let mut seen = Vec::new();
        // When what is seen so far ends.
        let mut end = f64::NEG_INFINITY;
        for (k, shot) in self.shots[..=newest].iter().enumerate() {
            if k < newest && time(shot.last) < time_secs {
                continue;
            }
            let start = time(shot.first);
            let share = if end > start { (time_secs - start) / (end - start) } else { 1.0 };
            if share >= 1.0 {
                seen.clear();
            }
            seen.push((self.of_shot(*shot, time_secs)?, share.min(1.0)));
            end = time(shot.last);
        }
        Ok(seen)
    }

    /// The program of a shot at a time; before its beginning and after its end, the first and last.
    fn of_shot(&self, shot: Shot, time_secs: f64) -> Result<Program, Failure> {
        let moments = &self.moments[shot.first..=shot.last];
        let after = moments.partition_point(|moment| moment.time_secs <= time_secs);
        let from = shot.first + after.saturating_sub(1);
        let to = (shot.first + after).min(shot.last);
        let (a, b) = (self.keyframe(from)?, self.keyframe(to)?);
        let span = b.time_secs() - a.time_secs();
        let share = if span > 0.0 { (time_secs - a.time_secs()) / span } else { 0.0 };
        // A keyframe's time may be off by a rounding.
        let nearest = share.round();
        let share = if (share - nearest).abs() < ROUNDING { nearest } else { share };
        Ok(between(&a, &b, share)?)
    }
}

/// The shot of a keyframe; 0 of none.
fn shots_of(keyframe: Option<&Keyframe>) -> usize {
    keyframe.map_or(0, Keyframe::shot)
}

/// Refuses a keyframe that cannot follow the one before, whose shot has begun at some moment.
fn check(before: Option<&Keyframe>, starts: Option<Moment>, next: &Keyframe) -> tbr::Result<()> {
    let refuse = |problem: String| Err(tbr::Error::program("keyframe", problem));
    let shot = shots_of(before);
    if next.shot() != shot && next.shot() != shot + 1 {
        return refuse(format!("is of shot {}, after one of shot {shot}", next.shot()));
    }
    let Some(before) = before else { return Ok(()) };
    if next.shot() == shot {
        return before.check_next(next);
    }
    if starts.is_some_and(|start| next.time_secs() <= start.time_secs) {
        return refuse(format!("begins shot {} before the one before it", next.shot()));
    }
    if next.program().height() != before.program().height() {
        return refuse("has another canvas than the shot before".into());
    }
    Ok(())
}

/// Lines of a file, with the place of the next.
struct Lines<R> {
    source: R,
    at: u64,
}

impl<R: BufRead> Lines<R> {
    fn new(source: R) -> Self {
        Self { source, at: 0 }
    }

    /// The next line, with its end; none after the last.
    fn next(&mut self) -> std::io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let read = self.source.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)?;
        self.at += read as u64;
        Ok((read > 0).then_some(line))
    }
}
