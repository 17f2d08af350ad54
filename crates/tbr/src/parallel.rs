//! Parallel loops over numbers and items. The engines are compiled for every precision and
//! instruction set; the machinery of the thread pool is compiled once, here.

use crate::error::{Error, Result};
use rayon::prelude::*;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A way to stop what takes long. It is asked many times a second, by all threads, in the middle
/// of the work; what is stopped gives [`Error::Stopped`] and leaves things as they were.
#[derive(Clone, Default)]
pub struct Stop(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Stop {
    /// Nobody will stop it.
    pub fn never() -> Self {
        Self(None)
    }

    /// It is to stop as soon as `wanted` says so, which must be quick to tell: a flag, read.
    pub fn when(wanted: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(wanted)))
    }

    /// Is it to stop?
    pub fn is_wanted(&self) -> bool {
        self.0.as_ref().is_some_and(|wanted| wanted())
    }

    /// [`Error::Stopped`], if it is.
    pub fn check(&self) -> Result<()> {
        if self.is_wanted() { Err(Error::Stopped) } else { Ok(()) }
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stop({})", self.is_wanted())
    }
}

/// Calls `work` with every number below `count`.
fn for_each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}

/// Does two things, at once if there is a thread for each.
pub(crate) fn join(one: impl FnOnce() + Send, other: impl FnOnce() + Send) {
    rayon::join(one, other);
}

/// What `work` gives for every number below `count`, in order.
pub(crate) fn map<T: Send + Sync>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let slots: Vec<OnceLock<T>> = (0..count).map(|_| OnceLock::new()).collect();
    for_each(count, &|k| {
        let _ = slots[k].set(work(k));
    });
    slots.into_iter().filter_map(OnceLock::into_inner).collect()
}

/// [`map`], unless it is stopped.
pub(crate) fn map_until<T: Send + Sync>(
    stop: &Stop,
    count: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>> {
    let done = map(count, |k| (!stop.is_wanted()).then(|| work(k)));
    done.into_iter().collect::<Option<_>>().ok_or(Error::Stopped)
}

/// What `work` gives for every item, which it may change, in order.
pub(crate) fn map_mut<T: Send, R: Send + Sync>(
    items: &mut [T],
    work: impl Fn(&mut T) -> R + Sync,
) -> Vec<R> {
    // Each lock is taken once, by the only one that wants it.
    let items: Vec<Mutex<&mut T>> = items.iter_mut().map(Mutex::new).collect();
    map(items.len(), |k| work(&mut items[k].lock().unwrap_or_else(PoisonError::into_inner)))
}

/// [`map_mut`], unless it is stopped.
pub(crate) fn map_mut_until<T: Send, R: Send + Sync>(
    stop: &Stop,
    items: &mut [T],
    work: impl Fn(&mut T) -> R + Sync,
) -> Result<Vec<R>> {
    let done = map_mut(items, |item| (!stop.is_wanted()).then(|| work(item)));
    done.into_iter().collect::<Option<_>>().ok_or(Error::Stopped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn what_is_stopped_is_not_finished() {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = calls.clone();
        let stop = Stop::when(move || counted.load(Ordering::SeqCst) >= 10);
        let work = |k: usize| {
            calls.fetch_add(1, Ordering::SeqCst);
            k
        };
        assert!(matches!(map_until(&stop, 100_000, work), Err(Error::Stopped)));
        assert!(calls.load(Ordering::SeqCst) < 1000);
        assert_eq!(map_until(&Stop::never(), 10, |k| k).unwrap().len(), 10);
        assert!(stop.check().is_err() && Stop::default().check().is_ok());
    }

    #[test]
    fn results_are_in_order_and_items_change() {
        assert_eq!(map(1000, |k| k * k), (0..1000).map(|k| k * k).collect::<Vec<_>>());
        let mut items: Vec<usize> = (0..100).collect();
        let doubled = map_mut(&mut items, |item| {
            *item += 1;
            *item * 2
        });
        assert_eq!(items, (1..101).collect::<Vec<_>>());
        assert_eq!(doubled, (1..101).map(|k| 2 * k).collect::<Vec<_>>());
        let never = map_mut_until(&Stop::when(|| true), &mut items, |item| *item = 0);
        assert!(matches!(never, Err(Error::Stopped)) && items[0] == 1);
        assert!(map(0, |k| k).is_empty());
    }
}
