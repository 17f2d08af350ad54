//! Parallel loops over numbers and items. The engines are compiled for every precision and
//! instruction set; the machinery of the thread pool is compiled once, here.

use rayon::prelude::*;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Calls `work` with every number below `count`.
fn for_each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}

/// What `work` gives for every number below `count`, in order.
pub(crate) fn map<T: Send + Sync>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let slots: Vec<OnceLock<T>> = (0..count).map(|_| OnceLock::new()).collect();
    for_each(count, &|k| {
        let _ = slots[k].set(work(k));
    });
    slots.into_iter().filter_map(OnceLock::into_inner).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(map(0, |k| k).is_empty());
    }
}
