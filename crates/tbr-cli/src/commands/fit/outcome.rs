//! What has become of a picture.

use tbr::Program;
use tbr::fit::Target;
use tbr_io::fit::options_of;

/// What has become of a picture that could be fitted.
pub struct Outcome {
    pub status: Status,
    /// Width and height of the picture that was fitted.
    pub size: (u32, u32),
    pub strokes: usize,
    /// Gradient steps.
    pub steps: usize,
    /// None if the replay is exact.
    pub floor_ratio: Option<f64>,
    /// Mean squared error, hard edges.
    pub error: Option<f64>,
}

/// When it was fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Now.
    Fitted,
    /// Before this command: nothing was to be done.
    DoneBefore,
}

impl Outcome {
    /// That of a picture with its program.
    pub fn of(status: Status, program: &Program, target: &Target) -> Self {
        let ratio = program.provenance().number("floor_ratio");
        let error = ratio.map_or(0.0, |ratio| target.floor() / ratio);
        Self {
            status,
            size: target.image().size(),
            strokes: program.strokes().len(),
            steps: options_of(program).map_or(0, |options| options.steps()),
            floor_ratio: ratio,
            error: error.is_finite().then_some(error),
        }
    }
}
