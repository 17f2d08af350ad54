//! The subjects of experiments: pictures of the corpus, and replays of known programs.

use std::path::{Path, PathBuf};
use tbr::fit::Target;
use tbr::render::render_view;
use tbr::{Program, Region, View};
use tbr_io::Failure;
use tbr_io::fit::fitted_size;
use tbr_io::picture::{MATTE, Picture};

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
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Self { name, origin: Origin::File(path.to_owned()) }
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

/// The canvas, its longer side so many pixels.
pub fn canvas_view(program: &Program, side_px: u32) -> Result<View, Failure> {
    let longer = program.height().max(1.0);
    let pixels = |length: f64| ((f64::from(side_px) * length / longer).round() as u32).max(1);
    let (width, height) = (pixels(1.0), pixels(program.height()));
    Ok(View::new(Region::canvas(program), Some(width), Some(height))?)
}
