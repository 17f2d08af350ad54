//! What ARCHITECTURE.md says of who uses whom is true.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

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
