//! The door `reel` of `crates/tbr-io/tests/mutants/doors.rs`, on whatever libFuzzer finds.
#![no_main]

#[allow(dead_code, reason = "the other doors have targets of their own")]
#[path = "../../crates/tbr-io/tests/mutants/doors.rs"]
mod doors;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    doors::reel(bytes);
});
