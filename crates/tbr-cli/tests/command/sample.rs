//! `tbr sample`: what comes out, and what is said when something is wrong.

use crate::common::{Bench, fails, tbr, text};
use image::RgbImage;
use std::path::Path;

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples");

/// Draws a sheet; gives its pixels and what was said.
#[track_caller]
fn drawn(path: &Path, args: &[&str]) -> (RgbImage, String) {
    let output = tbr(&[&["sample", "-o", text(path), "--force"], args].concat()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(output.stdout.is_empty());
    (image::open(path).unwrap().into_rgb8(), said)
}

/// The shipped pictures are those of the command, to the last bit.
#[test]
fn a_shipped_sample_is_what_the_command_draws() {
    let bench = Bench::new();
    let args = ["tulip", "--seed", "3", "--width", "256"];
    let (found, said) = drawn(&bench.path("tulip.png"), &args);
    let shipped = image::open(Path::new(SAMPLES).join("tulip.png")).unwrap().into_rgb8();
    assert_eq!(found.dimensions(), (256, 256));
    assert!(found == shipped, "the pixels differ");
    let path = bench.path("tulip.png");
    assert!(said.contains("256 x 256 pixels"), "{said}");
    assert_eq!(said.lines().last(), Some(format!("next: tbr fit {}", path.display()).as_str()));
}

#[test]
fn shipped_samples_are_small() {
    for name in ["battal", "combed", "tulip"] {
        let path = Path::new(SAMPLES).join(format!("{name}.png"));
        assert_eq!(image::open(&path).unwrap().into_rgb8().dimensions(), (256, 256), "{name}");
        assert!(std::fs::metadata(&path).unwrap().len() < 150_000, "{name}");
    }
}

#[test]
fn seeds_sizes_and_threads() {
    let bench = Bench::new();
    let path = bench.path("a.png");
    let draw = |args: &[&str]| drawn(&path, &[&["gel-git"], args].concat()).0;
    let first = draw(&["--width", "48", "--height", "32"]);
    assert_eq!(first.dimensions(), (48, 32));
    assert!(first == draw(&["--width", "48", "--height", "32", "--seed", "1", "--threads", "1"]));
    assert!(first != draw(&["--width", "48", "--height", "32", "--seed", "7"]));
    assert_eq!(draw(&["--height", "40"]).dimensions(), (40, 40));
}

#[test]
fn every_pattern_can_be_drawn_and_is_listed() {
    let bench = Bench::new();
    let list = tbr(&["sample"]).output().unwrap();
    assert!(list.status.success());
    let list = String::from_utf8(list.stdout).unwrap();
    for name in ["battal", "gel-git", "combed", "bouquet", "hatip", "tulip"] {
        assert!(list.lines().any(|l| l.starts_with(name)), "{name} is not in: {list}");
        let (sheet, _) = drawn(&bench.path("a.png"), &[name, "--width", "24"]);
        let mut colours: Vec<_> = sheet.pixels().collect();
        colours.sort_by_key(|p| p.0);
        colours.dedup();
        assert!(colours.len() > 50, "{name}: {} colours", colours.len());
    }
    assert_eq!(list.lines().count(), 6);
}

#[test]
fn a_sheet_goes_to_standard_output_and_to_other_kinds() {
    let bench = Bench::new();
    let png = bench.path("a.png");
    let (file, _) = drawn(&png, &["battal", "--width", "24"]);
    let output = tbr(&["sample", "battal", "--width", "24", "-o", "-"]).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    assert!(image::load_from_memory(&output.stdout).unwrap().into_rgb8() == file);
    let (webp, _) = drawn(&bench.path("a.webp"), &["battal", "--width", "24"]);
    assert!(webp == file);
}

#[test]
fn bad_requests_are_refused() {
    let bench = Bench::new();
    let path = bench.path("a.png");
    let bad = |args: &[&str], code: i32, parts: &[&str]| {
        fails(&[&["sample", "-o", text(&path)], args].concat(), code, parts);
    };
    bad(&["paisley"], 2, &["paisley", "battal, gel-git, combed, bouquet, hatip, tulip"]);
    bad(&["tulip", "--width", "0"], 2, &["0"]);
    bad(&["tulip", "--seed", "-1"], 2, &["-1"]);
    bad(&["tulip", "--width", "100", "--height", "801"], 5, &["8.01 times", "limit"]);
    fails(&["sample", "tulip"], 2, &["file"]);
    fails(&["sample", "tulip", "-o", "a.txt"], 2, &["a.txt"]);
    let nowhere = bench.path("no/such/a.png");
    fails(&["sample", "tulip", "-o", text(&nowhere)], 3, &["a.png"]);
    assert!(bench.files().is_empty(), "nothing is written");
}
