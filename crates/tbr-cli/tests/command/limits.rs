//! Nothing grows without bound: what is too large is refused with its limit, or done smaller.

use crate::common::{Bench, DROP, LINE, fails, program, said, tbr, text};
use std::process::{Command, Output};

/// A program of five strokes on a canvas of some height.
fn tall(height: f64) -> String {
    let strokes = [DROP, LINE, DROP, LINE, LINE].join(",");
    program(&strokes).replace("\"height\": 0.5", &format!("\"height\": {height}"))
}

#[test]
fn a_tall_canvas_is_counted_in_larger_pixels_or_refused() {
    let bench = Bench::new();
    let file = bench.write("tall.tbr.json", tall(900.0));
    let (file, out) = (text(&file), bench.path("out.tbr.json"));
    let (facts, note) = said(&["info", file, "--json"]);
    let facts: serde_json::Value = serde_json::from_str(&facts).unwrap();
    assert_eq!(facts["width_px"], 136);
    assert!(note.contains("136 pixels wide"), "{note}");
    fails(&["info", file, "--width", "1024"], 5, &["1024 x 921600", "limit: 16777216 pixels"]);

    let edit = |operation: &'static str| vec!["edit", file, operation, "-o", text(&out), "--force"];
    said(&edit("delete where invisible"));
    let too_many = ["1024 x 921600", "limit: 16777216 pixels"];
    for operation in
        ["delete where unseen", "delete where pixels 3..", "delete where region 0,0,1,900"]
    {
        fails(&edit(operation), 5, &too_many);
    }
    said(&edit("delete where region 0,0,1,2"));
}

#[test]
fn a_tall_canvas_is_pruned() {
    let bench = Bench::new();
    let (file, out) = (bench.write("tall.tbr.json", tall(900.0)), bench.path("out.tbr.json"));
    let (_, talk) = said(&["prune", text(&file), "-o", text(&out), "--strokes", "3"]);
    assert!(talk.contains("3 strokes, were 5") && talk.contains("68 pixels wide"), "{talk}");
}

#[test]
fn pictures_that_do_not_fit_into_memory_are_refused() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(DROP));
    let picture = bench.path("p.png");
    said(&["render", text(&file), "-o", text(&picture), "--width", "64"]);
    let parts = ["1000000 x 500000", "limit: 16777216 pixels"];
    fails(&["info", text(&file), "--width", "1000000"], 5, &parts);
    let webp = bench.path("p.webp");
    let parts_webp = ["16384 x 8192", "limit: 67108864 pixels"];
    fails(&["render", text(&file), "-o", text(&webp), "--width", "16384"], 5, &parts_webp);
    for (verb, limit) in [("score", "limit: 8388608 pixels"), ("gradient", parts[1])] {
        let args = [verb, text(&file), text(&picture), "--width", "1000000"];
        fails(&args, 5, &[parts[0], limit]);
    }
}

/// A file of two strokes, whose outlines would have a hundred million pieces: six gigabytes.
#[test]
fn outlines_of_too_many_pieces_are_refused() {
    let bench = Bench::new();
    let stroke = r#"{"anchor": [-500, 0.5], "offset": [1000, 0], "half_width": 3e-6, "colour": 1}"#;
    let file = bench.write("long.tbr.json", program(&[stroke; 2].join(",")));
    for (verb, output) in [("export", "a.csv"), ("render", "a.svg")] {
        let out = bench.path(output);
        let args = [verb, text(&file), "-o", text(&out)];
        fails(&args, 5, &["stroke 1", "too many pieces", "limit: 65536"]);
        assert!(!out.exists());
    }
}

/// Every stroke covers every pixel: the replay adjoint would have to record all of them.
#[test]
fn a_side_table_without_end_is_refused() {
    let bench = Bench::new();
    let stroke = r#"{"anchor": [0.5, 0.25], "offset": [0, 0], "half_width": 2, "colour": 1}"#;
    let file = bench.write("p.tbr.json", program(&[stroke; 400].join(",")));
    let picture = bench.path("p.png");
    said(&["render", text(&file), "-o", text(&picture), "--width", "512"]);
    let gradient = ["gradient", text(&file), text(&picture), "--width", "512", "--engine"];
    fails(&[&gradient[..], &["replay"]].concat(), 5, &["side table", "limit: 512 MB"]);
    said(&[&gradient[..], &["tiled"]].concat());
}

#[test]
fn more_strokes_than_the_papers_solver_takes_are_refused() {
    let bench = Bench::new();
    let picture = bench.path("p.png");
    image::RgbImage::from_pixel(8, 8, image::Rgb([9, 9, 9])).save(&picture).unwrap();
    let out = bench.path("p.tbr.json");
    let fit = ["fit", text(&picture), "-o", text(&out), "--preset", "paper", "--palette", "2"];
    let parts = ["20001 strokes in the paper's solver", "limit: 20000"];
    fails(&[&fit[..], &["--strokes", "20001"]].concat(), 5, &parts);
    assert!(!out.exists());
}

#[test]
fn program_and_points_cannot_both_be_standard_input() {
    let mut command = tbr(&["trace", "-", "--points", "-"]);
    let output = command.write_stdin(program(DROP)).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("both be standard input"));
}

/// Runs the command as a person who may have so many threads; none if that cannot be tried here.
/// (Root may have any number.)
fn with_threads(bench: &Bench, threads: u32, args: &[&str]) -> Option<Output> {
    let own = bench.path("tbr");
    std::fs::copy(assert_cmd::cargo::cargo_bin("tbr"), &own).unwrap();
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65533", "--clear-groups", "prlimit", &format!("--nproc={threads}")]);
    let can = command.arg("true").output().is_ok_and(|output| output.status.success());
    if !can {
        return None;
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65533", "--clear-groups", "prlimit", &format!("--nproc={threads}")]);
    Some(command.arg(own).args(args).output().unwrap())
}

#[test]
fn with_few_threads_to_be_had_the_result_is_the_same() {
    let bench = Bench::new();
    #[cfg(unix)]
    std::fs::set_permissions(
        bench.folder.path(),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let file = bench.write("p.tbr.json", program(&format!("{DROP}, {LINE}")));
    let (whole, _) = said(&["info", text(&file)]);
    for threads in [2, 3, 4] {
        for more in [&[][..], &["--threads", "8"]] {
            let args = [&["info", text(&file)][..], more].concat();
            let Some(output) = with_threads(&bench, threads, &args) else {
                eprintln!(
                    "skipped: threads cannot be limited here (setpriv and prlimit are needed)"
                );
                return;
            };
            let talk = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{threads} threads: {talk}");
            assert_eq!(String::from_utf8_lossy(&output.stdout), whole);
        }
    }
}
