//! `tbr edit`.

use std::path::{Path, PathBuf};
use tbr::Program;
use tbr::explain::changed_share;
use tbr_io::Failure;
use tbr_io::WIDTH_PX;
use tbr_io::edit::apply;
use tbr_io::files::{self, DASH};
use tbr_io::progress::Progress;
use tbr_io::tell;
use tbr_io::words::shell;

/// What `tbr edit --help` says of operations.
const OPERATIONS: &str = "\
Operations (quote each one; steps, which are strokes and tools, count from 1, palette entries
from 0):
  insert N drop X,Y HALF-WIDTH COLOUR         lay a drop as step N (or: end)
  insert N stroke X,Y DX,DY HALF-WIDTH [bend B] COLOUR
  insert N TOOL FIELD VALUE ...               draw a tool as step N (or: end); see below
  delete where S
  move N where S                              do them together, the first as step N (or: end)
  duplicate [where S]                         each copy right after its original
  reverse [where S]
  translate DX,DY [where S]
  rotate DEGREES [about X,Y] [where S]        clockwise; about the middle of the canvas
  scale FACTOR [about X,Y] [where S]
  set anchor X,Y | offset DX,DY | length L | half-width W | bend B | colour COLOUR  [where S]
  set FIELD VALUE [where S]                   a field of tools, as in: set pull 0.1 where tool comb
  recolour swap COLOUR COLOUR [where S]
  recolour map COLOUR COLOUR [where S]        the first becomes the second
  recolour palette FILE                       of hex colours, a program, or a picture
  background COLOUR                           of the bare canvas
  crop X,Y,W,H                                this part becomes the canvas
  expand LEFT,TOP,RIGHT,BOTTOM                add so much canvas on each side
  concat FILE                                 do another program's steps after these

Tools and their fields (those in brackets may be left out):
  tine       through X,Y angle DEGREES pull L reach L [width L]
  comb       through X,Y angle DEGREES pull L spacing L [reach L] [width L]
  rake       the fields of a comb; every second tooth goes the other way
  wave       through X,Y angle DEGREES pull L wavelength L
  wavy-comb  the fields of a comb, and sway L wavelength L [phase DEGREES]
  ring       centre X,Y radius L pull L reach L [width L]
  swirl      centre X,Y radius L turn DEGREES
  stylus     from X,Y to X,Y reach L [grip SHARE]

Selections S: all, 7, 5..8, 1900.., first 20%, last 100, strokes, tools, tool comb, colour 3,
  colour #1d3f73, half-width 0.01..0.02, length ..0.05, bend 0.5.., pixels 50.., region X,Y,W,H,
  visible, invisible, unseen; joined with and, or, not and parentheses. Pixels are those owned in a
  replay 1024 wide; region means strokes that own pixels there; invisible is what tbr info does not
  count as visible. Bends go from -2 to 2; 0 is straight, so that bent strokes are: not bend 0.
  A rule about what only strokes have, like not colour 3 or invisible, selects no tool.

Examples:
  tbr edit a.tbr.json 'insert 1000 drop 0.5,0.4 0.05 2' -o b.tbr.json
  tbr edit a.tbr.json 'insert end comb through 0.5,0.5 angle 90 pull 0.05 spacing 0.03' \
    -o b.tbr.json
  tbr edit a.tbr.json 'recolour swap 2 5 where last 20%' 'delete where invisible' -o b.tbr.json";

#[derive(clap::Args)]
#[command(after_help = OPERATIONS)]
pub struct Args {
    /// The program, *.tbr.json; - for standard input
    program: PathBuf,
    /// What to do, in order: see below
    #[arg(value_name = "OPERATION", allow_hyphen_values = false)]
    operations: Vec<String>,
    /// The new program, *.tbr.json; - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Replace the output if it is there already
    #[arg(long)]
    force: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    files::check_program_name(&args.output)?;
    files::check_new(&args.output, args.force)?;
    let before = files::read_program(&args.program)?;
    let progress = Progress::of(args.operations.len(), "operations");
    let mut program = before.clone();
    for (k, text) in args.operations.iter().enumerate() {
        program = apply(&program, text)
            .map_err(|failure| failure.at(&format!("operation {} \"{text}\"", k + 1)))?;
        progress.set(k + 1);
    }
    files::write_program(&program, &args.output, args.force)?;
    if args.output != Path::new(DASH) {
        let path = args.output.display();
        let (old, new) = (before.step_count(), program.step_count());
        // (What has tools, or had them, has steps.)
        let has_tools = [&before, &program].iter().any(|p| !p.tools().is_empty());
        let what = if has_tools { "steps" } else { "strokes" };
        let steps =
            if old == new { format!("{new} {what}") } else { format!("{new} {what}, were {old}") };
        let changed = changed_pixels(&before, &program);
        drop(progress);
        tell!("{path}: {steps}{changed}");
        let (program, picture) = (shell(&args.output), shell(&args.output.with_extension("png")));
        tell!("next: tbr render {program} -o {picture}");
    }
    Ok(())
}

/// How much of the picture is another, where that can be said: the canvas is the same, and
/// neither huge nor of an operator that takes hours.
fn changed_pixels(before: &Program, after: &Program) -> String {
    if before.height() != after.height() {
        return format!(", canvas 1 x {:.4}", after.height());
    }
    match changed_share(before, after, WIDTH_PX) {
        Ok(Some(share)) => format!(", {:.1} % of the pixels changed", 100.0 * share),
        _ => String::new(),
    }
}
