//! A terminal to run the command in, by `script` of util-linux: it shows what a person would see,
//! and takes their keys.

use super::{children, send};
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Ctrl-C, as a keyboard sends it.
const CTRL_C: &[u8] = b"\x03";
/// How long something may take to show, on a busy machine. (It is no measure of anything: what
/// has not come by then does not come.)
const LONG: Duration = Duration::from_secs(240);

/// The command in a terminal; ended when it is dropped.
pub struct Terminal {
    script: Child,
    keys: ChildStdin,
    screen: Receiver<Vec<u8>>,
    /// All that has been shown so far.
    shown: String,
}

impl Terminal {
    /// Runs the command; none, and a line that says so, where there is no such `script`.
    pub fn run(args: &[&str]) -> Option<Self> {
        let version = Command::new("script").arg("--version").output();
        if !version.is_ok_and(|v| String::from_utf8_lossy(&v.stdout).contains("util-linux")) {
            // Not `eprintln!`, which nobody sees of a test that passes.
            let line = "bars are not tested: that needs script, of util-linux\n";
            std::io::stderr().write_all(line.as_bytes()).unwrap();
            return None;
        }
        let tbr = assert_cmd::cargo::cargo_bin("tbr");
        let words = [tbr.to_str().unwrap()].into_iter().chain(args.iter().copied());
        let line: String = words.map(|w| format!(" '{}'", w.replace('\'', r"'\''"))).collect();
        let mut script = Command::new("script")
            .args(["--quiet", "--return", "--flush", "--command", &format!("exec{line}")])
            .arg("/dev/null")
            .env("TERM", "xterm")
            .env_remove("TBR_WEIGHTS")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (tell, screen) = channel();
        let mut out = script.stdout.take().unwrap();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = out.read(&mut bytes) {
                if tell.send(bytes[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let keys = script.stdin.take().unwrap();
        Some(Self { script, keys, screen, shown: String::new() })
    }

    /// Waits until something is shown.
    #[track_caller]
    pub fn wait_for(&mut self, what: &str) {
        let start = Instant::now();
        while !self.shown.contains(what) {
            let left = LONG.saturating_sub(start.elapsed());
            match self.screen.recv_timeout(left) {
                Ok(bytes) => self.shown.push_str(&String::from_utf8_lossy(&bytes)),
                Err(e) => panic!("\"{what}\" was not shown ({e}): {:?}", self.shown),
            }
        }
    }

    /// Holds the command for a while as soon as its bar's thread runs: a bar that is shown after a
    /// moment is seen, however quick the command is.
    #[track_caller]
    pub fn hold(&self, time: Duration) {
        let is_command = |pid: &u32| threads(*pid).iter().any(|name| name == "progress");
        let start = Instant::now();
        let command = loop {
            match children(self.script.id()).into_iter().find(is_command) {
                Some(pid) => break pid,
                None => assert!(start.elapsed() < LONG, "it has no bar"),
            }
        };
        send(command, "-STOP");
        std::thread::sleep(time);
        // (`script` stops with what it runs.)
        send(self.script.id(), "-CONT");
        send(command, "-CONT");
    }

    /// Presses Ctrl-C.
    pub fn press_ctrl_c(&mut self) {
        self.keys.write_all(CTRL_C).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits until the command has ended; its exit code, and all that it has shown.
    #[track_caller]
    pub fn ended(mut self) -> (Option<i32>, String) {
        let start = Instant::now();
        while let Ok(bytes) = self.screen.recv_timeout(LONG.saturating_sub(start.elapsed())) {
            self.shown.push_str(&String::from_utf8_lossy(&bytes));
        }
        assert!(start.elapsed() < LONG, "it goes on: {:?}", self.shown);
        (self.script.wait().unwrap().code(), std::mem::take(&mut self.shown))
    }
}

/// The names of a process's threads.
fn threads(pid: u32) -> Vec<String> {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let names = tasks.filter_map(|t| std::fs::read_to_string(t.ok()?.path().join("comm")).ok());
    names.map(|name| name.trim().to_owned()).collect()
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // With its terminal, the command is told to end.
        let _ = self.script.kill();
        let _ = self.script.wait();
    }
}
