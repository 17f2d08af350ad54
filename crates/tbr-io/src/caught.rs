//! Other people's decoders, which may panic on files that somebody made for it.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Is what this thread panics with somebody else's to tell?
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// What some work makes, or what it panicked with. Nothing is said on standard error. The work
/// leaves nothing behind that is used afterwards, and starts no threads.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                usual(info);
            }
        }));
    });
    let before = QUIET.replace(true);
    let made = panic::catch_unwind(AssertUnwindSafe(work));
    QUIET.set(before);
    made.map_err(|panic| message(&*panic))
}

/// What a panic says.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "it does not say why".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        assert_eq!(caught(|| 7), Ok(7));
        let numbers = [1, 2, 3];
        let beyond = numbers.len() + 1;
        let said = caught(|| numbers[..beyond].len()).unwrap_err();
        assert!(said.contains("range end index 4"), "{said}");
        assert_eq!(caught(|| panic!("no {}", 1)), Err::<(), _>("no 1".to_owned()));
        assert!(!QUIET.get());
    }
}
