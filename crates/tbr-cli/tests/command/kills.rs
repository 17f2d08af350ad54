//! Verbs that are killed at any moment: what has its final name is whole, and what was begun can
//! be done again. `TBR_KILLS` says how often each is killed (`scripts/attack` asks for many).

use crate::common::server::{Server, sheet};
use crate::common::{Bench, said, started, text};
use image::{ImageBuffer, Rgb};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often each verb is killed, if nothing else is asked for.
const KILLS: usize = 4;

/// The next of a row of numbers that are spread, and the same in every run.
fn next(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 53) as f64
}

fn kills() -> usize {
    std::env::var("TBR_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(KILLS)
}

/// A file's bytes, or a folder's names and bytes; none if it is not there.
fn contents(path: &Path) -> Option<Vec<(PathBuf, Vec<u8>)>> {
    if path.is_dir() {
        let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = entries
            .map(|file| (file.file_name().unwrap().into(), fs::read(&file).unwrap()))
            .collect();
        files.sort();
        return Some(files);
    }
    fs::read(path).ok().map(|bytes| vec![(PathBuf::new(), bytes)])
}

/// Kills a verb again and again, at moments spread over the time that it takes. Its output is
/// never there in part, and in the end is what it is without being killed.
fn kill_at_any_moment(verb: &[&str], name: &str, seed: u64) {
    let bench = Bench::new();
    let (whole, killed) = (bench.path(&format!("whole-{name}")), bench.path(name));
    let start = Instant::now();
    said(&[verb, &["-o", text(&whole)]].concat());
    let time = start.elapsed();
    let expected = contents(&whole);
    let args = [verb, &["-o", text(&killed)]].concat();
    let mut state = seed;
    for _ in 0..kills() {
        let mut child = started(&args);
        std::thread::sleep(time.mul_f64(next(&mut state)).max(Duration::from_millis(2)));
        child.kill().unwrap();
        child.wait().unwrap();
        if let found @ Some(_) = contents(&killed) {
            assert_eq!(found, expected, "{verb:?} has left something else under {name}");
            if killed.is_dir() { fs::remove_dir_all(&killed) } else { fs::remove_file(&killed) }
                .unwrap();
            let _ = fs::remove_file(killed.with_extension("png"));
        }
    }
    said(&args);
    assert_eq!(contents(&killed), expected, "{verb:?}");
    let own = |n: &String| n.starts_with(".tbr-") || n.contains(name.split('.').next().unwrap());
    assert!(bench.files().iter().all(own), "{:?}", bench.files());
}

/// A picture and a program of it.
fn inputs(bench: &Bench) -> (PathBuf, PathBuf) {
    let picture = bench.path("sun.png");
    let pixel = |x: u32, y: u32| Rgb([(5 * x) as u8, (7 * y) as u8, 90]);
    ImageBuffer::from_fn(48, 32, pixel).save(&picture).unwrap();
    let program = bench.path("sun.tbr.json");
    let small = ["--strokes", "60", "--steps", "5", "--size", "48"];
    said(&[&["fit", text(&picture), "-o", text(&program)], &small[..]].concat());
    (picture, program)
}

#[test]
fn a_fit_is_killed() {
    let bench = Bench::new();
    let (picture, _) = inputs(&bench);
    let small = ["--strokes", "30", "--steps", "60", "--size", "48", "--checkpoint-every", "0"];
    kill_at_any_moment(&[&["fit", text(&picture)], &small[..]].concat(), "a.tbr.json", 1);
}

#[test]
fn prune_animate_export_and_report_are_killed() {
    let bench = Bench::new();
    let (picture, program) = inputs(&bench);
    let program = text(&program);
    let film = ["animate", program, "--frames", "20", "--width", "64"];
    kill_at_any_moment(&["prune", program, text(&picture), "--strokes", "55"], "p.tbr.json", 2);
    kill_at_any_moment(&film, "f.gif", 3);
    kill_at_any_moment(&film, "frames", 4);
    kill_at_any_moment(&["export", program], "l.csv", 5);
    kill_at_any_moment(&["report", program, text(&picture), "--width", "64"], "r.html", 6);
    kill_at_any_moment(&["render", program, "--width", "1500"], "r.png", 7);
}

/// What is in the folder that the studio saves to is whole, whenever it is killed.
#[test]
fn the_studio_is_killed_while_it_saves() {
    let (mut state, mut saved) = (8, 0);
    for _ in 0..kills() {
        let bench = Bench::new();
        let server = Server::new(&["--save-folder", text(bench.folder.path())]);
        let id = server.open("sheet.tbr.json", tbr::format::write(&sheet()).as_bytes());
        let expected = server.export(id, json!({"kind": "png", "width": 1200}));
        let export = server.state()["exports"][0]["id"].clone();
        let saving = |k: usize| {
            let body = json!({"name": format!("{k}.png")}).to_string();
            server.send("POST", &format!("exports/{export}/save"), body.as_bytes())
        };
        std::thread::scope(|scope| {
            // (Requests fail when there is nobody to answer them any more.)
            let saver = scope.spawn(|| {
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    (0..500).for_each(|k| drop(saving(k)));
                }))
            });
            std::thread::sleep(Duration::from_secs_f64(0.01 + 0.3 * next(&mut state)));
            server.signal("KILL");
            let _ = saver.join();
        });
        let names = bench.files();
        for name in names.iter().filter(|name| !name.starts_with('.')) {
            assert_eq!(fs::read(bench.path(name)).unwrap(), expected, "{name}");
            saved += 1;
        }
    }
    assert!(saved > 0, "nothing was saved before a kill");
}
