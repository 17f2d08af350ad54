//! Work without the interpreter's lock, on threads of our own, that Ctrl-C ends.

use crate::error::{raised, request};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tbr::Stop;
use tbr_io::Failure;

/// How often the interpreter is asked whether somebody has pressed Ctrl-C: a tenth of a second is
/// felt, and asking takes microseconds.
const TICK: Duration = Duration::from_millis(20);
/// How long work is waited for that was asked to stop: what looks up at all does so within
/// milliseconds, and more is felt.
const PATIENCE: Duration = Duration::from_millis(40);
/// The most threads: more than any machine has cores.
const MOST_THREADS: usize = 1024;
/// The most notes that wait to be told.
const MOST_NOTES: usize = 100;

/// The threads, with the process that they belong to and how many were asked for. A process that
/// was forked has none of its parent's: what it would give them to do would never be done.
struct Threads {
    asked: Option<usize>,
    pool: Option<(u32, Arc<ThreadPool>)>,
}

static THREADS: Mutex<Threads> = Mutex::new(Threads { asked: None, pool: None });

/// What the libraries would say on standard error, until a warning tells it.
static NOTES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Notes become warnings.
pub fn listen() {
    tbr_io::listen(|line| {
        // (A lock that a fork has left behind is not waited for.)
        if let Ok(mut notes) = NOTES.try_lock()
            && notes.len() < MOST_NOTES
        {
            notes.push(line);
        }
    });
}

/// A wish to stop that outlives one piece of work: that of a fit.
#[derive(Clone, Default)]
pub struct Flag(Arc<AtomicBool>);

impl Flag {
    /// Who asks it is to stop as soon as the flag is up.
    pub fn stop(&self) -> Stop {
        let flag = self.0.clone();
        Stop::when(move || flag.load(Ordering::Relaxed))
    }

    fn lower(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Does some work on our threads, without the interpreter's lock, until it is done or Ctrl-C is
/// pressed. Most work then stops in its middle; what cannot is left alone, and nobody hears of its
/// end.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Stop) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    run_under(py, &Flag::default(), work)
}

/// The same with a flag that outlives the work.
pub fn run_under<T: Send + 'static>(
    py: Python<'_>,
    flag: &Flag,
    work: impl FnOnce(&Stop) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    flag.lower();
    let (stop, pool) = (flag.stop(), pool()?);
    let (sender, receiver) = sync_channel(1);
    pool.spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| work(&stop)));
        let _ = sender.send(done);
    });
    let done = py.detach(move || wait(receiver, flag, Some(PATIENCE)));
    finish(py, done?.unwrap_or_else(|panic| resume_unwind(panic)))
}

/// The same for work that nothing may overtake, as it changes a fit or writes a file: after Ctrl-C
/// it is waited for.
pub fn run_to_end<T: Send>(
    py: Python<'_>,
    flag: &Flag,
    work: impl FnOnce(&Stop) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    flag.lower();
    let (stop, pool) = (flag.stop(), pool()?);
    let (sender, receiver) = sync_channel(1);
    let done = py.detach(move || {
        pool.in_place_scope(|scope| {
            scope.spawn(move |_| {
                let _ = sender.send(work(&stop));
            });
            wait(receiver, flag, None)
        })
    });
    finish(py, done?)
}

/// What was done, as soon as it is; an error if the interpreter has heard a signal meanwhile, at
/// the latest when the patience with what was begun is at its end.
fn wait<T>(receiver: Receiver<T>, flag: &Flag, patience: Option<Duration>) -> PyResult<T> {
    let mut heard: Option<(PyErr, Instant)> = None;
    loop {
        match (receiver.recv_timeout(TICK), heard) {
            (Ok(done), None) => return Ok(done),
            (Ok(_), Some((signal, _))) => return Err(signal),
            // The work has panicked, and the scope's end says so.
            (Err(RecvTimeoutError::Disconnected), _) => {
                return Err(PyRuntimeError::new_err("the work has ended early"));
            }
            (Err(RecvTimeoutError::Timeout), Some((signal, at))) => {
                if patience.is_some_and(|patience| at.elapsed() > patience) {
                    return Err(signal);
                }
                heard = Some((signal, at));
            }
            (Err(RecvTimeoutError::Timeout), None) => {
                let signal = Python::attach(|py| py.check_signals()).err();
                flag.0.store(signal.is_some(), Ordering::Relaxed);
                heard = signal.map(|signal| (signal, Instant::now()));
            }
        }
    }
}

/// What the interpreter gets of what was done.
fn finish<T>(py: Python<'_>, done: Result<T, Failure>) -> PyResult<T> {
    tell_notes(py)?;
    done.map_err(|failure| raised(&failure))
}

/// Tells what the libraries had to say as warnings.
fn tell_notes(py: Python<'_>) -> PyResult<()> {
    let notes = NOTES.try_lock().map(|mut notes| mem::take(&mut *notes)).unwrap_or_default();
    for note in notes.iter().filter(|note| !note.starts_with("hint: ")) {
        let words = note.strip_prefix("note: ").unwrap_or(note);
        py.import("tbr.errors")?.call_method1("tell", (words,))?;
    }
    Ok(())
}

fn lock() -> MutexGuard<'static, Threads> {
    THREADS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// This process's threads, started if there are none yet.
fn pool() -> PyResult<Arc<ThreadPool>> {
    let mut threads = lock();
    if let Some((owner, pool)) = &threads.pool
        && *owner == process::id()
    {
        return Ok(pool.clone());
    }
    let builder = ThreadPoolBuilder::new().num_threads(threads.asked.unwrap_or(0));
    let pool = builder.thread_name(|k| format!("tbr-{k}")).build();
    let pool = pool.map_err(|e| PyRuntimeError::new_err(format!("no threads can be had: {e}")))?;
    let pool = Arc::new(pool);
    // The parent's threads are not here to be ended: they are forgotten.
    mem::forget(threads.pool.replace((process::id(), pool.clone())));
    Ok(pool)
}

/// How many threads share the work.
///
/// >>> tbr.threads() > 0
/// True
#[pyfunction]
pub fn threads() -> PyResult<usize> {
    Ok(pool()?.current_num_threads())
}

/// Sets how many threads share the work from now on; all cores if none is said. What comes out
/// does not depend on it.
///
/// >>> tbr.set_threads(2)
/// >>> tbr.threads()
/// 2
/// >>> tbr.set_threads()
#[pyfunction]
#[pyo3(signature = (count = None))]
pub fn set_threads(count: Option<usize>) -> PyResult<()> {
    if count.is_some_and(|count| !(1..=MOST_THREADS).contains(&count)) {
        return Err(request(format!("threads go from 1 to {MOST_THREADS}")));
    }
    let mut threads = lock();
    threads.asked = count;
    match threads.pool.take() {
        // They end when the last work on them is done.
        Some((owner, pool)) if owner == process::id() => drop(pool),
        forked => mem::forget(forked),
    }
    Ok(())
}
