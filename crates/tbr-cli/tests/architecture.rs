//! What ARCHITECTURE.md says of who uses whom is true, what docs/recipes.md tells,
//! and what SECURITY.md rests on is there.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use tbr::sample::Pattern;
use tbr::tool::Tool;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The block of text after a heading of ARCHITECTURE.md.
fn block(heading: &str) -> Vec<String> {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, after) = page.split_once(&format!("\n## {heading}")).unwrap();
    let (_, text) = after.split_once("```text\n").unwrap();
    text.split("```").next().unwrap().lines().map(str::to_owned).collect()
}

/// The crates of the workspace that a crate's manifest names, tests and builds included.
fn uses(folder: &str) -> BTreeSet<String> {
    let manifest =
        fs::read_to_string(root().join("crates").join(folder).join("Cargo.toml")).unwrap();
    let is_ours = |name: &&str| *name == "tbr" || name.starts_with("tbr-");
    let name = |line: &str| line.split(['.', ' ', '=']).next().unwrap_or_default().to_owned();
    manifest.lines().map(name).filter(|name| is_ours(&name.as_str())).collect()
}

#[test]
fn crates_use_only_those_that_the_page_names() {
    let mut drawn = BTreeMap::new();
    for line in block("Crates") {
        let (name, used) = line.split_once(" uses ").unwrap();
        let used = used.split_whitespace().filter(|used| *used != "nothing");
        drawn.insert(name.trim().to_owned(), used.map(str::to_owned).collect::<BTreeSet<_>>());
    }
    let mut real = BTreeMap::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().file_name().into_string().unwrap();
        real.insert(folder.clone(), uses(&folder));
    }
    assert_eq!(drawn, real, "left: ARCHITECTURE.md, right: the manifests");
}

/// All Rust files below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The library's own code in a file: without tests, comments and documentation.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn modules_use_only_those_above_them() {
    let order = block("Modules");
    let src = root().join("crates/tbr/src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut seen = BTreeSet::new();
    for path in files.iter().filter(|path| !path.to_string_lossy().contains("tests")) {
        let below = path.strip_prefix(&src).unwrap();
        let first = below.components().next().unwrap().as_os_str().to_string_lossy();
        let module = first.trim_end_matches(".rs").to_owned();
        if module == "lib" {
            continue;
        }
        let place = order.iter().position(|name| *name == module);
        let place = place.unwrap_or_else(|| panic!("ARCHITECTURE.md does not list {module}"));
        for part in code(path).split("crate::").skip(1) {
            let used: String =
                part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if let Some(other) = order.iter().position(|name| *name == used) {
                let shown = below.display();
                assert!(other <= place, "{shown} uses {used}, which stands below {module}");
            }
        }
        seen.insert(module);
    }
    assert_eq!(seen, order.into_iter().collect(), "left: the library, right: ARCHITECTURE.md");
}

/// Names of the files in a folder, without their endings.
fn stems(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let stem = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    entries.map(|entry| stem(entry.unwrap().path())).collect()
}

/// The doors that mutants attack, libFuzzer's targets, and the script that runs them are the same;
/// CI attacks them, and checks what we stand on.
#[test]
fn every_way_in_is_attacked_by_all_means() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let table = read("crates/tbr-io/tests/mutants/main.rs");
    let names = table.split("name: \"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let doors: BTreeSet<String> = names.map(str::to_owned).collect();
    assert_eq!(doors, stems("fuzz/fuzz_targets"));
    let script = read("scripts/fuzz");
    let (_, all) = script.split_once("\nall=\"").unwrap();
    let all: BTreeSet<String> =
        all.split('"').next().unwrap().split(' ').map(str::to_owned).collect();
    assert_eq!(doors, all);
    for door in ["program", "stroke_list", "edit", "selection", "checkpoint", "picture"] {
        assert!(doors.contains(door), "{door}");
    }
    let ci = read(".ci/run");
    assert!(ci.contains("--test mutants") && ci.contains("scripts/check-dependencies"), "{ci}");
}

/// Every file that SECURITY.md names as the keeper of a promise is there.
#[test]
fn what_the_promises_rest_on_is_there() {
    let page = fs::read_to_string(root().join("SECURITY.md")).unwrap();
    let tests = stems("crates/tbr-cli/tests/command");
    let mut found = 0;
    for name in page.split('`').skip(1).step_by(2) {
        let is_there = match name.strip_suffix(".rs") {
            Some(stem) if name.starts_with("crates/") => root().join(format!("{stem}.rs")).exists(),
            Some(stem) => {
                let stem = stem.rsplit('/').next().unwrap();
                tests.iter().any(|test| {
                    stem.strip_suffix('*').map_or(test == stem, |start| test.starts_with(start))
                })
            }
            None if name.starts_with("scripts/") || name.starts_with("crates/") => {
                root().join(name).exists()
            }
            None => continue,
        };
        assert!(is_there, "{name}");
        found += 1;
    }
    assert!(found > 10, "{found}");
}

/// A tool, wherever it is drawn.
fn anywhere(tool: Tool) -> Tool {
    tool.with("through", &[0.0, 0.0]).unwrap()
}

/// The steps in words on the page of recipes are those of the recipes.
#[test]
fn recipes_are_made_as_their_page_tells() {
    let page = fs::read_to_string(root().join("docs/recipes.md")).unwrap();
    for pattern in Pattern::ALL {
        let (_, after) = page.split_once(&format!("\n### {pattern}\n")).unwrap();
        let section = after.split("\n##").next().unwrap();
        let words = section.split_once("```text\n").map_or("", |(_, text)| text);
        let words = words.split("```").next().unwrap();
        let told: Vec<Tool> =
            words.lines().map(|line| format!("{line} through 0,0").parse().unwrap()).collect();
        let program = pattern.program(1.0, 1).unwrap();
        let tools = program.tools().iter().map(|pass| pass.tool);
        let is_placed = |tool: &Tool| tool.kind().fields().iter().any(|f| f.name == "through");
        let real: Vec<Tool> = tools.filter(is_placed).map(anywhere).collect();
        assert_eq!(told, real, "{pattern}: left: docs/recipes.md, right: the recipe");
    }
}
