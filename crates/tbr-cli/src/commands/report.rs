//! `tbr report`: a page that explains a program, one file that needs no other.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tbr::Program;
use tbr_io::files::{self, DASH, Output};
use tbr_io::picture::Picture;
use tbr_io::progress::Progress;
use tbr_io::report::score::check_program;
use tbr_io::report::{PICTURE_PX, ReportSubject, ReportTarget};
use tbr_io::words::shell;
use tbr_io::{Failure, WIDTH_PX, tell};
use tbr_lab::WeightsArgs;

/// The widest picture that makes sense on a page.
const MOST_PICTURE_PX: i64 = 4096;

#[derive(clap::Args)]
pub struct Args {
    /// The program, *.tbr.json; - for standard input
    program: PathBuf,
    /// The picture that it should look like: adds errors and scores; - for standard input
    image: Option<PathBuf>,
    /// The page, *.html; - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Width in pixels of the pictures on the page; figures are counted and scored at 1024
    #[arg(long, value_name = "PX", default_value_t = PICTURE_PX, value_parser = clap::value_parser!(u32).range(1..=MOST_PICTURE_PX))]
    width: u32,
    /// Replace the page if it is there already
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    network: WeightsArgs,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let dash = Path::new(DASH);
    let ending = args.output.extension();
    if args.output != dash && !ending.is_some_and(|e| e == "html" || e == "htm") {
        let message = format!("{}: a report is a page", args.output.display());
        return Err(Failure::usage(message).hint("name the output *.html"));
    }
    files::check_new(&args.output, args.force)?;
    if args.program == dash && args.image.as_deref() == Some(dash) {
        return Err(Failure::usage("program and picture cannot both be standard input"));
    }
    let progress = Progress::turning("reading");
    let program = files::read_program(&args.program)?;
    let picture = args.image.as_deref().map(|path| read_target(path, &program)).transpose()?;
    let target = picture.as_ref().zip(args.image.as_deref());
    let subject = ReportSubject {
        program: &program,
        name: name(&args.program),
        target: target.map(|(picture, path)| ReportTarget { picture, name: name(path) }),
        width_px: args.width,
        weights: args.network.folder(),
    };
    subject.check()?;
    let mut output = Output::create_new(&args.output, args.force)?;
    let start = Instant::now();
    let page = subject.html(&progress)?;
    drop(progress);
    output.write_all(page.as_bytes()).map_err(|e| output.failure(e))?;
    output.finish()?;
    if args.output != dash {
        let (megabytes, seconds) = (page.len() as f64 / 1e6, start.elapsed().as_secs_f64());
        tell!("{}: {megabytes:.1} MB, {seconds:.2} s", args.output.display());
        tell!("next: tbr trace {} --at 0.5,0.5", shell(&args.program));
    }
    Ok(())
}

fn read_target(path: &Path, program: &Program) -> Result<Picture, Failure> {
    let picture = Picture::read(path)?;
    check_program(program, WIDTH_PX, &picture, path)?;
    Ok(picture)
}

/// What the page calls a file.
fn name(path: &Path) -> String {
    if path == Path::new(DASH) {
        return "standard input".into();
    }
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
