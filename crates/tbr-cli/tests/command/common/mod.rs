//! What the tests of the command share.

pub mod server;
#[cfg(target_os = "linux")]
pub mod terminal;

use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A small valid program with the given strokes.
pub fn program(strokes: &str) -> String {
    format!(
        r#"{{"format": "tbr-program", "version": 1, "canvas": {{"width": 1, "height": 0.5}},
 "background": [0.9, 0.8, 0.7], "operator": "capsule", "palette": [[0.1, 0.2, 0.5], [0.8, 0.3, 0.2]],
 "strokes": [{strokes}], "provenance": {{}}}}"#
    )
}

/// A drop.
pub const DROP: &str =
    r#"{"anchor": [0.3, 0.2], "offset": [0, 0], "half_width": 0.1, "colour": 1}"#;
/// A line, with a colour of its own.
pub const LINE: &str =
    r#"{"anchor": [0.5, 0.3], "offset": [0.2, -0.1], "half_width": 0.03, "colour": [0, 1, 0.25]}"#;

/// The same, bent: for programs of version 2.
pub const BENT: &str = r#"{"anchor": [0.5, 0.3], "offset": [0.2, -0.1], "half_width": 0.03, "bend": 1, "colour": [0, 1, 0.25]}"#;

/// A small valid program of version 2, with the given steps.
pub fn bent_program(steps: &str) -> String {
    let first = program(steps);
    first.replace(r#""version": 1"#, r#""version": 2"#).replace(r#""strokes""#, r#""steps""#)
}

/// A program that keeps every verb busy: so many rows of drops, each long and so thin that none
/// hides another. With some thousands, nothing is done within a minute.
pub fn busy_program(strokes: usize) -> String {
    let stroke = |k: usize| {
        let share = |step: f64| (k as f64 * step).fract();
        let (x, y, dx) =
            (share(0.754_877_666), 0.5 * share(0.569_840_291), 0.2 * share(0.37) - 0.1);
        format!(
            r#"{{"anchor": [{x:.5}, {y:.5}], "offset": [{dx:.4}, 0.01], "half_width": 3e-5, "colour": 1}}"#
        )
    };
    let strokes: Vec<String> = (0..strokes).map(stroke).collect();
    program(&strokes.join(",")).replace("\"capsule\"", "\"drops\"")
}

/// A folder with a file in it.
pub struct Bench {
    pub folder: TempDir,
}

impl Bench {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), text).unwrap();
        self.path(name)
    }
    pub fn files(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder.path()).unwrap();
        names.map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    }
}

/// The command, whatever the settings of the person who tests.
pub fn tbr(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("tbr").unwrap();
    command.args(args).env_remove("TBR_WEIGHTS");
    command
}

/// The command as a process, its talk kept.
pub fn started(args: &[&str]) -> std::process::Child {
    std::process::Command::new(assert_cmd::cargo::cargo_bin("tbr"))
        .args(args)
        .env_remove("TBR_WEIGHTS")
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap()
}

/// Sends a signal, by the name that `kill` knows.
pub fn signal(child: &std::process::Child, name: &str) {
    send(child.id(), name);
}

/// The same, to a process that somebody else has started.
pub fn send(pid: u32, name: &str) {
    let asked = std::process::Command::new("kill").args([name, &pid.to_string()]).status();
    assert!(asked.unwrap().success());
}

/// The processes that a process has started.
#[cfg(target_os = "linux")]
pub fn children(pid: u32) -> Vec<u32> {
    let is_child = |child: &u32| {
        // The name, which may hold anything, in brackets; a letter; the parent.
        let stat = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1));
        parent == Some(&pid.to_string())
    };
    let all = fs::read_dir("/proc").unwrap();
    let all = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    all.filter(is_child).collect()
}

/// Waits until a file is there, for as long as the process lives.
pub fn wait_for(path: &Path, child: &mut std::process::Child) {
    while !path.exists() {
        assert!(child.try_wait().unwrap().is_none(), "ended before {}", path.display());
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Runs a command that must succeed; what it prints, and what it says besides.
#[track_caller]
pub fn said(args: &[&str]) -> (String, String) {
    let output = tbr(args).output().unwrap();
    let [out, talk] = [output.stdout, output.stderr].map(|b| String::from_utf8(b).unwrap());
    assert!(output.status.success(), "{args:?}: {talk}");
    (out, talk)
}

/// How long a command may take to refuse something. (Far longer than any does: a test that would
/// wait for ever is to fail.)
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(240);

/// Runs a command that must fail with `code` and one `error:` line that holds
/// every one of `parts`.
#[track_caller]
pub fn fails(args: &[&str], code: i32, parts: &[&str]) {
    let output = tbr(args).timeout(PATIENCE).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
    let errors: Vec<&str> = said.lines().filter(|l| l.starts_with("error:")).collect();
    assert_eq!(errors.len(), 1, "{said}");
    for part in parts {
        assert!(errors[0].contains(part), "{args:?}: \"{part}\" is not in: {said}");
    }
    assert!(output.stdout.is_empty());
}

/// All files below a folder.
pub fn below(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let paths = entries.filter_map(|e| Some(e.ok()?.path()));
    paths.flat_map(|p| if p.is_dir() { below(&p) } else { vec![p] }).collect()
}
