//! Measurement of one gradient engine in a process of its own, so that the peak of memory is
//! that engine's: the process, and how it is started.

use crate::engine::{CheckpointInterval, EngineArgs, relaxation, view};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use tbr::adjoint::{Engine, Gradient, Outcome, Scene, SideTable, gradient_of, mean_squared_error};
use tbr::{Colour, Image, View};
use tbr_io::memory::{peak_bytes, system_bytes};
use tbr_io::{Failure, files, interrupt};

/// Runs of the tiled engine that are timed, after one that is not; the best
/// counts. The others take minutes and run once.
const REPETITIONS: usize = 5;

/// The most memory for an engine's states, bytes: the paper's checkpointed engine takes 6.5 GB at
/// the default size, and what takes more is left out, however large the machine.
const MOST_STATE_BYTES: f64 = 8e9;

/// What is measured.
#[derive(Clone, Debug, PartialEq, clap::Args)]
pub struct Args {
    /// The program
    pub program: PathBuf,
    /// Where the gradient goes, as little-endian f64
    pub gradient: PathBuf,
    #[arg(long)]
    pub width: u32,
    #[arg(long)]
    pub tau: f64,
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// The result of a measurement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Figures {
    /// Time of one gradient.
    pub step_s: f64,
    /// Peak of memory above what program and target take; nothing if the system
    /// does not tell.
    pub peak_mb: Option<f64>,
    /// Positions that were recorded.
    pub records: usize,
    /// What drift left of a colour, at most; 0 for engines that do not regenerate.
    pub drift: f64,
    /// Pixels of the picture.
    pub pixels: usize,
}

/// In the process of its own: measures, writes the gradient, prints the figures.
pub fn run(args: &Args) -> Result<(), Failure> {
    end_with_standard_input();
    let engine = args.engine.engine()?;
    let program = files::read_program(&args.program)?;
    let view = view(&program, args.width)?;
    let scene = Scene::of(&program, view, relaxation(args.tau, None, &view))?;
    check_memory(engine.state_bytes(&scene, args.engine.precision()))?;
    let target = synthetic(&view)?;
    let before = peak_bytes_from_here();
    let step = || -> Result<(f64, Outcome), Failure> {
        let start = Instant::now();
        let loss = mean_squared_error(&target);
        let outcome = gradient_of(&scene, engine, args.engine.precision(), &loss)?;
        Ok((start.elapsed().as_secs_f64(), outcome))
    };
    let (mut step_s, mut outcome) = step()?;
    if engine == Engine::Tiled {
        step_s = f64::INFINITY;
        for _ in 0..REPETITIONS {
            drop(outcome);
            let (seconds, again) = step()?;
            (step_s, outcome) = (step_s.min(seconds), again);
        }
    }
    let peak = before.zip(peak_bytes()).map(|(before, after)| (after - before) / 1e6);
    let bytes: Vec<u8> = outcome.gradient.flat().into_iter().flat_map(f64::to_le_bytes).collect();
    fs::write(&args.gradient, bytes).map_err(|e| Failure::file(&args.gradient, e))?;
    let SideTable { records, drift, .. } = outcome.side_table;
    let pixels = scene.pixels();
    files::print_json(&Figures { step_s, peak_mb: peak, records, drift, pixels })
}

/// A smooth picture, the same at every size.
fn synthetic(view: &View) -> Result<Image, Failure> {
    let colour = |i: u32, j: u32| -> Colour {
        let at = view.centre(i, j);
        let y = at.y / view.region.height;
        [at.x, y, 0.5 + 0.5 * libm::sin(20.0 * at.x * y)]
    };
    let rows = (0..view.height_px).flat_map(|j| (0..view.width_px).map(move |i| colour(i, j)));
    Ok(Image::new(view.size(), rows.collect())?)
}

/// Ends this process when its standard input does: whoever has started it has ended.
fn end_with_standard_input() {
    let watch = || {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        interrupt::end(interrupt::SIGINT);
    };
    // (Where no thread can be had, it goes on to its end.)
    let _ = std::thread::Builder::new().name("parent".into()).spawn(watch);
}

/// Refuses what does not fit in memory: better no row in the table than a machine that swaps.
fn check_memory(needed: f64) -> Result<(), Failure> {
    let free = system_bytes("/proc/meminfo", "MemAvailable:").unwrap_or(f64::INFINITY);
    let most = free.min(MOST_STATE_BYTES);
    if needed <= most {
        return Ok(());
    }
    let why = if free < MOST_STATE_BYTES { " are free" } else { "" };
    let (needed, most) = (needed / 1e9, most / 1e9);
    Err(Failure::limit(format!("needs about {needed:.1} GB of memory (limit: {most:.1} GB{why})")))
}

/// Asks the system to forget the peak of memory until now, which reading the
/// program may have made, and tells what it is then.
fn peak_bytes_from_here() -> Option<f64> {
    // Without leave to do so, the old peak stands: that of a small program.
    let _ = fs::write("/proc/self/clear_refs", "5");
    peak_bytes()
}

/// Starts the process and waits for its figures and its gradient; an error is what
/// the process said.
pub fn measure(args: &Args, threads: usize) -> Result<(Figures, Gradient), String> {
    let tbr = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(tbr);
    command.args(["bench", "step", "--threads"]).arg(threads.to_string());
    command.arg("--width").arg(args.width.to_string());
    command.arg("--tau").arg(args.tau.to_string());
    command.args(["--engine", &args.engine.name(), "--precision", &args.engine.bits()]);
    if let Some(CheckpointInterval(interval)) = args.engine.interval {
        let interval = interval.map_or_else(|| "none".to_owned(), |k| k.to_string());
        command.arg("--interval").arg(interval);
    }
    command.arg(&args.program).arg(&args.gradient);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| e.to_string())?;
    // It ends when nobody holds the other end of its standard input: when this process ends.
    let _held = child.stdin.take();
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().map(|l| l.trim_start_matches("error: ").to_owned());
        return Err(said.unwrap_or_else(|| format!("it ended with {}", output.status)));
    }
    let figures = serde_json::from_slice(&output.stdout).map_err(|e| e.to_string())?;
    Ok((figures, read_gradient(&args.gradient)?))
}

/// The gradient that a step has left, by [`Gradient::flat`].
fn read_gradient(path: &Path) -> Result<Gradient, String> {
    let bytes = fs::read(path).map_err(|e| e.to_string())?;
    let (chunks, _) = bytes.as_chunks::<8>();
    let numbers: Vec<f64> = chunks.iter().map(|b| f64::from_le_bytes(*b)).collect();
    Gradient::from_flat(&numbers).ok_or_else(|| "the gradient is not whole".to_owned())
}
