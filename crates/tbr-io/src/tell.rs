//! Messages on standard error.

use std::fmt::Arguments;
use std::io::Write;
use std::sync::OnceLock;

/// Who hears what would be said on standard error, if somebody does.
static LISTENER: OnceLock<fn(String)> = OnceLock::new();

/// From now on this function hears every line in place of standard error: for whoever has another
/// way to tell. Only the first one counts.
pub fn listen(listener: fn(String)) {
    let _ = LISTENER.set(listener);
}

/// Says a line on standard error, as [`tell`] does.
#[macro_export]
macro_rules! tell {
    ($($text:tt)*) => {
        $crate::tell(format_args!($($text)*))
    };
}

/// Says a line on standard error, without the control characters that names and quoted text may
/// hold. Nobody may be listening any more (`tbr fit ... 2>&1 | head`): that is no reason to lose
/// an hour's work, as `eprintln!` would.
pub fn tell(text: Arguments) {
    let line = crate::words::line(&text.to_string());
    if let Some(listener) = LISTENER.get() {
        return listener(line);
    }
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
