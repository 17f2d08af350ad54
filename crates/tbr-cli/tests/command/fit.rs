//! `tbr fit`: what it writes, what it refuses, and that nothing is lost.

use crate::common::{Bench, fails, tbr, text, wait_for};
use image::{ImageBuffer, Rgb};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A small picture with a disc on a slope.
fn picture(bench: &Bench, name: &str) -> PathBuf {
    let path = bench.path(name);
    let pixel = |x: u32, y: u32| {
        let (dx, dy) = (f64::from(x) - 20.0, f64::from(y) - 14.0);
        if dx * dx + dy * dy < 80.0 { Rgb([220, 60, 30]) } else { Rgb([40, (4 * x) as u8, 200]) }
    };
    ImageBuffer::from_fn(48, 32, pixel).save(&path).unwrap();
    path
}

/// Arguments of a fit of a second.
const SMALL: [&str; 4] = ["--strokes", "30", "--size", "48"];

fn long_fit<'a>(
    picture: &'a Path,
    output: &'a Path,
    steps: &'a str,
    more: &[&'a str],
) -> Vec<&'a str> {
    let mut args = vec!["fit", text(picture), "-o", text(output), "--steps", steps];
    args.extend(SMALL);
    args.extend(more);
    args
}

fn fit<'a>(picture: &'a Path, output: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    long_fit(picture, output, "12", more)
}

#[test]
fn a_fit_writes_a_program_and_its_replay_and_names_the_next_command() {
    let bench = Bench::new();
    let (file, out, preview) =
        (picture(&bench, "sun.png"), bench.path("a.tbr.json"), bench.path("p.png"));
    let more = ["--progress", "json", "--preview", text(&preview), "--palette", "4"];
    let output = tbr(&fit(&file, &out, &more)).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(said.lines().last().unwrap().starts_with("next: tbr render"), "{said}");
    assert!(said.contains("its palette allows"), "{said}");
    let lines: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(lines.len(), 13, "the peeling and twelve steps");
    assert_eq!(lines[12]["progress"], 1.0);
    assert!(lines[12]["floor_ratio"].as_f64() >= lines[0]["floor_ratio"].as_f64());

    let program: Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
    assert_eq!(program["steps"].as_array().unwrap().len(), 30);
    assert_eq!(program["palette"].as_array().unwrap().len(), 4);
    assert_eq!(program["provenance"]["floor_ratio"], lines[12]["floor_ratio"]);
    for picture in [bench.path("a.tbr.png"), preview] {
        let replay = image::open(&picture).unwrap();
        assert_eq!((replay.width(), replay.height()), (48, 32), "{}", picture.display());
    }
    let files = bench.files();
    assert!(files.iter().all(|f| !f.contains("tmp") && !f.contains("checkpoint")), "{files:?}");
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_gives_others() {
    let bench = Bench::new();
    let file = picture(&bench, "sun.png");
    let run = |name: &str, more: &[&str]| {
        let out = bench.path(name);
        tbr(&fit(&file, &out, more)).assert().success();
        fs::read(out).unwrap()
    };
    let one = run("a.tbr.json", &["--threads", "1"]);
    assert_eq!(one, run("b.tbr.json", &["--threads", "2"]));
    assert_ne!(one, run("c.tbr.json", &["--seed", "7"]));
}

#[test]
fn killed_fifty_times_it_ends_with_the_same_program() {
    let bench = Bench::new();
    let file = picture(&bench, "sun.png");
    let (whole, killed) = (bench.path("whole.tbr.json"), bench.path("killed.tbr.json"));
    tbr(&long_fit(&file, &whole, "500", &[])).assert().success();
    let resumed = ["--checkpoint-every", "0", "--threads", "1", "--resume"];
    let checkpoint = bench.path("killed.tbr.checkpoint");
    let begun = || {
        let args = long_fit(&file, &killed, "500", &resumed);
        Command::new(env!("CARGO_BIN_EXE_tbr")).args(args).stderr(Stdio::null()).spawn().unwrap()
    };
    // How long it takes until there is a checkpoint: more, where others are at work, too.
    let start = Instant::now();
    let mut child = begun();
    wait_for(&checkpoint, &mut child);
    let first = start.elapsed();
    child.kill().unwrap();
    child.wait().unwrap();
    let mut delay = 1_u64;
    let mut checkpoints = 0;
    for _ in 0..50 {
        let mut child = begun();
        // Moments that are spread over twice that time, in the same way in every run of the test.
        delay = (delay * 1_103_515_245 + 12_345) % (1 << 31);
        std::thread::sleep(first.mul_f64(0.2 + 1.8 * (delay % 1000) as f64 / 1000.0));
        child.kill().unwrap();
        child.wait().unwrap();
        if let Ok(bytes) = fs::read(&checkpoint) {
            let line = bytes.split(|b| *b == b'\n').next().unwrap();
            let _: Value = serde_json::from_slice(line).expect("a checkpoint is whole");
            checkpoints += 1;
        }
    }
    assert!(checkpoints > 5, "{checkpoints} of 50 kills found a checkpoint");
    tbr(&long_fit(&file, &killed, "500", &resumed)).assert().success();
    assert_eq!(fs::read(&whole).unwrap(), fs::read(&killed).unwrap());
}

#[test]
fn a_checkpoint_of_something_else_is_refused() {
    let bench = Bench::new();
    let (file, out) = (picture(&bench, "sun.png"), bench.path("a.tbr.json"));
    let checkpoint = bench.write("a.tbr.checkpoint", "{\"format\": \"tbr-chec");
    fails(&fit(&file, &out, &["--resume"]), 3, &["a.tbr.checkpoint", "not a checkpoint"]);
    fs::remove_file(&checkpoint).unwrap();
    let args = long_fit(&file, &out, "4000", &["--checkpoint-every", "0"]);
    let mut child =
        Command::new(env!("CARGO_BIN_EXE_tbr")).args(args).stderr(Stdio::null()).spawn().unwrap();
    while !checkpoint.exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let other = long_fit(&file, &out, "4000", &["--resume", "--seed", "3"]);
    fails(&other, 2, &["a fit with other options"]);
    let dark = ["--resume", "--mask", text(&file)];
    fails(&long_fit(&file, &out, "4000", &dark), 2, &["another picture"]);
}

#[test]
fn several_pictures_go_into_a_folder_and_are_not_done_twice() {
    let bench = Bench::new();
    let (a, b, bad) = (picture(&bench, "a.png"), picture(&bench, "b.png"), bench.path("bad.png"));
    fs::write(&bad, "no picture").unwrap();
    let folder = bench.path("out");
    let mut args = vec!["fit", text(&a), text(&bad), text(&b), "-o", text(&folder)];
    args.extend(SMALL);
    args.extend(["--steps", "6"]);
    let first = tbr(&args).output().unwrap();
    let said = String::from_utf8(first.stderr).unwrap();
    assert_eq!(first.status.code(), Some(6), "{said}");
    assert!(said.contains("bad.png") && said.contains("1 of 3"), "{said}");
    assert!(folder.join("a.tbr.json").exists() && folder.join("b.tbr.json").exists());
    let again = String::from_utf8(tbr(&args).output().unwrap().stderr).unwrap();
    assert_eq!(again.matches("done already").count(), 2, "{again}");
    args.extend(["--seed", "5"]);
    let kept = fs::read(folder.join("a.tbr.json")).unwrap();
    let other = tbr(&args).output().unwrap();
    let said = String::from_utf8(other.stderr).unwrap();
    assert!(said.contains("a.tbr.json: is there already") && said.contains("3 of 3"), "{said}");
    assert_eq!(fs::read(folder.join("a.tbr.json")).unwrap(), kept);
    args.push("--force");
    let other = String::from_utf8(tbr(&args).output().unwrap().stderr).unwrap();
    assert_eq!(other.matches("done already").count(), 0, "other options: {other}");

    fs::create_dir(bench.path("sub")).unwrap();
    let twin = bench.path("sub/a.png");
    fs::copy(&a, &twin).unwrap();
    let twins = ["fit", text(&a), text(&twin), "-o", text(&folder)];
    fails(&twins, 2, &["would both be written to"]);
}

/// Whatever decides the result decides whether it is there: not the picture's name, nor only
/// the options.
#[test]
fn another_picture_mask_matte_or_bare_part_is_fitted_anew() {
    let bench = Bench::new();
    let clear = |name: &str, shade: u8| {
        let pixel =
            |x: u32, y: u32| image::Rgba([shade, (4 * x) as u8, 9, if y < 9 { 0 } else { 255 }]);
        ImageBuffer::from_fn(32, 32, pixel).save(bench.path(name)).unwrap();
        bench.path(name)
    };
    let (a, b) = (clear("a.png", 90), clear("b.png", 200));
    let (mask, out) = (picture(&bench, "mask.png"), bench.path("out"));
    let square = ImageBuffer::from_fn(32, 32, |x, _| Rgb([(8 * x) as u8; 3]));
    square.save(&mask).unwrap();
    let done = |more: &[&str]| {
        let mut args = vec!["fit", text(&a), text(&b), "-o", text(&out), "--steps", "1"];
        args.extend(SMALL);
        args.extend(more);
        let said = tbr(&args).assert().success().get_output().stderr.clone();
        String::from_utf8_lossy(&said).matches("done already").count()
    };
    assert_eq!(done(&[]), 0);
    assert_eq!(done(&[]), 2);
    for more in [&["--mask", text(&mask)][..], &["--matte", "#000000"], &["--bare"], &[]] {
        assert_eq!(done(&[more, &["--force"]].concat()), 0, "{more:?}");
        assert_eq!(done(more), 2, "{more:?}");
    }
    clear("b.png", 10);
    let args = [&["fit", text(&a), text(&b), "-o", text(&out), "--steps", "1"], &SMALL[..]];
    let output = tbr(&args.concat()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.matches("done already").count(), 1, "other pixels under the old name: {said}");
    assert!(said.contains("b.tbr.json: is there already"), "{said}");
}

/// One definition of the error, for pictures with transparent parts too.
#[test]
fn a_transparent_picture_lies_over_the_matte_of_the_fit_everywhere() {
    let bench = Bench::new();
    let path = bench.path("clear.png");
    let pixel =
        |x: u32, y: u32| image::Rgba([200, (5 * x) as u8, 40, if y < 16 { 0 } else { 255 }]);
    ImageBuffer::from_fn(48, 32, pixel).save(&path).unwrap();
    let out = bench.path("clear.tbr.json");
    tbr(&fit(&path, &out, &["--matte", "#000000"])).assert().success();
    let score = |more: &[&str]| -> f64 {
        let mut args = vec!["score", text(&out), text(&path), "--width", "48", "--json"];
        args.extend(more);
        let output = tbr(&args).assert().success().get_output().stdout.clone();
        serde_json::from_slice::<Value>(&output).unwrap()["floor_ratio"].as_f64().unwrap()
    };
    let program: Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
    let fitted = program["provenance"]["floor_ratio"].as_f64().unwrap();
    assert!((score(&[]) / fitted - 1.0).abs() < 1e-6, "{fitted} and {}", score(&[]));
    assert!(score(&["--matte", "#ffffff"]) < 0.5 * fitted, "white is another picture");
    let loss = |more: &[&str]| -> f64 {
        let mut args = vec!["gradient", text(&out), text(&path), "--json"];
        args.extend(more);
        let output = tbr(&args).assert().success().get_output().stdout.clone();
        serde_json::from_slice::<Value>(&output).unwrap()["loss"].as_f64().unwrap()
    };
    assert_eq!(loss(&[]), loss(&["--matte", "#000000"]));
    assert!(loss(&["--matte", "#ffffff"]) > 2.0 * loss(&[]));
}

#[test]
fn what_cannot_work_is_said_before_the_fit() {
    let bench = Bench::new();
    let (file, out) = (picture(&bench, "sun.png"), bench.path("a.tbr.json"));
    let nowhere = bench.path("no/such/folder/a.tbr.json");
    fails(&fit(&file, &nowhere, &[]), 3, &["cannot be written"]);
    fails(&fit(&file, &bench.path("a.png"), &[]), 2, &["ends in .tbr.json"]);
    fails(&fit(&file, &out, &["--preview", "x.bmp"]), 2, &["not a kind of picture"]);
    fails(&fit(&bench.path("none.png"), &out, &[]), 3, &["none.png"]);
    for (size, limit) in [((1, 1), "limit: 2 a side"), ((1, 2000), "limit: 2 a side")] {
        let tiny = bench.path("tiny.png");
        ImageBuffer::from_pixel(size.0, size.1, Rgb([9u8, 9, 9])).save(&tiny).unwrap();
        fails(&fit(&tiny, &out, &[]), 5, &["tiny.png", limit]);
    }
    let mask = bench.path("mask.png");
    ImageBuffer::from_pixel(10, 40, Rgb([9u8, 9, 9])).save(&mask).unwrap();
    fails(&fit(&file, &out, &["--mask", text(&mask)]), 2, &["mask.png", "10 x 40", "mask of"]);
    assert!(!out.exists());
}

#[test]
fn a_full_disk_leaves_no_half_written_file() {
    let bench = Bench::new();
    let (file, out) = (picture(&bench, "sun.png"), bench.path("a.tbr.json"));
    // Files of at most 512 bytes, or a signal that ends whoever does not ask for an error: the
    // program needs more.
    let script = format!(
        "ulimit -f 1; exec '{}' {}",
        env!("CARGO_BIN_EXE_tbr"),
        fit(&file, &out, &[]).join(" ")
    );
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("a.tbr.json"), "{said}");
    assert_eq!(bench.files(), ["sun.png"]);
}

#[test]
fn the_papers_solver_takes_all_its_options_and_records_them() {
    let bench = Bench::new();
    let (file, out) = (picture(&bench, "sun.png"), bench.path("a.tbr.json"));
    let paper = ["--preset", "paper"];
    let run = |more: &[&str]| {
        let args = [&paper, more, &["--force"]].concat();
        let output = tbr(&fit(&file, &out, &args)).output().unwrap();
        assert!(output.status.success(), "{more:?}: {}", String::from_utf8_lossy(&output.stderr));
        let program: Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
        program
    };
    let program = run(&[]);
    assert_eq!(program["palette"].as_array().unwrap().len(), 8);
    assert_eq!(program["provenance"]["data_scale"], 270.0, "without weights, the constant");
    let plain = program["strokes"].clone();
    let own = |program: &Value| program["provenance"]["options"]["solver"]["paper"].clone();
    for (arguments, pointer, value) in [
        (&["--free-width"][..], "/free_width", Value::from(true)),
        (&["--contain"], "/contain", true.into()),
        (&["--length-price", "0.5"], "/prices/length", 0.5.into()),
        (&["--area-price", "0.5"], "/prices/area", 0.5.into()),
        (&["--unseen-price", "0.5"], "/prices/unseen", 0.5.into()),
        (&["--error-target", "0.5", "--area-price", "1"], "/error_target", 0.5.into()),
        (&["--data-scale", "0.5"], "/data_scale", 0.5.into()),
        (&["--coarse-to-fine"], "/free_width", true.into()),
    ] {
        let program = run(arguments);
        assert_eq!(own(&program).pointer(pointer), Some(&value), "{arguments:?}");
        assert_ne!(program["strokes"], plain, "{arguments:?} changes nothing");
    }
    for more in [["--operator", "inert"], ["--operator", "calibrated"], ["--palette", "3"]] {
        assert_ne!(run(&more)["strokes"], plain, "{more:?}");
    }
    let features = [&paper[..], &["--objective", "features"]].concat();
    let out = bench.path("b.tbr.json");
    fails(&fit(&file, &out, &features), 2, &["needs the weights of VGG16"]);
    fails(&fit(&file, &out, &["--contain"]), 2, &["--contain is for --preset paper"]);
    fails(&fit(&file, &out, &["--preset", "paper", "--palette", "free"]), 2, &["palette"]);
}

/// Chosen colours are by eyes unless told otherwise, those of the paper by pixels; where nothing is
/// chosen, there is no choice.
#[test]
fn palettes_are_chosen_by_eyes_or_pixels() {
    let bench = Bench::new();
    let (file, out) = (picture(&bench, "sun.png"), bench.path("a.tbr.json"));
    let options = |more: &[&str]| {
        tbr(&fit(&file, &out, &[more, &["--force"]].concat())).assert().success();
        let program: Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
        program["provenance"]["options"].clone()
    };
    let three = ["--palette", "3", "--palette-by"];
    assert_eq!(options(&three[..2])["palette_by"], "eyes");
    assert_eq!(options(&[&three[..], &["eyes"]].concat())["palette_by"], "eyes");
    let silent = [vec![], vec!["--preset", "paper"], [&three[..], &["pixels"]].concat()];
    for more in silent {
        assert_eq!(options(&more).get("palette_by"), None, "{more:?}");
    }
    let by_eyes = ["--palette-by", "eyes", "--force"];
    let refused = |more: &[&str], words: &str| {
        fails(&fit(&file, &out, &[&by_eyes, more].concat()), 2, &[words]);
    };
    refused(&[], "chosen for the picture");
    refused(&["--palette", "#112233,#445566"], "chosen for the picture");
    refused(&["--preset", "paper"], "by pixels");
}

#[test]
fn a_program_is_fitted_on() {
    let bench = Bench::new();
    let (file, first, second) =
        (picture(&bench, "sun.png"), bench.path("a.tbr.json"), bench.path("b.tbr.json"));
    tbr(&fit(&file, &first, &["--palette", "3"])).assert().success();
    let from = ["--size", "48", "--steps", "12", "--from", text(&first)];
    let args = [&["fit", text(&file), "-o", text(&second)][..], &from].concat();
    tbr(&args).assert().success();
    let read = |path: &Path| -> Value { serde_json::from_slice(&fs::read(path).unwrap()).unwrap() };
    let (a, b) = (read(&first), read(&second));
    assert_eq!(b["steps"].as_array().unwrap().len(), 30);
    assert_eq!(b["palette"].as_array().unwrap().len(), 3);
    assert_eq!(b["provenance"]["from"], "a.tbr.json");
    let ratio = |p: &Value| p["provenance"]["floor_ratio"].as_f64().unwrap();
    assert!(ratio(&b) > ratio(&a), "{} to {}", ratio(&a), ratio(&b));
    fails(&[&args[..], &["--strokes", "31", "--force"]].concat(), 2, &["30 strokes, not 31"]);
}

/// A picture is fitted at its own size, unless that is small or large, or another is asked for.
#[test]
fn the_size_is_the_pictures_own_within_bounds() {
    let bench = Bench::new();
    let (file, out) = (bench.path("p.png"), bench.path("p.tbr.json"));
    let fitted = |(width, height): (u32, u32), more: &[&str]| {
        let pixel = |x: u32, y: u32| Rgb([x as u8, y as u8, 90]);
        ImageBuffer::from_fn(width, height, pixel).save(&file).unwrap();
        let plain = ["fit", text(&file), "-o", text(&out), "--strokes", "5", "--steps", "0"];
        tbr(&[&plain[..], &["--force"], more].concat()).assert().success();
        let program: Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
        let size = image::image_dimensions(bench.path("p.tbr.png")).unwrap();
        assert_eq!(program["provenance"]["size_px"], size.0.max(size.1));
        size
    };
    assert_eq!(fitted((900, 450), &[]), (900, 450));
    assert_eq!(fitted((40, 60), &[]), (512, 768));
    assert_eq!(fitted((1500, 750), &[]), (1024, 512));
    assert_eq!(fitted((640, 320), &["--size", "100"]), (100, 50));
    assert_eq!(fitted((640, 320), &["--preset", "paper"]), (1024, 512));
}

#[test]
fn transparent_parts_stay_bare() {
    let bench = Bench::new();
    let (file, out, render) =
        (bench.path("disc.png"), bench.path("a.tbr.json"), bench.path("r.png"));
    let inside = |x: u32, y: u32| libm::hypot(f64::from(x) - 24.0, f64::from(y) - 16.0) < 10.0;
    let pixel =
        |x: u32, y: u32| image::Rgba([200, (4 * x) as u8, 40, if inside(x, y) { 255 } else { 0 }]);
    ImageBuffer::from_fn(48, 32, pixel).save(&file).unwrap();
    tbr(&fit(&file, &out, &["--bare"])).assert().success();
    tbr(&["render", text(&out), "-o", text(&render), "--width", "48", "--background", "none"])
        .assert()
        .success();
    let replay = image::open(&render).unwrap().to_rgba8();
    let wrong = replay.enumerate_pixels().filter(|(x, y, p)| (p[3] > 127) != inside(*x, *y));
    let wrong = wrong.count();
    assert!(wrong < 30, "{wrong} pixels are painted or bare that should not be");

    let nothing = bench.path("nothing.png");
    ImageBuffer::from_fn(48, 32, |_, _| image::Rgba([9u8, 9, 9, 0])).save(&nothing).unwrap();
    fails(&fit(&nothing, &out, &["--bare"]), 2, &["transparent", "nothing to paint"]);
    fails(&fit(&file, &out, &["--bare", "--preset", "paper"]), 2, &["--bare"]);
}

#[test]
fn pictures_of_one_colour_or_none_are_fitted() {
    let bench = Bench::new();
    for (name, pixel) in [("plain.png", [90u8, 120, 30, 255]), ("nothing.png", [0; 4])] {
        let (file, out) = (bench.path(name), bench.path("a.tbr.json"));
        ImageBuffer::from_pixel(48, 32, image::Rgba(pixel)).save(&file).unwrap();
        let output = tbr(&fit(&file, &out, &["--progress", "json", "--force"])).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && !said.contains("NaN"), "{name}: {said}");
        let replay = image::open(bench.path("a.tbr.png")).unwrap().to_rgba8();
        let matte = if pixel[3] == 0 { [255; 4] } else { pixel };
        let near = |p: &image::Rgba<u8>| (0..4).all(|c| p[c].abs_diff(matte[c]) <= 1);
        assert!(replay.pixels().all(near), "{name}");
    }
}
