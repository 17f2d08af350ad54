//! `tbr bench pictures`: how like their pictures fitted programs are, by the number of strokes.

mod show;

use super::adjoint::cpu;
use crate::archive::{cell, write_json, write_text};
use crate::fits::{FitJob, Key};
use crate::subject::{Subject, pictures, scores};
use crate::{WeightsArgs, error_by, preset};
use serde::Serialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use tbr::fit::{ErrorBy, Options, SOLVER_REVISION, Target};
use tbr::program::MAX_STROKES;
use tbr::render::{Replay, ReplayOptions, render_view};
use tbr::score::Scores;
use tbr::{Paint, Program, Region, View};
use tbr_io::digest::Digest;
use tbr_io::files;
use tbr_io::fit::{Preset, longer_px};
use tbr_io::networks::{self, GET_WEIGHTS};
use tbr_io::picture::{MATTE, Picture};
use tbr_io::table::Table;
use tbr_io::{Failure, tell};

/// Samples along each side of a pixel in replays with smooth edges, as `tbr fit` writes them.
const SMOOTH: u32 = 3;

#[derive(clap::Args)]
pub struct Args {
    /// Folder of pictures
    folder: PathBuf,
    /// Folder for programs, results.json, results.md and plot.svg; what is there already is not
    /// made again
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Numbers of strokes, with commas between
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = [256, 1024, 3000],
          value_parser = clap::value_parser!(u32).range(1..=MAX_STROKES as i64))]
    strokes: Vec<u32>,
    /// Presets, with commas between
    #[arg(long, value_delimiter = ',', default_value = Preset::Default.name(), value_parser = preset())]
    preset: Vec<Preset>,
    /// Straight strokes only
    #[arg(long)]
    straight: bool,
    /// What an error counts while strokes are moved [default: eyes; pixels with --preset paper]
    #[arg(long, value_name = "WHAT", value_parser = error_by())]
    error_by: Option<ErrorBy>,
    /// Longer side of the pictures that are fitted, in pixels; scores are at their own size
    /// [default: their own, but from 768 to 1024]
    #[arg(long, value_name = "PX", value_parser = clap::value_parser!(u32).range(16..=2048))]
    size: Option<u32>,
    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    network: WeightsArgs,
    /// The figures, as JSON
    #[arg(long)]
    json: bool,
}

/// Everything that is measured.
#[derive(Serialize)]
struct PicturesReport {
    cpu: String,
    threads: usize,
    version: &'static str,
    solver_revision: String,
    /// None: their own, but from 768 to 1024.
    size_px: Option<u32>,
    seed: u64,
    straight: bool,
    /// None: what is the preset's.
    error_by: Option<ErrorBy>,
    rows: Vec<PictureRow>,
    means: Vec<PictureRow>,
}

/// One picture, or the mean of all, with one preset and number of strokes.
#[derive(Clone, Serialize)]
struct PictureRow {
    picture: String,
    preset: &'static str,
    strokes: usize,
    /// Decibels; none if the replay is exact.
    psnr: Option<f64>,
    ssim: Option<f64>,
    lpips: Option<f64>,
    /// The same of replays with smooth edges.
    smooth_psnr: Option<f64>,
    smooth_ssim: Option<f64>,
    smooth_lpips: Option<f64>,
    floor_ratio: Option<f64>,
    /// None if the fit was stopped on its way.
    seconds: Option<f64>,
    /// How many numbers the program holds, and how many bytes its file.
    numbers: f64,
    bytes: f64,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let paths = pictures(&args.folder)?;
    let weights = args.network.folder();
    match weights {
        Some(folder) => networks::check(folder)?,
        None => {
            tell!("note: LPIPS is left out: it needs the networks' weights");
            tell!("hint: {GET_WEIGHTS}");
        }
    }
    std::fs::create_dir_all(&args.output).map_err(|e| Failure::file(&args.output, e))?;
    let mut report = PicturesReport {
        cpu: cpu(),
        threads: rayon::current_num_threads(),
        version: env!("CARGO_PKG_VERSION"),
        solver_revision: format!("{SOLVER_REVISION:016x}"),
        size_px: args.size,
        seed: args.seed,
        straight: args.straight,
        error_by: args.error_by,
        rows: Vec::new(),
        means: Vec::new(),
    };
    for preset in &args.preset {
        for strokes in &args.strokes {
            let arm = Arm { args, weights, preset: *preset, strokes: *strokes as usize };
            let start = report.rows.len();
            for path in &paths {
                report.rows.push(arm.measure(path)?);
            }
            report.means.push(mean(&report.rows[start..]));
            // After each, so that what there is can be looked at.
            write(args, &report)?;
        }
    }
    if args.json {
        return files::print_json(&report);
    }
    files::print(&show::tables(&report).iter().map(|t| t.text() + "\n").collect::<String>())?;
    tell!("{}: the same, with results.json and plot.svg", args.output.join("results.md").display());
    Ok(())
}

/// A way of fitting.
struct Arm<'a> {
    args: &'a Args,
    weights: Option<&'a Path>,
    preset: Preset,
    strokes: usize,
}

impl Arm<'_> {
    fn options(&self, size_px: u32) -> Options {
        let mut options = self.preset.options();
        options.strokes = self.strokes;
        options.seed = self.args.seed;
        options.bends &= !self.args.straight;
        options.error_by = self.args.error_by.unwrap_or(options.error_by);
        options.suit(size_px);
        options
    }

    /// Fits a picture, or finds what was fitted before, and scores it at its own size.
    fn measure(&self, path: &Path) -> Result<PictureRow, Failure> {
        let subject = Subject::file(path);
        let Self { args, preset, strokes, .. } = self;
        let asked = preset.size_px(args.size);
        let size_px = longer_px(Picture::read(path)?.size(), asked);
        let name = format!(
            "{}{}{}-{strokes}-{size_px}px-seed-{}",
            preset.name(),
            if args.straight { "-straight" } else { "" },
            match args.error_by {
                None => "",
                Some(ErrorBy::Eyes) => "-by-eyes",
                Some(ErrorBy::Pixels) => "-by-pixels",
            },
            args.seed
        );
        let folder = args.output.join("fits").join(&subject.name);
        std::fs::create_dir_all(&folder).map_err(|e| Failure::file(&folder, e))?;
        let target = subject.target(size_px)?;
        let job = FitJob {
            made_by: "tbr bench pictures",
            title: format!("{}, {name}", subject.name),
            target: &target,
            key: Key::new(&target, &self.options(size_px), self.weights.is_some()),
            path: folder.join(format!("{name}.tbr.json")),
        };
        let fitted = match job.done() {
            Some(fitted) => fitted,
            None => job.run(self.weights)?,
        };
        let bytes = std::fs::metadata(&job.path).map_err(|e| Failure::file(&job.path, e))?.len();
        let scores = self.scores(path, &fitted.program, 1)?;
        let smooth = self.scores(path, &fitted.program, SMOOTH)?;
        Ok(PictureRow {
            picture: subject.name,
            preset: preset.name(),
            strokes: *strokes,
            psnr: scores.psnr,
            ssim: scores.ssim,
            lpips: scores.lpips_alex,
            smooth_psnr: smooth.psnr,
            smooth_ssim: smooth.ssim,
            smooth_lpips: smooth.lpips_alex,
            floor_ratio: scores.floor_ratio,
            seconds: fitted.record.seconds,
            numbers: numbers(&fitted.program) as f64,
            bytes: bytes as f64,
        })
    }

    /// How like a picture a program is, at the picture's own size, with so many samples a side of
    /// a pixel.
    fn scores(&self, path: &Path, program: &Program, samples: u32) -> Result<Scores, Failure> {
        let picture = Picture::read(path)?;
        let (width, height) = picture.size();
        let target = Target::new(picture.over_at(MATTE, (width, height))?, None)?;
        let inputs = json!({
            "program": Digest::of_program(program),
            "picture": Digest::of_target(&target),
            "networks": self.weights.is_some(),
            "samples": samples,
        });
        cell(&self.args.output.join("cells"), "score", &inputs, || {
            let view = View::new(Region::canvas(program), Some(width), Some(height))?;
            let replay = match samples {
                1 => render_view(program, view)?,
                samples => {
                    let options = ReplayOptions { samples, ..ReplayOptions::default() };
                    Replay::new(program, view, &options)?.image()
                }
            };
            scores(&replay, target.image(), self.weights)
        })
    }
}

/// How many numbers a program holds: those of its strokes, of its tools, and of its colours.
fn numbers(program: &Program) -> usize {
    let stroke = |stroke: &tbr::Stroke| {
        let paint = if matches!(stroke.paint, Paint::Own(_)) { 3 } else { 1 };
        5 + usize::from(stroke.shape.bend != 0.0) + paint
    };
    let tools: usize = program.tools().iter().map(|pass| pass.tool.numbers().len()).sum();
    let colours = 3 * (program.palette().len() + 1);
    program.strokes().iter().map(stroke).sum::<usize>() + tools + colours
}

/// The mean of some rows, of what all of them have.
fn mean(rows: &[PictureRow]) -> PictureRow {
    let count = rows.len().max(1) as f64;
    let of = |value: fn(&PictureRow) -> Option<f64>| {
        rows.iter().map(value).sum::<Option<f64>>().map(|sum| sum / count)
    };
    PictureRow {
        picture: "mean".into(),
        psnr: of(|r| r.psnr),
        ssim: of(|r| r.ssim),
        lpips: of(|r| r.lpips),
        smooth_psnr: of(|r| r.smooth_psnr),
        smooth_ssim: of(|r| r.smooth_ssim),
        smooth_lpips: of(|r| r.smooth_lpips),
        floor_ratio: of(|r| r.floor_ratio),
        seconds: of(|r| r.seconds),
        numbers: of(|r| Some(r.numbers)).unwrap_or_default(),
        bytes: of(|r| Some(r.bytes)).unwrap_or_default(),
        ..rows[0].clone()
    }
}

/// Writes the figures as JSON, as tables, and as a plot.
fn write(args: &Args, report: &PicturesReport) -> Result<(), Failure> {
    let path = |name: &str| args.output.join(name);
    write_json(&path("results.json"), report)?;
    let tables: String = show::tables(report).iter().map(Table::markdown).collect();
    write_text(&path("results.md"), &tables)?;
    write_text(&path("plot.svg"), &show::plot(report))
}
