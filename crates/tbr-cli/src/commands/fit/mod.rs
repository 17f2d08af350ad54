//! `tbr fit`.

mod budget;
mod choice;
mod job;
mod outcome;
mod outputs;
mod paper;
mod pictures;
mod run;
mod search;
mod summary;
mod timed;

use crate::commands::operator;
use budget::BudgetArgs;
use job::PictureJob;
use paper::PaperArgs;
use pictures::{ListArgs, Place};
use std::path::PathBuf;
use std::time::Instant;
use summary::Summary;
use tbr::fit::{ErrorBy, Options, Palette, PaletteBy};
use tbr::{Colour, Operator, Program, Tool};
use tbr_io::files;
use tbr_io::fit::{Preset, Style, Wishes};
use tbr_io::{Failure, interrupt, palette, tell, tools};

#[derive(clap::Args)]
pub struct Args {
    /// The pictures: PNG, JPEG, WebP, TIFF, BMP or GIF; - for standard input
    #[arg(required_unless_present = "list")]
    pictures: Vec<PathBuf>,
    /// The program, *.tbr.json, with its replay as *.tbr.png beside it; a folder for several
    /// pictures. Named after the picture, in the current folder, if not given
    #[arg(short, long, value_name = "FILE|FOLDER")]
    output: Option<PathBuf>,
    /// How much time to take
    #[arg(long, default_value = Preset::Default.name(), value_parser = tbr_lab::preset())]
    preset: Preset,
    /// How many strokes [default: 2000]
    #[arg(long, value_name = "N")]
    strokes: Option<usize>,
    /// The colours: free, a number of them, a file with a hex colour a line, or
    /// hex colours with commas between [default: free; 8 with --preset paper]
    #[arg(long, value_name = "COLOURS", value_parser = palette::parse)]
    palette: Option<Palette>,
    /// What a number of colours is chosen by [default: eyes; pixels with --preset paper]
    #[arg(long, value_name = "WHAT", value_parser = choice::palette_by())]
    palette_by: Option<PaletteBy>,
    /// What an error counts while strokes are chosen and moved [default: eyes; pixels with --preset
    /// paper]
    #[arg(long, value_name = "WHAT", value_parser = tbr_lab::error_by())]
    error_by: Option<ErrorBy>,
    /// How strokes move paint: capsule, calibrated or inert [default: capsule]
    #[arg(long, value_parser = operator)]
    operator: Option<Operator>,
    /// Drops only, no lines
    #[arg(long)]
    drops: bool,
    /// Straight strokes only; --preset paper never bends any
    #[arg(long)]
    straight: bool,
    /// Seed of the random numbers; the same seed gives the same program
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Longer side of the picture that is fitted and scored, in pixels [default: its own, but from
    /// 768 to 1024; 1024 with --preset paper]
    #[arg(long, value_name = "PX", value_parser = clap::value_parser!(u32).range(16..=8192))]
    size: Option<u32>,
    /// Gradient steps in all, shared out among the preset's stages; 0 peels only
    #[arg(long, value_name = "N")]
    steps: Option<usize>,
    #[command(flatten)]
    budget: BudgetArgs,
    /// What lies behind transparent parts
    #[arg(long, value_name = "COLOUR", default_value = "#ffffff", value_parser = palette::colour)]
    matte: Colour,
    /// Leave transparent parts unpainted; they carry no error, and tbr render
    /// --background none shows them transparent
    #[arg(long)]
    bare: bool,
    /// A picture of the same shape: more care where it is bright. An error counts twenty times as
    /// much under white as under black
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// Start from this program instead of making one: to go on with it, or to fit it to
    /// another picture. Strokes, colours and operator are its own unless given
    #[arg(long, value_name = "PROGRAM")]
    from: Option<PathBuf>,
    /// Tools that come last: a program's, or a file with one in words a line, as in tbr edit.
    /// What is fitted is the sheet before them, and then all of it
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// With --tools or --comb: keep the tools as they are
    #[arg(long)]
    hold_tools: bool,
    /// Search for combs that the picture was drawn with, and keep them if they help: auto
    #[arg(long, value_name = "auto", value_parser = ["auto"], conflicts_with = "tools")]
    comb: Option<String>,
    /// Go on from the checkpoint that a stopped fit has left. Done unasked, but with --force
    #[arg(long)]
    resume: bool,
    /// Replace what is there, and begin anew
    #[arg(long)]
    force: bool,
    /// Seconds between checkpoints
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = seconds)]
    checkpoint_every: f64,
    /// A picture of the best program so far, written anew as it gets better
    #[arg(long, value_name = "FILE.png")]
    preview: Option<PathBuf>,
    /// How to show progress: a bar on a terminal, lines of JSON on standard output, or nothing
    #[arg(long, default_value = "bar", value_parser = choice::style())]
    progress: Style,
    #[command(flatten)]
    many: ListArgs,
    #[command(flatten)]
    paper: PaperArgs,
}

impl Args {
    /// May more than one picture be fitted?
    fn is_of_many(&self) -> bool {
        self.pictures.len() > 1 || self.many.file().is_some()
    }
}

pub fn run(args: &Args) -> Result<(), Failure> {
    check(args)?;
    let given = args.from.as_deref().map(files::read_program).transpose()?;
    let tools = args.tools.as_deref().map(tools::read).transpose()?.unwrap_or_default();
    let places = pictures::places(args)?;
    let inputs = pictures::inputs(args, &places);
    let mut summary = Summary::new(args.many.summary(), &inputs, args.force)?;
    let mut failures = 0;
    for (k, place) in places.iter().enumerate() {
        if interrupt::requested() {
            return Err(stopped_after(k, places.len()));
        }
        let begun = Instant::now();
        let job = PictureJob::new(args, place, (given.as_ref(), &tools), &inputs);
        let result = job.run();
        summary.add(place, &result, begun.elapsed());
        match result {
            Err(failure) if args.is_of_many() && !interrupt::requested() => {
                failure.tell();
                failures += 1;
            }
            result => result.map(|_| ())?,
        }
    }
    summary.finish()?;
    conclude(&places, failures)
}

/// What to say when the person has pressed Ctrl-C between two pictures.
fn stopped_after(done: usize, all: usize) -> Failure {
    Failure::interrupted(format!("stopped after {done} of {all} pictures"))
        .hint("the same command goes on")
}

/// What many pictures come to.
fn conclude(places: &[Place], failures: usize) -> Result<(), Failure> {
    match (places.len(), failures) {
        (0, _) => tell!("no picture of the list is in this part of it"),
        (_, 0) => {}
        (n, k) => return Err(Failure::partial(format!("{k} of {n} pictures could not be fitted"))),
    }
    Ok(())
}

/// Refuses options that would be passed over.
fn check(args: &Args) -> Result<(), Failure> {
    budget::check(args)?;
    if args.bare && args.preset == Preset::Paper {
        return Err(Failure::usage("--bare is not for --preset paper, which paints everywhere"));
    }
    if args.preset == Preset::Paper && (args.tools.is_some() || args.comb.is_some()) {
        return Err(Failure::usage("the paper's solver knows no tools"));
    }
    if args.from.is_some() && (args.tools.is_some() || args.comb.is_some()) {
        let message = "a program to start from has its own tools";
        return Err(Failure::usage(message).hint("insert them with tbr edit, then fit from that"));
    }
    if args.palette_by == Some(PaletteBy::Eyes) && args.preset == Preset::Paper {
        return Err(Failure::usage("the paper's solver chooses its palette by pixels"));
    }
    if args.error_by == Some(ErrorBy::Eyes) && args.preset == Preset::Paper {
        return Err(Failure::usage("the paper's solver counts an error the same in all pixels"));
    }
    if args.palette_by.is_some() && !is_chosen(args) {
        let message = "--palette-by is for colours that are chosen for the picture";
        return Err(Failure::usage(message).hint("--palette 8 chooses eight"));
    }
    if args.hold_tools && args.tools.is_none() && args.comb.is_none() && args.from.is_none() {
        return Err(Failure::usage("--hold-tools needs tools: --tools, --comb or --from"));
    }
    match args.paper.given() {
        Some(option) if args.preset != Preset::Paper => {
            Err(Failure::usage(format!("{option} is for --preset paper")))
        }
        _ => Ok(()),
    }
}

/// May the palette be one that is chosen for the picture? (The paper's is unless another is given;
/// that of a program to start from is checked with the options.)
fn is_chosen(args: &Args) -> bool {
    match &args.palette {
        Some(palette) => matches!(palette, Palette::Size(_)),
        None => args.preset == Preset::Paper || args.from.is_some(),
    }
}

/// The options that the arguments say, for a fit from scratch or from a program.
fn options(args: &Args, given: Option<&Program>, tools: &[Tool]) -> Options {
    let preset = match args.preset {
        Preset::Paper => args.paper.options(),
        preset => preset.options(),
    };
    let wishes = Wishes {
        strokes: args.strokes,
        palette: args.palette.clone(),
        palette_by: args.palette_by,
        error_by: args.error_by,
        operator: args.operator,
        drops: args.drops,
        straight: args.straight,
        tools: tools.to_vec(),
        hold_tools: args.hold_tools,
        seed: args.seed,
        steps: args.steps,
    };
    wishes.options(preset, given)
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|v| (0.0..=86400.0).contains(v));
    seconds.ok_or_else(|| "must be a number from 0 to 86400".into())
}
