//! `tbr uncomb`.

use std::path::{Path, PathBuf};
use tbr::fit::combs;
use tbr::{Stop, Tool};
use tbr_io::files::{self, DASH, Output};
use tbr_io::fit::Preparation;
use tbr_io::picture::{DrawnImage, Encoding, MATTE, Picture, PictureKind};
use tbr_io::progress::Progress;
use tbr_io::words::shell;
use tbr_io::{Failure, interrupt, tell, tools};

#[derive(clap::Args)]
pub struct Args {
    /// The picture of a combed sheet; - for standard input
    picture: PathBuf,
    /// The sheet as it was before the combs: *.png, *.jpg or *.webp; - for a PNG on standard
    /// output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Undo these tools instead of searching: a program's, or a file with one in words a line
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// Longer side of the picture that is looked at and drawn, in pixels
    #[arg(long, value_name = "PX", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(16..=4096))]
    size: u32,
    /// Replace the picture if it is there already
    #[arg(long)]
    force: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let kind = PictureKind::of(&args.output)?;
    files::check_new(&args.output, args.force)?;
    let known = args.tools.as_deref().map(tools::read).transpose()?;
    let preparation = Preparation { size_px: Some(args.size), matte: MATTE, bare: false };
    let in_picture = |failure: Failure| failure.in_file(&args.picture);
    let prepared = preparation.prepare(&Picture::read(&args.picture)?).map_err(in_picture)?;
    let image = prepared.target(None).map_err(in_picture)?.into_image();
    let found = match known {
        Some(tools) => tools,
        None => {
            let _progress = Progress::turning("searching for combs");
            combs::find(&image, &Stop::when(interrupt::requested))?
        }
    };
    report(args, &found)?;
    let drawn = DrawnImage(combs::uncombed(&image, &found));
    let encoding = Encoding { kind, depth: 8, alpha: false, dpi: None, quality: 95 };
    encoding.check(&drawn)?;
    let mut output = Output::create_new(&args.output, args.force)?;
    encoding.write(&drawn, &mut output)?;
    output.finish()
}

/// The tools in words: on standard output, unless the picture goes there.
fn report(args: &Args, tools: &[Tool]) -> Result<(), Failure> {
    let picture = shell(&args.picture);
    if tools.is_empty() {
        tell!("no comb was found: the sheet is the picture as it is");
        tell!("next: tbr fit {picture}");
        return Ok(());
    }
    let words: String = tools.iter().map(|tool| format!("{tool}\n")).collect();
    if args.output == Path::new(DASH) {
        tools.iter().for_each(|tool| tell!("{tool}"));
    } else {
        files::print(&words)?;
        tell!("next: tbr fit {picture} --comb auto, or --tools with these lines in a file");
    }
    Ok(())
}
