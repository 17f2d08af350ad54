//! `tbr gradient`: the loss of a program against a picture, and its gradient.

use crate::engine::{EngineArgs, TAU, check_strokes, relaxation, tau, view};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tbr::Colour;
use tbr::adjoint::{Engine, Gradient, Outcome, Relaxation, Scene, gradient_of, mean_squared_error};
use tbr_io::Failure;
use tbr_io::files::{self, DASH};
use tbr_io::fit::matte_of;
use tbr_io::palette;
use tbr_io::picture::{Picture, check_aspect};
use tbr_io::progress::Progress;
use tbr_io::table::{aligned, cells};

/// The most memory for states, bytes: with pictures and strokes, all stays below a gigabyte.
const MOST_STATE_BYTES: f64 = 5e8;
/// Strokes in the summary.
const LISTED: usize = 8;

/// A program, a target, and how the gradient is computed.
#[derive(clap::Args)]
pub struct Args {
    /// The program, *.tbr.json; - for standard input
    program: PathBuf,
    /// The picture that it should look like: PNG, JPEG, WebP, TIFF, BMP or GIF; - for standard input
    target: PathBuf,
    /// Rim width as a share of the half-width
    #[arg(long, default_value_t = TAU, value_parser = tau, allow_negative_numbers = true)]
    tau: f64,
    /// Least rim width, in canvas units (the canvas is 1 wide); 0.7 pixels if not given
    #[arg(long, value_parser = tau_min, allow_negative_numbers = true)]
    tau_min: Option<f64>,
    /// Width in pixels; the target's own if not given
    #[arg(long, value_name = "PX")]
    width: Option<u32>,
    /// What lies behind transparent parts of the target [default: what lay there when the
    /// program was fitted, or white]
    #[arg(long, value_name = "COLOUR", value_parser = palette::colour)]
    matte: Option<Colour>,
    /// Differentiate bends too, also of a program in which no stroke bends
    #[arg(long)]
    bends: bool,
    #[command(flatten)]
    engine: EngineArgs,
    /// Loss and gradient, all numbers, as JSON
    #[arg(long)]
    json: bool,
}

/// Prints the loss and its gradient.
pub fn run(args: &Args) -> Result<(), Failure> {
    let engine = args.engine.engine()?;
    let dash = Path::new(DASH);
    if args.program == dash && args.target == dash {
        return Err(Failure::usage("program and target cannot both be standard input"));
    }
    let progress = Progress::turning("reading");
    let program = files::read_program(&args.program)?;
    let picture = Picture::read(&args.target)?;
    check_aspect(picture.size(), program.height(), "the program's canvas")
        .map_err(|e| e.in_file(&args.target))?;
    let view = view(&program, args.width.unwrap_or(picture.size().0))?;
    let bends = args.bends || program.bends();
    let relaxation = relaxation(args.tau, args.tau_min, &view);
    let scene = Scene::of(&program, view, relaxation)?.with_bends(bends);
    let precision = args.engine.precision();
    check_memory(&args.engine, &scene, engine)?;
    let matte = args.matte.unwrap_or_else(|| matte_of(&program));
    let target = picture.over_at(matte, view.size())?;
    progress.say("differentiating");
    let start = Instant::now();
    let outcome = gradient_of(&scene, engine, precision, &mean_squared_error(&target))?;
    let seconds = start.elapsed().as_secs_f64();
    drop(progress);
    check_finite(&outcome)?;
    if args.json {
        return print_json(&outcome, bends);
    }
    files::print(&summary(args, &scene, &outcome, bends, seconds))
}

/// Refuses to keep more strokes and states than a gigabyte holds.
fn check_memory(args: &EngineArgs, scene: &Scene, engine: Engine) -> Result<(), Failure> {
    let strokes = scene.shapes().len();
    check_strokes(strokes)?;
    let needed = engine.state_bytes(scene, args.precision());
    if needed <= MOST_STATE_BYTES {
        return Ok(());
    }
    let message = format!(
        "the engine {} would keep {:.1} GB of states for {} pixels and {strokes} strokes \
         (limit: {:.1} GB)",
        args.name(),
        needed / 1e9,
        scene.pixels(),
        MOST_STATE_BYTES / 1e9
    );
    let hint = match engine {
        Engine::Stored => "use --engine tiled or checkpointed, or a smaller --width".into(),
        Engine::Replay(_) => "use --engine tiled, --interval none, or a smaller --width".into(),
        _ => format!(
            "use --engine tiled, or --interval {:.0}, which keeps the least",
            (strokes as f64).sqrt()
        ),
    };
    Err(Failure::limit(message).hint(hint))
}

fn check_finite(outcome: &Outcome) -> Result<(), Failure> {
    if outcome.loss.is_finite() && outcome.gradient.flat().iter().all(|v| v.is_finite()) {
        return Ok(());
    }
    Err(Failure::usage("the gradient is not finite: coverage is too steep for this precision")
        .hint("give a larger --tau-min, or --precision f64"))
}

/// All numbers; bends only where they have been differentiated.
fn print_json(outcome: &Outcome, bends: bool) -> Result<(), Failure> {
    let Gradient { shapes, colours, background, tools } = &outcome.gradient;
    let mut object = json!({
        "loss": outcome.loss,
        "gradient": {
            "anchor": shapes.iter().map(|s| [s.anchor.x, s.anchor.y]).collect::<Vec<_>>(),
            "offset": shapes.iter().map(|s| [s.offset.x, s.offset.y]).collect::<Vec<_>>(),
            "half_width": shapes.iter().map(|s| s.half_width).collect::<Vec<_>>(),
            "colour": colours,
            "background": background,
        }
    });
    if !tools.is_empty() {
        object["gradient"]["tools"] = json!(tools);
    }
    if bends {
        object["gradient"]["bend"] = shapes.iter().map(|s| s.bend).collect();
    }
    files::print(&format!("{object}\n"))
}

fn summary(args: &Args, scene: &Scene, outcome: &Outcome, bends: bool, seconds: f64) -> String {
    let (width_px, height_px) = scene.view().size();
    let Relaxation { tau, tau_min } = scene.relaxation();
    let (name, bits) = (args.engine.name(), args.engine.bits());
    let mut rows = vec![
        cells([&"loss", &format!("{:.9}", outcome.loss)]),
        cells([&"pixels", &format!("{width_px} x {height_px}")]),
        cells([&"strokes", &scene.shapes().len()]),
        cells([&"tau", &tau]),
        cells([&"tau-min", &format!("{tau_min:.6}")]),
        cells([&"engine", &format!("{name}, {bits}")]),
        cells([&"time", &format!("{seconds:.3} s")]),
    ];
    if matches!(args.engine.engine(), Ok(Engine::Replay(_))) {
        let table = outcome.side_table;
        let records = table.records as f64 / scene.pixels() as f64;
        rows.push(cells([&"records per pixel", &format!("{records:.2}")]));
        rows.push(cells([&"bytes recorded", &table.bytes]));
    }
    let parts = [parts(&outcome.gradient, bends), largest(&outcome.gradient, bends)];
    format!("{}\n{}", aligned(&rows), parts.join("\n"))
}

/// The norm of each part of the gradient.
fn parts(gradient: &Gradient, bends: bool) -> String {
    let Gradient { shapes, colours, background, tools } = gradient;
    let row = |name: &str, values: &mut dyn Iterator<Item = f64>| {
        cells([&name, &format!("{:.4e}", norm(values))])
    };
    let mut rows = vec![
        cells([&"gradient", &"norm"]),
        row("anchor", &mut shapes.iter().flat_map(|s| [s.anchor.x, s.anchor.y])),
        row("offset", &mut shapes.iter().flat_map(|s| [s.offset.x, s.offset.y])),
        row("half-width", &mut shapes.iter().map(|s| s.half_width)),
        row("colour", &mut colours.iter().flatten().copied()),
        row("background", &mut background.iter().copied()),
    ];
    if !tools.is_empty() {
        rows.push(row("tools", &mut tools.iter().flatten().copied()));
    }
    if bends {
        rows.push(row("bend", &mut shapes.iter().map(|s| s.bend)));
    }
    aligned(&rows)
}

/// The strokes that the loss feels most, counted from 1.
fn largest(gradient: &Gradient, bends: bool) -> String {
    let numbers = |i: usize| {
        let shape = &gradient.shapes[i];
        let [r, g, b] = gradient.colours[i];
        let (anchor, offset) = (shape.anchor, shape.offset);
        [anchor.x, anchor.y, offset.x, offset.y, shape.half_width, r, g, b, shape.bend]
    };
    let size = |i: usize| norm(&mut numbers(i).into_iter());
    let mut order: Vec<(f64, usize)> = (0..gradient.shapes.len()).map(|i| (size(i), i)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut rows = vec![cells([
        &"stroke",
        &"norm",
        &"anchor x",
        &"y",
        &"offset x",
        &"y",
        &"half-width",
        &"red",
        &"green",
        &"blue",
        &"bend",
    ])];
    for (size, i) in order.into_iter().take(LISTED) {
        let mut row = vec![(i + 1).to_string(), format!("{size:.2e}")];
        row.extend(numbers(i).map(|v| format!("{v:.2e}")));
        rows.push(row);
    }
    if !bends {
        rows.iter_mut().for_each(|row| row.truncate(row.len() - 1));
    }
    aligned(&rows)
}

fn norm(values: &mut dyn Iterator<Item = f64>) -> f64 {
    values.map(|v| v * v).sum::<f64>().sqrt()
}

/// For clap: a least rim width.
fn tau_min(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|v: &f64| v.is_finite() && *v > 0.0);
    value.ok_or_else(|| "must be a finite number above 0".into())
}
