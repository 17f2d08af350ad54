//! `tbr bench play`: how many frames a second the studio can make of a program being laid
//! down.

use serde::Serialize;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tbr::animate::growth;
use tbr::prior;
use tbr::{Program, View};
use tbr_io::Failure;
use tbr_io::progress::Progress;
use tbr_io::table::{aligned, cells};
use tbr_io::{files, film};

/// Frames that the page asks for at a time.
const AT_ONCE: usize = 2;
/// How long a deposit grows on the page.
const GROW_SECS: f64 = 0.5;

#[derive(clap::Args)]
pub struct Args {
    /// Programs to play; a random one from the model's prior if none
    programs: Vec<PathBuf>,
    /// Longer side of a frame in pixels
    #[arg(
        long,
        value_name = "PX",
        default_value_t = 512,
        value_parser = clap::value_parser!(u32).range(1..=2048)
    )]
    size: u32,
    /// How long the whole program takes
    #[arg(long, value_name = "SECS", default_value_t = 10.0)]
    seconds: f64,
    /// Frames that are made, over the whole length
    #[arg(long, value_name = "N", default_value_t = 120)]
    frames: usize,
    /// Strokes of the random program
    #[arg(long, default_value_t = 2000)]
    strokes: usize,
    /// The figures, as JSON
    #[arg(long)]
    json: bool,
}

/// One line of the table.
#[derive(Serialize)]
struct PlayRow {
    program: String,
    strokes: usize,
    width_px: u32,
    height_px: u32,
    fps: f64,
    /// The slowest frame, from its beginning to its end.
    slowest_s: f64,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    if !(args.seconds > 0.0 && args.seconds.is_finite()) || args.frames == 0 {
        return Err(Failure::usage("a film has some seconds and at least one frame"));
    }
    let rows = rows(args)?;
    if args.json {
        return files::print_json(&rows);
    }
    let mut table = vec![cells([&"program", &"strokes", &"size", &"frames a second", &"slowest"])];
    table.extend(rows.iter().map(|row| {
        cells([
            &row.program,
            &row.strokes,
            &format!("{} x {}", row.width_px, row.height_px),
            &format!("{:.1}", row.fps),
            &format!("{:.0} ms", 1000.0 * row.slowest_s),
        ])
    }));
    files::print(&aligned(&table))
}

/// The given programs, or a random one.
fn rows(args: &Args) -> Result<Vec<PlayRow>, Failure> {
    let progress = Progress::still(args.programs.len().max(1));
    if args.programs.is_empty() {
        let (name, program) = ("random, seed 1", prior::program(args.strokes, 1.0, 1)?);
        progress.begin(0, name);
        return Ok(vec![measure(name, &program, args)?]);
    }
    let row = |(k, path): (usize, &PathBuf)| {
        let name = path.display().to_string();
        progress.begin(k, &name);
        measure(&name, &files::read_program(path)?, args)
    };
    args.programs.iter().enumerate().map(row).collect()
}

/// Makes the frames as the page has them made: each asked for when the one before the last
/// has come.
fn measure(name: &str, program: &Program, args: &Args) -> Result<PlayRow, Failure> {
    let width = f64::from(args.size) * (1.0 / program.height()).min(1.0);
    let view = View::of_canvas(program, (width.round() as u32).max(1))?;
    let strokes = program.strokes().len();
    let grow = growth(GROW_SECS, args.seconds, program);
    let (next, slowest, failure) = (AtomicUsize::new(0), Mutex::new(0.0_f64), Mutex::new(None));
    let start = Instant::now();
    let player = || {
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            if k >= args.frames {
                return;
            }
            let time = strokes as f64 * (k + 1) as f64 / args.frames as f64;
            let begun = Instant::now();
            if let Err(problem) = film::frame(program, view, Some(time), grow) {
                *lock(&failure) = Some(problem);
                return;
            }
            let took = begun.elapsed().as_secs_f64();
            let mut slowest = lock(&slowest);
            *slowest = slowest.max(took);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(player);
        }
    });
    let fps = args.frames as f64 / start.elapsed().as_secs_f64();
    if let Some(failure) = lock(&failure).take() {
        return Err(failure);
    }
    let slowest_s = *lock(&slowest);
    let (width_px, height_px) = view.size();
    Ok(PlayRow { program: name.to_owned(), strokes, width_px, height_px, fps, slowest_s })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
