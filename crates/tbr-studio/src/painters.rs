//! Painters: threads that make pictures and whatever else a person waits for. A picture that takes
//! long has a thread of its own, and one that nobody waits for any more is not made.

use crate::refusal::{Answer, Refusal};
use crate::workspace::Studio;
use std::sync::Arc;
use tbr::{Operator, Program};
use tokio::sync::Semaphore;

/// The most pictures that are made at a time, however many threads there are: the largest
/// takes some hundred megabytes.
const MOST_AT_ONCE: usize = 4;
/// Threads that make pictures.
pub struct Painters {
    pub threads: rayon::ThreadPool,
    /// Turns to make a picture, as many as there are threads. A request that is given up while
    /// it waits for one costs nothing.
    pub turns: Arc<Semaphore>,
}

impl Painters {
    /// So many threads.
    pub fn new(count: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(count).build()?;
        Ok(Self { threads, turns: Arc::new(Semaphore::new(count.min(MOST_AT_ONCE))) })
    }
}

/// Does work that takes a while, off the threads that answer.
pub async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Answer<T> + Send + 'static,
) -> Answer<T> {
    tokio::task::spawn_blocking(work).await.map_err(Refusal::broken)?
}

/// How much work a picture may be.
#[derive(Clone, Copy, PartialEq)]
pub enum Weight {
    /// Parts of a second.
    Light,
    /// Up to a minute: one at a time, beside the others.
    Heavy,
}

impl Weight {
    /// What pictures of a program are: the line source is integrated step by step.
    pub fn of(program: &Program) -> Self {
        if program.operator() == Operator::LineSource { Self::Heavy } else { Self::Light }
    }
}

/// Makes a picture or outlines on the painters' threads, when the turn comes, if it is still
/// wanted.
pub async fn on_painters<T: Send + 'static>(
    studio: Arc<Studio>,
    weight: Weight,
    work: impl FnOnce() -> Answer<T> + Send + 'static,
) -> Answer<T> {
    let painters = match weight {
        Weight::Light => Arc::clone(&studio.painters),
        Weight::Heavy => Arc::clone(&studio.slow_painter),
    };
    let turn = Arc::clone(&painters.turns).acquire_owned().await.map_err(Refusal::broken)?;
    // Ours as long as somebody waits for the answer: a request that is given up is dropped.
    let waiting = Arc::new(());
    let wanted = Arc::downgrade(&waiting);
    in_background(move || {
        // The turn lasts as long as the work, whoever hangs up.
        let _turn = turn;
        painters.threads.install(move || match wanted.strong_count() {
            0 => Err(Refusal::conflict("nobody waits for this any more")),
            _ => caught(work),
        })
    })
    .await
}

/// Turns a panic into a refusal: a bug in a picture must not end the thread that makes the
/// others.
fn caught<T>(work: impl FnOnce() -> Answer<T>) -> Answer<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Refusal::broken("a picture could not be made")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn what_nobody_waits_for_any_more_is_not_made() {
        let studio = Arc::new(crate::studio(&crate::ServeOptions::default()).unwrap());
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        // The painter is busy until we let go.
        let (let_go, busy) = mpsc::channel::<()>();
        studio.slow_painter.threads.spawn(move || {
            let _ = busy.recv();
        });
        let made = Arc::new(AtomicBool::new(false));
        let note = Arc::clone(&made);
        let picture = on_painters(Arc::clone(&studio), Weight::Heavy, move || {
            note.store(true, Ordering::SeqCst);
            Ok(())
        });
        // It has its turn and waits for the thread; then whoever wanted it hangs up.
        runtime.block_on(async {
            assert!(tokio::time::timeout(Duration::from_millis(200), picture).await.is_err());
        });
        drop(let_go);
        // The next one is made, after it.
        let next = on_painters(Arc::clone(&studio), Weight::Heavy, || Ok(7));
        assert_eq!(runtime.block_on(next).unwrap(), 7);
        assert!(!made.load(Ordering::SeqCst));
    }
}
