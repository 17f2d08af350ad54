//! `tbr reproduce`: the paper's experiments, our figures beside the paper's.

mod experiments;
mod lab;
mod matching;
mod paint;
mod raster;
mod section;
mod statistics;

use crate::WeightsArgs;
use crate::archive::{write_json, write_text};
use crate::bench::adjoint::cpu;
use crate::subject::{Subject, pictures};
use experiments::{ALL, ARTWORKS, Experiment};
use lab::{Lab, Sizes};
use section::{Section, Titled};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tbr::fit::SOLVER_REVISION;
use tbr::render::View;
use tbr::sample::{self, Pattern};
use tbr_io::files::{self, Output};
use tbr_io::networks::{self, GET_WEIGHTS};
use tbr_io::picture::Encoding;
use tbr_io::progress::Progress;
use tbr_io::{Failure, WIDTH_PX, tell};

/// Pixels a side of the samples that stand for a corpus, which are half of what is fitted, as
/// in the paper: at least, and at most.
const SAMPLE_PX: [u32; 2] = [32, 512];
/// The patterns that stand for a corpus. The book has four more, which would show
/// nothing else and take longer.
const SHEETS: [Pattern; 6] = [
    Pattern::Battal,
    Pattern::GelGit,
    Pattern::Nonpareil,
    Pattern::Bouquet,
    Pattern::Hatip,
    Pattern::Tulip,
];
/// Pictures of a first look.
const QUICK: usize = 2;

/// The longest side: pictures twice as long are scored, and two of them, a hundred and more bytes
/// a pixel, must fit into a gigabyte.
const MOST_SIDE_PX: i64 = 1448;
/// The most strokes of a fit: they take five kilobytes each, beside 0.9 GB of the network.
pub(crate) const MOST_STROKES: i64 = 20_000;

/// Which experiments, on which pictures, how large.
#[derive(clap::Args)]
pub struct Args {
    /// The experiments; --list tells what there is
    #[arg(value_parser = experiment)]
    names: Vec<&'static str>,
    /// All experiments
    #[arg(long, conflicts_with = "names")]
    all: bool,
    /// Folder of pictures; samples drawn by tbr if not given
    #[arg(long, value_name = "FOLDER")]
    corpus: Option<PathBuf>,
    /// Folder for fitted programs, scores and the report; what is there already is not made again
    #[arg(short, long, value_name = "FOLDER", required_unless_present = "list")]
    output: Option<PathBuf>,
    /// List the experiments
    #[arg(long)]
    list: bool,
    /// A first look: 96 pixels, 150 strokes, 10 steps, two pictures, two seeds, three known
    /// programs
    #[arg(long)]
    quick: bool,
    /// Longer side of pictures in fits and scores, pixels [default: 1024, or 96 with --quick]
    #[arg(long, value_name = "PX", value_parser = clap::value_parser!(u32).range(32..=MOST_SIDE_PX))]
    size: Option<u32>,
    /// Strokes of a program [default: 2000, or 150 with --quick]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(16..=MOST_STROKES))]
    strokes: Option<u32>,
    /// Gradient steps of a fit [default: each solver's own, or 10 with --quick]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    steps: Option<u32>,
    /// Seeds [default: 3, or 2 with --quick]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    seeds: Option<u32>,
    /// Known programs of ground-truth [default: 12, or 3 with --quick]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100))]
    targets: Option<u32>,
    /// Folder of other programs' pictures, *.png, with the names of those of the corpus, to be
    /// scored
    #[arg(long, value_name = "FOLDER")]
    raster: Option<PathBuf>,
    #[command(flatten)]
    network: WeightsArgs,
}

/// Runs experiments and writes the report.
pub fn run(args: &Args) -> Result<(), Failure> {
    let chosen: Vec<&Experiment> =
        ALL.iter().filter(|e| args.all || args.names.contains(&e.name)).collect();
    let out = match &args.output {
        Some(out) if !args.list => out,
        _ => return list(),
    };
    if chosen.is_empty() {
        let hint = "give --all, or some of those that tbr reproduce --list tells";
        return Err(Failure::usage("no experiment is named").hint(hint));
    }
    std::fs::create_dir_all(out).map_err(|e| Failure::file(out, e))?;
    let lab = lab(args, out)?;
    if !lab.has_weights() {
        lab.progress.aside(|| {
            tell!("note: LPIPS and deep features are not run: they need the networks' weights");
            tell!("hint: {GET_WEIGHTS}");
        });
    }
    let (about, settings) = (about(&lab), settings(&lab));
    let mut sections = Vec::new();
    for experiment in chosen {
        let Experiment { name, title, .. } = experiment;
        let section = section(&lab, experiment)?;
        sections.push(Titled { name, title, section });
        // After each, so that what there is can be looked at.
        write_text(&out.join("report.html"), &section::page(&about, &sections))?;
        write_text(&out.join("results.md"), &section::markdown(&about, &sections))?;
        write_json(&out.join("results.json"), &section::results(&settings, &sections))?;
    }
    drop(lab);
    tell!(
        "{}: the report; results.json and results.md beside it",
        out.join("report.html").display()
    );
    Ok(())
}

/// What an experiment gives, unless it needs what is missing.
fn section(lab: &Lab, experiment: &Experiment) -> Result<Section, Failure> {
    let Experiment { name, needs_weights, run, .. } = experiment;
    lab.progress.aside(|| tell!("{name}"));
    lab.progress.say(name);
    if *needs_weights && !lab.has_weights() {
        return Ok(Section::default().text("Not run: it needs the networks' weights."));
    }
    run(lab).map_err(|e| e.at(name))
}

/// The experiments, a line each.
fn list() -> Result<(), Failure> {
    files::print(&ALL.iter().map(|e| format!("{:14} {}\n", e.name, e.title)).collect::<String>())
}

/// For clap: an experiment by name.
fn experiment(name: &str) -> Result<&'static str, String> {
    ALL.iter().map(|e| e.name).find(|n| *n == name).ok_or_else(|| {
        format!("there is no such experiment; the names are {}", ALL.map(|e| e.name).join(", "))
    })
}

/// The lab that was asked for.
fn lab(args: &Args, out: &Path) -> Result<Lab, Failure> {
    let progress = Progress::turning("reading the pictures");
    let quick = args.quick;
    let or = |given: Option<u32>, full: u32, small: u32| {
        given.unwrap_or(if quick { small } else { full })
    };
    let sizes = Sizes {
        side_px: or(args.size, WIDTH_PX, 96),
        strokes: or(args.strokes, 2000, 150) as usize,
        steps: args.steps.or(quick.then_some(10)).map(|s| s as usize),
        seeds: or(args.seeds, 3, 2).into(),
        targets: or(args.targets, 12, 3) as usize,
        quick,
    };
    let mut paths = match &args.corpus {
        Some(folder) => pictures(folder)?,
        // (Their rows have a bar of their own.)
        None => progress.aside(|| samples(out, &sizes))?,
    };
    if quick {
        paths.truncate(QUICK);
    }
    let subjects: Vec<Subject> = paths.iter().map(|p| Subject::file(p)).collect();
    for (subject, path) in subjects.iter().zip(&paths) {
        if subject.target(sizes.side_px)?.floor() <= 0.0 {
            let message = "has one colour only: there is nothing to recover";
            return Err(Failure::file(path, message));
        }
    }
    let weights = args.network.folder().map(Path::to_owned);
    if let Some(folder) = &weights {
        networks::check(folder)?;
    }
    let is_artwork = |s: &Subject| ARTWORKS.iter().any(|(name, _)| *name == s.name);
    let (mut artworks, mut subjects): (Vec<_>, Vec<_>) = subjects.into_iter().partition(is_artwork);
    if subjects.is_empty() {
        subjects = std::mem::take(&mut artworks);
    }
    let (out, rasters) = (out.to_owned(), args.raster.clone());
    Ok(Lab { sizes, subjects, artworks, out, weights, rasters, progress })
}

/// Sheets of those patterns, or of the first for a first look, drawn unless they are there.
fn samples(out: &Path, sizes: &Sizes) -> Result<Vec<PathBuf>, Failure> {
    let side_px = (sizes.side_px / 2).clamp(SAMPLE_PX[0], SAMPLE_PX[1]);
    let folder = out.join(format!("samples-{side_px}"));
    std::fs::create_dir_all(&folder).map_err(|e| Failure::file(&folder, e))?;
    let mut paths = Vec::new();
    for pattern in SHEETS.into_iter().take(if sizes.quick { QUICK } else { SHEETS.len() }) {
        let path = folder.join(format!("{}.png", pattern.name()));
        paths.push(path.clone());
        if path.exists() {
            continue;
        }
        let program = pattern.program(1.0, 1)?;
        let replay = sample::picture(&program, View::of_canvas(&program, side_px)?)?;
        let mut output = Output::create(&path)?;
        Encoding::for_file(&path)?.write(&replay, &mut output)?;
        output.finish()?;
    }
    paths.sort();
    Ok(paths)
}

/// What the report says of itself.
fn about(lab: &Lab) -> Vec<String> {
    let Sizes { side_px, strokes, steps, seeds, targets, .. } = &lab.sizes;
    let steps = steps.map_or_else(|| "each solver's own".into(), |s| s.to_string());
    let names = |subjects: &[Subject]| {
        subjects.iter().map(|s| s.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    let artworks = match lab.artworks.as_slice() {
        [] => String::new(),
        artworks => format!(" Artworks, apart from them: {}.", names(artworks)),
    };
    let weights = if lab.has_weights() {
        "at hand"
    } else {
        "missing: what needs them is not run, and the factor of the data term is 270 for all"
    };
    let plural = |n: u64, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let mut about = vec![
        format!(
            "Sizes: {side_px} pixels, {strokes} strokes, steps {steps}, {}, {targets} known programs. \
             The networks' weights are {weights}.",
            plural(*seeds, "seed")
        ),
        format!("Pictures: {}.{artworks} The paper has other sheets.", names(&lab.subjects)),
        format!("Machine: {}, {} threads.", cpu(), rayon::current_num_threads()),
    ];
    if lab.sizes.quick {
        let small =
            "This is a first look: so small, a program can hardly show what the paper found.";
        about.push(small.into());
    }
    about
}

/// The same, for `results.json`.
fn settings(lab: &Lab) -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "solver_revision": format!("{SOLVER_REVISION:016x}"),
        "sizes": lab.sizes,
        "pictures": lab.subjects.iter().map(|s| &s.name).collect::<Vec<_>>(),
        "artworks": lab.artworks.iter().map(|s| &s.name).collect::<Vec<_>>(),
        "networks": lab.has_weights(),
        "cpu": cpu(),
        "threads": rayon::current_num_threads(),
    })
}
