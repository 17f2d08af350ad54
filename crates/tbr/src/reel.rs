//! Reels: programs that follow moving pictures. A reel is made of shots, and a shot of keyframes:
//! programs of moments, whose strokes have names. A stroke that two keyframes share goes over from
//! the one to the other; one that only the first has is taken up, drop by drop, and one that only
//! the second has is laid, so that every moment between them is a program like any other.

pub mod format;
#[cfg(test)]
mod tests;

use crate::error::{Error, Result};
use crate::program::colour::blend;
use crate::program::{Paint, Program, Stroke};
use std::collections::{HashMap, HashSet};

/// The program of a moment of a shot.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyframe {
    /// Its shot, counted from 1.
    shot: usize,
    time_secs: f64,
    names: Vec<u32>,
    program: Program,
}

impl Keyframe {
    /// Refuses tools, times that are none, names that are not as many as the strokes, and strokes
    /// of one name.
    pub fn new(shot: usize, time_secs: f64, names: Vec<u32>, program: Program) -> Result<Self> {
        let refuse = |problem: String| Err(Error::program("keyframe", problem));
        if shot == 0 {
            return refuse("is of shot 0; shots are counted from 1".into());
        }
        if !(0.0..=MAX_SECS).contains(&time_secs) {
            return refuse(format!(
                "has the time {time_secs}; must be from 0 to {MAX_SECS} seconds"
            ));
        }
        if !program.tools().is_empty() {
            return refuse("has tools; a reel is of strokes alone".into());
        }
        let (strokes, count) = (program.strokes().len(), names.len());
        if count != strokes {
            return refuse(format!("names {count} strokes, but its program has {strokes}"));
        }
        let mut known = HashSet::with_capacity(count);
        if let Some(twice) = names.iter().find(|name| !known.insert(**name)) {
            return refuse(format!("has two strokes of the name {twice}"));
        }
        Ok(Self { shot, time_secs, names, program })
    }

    /// Its shot, counted from 1.
    pub fn shot(&self) -> usize {
        self.shot
    }

    /// When it is, from the beginning of the reel.
    pub fn time_secs(&self) -> f64 {
        self.time_secs
    }

    /// What the strokes are called, in their order.
    pub fn names(&self) -> &[u32] {
        &self.names
    }

    /// What is seen at that moment.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The program itself.
    pub fn into_program(self) -> Program {
        self.program
    }

    /// The same in another shot.
    pub fn in_shot(self, shot: usize) -> Self {
        Self { shot, ..self }
    }

    /// Refuses a keyframe that cannot come next in this one's shot: strokes of both must be laid in
    /// the same order, on the same canvas, and move paint in the same way.
    pub fn check_next(&self, next: &Self) -> Result<()> {
        let refuse = |problem: String| Err(Error::program("keyframe", problem));
        if next.time_secs <= self.time_secs {
            let (time, before) = (next.time_secs, self.time_secs);
            return refuse(format!("is at {time} s, not after the one before, at {before} s"));
        }
        let (height, before) = (next.program.height(), self.program.height());
        if height != before {
            return refuse(format!("has a canvas {height} high, the one before {before}"));
        }
        let (operator, before) = (next.program.operator(), self.program.operator());
        if operator != before {
            return refuse(format!("has the operator {operator}, the one before {before}"));
        }
        let places: HashMap<u32, usize> =
            self.names.iter().enumerate().map(|(place, name)| (*name, place)).collect();
        let mut last = None;
        for name in &next.names {
            let place = places.get(name);
            if place.is_some() && place < last {
                return refuse(format!("lays stroke {name} earlier than the one before did"));
            }
            last = place.or(last);
        }
        Ok(())
    }
}

/// The longest reel: a day.
pub const MAX_SECS: f64 = 86_400.0;

/// The program at a share of the way between two keyframes of a shot.
pub fn between(from: &Keyframe, to: &Keyframe, share: f64) -> Result<Program> {
    if share <= 0.0 {
        return Ok(from.program.clone());
    }
    if share >= 1.0 {
        return Ok(to.program.clone());
    }
    let merged = merged(&from.names, &to.names);
    let stroke = |pair: (Option<usize>, Option<usize>)| {
        let of = |keyframe: &Keyframe, k: usize| in_own_colour(&keyframe.program, k);
        match pair {
            (Some(a), Some(b)) => Some(both(from, a, to, b, share)),
            (Some(a), None) => of(from, a).with_share(1.0 - share),
            (None, Some(b)) => of(to, b).with_share(share),
            (None, None) => None,
        }
    };
    let strokes = merged.into_iter().filter_map(stroke).collect();
    let mut parts = from.program.with_strokes(Vec::new())?.into_parts();
    parts.background = blend(from.program.background(), to.program.background(), share);
    parts.strokes = strokes;
    Program::new(parts)
}

/// A stroke that two keyframes share, at a share of the way from the one to the other.
fn both(from: &Keyframe, a: usize, to: &Keyframe, b: usize, share: f64) -> Stroke {
    let (before, after) = (from.program.strokes()[a], to.program.strokes()[b]);
    let shape = before.shape.towards(&after.shape.turned_like(&before.shape), share);
    let stays = before.paint == after.paint && from.program.palette() == to.program.palette();
    let colour = || {
        let colour = |keyframe: &Keyframe, paint| keyframe.program.colour(paint);
        Paint::Own(blend(colour(from, before.paint), colour(to, after.paint), share))
    };
    Stroke { shape, paint: if stays { before.paint } else { colour() } }
}

/// A program's stroke in a colour that is no palette's.
fn in_own_colour(program: &Program, k: usize) -> Stroke {
    let stroke = program.strokes()[k];
    Stroke { paint: Paint::Own(program.colour(stroke.paint)), ..stroke }
}

/// Two lists of names as one, in an order that both keep: for each name its place in either. Names
/// that both have stand in the same order in both.
fn merged(from: &[u32], to: &[u32]) -> Vec<(Option<usize>, Option<usize>)> {
    let places: HashMap<u32, usize> = from.iter().enumerate().map(|(k, name)| (*name, k)).collect();
    let mut merged = Vec::with_capacity(from.len().max(to.len()));
    let mut next = 0;
    for (b, name) in to.iter().enumerate() {
        let a = places.get(name).copied();
        if let Some(a) = a {
            merged.extend((next..a).map(|gone| (Some(gone), None)));
            next = a + 1;
        }
        merged.push((a, Some(b)));
    }
    merged.extend((next..from.len()).map(|gone| (Some(gone), None)));
    merged
}
