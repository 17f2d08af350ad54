//! `tbr score`.

use super::WIDTH_PX;
use super::table::{Row, aligned_rows};
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
    let scored = match &subject {
        Subject::Program(program) => score_program(program, &target, args)?,
        Subject::Picture(picture) => score_picture(picture, &target, args)?,
    };
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
    Scored::of_program(program, &info, target, args.network.folder())
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
    let (colours, target) = (picture.over_at(WHITE, size)?, target.over_at(WHITE, size)?);
    Scored::of_pixels(&colours, &target, size, args.network.folder())
}

/// Refuses a target of another shape than the program's canvas, and more pixels than a
/// score can have.
pub fn check_program(
    program: &Program,
    width_px: u32,
    target: &Picture,
    path: &Path,
) -> Result<(), Failure> {
    check_aspect(target.size(), program.height, "the program's canvas")
        .map_err(|e| e.in_file(path))?;
    let view = View::new(Region::canvas(program), Some(width_px), None)?;
    check_pixels((view.width_px, view.height_px))
}

fn check_pixels((width, height): Size) -> Result<(), Failure> {
    if u64::from(width) * u64::from(height) <= MOST_PX {
        return Ok(());
    }
    let most = MOST_PX / 1_000_000;
    let message =
        format!("{width} x {height} pixels are too many for a score (limit: {most} million)");
    Err(Failure::limit(message).hint("give a smaller --width"))
}

/// Scores, and how they came about.
pub struct Scored {
    scores: Scores,
    size: Size,
    /// Were the networks' weights there?
    weights: bool,
}

impl Scored {
    /// A program against a picture, at the width that `info` was counted at.
    pub fn of_program(
        program: &Program,
        info: &Info,
        target: &Picture,
        weights: Option<&Path>,
    ) -> Result<Self, Failure> {
        let view = View::new(Region::canvas(program), Some(info.width_px), None)?;
        let size = (view.width_px, view.height_px);
        let colours = hard_render(program, view)?;
        let target = target.over_at(program.background, size)?;
        let mut scored = Self::of_pixels(&colours, &target, size, weights)?;
        scored.scores.add_program(info);
        Ok(scored)
    }

    fn of_pixels(
        colours: &[Colour],
        target: &[Colour],
        size: Size,
        weights: Option<&Path>,
    ) -> Result<Self, Failure> {
        let picture = Raster::new(size.0 as usize, colours)?;
        let target = Raster::new(size.0 as usize, target)?;
        let mut scores = Scores::of_pixels(picture, target)?;
        if let Some(folder) = weights {
            scores
                .add_networks(picture, target, folder)
                .map_err(|e| Failure::from(e).hint(GET_WEIGHTS))?;
        }
        Ok(Self { scores, size, weights: weights.is_some() })
    }

    /// Which scores are left out, and why.
    pub fn notes(&self) -> Vec<String> {
        let (scores, weights) = (&self.scores, self.weights);
        let mut notes = Vec::new();
        if !weights {
            notes.push(
                "LPIPS and VGG features are left out: they need the networks' weights".into(),
            );
        }
        let small = [
            ("SSIM", scores.ssim.is_none(), SSIM_WINDOW_PX),
            ("LPIPS", weights && scores.lpips_alex.is_none(), Lpips::MIN_SIDE_PX),
            ("the VGG distance", weights && scores.vgg_feature.is_none(), VggFeatures::MIN_SIDE_PX),
        ];
        for (name, _, side) in small.iter().filter(|(_, missing, _)| *missing) {
            notes.push(format!("{name} is left out: it needs at least {side} x {side} pixels"));
        }
        notes
    }

    /// Tells a person which scores are left out.
    pub fn print_notes(&self) {
        for note in self.notes() {
            tell!("note: {note}");
        }
        if !self.weights {
            tell!("hint: {GET_WEIGHTS}");
        }
    }

    /// The scores, a line each.
    pub fn rows(&self) -> Vec<Row> {
        let scores = &self.scores;
        let digits = |value: f64| format!("{value:.6}");
        let or_exact = |text: Option<String>| text.unwrap_or_else(|| "exact".into());
        let mut rows = vec![
            Row::new("pixels", format!("{} x {}", self.size.0, self.size.1)),
            Row::new("MSE", format!("{:.9}", scores.mse)),
            Row::new("flat floor", format!("{:.9}", scores.floor)),
            Row::new("floor / MSE", or_exact(scores.floor_ratio.map(|v| format!("{v:.3}")))),
            Row::new("PSNR", or_exact(scores.psnr.map(|v| format!("{v:.3} dB")))),
        ];
        let rest = [
            ("SSIM", scores.ssim.map(digits)),
            ("LPIPS-Alex", scores.lpips_alex.map(digits)),
            ("VGG features", scores.vgg_feature.map(digits)),
            ("visible strokes", scores.visible_strokes.map(|n| n.to_string())),
            ("paint deposited", scores.deposited_area.map(|area| format!("{area:.3} canvases"))),
            ("unseen share", scores.unseen_share.map(|share| format!("{:.1} %", 100.0 * share))),
        ];
        rows.extend(rest.into_iter().filter_map(|(name, text)| Some(Row::new(name, text?))));
        rows
    }
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
