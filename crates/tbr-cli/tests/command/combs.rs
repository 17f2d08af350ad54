//! Combs undone, and fits of combed sheets.

use crate::common::{Bench, fails, said, text};
use std::path::{Path, PathBuf};
use tbr::Program;
use tbr::tool::ToolKind;

/// A sheet of a pattern, small, as a picture.
fn sheet(bench: &Bench, pattern: &str) -> PathBuf {
    let path = bench.path(&format!("{pattern}.png"));
    said(&["sample", pattern, "-o", text(&path), "--width", "320", "--seed", "7"]);
    path
}

fn program(path: &Path) -> Program {
    tbr::format::parse(&std::fs::read(path).unwrap()).unwrap()
}

/// The sheet of the recipe: a rake across, 0.12 apart, and a comb down, 0.032 apart.
#[test]
fn combs_are_found_told_and_undone() {
    let bench = Bench::new();
    let (picture, out) = (sheet(&bench, "nonpareil"), bench.path("stones.png"));
    let (words, _) = said(&["uncomb", text(&picture), "-o", text(&out)]);
    let tools: Vec<tbr::Tool> = words.lines().map(|line| line.parse().unwrap()).collect();
    let [.., comb] = tools[..] else { panic!("no comb: {words}") };
    assert_eq!(comb.kind(), ToolKind::Comb);
    assert!((comb.number("angle").unwrap().rem_euclid(180.0) - 90.0).abs() < 2.0, "{words}");
    assert!((comb.number("spacing").unwrap() / 0.032 - 1.0).abs() < 0.03, "{words}");
    assert!(out.exists());
    // Nothing is replaced, and what is known is undone without a search.
    fails(&["uncomb", text(&picture), "-o", text(&out)], 3, &["is there already"]);
    let file = bench.write("tools.txt", &words);
    let again = bench.path("again.png");
    said(&["uncomb", text(&picture), "-o", text(&again), "--tools", text(&file)]);
    assert_eq!(std::fs::read(&again).unwrap(), std::fs::read(&out).unwrap());
}

#[test]
fn what_was_not_combed_stays_as_it_is() {
    let bench = Bench::new();
    let (picture, out) = (sheet(&bench, "battal"), bench.path("same.png"));
    let (words, talk) = said(&["uncomb", text(&picture), "-o", text(&out)]);
    assert!(words.is_empty() && talk.contains("no comb was found"), "{words:?} {talk:?}");
    let fitted = bench.path("a.tbr.json");
    let fit = ["fit", text(&picture), "-o", text(&fitted), "--strokes", "30", "--size", "128"];
    let (_, talk) = said(&[&fit[..], &["--steps", "2", "--comb", "auto"]].concat());
    assert!(talk.contains("no comb helps"), "{talk:?}");
    assert!(program(&fitted).tools().is_empty());
}

#[test]
fn a_fit_has_its_tools_last() {
    let bench = Bench::new();
    let picture = sheet(&bench, "gel-git");
    let words = "rake through 0.4,0.5 angle 0 pull 0.16 spacing 0.1 reach 0.05 width 0.002\n";
    let tools = bench.write("tools.txt", words);
    let out = bench.path("a.tbr.json");
    let fit = ["fit", text(&picture), "-o", text(&out), "--strokes", "40", "--size", "128"];
    let with = |more: &[&str]| {
        said(&[&fit[..], &["--steps", "4", "--force", "--tools", text(&tools)], more].concat());
        let program = program(&out);
        assert_eq!(program.strokes().len(), 40);
        let [pass] = program.tools() else { panic!("{:?}", program.tools()) };
        assert_eq!(pass.after, 40);
        pass.tool
    };
    let given: tbr::Tool = words.trim().parse().unwrap();
    assert_eq!(with(&["--hold-tools"]), given);
    let moved = with(&[]);
    assert!(moved != given && moved.kind() == given.kind(), "{moved}");
    // A program's own tools are as good as a list of them, and go on being fitted.
    let from = bench.path("b.tbr.json");
    let again = ["fit", text(&picture), "-o", text(&from), "--tools", text(&out)];
    said(&[&again[..], &["--strokes", "40", "--size", "128", "--steps", "1"]].concat());
    assert_eq!(program(&from).tools().len(), 1);
}

#[test]
fn tools_that_cannot_be_are_refused() {
    let bench = Bench::new();
    let picture = sheet(&bench, "battal");
    let tools = bench.write("tools.txt", "comb through 0.5,0.5 angle 0 pull 0.1 spacing 0\n");
    let empty = bench.write("empty.txt", "# nothing\n");
    let out = bench.path("a.tbr.json");
    let fit = ["fit", text(&picture), "-o", text(&out)];
    let with = |more: &[&str], says: &[&str], code: i32| {
        fails(&[&fit[..], more].concat(), code, says);
        assert!(!out.exists());
    };
    with(&["--tools", text(&tools)], &["line 1", "spacing is 0; must be from"], 3);
    with(&["--tools", text(&empty)], &["has no tools"], 3);
    with(&["--comb", "auto", "--preset", "paper"], &["paper's solver knows no tools"], 2);
    with(&["--hold-tools"], &["--hold-tools needs tools"], 2);
    with(&["--comb", "auto", "--tools", text(&tools)], &["cannot be used with"], 2);
}
