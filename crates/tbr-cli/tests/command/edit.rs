//! `tbr edit` and `tbr prune`: what comes out, and what is said when something is wrong.

use crate::common::{Bench, fails, tbr, text};
use std::path::{Path, PathBuf};
use tbr::edit::{Choice, Selection};
use tbr::program::{Paint, Program, Stroke};
use tbr::stroke::Shape;
use tbr::tool::{Pass, ToolKind};
use tbr::{format, prior};

/// A program of 200 strokes in a file.
fn sheet(bench: &Bench) -> (PathBuf, Program) {
    let program = prior::program(200, 0.5, 3).unwrap();
    (bench.write("a.tbr.json", format::write(&program)), program)
}

/// Applies operations; gives the new program, and what was said.
#[track_caller]
fn edited(bench: &Bench, file: &Path, operations: &[&str]) -> (Program, String) {
    let out = bench.path("b.tbr.json");
    let args = [&["edit", text(file)], operations, &["-o", text(&out), "--force"]].concat();
    let output = tbr(&args).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    (format::parse(&std::fs::read(&out).unwrap()).unwrap(), said)
}

#[test]
fn no_operation_is_the_identity_and_an_insertion_can_be_undone() {
    let bench = Bench::new();
    let (file, _) = sheet(&bench);
    let bytes = std::fs::read(&file).unwrap();
    let (_, said) = edited(&bench, &file, &[]);
    assert_eq!(std::fs::read(bench.path("b.tbr.json")).unwrap(), bytes);
    assert!(said.contains("200 strokes, 0.0 % of the pixels changed"), "{said}");
    assert!(said.lines().last().unwrap().starts_with("next: tbr render"), "{said}");

    let bent = "insert 100 stroke 0.5,0.2 0.1,-0.05 0.03 bend -0.75 #1d3f73";
    let (longer, _) = edited(&bench, &file, &[bent]);
    let expected = Shape::line(tbr::vec2(0.5, 0.2), tbr::vec2(0.1, -0.05), 0.03).with_bend(-0.75);
    assert_eq!(longer.strokes()[99].shape, expected);
    edited(&bench, &file, &[bent, "delete where not bend 0"]);
    assert_eq!(std::fs::read(bench.path("b.tbr.json")).unwrap(), bytes);
    let insert = "insert 100 stroke 0.5,0.2 0.1,-0.05 0.03 #1d3f73";
    let (longer, said) = edited(&bench, &file, &[insert]);
    assert!(said.contains("201 strokes, were 200"), "{said}");
    assert!(matches!(longer.strokes()[99].paint, Paint::Own(_)));
    edited(&bench, &file, &[insert, "delete where 100"]);
    assert_eq!(std::fs::read(bench.path("b.tbr.json")).unwrap(), bytes);
    // In one file, and through a pipe.
    let output = tbr(&["edit", "-", "-o", "-"]).write_stdin(bytes.clone()).output().unwrap();
    assert!(output.status.success() && output.stdout == bytes && output.stderr.is_empty());
}

/// The three edits of the paper's figure change a part of the picture, not all of it.
#[test]
fn the_papers_edits() {
    let bench = Bench::new();
    let (file, _) = sheet(&bench);
    for operation in [
        "insert 100 drop 0.5,0.2 0.05 2",
        "recolour swap 2 5 where last 20%",
        "translate 0.08,0 where last 25%",
    ] {
        let (_, said) = edited(&bench, &file, &[operation]);
        let share: f64 = said
            .split_once("strokes, ")
            .and_then(|(_, rest)| rest.rsplit(", ").find_map(|part| part.split_once(" %")))
            .and_then(|(share, _)| share.parse().ok())
            .unwrap_or_else(|| panic!("{said}"));
        assert!((0.1..80.0).contains(&share), "{operation}: {said}");
    }
}

#[test]
fn operations_do_what_the_library_does() {
    let bench = Bench::new();
    let (file, program) = sheet(&bench);
    let chosen = |text: &str| text.parse::<Selection>().unwrap().choose(&program).unwrap();
    let all = Choice::all(&program);
    let middle = tbr::vec2(0.5, 0.25);
    use tbr::edit;
    let cases: [(&str, Program); 10] = [
        ("delete where invisible", edit::delete(&program, &chosen("invisible")).unwrap()),
        ("move end where 1..3", edit::move_to(&program, &chosen("1..3"), 198).unwrap()),
        ("move 1 where last 3", edit::move_to(&program, &chosen("last 3"), 1).unwrap()),
        ("duplicate where colour 1", edit::duplicate(&program, &chosen("colour 1")).unwrap()),
        ("reverse", edit::reverse(&program, &all).unwrap()),
        ("rotate 90", edit::rotate(&program, &all, 90.0, middle).unwrap()),
        ("scale 0.5 about 0.5,0.25", edit::scale(&program, &all, 0.5, middle).unwrap()),
        ("set bend -1.5 where last 20%", {
            let change = edit::Change::Bend(-1.5);
            edit::set(&program, &chosen("last 20%"), change).unwrap()
        }),
        ("set half-width 0.01 where 7", {
            let change = edit::Change::HalfWidth(0.01);
            edit::set(&program, &chosen("7"), change).unwrap()
        }),
        ("background #000000", edit::set_background(&program, [0.0; 3]).unwrap()),
    ];
    for (operation, expected) in cases {
        assert_eq!(edited(&bench, &file, &[operation]).0, expected, "{operation}");
    }
    let (cropped, said) = edited(&bench, &file, &["crop 0,0,0.5,0.25"]);
    assert_eq!(cropped.height(), 0.5);
    assert!(said.contains("200 strokes"));
    let (grown, said) = edited(&bench, &file, &["expand 0.5,0,0.5,0.5"]);
    assert_eq!(grown.height(), 0.5);
    assert!(said.contains("200 strokes"));
    assert_eq!(grown.strokes()[0].shape.half_width, program.strokes()[0].shape.half_width / 2.0);
    let both = format!("concat {}", text(&file));
    assert_eq!(edited(&bench, &file, &[&both]).0.strokes().len(), 400);
}

#[test]
fn palettes_come_from_files_programs_and_pictures() {
    let bench = Bench::new();
    let (file, program) = sheet(&bench);
    let hex: String = (0..8)
        .map(|k| format!("#{0}{0}{0}\n", ["00", "20", "40", "60", "80", "a0", "c0", "ff"][k]))
        .collect();
    let list = bench.write("greys.txt", hex);
    let (grey, _) = edited(&bench, &file, &[&format!("recolour palette {}", text(&list))]);
    assert_eq!((grey.palette()[0], grey.palette()[7]), ([0.0; 3], [1.0; 3]));
    assert_eq!(grey.strokes(), program.strokes());

    let picture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tulip.png");
    let (tulip, _) = edited(&bench, &file, &[&format!("recolour palette {picture}")]);
    assert!(tulip.palette().len() == 8 && tulip.palette() != program.palette());
    // Dark for dark: the order of lightness is kept.
    let light = |c: &[f64; 3]| 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
    for a in 0..8 {
        for b in 0..8 {
            if light(&program.palette()[a]) < light(&program.palette()[b]) {
                assert!(light(&tulip.palette()[a]) <= light(&tulip.palette()[b]));
            }
        }
    }
    // Strokes with colours of their own get the nearest; names may have spaces.
    let list = bench.write("my greys where.txt", std::fs::read(&list).unwrap());
    let recolour = format!("recolour palette {}", text(&list));
    let (own, _) = edited(&bench, &file, &["set colour #fefefe where 5", &recolour]);
    assert_eq!(own.strokes()[4].paint, Paint::Palette(7));
    assert_eq!(own.strokes()[5], program.strokes()[5]);
    let short = bench.write("short.txt", "#000000\n");
    let recolour = format!("recolour palette {}", text(&short));
    let out = bench.path("c.tbr.json");
    fails(&["edit", text(&file), &recolour, "-o", text(&out)], 2, &["operation 1", "8 colours"]);
}

#[test]
fn wrong_operations_are_named_and_nothing_is_written() {
    let bench = Bench::new();
    let (file, _) = sheet(&bench);
    let out = bench.path("b.tbr.json");
    let fails = |operation: &str, code: i32, parts: &[&str]| {
        let parts: Vec<&str> = ["operation 2"].iter().chain(parts).copied().collect();
        fails(&["edit", text(&file), "reverse", operation, "-o", text(&out)], code, &parts);
    };
    for (operation, part) in [
        ("", "is empty"),
        ("explode", "no operation \"explode\""),
        ("delete", "which strokes"),
        ("delete where", "the form is delete where S"),
        ("delete where 201", "no stroke 201"),
        ("insert 500 drop 0.5,0.5 0.1 0", "1 to 201"),
        ("insert 1 blob 0.5,0.5", "the form is insert"),
        ("insert 1 drop 0.5 0.1 0", "not a point"),
        ("translate 0.1", "not a point"),
        ("scale big", "\"big\" is no number"),
        ("set size 3", "the form is set"),
        ("set length -1", "from 0 on"),
        ("recolour swap 0 8", "no palette colour 8"),
        ("recolour swap 0 blue", "\"blue\""),
        ("crop 0,0,0,1", "is none"),
        ("crop 0,0,1", "four numbers"),
        ("reverse where last 300%", "300%"),
        ("reverse where 7.5", "whole numbers"),
        ("move 5", "which strokes"),
        ("expand 0.1,0.1", "the form is expand LEFT"),
        ("crop 0,0,1,1 where all", "takes no selection"),
    ] {
        fails(operation, 2, &[part]);
    }
    fails("insert 1 drop 0.5,0.5 0 0", 4, &["stroke 1", "half_width"]);
    fails("insert 1 drop 0.5,0.5 0.1 9", 4, &["stroke 1", "palette"]);
    fails("set colour 9", 4, &["palette"]);
    fails("scale 1e6", 4, &["stroke 1"]);
    fails("concat missing.tbr.json", 3, &["missing.tbr.json"]);
    assert_eq!(bench.files(), ["a.tbr.json"]);
    crate::common::fails(
        &["edit", text(&file), "-o", text(&bench.path("b.png"))],
        2,
        &["ends in .tbr.json"],
    );
    // What is there stays, unless told.
    crate::common::fails(
        &["edit", text(&file), "reverse", "-o", text(&file)],
        3,
        &["is there already"],
    );
}

/// A combed program of 30 strokes and 8 tools in a file.
fn combed(bench: &Bench) -> (PathBuf, Program) {
    let program = prior::combed_program(30, 0.5, 3).unwrap();
    (bench.write("combed.tbr.json", format::write(&program)), program)
}

#[test]
fn tools_are_inserted_in_words_and_set_by_field() {
    let bench = Bench::new();
    let (file, program) = sheet(&bench);
    let words = prior::combed_program(8, 0.5, 3).unwrap();
    for Pass { tool, .. } in words.tools() {
        let (longer, said) = edited(&bench, &file, &[&format!("insert 100 {tool}")]);
        assert!(said.contains("201 steps, were 200"), "{said}");
        assert_eq!(longer.tools(), [Pass { after: 99, tool: *tool }]);
        assert_eq!(longer.strokes(), program.strokes());
        let undone = [&format!("insert end {tool}"), "delete where tools"];
        assert_eq!(edited(&bench, &file, &undone).0, program);
    }
    let short = "insert end comb through 0.5,0.25 angle 90 pull 0.05 spacing 0.03";
    let (comb, _) = edited(&bench, &file, &[short, "set spacing 0.04 where tool comb"]);
    let tool = comb.tools()[0].tool;
    assert_eq!(tool.to_string(), {
        "comb through 0.5,0.25 angle 90 pull 0.05 reach 0.015 width 0 spacing 0.04"
    });

    let (file, program) = combed(&bench);
    let (set, _) = edited(&bench, &file, &["set pull 0.07", "set centre 0.1,0.2 where tool ring"]);
    for (old, new) in program.tools().iter().zip(set.tools()) {
        assert_eq!(new.tool.number("pull"), old.tool.number("pull").map(|_| 0.07));
    }
    let ring = set.tools().iter().find(|pass| pass.tool.kind() == ToolKind::Ring).unwrap();
    assert_eq!(ring.tool.numbers()[..2], [0.1, 0.2]);
    let (same, said) = edited(&bench, &file, &["set pull 0.07 where strokes"]);
    assert!(same == program && said.contains("no tool with a field \"pull\""), "{said}");
}

#[test]
fn numbers_are_those_of_steps() {
    let bench = Bench::new();
    let (file, program) = combed(&bench);
    let chosen = |text: &str| text.parse::<Selection>().unwrap().choose(&program).unwrap();
    use tbr::edit;
    let red: Paint = edit::parse_paint("#ff0000").unwrap();
    let drop =
        Stroke { shape: Shape::line(tbr::vec2(0.5, 0.2), tbr::vec2(0.0, 0.0), 0.03), paint: red };
    let cases: [(&str, Program); 6] = [
        ("insert end drop 0.5,0.2 0.03 #ff0000", edit::insert(&program, 39, drop).unwrap()),
        ("insert 6 drop 0.5,0.2 0.03 #ff0000", edit::insert(&program, 6, drop).unwrap()),
        ("move end where 1..4", edit::move_to(&program, &chosen("1..4"), 35).unwrap()),
        ("move 1 where tools", edit::move_to(&program, &chosen("tools"), 1).unwrap()),
        ("delete where invisible", edit::delete(&program, &chosen("invisible")).unwrap()),
        ("reverse", edit::reverse(&program, &Choice::all(&program)).unwrap()),
    ];
    for (operation, expected) in cases {
        assert_eq!(edited(&bench, &file, &[operation]).0, expected, "{operation}");
    }
    let both = format!("concat {}", text(&file));
    assert_eq!(edited(&bench, &file, &[&both]).0.step_count(), 76);
    let out = bench.path("c.tbr.json");
    for (operation, code, part) in [
        ("insert 40 swirl centre 0.5,0.5 radius 0.1 turn 9", 2, "from 1 to 39"),
        ("insert 1 swirl centre 0.5,0.5 radius 0.1", 2, "swirl: a swirl needs turn"),
        ("insert 1 swirl centre 0.5 radius 0.1 turn 9", 2, "centre is two numbers"),
        ("insert 1 swirl centre 0.5,0.5 radius 0 turn 9", 2, "radius is 0; must be from 0.0001"),
        ("insert 1 swirl centre 0.5,0.5 radius 0.1 turn", 2, "what is \"turn\"?"),
        ("insert 1 swirl centre 0.5,0.5 radius 0.1 turn 9 pull 1", 2, "a swirl has no pull"),
        ("insert 1 comb through 0.5,0.5 angle up pull 1 spacing 1", 2, "angle is \"up\""),
        ("insert one wave", 2, "wave: a wave needs through"),
        ("insert one wave through 0,0 angle 0 pull 0 wavelength 1", 2, "nor end"),
        ("set pull far", 2, "\"far\" is no number"),
        ("set pull 20", 4, "pull is 20; must be from -10 to 10"),
        ("set pull 0.1 where tools", 4, "a swirl has no pull"),
        ("set sway 0.1,0.2", 4, "sway is a number"),
        ("delete", 2, "which steps"),
        ("delete where 39", 2, "no step 39"),
        ("delete where tool broom", 2, "\"broom\" is no tool"),
        ("scale 1e6", 4, "step 4: through is"),
        ("scale 1e-4 where tool comb", 4, "must be from 0.0001"),
    ] {
        fails(&["edit", text(&file), operation, "-o", text(&out)], code, &["operation 1", part]);
    }
}

#[test]
fn pruning_keeps_the_error_or_the_count() {
    let bench = Bench::new();
    let (file, _) = sheet(&bench);
    let out = bench.path("b.tbr.json");
    let pruned = |more: &[&str]| {
        let args = [&["prune", text(&file)], more, &["-o", text(&out), "--force"]].concat();
        let output = tbr(&args).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{said}");
        (format::parse(&std::fs::read(&out).unwrap()).unwrap().strokes().len(), said)
    };
    assert_eq!(pruned(&["--strokes", "150"]).0, 150);
    let (left, said) = pruned(&[]);
    assert!((20..195).contains(&left), "{said}");
    let share: f64 = said.split_once("; ").unwrap().1.split(' ').next().unwrap().parse().unwrap();
    assert!(share <= 1.0 && said.contains("of the pixels changed"), "{said}");

    let picture = bench.path("a.png");
    let render = ["render", text(&file), "-o", text(&picture), "--width", "300"];
    assert!(tbr(&render).output().unwrap().status.success());
    let (left, said) = pruned(&[text(&picture), "--error", "20"]);
    assert!(left < 200 && said.contains("squared error"), "{said}");

    let wrong = |more: &[&str], code, parts: &[&str]| {
        let out = bench.path("c.tbr.json");
        fails(&[&["prune", text(&file), "-o", text(&out)], more].concat(), code, parts);
    };
    wrong(&["--strokes", "201"], 2, &["200 strokes, not 201"]);
    wrong(&["--error=-1"], 2, &["--error -1"]);
    wrong(&["missing.png"], 3, &["missing.png"]);
    let square = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tulip.png");
    wrong(&[square], 2, &["times as high as wide"]);
}
