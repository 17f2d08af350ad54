//! `tbr reproduce`: everything runs, what is there is not made again, and a run that was
//! stopped ends as one that was not.

use crate::common::{Bench, below, fails, said, tbr, text};
use roxmltree::{Document, ParsingOptions};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const NAMES: [&str; 25] = [
    "verification",
    "displacement",
    "calibrated",
    "adjoint",
    "recovery",
    "statistics",
    "out-of-domain",
    "compensation",
    "transfer",
    "ground-truth",
    "refit",
    "noise",
    "resolution",
    "speed",
    "containment",
    "budget",
    "unseen",
    "count",
    "stroke-type",
    "objective",
    "edits",
    "prefixes",
    "residual",
    "pictures",
    "raster",
];

fn results(out: &Path) -> Value {
    serde_json::from_slice(&fs::read(out.join("results.json")).unwrap()).unwrap()
}

/// The whole of the paper, small, on samples that tbr draws itself.
#[test]
fn everything_runs_at_a_small_size() {
    let bench = Bench::new();
    let out = bench.path("out");
    let (printed, talk) = said(&["reproduce", "--all", "--quick", "-o", text(&out)]);
    assert!(printed.is_empty());
    assert!(talk.contains("they need the networks' weights"), "{talk}");
    let found = results(&out);
    let experiments = found["experiments"].as_object().unwrap();
    assert_eq!(experiments.keys().map(String::as_str).collect::<Vec<_>>(), NAMES);
    let findings = experiments.values().map(|e| e["findings"].as_array().unwrap().len());
    assert!(findings.sum::<usize>() >= 15);
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(&page, options).unwrap();
    let count = |tag: &str| document.descendants().filter(|n| n.has_tag_name(tag)).count();
    assert_eq!(count("section"), NAMES.len() + 1);
    assert!(count("table") > 25 && count("img") > 40, "{} and {}", count("table"), count("img"));
    let references = document.descendants().filter_map(|n| n.attribute("src"));
    assert!(references.into_iter().all(|r| r.starts_with("data:")));
    let tables = fs::read_to_string(out.join("results.md")).unwrap();
    for text in [&page, &tables] {
        assert!(text.contains("Not run: it needs the networks"));
    }
    assert!(!tables.contains("NaN") && !tables.contains("inf"), "a number is none");
    // Where the mathematics has an answer, it is the paper's.
    assert!(tables.contains("| 2 | 26.9 % (26.9 %) | 9.2 % (9.2 %) | 28.5 % (28.5 %) |"));
    // Two runs give the same program.
    assert_eq!(experiments["noise"]["data"]["same_bytes"], true);

    // All of it again: nothing is fitted, and nothing changes.
    let (_, talk) = said(&["reproduce", "--all", "--quick", "-o", text(&out)]);
    assert!(!talk.contains("fitting"), "{talk}");
    assert_eq!(found, results(&out));
    assert_eq!(tables, fs::read_to_string(out.join("results.md")).unwrap());
}

/// Fits of many steps, so that they can be stopped in one.
fn arguments(out: &Path) -> [&str; 7] {
    ["reproduce", "recovery", "--quick", "--steps", "25", "-o", text(out)]
}

/// Starts a run and waits until it is in its second fit. What it says must go on being heard.
fn start(out: &Path) -> (Child, impl Sized) {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("tbr"));
    command.args(arguments(out)).env_remove("TBR_WEIGHTS").stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    let fits = said.by_ref().map(Result::unwrap).filter(|line| line.ends_with(": fitting"));
    assert_eq!(fits.take(2).count(), 2, "there are not two fits");
    (child, said)
}

#[test]
fn a_stopped_run_ends_as_one_that_was_not() {
    let bench = Bench::new();
    let (whole, stopped) = (bench.path("whole"), bench.path("stopped"));
    let run = |out: &Path| said(&arguments(out)).1;
    run(&whole);
    // Killed in its second fit, without a chance to put anything in order.
    let (mut child, _) = start(&stopped);
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
    assert!(!stopped.join("results.json").exists());
    // Asked to stop, in the middle of its next fit but one: that fit goes on later.
    #[cfg(unix)]
    {
        let (mut child, _said) = start(&stopped);
        let asked = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(asked.unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130));
        let is_checkpoint = |p: &PathBuf| text(p).ends_with(".checkpoint");
        assert!(below(&stopped).iter().any(is_checkpoint), "no fit was under way");
    }
    let talk = run(&stopped);
    assert!(talk.contains("fitting"), "there was something left to do");
    assert_eq!(results(&whole), results(&stopped));
    let tables = |out: &Path| fs::read_to_string(out.join("results.md")).unwrap();
    assert_eq!(tables(&whole), tables(&stopped));
    assert!(!below(&stopped).iter().any(|p| text(p).ends_with(".tmp")), "a half-written file");
}

/// What would take more than a gigabyte is refused before anything is begun.
#[test]
fn sizes_beyond_memory_are_refused() {
    let bench = Bench::new();
    let out = bench.path("out");
    let run = ["reproduce", "ground-truth", "-o", text(&out)];
    for more in [["--size", "1449"], ["--strokes", "20001"]] {
        let output = tbr(&[&run[..], &more].concat()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains("is not in"), "{said}");
    }
    assert!(!out.exists());
    let known = ["--quick", "--strokes", "20000", "--targets", "11"];
    fails(
        &[&run[..], &known].concat(),
        5,
        &["11 known programs of 20000 strokes", "limit: 200000"],
    );
}

/// Pictures of other programs are scored by the same code.
#[test]
fn other_programs_are_scored() {
    let bench = Bench::new();
    let (out, corpus, rasters) = (bench.path("out"), bench.path("corpus"), bench.path("rasters"));
    [&corpus, &rasters].iter().for_each(|f| fs::create_dir(f).unwrap());
    // One half white, one half black: the floor is 0.25.
    let halves =
        image::RgbImage::from_fn(64, 64, |x, _| image::Rgb([if x < 32 { 255 } else { 0 }; 3]));
    halves.save(corpus.join("a.png")).unwrap();
    halves.save(corpus.join("b.png")).unwrap();
    // Its negative, and all grey.
    let mut negative = halves.clone();
    image::imageops::invert(&mut negative);
    negative.save(rasters.join("a.png")).unwrap();
    let grey = image::RgbImage::from_pixel(10, 10, image::Rgb([128; 3]));
    grey.save(rasters.join("b.png")).unwrap();
    let arguments = [
        "reproduce",
        "raster",
        "--quick",
        "--size",
        "64",
        "-o",
        text(&out),
        "--corpus",
        text(&corpus),
        "--raster",
        text(&rasters),
    ];
    said(&arguments);
    let tables = fs::read_to_string(out.join("results.md")).unwrap();
    assert!(tables.contains("| a | 1.0000 | 0.25x |"), "{tables}");
    assert!(tables.contains("| b | 0.2500 | 1.00x |"), "{tables}");
    fs::rename(rasters.join("b.png"), rasters.join("b.svg")).unwrap();
    fails(&arguments, 3, &["b.svg", "read as PNG"]);
}

#[test]
fn wrong_requests_are_said() {
    let bench = Bench::new();
    let out = bench.path("out");
    fails(&["reproduce", "everything", "-o", text(&out)], 2, &["no such experiment", "recovery"]);
    fails(&["reproduce", "-o", text(&out)], 2, &["no experiment is named"]);
    assert!(!out.exists());
    let missing = bench.path("missing");
    fails(
        &["reproduce", "recovery", "-o", text(&out), "--corpus", text(&missing)],
        3,
        &["missing"],
    );
    let empty = bench.path("empty");
    fs::create_dir(&empty).unwrap();
    fails(
        &["reproduce", "recovery", "-o", text(&out), "--corpus", text(&empty)],
        3,
        &["has no pictures"],
    );
    image::RgbImage::new(8, 8).save(empty.join("black.png")).unwrap();
    fails(
        &["reproduce", "recovery", "-o", text(&out), "--corpus", text(&empty)],
        3,
        &["one colour only"],
    );
    let (listed, _) = said(&["reproduce", "--list"]);
    assert!(NAMES.iter().all(|name| listed.contains(name)), "{listed}");
    let help = tbr(&["reproduce", "--help"]).output().unwrap();
    assert!(String::from_utf8(help.stdout).unwrap().contains("96 pixels, 150 strokes, 10 steps"));
}

/// One portrait, one seed, two known programs: little, but no cell that only looks measured.
/// Another size in the same folder takes the place of nothing.
#[test]
fn little_is_enough_and_sizes_do_not_mix() {
    let bench = Bench::new();
    let (out, corpus) = (bench.path("out"), bench.path("corpus"));
    fs::create_dir(&corpus).unwrap();
    let colour = |x: u32, y: u32| image::Rgb([(6 * x) as u8, (4 * y) as u8, ((x * y) % 200) as u8]);
    image::RgbImage::from_fn(40, 64, colour).save(corpus.join("portrait.png")).unwrap();
    let run = |size: &str| {
        let names =
            ["reproduce", "recovery", "refit", "noise", "ground-truth", "residual", "edits"];
        let rest = [
            "--quick",
            "--seeds",
            "1",
            "--targets",
            "2",
            "--steps",
            "3",
            "--size",
            size,
            "--corpus",
            text(&corpus),
            "-o",
            text(&out),
        ];
        let (_, talk) = said(&[&names[..], &rest[..]].concat());
        (talk.contains("fitting"), fs::read_to_string(out.join("results.md")).unwrap())
    };
    let (fitted, tables) = run("96");
    assert!(fitted);
    assert!(!tables.contains("NaN") && !tables.contains("inf"), "{tables}");
    assert!(tables.contains("not tested"), "two targets test nothing");
    assert!(tables.contains("| not run |"), "one seed has no spread");
    assert!(tables.contains("one picture"), "and one picture no interval");
    let (fitted, smaller) = run("64");
    assert!(fitted && smaller != tables);
    assert_eq!(run("96"), (false, tables));
}
