//! Messages on standard error.

/// Says a line on standard error. Nobody may be listening any more (`tbr fit ... 2>&1 | head`):
/// that is no reason to lose an hour's work, as `eprintln!` would.
#[macro_export]
macro_rules! tell {
    ($($text:tt)*) => {{
        let _ = std::io::Write::write_fmt(
            &mut std::io::stderr().lock(),
            format_args!("{}\n", format_args!($($text)*)),
        );
    }};
}
