//! `tbr fit` and the files that are there already: nothing that somebody has is lost.

use crate::common::{Bench, fails, signal, started, tbr, text, wait_for};
use image::{ImageBuffer, Rgb};
use std::fs;
use std::path::{Path, PathBuf};

/// A small picture.
fn picture(bench: &Bench, name: &str, shade: u8) -> PathBuf {
    let path = bench.path(name);
    let pixel = |x: u32, y: u32| Rgb([shade, (5 * x) as u8, (7 * y) as u8]);
    ImageBuffer::from_fn(48, 32, pixel).save(&path).unwrap();
    path
}

/// Arguments of a fit of some steps.
fn fit<'a>(picture: &'a Path, steps: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["fit", text(picture), "--steps", steps, "--strokes", "30", "--size", "48"];
    args.extend(more);
    args
}

/// So many that they are not done before somebody stops them.
const ENDLESS: &str = "100000";

/// Runs a fit until it has written a checkpoint, and stops it; its exit code and what it said.
fn stop(args: &[&str], checkpoint: &Path, by: &str) -> (Option<i32>, String) {
    let _ = fs::remove_file(checkpoint);
    let mut child = started(&[args, &["--checkpoint-every", "0"]].concat());
    wait_for(checkpoint, &mut child);
    signal(&child, by);
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_fit_never_writes_over_what_it_reads() {
    let bench = Bench::new();
    let file = picture(&bench, "x.tbr.png", 90);
    let pixels = fs::read(&file).unwrap();
    let out = bench.path("x.tbr.json");
    let into = ["-o", text(&out), "--force"];
    fails(&fit(&file, "1", &into), 2, &["x.tbr.png", "would be written over", "which is read"]);
    let (link, hard) = (bench.path("link.png"), bench.path("hard.png"));
    std::os::unix::fs::symlink(&file, &link).unwrap();
    fs::hard_link(&file, &hard).unwrap();
    let other = bench.path("y.tbr.json");
    for preview in [&file, &link, &hard] {
        let args = ["-o", text(&other), "--force", "--preview", text(preview)];
        fails(&fit(&file, "1", &args), 2, &["would be written over"]);
        let mask = picture(&bench, "p.png", 9);
        let args = [&args[..], &["--mask", text(&file)]].concat();
        fails(&fit(&mask, "1", &args), 2, &["would be written over"]);
    }
    // One picture's replay would be another picture.
    let first = picture(&bench, "x.png", 30);
    let both = [text(&file), "-o", text(bench.folder.path())];
    let said = String::from_utf8(tbr(&fit(&first, "1", &both)).output().unwrap().stderr).unwrap();
    assert!(said.contains("would be written over"), "{said}");
    assert_eq!(fs::read(&file).unwrap(), pixels);
    assert!(!out.exists() && !other.exists());
}

#[test]
fn what_is_there_is_not_replaced_without_force() {
    let bench = Bench::new();
    let (png, out) = (picture(&bench, "photo.png", 90), bench.path("photo.tbr.json"));
    let into = ["-o", text(bench.folder.path())];
    tbr(&fit(&png, "2", &into)).assert().success();
    let (program, replay) = (fs::read(&out).unwrap(), fs::read(bench.path("photo.tbr.png")));
    let (program, replay) = (program, replay.unwrap());
    let unchanged = || {
        assert_eq!(fs::read(&out).unwrap(), program);
        assert_eq!(fs::read(bench.path("photo.tbr.png")).unwrap(), replay);
    };
    let again = tbr(&fit(&png, "2", &into)).assert().success().get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&again).contains("done already"));
    unchanged();
    fails(&fit(&png, "3", &into), 3, &["photo.tbr.json: is there already"]);
    unchanged();
    let bmp = picture(&bench, "photo.bmp", 10);
    fails(&fit(&bmp, "2", &into), 3, &["photo.tbr.json: is there already"]);
    unchanged();
    // A program that somebody has changed is theirs.
    let edited = fs::read_to_string(&out).unwrap().replacen(
        "\"operator\": \"capsule\"",
        "\"operator\": \"inert\"",
        1,
    );
    fs::write(&out, &edited).unwrap();
    fails(&fit(&png, "2", &into), 3, &["photo.tbr.json: is there already"]);
    assert_eq!(fs::read_to_string(&out).unwrap(), edited);
    tbr(&fit(&png, "2", &[&into[..], &["--force"]].concat())).assert().success();
    unchanged();
    fs::remove_file(&out).unwrap();
    fails(&fit(&bmp, "2", &into), 3, &["photo.tbr.png: is there already"]);
}

#[test]
fn stopped_by_ctrl_c_a_forced_fit_leaves_the_finished_program() {
    let bench = Bench::new();
    let (file, out) = (picture(&bench, "a.png", 90), bench.path("a.tbr.json"));
    let checkpoint = bench.path("a.tbr.checkpoint");
    tbr(&fit(&file, "2", &["-o", text(&out)])).assert().success();
    let finished = fs::read(&out).unwrap();
    let args = fit(&file, ENDLESS, &["-o", text(&out), "--force"]);
    let (code, said) = stop(&args, &checkpoint, "-INT");
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("is as it was") && said.contains("--force --resume"), "{said}");
    assert_eq!(fs::read(&out).unwrap(), finished);
    assert!(checkpoint.exists(), "and it can go on");
}

#[test]
fn a_stopped_fit_goes_on_unasked_and_to_the_same_bytes() {
    let bench = Bench::new();
    let file = picture(&bench, "a.png", 90);
    let (whole, out) = (bench.path("whole.tbr.json"), bench.path("a.tbr.json"));
    let checkpoint = bench.path("a.tbr.checkpoint");
    tbr(&fit(&file, "300", &["-o", text(&whole)])).assert().success();
    let args = fit(&file, "300", &["-o", text(&out)]);
    let (code, said) = stop(&args, &checkpoint, "-TERM");
    assert_eq!(code, Some(143), "termination is not Ctrl-C: {said}");
    let stopped: serde_json::Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
    assert_eq!(stopped["provenance"]["finished"], false);
    let other = [&args[..], &["--seed", "8"]].concat();
    fails(&other, 3, &["a.tbr.json: is there already"]);
    fs::remove_file(&out).unwrap();
    fs::remove_file(bench.path("a.tbr.png")).unwrap();
    fails(&other, 2, &["a.tbr.checkpoint", "a fit with other options"]);
    let said = tbr(&args).assert().success().get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&said).contains("going on from"));
    assert_eq!(fs::read(&out).unwrap(), fs::read(&whole).unwrap());
    assert!(!checkpoint.exists());
}

#[test]
fn two_fits_do_not_share_an_output() {
    let bench = Bench::new();
    let (file, out) = (picture(&bench, "a.png", 90), bench.path("a.tbr.json"));
    let args = fit(&file, ENDLESS, &["-o", text(&out), "--checkpoint-every", "0"]);
    let mut child = started(&args);
    wait_for(&bench.path("a.tbr.checkpoint"), &mut child);
    let quick = fit(&file, "1", &["-o", text(&out), "--force"]);
    fails(&quick, 3, &["a.tbr.json", "another process is making this file"]);
    child.kill().unwrap();
    child.wait().unwrap();
    // Its lock has ended with it.
    tbr(&quick).assert().success();
    assert!(bench.files().iter().all(|name| !name.ends_with(".lock")), "{:?}", bench.files());
}

#[test]
fn a_checkpoint_that_cannot_be_written_is_told_once_and_the_fit_goes_on() {
    let bench = Bench::new();
    let (file, out) = (picture(&bench, "a.png", 90), bench.path("a.tbr.json"));
    // Room for the program, of 30 strokes, and not for a checkpoint with its sums of gradients.
    let script = format!(
        "ulimit -f 24; exec '{}' {}",
        env!("CARGO_BIN_EXE_tbr"),
        fit(&file, "5", &["-o", text(&out), "--checkpoint-every", "0"]).join(" ")
    );
    let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert_eq!(said.matches("warning: ").count(), 1, "{said}");
    assert!(said.contains("a.tbr.checkpoint") && said.contains("the fit goes on"), "{said}");
    assert!(out.exists());
    let folder = bench.path("b.tbr.checkpoint");
    fs::create_dir(&folder).unwrap();
    let out = bench.path("b.tbr.json");
    fails(&fit(&file, "1", &["-o", text(&out)]), 3, &["b.tbr.checkpoint: is a directory"]);
}

#[test]
fn names_that_are_not_unicode_have_outputs_of_their_own() {
    use std::os::unix::ffi::OsStrExt;
    let bench = Bench::new();
    let plain = picture(&bench, "plain.png", 90);
    let name = |bytes: &[u8]| bench.folder.path().join(std::ffi::OsStr::from_bytes(bytes));
    for bytes in [&b"\xe8.png"[..], b"\xe9.png"] {
        fs::copy(&plain, name(bytes)).unwrap();
        let mut command = tbr(&[]);
        command.arg("fit").arg(name(bytes)).args([
            "--steps",
            "1",
            "--strokes",
            "5",
            "--size",
            "32",
        ]);
        command.arg("-o").arg(bench.folder.path()).assert().success();
    }
    assert!(name(b"\xe8.tbr.json").exists() && name(b"\xe9.tbr.json").exists());
}

#[test]
fn a_preview_that_cannot_be_written_is_told_once_and_the_fit_goes_on() {
    let bench = Bench::new();
    let (file, out) = (picture(&bench, "a.png", 90), bench.path("a.tbr.json"));
    let folder = bench.path("previews");
    fs::create_dir(&folder).unwrap();
    let preview = folder.join("p.png");
    let args = ["-o", text(&out), "--preview", text(&preview), "--checkpoint-every", "0"];
    let mut child = started(&fit(&file, ENDLESS, &args));
    wait_for(&bench.path("a.tbr.checkpoint"), &mut child);
    fs::remove_dir_all(&folder).unwrap();
    let told = |child: &mut std::process::Child| {
        let errors = std::io::BufReader::new(child.stderr.take().unwrap());
        let mut lines = std::io::BufRead::lines(errors).map(Result::unwrap);
        let warning = lines.find(|line| line.starts_with("warning: ")).unwrap();
        assert!(warning.contains("p.png") && warning.ends_with("the fit goes on"), "{warning}");
        lines
    };
    let lines = told(&mut child);
    // It goes on: there are more checkpoints.
    fs::remove_file(bench.path("a.tbr.checkpoint")).unwrap();
    wait_for(&bench.path("a.tbr.checkpoint"), &mut child);
    signal(&child, "-INT");
    assert_eq!(lines.filter(|line| line.starts_with("warning: ")).count(), 0);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn previews_and_replays_are_not_written_over_what_is_somebodys() {
    let bench = Bench::new();
    let (file, out) = (picture(&bench, "a.png", 90), bench.path("a.tbr.json"));
    let mine = bench.write("holiday.png", "mine");
    let args = ["-o", text(&out), "--preview", text(&mine)];
    fails(&fit(&file, "2", &args), 3, &["holiday.png: is there already"]);
    assert!(fs::read(&mine).unwrap() == b"mine" && !out.exists());
    // A preview of its own may be there when a fit goes on.
    let preview = bench.path("p.png");
    let own = fit(&file, ENDLESS, &["-o", text(&out), "--preview", text(&preview)]);
    let checkpoint = bench.path("a.tbr.checkpoint");
    let (code, said) = stop(&own, &checkpoint, "-INT");
    assert!(code == Some(130) && preview.exists(), "{said}");
    let mut child = started(&own);
    signal_once_it_goes_on(&mut child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    // A replay that appears meanwhile stays.
    let out = bench.path("b.tbr.json");
    let args = fit(&file, ENDLESS, &["-o", text(&out), "--checkpoint-every", "0"]);
    let mut child = started(&args);
    wait_for(&bench.path("b.tbr.checkpoint"), &mut child);
    let replay = bench.write("b.tbr.png", "mine");
    signal(&child, "-INT");
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(said.contains("b.tbr.png: is there already"), "{said}");
    assert_eq!(fs::read(&replay).unwrap(), b"mine");
}

/// Stops a fit when it has said that it goes on.
fn signal_once_it_goes_on(child: &mut std::process::Child) {
    use std::io::BufRead;
    let errors = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut lines = errors.lines().map(Result::unwrap);
    assert!(lines.any(|line| line.starts_with("going on from")));
    signal(child, "-INT");
    lines.for_each(drop);
}
