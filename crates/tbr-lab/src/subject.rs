//! The subjects of experiments and benchmarks: pictures of a folder, and replays of known
//! programs.

use std::path::{Path, PathBuf};
use tbr::fit::Target;
use tbr::render::render_view;
use tbr::score::Scores;
use tbr::{Image, Program, Region, View};
use tbr_io::Failure;
use tbr_io::fit::fitted_size;
use tbr_io::networks;
use tbr_io::picture::{MATTE, Picture};

/// Endings of the pictures that are taken from a folder.
const ENDINGS: [&str; 7] = ["png", "jpg", "jpeg", "webp", "tif", "tiff", "bmp"];

/// A picture of the corpus, or what stands for one.
pub struct Subject {
    pub name: String,
    origin: Origin,
}

/// Where its pixels come from. A file is read whenever they are needed: a corpus of large pictures
/// would not fit into memory.
enum Origin {
    File(PathBuf),
    Replay(Program),
}

impl Subject {
    /// The picture in a file, by the file's name.
    pub fn file(path: &Path) -> Self {
        Self { name: stem(path), origin: Origin::File(path.to_owned()) }
    }

    /// The hard render of a program.
    pub fn replay(name: String, program: Program) -> Self {
        Self { name, origin: Origin::Replay(program) }
    }

    /// The picture, its longer side so many pixels.
    pub fn target(&self, side_px: u32) -> Result<Target, Failure> {
        let image = match &self.origin {
            Origin::File(path) => {
                let picture = Picture::read(path)?;
                picture.over_at(MATTE, fitted_size(picture.size(), side_px))?
            }
            Origin::Replay(program) => render_view(program, canvas_view(program, side_px)?)?,
        };
        Target::new(image, None).map_err(|e| Failure::from(e).at(&self.name))
    }
}

/// How like a target a picture is; with LPIPS, if the networks' weights are there.
pub fn scores(picture: &Image, of: &Image, weights: Option<&Path>) -> Result<Scores, Failure> {
    let mut scores = Scores::of_pixels(picture, of)?;
    if let Some(folder) = weights {
        scores.lpips_alex = networks::lpips(folder, picture, of)?;
    }
    Ok(scores)
}

/// The pictures in a folder, by name.
pub fn pictures(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = folder.read_dir().map_err(|e| Failure::file(folder, e))?;
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
            path.is_file() && ENDINGS.contains(&ending.as_str())
        })
        .collect();
    paths.sort_by_key(|path| stem(path));
    if paths.is_empty() {
        let endings = ENDINGS.join(", ");
        return Err(Failure::file(folder, format!("has no pictures ({endings})")));
    }
    if let Some(pair) = paths.windows(2).find(|pair| stem(&pair[0]) == stem(&pair[1])) {
        let message = format!("{} and {} have one name", pair[0].display(), pair[1].display());
        return Err(Failure::usage(message).hint("pictures are told apart by their names"));
    }
    Ok(paths)
}

/// What a picture is called.
fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The canvas, its longer side so many pixels.
pub fn canvas_view(program: &Program, side_px: u32) -> Result<View, Failure> {
    let longer = program.height().max(1.0);
    let pixels = |length: f64| ((f64::from(side_px) * length / longer).round() as u32).max(1);
    let (width, height) = (pixels(1.0), pixels(program.height()));
    Ok(View::new(Region::canvas(program), Some(width), Some(height))?)
}
