//! `tbr report`: a page that explains a program, one file that needs no other.

mod charts;
mod histogram;
mod page;
mod pictures;
mod settings;

use super::WIDTH_PX;
use super::network::Networks;
use super::score::{Scored, check_program};
use crate::failure::Failure;
use crate::files::{self, DASH, Output};
use crate::picture::Picture;
use page::Page;
use pictures::Album;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tbr::info::Info;
use tbr::program::Program;

/// Pixels across in the page's pictures if nothing else is asked for: five of them, as PNG,
/// make a page of two megabytes.
pub const PICTURE_PX: u32 = 512;
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
    network: Networks,
}

/// What a page is about.
pub struct Subject<'a> {
    pub program: &'a Program,
    /// What the page calls it.
    pub name: String,
    pub target: Option<Target<'a>>,
    /// Width in pixels of the pictures on the page.
    pub width_px: u32,
    /// Where the networks' weights are, if they are.
    pub weights: Option<&'a Path>,
}

/// The picture that a program should look like, and what the page calls it.
pub struct Target<'a> {
    pub picture: &'a Picture,
    pub name: String,
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
    let program = files::read_program(&args.program)?;
    let picture = args.image.as_deref().map(|path| read_target(path, &program)).transpose()?;
    let target = picture.as_ref().zip(args.image.as_deref());
    let subject = Subject {
        program: &program,
        name: name(&args.program),
        target: target.map(|(picture, path)| Target { picture, name: name(path) }),
        width_px: args.width,
        weights: args.network.folder(),
    };
    subject.check()?;
    let mut output = Output::create_new(&args.output, args.force)?;
    let start = Instant::now();
    let page = subject.html()?;
    output.write_all(page.as_bytes()).map_err(|e| output.failure(e))?;
    output.finish()?;
    if args.output != dash {
        let (megabytes, seconds) = (page.len() as f64 / 1e6, start.elapsed().as_secs_f64());
        tell!("{}: {megabytes:.1} MB, {seconds:.2} s", args.output.display());
        tell!("next: tbr trace {} --at 0.5,0.5", args.program.display());
    }
    Ok(())
}

fn read_target(path: &Path, program: &Program) -> Result<Picture, Failure> {
    let picture = Picture::read(path)?;
    check_program(program, WIDTH_PX, &picture, path)?;
    Ok(picture)
}

impl Subject<'_> {
    /// Refuses pictures of too many pixels.
    pub fn check(&self) -> Result<(), Failure> {
        Album::new(self.program, self.width_px).map(|_| ())
    }

    /// Counts, scores, draws, and puts the page together.
    pub fn html(&self) -> Result<String, Failure> {
        let Self { program, target, .. } = self;
        let album = Album::new(program, self.width_px)?;
        let info = Info::new(program, None, WIDTH_PX)?;
        let scored = match target {
            Some(target) => {
                let scored = Scored::of_program(program, &info, target.picture, self.weights)?;
                scored.print_notes();
                Some(scored)
            }
            None => None,
        };
        let page = Page {
            name: self.name.clone(),
            image: target.as_ref().map(|target| target.name.clone()),
            program,
            info: &info,
            scored: scored.as_ref(),
            figures: album.figures(target.as_ref(), &info)?,
            prefixes: album.prefixes()?,
        };
        Ok(page.html())
    }
}

/// What the page calls a file.
fn name(path: &Path) -> String {
    if path == Path::new(DASH) {
        return "standard input".into();
    }
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
