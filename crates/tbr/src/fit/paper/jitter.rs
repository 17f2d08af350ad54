//! Pixels that are moved off their centres in the last steps.

use crate::fit::solver::StepContext;
use crate::image::{Region, View};

/// Share of the steps that look at the pixels' centres.
const UNJITTERED_SHARE: f64 = 0.8;
/// Steps, in pixels, that fill a square evenly: powers of 1 / 1.3247..., the real root of
/// x^3 = x + 1.
const JITTER_PX: [f64; 2] = [0.754_877_666_246_692_7, 0.569_840_290_998_053_2];

/// The stage's view, in the last steps moved by up to half a pixel, another way in each:
/// strokes that only ever met the pixels' centres would fit these a little better than the
/// picture between them.
pub(super) fn jittered(context: &StepContext) -> View {
    let view = context.target.view();
    let step = context.step as f64;
    if step < UNJITTERED_SHARE * context.steps as f64 {
        return view;
    }
    let off_centre = |k: usize| libm::fmod(step * JITTER_PX[k], 1.0) - 0.5;
    let (Region { x, y, .. }, pixel) = (view.region, view.pixel());
    let (x, y) = (x + off_centre(0) * pixel.x, y + off_centre(1) * pixel.y);
    View { region: Region { x, y, ..view.region }, ..view }
}
