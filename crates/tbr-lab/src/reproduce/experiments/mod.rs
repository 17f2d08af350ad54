//! The experiments, each by its name.

mod ablations;
mod compensation;
mod ground_truth;
mod noise;
mod operators;
mod pictures;
mod prices;
mod recovery;
mod resolution;
mod speed;
mod transfer;

use super::lab::Lab;
use super::section::Section;
use tbr_io::Failure;

/// One of the paper's experiments.
pub struct Experiment {
    pub name: &'static str,
    pub title: &'static str,
    /// Can nothing of it be had without the networks' weights?
    pub needs_weights: bool,
    pub run: fn(&Lab) -> Result<Section, Failure>,
}

const fn experiment(
    name: &'static str,
    title: &'static str,
    run: fn(&Lab) -> Result<Section, Failure>,
) -> Experiment {
    Experiment { name, title, needs_weights: false, run }
}

/// The paper's three artworks, by the names of their files, and its floor ratios of them.
pub const ARTWORKS: [(&str, f64); 3] =
    [("great_wave", 3.8), ("starry_night", 2.7), ("mona_lisa", 8.5)];

/// All, in the order of the paper.
pub const ALL: [Experiment; 25] = [
    experiment("verification", "Numerical verification", operators::verification),
    experiment("displacement", "Displacement under four operators", operators::displacement),
    experiment("calibrated", "The calibrated operator", operators::calibrated),
    experiment("adjoint", "The adjoint", operators::adjoint),
    experiment("recovery", "Recovery, executed and imagined", recovery::run),
    experiment("statistics", "Paired analysis", recovery::statistics),
    experiment("out-of-domain", "Artworks", recovery::out_of_domain),
    experiment("compensation", "Closed-form compensation", compensation::run),
    experiment("transfer", "Transfer to sixteen drops", transfer::run),
    experiment("ground-truth", "Known programs, recovered", ground_truth::run),
    experiment("refit", "Recovered programs, recovered again", ground_truth::refit),
    experiment("noise", "Re-runs and seeds", noise::run),
    experiment("resolution", "Replay at three sizes", resolution::run),
    experiment("speed", "Time against error", speed::run),
    experiment("containment", "Containment", prices::containment),
    experiment("budget", "Paint as a price", prices::budget),
    experiment("unseen", "A price on paint that is not seen", prices::unseen),
    experiment("count", "The number of strokes", ablations::count),
    experiment("stroke-type", "Drops alone, and the calibrated operator", ablations::stroke_type),
    Experiment {
        needs_weights: true,
        ..experiment("objective", "The deep-feature objective", ablations::objective)
    },
    experiment("edits", "Edits", pictures::edits),
    experiment("prefixes", "How a program grows", pictures::prefixes),
    experiment("residual", "Where the error is", pictures::residual),
    experiment("pictures", "All pictures", pictures::pictures),
    experiment("raster", "Pictures of other programs", recovery::raster),
];

/// A ratio.
fn times(ratio: f64) -> String {
    format!("{ratio:.2}x")
}

/// A change, of 0.1 for 10 per cent.
fn change(share: f64) -> String {
    format!("{:+.1} %", 100.0 * share)
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// Ours, and the paper's in brackets.
fn beside(ours: impl std::fmt::Display, paper: impl std::fmt::Display) -> String {
    format!("{ours} ({paper})")
}

/// Ours, and the paper's in brackets if it has one.
fn beside_if(ours: impl std::fmt::Display, paper: Option<&str>) -> String {
    paper.map_or_else(|| ours.to_string(), |paper| beside(&ours, paper))
}

/// A score that may be missing.
fn optional(value: Option<f64>, text: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| "not run".into(), text)
}

/// Each number over the other.
fn over(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a / b).collect()
}
