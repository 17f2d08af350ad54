//! `tbr sample`: what comes out, and what is said when something is wrong.

use crate::common::{Bench, fails, said, tbr, text};
use image::RgbImage;
use std::path::Path;

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples");

/// All patterns, as a message lists them.
const NAMES: &str = "battal, gel-git, nonpareil, bouquet, feather, spanish-wave, hatip, tulip, \
                     waved-gel-git, whirl";

/// Draws a sheet; gives its pixels and what was said.
#[track_caller]
fn drawn(path: &Path, args: &[&str]) -> (RgbImage, String) {
    let output = tbr(&[&["sample", "-o", text(path), "--force"], args].concat()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(output.stdout.is_empty());
    (image::open(path).unwrap().into_rgb8(), said)
}

/// How far two pictures are apart, in the mean, of 255.
fn mean_difference(a: &RgbImage, b: &RgbImage) -> f64 {
    assert_eq!(a.dimensions(), b.dimensions());
    let sum: u64 = a.iter().zip(b.iter()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum as f64 / a.len() as f64
}

/// The shipped pictures are those of the command but for a few edges: they were drawn by an
/// earlier renderer, and stay, since fits to them were measured.
#[test]
fn shipped_samples_are_what_the_command_draws() {
    let bench = Bench::new();
    for (name, seed) in [("battal", "1"), ("combed", "2"), ("tulip", "3")] {
        let path = bench.path(&format!("{name}.png"));
        let (found, said) = drawn(&path, &[name, "--seed", seed, "--width", "256"]);
        let shipped = image::open(Path::new(SAMPLES).join(format!("{name}.png"))).unwrap();
        let difference = mean_difference(&found, &shipped.into_rgb8());
        assert!(difference < 0.2, "{name}: {difference}");
        assert!(said.contains("256 x 256 pixels"), "{said}");
        assert_eq!(said.lines().last(), Some(format!("next: tbr fit {}", path.display()).as_str()));
    }
}

/// A recipe is a program like any other: rendered, it is the picture.
#[test]
fn a_recipe_renders_to_the_picture() {
    let bench = Bench::new();
    let (recipe, picture, replay) =
        (bench.path("a.tbr.json"), bench.path("a.png"), bench.path("b.png"));
    for name in ["feather", "whirl", "tulip"] {
        for shape in [["--width", "96", "--height", "33"], ["--width", "40", "--height", "100"]] {
            let (drawn, _) = drawn(&picture, &[&[name, "--seed", "4"][..], &shape].concat());
            let args = ["sample", name, "--seed", "4", "--force", "-o", text(&recipe)];
            let (printed, talk) = said(&[&args[..], &shape].concat());
            assert!(printed.is_empty() && talk.contains(" steps"), "{talk}");
            let next = talk.lines().last().unwrap();
            assert!(next.starts_with(&format!("next: tbr render {}", text(&recipe))), "{next}");
            let size = ["--width", shape[1], "--samples", "3", "--force"];
            said(&[&["render", text(&recipe), "-o", text(&replay)], &size[..]].concat());
            assert!(image::open(&replay).unwrap().into_rgb8() == drawn, "{name} {shape:?}");
        }
    }
    let made = std::fs::read_to_string(&recipe).unwrap();
    assert!(made.contains(r#""pattern":"tulip","seed":4"#), "{made}");
    // Another is not replaced.
    fails(&["sample", "whirl", "-o", text(&recipe)], 3, &["a.tbr.json", "is there already"]);
    assert_eq!(std::fs::read_to_string(&recipe).unwrap(), made);
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
    for name in NAMES.split(", ") {
        assert!(list.lines().any(|l| l.starts_with(name)), "{name} is not in: {list}");
        let (sheet, _) = drawn(&bench.path("a.png"), &[name, "--width", "24"]);
        let mut colours: Vec<_> = sheet.pixels().collect();
        colours.sort_by_key(|p| p.0);
        colours.dedup();
        assert!(colours.len() > 50, "{name}: {} colours", colours.len());
    }
    assert_eq!(list.lines().count(), 10);
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
    bad(&["paisley"], 2, &["paisley", NAMES]);
    bad(&["tulip", "--width", "0"], 2, &["0"]);
    bad(&["tulip", "--seed", "-1"], 2, &["-1"]);
    bad(&["tulip", "--width", "100", "--height", "801"], 5, &["8.01 times", "limit"]);
    fails(&["sample", "tulip"], 2, &["file"]);
    fails(&["sample", "tulip", "-o", "a.txt"], 2, &["a.txt"]);
    let nowhere = bench.path("no/such/a.png");
    fails(&["sample", "tulip", "-o", text(&nowhere)], 3, &["a.png"]);
    assert!(bench.files().is_empty(), "nothing is written");
}
