//! `tbr render`.

use super::operator;
use crate::failure::Failure;
use crate::files::{self, DASH, Output};
use crate::picture::{Encoding, Kind, QUALITY, hex_colour};
use std::path::{Path, PathBuf};
use std::time::Instant;
use tbr::program::{Operator, Program};
use tbr::render::{Background, Options, Region, Replay, View};

#[derive(clap::Args)]
pub struct Args {
    /// The program, *.tbr.json; - for standard input
    program: PathBuf,
    /// The picture: *.png, *.jpg or *.webp; - for a PNG on standard output
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
    /// Lay only the first K strokes
    #[arg(long, value_name = "K")]
    first: Option<usize>,
    /// Part of the canvas, in canvas units (the canvas is 1 wide)
    #[arg(long, value_name = "X,Y,W,H", value_parser = region, allow_hyphen_values = true)]
    region: Option<Region>,
    /// Samples along each side of a pixel: 1 for hard edges, 3 or 4 for smooth ones
    #[arg(long, value_name = "N", default_value_t = Options::default().samples)]
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
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let kind = Kind::of(&args.output)?;
    let program = files::read_program(&args.program)?;
    let region = args.region.unwrap_or_else(|| Region::canvas(&program));
    let view = View::new(region, args.width, args.height)?;
    let options = Options {
        operator: args.operator,
        first: args.first,
        samples: args.samples,
        background: args.background.unwrap_or(Background::Program),
    };
    let replay = Replay::new(&program, view, &options)?;
    let encoding = Encoding {
        kind,
        depth: if args.depth == "16" { 16 } else { 8 },
        alpha: options.background == Background::Bare,
        dpi: args.dpi,
        quality: args.quality,
    };
    encoding.check(&replay)?;
    let mut output = Output::create(&args.output)?;
    let start = Instant::now();
    encoding.write(&replay, &mut output)?;
    output.finish()?;
    report(args, &program, &replay, start);
    Ok(())
}

fn report(args: &Args, program: &Program, replay: &Replay, start: Instant) {
    if args.output == Path::new(DASH) {
        return;
    }
    let strokes = args.first.unwrap_or(program.strokes.len());
    eprintln!(
        "{}: {} x {} pixels, {strokes} strokes, {:.2} s",
        args.output.display(),
        replay.width_px(),
        replay.height_px(),
        start.elapsed().as_secs_f64()
    );
    eprintln!("next: tbr info {}", args.program.display());
}

fn region(text: &str) -> Result<Region, String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[x, y, width, height]) => Ok(Region { x, y, width, height }),
        _ => Err("four numbers are needed, as in 0.25,0.25,0.5,0.5".into()),
    }
}

fn background(text: &str) -> Result<Background, String> {
    if text == "none" {
        return Ok(Background::Bare);
    }
    hex_colour(text)
        .map(Background::Colour)
        .ok_or_else(|| "must be none or a colour like #ede8d9".into())
}

fn dpi(text: &str) -> Result<f64, String> {
    let dpi = text.parse().ok().filter(|v| (1.0..=65535.0).contains(v));
    dpi.ok_or_else(|| "must be a number from 1 to 65535".into())
}
