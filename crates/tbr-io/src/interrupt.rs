//! Being told to stop: Ctrl-C, a closed terminal, and whatever else ends a process politely.

use crate::failure::Failure;
use crate::files;
use std::sync::atomic::{AtomicI32, Ordering};

/// What has been asked for: nothing yet ([`AT_ONCE`], [`NOTED`]), or a signal's number.
static ASKED: AtomicI32 = AtomicI32::new(AT_ONCE);
/// The first signal ends the process.
const AT_ONCE: i32 = 0;
/// The first signal is noted, and the second ends the process.
const NOTED: i32 = -1;

/// What shells give for a process that a signal has ended: this and the signal's number.
const BY_SIGNAL: i32 = 128;
/// Ctrl-C.
pub const SIGINT: i32 = 2;

/// From now on the first signal is only noted, for [`requested`] to tell: whoever calls this
/// stops soon. A second one ends the process.
pub fn finish_first() {
    let _ = ASKED.compare_exchange(AT_ONCE, NOTED, Ordering::SeqCst, Ordering::SeqCst);
}

/// From now on the first signal ends the process again, as before [`finish_first`]: nothing that
/// it has begun would be lost. One that has been noted stays noted.
pub fn end_at_once() {
    let _ = ASKED.compare_exchange(NOTED, AT_ONCE, Ordering::SeqCst, Ordering::SeqCst);
}

/// Has somebody asked the process to stop since [`finish_first`]?
pub fn requested() -> bool {
    ASKED.load(Ordering::SeqCst) > 0
}

/// The exit code of a process that stopped because it was asked to: 130 for Ctrl-C, 143 for
/// termination, 129 for a terminal that was closed.
pub fn exit_code() -> u8 {
    let signal = match ASKED.load(Ordering::SeqCst) {
        signal if signal > 0 => signal,
        _ => SIGINT,
    };
    (BY_SIGNAL + signal) as u8
}

/// Somebody asks the process to stop.
fn asked(signal: i32) {
    let noted = ASKED.compare_exchange(NOTED, signal, Ordering::SeqCst, Ordering::SeqCst);
    if noted.is_ok() {
        tell!("stopping after this step (Ctrl-C again to stop at once)");
        return;
    }
    end(signal);
}

/// Ends the process as a signal would, and leaves no temporary file behind.
pub fn end(signal: i32) -> ! {
    files::remove_all();
    std::process::exit(BY_SIGNAL + signal)
}

/// Makes a limit on the size of files an error like others, not a signal that ends the process.
#[cfg(unix)]
pub fn bear_file_limits() -> Result<(), Failure> {
    use std::sync::{Arc, atomic::AtomicBool};
    let noticed = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, noticed)
        .map(|_| ())
        .map_err(|e| Failure::usage(format!("signals cannot be had: {e}")))
}
/// Nothing: a limit on the size of files is an error here.
#[cfg(not(unix))]
pub fn bear_file_limits() -> Result<(), Failure> {
    Ok(())
}

/// Watches for signals in a thread of its own, so that none leaves a temporary file behind.
#[cfg(unix)]
pub fn watch() -> Result<(), Failure> {
    use signal_hook::consts::{SIGHUP, SIGTERM};
    let cannot = |e| Failure::usage(format!("cannot watch for Ctrl-C: {e}"));
    // Who starts us deaf to a closed terminal (nohup) means it.
    let mut signals = vec![SIGINT, SIGTERM];
    if !is_ignored(SIGHUP) {
        signals.push(SIGHUP);
    }
    let mut signals = signal_hook::iterator::Signals::new(signals).map_err(cannot)?;
    let thread = std::thread::Builder::new().name("signals".into());
    let watching = move || signals.forever().for_each(asked);
    thread.spawn(watching).map(|_| ()).map_err(cannot)
}

/// Was the process started with this signal ignored? (What Linux tells; elsewhere no.)
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Watches for Ctrl-C, so that it leaves no temporary file behind.
#[cfg(not(unix))]
pub fn watch() -> Result<(), Failure> {
    ctrlc::set_handler(|| asked(SIGINT))
        .map_err(|e| Failure::usage(format!("cannot watch for Ctrl-C: {e}")))
}
