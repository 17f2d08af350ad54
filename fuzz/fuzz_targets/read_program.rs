//! Any bytes either are refused or make a program that writes and reads back as
//! itself and renders without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tbr::format::{parse, write};
use tbr::render::{Options, Region, Replay, View};

fuzz_target!(|bytes: &[u8]| {
    let Ok(program) = parse(bytes) else { return };
    let again = parse(write(&program).as_bytes()).expect("what was written can be read");
    assert_eq!(again, program);
    if program.strokes.len() > 50 || !(0.01..=100.0).contains(&program.height) {
        return;
    }
    let view = View::new(Region::canvas(&program), Some(8), None).expect("a small view");
    if let Ok(replay) = Replay::new(&program, view, &Options::default()) {
        let pixels = replay.pixels(0..replay.strips());
        assert!(pixels.iter().flatten().all(|v| v.is_finite()));
    }
});
