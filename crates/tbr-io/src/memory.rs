//! Memory use of this process, from Linux's `/proc`.

use std::fs;

/// The most so far, bytes; none where the system does not say.
pub fn peak_bytes() -> Option<f64> {
    system_bytes("/proc/self/status", "VmHWM:")
}

/// A line of a system file, in kB there.
pub fn system_bytes(file: &str, key: &str) -> Option<f64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix(key))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024.0 * kilobytes)
}
