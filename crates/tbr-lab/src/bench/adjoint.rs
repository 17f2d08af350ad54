//! `tbr bench adjoint`: time, memory and error of the gradient engines, beside the paper's.

use super::step::{self, Figures};
use super::{plot, tables};
use crate::engine::{
    Bits, CheckpointInterval, EngineArgs, EngineName, TAU, check_strokes, tau, view,
};
use serde::Serialize;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tbr::adjoint::{Engine, Gradient};
use tbr::prior;
use tbr::program::Program;
use tbr_io::Failure;
use tbr_io::files::{self, Output, ScratchFolder};
use tbr_io::progress::Progress;
use tbr_io::tell;

/// Strokes between the checkpoints of the float64 gradient that others are
/// compared with: near the square root of 2000, which takes the least memory.
const EXACT_INTERVAL: usize = 50;

#[derive(clap::Args)]
pub struct Args {
    /// A program to measure on; a random one from the model's prior if not given
    program: Option<PathBuf>,
    /// Width in pixels; 1024, or 256 with --quick, if not given
    #[arg(long, value_name = "PX")]
    width: Option<u32>,
    /// Strokes of the random program
    #[arg(long, default_value_t = 2000, conflicts_with = "program")]
    strokes: usize,
    /// Seed of the random programs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Rim width as a share of the half-width
    #[arg(long, default_value_t = TAU, value_parser = tau, allow_negative_numbers = true)]
    tau: f64,
    /// A small picture and fewer rows
    #[arg(long)]
    quick: bool,
    /// The figures, as JSON
    #[arg(long)]
    json: bool,
    /// Draw step times over strokes and pixels, as SVG
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Replace the plot if it is there already
    #[arg(long)]
    force: bool,
}

/// Everything that is measured.
#[derive(Serialize)]
pub struct AdjointReport {
    pub machine: Machine,
    pub width: u32,
    pub strokes: usize,
    pub tau: f64,
    pub engines: Vec<EngineRow>,
    pub sweep: Vec<SweepRow>,
    pub over_strokes: Vec<StepRow>,
    pub over_pixels: Vec<StepRow>,
}

/// What it was measured on.
#[derive(Serialize)]
pub struct Machine {
    pub cpu: String,
    pub threads: usize,
}

/// One engine in float32. Error and cosine are against float64.
#[derive(Serialize)]
pub struct EngineRow {
    pub name: String,
    pub step_s: f64,
    pub peak_mb: Option<f64>,
    pub relative_error: Option<f64>,
    pub cosine: Option<f64>,
    pub records_per_pixel: f64,
}

/// The replay adjoint with checkpoints every `interval` strokes, or with none.
/// Error and cosine are, as in the paper, against the checkpointed gradient in
/// the same precision: what they show is drift alone.
#[derive(Serialize)]
pub struct SweepRow {
    pub interval: Option<usize>,
    /// The largest colour that is left when all that was gathered has been taken
    /// away again.
    pub drift: f64,
    #[serde(flatten)]
    pub row: EngineRow,
}

/// The tiled engine at one size.
#[derive(Serialize)]
pub struct StepRow {
    pub strokes: usize,
    pub width: u32,
    pub pixels: usize,
    pub step_s: f64,
    pub peak_mb: Option<f64>,
    /// Power of strokes or pixels that the time grew with since the row before.
    pub exponent: Option<f64>,
}

impl Args {
    /// On random programs, as small as `quick` has it or at full size.
    pub fn plain(quick: bool) -> Self {
        let (program, width, plot) = (None, None, None);
        let (json, force) = (false, false);
        Self { program, width, strokes: 2000, seed: 1, tau: TAU, quick, json, plot, force }
    }
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let plot = args.plot.as_deref().map(|path| Output::create_new(path, args.force)).transpose()?;
    let report = report(args)?;
    if let Some(mut output) = plot {
        let written = output.write_all(plot::svg(&report).as_bytes());
        written.map_err(|e| output.failure(e))?;
        output.finish()?;
    }
    if args.json {
        return files::print_json(&report);
    }
    let tables = tables::tables(&report);
    let tables: String = tables.iter().map(|table| format!("\n{}", table.text())).collect();
    files::print(&(tables::heading(&report) + &tables))
}

/// Measures everything.
pub fn report(args: &Args) -> Result<AdjointReport, Failure> {
    let mut runner = Runner::new(args)?;
    let subject = runner.main_program(args)?;
    if !Path::new("/proc/self/status").exists() {
        tell!("note: memory is not measured: this system has no /proc");
    }
    // Once without measuring, to know how much there is to do.
    measured(&mut runner, args, &subject)?;
    runner.start();
    measured(&mut runner, args, &subject)
}

/// All tables, of whatever the runner measures.
fn measured(runner: &mut Runner, args: &Args, subject: &Subject) -> Result<AdjointReport, Failure> {
    let Subject { width, strokes, .. } = *subject;
    Ok(AdjointReport {
        machine: Machine { cpu: cpu(), threads: runner.threads },
        width,
        strokes,
        tau: args.tau,
        engines: engines(runner, subject),
        sweep: sweep(runner, args.quick, subject),
        over_strokes: over_strokes(runner, args.quick, width)?,
        over_pixels: over_pixels(runner, args.quick, subject),
    })
}

/// The three engines in float32, against float64.
fn engines(runner: &mut Runner, subject: &Subject) -> Vec<EngineRow> {
    let exact = engine(EngineName::Checkpointed, Some(Some(EXACT_INTERVAL)), Bits::F64);
    let exact = runner.measure(&subject.program, subject.width, exact).map(|m| m.gradient);
    let engines = [
        (EngineName::Checkpointed, Some(Some(Engine::CHECKPOINT_INTERVAL))),
        (EngineName::Replay, Some(Some(Engine::REPLAY_INTERVAL))),
        (EngineName::Tiled, None),
    ];
    let row = |(name, k)| {
        let engine = engine(name, k, Bits::F32);
        let measured = runner.measure(&subject.program, subject.width, engine)?;
        Some(measured.row(&engine, exact.as_ref()))
    };
    engines.into_iter().filter_map(row).collect()
}

/// The replay adjoint by its interval, against the checkpointed one in the same precision.
fn sweep(runner: &mut Runner, quick: bool, subject: &Subject) -> Vec<SweepRow> {
    let intervals: &[Option<usize>] = if quick {
        &[Some(64), Some(256), None]
    } else {
        &[Some(64), Some(128), Some(256), Some(512), None]
    };
    let checkpointed =
        engine(EngineName::Checkpointed, Some(Some(Engine::CHECKPOINT_INTERVAL)), Bits::F32);
    let checkpointed = runner.measure(&subject.program, subject.width, checkpointed);
    let checkpointed = checkpointed.map(|m| m.gradient);
    let row = |interval: &Option<usize>| {
        let engine = engine(EngineName::Replay, Some(*interval), Bits::F32);
        let measured = runner.measure(&subject.program, subject.width, engine)?;
        let row = measured.row(&engine, checkpointed.as_ref());
        Some(SweepRow { interval: *interval, drift: measured.figures.drift, row })
    };
    intervals.iter().filter_map(row).collect()
}

fn engine(name: EngineName, interval: Option<Option<usize>>, precision: Bits) -> EngineArgs {
    EngineArgs { engine: name, interval: interval.map(CheckpointInterval), precision }
}

/// The tiled engine on random programs of more and more strokes.
fn over_strokes(runner: &mut Runner, quick: bool, width: u32) -> Result<Vec<StepRow>, Failure> {
    let counts: &[usize] =
        if quick { &[250, 500, 1000] } else { &[250, 500, 1000, 2000, 4000, 10_000] };
    let mut rows = Vec::new();
    for &strokes in counts {
        let program = runner.random_program(strokes)?;
        rows.extend(runner.tiled(&program, strokes, width));
    }
    Ok(with_exponents(rows, |row| row.strokes as f64))
}

/// The tiled engine at more and more pixels.
fn over_pixels(runner: &mut Runner, quick: bool, subject: &Subject) -> Vec<StepRow> {
    let widths: &[u32] = if quick { &[128, 256, 512] } else { &[256, 512, 1024, 2048] };
    let Subject { program, strokes, .. } = subject;
    let rows = widths.iter().filter_map(|&width| runner.tiled(program, *strokes, width)).collect();
    with_exponents(rows, |row| row.pixels as f64)
}

fn with_exponents(mut rows: Vec<StepRow>, size: impl Fn(&StepRow) -> f64) -> Vec<StepRow> {
    for k in 1..rows.len() {
        let (before, row) = (&rows[k - 1], &rows[k]);
        let (time, growth) = (row.step_s / before.step_s, size(row) / size(before));
        rows[k].exponent = Some(libm::log(time) / libm::log(growth));
    }
    rows
}

/// The program that engines are compared on, in a file, and how wide.
struct Subject {
    program: PathBuf,
    strokes: usize,
    width: u32,
}

/// The process that measures: each thing once, whichever tables it appears in.
struct Runner {
    folder: ScratchFolder,
    threads: usize,
    seed: u64,
    tau: f64,
    done: Vec<(step::Args, Option<Measured>)>,
    /// None as long as nothing is measured and all is only counted.
    progress: Option<Progress>,
}

/// What one measurement gave.
#[derive(Clone)]
struct Measured {
    figures: Figures,
    gradient: Gradient,
}

impl Runner {
    fn new(args: &Args) -> Result<Self, Failure> {
        let (folder, threads) = (files::scratch_folder()?, rayon::current_num_threads());
        let (done, progress) = (Vec::new(), None);
        Ok(Self { folder, threads, seed: args.seed, tau: args.tau, done, progress })
    }

    /// What has been counted until now is to be measured.
    fn start(&mut self) {
        self.progress = Some(Progress::still(self.done.len()));
        self.done.clear();
    }

    /// The program that engines are compared on. A given one is copied, so that it may come from
    /// standard input.
    fn main_program(&self, args: &Args) -> Result<Subject, Failure> {
        let _progress = Progress::turning("reading");
        let width = args.width.unwrap_or(if args.quick { 256 } else { 1024 });
        let (program, name) = match &args.program {
            Some(path) => (files::read_program(path)?, "program".to_owned()),
            None => (prior::program(args.strokes, 1.0, self.seed)?, random(args.strokes)),
        };
        view(&program, width)?;
        check_strokes(program.strokes().len())?;
        let strokes = program.strokes().len();
        Ok(Subject { program: self.write(&name, &program)?, strokes, width })
    }

    fn random_program(&self, strokes: usize) -> Result<PathBuf, Failure> {
        self.write(&random(strokes), &prior::program(strokes, 1.0, self.seed)?)
    }

    fn write(&self, name: &str, program: &Program) -> Result<PathBuf, Failure> {
        let path = self.folder.path().join(format!("{name}.tbr.json"));
        fs::write(&path, tbr::format::write(program)).map_err(|e| Failure::file(&path, e))?;
        Ok(path)
    }

    /// One engine at one size, once; none if it cannot be done, or is only counted.
    fn measure(&mut self, program: &Path, width: u32, engine: EngineArgs) -> Option<Measured> {
        let gradient = self.folder.path().join("gradient");
        let (program, tau) = (program.to_owned(), self.tau);
        let job = step::Args { program, gradient, width, tau, engine };
        if let Some((_, measured)) = self.done.iter().find(|(done, _)| *done == job) {
            return measured.clone();
        }
        let progress = self.progress.as_ref();
        let measured = progress.and_then(|p| measure(&job, self.threads, self.done.len(), p));
        self.done.push((job, measured.clone()));
        measured
    }

    fn tiled(&mut self, program: &Path, strokes: usize, width: u32) -> Option<StepRow> {
        let measured = self.measure(program, width, engine(EngineName::Tiled, None, Bits::F32))?;
        let Figures { step_s, peak_mb, pixels, .. } = measured.figures;
        Some(StepRow { strokes, width, pixels, step_s, peak_mb, exponent: None })
    }
}

/// One measurement, after so many others; none if it cannot be done, and the person is told why.
fn measure(job: &step::Args, threads: usize, done: usize, progress: &Progress) -> Option<Measured> {
    let title = title(job);
    progress.aside(|| tell!("{title}"));
    progress.begin(done, &title);
    let measured = step::measure(job, threads);
    progress.aside(|| match &measured {
        Ok((Figures { step_s, peak_mb, .. }, _)) => {
            let memory = peak_mb.map(|m| format!(", {m:.0} MB")).unwrap_or_default();
            tell!("  {step_s:.3} s{memory}");
        }
        Err(problem) => tell!("  left out: {problem}"),
    });
    let (figures, gradient) = measured.ok()?;
    Some(Measured { figures, gradient })
}

/// The name of a random program; its file is the same in whichever table it appears.
fn random(strokes: usize) -> String {
    format!("random-{strokes}")
}

/// What is being measured, for the progress line.
fn title(job: &step::Args) -> String {
    let interval = match job.engine.interval {
        Some(CheckpointInterval(Some(k))) => format!(" {k}"),
        Some(CheckpointInterval(None)) => " none".to_owned(),
        None => String::new(),
    };
    let name = job.program.file_stem().and_then(|n| n.to_str()).unwrap_or_default();
    let (engine, bits) = (job.engine.name(), job.engine.bits());
    format!("{engine}{interval} in {bits}, {} px, {}", job.width, name.trim_end_matches(".tbr"))
}

impl Measured {
    fn row(&self, engine: &EngineArgs, exact: Option<&Gradient>) -> EngineRow {
        let (error, cosine) = exact.map(|e| self.gradient.error_and_cosine(e)).unzip();
        let Figures { step_s, peak_mb, records, pixels, .. } = self.figures;
        EngineRow {
            name: engine.name(),
            step_s,
            peak_mb,
            relative_error: error,
            cosine,
            records_per_pixel: records as f64 / pixels as f64,
        }
    }
}

/// The processor's name.
pub fn cpu() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|l| l.strip_prefix("model name")?.split_once(": "));
    name.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}
