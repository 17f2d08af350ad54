//! `tbr score`.

use std::path::{Path, PathBuf};
use tbr::info::Info;
use tbr::render::MAX_SIDE_PX;
use tbr::{Colour, Program};
use tbr_io::files::{self, DASH};
use tbr_io::picture::{MATTE, MOST_BYTES, Picture, check_aspect};
use tbr_io::progress::Progress;
use tbr_io::report::score::{Scored, check_pixels, check_program};
use tbr_io::table::aligned_rows;
use tbr_io::{Failure, WIDTH_PX, palette};
use tbr_lab::WeightsArgs;

#[derive(clap::Args)]
pub struct Args {
    /// What is scored: a program, *.tbr.json, or anybody's picture; - for
    /// standard input
    #[arg(value_name = "PROGRAM|PICTURE")]
    subject: PathBuf,
    /// The picture that it should look like; - for standard input
    target: PathBuf,
    /// Width in pixels at which they are compared, or native for the target's own; pictures of
    /// another size are resampled
    #[arg(long, value_name = "W|native", default_value_t = Width::Px(WIDTH_PX), value_parser = width)]
    width: Width,
    #[command(flatten)]
    network: WeightsArgs,
    /// What lies behind transparent parts of pictures [default: what lay there when the program
    /// was fitted, or white]
    #[arg(long, value_name = "COLOUR", value_parser = palette::colour)]
    matte: Option<Colour>,
    /// The scores as JSON; null for what cannot be had
    #[arg(long)]
    json: bool,
}

/// At what width pictures are compared.
#[derive(Clone, Copy, Debug)]
enum Width {
    Px(u32),
    Native,
}

impl std::fmt::Display for Width {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Px(width) => write!(f, "{width}"),
            Self::Native => write!(f, "native"),
        }
    }
}

/// What is scored.
enum Subject {
    Program(Program),
    Picture(Picture),
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let dash = Path::new(DASH);
    if args.subject == dash && args.target == dash {
        return Err(Failure::usage("both pictures cannot be standard input"));
    }
    let subject = Subject::read(&args.subject)?;
    let target = Picture::read(&args.target)?;
    let progress = Progress::turning("scoring");
    let scored = match &subject {
        Subject::Program(program) => score_program(program, &target, args)?,
        Subject::Picture(picture) => score_picture(picture, &target, args)?,
    };
    drop(progress);
    scored.print_notes();
    if args.json {
        return files::print_json(&scored.scores);
    }
    files::print(&aligned_rows(&scored.rows()))
}

impl Subject {
    /// A program if it is named or begins as one, else a picture.
    fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = files::read_bytes(path, MOST_BYTES)?;
        let first = bytes.iter().find(|b| !b.is_ascii_whitespace());
        if first == Some(&b'{') || path.extension().is_some_and(|e| e == "json") {
            return files::parse_program(&bytes, path).map(Self::Program);
        }
        Picture::decode(bytes, path).map(Self::Picture)
    }
}

fn score_program(program: &Program, target: &Picture, args: &Args) -> Result<Scored, Failure> {
    let width = if let Width::Px(width) = args.width { width } else { target.size().0 };
    check_program(program, width, target, &args.target)?;
    let info = Info::new(program, None, width)?;
    Scored::of_program(program, &info, target, args.matte, args.network.folder())
}

fn score_picture(picture: &Picture, target: &Picture, args: &Args) -> Result<Scored, Failure> {
    let (own_width, own_height) = target.size();
    let ratio = f64::from(own_height) / f64::from(own_width);
    check_aspect(picture.size(), ratio, "the target").map_err(|e| e.in_file(&args.subject))?;
    let size = match args.width {
        Width::Native => (own_width, own_height),
        Width::Px(width) => (width, (f64::from(width) * ratio).round().max(1.0) as u32),
    };
    check_pixels(size)?;
    let matte = args.matte.unwrap_or(MATTE);
    let (picture, target) = (picture.over_at(matte, size)?, target.over_at(matte, size)?);
    Scored::of_pixels(&picture, &target, args.network.folder())
}

/// For clap: a width.
fn width(text: &str) -> Result<Width, String> {
    if text == "native" {
        return Ok(Width::Native);
    }
    let pixels = text.parse().ok().filter(|px| (1..=MAX_SIDE_PX).contains(px));
    pixels
        .map(Width::Px)
        .ok_or_else(|| format!("must be a number of pixels, 1 to {MAX_SIDE_PX}, or native"))
}
