//! `tbr export` and `tbr import`: there and back, what is said, and what is refused.

use crate::common::{Bench, DROP, LINE, fails, program, said, tbr, text};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A program of a drop and a line in a file.
fn small(bench: &Bench) -> PathBuf {
    bench.write("p.tbr.json", program(&format!("{DROP}, {LINE}")))
}

/// A program file's fields, but for how it was made.
fn fields(path: &Path) -> Value {
    let mut file: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    file.as_object_mut().unwrap().remove("provenance");
    file
}

/// A program's text in our writer's layout: what comes back has the same digits.
#[test]
fn a_program_goes_there_and_back() {
    let bench = Bench::new();
    let file = small(&bench);
    let garden = concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs/garden.tbr.json");
    for source in [file, PathBuf::from(garden)] {
        let (list, again) = (bench.path("l.csv"), bench.path("again.tbr.json"));
        let (out, talk) = said(&["export", text(&source), "-o", text(&list), "--force"]);
        assert!(out.is_empty());
        let next = talk.lines().last().unwrap();
        assert!(next.starts_with("next: tbr import ") && next.contains(text(&list)), "{talk}");
        let (out, talk) = said(&["import", text(&list), "-o", text(&again), "--force"]);
        assert!(out.is_empty());
        assert!(talk.lines().last().unwrap().starts_with("next: tbr render "), "{talk}");
        assert_eq!(fields(&again), fields(&source));
        let made: Value = serde_json::from_slice(&fs::read(&again).unwrap()).unwrap();
        assert_eq!(made["provenance"]["made_by"], "tbr import");
        assert_eq!(made["provenance"]["list"], "l.csv");
    }
}

#[test]
fn lists_go_through_pipes() {
    let bench = Bench::new();
    let file = small(&bench);
    let (list, talk) = said(&["export", text(&file), "-o", "-", "--sheet", "400"]);
    assert!(talk.is_empty(), "{talk}");
    assert!(list.starts_with("# tbr-strokes 1\n# unit: mm\n# sheet: 400 x 200 mm\n"), "{list}");
    let output = tbr(&["import", "-", "-o", "-"]).write_stdin(list).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let expected = fields(&file);
    for (found, expected) in [
        (&found["canvas"]["height"], &expected["canvas"]["height"]),
        (&found["strokes"][0]["anchor"][1], &expected["strokes"][0]["anchor"][1]),
        (&found["strokes"][1]["half_width"], &expected["strokes"][1]["half_width"]),
    ] {
        let (found, expected) = (found.as_f64().unwrap(), expected.as_f64().unwrap());
        assert!((found - expected).abs() <= 1e-12 * expected, "{found} is not {expected}");
    }
    fails(&["import", "-", "-o", "-"], 4, &["standard input", "canvas height"]);
}

/// The paint of a list is that of `tbr info`.
#[test]
fn the_paint_agrees_with_info() {
    let bench = Bench::new();
    let file = small(&bench);
    let list = bench.path("l.json");
    let args = ["export", text(&file), "-o", text(&list), "--sheet", "400", "--thickness", "50"];
    let (_, talk) = said(&args);
    let found: Value = serde_json::from_slice(&fs::read(&list).unwrap()).unwrap();
    let info = tbr(&["info", text(&file), "--width", "64", "--json"]).output().unwrap();
    let info: Value = serde_json::from_slice(&info.stdout).unwrap();
    assert_eq!(found["total"]["canvases"], info["deposited_area"]);
    assert_eq!(found["total"]["strokes"], info["strokes"]);
    // A canvas is 400 x 200 mm, 800 cm^2: with 50 um of paint on it, 4 ml.
    let canvases = info["deposited_area"].as_f64().unwrap();
    for (key, per_canvas) in [("area", 80_000.0), ("cm2", 800.0), ("ml", 4.0)] {
        let (found, expected) = (found["total"][key].as_f64().unwrap(), per_canvas * canvases);
        assert!((found - expected).abs() <= 1e-12 * expected, "{key}: {found} not {expected}");
    }
    for part in ["2 strokes", "canvases of paint", "cm^2", "ml", "left 0.0 mm", "next: tbr "] {
        assert!(talk.contains(part), "{part}: {talk}");
    }
}

#[test]
fn the_line_source_says_that_it_has_no_margins() {
    let bench = Bench::new();
    let (file, list) = (small(&bench), bench.path("l.csv"));
    let args = ["export", text(&file), "-o", text(&list), "--operator", "line-source"];
    let (_, talk) = said(&args);
    assert!(talk.contains("the line source has no outlines"), "{talk}");
    let written = fs::read_to_string(&list).unwrap();
    assert!(written.contains("# operator: line-source\n"), "{written}");
}

/// A list from a spreadsheet, with what it does not say given besides.
#[test]
fn a_spreadsheet_becomes_a_program() {
    let bench = Bench::new();
    let list = bench.write(
        "s.csv",
        "\u{feff}Color,X,Y,DX,DY,Half width\r\n#ff0000,50,25,0,0,10\r\n#0000FF,10,10,80,0,2\r\n",
    );
    let output = bench.path("s.tbr.json");
    let args = ["import", text(&list), "-o", text(&output)];
    let given =
        ["--sheet", "100", "--height", "0.5", "--background", "#ede8d9", "--operator", "inert"];
    said(&[&args[..], &given].concat());
    let found = fields(&output);
    assert_eq!((&found["operator"], &found["canvas"]["height"]), (&"inert".into(), &0.5.into()));
    assert_eq!(found["strokes"][0]["anchor"], serde_json::json!([0.5, 0.25]));
    assert_eq!(found["strokes"][1]["colour"], serde_json::json!([0, 0, 1]));
    said(&["info", text(&output), "--width", "64"]);
}

#[test]
fn bad_lists_are_refused_by_line() {
    let bench = Bench::new();
    let output = bench.path("o.tbr.json");
    let refused = |list: &str, code: i32, parts: &[&str]| {
        let path = bench.write("l.csv", list);
        let args = ["import", text(&path), "-o", text(&output), "--height", "1"];
        fails(&args, code, &[&["l.csv"], parts].concat());
    };
    let names = "x,y,dx,dy,half_width,hex";
    refused("", 4, &["empty"]);
    refused("x,y,half_width\n", 4, &["line 1", "dx, dy"]);
    refused(&format!("{names}\n0,0,0,0,NaN,#ffffff\n"), 4, &["line 2", "half_width", "NaN"]);
    refused(&format!("{names}\r\n\r\n0,0,1e400,0,1,#ffffff\r\n"), 4, &["line 3", "dx", "1e400"]);
    refused(&format!("{names}\n0,,0,0,1,#ffffff\n"), 4, &["line 2", "column y", "empty"]);
    refused(&format!("{names}\n0,0,0,0,1,red\n"), 4, &["line 2", "hex", "red"]);
    refused(&format!("{names}\n0,0,0,0,0,#ffffff\n"), 4, &["line 2", "half_width", "1e-9"]);
    refused(&format!("# tbr-strokes 9\n{names}\n"), 4, &["line 1", "version"]);
    refused(&format!("# canvas: 1 x 2\n{names}\n"), 2, &["canvas height", "2"]);
    let mut long = format!("{names}\n");
    long += &"0,0,0,0,1,#fff000\n".repeat(1_000_001);
    refused(&long, 5, &["too many steps", "1000000"]);
    let path = bench.write("l.csv", [b'x', 0xff, 0xfe]);
    fails(&["import", text(&path), "-o", text(&output)], 3, &["l.csv", "UTF-8"]);
    fails(&["import", "nothing.csv", "-o", text(&output)], 3, &["nothing.csv"]);
    assert_eq!(bench.files(), ["l.csv"], "nothing is written");
}

#[test]
fn files_that_are_there_stay() {
    let bench = Bench::new();
    let file = small(&bench);
    let list = bench.write("l.csv", "mine");
    let export = ["export", text(&file), "-o", text(&list)];
    fails(&export, 3, &["l.csv", "is there already"]);
    assert_eq!(fs::read_to_string(&list).unwrap(), "mine");
    said(&[&export[..], &["--force"]].concat());
    let before = fs::read(&file).unwrap();
    let import = ["import", text(&list), "-o", text(&file)];
    fails(&import, 3, &["p.tbr.json", "is there already"]);
    assert_eq!(fs::read(&file).unwrap(), before);
    said(&[&import[..], &["--force"]].concat());
    assert_ne!(fs::read(&file).unwrap(), before);
}

#[test]
fn requests_that_cannot_be_met() {
    let bench = Bench::new();
    let file = small(&bench);
    let export = |name: &str, args: &[&str], code: i32, parts: &[&str]| {
        let output = bench.path(name);
        fails(&[&["export", text(&file), "-o", text(&output)], args].concat(), code, parts);
    };
    for name in ["l.xlsx", "l", "l.csv.gz"] {
        export(name, &[], 2, &[name, "not a kind of list"]);
    }
    export("l.tbr.json", &[], 2, &["l.tbr.json", "name of a program"]);
    export("no/such/l.csv", &[], 3, &["l.csv"]);
    for width in ["0", "-3", "nan", "inf"] {
        export("l.csv", &["--sheet", width], 2, &["sheet", "from 1 to 100000"]);
    }
    export("l.csv", &["--sheet", "300", "--thickness", "0"], 2, &["film", "from 0.001"]);
    export("l.csv", &["--thickness", "20"], 2, &["thickness needs a sheet"]);
    export("l.csv", &["--operator", "comb"], 2, &["comb"]);
    let broken = bench.write("b.tbr.json", "strokes");
    let output = bench.path("l.csv");
    fails(&["export", text(&broken), "-o", text(&output)], 4, &["b.tbr.json"]);
    let list = bench.write("l.csv", "x,y,dx,dy,half_width,hex\n");
    let output = bench.path("o.png");
    fails(&["import", text(&list), "-o", text(&output)], 2, &["o.png", ".tbr.json"]);
    let output = bench.path("o.tbr.json");
    let import = ["import", text(&list), "-o", text(&output)];
    fails(&import, 4, &["l.csv", "canvas height"]);
    fails(&[&import[..], &["--height", "0"]].concat(), 4, &["canvas height", "0.001"]);
    fails(&[&import[..], &["--background", "red"]].concat(), 2, &["#ede8d9"]);
    let mut files = bench.files();
    files.sort();
    assert_eq!(files, ["b.tbr.json", "l.csv", "p.tbr.json"], "nothing is written");
}
