//! A reel that is being made: beside its place, a line more for each keyframe, so that who is killed
//! loses one frame at the most, and whoever comes after goes on.

use super::Lines;
use crate::failure::Failure;
use crate::files::Output;
use std::fs::{self, File};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tbr::reel::Keyframe;
use tbr::reel::format::{Header, parse_keyframe, write_header, write_keyframe};

/// The file of a reel that is being made.
pub struct Unfinished {
    path: PathBuf,
    file: File,
    /// What somebody before has left, as long as all of it fits.
    left: Option<Lines<BufReader<File>>>,
    /// Bytes that are whole.
    whole: u64,
    keyframes: usize,
}

impl Unfinished {
    /// Its name: `x.tbr.unfinished.jsonl` for `x.tbr.jsonl`.
    pub fn name_of(reel: &Path) -> PathBuf {
        reel.with_extension("unfinished.jsonl")
    }

    /// Goes on with what is left of the same reel, by its first line; begins anew otherwise.
    pub fn open(reel: &Path, header: &Header) -> Result<Self, Failure> {
        let path = Self::name_of(reel);
        let cannot = |e: std::io::Error| Failure::file(&path, e);
        let first = write_header(header).into_bytes();
        let mut left = match File::open(&path) {
            Ok(file) => Some(Lines::new(BufReader::new(file))),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
            Err(e) => return Err(cannot(e)),
        };
        let is_same = match &mut left {
            Some(lines) => lines.next().map_err(cannot)?.is_some_and(|line| line == first),
            None => false,
        };
        let options = File::options().create(true).truncate(false).write(true).clone();
        let file = options.open(&path).map_err(cannot)?;
        let whole = if is_same { first.len() as u64 } else { 0 };
        let left = left.filter(|_| is_same);
        let mut own = Self { path, file, left, whole, keyframes: 0 };
        if !is_same {
            own.append(&first)?;
        }
        Ok(own)
    }

    /// How many keyframes it has.
    pub fn keyframes(&self) -> usize {
        self.keyframes
    }

    /// The next keyframe, if somebody has made it before and it `fits`. What comes after one that
    /// does not, or that is cut short, is made anew.
    pub fn next(&mut self, fits: impl Fn(&Keyframe) -> bool) -> Result<Option<Keyframe>, Failure> {
        let Some(lines) = &mut self.left else { return Ok(None) };
        let line = lines.next().map_err(|e| Failure::file(&self.path, e))?;
        let whole = line.filter(|line| line.ends_with(b"\n"));
        let keyframe = whole.and_then(|line| parse_keyframe(&line, self.keyframes + 1).ok());
        let keyframe = keyframe.filter(fits);
        match &keyframe {
            Some(_) => (self.whole, self.keyframes) = (lines.at, self.keyframes + 1),
            None => self.left = None,
        }
        Ok(keyframe)
    }

    /// Adds a keyframe, after those that were there.
    pub fn add(&mut self, keyframe: &Keyframe) -> Result<(), Failure> {
        self.left = None;
        self.append(write_keyframe(keyframe).as_bytes())?;
        self.keyframes += 1;
        Ok(())
    }

    fn append(&mut self, line: &[u8]) -> Result<(), Failure> {
        let file = &mut self.file;
        let appended = file
            .set_len(self.whole)
            .and_then(|()| file.seek(SeekFrom::Start(self.whole)))
            .and_then(|_| file.write_all(line))
            .and_then(|()| file.sync_data());
        appended.map_err(|e| Failure::file(&self.path, e))?;
        self.whole += line.len() as u64;
        Ok(())
    }

    /// All is there: the reel takes its place.
    pub fn finish(self, reel: &Path, force: bool) -> Result<(), Failure> {
        let Self { path, file, whole, .. } = self;
        let cannot = |e: std::io::Error| Failure::file(&path, e);
        drop(file);
        let mut output = Output::create_new(reel, force)?;
        let mut own = File::open(&path).map_err(cannot)?.take(whole);
        std::io::copy(&mut own, &mut output).map_err(|e| output.failure(e))?;
        output.finish()?;
        fs::remove_file(&path).map_err(cannot)
    }
}
