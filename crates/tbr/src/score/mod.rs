//! Scores of a picture against a target: errors of pixels, structure, and features.
//! `docs/math.md`, section 15.

mod ssim;

pub use ssim::{SSIM_WINDOW_PX, ssim};

use crate::error::Result;
use crate::image::Image;
use crate::info::Info;
use crate::program::Colour;
use crate::program::colour::squared_distance;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The scores of a picture; `None` for those that could not be computed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
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
    /// LPIPS v0.1 on AlexNet; none without its weights, which the library does not have.
    pub lpips_alex: Option<f64>,
    /// Distance of VGG16's features; likewise.
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
    pub fn of_pixels(picture: &Image, target: &Image) -> Result<Self> {
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

    /// Adds what is counted of the program that made the picture.
    pub fn add_program(&mut self, info: &Info) {
        self.visible_strokes = Some(info.visible_strokes);
        self.deposited_area = Some(info.deposited_area);
        self.unseen_share = Some(info.unseen_share);
    }
}

/// Mean squared error over pixels and channels.
pub fn mse(picture: &Image, target: &Image) -> Result<f64> {
    picture.check_same_size(target)?;
    let square = |(a, b): (&Colour, &Colour)| squared_distance(*a, *b);
    let total = sum_of_rows(target.height_px() as usize, |y| {
        picture.row(y).iter().zip(target.row(y)).map(square).sum()
    });
    Ok(total / values(target))
}

/// The flat floor: the mean squared error of the best picture of one colour,
/// which is the mean colour.
pub fn floor(target: &Image) -> f64 {
    let (rows, pixels) = (target.height_px() as usize, target.pixels().len() as f64);
    let mean: Colour = std::array::from_fn(|c| {
        sum_of_rows(rows, |y| target.row(y).iter().map(|v| v[c]).sum()) / pixels
    });
    let square = |v: &Colour| squared_distance(*v, mean);
    sum_of_rows(rows, |y| target.row(y).iter().map(square).sum()) / values(target)
}

/// Peak signal-to-noise ratio of colours in [0, 1], in decibels; none for no error.
pub fn psnr(mse: f64) -> Option<f64> {
    (mse > 0.0).then(|| -10.0 * libm::log10(mse))
}

/// The mean squared error of so many decibels.
pub fn mse_of(psnr: f64) -> f64 {
    libm::exp10(-0.1 * psnr)
}

fn values(image: &Image) -> f64 {
    (3 * image.pixels().len()) as f64
}

/// A sum over rows that does not depend on the number of threads.
fn sum_of_rows(rows: usize, sum: impl Fn(usize) -> f64 + Sync) -> f64 {
    (0..rows).into_par_iter().map(&sum).collect::<Vec<f64>>().iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(width_px: u32, pixels: &[Colour]) -> Image {
        Image::new((width_px, pixels.len() as u32 / width_px), pixels.to_vec()).unwrap()
    }

    #[test]
    fn errors_of_two_pixels() {
        let (a, b) = ([[0.0, 0.5, 1.0], [0.2; 3]], [[0.3, 0.5, 0.6], [0.2, 0.2, 0.7]]);
        let (a, b) = (image(2, &a), image(2, &b));
        let (a, b) = (&a, &b);
        let expected = (0.09 + 0.16 + 0.25) / 6.0;
        assert!((mse(a, b).unwrap() - expected).abs() < 1e-15);
        assert_eq!(mse(a, a).unwrap(), 0.0);
        // Each channel's two values lie half their difference from their mean.
        let floor_b = 2.0 * (0.05_f64.powi(2) + 0.15_f64.powi(2) + 0.05_f64.powi(2)) / 6.0;
        assert!((floor(b) - floor_b).abs() < 1e-15);
        assert!((psnr(0.001).unwrap() - 30.0).abs() < 1e-12);
        assert_eq!(psnr(0.0), None);
        assert!((mse_of(30.0) - 0.001).abs() < 1e-15);
    }

    #[test]
    fn no_flat_picture_beats_the_floor_and_the_mean_reaches_it() {
        let target: Vec<Colour> = (0..35).map(|i| [i as f64 / 40.0, 0.3, 1.0]).collect();
        let target = &image(7, &target);
        let flat = |shift: f64| {
            let picture = [[17.0 / 40.0 + shift, 0.3, 1.0]; 35];
            mse(&image(7, &picture), target).unwrap()
        };
        assert!((flat(0.0) - floor(target)).abs() < 1e-15);
        assert!(flat(0.01) > floor(target) && flat(-0.01) > floor(target));
    }

    #[test]
    fn an_exact_picture_has_no_ratios() {
        let picture = [[0.25; 3]; 144];
        let picture = image(12, &picture);
        let scores = Scores::of_pixels(&picture, &picture).unwrap();
        assert_eq!((scores.mse, scores.floor_ratio, scores.psnr), (0.0, None, None));
        assert_eq!(scores.ssim, Some(1.0));
    }
}
