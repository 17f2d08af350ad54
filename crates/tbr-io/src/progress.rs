//! How something slow tells that it goes on: a bar on standard error, where that is a terminal,
//! for whatever takes longer than a moment.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// What is over before this is not worth a bar: it would only flash.
const PATIENCE: Duration = Duration::from_millis(700);
/// How often something moves, whether or not there is news.
const TICK: Duration = Duration::from_millis(200);
/// Marks of a bar of shares: finer than any terminal is wide.
const MARKS: u64 = 1000;

/// A bar, shown until it is dropped.
pub struct Progress {
    bar: ProgressBar,
    /// The thread that shows the bar and moves it; it ends when nobody holds the other end.
    ticker: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Nothing is shown: for whoever has another way to tell.
    pub fn hidden() -> Self {
        Self { bar: ProgressBar::hidden(), ticker: None }
    }

    /// So many things, to be counted by [`Progress::set`].
    pub fn of(count: usize, things: &str) -> Self {
        let template = format!("{{wide_bar}} {{pos}} of {{len}} {things}  {{eta}} left");
        Self::new(count as u64, &template)
    }

    /// A share of the work, to be told by [`Progress::show`].
    pub fn shares() -> Self {
        Self::new(MARKS, "{wide_bar} {msg}  {eta} left")
    }

    /// Work of which nobody knows how long it takes: something turns, with what it is and for how
    /// long it has been.
    pub fn turning(what: &str) -> Self {
        let progress = Self::new(MARKS, "{spinner} {msg}  {elapsed}");
        progress.say(what);
        progress
    }

    /// So many measurements, to be counted by [`Progress::begin`]. The bar is drawn only when one
    /// begins and stands still until the next: nothing else runs while something is timed.
    pub fn still(count: usize) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self::hidden();
        }
        let template = "{wide_bar} {pos} of {len} measurements  {msg}";
        let bar = hidden_bar(count as u64, template);
        bar.set_draw_target(ProgressDrawTarget::stderr());
        Self { bar, ticker: None }
    }

    fn new(length: u64, template: &str) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self::hidden();
        }
        let bar = hidden_bar(length, template);
        let (end, ended) = channel::<()>();
        let shown = bar.clone();
        let ticker = Builder::new().name("progress".into()).spawn(move || {
            if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
            }
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                shown.tick();
            }
        });
        // (Where no thread can be had, there is no bar.)
        Self { bar, ticker: ticker.ok().map(|thread| (end, thread)) }
    }

    /// So many things are done.
    pub fn set(&self, done: usize) {
        self.bar.set_position(done as u64);
    }

    /// A share of the work is done, from 0 to 1; and what is being done.
    pub fn show(&self, share: f64, what: &str) {
        self.bar.set_position((share.clamp(0.0, 1.0) * MARKS as f64) as u64);
        self.say(what);
    }

    /// So many measurements are done, and the next one begins: what it measures.
    pub fn begin(&self, done: usize, what: &str) {
        self.set(done);
        self.say(what);
        self.bar.force_draw();
    }

    /// Does something without the bar, which is away until it is done: lines are said, another bar
    /// is shown, or something is timed. (It must not use this bar.)
    pub fn aside<T>(&self, work: impl FnOnce() -> T) -> T {
        self.bar.suspend(work)
    }

    /// What is being done.
    pub fn say(&self, what: &str) {
        self.bar.set_message(crate::words::line(what));
    }
}

/// A bar that is not shown yet.
fn hidden_bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::hidden())
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.ticker.take() {
            drop(end);
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}
