//! `tbr render`.

use super::operator;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tbr::colour::from_hex;
use tbr::outline::svg::{self, Svg};
use tbr::program::Program;
use tbr::render::{Background, Region, Replay, ReplayOptions, View};
use tbr::stroke::Operator;
use tbr_io::Failure;
use tbr_io::files::{self, DASH, Output};
use tbr_io::picture::{Encoding, PictureKind, QUALITY};
use tbr_io::progress::Progress;
use tbr_io::tell;
use tbr_io::words::shell;

#[derive(clap::Args)]
pub struct Args {
    /// The program, *.tbr.json; - for standard input
    program: PathBuf,
    /// The picture: *.png, *.jpg, *.webp, or *.svg for outlines; - for a PNG on standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Width in pixels; 1024 if no side is given
    #[arg(long, value_name = "PX")]
    width: Option<u32>,
    /// Height in pixels; follows from the width if not given
    #[arg(long, value_name = "PX")]
    height: Option<u32>,
    /// Replay with another operator: capsule, calibrated, drops, inert or line-source
    #[arg(long, value_parser = operator)]
    operator: Option<Operator>,
    /// Do only the first K steps: strokes, and tools if there are any
    #[arg(long, value_name = "K")]
    first: Option<usize>,
    /// Part of the canvas, in canvas units (the canvas is 1 wide)
    #[arg(long, value_name = "X,Y,W,H", value_parser = region, allow_hyphen_values = true)]
    region: Option<Region>,
    /// Samples along each side of a pixel: 1 for hard edges, 3 or 4 for smooth ones
    #[arg(long, value_name = "N", default_value_t = ReplayOptions::default().samples)]
    samples: u32,
    /// What shows where there is no paint: none (transparent), or a colour like #ede8d9
    #[arg(long, value_name = "COLOUR", value_parser = background)]
    background: Option<Background>,
    /// Bits per channel: 8, or 16 for PNG
    #[arg(long, value_name = "BITS", default_value = "8", value_parser = ["8", "16"])]
    depth: String,
    /// Pixels per inch, noted in the file
    #[arg(long, value_parser = dpi, allow_negative_numbers = true)]
    dpi: Option<f64>,
    /// JPEG quality
    #[arg(long, value_name = "1-100", default_value_t = QUALITY, value_parser = clap::value_parser!(u8).range(1..=100))]
    quality: u8,
    /// SVG: ask viewers for hard edges
    #[arg(long)]
    crisp: bool,
    /// Replace the picture if it is there already
    #[arg(long)]
    force: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let is_svg = args.output.extension().is_some_and(|e| e.eq_ignore_ascii_case("svg"));
    let kind = if is_svg { None } else { Some(kind_of(&args.output)?) };
    files::check_new(&args.output, args.force)?;
    let program = files::read_program(&args.program)?;
    let region = args.region.unwrap_or_else(|| Region::canvas(&program));
    let view = View::new(region, args.width, args.height)?;
    match kind {
        None => write_svg(args, &program, view),
        Some(kind) => write_pixels(args, kind, &program, view),
    }
}

/// The kind of picture that a name says.
fn kind_of(path: &Path) -> Result<PictureKind, Failure> {
    PictureKind::of(path).map_err(|e| e.hint("name the output *.png, *.jpg, *.webp or *.svg"))
}

fn write_pixels(
    args: &Args,
    kind: PictureKind,
    program: &Program,
    view: View,
) -> Result<(), Failure> {
    if args.crisp {
        return Err(Failure::usage("--crisp is for SVG").hint("--samples 1 gives hard edges"));
    }
    let options = ReplayOptions {
        operator: args.operator,
        first: args.first,
        samples: args.samples,
        background: args.background.unwrap_or(Background::Program),
        ..ReplayOptions::default()
    };
    let replay = Replay::new(program, view, &options)?;
    let encoding = Encoding {
        kind,
        depth: if args.depth == "16" { 16 } else { 8 },
        alpha: options.background == Background::Bare,
        dpi: args.dpi,
        quality: args.quality,
    };
    encoding.check(&replay)?;
    let mut output = Output::create_new(&args.output, args.force)?;
    let start = Instant::now();
    encoding.write(&replay, &mut output)?;
    output.finish()?;
    let (steps, what) = (args.first.unwrap_or(program.step_count()), program.step_word());
    report(args, start, &format!("{} x {} pixels, {steps} {what}", view.width_px, view.height_px));
    Ok(())
}

fn write_svg(args: &Args, program: &Program, view: View) -> Result<(), Failure> {
    for (option, given) in [("--samples", args.samples != 1), ("--depth", args.depth != "8")] {
        if given {
            let message = format!("{option} is for pixels: an SVG has none");
            return Err(Failure::usage(message).hint(format!("leave out {option}, or write a PNG")));
        }
    }
    let options = svg::SvgOptions {
        operator: args.operator,
        first: args.first,
        background: args.background.unwrap_or(Background::Program),
        dpi: args.dpi,
        crisp: args.crisp,
    };
    let svg = Svg::new(program, view, &options)?;
    let mut output = Output::create_new(&args.output, args.force)?;
    let start = Instant::now();
    let progress = Progress::of(svg.strokes(), "strokes");
    let mut paths = 0;
    for chunk in svg.chunks() {
        let chunk = chunk?;
        output.write_all(chunk.text.as_bytes()).map_err(|e| output.failure(e))?;
        paths += chunk.paths;
        progress.set(chunk.strokes);
    }
    drop(progress);
    output.finish()?;
    let megabytes = std::fs::metadata(&args.output).map_or(0.0, |m| m.len() as f64 / 1e6);
    report(args, start, &format!("{paths} paths, {megabytes:.1} MB"));
    Ok(())
}

fn report(args: &Args, start: Instant, what: &str) {
    if args.output != Path::new(DASH) {
        let seconds = start.elapsed().as_secs_f64();
        tell!("{}: {what}, {seconds:.2} s", args.output.display());
        tell!("next: tbr info {}", shell(&args.program));
    }
}

/// For clap: part of the canvas.
pub fn region(text: &str) -> Result<Region, String> {
    text.parse().map_err(|e: tbr::Error| e.to_string())
}

/// For clap: what shows where there is no paint.
pub fn background(text: &str) -> Result<Background, String> {
    if text == "none" {
        return Ok(Background::Bare);
    }
    from_hex(text)
        .map(Background::Colour)
        .ok_or_else(|| "must be none or a colour like #ede8d9".into())
}

fn dpi(text: &str) -> Result<f64, String> {
    let [least, most] = svg::DPI;
    let dpi = text.parse().ok().filter(|v| (least..=most).contains(v));
    dpi.ok_or_else(|| format!("must be a number from {least} to {most}"))
}
