//! `tbr score`.

use std::path::{Path, PathBuf};
use tbr::info::Info;
use tbr::render::MAX_SIDE_PX;
use tbr::{Colour, Program};
use tbr_io::files::{self, DASH};
use tbr_io::picture::{self, MATTE, MOST_BYTES, Picture, check_aspect};
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
    /// A picture that is not decoded yet; its bytes, if it came through a pipe.
    Picture(Option<Vec<u8>>),
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let dash = Path::new(DASH);
    if args.subject == dash && args.target == dash {
        return Err(Failure::usage("both pictures cannot be standard input"));
    }
    let progress = Progress::turning("scoring");
    let scored = match Subject::read(&args.subject)? {
        Subject::Program(program) => score_program(&program, args)?,
        Subject::Picture(bytes) => score_picture(bytes, args)?,
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
        let start = picture::start_of(path)?;
        if start.is_empty() {
            let bytes = files::read_bytes(path, MOST_BYTES)?;
            return match begins_program(&bytes, path) {
                true => files::parse_program(&bytes, path).map(Self::Program),
                false => Ok(Self::Picture(Some(bytes))),
            };
        }
        match begins_program(&start, path) {
            true => files::read_program(path).map(Self::Program),
            false => Ok(Self::Picture(None)),
        }
    }
}

/// Is a file named like a program, or does it begin as one?
fn begins_program(start: &[u8], path: &Path) -> bool {
    let first = start.iter().find(|b| !b.is_ascii_whitespace());
    first == Some(&b'{') || path.extension().is_some_and(|e| e == "json")
}

fn score_program(program: &Program, args: &Args) -> Result<Scored, Failure> {
    let target = Picture::read(&args.target)?;
    let width = if let Width::Px(width) = args.width { width } else { target.size().0 };
    check_program(program, width, &target, &args.target)?;
    let info = Info::new(program, None, width)?;
    Scored::of_program(program, &info, &target, args.matte, args.network.folder())
}

/// Scores a picture, whose bytes are given unless it is a file. The target goes before the
/// picture comes: there is room for one.
fn score_picture(bytes: Option<Vec<u8>>, args: &Args) -> Result<Scored, Failure> {
    let target = Picture::read(&args.target)?;
    let (own_width, own_height) = target.size();
    let ratio = f64::from(own_height) / f64::from(own_width);
    let size = match args.width {
        Width::Native => (own_width, own_height),
        Width::Px(width) => (width, (f64::from(width) * ratio).round().max(1.0) as u32),
    };
    check_pixels(size)?;
    let matte = args.matte.unwrap_or(MATTE);
    let image = target.over_at(matte, size)?;
    drop(target);
    // The target, and the picture at its size.
    let beside = 2 * size_of_val(image.pixels()) as u64;
    let picture = match bytes {
        Some(bytes) => Picture::decode_beside(beside, bytes, &args.subject)?,
        None => Picture::read_beside(beside, &args.subject)?,
    };
    check_aspect(picture.size(), ratio, "the target").map_err(|e| e.in_file(&args.subject))?;
    let scored = picture.over_at(matte, size)?;
    drop(picture);
    Scored::of_pixels(&scored, &image, args.network.folder())
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
