//! The library in ten lines: load, render, differentiate, fit, edit, save.
//!
//! ```text
//! cargo run --release -p tbr-marbling --example tour
//! ```
#![expect(clippy::print_stdout, reason = "an example that shows something")]

use tbr::edit::{Selection, rotate};
use tbr::{Fit, Target, fit, format, vec2};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs/garden.tbr.json");
    let garden = format::parse(&std::fs::read(path)?)?;
    let picture = tbr::render(&garden, 96)?;
    let outcome = tbr::gradient(&garden, &picture, 0.35)?;
    println!(
        "relaxed loss {:.6}, first anchor {:?}",
        outcome.loss, outcome.gradient.shapes[0].anchor
    );

    let options = fit::Options { strokes: 100, ..fit::Options::fast() };
    let mut fit = Fit::new(Target::new(picture, None)?, options)?;
    while !fit.is_done() {
        let report = fit.step()?; // the caller owns the loop: show, stop, keep a checkpoint
        println!("step {} of {}: floor ratio {:.2}", report.step, report.steps, report.floor_ratio);
    }

    let last: Selection = "last 20%".parse()?;
    let fitted = fit.program()?;
    let turned = rotate(&fitted, &last.choose(&fitted)?, 30.0, vec2(0.5, 0.5))?;
    std::fs::write(std::env::temp_dir().join("turned.tbr.json"), format::write(&turned))?;
    Ok(())
}
