//! `tbr bench pictures`: fits and scores a folder, keeps what it has, and says what is wrong.

use crate::common::{Bench, below, fails, said, text};
use roxmltree::Document;
use serde_json::Value;
use std::fs;

#[test]
fn a_folder_is_measured_once() {
    let bench = Bench::new();
    let folder = bench.path("pictures");
    fs::create_dir(&folder).unwrap();
    for (name, pattern) in [("a", "battal"), ("b", "gel-git")] {
        let picture = folder.join(format!("{name}.png"));
        said(&["sample", pattern, "-o", text(&picture), "--width", "60", "--height", "40"]);
    }
    let out = bench.path("out");
    let run = |more: &[&str]| {
        let (folder, out) = (text(&folder), text(&out));
        let plain = ["bench", "pictures", folder, "-o", out, "--size", "64", "--preset", "fast"];
        said(&[&plain[..], more].concat())
    };
    let (printed, talk) = run(&["--strokes", "20,80", "--json"]);
    assert!(talk.contains("LPIPS is left out"), "{talk}");
    let found: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(found["rows"].as_array().unwrap().len(), 4);
    let means = found["means"].as_array().unwrap();
    let number = |k: usize, name: &str| means[k][name].as_f64().unwrap();
    assert!(number(1, "psnr") > number(0, "psnr") + 1.0, "more strokes are better");
    assert!(number(1, "ssim") > number(0, "ssim") && number(0, "seconds") > 0.0);
    let [few, many] = [number(0, "numbers"), number(1, "numbers")];
    assert!((20.0 * 8.0..=20.0 * 9.0 + 3.0).contains(&few), "{few}");
    assert!((80.0 * 8.0..=80.0 * 9.0 + 3.0).contains(&many), "{many}");
    // The score is that of `tbr score` at the picture's own size.
    let program = out.join("fits/a/fast-80-64px-seed-0.tbr.json");
    let picture = folder.join("a.png");
    let args = ["score", text(&program), text(&picture), "--width", "native"];
    let score: Value = serde_json::from_str(&said(&[&args[..], &["--json"]].concat()).0).unwrap();
    assert_eq!(score["psnr"], found["rows"][2]["psnr"]);
    let bytes = fs::metadata(&program).unwrap().len();
    assert_eq!(found["rows"][2]["bytes"].as_f64(), Some(bytes as f64));

    // Once more with one number of strokes more: only that is fitted.
    let (printed, talk) = run(&["--strokes", "20,80,40"]);
    assert_eq!(talk.matches(": fitting").count(), 2, "{talk}");
    assert!(printed.contains("fast, 40 strokes") && printed.contains("PSNR"), "{printed}");
    let plot = fs::read_to_string(out.join("plot.svg")).unwrap();
    let plot = Document::parse(&plot).unwrap();
    let texts: Vec<&str> = plot.descendants().filter_map(|n| n.text()).collect();
    assert!(texts.contains(&"tbr, fast") && texts.contains(&"PSNR, dB"), "{texts:?}");
    let tables = fs::read_to_string(out.join("results.md")).unwrap();
    assert!(tables.contains("| preset | strokes | PSNR |"), "{tables}");
}

#[test]
fn what_is_wrong_is_said() {
    let bench = Bench::new();
    let (empty, nowhere) = (bench.path("empty"), bench.path("nowhere"));
    fs::create_dir(&empty).unwrap();
    let out = bench.path("out");
    let args = |folder| ["bench", "pictures", folder, "-o", text(&out)];
    fails(&args(text(&empty)), 3, &["has no pictures"]);
    fails(&args(text(&nowhere)), 3, &["nowhere"]);
    fs::write(empty.join("a.png"), "no picture").unwrap();
    fails(&args(text(&empty)), 3, &["a.png"]);
    assert!(!below(&out).iter().any(|path| text(path).ends_with(".tbr.json")));
}
