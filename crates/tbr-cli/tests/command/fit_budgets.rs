//! `tbr fit --seconds`, `--psnr` and `--error`: the same programs as with numbers of steps and
//! strokes, and what is said of them.

use crate::common::{Bench, fails, said, signal, started, tbr, text, wait_for};
use image::{ImageBuffer, Rgb};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// More time than any of these fits takes: the number of steps is then the most there are.
const LONG: &str = "20000";
/// The most steps for the preset `fast`.
const MOST_FAST: usize = 600;

/// A small picture with discs on a slope.
fn picture(bench: &Bench, name: &str) -> PathBuf {
    let path = bench.path(name);
    let pixel = |x: u32, y: u32| {
        let (dx, dy) = (f64::from(x % 20) - 9.0, f64::from(y % 20) - 11.0);
        if dx * dx + dy * dy < 40.0 { Rgb([220, 60, 30]) } else { Rgb([40, (4 * x) as u8, 200]) }
    };
    ImageBuffer::from_fn(40, 60, pixel).save(&path).unwrap();
    path
}

/// Arguments of a small fit.
fn fit<'a>(picture: &'a Path, output: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    fit_at("64", picture, output, more)
}

/// The same at another size.
fn fit_at<'a>(
    size: &'a str,
    picture: &'a Path,
    output: &'a Path,
    more: &[&'a str],
) -> Vec<&'a str> {
    let args = ["fit", text(picture), "-o", text(output), "--size", size, "--preset", "fast"];
    [&args[..], more].concat()
}

/// The number before some words.
#[track_caller]
fn number_before(words: &str, said: &str) -> usize {
    let before = said.split(words).next().filter(|before| before.len() < said.len());
    let before = before.unwrap_or_else(|| panic!("no \"{words}\": {said}"));
    before.rsplit([' ', '\n']).next().unwrap().parse().unwrap()
}

/// The number in "--steps N makes the same program".
#[track_caller]
fn number_of(option: &str, said: &str) -> usize {
    let line = said.lines().find(|line| line.contains("makes the same program"));
    let line = line.unwrap_or_else(|| panic!("{said}"));
    let (_, number) = line.split_once(&format!("{option} ")).unwrap();
    number.split(' ').next().unwrap().parse().unwrap()
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Asserts that two fits have left the same program and the same replay.
#[track_caller]
fn assert_same(a: &Path, b: &Path) {
    assert_eq!(fs::read_to_string(a).unwrap(), fs::read_to_string(b).unwrap());
    let [a, b] = [a, b].map(|path| fs::read(path.with_extension("png")).unwrap());
    assert!(a == b, "the replays differ");
}

#[test]
fn seconds_make_the_program_of_the_steps_that_they_name() {
    let bench = Bench::new();
    let (file, timed, counted) =
        (picture(&bench, "a.png"), bench.path("a.tbr.json"), bench.path("b.tbr.json"));
    for (seconds, more) in [("1.5", &[][..]), ("0.000001", &[]), (LONG, &["--palette", "3"])] {
        let strokes = [&["--strokes", "20", "--force"], more].concat();
        let args = [&strokes[..], &["--seconds", seconds]].concat();
        let (_, talk) = said(&fit(&file, &timed, &args));
        let steps = number_of("--steps", &talk);
        match seconds {
            "1.5" => assert!(steps <= MOST_FAST, "{talk}"),
            LONG => assert!(steps == MOST_FAST && talk.contains("the most"), "{talk}"),
            _ => assert!(steps == 0 && talk.contains("no time is left"), "{talk}"),
        }
        let stages = read(&timed)["provenance"]["options"]["stages"].clone();
        assert_eq!(stages[0]["steps"], steps);
        let steps = steps.to_string();
        said(&fit(&file, &counted, &[&strokes[..], &["--steps", &steps]].concat()));
        assert_same(&timed, &counted);
        assert!(!bench.path("a.tbr.checkpoint").exists());
    }
}

#[test]
fn seconds_go_to_a_program_that_is_given_too() {
    let bench = Bench::new();
    let (file, first) = (picture(&bench, "a.png"), bench.path("a.tbr.json"));
    let (timed, counted) = (bench.path("b.tbr.json"), bench.path("c.tbr.json"));
    said(&fit(&file, &first, &["--strokes", "20", "--steps", "3"]));
    let from = ["--from", text(&first)];
    let (_, talk) = said(&fit(&file, &timed, &[&from[..], &["--seconds", "1"]].concat()));
    let steps = number_of("--steps", &talk).to_string();
    said(&fit(&file, &counted, &[&from[..], &["--steps", &steps]].concat()));
    assert_same(&timed, &counted);
}

#[test]
fn a_finished_program_with_any_steps_is_done_whatever_the_seconds() {
    let bench = Bench::new();
    let (a, b) = (picture(&bench, "a.png"), picture(&bench, "b.png"));
    let folder = bench.path("out");
    let run = |more: &[&str]| {
        let args = ["fit", text(&a), text(&b), "-o", text(&folder), "--strokes", "20"];
        said(&[&args[..], &["--size", "64", "--preset", "fast"], more].concat()).1
    };
    run(&["--steps", "7"]);
    let program = fs::read(folder.join("a.tbr.json")).unwrap();
    let talk = run(&["--seconds", LONG]);
    assert_eq!(talk.matches("done already, with 7 gradient steps").count(), 2, "{talk}");
    assert_eq!(fs::read(folder.join("a.tbr.json")).unwrap(), program);
    let out = folder.join("a.tbr.json");
    let other = ["--strokes", "20", "--seconds", LONG, "--seed", "3"];
    fails(&fit(&a, &out, &other), 3, &["a.tbr.json: is there already"]);
    assert_eq!(fs::read(&out).unwrap(), program);
    let talk = run(&["--seconds", "0.000001", "--force"]);
    assert_eq!(talk.matches("no time is left").count(), 2, "for each picture: {talk}");
    assert_ne!(fs::read(&out).unwrap(), program);
}

#[test]
fn a_stopped_fit_goes_on_with_the_steps_that_were_chosen() {
    let bench = Bench::new();
    let (file, timed, counted) =
        (picture(&bench, "a.png"), bench.path("a.tbr.json"), bench.path("b.tbr.json"));
    let args = |seconds| fit(&file, &timed, &["--strokes", "20", "--seconds", seconds]);
    let every = ["--checkpoint-every", "0"];
    let mut child = started(&[&args(LONG)[..], &every].concat());
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let chosen = lines.find(|line| line.contains("--steps")).unwrap();
    let _ = fs::remove_file(bench.path("a.tbr.checkpoint"));
    wait_for(&bench.path("a.tbr.checkpoint"), &mut child);
    signal(&child, "-INT");
    let talk: Vec<String> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{talk:?}");
    assert!(talk.iter().any(|line| line.contains("the same command goes on")), "{talk:?}");
    assert_eq!(read(&timed)["provenance"]["finished"], false);
    // Whatever time there is now.
    let (_, talk) = said(&args("0.000001"));
    assert!(talk.contains("going on from") && talk.contains("chosen before"), "{talk}");
    assert_eq!(number_of("--steps", &talk), number_of("--steps", &chosen));
    let steps = MOST_FAST.to_string();
    said(&fit(&file, &counted, &["--strokes", "20", "--steps", &steps]));
    assert_same(&timed, &counted);
}

/// As long as no gradient step is done, their number is open, whatever the stopped fit had in mind.
#[test]
fn a_fit_that_was_stopped_while_it_peeled_chooses_its_steps_anew() {
    let bench = Bench::new();
    let (file, timed, counted) =
        (picture(&bench, "a.png"), bench.path("a.tbr.json"), bench.path("b.tbr.json"));
    // (What is smaller is peeled in two goes, and a signal is heeded after the second.)
    let size = "256";
    let strokes = ["--strokes", "120"];
    let steps = MOST_FAST.to_string();
    said(&fit_at(size, &file, &counted, &[&strokes[..], &["--steps", &steps]].concat()));
    for first in [["--seconds", LONG], ["--steps", "1"]] {
        let more = [&strokes[..], &first, &["--checkpoint-every", "0", "--force"]].concat();
        stop_while_it_peels(&fit_at(size, &file, &timed, &more), &timed, 120);
        let more = ["--seconds", LONG, "--force", "--resume"];
        let (_, talk) = said(&fit_at(size, &file, &timed, &[&strokes[..], &more].concat()));
        assert!(talk.contains("going on from"), "{talk}");
        assert_eq!(number_of("--steps", &talk), MOST_FAST, "{talk}");
        assert_same(&timed, &counted);
    }
}

/// Begins a fit again and again until a signal has met it before all of its strokes were there:
/// on a busy machine it may be further by the time that its first checkpoint is seen.
#[track_caller]
fn stop_while_it_peels(args: &[&str], output: &Path, strokes: usize) {
    for _ in 0..100 {
        let checkpoint = output.with_extension("").with_extension("tbr.checkpoint");
        let _ = fs::remove_file(&checkpoint);
        // (A finished program would stay as it is.)
        let _ = fs::remove_file(output);
        let mut child = started(args);
        while !checkpoint.exists() && child.try_wait().unwrap().is_none() {
            sleep(Duration::from_millis(1));
        }
        signal(&child, "-INT");
        let ended = child.wait_with_output().unwrap();
        let program = read(output);
        // (A list of steps has strokes that bend.)
        let peeled = program.get("steps").unwrap_or(&program["strokes"]).as_array().unwrap().len();
        if ended.status.code() == Some(130) && peeled < strokes {
            return;
        }
    }
    panic!("it had always peeled");
}

/// The strokes that were tried, and what they came to.
fn trials(talk: &str) -> Vec<(usize, f64)> {
    let trial = |line: &str| {
        let (strokes, rest) = line.split_once(" stroke")?;
        let (_, found) = rest.split_once(": ")?;
        let decibels = found.split(" dB, ").next()?.parse().ok()?;
        Some((strokes.parse().ok()?, decibels))
    };
    talk.lines().filter_map(trial).collect()
}

#[test]
fn the_fewest_strokes_for_a_quality_are_found_and_one_fewer_trial_is_not_enough() {
    let bench = Bench::new();
    let file = picture(&bench, "a.png");
    let [by_psnr, by_error, by_strokes] =
        ["a.tbr.json", "b.tbr.json", "c.tbr.json"].map(|n| bench.path(n));
    let steps = ["--steps", "4"];
    let first = [&steps[..], &["--strokes", "40"]].concat();
    let (_, talk) = said(&fit(&file, &by_psnr, &[&first[..], &["--psnr", "20"]].concat()));
    let trials = trials(&talk);
    assert_eq!(trials[0].0, 40, "{talk}");
    let strokes = number_of("--strokes", &talk);
    let below = number_before(" do not", &talk);
    let came_to = |count| trials.iter().find(|(n, _)| *n == count).unwrap().1;
    assert!(came_to(strokes) >= 20.0 - 0.005 && came_to(below) < 20.0 + 0.005, "{talk}");
    let fewest = trials.iter().filter(|(_, decibels)| *decibels >= 20.0).map(|(n, _)| *n).min();
    assert_eq!(fewest, Some(strokes), "{talk}");
    assert!(strokes - below == 1 || strokes as f64 <= 1.05 * below as f64, "{talk}");

    let count = strokes.to_string();
    said(&fit(&file, &by_strokes, &[&steps[..], &["--strokes", &count]].concat()));
    assert_same(&by_psnr, &by_strokes);
    said(&fit(&file, &by_error, &[&first[..], &["--error", "0.01"]].concat()));
    assert_same(&by_error, &by_strokes);
    // What another verb says of it.
    let (scores, _) = said(&["score", text(&by_psnr), text(&file), "--width", "43", "--json"]);
    let mse = serde_json::from_str::<Value>(&scores).unwrap()["mse"].as_f64().unwrap();
    assert!(mse <= 0.01 * (1.0 + 1e-6), "{scores}");
    assert!(bench.files().iter().all(|f| !f.contains("checkpoint") && !f.contains("tmp")));
}

#[test]
fn a_quality_that_was_reached_is_done_and_others_are_not_replaced() {
    let bench = Bench::new();
    let (file, out) = (picture(&bench, "a.png"), bench.path("a.tbr.json"));
    let steps = ["--steps", "4", "--strokes", "30"];
    let search = |bar, more: &[&'static str]| {
        let bar = ["--psnr", bar];
        fit(&file, &out, &[&steps[..], &bar, more].concat()).join("\n")
    };
    let args = |joined: &str| -> Vec<String> { joined.split('\n').map(str::to_owned).collect() };
    let run = |joined: &str| {
        let args = args(joined);
        said(&args.iter().map(String::as_str).collect::<Vec<_>>()).1
    };
    let talk = run(&search("18", &[]));
    let program = fs::read(&out).unwrap();
    let strokes = number_of("--strokes", &talk);
    for bar in ["18", "15"] {
        let talk = run(&search(bar, &[]));
        assert!(talk.contains(&format!("done already, {strokes} strokes: ")), "{talk}");
        assert!(talk.contains("--force"), "{talk}");
    }
    let refused = |joined: &str, parts: &[&str]| {
        let args = args(joined);
        fails(&args.iter().map(String::as_str).collect::<Vec<_>>(), 3, parts);
        assert_eq!(fs::read(&out).unwrap(), program);
    };
    refused(&search("22", &[]), &["a.tbr.json: is there already"]);
    refused(&search("18", &["--seed", "4"]), &["a.tbr.json: is there already"]);
    let talk = run(&search("15", &["--force"]));
    assert!(number_of("--strokes", &talk) < strokes, "{talk}");
    assert_ne!(fs::read(&out).unwrap(), program);
}

#[test]
fn what_is_out_of_reach_is_told_and_nothing_is_written() {
    let bench = Bench::new();
    let file = bench.path("noise.png");
    let noise = |x: u32, y: u32| {
        Rgb([0, 1, 2].map(|c| (((x * 7 + y * 13 + c * 5) * 2_654_435) >> 7) as u8))
    };
    ImageBuffer::from_fn(40, 60, noise).save(&file).unwrap();
    let out = bench.path("a.tbr.json");
    let small = |more: &[&'static str]| -> Vec<String> {
        let args = ["fit", text(&file), "-o", text(&out), "--size", "16", "--steps", "0"];
        [&args, more].concat().into_iter().map(str::to_owned).collect()
    };
    let refused = |more: &[&'static str], code, parts: &[&str]| {
        let args = small(more);
        fails(&args.iter().map(String::as_str).collect::<Vec<_>>(), code, parts);
        assert_eq!(bench.files(), ["noise.png"]);
    };
    // (11 x 16 pixels have room for no more strokes.)
    refused(&["--psnr", "90"], 5, &["90 dB is out of reach", "176 strokes", "dB"]);
    refused(&["--error", "1e-9", "--strokes", "30"], 5, &["0.000000001 is out of reach"]);
    refused(&["--psnr", "40", "--palette", "2"], 2, &["no number of strokes", "palette allows"]);
}

#[test]
fn a_stopped_search_writes_nothing_and_says_how_to_go_on() {
    let bench = Bench::new();
    let (file, out, preview) =
        (picture(&bench, "a.png"), bench.path("a.tbr.json"), bench.path("p.png"));
    let endless = ["--psnr", "30", "--steps", "1000000", "--preview", text(&preview)];
    let mut child =
        started(&fit(&file, &out, &[&endless[..], &["--checkpoint-every", "0"]].concat()));
    wait_for(&preview, &mut child);
    signal(&child, "-INT");
    let ended = child.wait_with_output().unwrap();
    let talk = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(130), "{talk}");
    assert!(talk.contains("nothing is written") && talk.contains("searches anew"), "{talk}");
    let mut files = bench.files();
    files.sort();
    assert_eq!(files, ["a.png", "p.png"]);
}

/// A search cannot go on from the checkpoint of a fit, and does not lose it either.
#[test]
fn a_stopped_fits_checkpoint_is_not_lost_to_a_search() {
    let bench = Bench::new();
    let (file, out) = (picture(&bench, "a.png"), bench.path("a.tbr.json"));
    let checkpoint = bench.path("a.tbr.checkpoint");
    let endless = ["--strokes", "20", "--steps", "1000000", "--checkpoint-every", "0"];
    let mut child = started(&fit(&file, &out, &endless));
    wait_for(&checkpoint, &mut child);
    child.kill().unwrap();
    child.wait().unwrap();
    let search = ["--strokes", "20", "--steps", "2", "--psnr", "12"];
    fails(&fit(&file, &out, &search), 3, &["a.tbr.checkpoint", "fit that was stopped"]);
    assert!(checkpoint.exists() && !out.exists());
    said(&fit(&file, &out, &[&search[..], &["--force"]].concat()));
    assert!(!checkpoint.exists() && out.exists());
}

#[test]
fn budgets_that_make_no_sense_are_refused() {
    let bench = Bench::new();
    let (file, out) = (picture(&bench, "a.png"), bench.path("a.tbr.json"));
    let refused = |more: &[&str], parts: &[&str]| fails(&fit(&file, &out, more), 2, parts);
    for option in ["--seconds", "--psnr", "--error"] {
        for value in ["0", "-1", "NaN", "inf", "1e400", "100000", "soon", ""] {
            refused(&[option, value], &[option, "must be a number above 0"]);
        }
    }
    refused(&["--error", "1.5"], &["at most 1"]);
    let cannot = ["cannot be used with"];
    for other in [["--steps", "3"], ["--psnr", "20"], ["--error", "0.1"]] {
        refused(&[&["--seconds", "5"][..], &other].concat(), &cannot);
    }
    for bar in [["--psnr", "20"], ["--error", "0.1"]] {
        for other in [&["--from", "x.tbr.json"][..], &["--comb", "auto"], &["--resume"]] {
            refused(&[&bar, other].concat(), &cannot);
        }
        let many = [&bar[..], &["--strokes", "70000"]].concat();
        fails(&fit(&file, &out, &many), 5, &["70000 strokes to begin with", "64000"]);
    }
    refused(&["--psnr", "20", "--error", "0.1"], &cannot);
    for budget in [["--seconds", "5"], ["--psnr", "20"], ["--error", "0.1"]] {
        let args = [&["fit", text(&file), "-o", text(&out), "--preset", "paper"], &budget[..]];
        fails(&args.concat(), 2, &[budget[0], "is not for --preset paper"]);
    }
    let output = tbr(&fit(&file, &out, &["--psnr", "20", "--strokes", "0"])).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(bench.files(), ["a.png"]);
}
