//! Where experiments are made. What a fit or a score has cost is kept in a folder: what is
//! there already, of the same picture and settings, is not made again, so that a run which was
//! stopped goes on where it was.

use super::fits::{Arm, Fitted, Job, Key};
use super::raster::{self, WHITE};
use crate::commands::digest::Digest;
use crate::commands::fit::target::fitted_size;
use crate::failure::Failure;
use crate::files::{self, Output};
use crate::picture::Picture;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use tbr::fit::{Options, Solver, Target, paper};
use tbr::info::{DRAWN_LENGTH, Info, Spread};
use tbr::network::{Lpips, VggFeatures, Weights};
use tbr::program::{Colour, Operator, Program};
use tbr::raster::Raster;
use tbr::render::{Region, View};
use tbr::score::{Scores, hard_render};

/// The largest record that is read.
const MOST_BYTES: u64 = 1 << 28;

/// How large everything is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sizes {
    /// Longer side of pictures, pixels.
    pub side_px: u32,
    /// Strokes of a program.
    pub strokes: usize,
    /// Gradient steps of a fit; each solver's own if none.
    pub steps: Option<usize>,
    /// Seeds where a spread over seeds is measured.
    pub seeds: u64,
    /// Pictures of known programs.
    pub targets: usize,
    /// Is it a first look, of a few seconds a fit?
    pub quick: bool,
}

/// A picture of the corpus, or what stands for one.
pub struct Subject {
    pub name: String,
    source: Source,
}

enum Source {
    Picture(Picture),
    Replay(Program),
}

impl Subject {
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, source: Source::Picture(Picture::read(path)?) })
    }

    /// The hard render of a program.
    pub fn replay(name: String, program: Program) -> Self {
        Self { name, source: Source::Replay(program) }
    }

    /// The picture, its longer side so many pixels.
    pub fn target(&self, side_px: u32) -> Result<Target, Failure> {
        let (size, colours) = match &self.source {
            Source::Picture(picture) => {
                let size = fitted_size(picture.size(), side_px);
                (size, picture.over_at(WHITE, size)?)
            }
            Source::Replay(program) => {
                let view = canvas_view(program, side_px)?;
                ((view.width_px, view.height_px), hard_render(program, view)?)
            }
        };
        Target::new(size, colours, None).map_err(|e| Failure::from(e).at(&self.name))
    }
}

/// What became of a program's paint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Paint {
    pub strokes: usize,
    pub visible: usize,
    pub deposited: f64,
    pub expelled: f64,
    pub laid_outside: f64,
    pub unseen: f64,
    pub drawn: f64,
    pub longer_than_wide: f64,
    /// Quartiles and ninetieth percentile of length over half-width, of what is drawn.
    pub aspects: [f64; 4],
    /// Visible shares of the first and of the last tenth of the strokes.
    pub deciles: [f64; 2],
    /// Strokes as thin as the paper's solver lets them be.
    pub thinnest: usize,
}

/// The least half-width of the paper's solver, on a canvas of area 1, and what is as good as it.
const LEAST_HALF_WIDTH: f64 = 0.6 * 0.005;
const THINNEST: f64 = 1.01 * LEAST_HALF_WIDTH;
/// Errors below this count as this much, so that a ratio is a number.
const LEAST_ERROR: f64 = 1e-9;

/// Pictures, sizes, and the folder.
pub struct Lab {
    pub sizes: Sizes,
    /// The pictures that means are taken over.
    pub subjects: Vec<Subject>,
    /// The paper's artworks, which it reports apart.
    pub artworks: Vec<Subject>,
    /// The archive.
    pub out: PathBuf,
    /// Where the networks' weights are.
    pub weights: Option<PathBuf>,
    /// Where other programs' pictures are.
    pub rasters: Option<PathBuf>,
}

impl Lab {
    /// Another program's picture of a subject, at the lab's size; none if there is none.
    pub fn raster(&self, subject: &Subject) -> Result<Option<Vec<Colour>>, Failure> {
        let Some(folder) = &self.rasters else { return Ok(None) };
        let target = subject.target(self.sizes.side_px)?;
        raster::read(folder, &subject.name, (target.width_px, target.height_px))
    }

    pub fn has_weights(&self) -> bool {
        self.weights.is_some()
    }

    /// The paper's settings at the lab's size.
    pub fn paper(&self) -> Options {
        self.sized(Options::paper())
    }

    /// Options at the lab's size.
    pub fn sized(&self, mut options: Options) -> Options {
        options.strokes = self.sizes.strokes;
        if let Some(steps) = self.sizes.steps {
            options.share_out(steps);
        }
        for stage in &mut options.stages {
            stage.side_px = stage.side_px.min(self.sizes.side_px);
        }
        options
    }

    /// The paper's joint recovery.
    pub fn joint(&self) -> Arm {
        Arm::new("joint", self.paper())
    }

    /// The paper's settings with some of its own changed.
    pub fn paper_with(&self, change: impl FnOnce(&mut paper::Options)) -> Options {
        let mut options = self.paper();
        if let Solver::Paper(own) = &mut options.solver {
            change(own);
        }
        options
    }

    /// Ours: the default preset.
    pub fn default_preset(&self) -> Arm {
        Arm::new("default", self.sized(Options::default()))
    }

    /// The joint recovery with half-widths that no window holds.
    pub fn free_width(&self) -> Arm {
        Arm::new("free", self.paper_with(|own| own.free_width = true))
    }

    /// The same as the joint one, without transport.
    pub fn inert(&self) -> Arm {
        Arm::new("inert", Options { operator: Operator::Inert, ..self.paper() })
    }

    /// Fits, or finds what was fitted before.
    pub fn fit(&self, subject: &Subject, arm: &Arm) -> Result<Fitted, Failure> {
        let target = subject.target(self.sizes.side_px)?;
        let network = self.has_weights() && matches!(arm.options.solver, Solver::Paper(_));
        let folder = self.out.join("fits").join(self.folder()).join(&subject.name);
        let job = Job {
            title: format!("{}, {}", subject.name, arm.name),
            target: &target,
            key: Key {
                version: env!("CARGO_PKG_VERSION").into(),
                picture: Digest::of_target(&target),
                options: arm.options.clone(),
                network,
            },
            path: folder.join(format!("{}.tbr.json", arm.name)),
        };
        if let Some(fitted) = job.done() {
            return Ok(fitted);
        }
        std::fs::create_dir_all(&folder).map_err(|e| Failure::file(&folder, e))?;
        job.run(self.weights.as_deref())
    }

    /// Fits of one size lie together, so that those of another do not take their place.
    fn folder(&self) -> String {
        let Sizes { side_px, strokes, steps, .. } = self.sizes;
        let steps = steps.map(|s| format!("-{s}-steps")).unwrap_or_default();
        let network = if self.has_weights() { "-network" } else { "" };
        format!("{side_px}px-{strokes}-strokes{steps}{network}")
    }

    /// Fits, and scores what comes of it.
    pub fn fit_and_score(&self, of: &Subject, arm: &Arm) -> Result<(Program, Scores), Failure> {
        let program = self.fit(of, arm)?.program;
        let scores = self.score(of, &program, self.sizes.side_px)?;
        Ok((program, scores))
    }

    /// How like a subject a program is, replayed with its operator. Cached.
    pub fn score(&self, of: &Subject, program: &Program, side_px: u32) -> Result<Scores, Failure> {
        let target = of.target(side_px)?;
        let inputs = json!({
            "program": digest(program),
            "picture": Digest::of_target(&target),
            "networks": self.has_weights(),
        });
        self.cell("score", &inputs, || {
            self.score_colours(&hard_render(program, target.view())?, &target)
        })
    }

    /// How like a target some pixels are.
    pub fn score_colours(&self, colours: &[Colour], target: &Target) -> Result<Scores, Failure> {
        let width = target.width_px as usize;
        let picture = Raster::new(width, colours)?;
        let target = Raster::new(width, &target.colours)?;
        let mut scores = Scores::of_pixels(picture, target)?;
        let large = target.width_px().min(target.height_px()) >= Lpips::MIN_SIDE_PX;
        if let Some(folder) = self.weights.as_deref().filter(|_| large) {
            let alex = Weights::read(&folder.join(Lpips::FILE))?;
            scores.lpips_alex = Some(Lpips::new(&alex, target)?.loss(picture)?);
        }
        Ok(scores)
    }

    /// The distance of deep features of a program's replay; none without weights. Cached.
    pub fn features(
        &self,
        of: &Subject,
        program: &Program,
        side_px: u32,
    ) -> Result<Option<f64>, Failure> {
        let Some(folder) = &self.weights else { return Ok(None) };
        let target = of.target(side_px)?;
        if target.width_px.min(target.height_px) < VggFeatures::MIN_SIDE_PX as u32 {
            return Ok(None);
        }
        let inputs = json!({ "program": digest(program), "picture": Digest::of_target(&target) });
        let distance = self.cell("features", &inputs, || {
            let colours = hard_render(program, target.view())?;
            let width = target.width_px as usize;
            let weights = Weights::read(&folder.join(VggFeatures::FILE))?;
            let features = VggFeatures::new(&weights, Raster::new(width, &target.colours)?)?;
            Ok(features.loss(Raster::new(width, &colours)?)?)
        })?;
        Ok(Some(distance))
    }

    /// What became of a program's paint. Cached.
    pub fn paint(&self, program: &Program) -> Result<Paint, Failure> {
        let width = canvas_view(program, self.sizes.side_px)?.width_px;
        let inputs = json!({ "program": digest(program), "width": width });
        self.cell("paint", &inputs, || {
            let info = Info::new(program, None, width)?;
            let shapes = || program.strokes.iter().map(|s| &s.shape);
            let drawn = shapes().filter(|s| s.length() >= DRAWN_LENGTH);
            let aspect = Spread::of(drawn.map(|s| s.length() / s.half_width).collect());
            let thinnest = THINNEST * program.height.sqrt();
            Ok(Paint {
                strokes: info.strokes,
                visible: info.visible_strokes,
                deposited: info.deposited_area,
                expelled: info.expelled_area,
                laid_outside: info.laid_outside_area,
                unseen: info.unseen_share,
                drawn: info.drawn,
                longer_than_wide: info.longer_than_wide,
                aspects: [aspect.q1, aspect.median, aspect.q3, aspect.p90],
                deciles: [info.visible_by_decile[0], info.visible_by_decile[9]],
                thinnest: shapes().filter(|s| s.half_width < thinnest).count(),
            })
        })
    }

    /// A value that takes a while, made once for the same inputs.
    pub fn cell<T: Serialize + DeserializeOwned>(
        &self,
        kind: &str,
        inputs: &Value,
        make: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let inputs = json!({ "version": env!("CARGO_PKG_VERSION"), "inputs": inputs });
        let folder = self.out.join("cells");
        let name = Digest::of_text(&inputs.to_string());
        let path = folder.join(format!("{kind}-{name}.json"));
        match read_json::<Cell<T>>(&path) {
            Some(cell) if cell.inputs == inputs => return Ok(cell.value),
            _ => {}
        }
        check_interrupt()?;
        let value = make()?;
        std::fs::create_dir_all(&folder).map_err(|e| Failure::file(&folder, e))?;
        write_json(&path, &Cell { inputs, value: &value })?;
        Ok(value)
    }
}

/// A value, and what it was made of.
#[derive(Serialize, Deserialize)]
struct Cell<T> {
    inputs: Value,
    value: T,
}

/// The same strokes under another operator.
pub fn under(program: &Program, operator: Operator) -> Result<Program, Failure> {
    let mut parts = program.clone().into_parts();
    parts.operator = operator;
    Ok(Program::new(parts)?)
}

/// The floor over the error.
pub fn floor_ratio(scores: &Scores) -> f64 {
    scores.floor / scores.mse.max(LEAST_ERROR)
}

/// The canvas, its longer side so many pixels.
pub fn canvas_view(program: &Program, side_px: u32) -> Result<View, Failure> {
    let longer = program.height.max(1.0);
    let pixels = |length: f64| ((f64::from(side_px) * length / longer).round() as u32).max(1);
    let (width, height) = (pixels(1.0), pixels(program.height));
    Ok(View::new(Region::canvas(program), Some(width), Some(height))?)
}

/// Tells programs apart.
pub fn digest(program: &Program) -> String {
    Digest::of_text(&tbr::format::write(program))
}

pub fn check_interrupt() -> Result<(), Failure> {
    if files::interrupted() {
        return Err(Failure::interrupted("stopped").hint("the same command goes on from here"));
    }
    Ok(())
}

/// What a file holds, if it is there and whole.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&files::read_bytes(path, MOST_BYTES).ok()?).ok()
}

pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Failure> {
    let mut output = Output::create(path)?;
    serde_json::to_writer_pretty(&mut output, value).map_err(|e| output.failure(e))?;
    output.write_all(b"\n").map_err(|e| output.failure(e))?;
    output.finish()
}
