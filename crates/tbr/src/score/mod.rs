//! How like a target a picture is: errors of pixels, structure, and features.
//! `docs/math.md`, section 15.

mod ssim;

pub use ssim::{SSIM_WINDOW_PX, ssim};

use crate::error::Result;
use crate::info::Info;
use crate::network::{Lpips, VggFeatures, Weights};
use crate::program::{Colour, Program};
use crate::raster::Raster;
use crate::render::{Options, Replay, View};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The scores of a picture. What cannot be had is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Mean squared error, over pixels and channels.
    pub mse: f64,
    /// The mean squared error of the best picture of one colour.
    pub floor: f64,
    /// `floor` over `mse`; none if the picture is exact.
    pub floor_ratio: Option<f64>,
    /// Peak signal-to-noise ratio, decibels; none if the picture is exact.
    pub psnr: Option<f64>,
    /// Structural similarity; none for pictures smaller than its window.
    pub ssim: Option<f64>,
    /// LPIPS v0.1 on AlexNet; none without weights.
    pub lpips_alex: Option<f64>,
    /// Distance of VGG16's features; none without weights.
    pub vgg_feature: Option<f64>,
    /// Strokes that are seen; none if no program made the picture.
    pub visible_strokes: Option<usize>,
    /// All deposits together, in canvases; likewise.
    pub deposited_area: Option<f64>,
    /// Share of the deposited paint that is not seen; likewise.
    pub unseen_share: Option<f64>,
}

impl Scores {
    /// The scores that need pixels only. Pictures must be of one size.
    pub fn of_pixels(picture: Raster, target: Raster) -> Result<Self> {
        let mse = mse(picture, target)?;
        let floor = floor(target);
        Ok(Self {
            mse,
            floor,
            floor_ratio: (mse > 0.0).then(|| floor / mse),
            psnr: psnr(mse),
            ssim: ssim(picture, target)?,
            ..Self::default()
        })
    }

    /// Adds the scores of the networks whose weights lie in a folder; a network
    /// that needs a larger picture gives none.
    pub fn add_networks(&mut self, picture: Raster, target: Raster, folder: &Path) -> Result<()> {
        let side = target.width_px().min(target.height_px());
        let weights = |file: &str| Weights::read(&folder.join(file));
        // Both files are checked before anything long begins.
        let (alex, vgg) = (weights(Lpips::FILE)?, weights(VggFeatures::FILE)?);
        if side >= Lpips::MIN_SIDE_PX {
            self.lpips_alex = Some(Lpips::new(&alex, target)?.loss(picture)?);
        }
        if side >= VggFeatures::MIN_SIDE_PX {
            self.vgg_feature = Some(VggFeatures::new(&vgg, target)?.loss(picture)?);
        }
        Ok(())
    }

    /// Adds what is counted of the program that made the picture.
    pub fn add_program(&mut self, info: &Info) {
        self.visible_strokes = Some(info.visible_strokes);
        self.deposited_area = Some(info.deposited_area);
        self.unseen_share = Some(info.unseen_share);
    }
}

/// The picture that is scored: the hard render, one sample at each pixel's centre,
/// colours as the program has them.
pub fn hard_render(program: &Program, view: View) -> Result<Vec<Colour>> {
    let replay = Replay::new(program, view, &Options::default())?;
    let colour = |owner: u32| match owner {
        0 => program.background,
        stroke => program.colour(program.strokes[stroke as usize - 1].paint),
    };
    Ok(replay.owners(0..replay.strips()).into_iter().map(colour).collect())
}

/// Mean squared error over pixels and channels.
pub fn mse(picture: Raster, target: Raster) -> Result<f64> {
    picture.check_same_size(target)?;
    let square =
        |(a, b): (&Colour, &Colour)| -> f64 { (0..3).map(|c| (a[c] - b[c]) * (a[c] - b[c])).sum() };
    let total = sum_of_rows(target.height_px(), |y| {
        picture.row(y).iter().zip(target.row(y)).map(square).sum()
    });
    Ok(total / values(target))
}

/// The flat floor: the mean squared error of the best picture of one colour,
/// which is the mean colour.
pub fn floor(target: Raster) -> f64 {
    let pixels = target.colours().len() as f64;
    let mean: Colour = std::array::from_fn(|c| {
        sum_of_rows(target.height_px(), |y| target.row(y).iter().map(|v| v[c]).sum()) / pixels
    });
    let square = |v: &Colour| -> f64 { (0..3).map(|c| (v[c] - mean[c]) * (v[c] - mean[c])).sum() };
    sum_of_rows(target.height_px(), |y| target.row(y).iter().map(square).sum()) / values(target)
}

/// Peak signal-to-noise ratio of colours in [0, 1], in decibels; none for no error.
pub fn psnr(mse: f64) -> Option<f64> {
    (mse > 0.0).then(|| -10.0 * libm::log10(mse))
}

fn values(raster: Raster) -> f64 {
    (3 * raster.colours().len()) as f64
}

/// A sum over rows that does not depend on the number of threads.
fn sum_of_rows(rows: usize, sum: impl Fn(usize) -> f64 + Sync) -> f64 {
    (0..rows).into_par_iter().map(&sum).collect::<Vec<f64>>().iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Region;
    use crate::{format, prior};

    #[test]
    fn errors_of_two_pixels() {
        let (a, b) = ([[0.0, 0.5, 1.0], [0.2; 3]], [[0.3, 0.5, 0.6], [0.2, 0.2, 0.7]]);
        let (a, b) = (Raster::new(2, &a).unwrap(), Raster::new(2, &b).unwrap());
        let expected = (0.09 + 0.16 + 0.25) / 6.0;
        assert!((mse(a, b).unwrap() - expected).abs() < 1e-15);
        assert_eq!(mse(a, a).unwrap(), 0.0);
        // Each channel's two values lie half their difference from their mean.
        let floor_b = 2.0 * (0.05_f64.powi(2) + 0.15_f64.powi(2) + 0.05_f64.powi(2)) / 6.0;
        assert!((floor(b) - floor_b).abs() < 1e-15);
        assert!((psnr(0.001).unwrap() - 30.0).abs() < 1e-12);
        assert_eq!(psnr(0.0), None);
    }

    #[test]
    fn no_flat_picture_beats_the_floor_and_the_mean_reaches_it() {
        let target: Vec<Colour> = (0..35).map(|i| [i as f64 / 40.0, 0.3, 1.0]).collect();
        let target = Raster::new(7, &target).unwrap();
        let flat = |shift: f64| {
            let picture = [[17.0 / 40.0 + shift, 0.3, 1.0]; 35];
            mse(Raster::new(7, &picture).unwrap(), target).unwrap()
        };
        assert!((flat(0.0) - floor(target)).abs() < 1e-15);
        assert!(flat(0.01) > floor(target) && flat(-0.01) > floor(target));
    }

    #[test]
    fn an_exact_picture_has_no_ratios() {
        let picture = [[0.25; 3]; 144];
        let raster = Raster::new(12, &picture).unwrap();
        let scores = Scores::of_pixels(raster, raster).unwrap();
        assert_eq!((scores.mse, scores.floor_ratio, scores.psnr), (0.0, None, None));
        assert_eq!(scores.ssim, Some(1.0));
    }

    #[test]
    fn the_scored_render_is_the_replay_before_colours_are_rounded() {
        let program = prior::program(40, 0.6, 3).unwrap();
        let view = View::new(Region::canvas(&program), Some(300), None).unwrap();
        let exact = hard_render(&program, view).unwrap();
        let replay = Replay::new(&program, view, &Options::default()).unwrap();
        for (exact, pixel) in exact.iter().zip(replay.pixels(0..replay.strips())) {
            assert_eq!(exact.map(|v| v as f32), [pixel[0], pixel[1], pixel[2]]);
        }
        let bare = format::parse(
            br#"{"format": "tbr-program", "version": 1, "canvas": {"width": 1, "height": 1},
 "background": [0.1, 0.2, 0.3], "operator": "capsule", "palette": [], "strokes": [], "provenance": {}}"#,
        )
        .unwrap();
        let view = View::new(Region::canvas(&bare), Some(4), None).unwrap();
        assert_eq!(hard_render(&bare, view).unwrap(), [[0.1, 0.2, 0.3]; 16]);
    }
}
