//! The setting of the experiments: sizes, pictures, and cached fits and scores.

use super::paint::PaintFigures;
use super::raster;
use crate::archive;
use crate::fits::{Arm, FitJob, Fitted, Key};
use crate::subject::{Subject, canvas_view, scores};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::PathBuf;
use tbr::fit::{Options, Solver, Target, paper};
use tbr::render::render_view;
use tbr::score::Scores;
use tbr::{Image, Operator, Program};
use tbr_io::Failure;
use tbr_io::digest::Digest;
use tbr_io::networks;
use tbr_io::progress::Progress;

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
    /// The bar of the experiment that is being run.
    pub progress: Progress,
}

impl Lab {
    /// Another program's picture of a subject, at the lab's size; none if there is none.
    pub fn raster(&self, subject: &Subject) -> Result<Option<Image>, Failure> {
        let Some(folder) = &self.rasters else { return Ok(None) };
        let target = subject.target(self.sizes.side_px)?;
        raster::read(folder, &subject.name, target.image().size())
    }

    /// Are the networks' weights at hand?
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
    pub fn paper_with(&self, change: impl FnOnce(&mut paper::PaperOptions)) -> Options {
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
        let folder = self.out.join("fits").join(self.folder()).join(&subject.name);
        let job = FitJob {
            made_by: "tbr reproduce",
            title: format!("{}, {}", subject.name, arm.name),
            target: &target,
            key: Key::new(&target, &arm.options, self.has_weights()),
            path: folder.join(format!("{}.tbr.json", arm.name)),
        };
        if let Some(fitted) = job.done() {
            return Ok(fitted);
        }
        std::fs::create_dir_all(&folder).map_err(|e| Failure::file(&folder, e))?;
        self.progress.aside(|| job.run(self.weights.as_deref()))
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
            "program": Digest::of_program(program),
            "picture": Digest::of_target(&target),
            "networks": self.has_weights(),
        });
        self.cell("score", &inputs, || {
            self.score_image(&render_view(program, target.view())?, &target)
        })
    }

    /// How like a target a picture is.
    pub fn score_image(&self, picture: &Image, target: &Target) -> Result<Scores, Failure> {
        scores(picture, target.image(), self.weights.as_deref())
    }

    /// The distance of deep features of a program's replay; none without weights, or if the
    /// picture is too small. Cached.
    pub fn features(
        &self,
        of: &Subject,
        program: &Program,
        side_px: u32,
    ) -> Result<Option<f64>, Failure> {
        let Some(folder) = &self.weights else { return Ok(None) };
        let target = of.target(side_px)?;
        let inputs = json!({
            "program": Digest::of_program(program),
            "picture": Digest::of_target(&target),
        });
        self.cell("features", &inputs, || {
            let picture = render_view(program, target.view())?;
            networks::features(folder, &picture, target.image())
        })
    }

    /// What became of a program's paint. Cached.
    pub fn paint(&self, program: &Program) -> Result<PaintFigures, Failure> {
        let width_px = canvas_view(program, self.sizes.side_px)?.width_px;
        let inputs = json!({ "program": Digest::of_program(program), "width": width_px });
        self.cell("paint", &inputs, || PaintFigures::of(program, width_px))
    }

    /// A value that is measured: like [`Lab::cell`], and the bar is away, for nothing may disturb
    /// what is timed.
    pub fn timed_cell<T: Serialize + DeserializeOwned>(
        &self,
        kind: &str,
        inputs: &Value,
        make: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.cell(kind, inputs, || self.progress.aside(make))
    }

    /// A value that takes a while, computed once for the same inputs: all that decides it but
    /// the code. What comes from a fit that is not among them is decided by the solver, too:
    /// then [`tbr::fit::SOLVER_REVISION`] is one of them.
    pub fn cell<T: Serialize + DeserializeOwned>(
        &self,
        kind: &str,
        inputs: &Value,
        make: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        archive::cell(&self.out.join("cells"), kind, inputs, make)
    }
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
