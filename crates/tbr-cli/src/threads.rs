//! The threads that share the work.

use rayon::{ThreadBuilder, ThreadPoolBuilder};
use std::io;
use std::num::NonZero;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use tbr_io::{Failure, tell};

/// The most threads: more than any machine has cores.
const MOST: usize = 1024;

/// Where a thread hears what it is to do.
type Worker = Sender<ThreadBuilder>;

/// Starts the threads that are asked for, or one for each core; or as many of them as can be had.
/// The results are the same.
pub fn start(asked: Option<usize>) -> Result<(), Failure> {
    if asked == Some(0) {
        return Err(Failure::usage("--threads 0: at least one thread is needed"));
    }
    let cores = || thread::available_parallelism().map_or(1, NonZero::get);
    let wanted = asked.unwrap_or_else(cores).min(MOST);
    let workers = workers(wanted, spawn);
    if let Some(asked) = asked
        && workers.len() < wanted
    {
        let most = workers.len().max(1);
        tell!("note: {most} of {asked} threads can be had; the result is the same");
    }
    share_out(workers).map_err(|e| Failure::usage(format!("the threads cannot be started: {e}")))
}

/// A thread that waits for its work, which it may never get.
fn spawn(work: Receiver<ThreadBuilder>) -> io::Result<()> {
    let run = move || {
        if let Ok(thread) = work.recv() {
            thread.run();
        }
    };
    thread::Builder::new().name("worker".into()).spawn(run).map(|_| ())
}

/// As many threads as can be had, at most `wanted`. They are started before the pool is: the pool
/// tries only once, and without it the first parallel loop would panic. Where they are fewer than
/// wanted one is let go again: others, like the one that shows progress, need some too.
fn workers(
    wanted: usize,
    mut spawn: impl FnMut(Receiver<ThreadBuilder>) -> io::Result<()>,
) -> Vec<Worker> {
    let mut workers = Vec::new();
    while workers.len() < wanted {
        let (worker, work) = channel();
        if spawn(work).is_err() {
            workers.pop();
            break;
        }
        workers.push(worker);
    }
    workers
}

/// Makes the workers the pool that all parallel loops use; this thread alone if there are none.
fn share_out(workers: Vec<Worker>) -> Result<(), rayon::ThreadPoolBuildError> {
    if workers.is_empty() {
        return ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
    }
    let pool = ThreadPoolBuilder::new().num_threads(workers.len());
    let workers = Mutex::new(workers);
    pool.spawn_handler(|thread| {
        let worker = workers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let gone = || io::Error::other("a thread has ended");
        worker.ok_or_else(gone)?.send(thread).map_err(|_| gone())
    })
    .build_global()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many workers there are if only so many threads can be started.
    fn with(wanted: usize, can_be_had: usize) -> usize {
        let mut started = 0;
        let limited = |_| match started < can_be_had {
            true => {
                started += 1;
                Ok(())
            }
            false => Err(io::Error::from(io::ErrorKind::WouldBlock)),
        };
        workers(wanted, limited).len()
    }

    #[test]
    fn as_many_as_can_be_had_and_never_a_panic() {
        assert_eq!(with(8, 100), 8);
        assert_eq!(with(8, 8), 8);
        assert_eq!(with(8, 5), 4);
        assert_eq!(with(8, 1), 0);
        assert_eq!(with(8, 0), 0);
    }
}
