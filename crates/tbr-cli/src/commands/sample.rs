//! `tbr sample`.

use std::path::{Path, PathBuf};
use std::time::Instant;
use tbr::Program;
use tbr::render::{MAX_SIDE_PX, Region, View};
use tbr::sample::{self, Pattern, SAMPLES};
use tbr_io::Failure;
use tbr_io::files::{self, DASH, Output};
use tbr_io::picture::Encoding;
use tbr_io::tell;
use tbr_io::words::shell;

/// Pixels a side if nothing else is asked for.
const SIDE_PX: u32 = 512;

#[derive(clap::Args)]
pub struct Args {
    /// The pattern; a list of them if left out
    name: Option<String>,
    /// The picture: *.png, *.jpg or *.webp; - for a PNG on standard output; or the recipe
    /// itself, a program: *.tbr.json
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Another seed gives another sheet
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Width in pixels; the height if not given, or 512
    #[arg(long, value_name = "PX", value_parser = side_px())]
    width: Option<u32>,
    /// Height in pixels; the width if not given. Both together are the shape of a recipe
    #[arg(long, value_name = "PX", value_parser = side_px())]
    height: Option<u32>,
    /// Replace the file if it is there already
    #[arg(long)]
    force: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let Some(name) = &args.name else { return list() };
    let pattern: Pattern = name.parse()?;
    let Some(path) = &args.output else {
        return Err(Failure::usage("a sheet needs a file to be drawn to")
            .hint(format!("tbr sample {name} -o {name}.png")));
    };
    let width_px = args.width.or(args.height).unwrap_or(SIDE_PX);
    let height_px = args.height.unwrap_or(width_px);
    let program = pattern.program(f64::from(height_px) / f64::from(width_px), args.seed)?;
    if path.extension().is_some_and(|ending| ending == "json") {
        return write_recipe(&program, path, args.force);
    }
    let view = View::new(Region::canvas(&program), Some(width_px), Some(height_px))?;
    write_picture(&program, view, path, args.force)
}

fn write_recipe(program: &Program, path: &Path, force: bool) -> Result<(), Failure> {
    files::write_program(program, path, force)?;
    tell!("{}: {} {}", path.display(), program.step_count(), program.step_word());
    let picture = shell(&path.with_extension("png"));
    tell!("next: tbr render {} -o {picture} --samples {SAMPLES}", shell(path));
    Ok(())
}

fn write_picture(program: &Program, view: View, path: &Path, force: bool) -> Result<(), Failure> {
    let encoding = Encoding::for_file(path)
        .map_err(|e| e.hint("name the output *.png, *.jpg, *.webp or *.tbr.json"))?;
    let replay = sample::picture(program, view)?;
    encoding.check(&replay)?;
    let mut output = Output::create_new(path, force)?;
    let start = Instant::now();
    encoding.write(&replay, &mut output)?;
    output.finish()?;
    if path != Path::new(DASH) {
        let (name, seconds) = (path.display(), start.elapsed().as_secs_f64());
        let View { width_px, height_px, .. } = view;
        let (count, steps) = (program.step_count(), program.step_word());
        tell!("{name}: {width_px} x {height_px} pixels, {count} {steps}, {seconds:.2} s");
        tell!("next: tbr fit {}", shell(path));
    }
    Ok(())
}

/// The patterns, a line each.
fn list() -> Result<(), Failure> {
    let line = |p: Pattern| format!("{:14} {}\n", p.name(), p.about());
    files::print(&Pattern::ALL.map(line).concat())?;
    tell!("next: tbr sample tulip -o tulip.png");
    Ok(())
}

/// For clap: pixels along a side.
fn side_px() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(MAX_SIDE_PX))
}
