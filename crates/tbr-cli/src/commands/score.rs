//! `tbr score`.

use super::table::{aligned, cells};
use crate::commands::network::{GET_WEIGHTS, Networks};
use crate::failure::Failure;
use crate::files::{self, DASH};
use crate::picture::{MOST_BYTES, Picture, Size, check_aspect};
use std::path::{Path, PathBuf};
use tbr::info::Info;
use tbr::network::{Lpips, VggFeatures};
use tbr::program::{Colour, Program};
use tbr::raster::Raster;
use tbr::render::{MAX_SIDE_PX, Region, View};
use tbr::score::{SSIM_WINDOW_PX, Scores, hard_render};

/// The width at which scores are compared, as in the paper.
const WIDTH_PX: u32 = 1024;
/// The most pixels of a score: VGG's features of them take ten gigabytes.
const MOST_PX: u64 = 1 << 24;
/// What is behind transparent pixels where no program says it: paper.
const WHITE: Colour = [1.0; 3];

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
    network: Networks,
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
    subject.check_aspect(&target, args)?;
    let size = subject.size(&target, args.width)?;
    let colours = subject.colours(size)?;
    let target = target.over_at(subject.background(), size)?;
    let scores = scores(&subject, &colours, &target, size, args.network.folder())?;
    notes(&scores, args.network.folder().is_some());
    if args.json {
        return files::print_json(&scores);
    }
    files::print(&text(&scores, size))
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

    fn check_aspect(&self, target: &Picture, args: &Args) -> Result<(), Failure> {
        let (width, height) = target.size();
        match self {
            Self::Program(program) => {
                check_aspect(target.size(), program.height, "the program's canvas")
                    .map_err(|e| e.in_file(&args.target))
            }
            Self::Picture(picture) => {
                let ratio = f64::from(height) / f64::from(width);
                check_aspect(picture.size(), ratio, "the target")
                    .map_err(|e| e.in_file(&args.subject))
            }
        }
    }

    /// The size at which the two are compared.
    fn size(&self, target: &Picture, width: Width) -> Result<Size, Failure> {
        let (own_width, own_height) = target.size();
        let size = match (self, width) {
            (Self::Program(program), width) => {
                let width = if let Width::Px(width) = width { width } else { own_width };
                let view = View::new(Region::canvas(program), Some(width), None)?;
                (view.width_px, view.height_px)
            }
            (Self::Picture(_), Width::Native) => (own_width, own_height),
            (Self::Picture(_), Width::Px(width)) => {
                let ratio = f64::from(own_height) / f64::from(own_width);
                (width, (f64::from(width) * ratio).round().max(1.0) as u32)
            }
        };
        check_pixels(size)
    }

    /// Its pixels at a size.
    fn colours(&self, size: Size) -> Result<Vec<Colour>, Failure> {
        match self {
            Self::Picture(picture) => picture.over_at(WHITE, size),
            Self::Program(program) => {
                let view = View::new(Region::canvas(program), Some(size.0), None)?;
                Ok(hard_render(program, view)?)
            }
        }
    }

    fn background(&self) -> Colour {
        match self {
            Self::Program(program) => program.background,
            Self::Picture(_) => WHITE,
        }
    }
}

fn check_pixels((width, height): Size) -> Result<Size, Failure> {
    if u64::from(width) * u64::from(height) <= MOST_PX {
        return Ok((width, height));
    }
    let most = MOST_PX / 1_000_000;
    let message =
        format!("{width} x {height} pixels are too many for a score (limit: {most} million)");
    Err(Failure::limit(message).hint("give a smaller --width"))
}

fn scores(
    subject: &Subject,
    colours: &[Colour],
    target: &[Colour],
    (width, _): Size,
    weights: Option<&Path>,
) -> Result<Scores, Failure> {
    let picture = Raster::new(width as usize, colours)?;
    let target = Raster::new(width as usize, target)?;
    let mut scores = Scores::of_pixels(picture, target)?;
    if let Subject::Program(program) = subject {
        scores.add_program(&Info::new(program, None, width)?);
    }
    if let Some(folder) = weights {
        scores
            .add_networks(picture, target, folder)
            .map_err(|e| Failure::from(e).hint(GET_WEIGHTS))?;
    }
    Ok(scores)
}

/// Says which scores are left out, and why.
fn notes(scores: &Scores, weights: bool) {
    if !weights {
        eprintln!("note: LPIPS and VGG features are left out: they need the networks' weights");
        eprintln!("hint: {GET_WEIGHTS}");
    }
    let small = [
        ("SSIM", scores.ssim.is_none(), SSIM_WINDOW_PX),
        ("LPIPS", weights && scores.lpips_alex.is_none(), Lpips::MIN_SIDE_PX),
        ("the VGG distance", weights && scores.vgg_feature.is_none(), VggFeatures::MIN_SIDE_PX),
    ];
    for (name, _, side) in small.iter().filter(|(_, missing, _)| *missing) {
        eprintln!("note: {name} is left out: it needs at least {side} x {side} pixels");
    }
}

fn text(scores: &Scores, (width, height): Size) -> String {
    let digits = |value: f64| format!("{value:.6}");
    let or_exact = |text: Option<String>| text.unwrap_or_else(|| "exact".into());
    let mut rows = vec![
        cells([&"pixels", &format!("{width} x {height}")]),
        cells([&"MSE", &format!("{:.9}", scores.mse)]),
        cells([&"flat floor", &format!("{:.9}", scores.floor)]),
        cells([&"floor / MSE", &or_exact(scores.floor_ratio.map(|v| format!("{v:.3}")))]),
        cells([&"PSNR", &or_exact(scores.psnr.map(|v| format!("{v:.3} dB")))]),
    ];
    let rest = [
        ("SSIM", scores.ssim.map(digits)),
        ("LPIPS-Alex", scores.lpips_alex.map(digits)),
        ("VGG features", scores.vgg_feature.map(digits)),
        ("visible strokes", scores.visible_strokes.map(|n| n.to_string())),
        ("paint deposited", scores.deposited_area.map(|area| format!("{area:.3} canvases"))),
        ("unseen share", scores.unseen_share.map(|share| format!("{:.1} %", 100.0 * share))),
    ];
    rows.extend(rest.into_iter().filter_map(|(name, value)| Some(cells([&name, &value?]))));
    aligned(&rows)
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
