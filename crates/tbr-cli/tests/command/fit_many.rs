//! `tbr fit --list`: many pictures, in parts, on machines that may be stopped at any moment.

use crate::common::{Bench, fails, said, signal, started, tbr, text, wait_for};
use image::{ImageBuffer, Rgb};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Small pictures in folders, `count` of them, and a list of them.
fn pictures(bench: &Bench, count: u32) -> PathBuf {
    let mut list = String::new();
    for k in 0..count {
        let name = format!("in/{}/{k}.png", k % 3);
        let path = bench.path(&name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let pixel = |x: u32, y: u32| Rgb([(20 * k) as u8, (5 * x) as u8, (7 * y) as u8]);
        ImageBuffer::from_fn(24, 16, pixel).save(&path).unwrap();
        list += &format!("{name}\n");
    }
    bench.write("list.txt", list)
}

/// Arguments of small fits of a list, relative to the bench.
fn fit<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let common = ["fit", "--list", "list.txt", "--strokes", "8", "--steps", "2", "--size", "24"];
    [&common, more].concat()
}

fn run(bench: &Bench, args: &[&str]) -> assert_cmd::assert::Assert {
    tbr(args).current_dir(bench.folder.path()).assert()
}

/// All programs in a folder, by their paths in it.
fn programs(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if text(&path).ends_with(".tbr.json") {
                let inside = path.strip_prefix(folder).unwrap().to_owned();
                found.insert(inside, fs::read(path).unwrap());
            }
        }
    }
    found
}

/// The lines of a summary.
fn summary(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn statuses(path: &Path) -> Vec<String> {
    summary(path).iter().map(|line| line["status"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn parts_of_a_list_make_what_the_whole_makes() {
    let bench = Bench::new();
    pictures(&bench, 9);
    run(&bench, &fit(&["-o", "whole", "--summary", "whole/1.jsonl"])).success();
    let whole = programs(&bench.path("whole"));
    let names: Vec<String> = (0..9).map(|k| format!("in/{}/{k}.tbr.json", k % 3)).collect();
    let mut sorted = names.clone();
    sorted.sort();
    assert_eq!(whole.keys().map(|path| text(path)).collect::<Vec<_>>(), sorted);
    let mut all = 0;
    for k in ["1/4", "2/4", "3/4", "4/4"] {
        run(&bench, &fit(&["-o", "parts", "--shard", k, "--summary", "part.jsonl"])).success();
        all += summary(&bench.path("part.jsonl")).len();
    }
    assert_eq!(all, 9);
    assert!(programs(&bench.path("parts")) == whole);
    // A picture more, and every other one is where it was.
    let list = fs::read_to_string(bench.path("list.txt")).unwrap();
    bench.write("list.txt", format!("new.png\n{list}"));
    fs::copy(bench.path("in/0/0.png"), bench.path("new.png")).unwrap();
    for k in ["1/4", "2/4", "3/4", "4/4"] {
        run(&bench, &fit(&["-o", "parts", "--shard", k, "--summary", "part.jsonl"])).success();
        for line in summary(&bench.path("part.jsonl")) {
            let expected = if line["picture"] == "new.png" { "fitted" } else { "done before" };
            assert_eq!(line["status"], expected, "{line}");
        }
    }
}

#[test]
fn a_summary_has_a_line_for_each_picture_and_one_bad_one_does_not_end_the_others() {
    let bench = Bench::new();
    pictures(&bench, 3);
    let list = fs::read_to_string(bench.path("list.txt")).unwrap();
    bench.write("bad.png", "no picture");
    bench.write("list.txt", format!("bad.png\r\n\n{list}gone.png"));
    let args = fit(&["-o", "out", "--summary", "out.jsonl"]);
    let output = tbr(&args).current_dir(bench.folder.path()).output().unwrap();
    let talk = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(6), "{talk}");
    assert!(talk.contains("2 of 5 pictures could not be fitted"), "{talk}");
    let lines = summary(&bench.path("out.jsonl"));
    assert_eq!(
        statuses(&bench.path("out.jsonl")),
        ["failed", "fitted", "fitted", "fitted", "failed"]
    );
    assert!(lines[0]["error"].as_str().unwrap().contains("bad.png"), "{}", lines[0]);
    assert!(lines[4]["error"].as_str().unwrap().contains("gone.png"), "{}", lines[4]);
    let keys = |line: &Value| line.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert!(lines.iter().all(|line| keys(line) == keys(&lines[0])));
    let fitted = &lines[1];
    assert_eq!((fitted["width_px"].as_u64(), fitted["height_px"].as_u64()), (Some(24), Some(16)));
    assert_eq!((fitted["strokes"].as_u64(), fitted["steps"].as_u64()), (Some(8), Some(2)));
    let (mse, psnr) = (fitted["mse"].as_f64().unwrap(), fitted["psnr"].as_f64().unwrap());
    assert!((psnr + 10.0 * mse.log10()).abs() < 1e-9, "{fitted}");
    // The same again, with the picture that was missing: only that one is fitted.
    fs::copy(bench.path("in/0/0.png"), bench.path("gone.png")).unwrap();
    run(&bench, &args).code(6);
    assert_eq!(
        statuses(&bench.path("out.jsonl")),
        ["failed", "done before", "done before", "done before", "fitted"]
    );
    let again = summary(&bench.path("out.jsonl"));
    for key in ["floor_ratio", "mse", "psnr", "strokes", "steps"] {
        assert_eq!(again[1][key], fitted[key], "{key}");
    }
    // Pixels decide, not names; and somebody's program is not replaced.
    fs::copy(bench.path("in/1/1.png"), bench.path("in/0/0.png")).unwrap();
    let before = programs(&bench.path("out"));
    run(&bench, &args).code(6);
    assert_eq!(statuses(&bench.path("out.jsonl"))[1], "failed");
    assert!(programs(&bench.path("out")) == before);
}

/// Stopped in the middle, by asking or at once: no unfinished program is there, no summary
/// either, and the same command comes to the same bytes.
#[test]
fn a_stopped_part_leaves_nothing_unfinished_and_goes_on() {
    for (by, code) in [("-INT", Some(130)), ("-TERM", Some(143)), ("-KILL", None)] {
        let bench = Bench::new();
        pictures(&bench, 3);
        let long = ["--checkpoint-every", "0", "--summary", "out.jsonl"];
        let args = |steps: &'static str| {
            let mut args = vec!["fit", "--list", "list.txt", "--strokes", "8", "--size", "24"];
            args.extend(["--steps", steps]);
            args.extend(long);
            args
        };
        run(&bench, &[&args("300")[..], &["-o", "whole"]].concat()).success();
        fs::remove_file(bench.path("out.jsonl")).unwrap();
        let list = bench.path("list.txt");
        let full = fs::read_to_string(&list).unwrap();
        bench.write(
            "list.txt",
            full.lines().map(|l| format!("{}\n", text(&bench.path(l)))).collect::<String>(),
        );
        // Absolute names: the process runs elsewhere.
        let out = bench.path("out");
        let summary_file = bench.path("out.jsonl");
        let mut away = args("300");
        away[2] = text(&list);
        away.retain(|arg| *arg != "--summary" && *arg != "out.jsonl");
        away.extend(["--summary", text(&summary_file), "-o", text(&out)]);
        let inside = out.join(bench.folder.path().strip_prefix("/").unwrap()).join("in/0");
        let mut child = started(&away);
        wait_for(&inside.join("0.tbr.checkpoint"), &mut child);
        signal(&child, by);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), code, "{}", String::from_utf8_lossy(&output.stderr));
        assert!(!summary_file.exists(), "{by}");
        for program in programs(&out).values() {
            let program: Value = serde_json::from_slice(program).unwrap();
            assert_eq!(program["provenance"]["finished"], true, "{by}");
        }
        said(&away);
        assert_eq!(summary(&summary_file).len(), 3);
        let whole: Vec<Vec<u8>> = programs(&bench.path("whole")).into_values().collect();
        assert!(programs(&out).into_values().collect::<Vec<_>>() == whole, "{by}");
    }
}

#[test]
fn what_cannot_be_a_list_is_refused_before_anything_is_fitted() {
    let bench = Bench::new();
    let list = pictures(&bench, 2);
    let out = bench.path("out");
    let refused = |more: &[&str], code: i32, parts: &[&str]| {
        fails(&[&["fit", "--list", text(&list), "-o", text(&out)], more].concat(), code, parts);
        assert!(!out.exists());
    };
    refused(&["--shard", "0/3"], 2, &["counted from 1"]);
    refused(&["--shard", "4/3"], 2, &["K/N"]);
    refused(&["x.png"], 2, &["--list", "cannot be used with"]);
    refused(&["--preview", "p.png"], 2, &["--list", "cannot be used with"]);
    fails(&["fit", "x.png", "--shard", "1/2"], 2, &["--shard", "--list"]);
    // The summary would replace what is no summary.
    let mine = bench.write("mine.txt", "of mine\n");
    refused(&["--summary", text(&mine)], 3, &["mine.txt: is there already"]);
    refused(&["--summary", text(&list), "--force"], 2, &["would be written over"]);
    assert_eq!(fs::read_to_string(&mine).unwrap(), "of mine\n");
    bench.write("list.txt", "");
    refused(&[], 3, &["lists no picture"]);
    bench.write("list.txt", "a/x.png\na/../b.png\n");
    refused(&[], 2, &["a/../b.png", ".."]);
    bench.write("list.txt", "a/x.png\nb.png\na/x.jpg\n");
    refused(&["--shard", "1/1000"], 2, &["a/x.png", "a/x.jpg", "would both be written to"]);
    fails(&["fit", "--list", text(&bench.path("none.txt"))], 3, &["none.txt"]);
}

#[test]
fn a_part_without_pictures_is_done() {
    let bench = Bench::new();
    pictures(&bench, 1);
    let parts: Vec<String> = (1..=3).map(|k| format!("{k}/3")).collect();
    let lines = parts.iter().map(|part| {
        run(&bench, &fit(&["-o", "out", "--shard", part, "--summary", "s.jsonl"])).success();
        summary(&bench.path("s.jsonl")).len()
    });
    let mut lines: Vec<usize> = lines.collect();
    lines.sort_unstable();
    assert_eq!(lines, [0, 0, 1]);
}
