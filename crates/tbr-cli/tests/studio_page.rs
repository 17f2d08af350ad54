//! The studio's page in a real browser. The tests themselves are in `tests/page/`, for
//! Node.js and playwright-core, which drives Chromium.
//!
//! Where the browser is missing, one line says so and how to get it; with `TBR_BROWSER=required`
//! in the environment that is a failure.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

fn in_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// What is missing, if anything; else the browser.
fn browser(folder: &Path) -> Result<PathBuf, &'static str> {
    in_path("node").ok_or("Node.js")?;
    if !folder.join("node_modules/playwright-core").is_dir() {
        return Err("playwright-core");
    }
    BROWSERS.iter().find_map(|name| in_path(name)).ok_or("Chromium")
}

#[test]
fn the_page_works_in_a_browser() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page");
    let browser = match browser(&folder) {
        Ok(browser) => browser,
        Err(missing) => {
            let line = format!(
                "the studio's page is not tested: {missing} is missing; scripts/install-browser gets it, or says how\n"
            );
            // Not `eprintln!`, which nobody sees of a test that passes.
            std::io::stderr().write_all(line.as_bytes()).unwrap();
            assert_ne!(std::env::var("TBR_BROWSER").as_deref(), Ok("required"), "{line}");
            return;
        }
    };
    let output = Command::new("node")
        .args(["--test", "--test-concurrency=1", "--test-timeout=300000", "--test-reporter=spec"])
        .current_dir(&folder)
        .env("TBR", assert_cmd::cargo::cargo_bin("tbr"))
        .env("CHROMIUM", browser)
        .env_remove("TBR_WEIGHTS")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    // (A folder without tests would pass as well.)
    assert!(said.contains("pass ") && !said.contains("pass 0"), "{said}");
}
