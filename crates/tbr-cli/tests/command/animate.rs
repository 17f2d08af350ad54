//! `tbr animate`: every kind of film, frame by frame.

use crate::common::{Bench, DROP, fails, program, said, tbr, text};
use image::codecs::{gif::GifDecoder, png::PngDecoder, webp::WebPDecoder};
use image::{AnimationDecoder, Frame, RgbaImage};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use tbr::{format, prior};

fn sheet(bench: &Bench) -> PathBuf {
    let program = prior::program(60, 0.75, 3).unwrap();
    bench.write("a.tbr.json", format::write(&program))
}

/// Runs a command that prints nothing; what it says.
#[track_caller]
fn run(args: &[&str]) -> String {
    let (printed, said) = said(args);
    assert!(printed.is_empty());
    said
}

fn frames(path: &Path) -> Vec<Frame> {
    let file = BufReader::new(File::open(path).unwrap());
    let frames = match path.extension().unwrap().to_str().unwrap() {
        "gif" => GifDecoder::new(file).unwrap().into_frames(),
        "png" => PngDecoder::new(file).unwrap().apng().unwrap().into_frames(),
        _ => WebPDecoder::new(file).unwrap().into_frames(),
    };
    frames.collect_frames().unwrap()
}

fn rendered(bench: &Bench, program: &Path, more: &[&str]) -> RgbaImage {
    let out = bench.path("still.png");
    run(&[&["render", text(program), "-o", text(&out), "--width", "80", "--force"], more].concat());
    image::open(&out).unwrap().into_rgba8()
}

/// Every kind has all its frames and its time; the first is bare, the last the render. (GIFs
/// of few colours are exact too.)
#[test]
fn a_film_ends_with_the_render() {
    let bench = Bench::new();
    let file = sheet(&bench);
    let (bare, whole) = (rendered(&bench, &file, &["--first", "0"]), rendered(&bench, &file, &[]));
    for kind in ["gif", "png", "webp"] {
        let film = bench.path(&format!("a.{kind}"));
        let size = ["--width", "80", "--frames", "16", "--fps", "12.5", "--hold", "0.5"];
        let said = run(&[&["animate", text(&file), "-o", text(&film)][..], &size].concat());
        assert!(said.contains("16 frames of 80 x 60 pixels"), "{said}");
        let frames = frames(&film);
        assert_eq!(frames.len(), 16, "{kind}");
        assert!(frames[0].buffer() == &bare && frames[15].buffer() == &whole, "{kind}");
        let changes = frames.windows(2).filter(|w| w[0].buffer() != w[1].buffer()).count();
        assert!(changes >= 14, "{kind}: {changes} changes");
        let ms =
            |f: &Frame| f.delay().numer_denom_ms().0 as f64 / f.delay().numer_denom_ms().1 as f64;
        let total: f64 = frames.iter().map(ms).sum();
        assert!((total - 1780.0).abs() < 10.0, "{kind}: {total} ms");
    }
}

#[test]
fn strokes_may_appear_at_once_and_frames_go_to_a_folder() {
    let bench = Bench::new();
    let file = sheet(&bench);
    let folder = bench.path("frames");
    let animate = ["animate", text(&file), "-o", text(&folder), "--width", "80"];
    // (An empty folder is as good as none.)
    std::fs::create_dir(&folder).unwrap();
    let more = ["--frames", "7", "--at-once", "--hold", "0.1"];
    run(&[&animate[..], &more].concat());
    let count = || std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(count(), 7 + 3);
    for (k, first) in [(1, 0), (4, 30), (7, 60), (10, 60)] {
        let frame = image::open(folder.join(format!("frame-{k:05}.png"))).unwrap().into_rgba8();
        let still = rendered(&bench, &file, &["--first", &first.to_string()]);
        assert!(frame == still, "frame {k}");
    }
    // A shorter film leaves nothing of the longer one.
    run(&[&animate[..], &["--frames", "4", "--hold", "0", "--force"]].concat());
    assert_eq!(count(), 4);
}

#[test]
fn transparent_films_and_morphs() {
    let bench = Bench::new();
    let file = sheet(&bench);
    let size = ["--width", "80", "--frames", "5", "--hold", "0"];
    for kind in ["png", "webp"] {
        let film = bench.path(&format!("a.{kind}"));
        let bare = ["animate", text(&file), "-o", text(&film), "--background", "none", "--once"];
        run(&[&bare[..], &size].concat());
        let frames = frames(&film);
        assert!(frames[0].buffer().pixels().all(|p| p.0[3] == 0), "{kind}");
        assert!(frames[4].buffer() == &rendered(&bench, &file, &["--background", "none"]));
    }
    let other = bench.path("b.tbr.json");
    run(&["edit", text(&file), "translate 0.1,0.05", "recolour map 1 2", "-o", text(&other)]);
    let film = bench.path("m.png");
    let morph = ["animate", text(&file), "-o", text(&film), "--morph-to", text(&other)];
    run(&[&morph[..], &size, &["--easing", "in-out"]].concat());
    let frames = frames(&film);
    assert!(frames[0].buffer() == &rendered(&bench, &file, &[]));
    assert!(frames[4].buffer() == &rendered(&bench, &other, &[]));
    assert!(frames[2].buffer() != frames[0].buffer() && frames[2].buffer() != frames[4].buffer());
}

/// ffmpeg makes a film, or its lack is said.
#[test]
fn an_mp4_or_what_it_needs() {
    let bench = Bench::new();
    let file = sheet(&bench);
    let film = bench.path("a.mp4");
    let args = ["animate", text(&file), "-o", text(&film), "--width", "81", "--frames", "6"];
    if std::process::Command::new("ffmpeg").arg("-version").output().is_ok() {
        run(&args);
        let bytes = std::fs::read(&film).unwrap();
        assert!(bytes.len() > 1000 && &bytes[4..8] == b"ftyp");
    } else {
        eprintln!("ffmpeg is not installed: only the message is tested");
        fails(&args, 2, &["needs ffmpeg"]);
    }
    // Where there is none, nothing is left behind.
    let output = tbr(&["animate", text(&file), "-o", text(&bench.path("b.mp4"))])
        .env("PATH", bench.folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("needs ffmpeg") && said.contains("hint: install it"), "{said}");
    assert!(bench.files().iter().all(|name| !name.starts_with("b.") && !name.starts_with('.')));
}

#[test]
fn films_that_cannot_be_are_refused() {
    let bench = Bench::new();
    let file = sheet(&bench);
    let drop = bench.write("drop.tbr.json", program(DROP));
    let animate = |name: &str, more: &[&str], code, parts: &[&str]| {
        let out = bench.path(name);
        fails(&[&["animate", text(&file), "-o", text(&out)], more].concat(), code, parts);
    };
    fails(&["animate", text(&file), "-o", "-"], 2, &["standard output"]);
    animate("a.png", &["--width", "30000"], 5, &["too large"]);
    animate("a.avi", &[], 2, &["not a kind of film"]);
    animate("a.gif", &["--fps", "0"], 2, &["--fps 0"]);
    animate("a.gif", &["--fps", "60"], 5, &["60 frames a second"]);
    animate("a.gif", &["--frames", "0"], 5, &["0 frames"]);
    animate("a.gif", &["--seconds=-1"], 2, &["--seconds -1"]);
    animate("a.gif", &["--hold", "inf"], 2, &["--hold inf"]);
    animate("a.gif", &["--width", "70000", "--height", "52500"], 5, &["70000"]);
    animate("a.webp", &["--width", "20000"], 5, &["20000"]);
    animate("a.gif", &["--background", "none"], 2, &["no transparency"]);
    animate("a.png", &["--morph-to", text(&drop)], 2, &["number of strokes (60 and 1)"]);
    animate("a.png", &["--samples", "0"], 5, &["samples"]);
    animate("a.tbr.json", &[], 2, &["not a kind of film"]);
    let there = bench.write("there.gif", "mine");
    fails(&["animate", text(&file), "-o", text(&there)], 3, &["is there already"]);
    assert_eq!(std::fs::read(&there).unwrap(), b"mine");
    assert_eq!(bench.files().len(), 3);
}

/// A pipe holds 64 kB: whoever says more must be heard, or both wait for ever.
#[test]
#[cfg(unix)]
fn an_ffmpeg_that_complains_at_length_is_heard() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(DROP));
    let script = "#!/bin/sh\ncase \"$1\" in -version) exit 0;; esac\n\
                  head -c 300000 /dev/zero | tr '\\0' 'x' >&2\ncat > /dev/null\nexit 1\n";
    let ffmpeg = bench.write("ffmpeg", script);
    std::fs::set_permissions(&ffmpeg, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", bench.folder.path().display());
    let out = bench.path("f.mp4");
    let mut command = tbr(&["animate", text(&file), "-o", text(&out), "--frames", "40"]);
    let output =
        command.env("PATH", path).timeout(std::time::Duration::from_secs(60)).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("ffmpeg failed: xxxx") && said.len() < 10_000, "{} bytes", said.len());
    assert!(!out.exists());
}
