//! Verbs that are told to end, by whatever signal: its exit code, and nothing half done.

#[cfg(target_os = "linux")]
use crate::common::children;
use crate::common::{Bench, busy_program, said, signal, started, text};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tbr::{format, prior};

/// Signals that end a process, and what shells give for one that they have ended. (Under nohup a
/// closed terminal ends nothing, and is not tried.)
fn signals() -> Vec<(&'static str, i32)> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let mut signals = vec![("-INT", 130), ("-TERM", 143)];
    if ignored.unwrap_or(0) & 1 == 0 {
        signals.push(("-HUP", 129));
    }
    signals
}

/// A program of so many strokes, in a file.
fn sheet(bench: &Bench, strokes: usize) -> PathBuf {
    let program = prior::program(strokes, 0.75, 3).unwrap();
    bench.write(&format!("{strokes}.tbr.json"), format::write(&program))
}

/// Is something unfinished in a folder?
fn is_unfinished(bench: &Bench) -> bool {
    bench.files().iter().any(|name| name.starts_with(".tbr-"))
}

/// Waits until a verb has begun its output.
#[track_caller]
fn wait_until_begun(bench: &Bench, child: &mut Child) {
    while !is_unfinished(bench) {
        assert!(child.try_wait().unwrap().is_none(), "ended before it had begun");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn whatever_the_signal_a_verb_ends_by_its_code_and_leaves_nothing() {
    let bench = Bench::new();
    // (None of these is done within a minute.)
    let (few, many) = (sheet(&bench, 60), bench.write("many.tbr.json", busy_program(20_000)));
    let (few, many) = (text(&few), text(&many));
    let verbs: [(&[&str], &str); 8] = [
        (&["render", many, "--width", "30000"], "a.png"),
        (&["render", many, "--width", "30000"], "a.jpg"),
        (&["render", many], "a.svg"),
        (&["sample", "bouquet", "--width", "60000"], "s.png"),
        (&["animate", few, "--frames", "100000", "--width", "400"], "a.gif"),
        (&["animate", few, "--frames", "100000", "--width", "400"], "frames"),
        (&["export", many], "a.csv"),
        (&["report", many], "a.html"),
    ];
    for ((verb, output), (name, code)) in verbs.iter().zip(signals().into_iter().cycle()) {
        let out = bench.path(output);
        let mut child = started(&[verb, &["-o", text(&out)][..]].concat());
        wait_until_begun(&bench, &mut child);
        signal(&child, name);
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(code), "{verb:?} {name}: {said}");
        assert!(!out.exists() && !is_unfinished(&bench), "{verb:?}: {:?}", bench.files());
    }
}

#[test]
fn whatever_the_signal_a_prune_keeps_what_it_has() {
    let bench = Bench::new();
    let file = sheet(&bench, 2000);
    for (name, code) in signals() {
        let out = bench.path(&format!("b{code}.tbr.json"));
        let args = ["prune", text(&file), "-o", text(&out), "--strokes", "1", "--force"];
        // Until it is stopped at work, and not before it has begun.
        let stopped = (0..8).any(|k| {
            let child = started(&args);
            std::thread::sleep(Duration::from_millis(200 << k));
            signal(&child, name);
            let ended = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&ended.stderr).into_owned();
            assert_eq!(ended.status.code(), Some(code), "{name}: {said}");
            said.contains("error: stopped")
        });
        assert!(stopped && out.exists(), "{name}");
    }
}

/// A benchmark measures in processes of its own. They end with it, and nothing is left of either.
#[test]
#[cfg(target_os = "linux")]
fn a_stopped_benchmark_ends_what_it_has_started() {
    let bench = Bench::new();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("tbr"));
    command.args(["bench", "adjoint"]).env("TMPDIR", bench.folder.path());
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let measuring = loop {
        if let Some(pid) = children(child.id()).first() {
            break *pid;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    signal(&child, "-INT");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    let is_there =
        || fs::read_to_string(format!("/proc/{measuring}/cmdline")).is_ok_and(|c| !c.is_empty());
    let left =
        (0..500).take_while(|_| is_there()).map(|_| std::thread::sleep(Duration::from_millis(20)));
    assert!(left.count() < 500, "it goes on for ten seconds");
    assert_eq!(bench.files(), [""; 0]);
}

/// How many lines a file has.
fn lines(path: &Path) -> usize {
    fs::read_to_string(path).unwrap().lines().count()
}

/// A fit of many strokes, which tells of every step in a file.
fn long_fit(picture: &Path, from: &Path, out: &Path, told: &Path) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("tbr"));
    command.args(["fit", text(picture), "--from", text(from), "-o", text(out), "--force"]);
    command.args(["--size", "1024", "--steps", "1000", "--progress", "json"]);
    command.stdout(File::create(told).unwrap()).stderr(Stdio::piped()).spawn().unwrap()
}

/// A step takes as long as it likes; whoever is told to stop does not finish it first. (The steps
/// of these fits take many seconds each. One may be done at the very moment of the signal, so
/// there are several tries.)
#[test]
fn a_fit_does_not_finish_the_step_in_which_it_is_stopped() {
    let bench = Bench::new();
    let (picture, from) = (bench.path("a.png"), sheet(&bench, 10_000));
    said(&["sample", "tulip", "-o", text(&picture), "--width", "1024", "--height", "768"]);
    let (out, told) = (bench.path("b.tbr.json"), bench.path("told"));
    let stopped = (0..6).any(|k| {
        let child = long_fit(&picture, &from, &out, &told);
        std::thread::sleep(Duration::from_millis(1000 << k));
        let before = lines(&told);
        signal(&child, "-INT");
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(130), "{said}");
        said.contains("error: stopped") && lines(&told) == before
    });
    assert!(stopped, "every time it went on to the end of the step");
}
