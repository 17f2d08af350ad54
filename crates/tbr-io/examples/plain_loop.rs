//! Fits pictures one after another in the plainest loop that leaves the files of `tbr fit --list`:
//! what scripts/measure-many holds the command against. Nothing is looked for, locked, resumed or
//! summed up.
//!
//! ```sh
//! cargo run --release -p tbr-marbling-io --example plain_loop -- OUT STROKES SIZE STEPS PICTURE...
//! ```

use std::path::{Path, PathBuf};
use tbr::fit::{Fit, Options};
use tbr::render::{Replay, ReplayOptions};
use tbr::{Program, Region, View};
use tbr_io::Failure;
use tbr_io::digest::Digest;
use tbr_io::files::{Output, write_program};
use tbr_io::fit::{FitRecord, Preparation, Preset, Wishes};
use tbr_io::picture::{Encoding, MATTE, Picture};

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [out, strokes, size, steps, pictures @ ..] = words.as_slice() else {
        return Err(Failure::usage("plain_loop OUT STROKES SIZE STEPS PICTURE..."));
    };
    let strokes = Some(number(strokes)?);
    let wishes = Wishes { strokes, steps: Some(number(steps)?), ..Wishes::default() };
    let options = wishes.options(Preset::Fast.options(), None);
    for picture in pictures {
        fit(Path::new(out), Path::new(picture), number(size)? as u32, &options)?;
    }
    Ok(())
}

fn number(text: &str) -> Result<usize, Failure> {
    text.parse().map_err(|e| Failure::usage(format!("{text}: {e}")))
}

fn fit(out: &Path, path: &Path, size_px: u32, options: &Options) -> Result<(), Failure> {
    let preparation = Preparation { size_px: Some(size_px), matte: MATTE, bare: false };
    let target = preparation.prepare(&Picture::read(path)?)?.target(None)?;
    let mut options = options.clone();
    options.suit(target.longer_px());
    let mut fit = Fit::new(target.clone(), options.clone())?;
    while !fit.is_done() {
        fit.step()?;
    }
    let name = |name: Option<&std::ffi::OsStr>| name.map(|n| n.to_string_lossy().into_owned());
    let record = FitRecord {
        picture: name(path.file_name()),
        target: &target,
        picture_digest: Digest::of_target(&target),
        matte: MATTE,
        from: None,
        preset: Preset::Fast,
        options: &options,
    };
    let program = record.program(&fit)?;
    let stem = out.join(name(path.file_stem()).unwrap_or_default());
    write_program(&program, &stem.with_extension("tbr.json"), false)?;
    write_replay(&program, target.image().size(), stem.with_extension("tbr.png"))
}

fn write_replay(program: &Program, size: (u32, u32), path: PathBuf) -> Result<(), Failure> {
    let view = View::new(Region::canvas(program), Some(size.0), Some(size.1))?;
    let options = ReplayOptions { samples: 3, ..ReplayOptions::default() };
    let mut output = Output::create_new(&path, false)?;
    Encoding::for_file(&path)?.write(&Replay::new(program, view, &options)?, &mut output)?;
    output.finish()
}
