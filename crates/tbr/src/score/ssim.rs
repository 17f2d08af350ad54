//! Structural similarity (Wang et al. 2004).

use super::sum_of_rows;
use crate::error::Result;
use crate::image::Image;

/// Pixels along a side of the window.
pub const SSIM_WINDOW_PX: usize = 11;
/// The window's standard deviation, pixels, as Wang has it.
const SIGMA_PX: f64 = 1.5;
/// (0.01)^2 and (0.03)^2, for colours in [0, 1]: Wang's constants against
/// division by nothing.
const C1: f64 = 0.01 * 0.01;
const C2: f64 = 0.03 * 0.03;

/// Structural similarity: the mean over channels and over all windows that lie
/// inside the picture; 1 for equal pictures. None if no window does.
pub fn ssim(a: &Image, b: &Image) -> Result<Option<f64>> {
    a.check_same_size(b)?;
    let windows = |side: u32| (side as usize + 1).saturating_sub(SSIM_WINDOW_PX);
    let (across, down) = (windows(a.width_px()), windows(a.height_px()));
    if across == 0 || down == 0 {
        return Ok(None);
    }
    let kernel = gaussian();
    let row = |y: usize| (0..3).map(|channel| row_sum(a, b, y, channel, &kernel)).sum();
    Ok(Some(sum_of_rows(down, row) / (3 * across * down) as f64))
}

/// The window along one axis; it sums to 1.
fn gaussian() -> [f64; SSIM_WINDOW_PX] {
    let centre = (SSIM_WINDOW_PX / 2) as f64;
    let weight = |k: usize| {
        let distance = (k as f64 - centre) / SIGMA_PX;
        libm::exp(-0.5 * distance * distance)
    };
    let total: f64 = (0..SSIM_WINDOW_PX).map(weight).sum();
    std::array::from_fn(|k| weight(k) / total)
}

/// Weighted means of a, b, a^2, b^2 and ab.
type Moments = [f64; 5];

/// The similarity of one channel, summed over the windows whose upper edge is `y`.
fn row_sum(a: &Image, b: &Image, y: usize, channel: usize, kernel: &[f64]) -> f64 {
    let mut columns = vec![Moments::default(); a.width_px() as usize];
    for (k, weight) in kernel.iter().enumerate() {
        let pixels = a.row(y + k).iter().zip(b.row(y + k));
        for (moments, (a, b)) in columns.iter_mut().zip(pixels) {
            let (a, b) = (a[channel], b[channel]);
            add(moments, *weight, [a, b, a * a, b * b, a * b]);
        }
    }
    let window = |columns: &[Moments]| {
        let mut moments = Moments::default();
        kernel.iter().zip(columns).for_each(|(w, column)| add(&mut moments, *w, *column));
        similarity(moments)
    };
    columns.windows(SSIM_WINDOW_PX).map(window).sum()
}

fn add(sum: &mut Moments, weight: f64, values: Moments) {
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += weight * value;
    }
}

/// (2 ma mb + C1) (2 cov + C2) / ((ma^2 + mb^2 + C1) (va + vb + C2)).
fn similarity([mean_a, mean_b, aa, bb, ab]: Moments) -> f64 {
    let (var_a, var_b) = (aa - mean_a * mean_a, bb - mean_b * mean_b);
    let covariance = ab - mean_a * mean_b;
    let light = (2.0 * mean_a * mean_b + C1) / (mean_a * mean_a + mean_b * mean_b + C1);
    light * (2.0 * covariance + C2) / (var_a + var_b + C2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Colour;

    fn picture(width: usize, height: usize, value: impl Fn(usize, usize) -> f64) -> Vec<Colour> {
        (0..width * height).map(|i| [value(i % width, i / width); 3]).collect()
    }

    fn similarity_of(width: usize, a: &[Colour], b: &[Colour]) -> Option<f64> {
        let image = |pixels: &[Colour]| {
            Image::new((width as u32, (pixels.len() / width) as u32), pixels.to_vec()).unwrap()
        };
        ssim(&image(a), &image(b)).unwrap()
    }

    #[test]
    fn flat_pictures_differ_in_light_alone() {
        let (a, b) = (picture(13, 12, |_, _| 0.2), picture(13, 12, |_, _| 0.6));
        let expected = (2.0 * 0.2 * 0.6 + C1) / (0.04 + 0.36 + C1);
        assert!((similarity_of(13, &a, &b).unwrap() - expected).abs() < 1e-12);
    }

    #[test]
    fn a_negative_of_a_checkerboard_is_unlike() {
        let board = picture(20, 15, |x, y| if (x + y) % 2 == 0 { 0.4 } else { 0.6 });
        let negative: Vec<Colour> = board.iter().map(|v| v.map(|v| 1.0 - v)).collect();
        // Means are 0.5 and variances 0.01 but for the window's uneven sum.
        let expected = (C2 - 0.02) / (C2 + 0.02);
        assert!((similarity_of(20, &board, &negative).unwrap() - expected).abs() < 1e-3);
        assert_eq!(similarity_of(20, &board, &board), Some(1.0));
    }

    #[test]
    fn small_pictures_have_none_and_the_smallest_one_window() {
        let wave = |x: usize, y: usize| ((x * 7 + y * 3) % 10) as f64 / 10.0;
        let (a, b) = (picture(11, 11, wave), picture(11, 11, |x, y| wave(y, x)));
        assert_eq!(similarity_of(10, &a[..100], &b[..100]), None);
        // The definition, with the window as a square of weights.
        let kernel = gaussian();
        let mut moments = Moments::default();
        for (i, (a, b)) in a.iter().zip(&b).enumerate() {
            let (a, b) = (a[0], b[0]);
            add(&mut moments, kernel[i % 11] * kernel[i / 11], [a, b, a * a, b * b, a * b]);
        }
        let found = similarity_of(11, &a, &b).unwrap();
        assert!((found - similarity(moments)).abs() < 1e-12);
    }
}
