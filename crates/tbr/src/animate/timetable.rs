//! When the steps of a film begin and how long they take.

use crate::program::Step;

/// A tool's time, as a share of that of all strokes: long enough to be watched.
const TOOL_SHARE: f64 = 0.04;

/// The times of a film's steps, in strokes' time.
pub(super) struct Timetable {
    /// When each step begins.
    starts: Vec<f64>,
    /// How long it takes; nothing if it appears at the end of its time.
    lengths: Vec<Option<f64>>,
    /// When the last of them ends, if it is not in the company of others...
    whole: f64,
    /// ...and when all is done.
    end: f64,
}

impl Timetable {
    /// Strokes take the time of so many (`growth`), or appear at once; tools take theirs alone:
    /// what is laid before them is done by then.
    pub fn new(steps: &[Step], growth: Option<f64>) -> Self {
        let is_tool = |step: &Step| matches!(step, Step::Tool(_));
        let strokes = steps.iter().filter(|step| !is_tool(step)).count();
        let tool_time = (TOOL_SHARE * strokes as f64).max(1.0);
        let mut starts = Vec::with_capacity(steps.len());
        let mut time = 0.0;
        for step in steps {
            starts.push(time);
            time += if is_tool(step) { tool_time } else { 1.0 };
        }
        // Backwards, for strokes are done when the next tool begins.
        let mut next_tool = f64::INFINITY;
        let mut lengths = vec![None; steps.len()];
        for (i, step) in steps.iter().enumerate().rev() {
            if is_tool(step) {
                lengths[i] = Some(tool_time);
                next_tool = starts[i];
            } else {
                lengths[i] = growth.map(|together| together.min(next_tool - starts[i]));
            }
        }
        let end = match (steps.last(), growth) {
            (Some(Step::Stroke(_)), Some(together)) => (time - 1.0).max(0.0) + together,
            _ => time,
        };
        Self { starts, lengths, whole: time, end }
    }

    /// The time of all steps, one after another.
    pub fn whole(&self) -> f64 {
        self.whole
    }

    /// The share of step `i` that is done when a share of the film is over.
    pub fn share(&self, i: usize, share: f64) -> f64 {
        let since = share * self.end - self.starts[i];
        match self.lengths[i] {
            Some(length) => (since / length).clamp(0.0, 1.0),
            None => f64::from(u8::from(since >= 1.0)),
        }
    }

    /// The share of the film that is over at a time that is counted in steps.
    pub fn share_at_step(&self, time: f64) -> f64 {
        let at = |i: usize| self.starts.get(i).copied().unwrap_or(self.whole);
        let (step, part) = (time.floor() as usize, time.fract());
        let now = at(step) + (at(step + 1) - at(step)) * part;
        if self.whole > 0.0 { now / self.whole } else { 1.0 }
    }
}
