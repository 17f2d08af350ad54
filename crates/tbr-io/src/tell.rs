//! Messages on standard error.

use std::fmt::Arguments;
use std::io::Write;

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
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
