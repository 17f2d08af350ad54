//! What a power cut leaves. A file system image is mounted, the command works in it, and the
//! image is copied at some moment: the copy holds what had been synced by then, and nothing that
//! was only in memory. Needs Linux, root and ext4's tools; elsewhere one line says that it was
//! not tested.

use crate::common::{Bench, DROP, LINE, program, said, signal, started, text};
use image::{ImageBuffer, Rgb};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// A mounted image; gone when it is dropped.
struct Disk {
    folder: TempDir,
}

impl Disk {
    /// An empty one, of the kind that keeps least: without its journal's promises, a file that
    /// is renamed before it is synced comes back empty.
    fn new() -> Option<Self> {
        let disk = Self { folder: tempfile::tempdir().unwrap() };
        let image = disk.folder.path().join("image");
        fs::File::create(&image).unwrap().set_len(24 << 20).unwrap();
        let made = run("mkfs.ext4", &["-q", "-F", "-J", "size=4", text(&image)]) && disk.mount();
        if !made {
            // Not `eprintln!`, which nobody sees of a test that passes.
            let line = "a power cut is not tested: it needs root, mount and mkfs.ext4\n";
            std::io::stderr().write_all(line.as_bytes()).unwrap();
        }
        made.then_some(disk)
    }

    fn mount(&self) -> bool {
        fs::create_dir(self.root()).unwrap();
        let options = "loop,data=writeback,noauto_da_alloc,commit=300";
        let image = self.folder.path().join("image");
        run("mount", &["-o", options, text(&image), text(&self.root())])
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// The disk as it would be found if the power went now.
    fn cut(&self) -> Self {
        let copy = Self { folder: tempfile::tempdir().unwrap() };
        let (from, to) = (self.folder.path().join("image"), copy.folder.path().join("image"));
        fs::copy(from, to).unwrap();
        assert!(copy.mount());
        copy
    }

    /// Names that do not say that they are unfinished.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.root()).unwrap();
        let names = entries.map(|e| e.unwrap().file_name().into_string().unwrap());
        names.filter(|name| !name.starts_with('.') && name != "lost+found").collect()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        run("umount", &["-l", text(&self.root())]);
    }
}

fn run(command: &str, args: &[&str]) -> bool {
    Command::new(command).args(args).output().is_ok_and(|output| output.status.success())
}

/// The image does forget what was not synced; or else the other tests say nothing.
#[test]
fn what_is_not_synced_is_lost() {
    let Some(disk) = Disk::new() else { return };
    fs::write(disk.path("a.tmp"), [7; 5000]).unwrap();
    fs::rename(disk.path("a.tmp"), disk.path("a")).unwrap();
    let after = disk.cut();
    assert!(fs::read(after.path("a")).map_or(true, |bytes| bytes != [7; 5000]));
}

#[test]
fn what_a_command_has_finished_is_there_after_a_power_cut() {
    let Some(disk) = Disk::new() else { return };
    let bench = Bench::new();
    let a = bench.write("a.tbr.json", program(&[DROP, LINE].join(",")));
    let picture = bench.path("p.png");
    said(&["render", text(&a), "-o", text(&picture), "--width", "32"]);
    let fit = ["fit", text(&picture), "--strokes", "5", "--steps", "2", "--size", "32"];
    let verbs: [(&[&str], &str); 8] = [
        (&fit, "fit.tbr.json"),
        (&["render", text(&a), "--width", "32"], "r.png"),
        (&["render", text(&a)], "r.svg"),
        (&["edit", text(&a), "reverse"], "e.tbr.json"),
        (&["animate", text(&a), "--frames", "3", "--width", "8"], "f.gif"),
        (&["animate", text(&a), "--frames", "3", "--width", "8"], "frames"),
        (&["export", text(&a)], "l.csv"),
        (&["report", text(&a), "--width", "32"], "p.html"),
    ];
    for (verb, name) in verbs {
        let out = disk.path(name);
        said(&[verb, &["-o", text(&out)]].concat());
        let after = disk.cut();
        assert_eq!(contents(&after.path(name)), contents(&out), "{verb:?}");
        // And once more over what is there.
        said(&[verb, &["-o", text(&out), "--force"]].concat());
        let after = disk.cut();
        assert_eq!(contents(&after.path(name)), contents(&out), "{verb:?} --force");
    }
    let after = disk.cut();
    assert_eq!(contents(&after.path("fit.tbr.png")), contents(&disk.path("fit.tbr.png")));
}

/// A file's bytes, or a folder's files with theirs.
fn contents(path: &Path) -> Vec<(String, Vec<u8>)> {
    if path.is_file() {
        return vec![(String::new(), fs::read(path).unwrap())];
    }
    let entries = fs::read_dir(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut files: Vec<_> = entries
        .map(|entry| entry.unwrap())
        .map(|e| (e.file_name().into_string().unwrap(), fs::read(e.path()).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn a_power_cut_in_a_fit_loses_no_more_than_a_checkpoints_interval() {
    let Some(disk) = Disk::new() else { return };
    let bench = Bench::new();
    let picture = bench.path("p.png");
    let pixel = |x: u32, y: u32| Rgb([(5 * x) as u8, (7 * y) as u8, 90]);
    ImageBuffer::from_fn(48, 32, pixel).save(&picture).unwrap();
    let fit = |out: &Path, run: &mut dyn FnMut(&[&str])| {
        run(&[
            &["fit", text(&picture), "-o", text(out), "--strokes", "30", "--size", "48"][..],
            &["--steps", "300", "--checkpoint-every", "0"],
        ]
        .concat());
    };
    let whole = bench.path("whole.tbr.json");
    fit(&whole, &mut |args| drop(said(args)));
    let mut child = None;
    fit(&disk.path("x.tbr.json"), &mut |args| child = Some(started(args)));
    let mut child = child.unwrap();
    let (mut cuts, mut resumed) = (0, 0);
    let mut delay = 3_u64;
    while child.try_wait().unwrap().is_none() && cuts < 12 {
        delay = (delay * 1_103_515_245 + 12_345) % (1 << 31);
        std::thread::sleep(Duration::from_millis(10 + delay % 50));
        signal(&child, "-STOP");
        let after = disk.cut();
        signal(&child, "-CONT");
        cuts += 1;
        for name in after.names() {
            assert!(name.starts_with("x.tbr."), "{name}");
            assert!(fs::metadata(after.path(&name)).unwrap().len() > 0, "{name} is empty");
        }
        // Every third disk goes on, to the same program.
        if after.path("x.tbr.checkpoint").exists() && cuts % 3 == 0 {
            resumed += 1;
            fit(&after.path("x.tbr.json"), &mut |args| {
                let (_, talk) = said(args);
                assert!(talk.contains("going on from"), "{talk}");
            });
            let program = fs::read(after.path("x.tbr.json")).unwrap();
            assert_eq!(program, fs::read(&whole).unwrap());
        }
    }
    let _ = child.kill();
    child.wait().unwrap();
    assert!(cuts > 0 && resumed > 0, "{cuts} cuts, {resumed} gone on from");
}
