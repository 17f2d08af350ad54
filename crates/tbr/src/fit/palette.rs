//! Palettes chosen for a picture, by k-means.

use super::mean::Mean;
use super::target::Target;
use crate::program::colour::squared_distance;
use crate::program::{Colour, nearest};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Rounds of [`of_picture`], at most: it ends when the palette has settled.
const ROUNDS: usize = 60;
/// Longer side of the picture that [`of_picture`] looks at.
const SIDE_PX: u32 = 256;

/// The best palette of `count` colours for a picture, by k-means from a start that
/// spreads (k-means++).
pub fn of_picture(target: &Target, count: usize, seed: u64) -> Vec<Colour> {
    let small = target.at_most(SIDE_PX);
    let mut palette = spread(&small, count, seed);
    for _ in 0..ROUNDS {
        let mut means = vec![Mean::default(); palette.len()];
        let entries: Vec<Option<usize>> =
            small.image().pixels().par_iter().map(|colour| nearest(&palette, *colour)).collect();
        for ((colour, weight), entry) in small.weighted().zip(entries) {
            if let Some(k) = entry {
                means[k].add(colour, weight);
            }
        }
        let before = palette.clone();
        for (entry, mean) in palette.iter_mut().zip(means) {
            *entry = mean.get().unwrap_or(*entry);
        }
        if palette == before {
            break;
        }
    }
    palette
}

/// Pixels' colours, each drawn with a chance that grows with its squared distance from
/// those drawn before.
fn spread(target: &Target, count: usize, seed: u64) -> Vec<Colour> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let colours = target.image().pixels();
    let mut palette = vec![target.mean()];
    let mut distances: Vec<f64> = vec![f64::MAX; colours.len()];
    while palette.len() < count + 1 {
        let newest = palette[palette.len() - 1];
        for (d, colour) in distances.iter_mut().zip(colours) {
            *d = d.min(squared_distance(*colour, newest));
        }
        let chances = distances.iter().zip(target.weights()).map(|(d, w)| d * f64::from(*w));
        let total: f64 = chances.clone().sum();
        let mut rest = rng.random::<f64>() * total;
        let drawn = chances.clone().position(|c| {
            rest -= c;
            rest < 0.0
        });
        palette.push(colours[drawn.unwrap_or(0)]);
    }
    palette.split_off(1)
}
