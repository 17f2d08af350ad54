//! What only `--preset paper` understands.

use std::path::Path;
use tbr::fit::paper::{Objective, PaperOptions};
use tbr::fit::{self, Solver};
use tbr_lab::WeightsArgs;

#[derive(clap::Args)]
#[command(next_help_heading = "With --preset paper")]
pub struct PaperArgs {
    /// Every stroke may be as wide as any
    #[arg(long)]
    free_width: bool,
    /// Every footprint stays in the middle 64 % of the canvas
    #[arg(long)]
    contain: bool,
    /// 200 steps at 512 pixels with a free width, then 40 at full size
    #[arg(long)]
    coarse_to_fine: bool,
    /// What is minimised: the error of pixels, or the distance of VGG16's features
    #[arg(long, value_enum, value_name = "WHAT")]
    objective: Option<Term>,
    /// Longer side at which VGG16 looks at renders, in pixels [default: 1024]
    #[arg(long, value_name = "PX", value_parser = clap::value_parser!(u32).range(16..=2048))]
    feature_size: Option<u32>,
    /// Price of the strokes' lengths, lambda [default: 0.0003]
    #[arg(long, value_name = "PRICE")]
    length_price: Option<f64>,
    /// Price of paint, `lambda_A`, a canvas [default: 0]
    #[arg(long, value_name = "PRICE")]
    area_price: Option<f64>,
    /// Price of paint that is not seen, `lambda_O`, a canvas [default: 0]
    #[arg(long, value_name = "PRICE")]
    unseen_price: Option<f64>,
    /// Mean squared error that is enough: below it, prices count for more
    #[arg(long, value_name = "MSE")]
    error_target: Option<f64>,
    /// Factor of the pixel error against the prices [default: measured with VGG16 at the
    /// start, or 270 without its weights]
    #[arg(long, value_name = "FACTOR")]
    data_scale: Option<f64>,
    #[command(flatten)]
    network: WeightsArgs,
}

/// What is minimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Term {
    /// Mean squared error of pixels
    Pixels,
    /// The distance of VGG16's features
    Features,
}

impl PaperArgs {
    /// The paper's settings with what is asked for.
    pub fn options(&self) -> fit::Options {
        let mut options =
            if self.coarse_to_fine { fit::Options::paper_staged() } else { fit::Options::paper() };
        if let Solver::Paper(own) = &mut options.solver {
            self.apply(own);
        }
        options
    }

    fn apply(&self, own: &mut PaperOptions) {
        own.free_width |= self.free_width;
        own.contain = self.contain;
        if self.objective == Some(Term::Features) {
            own.objective = Objective::Features;
        }
        own.feature_px = self.feature_size.unwrap_or(own.feature_px);
        own.prices.length = self.length_price.unwrap_or(own.prices.length);
        own.prices.area = self.area_price.unwrap_or(own.prices.area);
        own.prices.unseen = self.unseen_price.unwrap_or(own.prices.unseen);
        own.error_target = self.error_target;
        own.data_scale = self.data_scale;
    }

    /// An option that the other presets would pass over.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            ("--free-width", self.free_width),
            ("--contain", self.contain),
            ("--coarse-to-fine", self.coarse_to_fine),
            ("--objective", self.objective.is_some()),
            ("--feature-size", self.feature_size.is_some()),
            ("--length-price", self.length_price.is_some()),
            ("--area-price", self.area_price.is_some()),
            ("--unseen-price", self.unseen_price.is_some()),
            ("--error-target", self.error_target.is_some()),
            ("--data-scale", self.data_scale.is_some()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    /// Where the network's weights are, if they are.
    pub fn weights(&self) -> Option<&Path> {
        self.network.folder()
    }
}
