//! Files and pipes of all verbs: what is replaced, what is left behind, what is told.

use crate::common::{Bench, DROP, LINE, fails, program, said, signal, started, tbr, text};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

#[test]
fn no_verb_replaces_a_file_without_force() {
    let bench = Bench::new();
    let a = bench.write("a.tbr.json", program(DROP));
    let list = bench.path("list.csv");
    said(&["export", text(&a), "-o", text(&list)]);
    let verbs: [(&[&str], &str); 9] = [
        (&["prune", text(&a), "--strokes", "1"], "n.tbr.json"),
        (&["render", text(&a), "--width", "8"], "r.png"),
        (&["render", text(&a)], "r.svg"),
        (&["sample", "tulip", "--width", "16"], "s.png"),
        (&["edit", text(&a), "reverse"], "e.tbr.json"),
        (&["animate", text(&a), "--frames", "2", "--width", "8"], "f.gif"),
        (&["export", text(&a)], "l.csv"),
        (&["import", text(&list)], "i.tbr.json"),
        (&["report", text(&a), "--width", "16"], "p.html"),
    ];
    for (verb, name) in verbs {
        let mine = bench.write(name, "mine");
        let args = [verb, &["-o", text(&mine)]].concat();
        fails(&args, 3, &[name, "is there already"]);
        assert_eq!(fs::read(&mine).unwrap(), b"mine", "{verb:?}");
        said(&[&args[..], &["--force"]].concat());
        assert_ne!(fs::read(&mine).unwrap(), b"mine", "{verb:?}");
    }
    // Verbs for researchers too, before they begin.
    let mine = bench.write("t.rs", "mine");
    fails(&["calibrate", "--table", text(&mine)], 3, &["t.rs", "is there already"]);
    fails(&["bench", "adjoint", "--plot", text(&mine)], 3, &["t.rs", "is there already"]);
    assert_eq!(fs::read(&mine).unwrap(), b"mine");
}

#[test]
fn links_and_modes_are_kept() {
    let bench = Bench::new();
    let a = bench.write("a.tbr.json", program(DROP));
    let real = bench.write("real.png", "old");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    let link = bench.path("link.png");
    symlink("real.png", &link).unwrap();
    said(&["render", text(&a), "-o", text(&link), "--width", "8", "--force"]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read(&real).unwrap().starts_with(b"\x89PNG"));
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    // A link to nothing yet says where the file is to be.
    let dangling = bench.path("new.png");
    symlink(bench.path("made.png"), &dangling).unwrap();
    said(&["render", text(&a), "-o", text(&dangling), "--width", "8"]);
    assert!(
        fs::symlink_metadata(&dangling).unwrap().is_symlink() && bench.path("made.png").exists()
    );
    fs::set_permissions(&real, fs::Permissions::from_mode(0o444)).unwrap();
    let args = ["render", text(&a), "-o", text(&real), "--width", "8", "--force"];
    fails(&args, 3, &["real.png", "is read-only"]);
    let circle = bench.path("circle.png");
    symlink("circle.png", &circle).unwrap();
    fails(&["render", text(&a), "-o", text(&circle)], 3, &["circle of links"]);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let bench = Bench::new();
    let strokes = [LINE; 20].join(",");
    let a = bench.write("a.tbr.json", program(&strokes));
    for args in [["export", text(&a), "-o", "-"], ["edit", text(&a), "-o", "-"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tbr"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{args:?}");
    }
}

#[test]
fn what_a_file_says_does_not_steer_the_terminal() {
    let bench = Bench::new();
    let nasty = "\\u001b]0;pwned\\u0007\\u001b[2J\\r\\u202e";
    let text_of = |operator: &str| {
        program(DROP).replace("\"operator\": \"capsule\"", &format!("\"operator\": \"{operator}\""))
    };
    let a = bench.write("a\u{1b}[2J.tbr.json", text_of(nasty));
    let output = tbr(&["info", text(&a)]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("pwned") && said.contains("\\u001b"), "{said}");
    assert!(!said.chars().any(|c| c != '\n' && (c.is_control() || c == '\u{202e}')), "{said:?}");
    let long = bench.write("b.tbr.json", text_of(&"x".repeat(5_000_000)));
    let said = tbr(&["info", text(&long)]).output().unwrap().stderr;
    assert!(said.len() < 2000, "{} bytes", said.len());
}

#[test]
fn next_lines_can_be_pasted_into_a_shell() {
    let bench = Bench::new();
    let a = bench.write("it's mine; echo.tbr.json", program(DROP));
    let b = bench.path("b $(c).tbr.json");
    let (_, talk) = said(&["edit", text(&a), "reverse", "-o", text(&b)]);
    let next = talk.lines().find_map(|line| line.strip_prefix("next: tbr ")).unwrap();
    let script = format!("exec '{}' {next} --width 8", env!("CARGO_BIN_EXE_tbr"));
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(bench.path("b $(c).tbr.png").exists(), "{:?}", bench.files());
}

#[test]
fn frames_appear_when_all_are_there() {
    let bench = Bench::new();
    let a = bench.write("a.tbr.json", program(DROP));
    let folder = bench.path("frames");
    let film = |frames: &'static str| {
        vec![
            "animate",
            text(&a),
            "-o",
            text(&folder),
            "--frames",
            frames,
            "--width",
            "16",
            "--hold",
            "0",
        ]
    };
    let mut child = started(&film("100000"));
    let unfinished = |bench: &Bench| bench.files().iter().any(|n| n.starts_with(".tbr-"));
    while !unfinished(&bench) {
        assert!(child.try_wait().unwrap().is_none());
    }
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert!(!folder.exists());
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!folder.exists() && !unfinished(&bench), "{:?}", bench.files());
    said(&film("3"));
    let count = || fs::read_dir(&folder).unwrap().count();
    assert_eq!(count(), 3);
    fails(&film("2"), 3, &["is there already"]);
    said(&[&film("2")[..], &["--force"]].concat());
    assert_eq!(count(), 2, "frames of the longer film are gone");
    bench.write("frames/notes.txt", "mine");
    fails(&[&film("2")[..], &["--force"]].concat(), 3, &["holds other things too", "notes.txt"]);
    assert_eq!(count(), 3);
}

#[test]
fn a_stopped_prune_does_not_pass_for_done() {
    let bench = Bench::new();
    let strokes = (0..400).map(|k| {
        let (x, y) = (f64::from(k % 20) / 20.0, f64::from(k / 20) / 40.0);
        format!(
            r#"{{"anchor": [{x}, {y}], "offset": [0.01, 0], "half_width": 0.012, "colour": 1}}"#
        )
    });
    let a = bench.write("a.tbr.json", program(&strokes.collect::<Vec<_>>().join(",")));
    let b = bench.path("b.tbr.json");
    // Until it is stopped at work, and not before it has begun.
    let stopped = (0..8).any(|k| {
        let child = started(&["prune", text(&a), "-o", text(&b), "--strokes", "1", "--force"]);
        std::thread::sleep(std::time::Duration::from_millis(100 << k));
        signal(&child, "-INT");
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{said}");
        said.contains("error: stopped")
    });
    assert!(stopped && b.exists());
}

#[test]
fn what_killed_runs_have_left_is_swept() {
    let bench = Bench::new();
    let a = bench.write("a.tbr.json", program(DROP));
    let big = bench.path("big.png");
    let mut child = started(&["render", text(&a), "-o", text(&big), "--width", "30000"]);
    let left = |bench: &Bench| bench.files().into_iter().find(|n| n.starts_with(".tbr-"));
    while left(&bench).is_none() {
        assert!(child.try_wait().unwrap().is_none());
    }
    let left = bench.path(&left(&bench).unwrap());
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    let age = || fs::File::options().write(true).open(&left).unwrap().set_modified(old).unwrap();
    let render = |name: &str| {
        said(&["render", text(&a), "-o", text(&bench.path(name)), "--width", "8"]);
    };
    age();
    render("one.png");
    assert!(left.exists() || big.exists(), "somebody works on it");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(left.exists() && !big.exists());
    age();
    render("two.png");
    assert!(!left.exists(), "{:?}", bench.files());
}

#[test]
fn readers_have_bounds() {
    let bench = Bench::new();
    let a = bench.write("a.tbr.json", program(DROP));
    fails(&["trace", text(&a), "--points", "/dev/zero"], 5, &["/dev/zero", "is larger than"]);
    fails(&["info", "/dev/zero"], 5, &["/dev/zero"]);
    let picture = bench.path("p.png");
    said(&["render", text(&a), "-o", text(&picture), "--width", "8"]);
    let out = bench.path("b.tbr.json");
    let args = ["fit", text(&picture), "-o", text(&out), "--palette", "/dev/zero"];
    let output = tbr(&args).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is larger than"));
    fails(&["fit", "/dev/zero", "-o", text(&out)], 5, &["/dev/zero", "is larger than"]);
}
