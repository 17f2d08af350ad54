//! `tbr prune`.

use std::path::{Path, PathBuf};
use std::time::Instant;
use tbr::fit::Target;
use tbr::prune::{self, Goal, Prune, WIDTH_PX};
use tbr::{Colour, Program, Stop, View};
use tbr_io::files::{self, DASH};
use tbr_io::fit::matte_of;
use tbr_io::palette;
use tbr_io::picture::{Picture, check_aspect};
use tbr_io::progress::Progress;
use tbr_io::words::shell;
use tbr_io::{Failure, interrupt, tell};

/// Per cent more error that is let pass if nothing else is asked for.
const MORE_ERROR: f64 = 1.0;

#[derive(clap::Args)]
pub struct Args {
    /// The program, *.tbr.json; - for standard input
    program: PathBuf,
    /// The picture that it was made from: strokes go as long as the replay stays as like it. If
    /// left out, the replay is to stay as it is
    #[arg(value_name = "PICTURE")]
    image: Option<PathBuf>,
    /// The new program, *.tbr.json; - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Leave so many strokes, whatever the error
    #[arg(long, value_name = "N", conflicts_with = "error")]
    strokes: Option<usize>,
    /// Let pass so much, in per cent: with a picture, more squared error than before; without,
    /// pixels that change
    #[arg(long, value_name = "PERCENT", default_value_t = MORE_ERROR, allow_negative_numbers = true)]
    error: f64,
    /// What lies behind transparent parts of the picture [default: what lay there when the
    /// program was fitted, or white]
    #[arg(long, value_name = "COLOUR", value_parser = palette::colour)]
    matte: Option<Colour>,
    /// Replace the output if it is there already
    #[arg(long)]
    force: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    files::check_program_name(&args.output)?;
    files::check_new(&args.output, args.force)?;
    files::check_writable(&args.output)?;
    if args.error < 0.0 || args.error.is_nan() {
        return Err(Failure::usage(format!("--error {}: must be a number from 0 on", args.error)));
    }
    let progress = Progress::shares();
    progress.say("reading");
    let program = files::read_program(&args.program)?;
    let before = program.strokes().len();
    let target = args.image.as_deref().map(|path| read(path, &program, args.matte)).transpose()?;
    let start = Instant::now();
    progress.say("measuring");
    let old = prune::error(&program, target.as_ref())?;
    let goal = match (args.strokes, &target) {
        (Some(count), _) => Goal::Strokes(count),
        (None, Some(_)) => Goal::Error(old * (1.0 + args.error / 100.0)),
        (None, None) => Goal::Error(args.error / 100.0),
    };
    let stop = Stop::when(interrupt::requested);
    let mut pruning = Prune::new(program, target.as_ref(), goal)?.with_stop(stop);
    let pruned = prune_all(&mut pruning, &progress);
    drop(progress);
    let new = match pruned {
        Err(tbr::Error::Stopped) => return stopped(&pruning, args),
        error => error?,
    };
    files::write_program(pruning.program(), &args.output, args.force)?;
    if args.output != Path::new(DASH) {
        let said = match target {
            Some(_) if old > 0.0 => format!("squared error {:+.2} %", 100.0 * (new / old - 1.0)),
            Some(_) => format!("squared error {new:.9}, was 0"),
            None => format!("{:.2} % of the pixels changed", 100.0 * new),
        };
        let (path, after) = (args.output.display(), pruning.program().strokes().len());
        let seconds = start.elapsed().as_secs_f64();
        tell!("{path}: {after} strokes, were {before}; {said}; {seconds:.1} s");
        let width = prune::width_px(pruning.program())?;
        if width < WIDTH_PX {
            tell!("note: judged in replays {width} pixels wide: the canvas is tall");
        }
        tell!("next: tbr info {}", shell(&args.output));
    }
    Ok(())
}

/// Prunes until it is done or stopped; the error in the end.
fn prune_all(pruning: &mut Prune, progress: &Progress) -> tbr::Result<f64> {
    interrupt::finish_first();
    while !pruning.is_done() {
        let strokes = pruning.program().strokes().len();
        progress.show(pruning.progress(), &format!("{strokes} strokes"));
        pruning.step()?;
    }
    pruning.error()
}

/// Keeps what has been pruned so far, and says that it is not all.
fn stopped(pruning: &Prune, args: &Args) -> Result<(), Failure> {
    files::write_program(pruning.program(), &args.output, args.force)?;
    let (path, after) = (args.output.display(), pruning.program().strokes().len());
    let message = format!("stopped; {path} has {after} strokes so far");
    Err(Failure::interrupted(message).hint("prune that program to go on"))
}

/// The picture at the size that judges.
fn read(path: &Path, program: &Program, matte: Option<Colour>) -> Result<Target, Failure> {
    let picture = Picture::read(path)?;
    check_aspect(picture.size(), program.height(), "the program").map_err(|e| e.in_file(path))?;
    let matte = matte.unwrap_or_else(|| matte_of(program));
    let size = View::of_canvas(program, prune::width_px(program)?)?.size();
    let image = picture.over_at(matte, size)?;
    Target::new(image, None).map_err(|e| Failure::from(e).in_file(path))
}
