//! Commands on a program with tools: they count steps, and say tools in words.

use crate::common::{Bench, fails, tbr, text};
use serde_json::Value;
use tbr::program::Program;
use tbr::{format, prior};

/// A combed program of 16 strokes and 8 tools, of which the first is step 3.
fn combed(bench: &Bench) -> (std::path::PathBuf, Program) {
    let program = prior::combed_program(16, 0.5, 3).unwrap();
    (bench.write("combed.tbr.json", format::write(&program)), program)
}

/// What a command says, and prints.
#[track_caller]
fn said(args: &[&str]) -> (String, String) {
    let output = tbr(args).output().unwrap();
    let [said, printed] =
        [output.stderr, output.stdout].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(output.status.success(), "{said}");
    (said, printed)
}

#[test]
fn info_and_report_list_tools_in_words() {
    let bench = Bench::new();
    let (file, program) = combed(&bench);
    let (_, printed) = said(&["info", text(&file), "--width", "64"]);
    let (_, json) = said(&["info", text(&file), "--width", "64", "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let page = bench.path("page.html");
    said(&["report", text(&file), "-o", text(&page), "--width", "64"]);
    let page = std::fs::read_to_string(page).unwrap();
    assert_eq!(json["tools"].as_array().unwrap().len(), 8);
    for (k, pass) in program.tools().iter().enumerate() {
        let (step, words) = (pass.after + k + 1, pass.tool.to_string());
        assert!(printed.contains(&format!("step {step:<2}  {words}\n")), "{printed}");
        assert_eq!(json["tools"][k]["step"], step);
        assert_eq!(json["tools"][k]["tool"], words);
        assert!(page.contains(&words), "{words}");
    }
    assert!(page.contains("The first steps, as a share of all") && page.contains("24 steps"));
}

#[test]
fn steps_are_rendered_traced_and_filmed() {
    let bench = Bench::new();
    let (file, program) = combed(&bench);
    let picture = bench.path("a.png");
    let render = ["render", text(&file), "-o", text(&picture), "--width", "32", "--force"];
    assert!(said(&render).0.contains("32 x 16 pixels, 24 steps"));
    assert!(said(&[&render[..], &["--first", "3"]].concat()).0.contains("3 steps"));
    fails(&[&render[..], &["--first", "25"]].concat(), 2, &["has 24 steps, not 25"]);

    let last = program.strokes().last().unwrap().shape.anchor;
    let at = format!("{},{}", last.x, last.y);
    let forward = ["trace", text(&file), "--at", &at, "--forward", "--after"];
    // The last stroke is step 23; a tool is drawn through it.
    let (_, printed) = said(&[&forward[..], &["23"]].concat());
    let cells: Vec<&str> = printed.lines().nth(1).unwrap().split_whitespace().collect();
    assert!(printed.contains("  step  ") && cells[4] == "23", "{printed}");
    fails(&[&forward[..], &["25"]].concat(), 2, &["has 24 steps, not 25"]);

    let film = bench.path("film");
    let args = ["animate", text(&file), "-o", text(&film), "--frames", "5", "--width", "32"];
    assert!(said(&args).0.contains("5 frames of 32 x 16 pixels"));
    // The last frame is the program's picture.
    said(&render);
    let frame = std::fs::read(film.join("frame-00005.png")).unwrap();
    let decoded = |bytes: &[u8]| image::load_from_memory(bytes).unwrap().into_rgb8();
    assert_eq!(decoded(&frame), decoded(&std::fs::read(&picture).unwrap()));
}
