//! What takes long shows that it goes on, where somebody looks, and ends by Ctrl-C with nothing
//! half done.

use crate::common::terminal::Terminal;
use crate::common::{Bench, below, busy_program, said, started, text};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tbr::{format, prior};

/// Strokes of which no verb is done before its bar is there.
const MANY: usize = 20_000;

/// A program of that many, in a file.
fn busy(bench: &Bench) -> PathBuf {
    bench.write("busy.tbr.json", busy_program(MANY))
}

/// A program of so many strokes, in a file.
fn sheet(bench: &Bench, strokes: usize) -> PathBuf {
    let program = prior::program(strokes, 0.75, 3).unwrap();
    bench.write(&format!("{strokes}.tbr.json"), format::write(&program))
}

/// Runs a verb in a terminal until its bar is seen to say something, and presses Ctrl-C: it ends
/// as one that was stopped. What has been shown; nothing where there is no terminal.
#[track_caller]
fn stopped_at(bar: &str, args: &[&str]) -> Option<String> {
    let mut terminal = Terminal::run(args)?;
    terminal.wait_for(bar);
    terminal.press_ctrl_c();
    let (code, shown) = terminal.ended();
    assert_eq!(code, Some(130), "{args:?}: {shown:?}");
    Some(shown)
}

/// A verb whose output is there when it is done, and not before.
#[track_caller]
fn leaves_nothing(bench: &Bench, bar: &str, verb: &[&str], output: &str) {
    let before = bench.files().len();
    let out = bench.path(output);
    stopped_at(bar, &[verb, &["-o", text(&out)]].concat());
    assert_eq!(bench.files().len(), before, "{verb:?}: {:?}", bench.files());
}

#[test]
fn a_film_counts_its_frames() {
    let bench = Bench::new();
    let file = sheet(&bench, 60);
    for output in ["a.gif", "a.png", "a.webp", "frames"] {
        let film = ["animate", text(&file), "--frames", "100000", "--width", "400"];
        leaves_nothing(&bench, "of 100000 frames", &film, output);
    }
}

#[test]
fn lists_outlines_and_pictures_count_strokes_and_rows() {
    let bench = Bench::new();
    let file = busy(&bench);
    let strokes = format!("of {MANY} strokes");
    leaves_nothing(&bench, &strokes, &["export", text(&file)], "a.csv");
    leaves_nothing(&bench, &strokes, &["export", text(&file)], "a.json");
    leaves_nothing(&bench, &strokes, &["render", text(&file)], "a.svg");
    for output in ["a.png", "a.jpg", "a.webp"] {
        let render = ["render", text(&file), "--width", "9000"];
        leaves_nothing(&bench, "of 4500 rows", &render, output);
    }
    let sample = ["sample", "bouquet", "--width", "10000"];
    leaves_nothing(&bench, "of 10000 rows", &sample, "s.png");
}

#[test]
fn a_report_says_what_it_is_at() {
    let bench = Bench::new();
    let file = busy(&bench);
    leaves_nothing(&bench, "counting", &["report", text(&file)], "a.html");
    let few = bench.write("few.tbr.json", busy_program(300));
    leaves_nothing(&bench, "drawing", &["report", text(&few), "--width", "2800"], "b.html");
}

#[test]
fn what_only_prints_says_what_it_is_at() {
    let bench = Bench::new();
    let (file, out) = (busy(&bench), bench.path("b.tbr.json"));
    let points = bench.write("points", "0.5 0.5\n".repeat(MANY));
    let target = bench.path("target.png");
    said(&["render", text(&file), "--first", "0", "-o", text(&target), "--width", "1024"]);
    stopped_at("counting", &["info", text(&file)]);
    stopped_at("scoring", &["score", text(&file), text(&target)]);
    stopped_at("differentiating", &["gradient", text(&file), text(&target)]);
    let points_bar = format!("of {MANY} points");
    stopped_at(&points_bar, &["trace", text(&file), "--points", text(&points)]);
    let edit = ["edit", text(&file), "delete where invisible", "-o", text(&out)];
    stopped_at("of 1 operations", &edit);
    assert!(!out.exists());
}

/// The strokes that a program file has, and whether it says that it is finished.
fn read(path: &Path) -> (usize, bool) {
    let bytes = std::fs::read(path).unwrap();
    let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let finished = value["provenance"]["finished"] == true;
    (format::parse(&bytes).unwrap().strokes().len(), finished)
}

#[test]
fn a_prune_shows_its_strokes_and_keeps_what_is_left() {
    let bench = Bench::new();
    let (file, out) = (sheet(&bench, 3000), bench.path("b.tbr.json"));
    // Before there is anything to keep, nothing is kept.
    let many = busy(&bench);
    leaves_nothing(&bench, "measuring", &["prune", text(&many)], "c.tbr.json");
    let args = ["prune", text(&file), "-o", text(&out), "--strokes", "1"];
    let Some(shown) = stopped_at("3000 strokes  ", &args) else { return };
    assert!(shown.contains("stopping after this step"), "{shown:?}");
    assert!(shown.contains("prune that program to go on"), "{shown:?}");
    assert!(read(&out).0 > 1, "{shown:?}");
}

#[test]
fn a_fit_shows_peeling_and_steps_and_keeps_the_best() {
    let bench = Bench::new();
    let (picture, out) = (bench.path("a.png"), bench.path("a.tbr.json"));
    said(&["sample", "tulip", "-o", text(&picture), "--width", "256"]);
    let fit = ["fit", text(&picture), "-o", text(&out), "--size", "256"];
    for (bar, more) in [
        ("peeling", ["--strokes", "3000", "--steps", "9000"]),
        // (Steps may be quicker than the bar is drawn: any of them will do.)
        ("/8000, floor ratio", ["--strokes", "100", "--steps", "7999"]),
    ] {
        let Some(shown) = stopped_at(bar, &[&fit[..], &more, &["--force"]].concat()) else {
            return;
        };
        assert!(shown.contains("the best so far is in"), "{shown:?}");
        assert!(shown.contains("the same command goes on"), "{shown:?}");
        assert!(!read(&out).1, "{bar}");
        assert!(bench.path("a.tbr.checkpoint").exists(), "{bar}");
        std::fs::remove_file(&out).unwrap();
    }
}

#[test]
fn checks_and_measurements_say_what_they_are_at() {
    stopped_at("checking", &["check"]);
    let render = ["bench", "render", "--width", "512,4096"];
    stopped_at("1 of 2 measurements", &render);
    stopped_at("checking against", &[&render[..], &["--check"]].concat());
    stopped_at("0 of 1 measurements", &["bench", "play", "--frames", "100000"]);
    stopped_at("1 of 11 measurements", &["bench", "adjoint", "--quick"]);
}

/// It takes half a second, and its bar comes after more: it is held for that long.
#[test]
fn a_calibration_says_what_it_is_at_if_it_takes_long() {
    let Some(mut terminal) = Terminal::run(&["calibrate"]) else { return };
    terminal.hold(Duration::from_secs(1));
    terminal.wait_for("fitting the coefficients");
    let (code, shown) = terminal.ended();
    assert!(code == Some(0) && shown.contains("least g"), "{code:?}: {shown:?}");
}

#[test]
fn a_reproduction_shows_its_experiments_and_fits_and_keeps_what_it_has() {
    let bench = Bench::new();
    let out = bench.path("out");
    let quick = ["--quick", "-o", text(&out)];
    // (The name and the time; the line that says the name ends with it.)
    stopped_at("displacement  ", &[&["reproduce", "displacement"][..], &quick].concat());
    let fits = [&["reproduce", "recovery", "--steps", "8000"][..], &quick].concat();
    let Some(shown) = stopped_at("floor ratio", &fits) else { return };
    assert!(shown.contains("the same command goes on"), "{shown:?}");
    assert!(below(&out).iter().any(|path| path.extension().is_some_and(|e| e == "checkpoint")));
    // What is timed has a bar that stands still.
    let timed = [&["reproduce", "speed", "--steps", "1"][..], &quick].concat();
    stopped_at("of 1 measurements", &timed);
}

/// Bars are for people: a pipe gets none.
#[test]
fn where_nobody_looks_there_is_no_bar() {
    let bench = Bench::new();
    let (file, out) = (sheet(&bench, 60), bench.path("a.gif"));
    let film = ["animate", text(&file), "-o", text(&out), "--frames", "60", "--width", "400"];
    let output = started(&film).wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.lines().count() == 1, "{said:?}");
    assert!(!said.contains('\u{1b}') && !said.contains('\r'), "{said:?}");
}
