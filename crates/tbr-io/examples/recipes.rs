//! Draws the contact sheet of all recipes of `tbr sample`, `docs/recipes.png`.
//!
//! ```sh
//! cargo run --release -p tbr-marbling-io --example recipes -- docs/recipes.png
//! ```

use std::path::PathBuf;
use tbr::Image;
use tbr::render::View;
use tbr::sample::{self, Pattern};
use tbr_io::Failure;
use tbr_io::picture::png_bytes;

/// Pixels along a side of a sheet, and between two.
const SIDE_PX: u32 = 172;
const GAP_PX: u32 = 4;
/// Sheets in a row.
const COLUMNS: u32 = 5;
/// The seed of each sheet, chosen for colours that go with its neighbours'.
const SEEDS: [u64; 10] = [1, 2, 1, 10, 3, 4, 1, 3, 10, 9];
const WHITE: [f64; 3] = [1.0; 3];

fn main() -> Result<(), Failure> {
    let path = std::env::args_os().nth(1).map(PathBuf::from);
    let path = path.ok_or_else(|| Failure::usage("which file is to be written?"))?;
    let rows = (Pattern::ALL.len() as u32).div_ceil(COLUMNS);
    let step = SIDE_PX + GAP_PX;
    let (width, height) = (COLUMNS * step - GAP_PX, rows * step - GAP_PX);
    let mut colours = vec![WHITE; (width * height) as usize];
    for ((k, pattern), seed) in (0..).zip(Pattern::ALL).zip(SEEDS) {
        let (left, top) = (k % COLUMNS * step, k / COLUMNS * step);
        let program = pattern.program(1.0, seed)?;
        let replay = sample::picture(&program, View::of_canvas(&program, SIDE_PX)?)?;
        for (i, [r, g, b, _]) in (0..).zip(replay.pixels(0..replay.strips())) {
            let place = (top + i / SIDE_PX) * width + left + i % SIDE_PX;
            colours[place as usize] = [r, g, b].map(f64::from);
        }
    }
    let bytes = png_bytes(&Image::new((width, height), colours)?)?;
    std::fs::write(&path, bytes).map_err(|e| Failure::file(&path, e))
}
