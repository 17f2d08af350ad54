//! `tbr follow`: films become reels, and reels films.

use crate::common::{Bench, fails, said, signal, started, text, wait_for};
use image::{ImageBuffer, Rgb};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const SMALL: [&str; 6] = ["--preset", "fast", "--strokes", "20", "--size", "48"];

/// Frames of a square that moves over a slope, numbered.
fn film(bench: &Bench, frames: u32) -> PathBuf {
    let folder = bench.path("film");
    fs::create_dir(&folder).unwrap();
    for k in 0..frames {
        let pixel = |x: u32, y: u32| {
            let inside = (8 + 2 * k..24 + 2 * k).contains(&x) && (12..28).contains(&y);
            if inside { Rgb([200, 40, 30]) } else { Rgb([90, (3 * x) as u8, (4 * y) as u8]) }
        };
        ImageBuffer::from_fn(48, 40, pixel).save(folder.join(format!("{}.png", k + 8))).unwrap();
    }
    folder
}

fn follow<'a>(film: &'a Path, reel: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    [&["follow", text(film), "-o", text(reel)], &SMALL[..], more].concat()
}

/// The lines of a reel: the first, and its keyframes.
fn lines(reel: &Path) -> (Value, Vec<Value>) {
    let lines = fs::read_to_string(reel).unwrap();
    let mut lines = lines.lines().map(|line| serde_json::from_str(line).unwrap());
    (lines.next().unwrap(), lines.collect())
}

fn times(keyframes: &[Value]) -> Vec<f64> {
    keyframes.iter().map(|keyframe| keyframe["time"].as_f64().unwrap()).collect()
}

#[test]
fn a_folder_of_frames_becomes_a_reel_and_the_reel_a_film() {
    let bench = Bench::new();
    let (film, reel) = (film(&bench, 4), bench.path("a.tbr.jsonl"));
    fs::write(film.join("notes.txt"), "no frame").unwrap();
    let (_, talk) = said(&follow(&film, &reel, &["--fps", "10"]));
    assert!(talk.contains("4 frames in 1 shot") && talk.contains("next: tbr animate"), "{talk}");
    let (header, keyframes) = lines(&reel);
    assert_eq!(header["frames_per_second"], 10.0);
    // By their numbers: 8, 9, 10, 11.
    assert_eq!(times(&keyframes), [0.0, 0.1, 0.2, 0.3]);
    assert!(
        keyframes.iter().all(|k| k["program"]["provenance"]["floor_ratio"].as_f64() > Some(2.0))
    );
    // Any rate and size: 0.4 s at 20 frames a second.
    let frames = bench.path("frames");
    let animate = ["animate", text(&reel), "-o", text(&frames), "--fps", "20", "--width", "60"];
    let (_, talk) = said(&animate);
    assert!(talk.contains("8 frames of 60 x 50 pixels"), "{talk}");
    assert_eq!(fs::read_dir(&frames).unwrap().count(), 8);
    // What is shown at a keyframe's time is its program.
    let program = bench.write("k.tbr.json", keyframes[2]["program"].to_string());
    let still = bench.path("k.png");
    said(&["render", text(&program), "-o", text(&still), "--width", "60"]);
    let shown = image::open(frames.join("frame-00005.png")).unwrap();
    assert!(shown == image::open(still).unwrap());
}

#[test]
fn a_film_that_moves_is_followed_at_its_own_times() {
    let bench = Bench::new();
    let (film, first, again) =
        (film(&bench, 3), bench.path("a.tbr.jsonl"), bench.path("b.tbr.jsonl"));
    said(&follow(&film, &first, &["--fps", "8"]));
    for ending in ["gif", "png", "webp"] {
        let moving = bench.path(&format!("a.{ending}"));
        said(&["animate", text(&first), "-o", text(&moving), "--width", "48"]);
        said(&follow(&moving, &again, &["--force"]));
        let (header, keyframes) = lines(&again);
        let near = |a: f64, b: f64| (a - b).abs() < 0.006;
        assert!((header["frames_per_second"].as_f64().unwrap() - 8.0).abs() < 0.4, "{ending}");
        let times = times(&keyframes);
        assert!(near(times[1], 0.125) && near(times[2], 0.25) && times.len() == 3, "{times:?}");
        assert!(keyframes.iter().all(|keyframe| keyframe["shot"] == 1));
    }
}

/// Stopped by asking or killed, the same command goes on, and comes to the same bytes.
#[test]
fn a_film_that_was_stopped_is_gone_on_with() {
    let bench = Bench::new();
    let (film, whole, reel) =
        (film(&bench, 5), bench.path("w.tbr.jsonl"), bench.path("a.tbr.jsonl"));
    said(&follow(&film, &whole, &["--palette", "4"]));
    let left = bench.path("a.tbr.unfinished.jsonl");
    for by in ["-INT", "-KILL"] {
        let mut child = started(&follow(&film, &reel, &["--palette", "4"]));
        wait_for(&left, &mut child);
        signal(&child, by);
        let output = child.wait_with_output().unwrap();
        assert!(!output.status.success() && !reel.exists() && left.exists(), "{by}");
        // A line that is cut short is made anew.
        let mut bytes = fs::read(&left).unwrap();
        bytes.extend(b"{\"shot\": 1, \"ti");
        fs::write(&left, bytes).unwrap();
        said(&follow(&film, &reel, &["--palette", "4"]));
        assert!(fs::read(&reel).unwrap() == fs::read(&whole).unwrap(), "{by}");
        assert!(!left.exists());
        fs::remove_file(&reel).unwrap();
    }
    // Other options begin anew.
    fs::copy(&whole, &left).unwrap();
    said(&follow(&film, &reel, &[]));
    assert!(fs::read(&reel).unwrap() != fs::read(&whole).unwrap());
}

/// Not mixtures of them, however fine the pattern is.
#[test]
fn the_palette_of_a_film_has_its_purest_colours() {
    let bench = Bench::new();
    let (folder, reel) = (bench.path("film"), bench.path("a.tbr.jsonl"));
    fs::create_dir(&folder).unwrap();
    for k in 0..2 {
        let pixel = |x: u32, y: u32| {
            if (x * 7 + y * 3 + k) % 5 < 2 { Rgb([255_u8, 0, 0]) } else { Rgb([0, 255, 0]) }
        };
        ImageBuffer::from_fn(100, 100, pixel).save(folder.join(format!("{k}.png"))).unwrap();
    }
    said(&follow(&folder, &reel, &["--palette", "2"]));
    let palette = lines(&reel).1[1]["program"]["palette"].to_string();
    assert!(palette == "[[1,0,0],[0,1,0]]" || palette == "[[0,1,0],[1,0,0]]", "{palette}");
}

#[test]
fn parts_of_a_film_are_joined_and_dissolve() {
    let bench = Bench::new();
    let film = film(&bench, 12);
    let parts: Vec<PathBuf> = (1..=2).map(|k| bench.path(&format!("{k}.tbr.jsonl"))).collect();
    for (part, k) in parts.iter().zip(["1/2", "2/2"]) {
        said(&follow(&film, part, &["--part", k]));
    }
    assert_eq!((lines(&parts[0]).1.len(), lines(&parts[1]).1.len()), (12, 6));
    let whole = bench.path("whole.tbr.jsonl");
    let joined = ["follow", "--join", text(&parts[0]), text(&parts[1]), "-o", text(&whole)];
    said(&joined);
    let (_, keyframes) = lines(&whole);
    assert_eq!(keyframes.iter().map(|k| k["shot"].as_u64().unwrap()).max(), Some(2));
    // Halfway through the time of both, the picture is the mean of both.
    let frames = |reel: &Path| {
        let folder = bench.path("frames");
        said(&["animate", text(reel), "-o", text(&folder), "--width", "48", "--force"]);
        let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        files.iter().map(|path| image::open(path).unwrap().into_rgb8()).collect::<Vec<_>>()
    };
    let (a, b, mixed) = (frames(&parts[0]), frames(&parts[1]), frames(&whole));
    assert_eq!((mixed.len(), a.len(), b.len()), (12, 12, 6));
    assert!(mixed[3] == a[3] && mixed[6] == a[6] && mixed[11] == b[5]);
    let share = 3.0 / 5.0;
    for (mixed, (a, b)) in mixed[9].iter().zip(a[9].iter().zip(b[3].iter())) {
        let expected = f64::from(*a) + (f64::from(*b) - f64::from(*a)) * share;
        assert!((f64::from(*mixed) - expected).abs() <= 1.0, "{mixed} {a} {b}");
    }
    fails(
        &["follow", "--join", text(&parts[1]), text(&parts[0]), "-o", "x.tbr.jsonl"],
        2,
        &["order"],
    );
    let other = bench.path("other.tbr.jsonl");
    said(&follow(&film, &other, &["--part", "2/2", "--seed", "3"]));
    let strange = ["follow", "--join", text(&parts[0]), text(&other), "-o", "x.tbr.jsonl"];
    fails(&strange, 2, &["not parts of one film"]);
}

#[test]
fn what_cannot_be_followed_or_played_is_refused() {
    let bench = Bench::new();
    let (film, reel) = (film(&bench, 2), bench.path("a.tbr.jsonl"));
    let frame = film.join("8.png");
    let refused = |film: &Path, more: &[&str], code: i32, parts: &[&str]| {
        fails(&follow(film, &reel, more), code, parts);
        assert!(!reel.exists());
    };
    refused(&bench.path("none"), &[], 3, &["none"]);
    fs::create_dir(bench.path("empty")).unwrap();
    refused(&bench.path("empty"), &[], 3, &["empty", "no picture"]);
    refused(&frame, &[], 3, &["8.png", "does not move"]);
    refused(&film, &["--part", "1/5"], 2, &["only 2 frames"]);
    refused(&film, &["--fps", "0"], 2, &["--fps"]);
    fails(&["follow", text(&film), "-o", "x.json"], 2, &["x.json", ".tbr.jsonl"]);
    let bad = film.join("9.png");
    fs::write(&bad, "no picture").unwrap();
    refused(&film, &[], 3, &["9.png"]);
    let mine = bench.write("mine.tbr.jsonl", "of mine\n");
    fails(&follow(&film, &mine, &[]), 3, &["is there already"]);
    let animate = |reel: &Path, more: &[&str], code: i32, parts: &[&str]| {
        let film = bench.path("out.gif");
        fails(&[&["animate", text(reel), "-o", text(&film)], more].concat(), code, parts);
        assert!(!film.exists());
    };
    let header =
        r#"{"format": "tbr-reel", "version": 1, "frames_per_second": 25, "provenance": {}}"#;
    animate(&bench.write("b.tbr.jsonl", header), &[], 3, &["no keyframes"]);
    animate(&bench.write("c.tbr.jsonl", format!("{header}\n{{}}\n")), &[], 4, &["keyframe 1"]);
    animate(&bench.write("d.tbr.jsonl", header), &["--at-once"], 2, &["--at-once"]);
}
