//! Scores and losses by the trained networks, whose weights lie in a folder.

use crate::failure::Failure;
use std::path::Path;
use std::sync::Arc;
use tbr::Image;
use tbr::fit::{self, Fit, Solver, paper::Objective};
use tbr::score::Scores;
use tbr_net::{Lpips, VggFeatures, VggWeights, Weights};

/// How to get what the networks need.
pub const GET_WEIGHTS: &str = "scripts/fetch-weights gets them; then give --weights weights, or set TBR_WEIGHTS to the folder";

fn read(folder: &Path, file: &str) -> Result<Weights, Failure> {
    Weights::read(&folder.join(file)).map_err(|e| Failure::from(e).hint(GET_WEIGHTS))
}

/// Checks that both networks' weights are there.
pub fn check(folder: &Path) -> Result<(), Failure> {
    read(folder, Lpips::FILE)?;
    read(folder, VggFeatures::FILE).map(|_| ())
}

/// LPIPS of a picture; none if it is too small.
pub fn lpips(folder: &Path, picture: &Image, target: &Image) -> Result<Option<f64>, Failure> {
    let weights = read(folder, Lpips::FILE)?;
    if target.shorter_px() < Lpips::MIN_SIDE_PX {
        return Ok(None);
    }
    Ok(Some(Lpips::new(&weights, target)?.loss(picture)?))
}

/// The distance of VGG16's features; none if the picture is too small.
pub fn features(folder: &Path, picture: &Image, target: &Image) -> Result<Option<f64>, Failure> {
    let weights = read(folder, VggFeatures::FILE)?;
    if target.shorter_px() < VggFeatures::MIN_SIDE_PX {
        return Ok(None);
    }
    Ok(Some(VggFeatures::new(&weights, target)?.loss(picture)?))
}

/// The most pixels that VGG16 looks at, in a score or a fit: its features take 850 bytes a pixel, and a
/// gigabyte is what a command may take.
pub const MOST_FEATURE_PX: u64 = 1 << 20;

/// Adds the networks' scores; a network that needs a larger picture, or more memory than there
/// is, gives none.
pub fn score(
    scores: &mut Scores,
    picture: &Image,
    target: &Image,
    folder: &Path,
) -> Result<(), Failure> {
    // Both files are checked before anything long begins.
    check(folder)?;
    scores.lpips_alex = lpips(folder, picture, target)?;
    if target.pixels().len() as u64 <= MOST_FEATURE_PX {
        scores.vgg_feature = features(folder, picture, target)?;
    }
    Ok(())
}

/// Gives a fit the network, from the folder of weights, if it needs one.
pub fn equip(fit: Fit, options: &fit::Options, folder: Option<&Path>) -> Result<Fit, Failure> {
    let Solver::Paper(own) = &options.solver else { return Ok(fit) };
    let by_features = own.objective == Objective::Features;
    if own.data_scale.is_some() && !by_features {
        return Ok(fit);
    }
    let pixels = fit.target().image().pixels().len() as u64;
    match folder {
        Some(_) if pixels > MOST_FEATURE_PX => {
            let message = format!("VGG16 would look at {pixels} pixels (limit: {MOST_FEATURE_PX})");
            Err(Failure::limit(message).hint("give a smaller --size, or a --data-scale"))
        }
        Some(folder) => Ok(fit.with_loss(Arc::new(VggWeights(read(folder, VggFeatures::FILE)?)))),
        None if by_features => {
            let message = "--objective features needs the weights of VGG16";
            Err(Failure::usage(message).hint(GET_WEIGHTS))
        }
        None => Ok(fit),
    }
}
