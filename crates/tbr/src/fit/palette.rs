//! Palettes chosen for a picture, by k-means.

use super::mean::Mean;
use super::salience;
use super::target::Target;
use crate::program::colour::squared_distance;
use crate::program::{Colour, nearest};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Rounds of k-means, at most: it ends when the palette has settled.
const ROUNDS: usize = 60;
/// Longer side of the picture that [`of_picture`] looks at.
const SIDE_PX: u32 = 256;
/// Random starts of [`for_eyes`], of which the best is kept. More are slower; a single one may
/// miss the rare colour.
const STARTS: u64 = 8;
/// Entries that are exchanged after each start, at most: as many as a small palette has.
const EXCHANGES: usize = 8;
/// Steps along a side of the cube of colours; while it searches, [`for_eyes`] takes pixels in the
/// same cell for one. More are slower; with half as many, seven greys came out uneven.
const STEPS: f64 = 64.0;
/// The palette by pixels stays unless the error of salient pixels falls by this share of all. With
/// nothing, ordinary pictures get other palettes for a few edges, and lose some percent of their
/// floor ratio; with much more, small boats lose their red.
const WORTHWHILE: f64 = 0.03;
/// Larger palettes are chosen by pixels: they have room for rare colours anyway, and the search
/// would take seconds.
const MOST_FOR_EYES: usize = 32;

/// The best palette of `count` colours for a picture, by k-means from a start that
/// spreads (k-means++).
pub fn of_picture(target: &Target, count: usize, seed: u64) -> Vec<Colour> {
    let samples = Samples::of(&target.at_most(SIDE_PX));
    samples.settled(samples.spread(count, seed))
}

/// A palette of `count` colours that keeps what eyes look for: pixels of rare colours count for
/// more than one (equation F5 of `docs/math.md`). None where the palette by pixels has them all.
pub fn for_eyes(target: &Target, count: usize, seed: u64) -> Option<Vec<Colour>> {
    if count > MOST_FOR_EYES {
        return None;
    }
    let usual = of_picture(target, count, seed);
    let small = target.at_most(salience::SIDE_PX);
    let (pixels, samples) = (Samples::of(&small), Samples::salient(&small, &usual));
    let merged = samples.merged();
    let starts = (0..STARTS).map(|k| merged.spread(count, seed.wrapping_add(k)));
    let found: Vec<Vec<Colour>> =
        starts.chain([usual.clone()]).map(|start| merged.improved(merged.settled(start))).collect();
    let best = found.into_iter().min_by(|a, b| merged.error(a).total_cmp(&merged.error(b)))?;
    let best = samples.settled(best);
    // What palettes err by for the sake of salience alone.
    let extra = |palette: &[Colour]| samples.error(palette) - pixels.error(palette);
    let worthwhile = extra(&usual) - extra(&best) > WORTHWHILE * samples.error(&usual);
    worthwhile.then_some(best)
}

/// Colours, and how much each counts.
struct Samples {
    colours: Vec<Colour>,
    weights: Vec<f64>,
}

impl Samples {
    /// A picture's pixels.
    fn of(target: &Target) -> Self {
        let (colours, weights) = target.weighted().unzip();
        Self { colours, weights }
    }

    /// A picture's pixels, by how salient they are beside the colours of a palette.
    fn salient(target: &Target, common: &[Colour]) -> Self {
        let mut samples = Self::of(target);
        let salience = salience::of_pixels(target, common);
        for (weight, salience) in samples.weights.iter_mut().zip(salience) {
            *weight *= f64::from(salience);
        }
        samples
    }

    /// Colours in the same cell of the cube as one.
    fn merged(&self) -> Self {
        let mut cells: BTreeMap<[u8; 3], (Mean, f64)> = BTreeMap::new();
        for (colour, weight) in self.colours.iter().zip(&self.weights) {
            let (mean, sum) = cells.entry(colour.map(|v| (v * STEPS) as u8)).or_default();
            mean.add(*colour, *weight);
            *sum += weight;
        }
        let seen = cells.into_values().filter_map(|(mean, sum)| Some((mean.get()?, sum)));
        let (colours, weights) = seen.unzip();
        Self { colours, weights }
    }

    /// K-means: each entry becomes the mean of the colours that it is nearest to, until that
    /// changes nothing.
    fn settled(&self, mut palette: Vec<Colour>) -> Vec<Colour> {
        for _ in 0..ROUNDS {
            let mut means = vec![Mean::default(); palette.len()];
            let entries: Vec<Option<usize>> =
                self.colours.par_iter().map(|colour| nearest(&palette, *colour)).collect();
            for ((colour, weight), entry) in self.colours.iter().zip(&self.weights).zip(entries) {
                if let Some(k) = entry {
                    means[k].add(*colour, *weight);
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

    /// A palette in which the colour that costs most has taken the place of the entry that is
    /// missed least, as often as that helps.
    fn improved(&self, mut palette: Vec<Colour>) -> Vec<Colour> {
        for _ in 0..EXCHANGES {
            let Some(other) = self.exchanged(&palette) else { break };
            palette = other;
        }
        palette
    }

    /// A palette with one entry exchanged, if it is better.
    fn exchanged(&self, palette: &[Colour]) -> Option<Vec<Colour>> {
        let costs: Vec<f64> = self.costs(palette).collect();
        let worst = (0..costs.len()).max_by(|a, b| costs[*a].total_cmp(&costs[*b]))?;
        let more = self.settled([palette, &[self.colours[worst]]].concat());
        let without = |k: usize| {
            let others = more.iter().enumerate().filter(|(other, _)| *other != k);
            others.map(|(_, colour)| *colour).collect::<Vec<Colour>>()
        };
        let fewer = (0..more.len()).map(without);
        let best = fewer.min_by(|a, b| self.error(a).total_cmp(&self.error(b)))?;
        let best = self.settled(best);
        (self.error(&best) < self.error(palette)).then_some(best)
    }

    /// Colours, each drawn with a chance that grows with its squared distance from those drawn
    /// before.
    fn spread(&self, count: usize, seed: u64) -> Vec<Colour> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut mean = Mean::default();
        for (colour, weight) in self.colours.iter().zip(&self.weights) {
            mean.add(*colour, *weight);
        }
        let mut palette = vec![mean.get().unwrap_or_default()];
        let mut distances: Vec<f64> = vec![f64::MAX; self.colours.len()];
        while palette.len() < count + 1 {
            let newest = palette[palette.len() - 1];
            for (d, colour) in distances.iter_mut().zip(&self.colours) {
                *d = d.min(squared_distance(*colour, newest));
            }
            let chances = distances.iter().zip(&self.weights).map(|(d, w)| d * w);
            let total: f64 = chances.clone().sum();
            let mut rest = rng.random::<f64>() * total;
            let drawn = chances.clone().position(|c| {
                rest -= c;
                rest < 0.0
            });
            palette.push(self.colours[drawn.unwrap_or(0)]);
        }
        palette.split_off(1)
    }

    /// The weighted squared error of a palette.
    fn error(&self, palette: &[Colour]) -> f64 {
        self.costs(palette).sum()
    }

    /// What each colour has of it.
    fn costs(&self, palette: &[Colour]) -> impl Iterator<Item = f64> {
        self.colours.iter().zip(&self.weights).map(|(colour, weight)| {
            let entry = nearest(palette, *colour).map_or(*colour, |k| palette[k]);
            weight * squared_distance(*colour, entry)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Image;

    const SIDE: u32 = 128;

    /// A picture of shades of grey in waves, but where `other` has a colour.
    fn grey(other: impl Fn(u32, u32) -> Option<Colour>) -> Target {
        let shade = |i: u32, j: u32| {
            let (x, y) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
            [0.5 + 0.25 * libm::sin(x + libm::sin(y)) + 0.15 * libm::sin(2.0 * y); 3]
        };
        let colour = |k: u32| {
            let (i, j) = (k % SIDE, k / SIDE);
            other(i, j).unwrap_or_else(|| shade(i, j))
        };
        let pixels = (0..SIDE * SIDE).map(colour).collect();
        Target::new(Image::new((SIDE, SIDE), pixels).unwrap(), None).unwrap()
    }

    const RED: Colour = [0.75, 0.2, 0.15];

    /// A dot of 25 of 16,384 pixels.
    fn dot(i: u32, j: u32) -> Option<Colour> {
        ((60..65).contains(&i) && (40..45).contains(&j)).then_some(RED)
    }

    /// How far the nearest entry is from a colour.
    fn off(palette: &[Colour], colour: Colour) -> f64 {
        let entry = palette[nearest(palette, colour).unwrap()];
        squared_distance(entry, colour).sqrt()
    }

    #[test]
    fn flat_colours_are_the_palette() {
        let inks = [[0.1, 0.2, 0.5], [0.9, 0.9, 0.8], RED, [0.1, 0.5, 0.2]];
        let pixels = (0..SIDE * SIDE).map(|k| inks[(k % SIDE / 32) as usize]).collect();
        let target = Target::new(Image::new((SIDE, SIDE), pixels).unwrap(), None).unwrap();
        for seed in 0..4 {
            let by_eyes = for_eyes(&target, 4, seed);
            for palette in [of_picture(&target, 4, seed), by_eyes.unwrap_or(inks.to_vec())] {
                assert!(inks.iter().all(|ink| off(&palette, *ink) < 1e-9), "{palette:?}");
            }
        }
    }

    /// A colour that pixels lose is kept by eyes, whatever the seed, and always the same for one.
    #[test]
    fn a_rare_colour_is_kept() {
        let target = grey(dot);
        for seed in 0..4 {
            let (pixels, eyes) = (of_picture(&target, 6, seed), for_eyes(&target, 6, seed));
            assert!(off(&pixels, RED) > 0.2, "{pixels:?}");
            assert!(off(eyes.as_ref().unwrap(), RED) < 0.1, "{eyes:?}");
            assert_eq!(eyes, for_eyes(&target, 6, seed));
        }
    }

    /// As many red pixels as in the dot, but each alone, are noise.
    #[test]
    fn noise_is_not_kept() {
        let specks = |i: u32, j: u32| (i % 25 == 7 && j % 25 == 19).then_some(RED);
        for seed in 0..4 {
            assert_eq!(for_eyes(&grey(specks), 6, seed), None);
            assert_eq!(for_eyes(&grey(|_, _| None), 6, seed), None);
        }
    }
}
