//! Which pictures are fitted, and where their programs go.

use super::Args;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use tbr_io::Failure;
use tbr_io::files::{self, DASH, ENDING};
use tbr_io::fit::{Shard, list};

/// Pictures from a list.
#[derive(clap::Args)]
#[command(next_help_heading = "Many pictures")]
pub struct ListArgs {
    /// A file with a picture a line; - for standard input. Programs go into the folder -o, under
    /// the paths that the list has. Nothing unfinished is left there but checkpoints
    #[arg(long, value_name = "FILE", conflicts_with_all = ["pictures", "preview"])]
    list: Option<PathBuf>,
    /// Only the K-th of N parts of the list. Which part a picture is in depends on its path in the
    /// list alone
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    /// A line of JSON for each picture, written when all have been tried: what became of it,
    /// scores, seconds, memory
    #[arg(long, value_name = "FILE.jsonl")]
    summary: Option<PathBuf>,
}

impl ListArgs {
    /// The list's file.
    pub fn file(&self) -> Option<&Path> {
        self.list.as_deref()
    }

    /// Where the summary goes.
    pub fn summary(&self) -> Option<&Path> {
        self.summary.as_deref()
    }
}

/// A picture to fit, and where its program goes.
#[derive(Debug)]
pub struct Place {
    pub picture: PathBuf,
    pub program: PathBuf,
}

/// All that are asked for. No two of them share an output, nor would any two of a whole list.
pub fn places(args: &Args) -> Result<Vec<Place>, Failure> {
    let Some(file) = args.many.file() else {
        if args.many.shard.is_some() {
            return Err(Failure::usage("--shard takes a part of a --list, and none is given"));
        }
        let place = |picture: &PathBuf| {
            Ok(Place { picture: picture.clone(), program: program_of(args, picture)? })
        };
        let places: Vec<Place> = args.pictures.iter().map(place).collect::<Result<_, Failure>>()?;
        check_distinct(&places)?;
        return Ok(places);
    };
    let folder = args.output.as_deref().unwrap_or(Path::new(""));
    if folder.to_string_lossy().ends_with(ENDING) || folder.is_file() {
        let message = format!("{}: a list of pictures needs a folder", folder.display());
        return Err(Failure::usage(message));
    }
    let place = |picture: PathBuf| {
        let program = list::program_in(folder, &picture)?;
        Ok(Place { picture, program })
    };
    let mut places: Vec<Place> =
        list::read(file)?.into_iter().map(place).collect::<Result<_, Failure>>()?;
    if places.is_empty() {
        return Err(Failure::file(file, "lists no picture").hint("name a picture in each line"));
    }
    check_distinct(&places)?;
    places.retain(|place| args.many.shard.is_none_or(|shard| shard.has(&place.picture)));
    Ok(places)
}

/// Where the program of a picture that somebody has named goes.
fn program_of(args: &Args, picture: &Path) -> Result<PathBuf, Failure> {
    let several = args.pictures.len() > 1;
    let stem = match picture.file_stem() {
        Some(stem) if picture != Path::new(DASH) => stem,
        _ => OsStr::new("picture"),
    };
    let mut name = stem.to_owned();
    name.push(ENDING);
    match &args.output {
        None => Ok(PathBuf::from(name)),
        Some(folder) if several || folder.is_dir() => Ok(folder.join(name)),
        Some(file) if file.to_string_lossy().ends_with(ENDING) => Ok(file.clone()),
        Some(file) => {
            let message = format!("{}: a program's name ends in {ENDING}", file.display());
            Err(Failure::usage(message).hint("the replay is written beside it, as *.tbr.png"))
        }
    }
}

/// No two pictures may share an output.
fn check_distinct(places: &[Place]) -> Result<(), Failure> {
    let mut known = HashMap::new();
    for Place { picture, program } in places {
        if let Some(other) = known.insert(program, picture) {
            let message = format!(
                "{} and {} would both be written to {}",
                other.display(),
                picture.display(),
                program.display()
            );
            return Err(Failure::usage(message).hint("fit them one by one, each with its -o"));
        }
    }
    Ok(())
}

/// The folder that a file goes into, made if it is not there.
pub fn make_folder(file: &Path) -> Result<(), Failure> {
    match file.parent() {
        Some(folder) if folder != Path::new("") && !folder.is_dir() => {
            std::fs::create_dir_all(folder).map_err(|e| Failure::file(folder, e))
        }
        _ => Ok(()),
    }
}

/// All files that are read.
pub fn inputs<'a>(args: &'a Args, places: &'a [Place]) -> files::place::Inputs {
    let given = [&args.mask, &args.from, &args.tools];
    let given = given.into_iter().flatten().map(PathBuf::as_path);
    let pictures = places.iter().map(|place| place.picture.as_path());
    files::place::Inputs::of(pictures.chain(given).chain(args.many.file()))
}
