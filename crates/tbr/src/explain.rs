//! Pictures that explain a program: who owns a pixel, how late its owner was laid, and
//! how far a picture is from its target.
//!
//! Colours are chosen in OKLab, where equal distances look about equal, as a lightness, a
//! chroma and a hue.

use crate::error::Result;
use crate::image::{Image, View};
use crate::program::colour::to_bytes;
use crate::program::{Colour, Program};
use crate::render::{Replay, ReplayOptions};
use std::collections::HashSet;
use std::f64::consts::TAU;
use std::ops::Range;

/// What an error is multiplied by in [`error_map`]: at 1 the errors of a good fit, a few
/// hundredths, are black on black; above 8 all are white.
pub const ERROR_GAIN: f64 = 4.0;
/// The bare canvas in maps: brighter than any stroke's colour.
pub const BARE: Colour = [1.0; 3];

/// Turn of the hue from one stroke to the next, as a share of the circle: the golden ratio's,
/// which keeps any few neighbours far apart.
const HUE_STEP: f64 = 0.618_033_988_749_894_9;
/// Steps of lightness and chroma, as shares of their ranges: powers of the plastic ratio,
/// which fill a square as evenly as the golden ratio does a circle.
const LIGHTNESS_STEP: f64 = 0.754_877_666_246_692_7;
const CHROMA_STEP: f64 = 0.569_840_290_998_053_2;
/// Lightness of strokes in the ownership map: black outlines are not needed to see them, and
/// none is near white.
const OWNER_LIGHTNESS: Range<f64> = 0.48..0.82;
/// Their chroma: below it they are greys, above it most hues cannot be shown.
const OWNER_CHROMA: Range<f64> = 0.06..0.13;

/// Lightness of the first and of the last stroke in the age map.
const AGE_LIGHTNESS: Range<f64> = 0.22..0.92;
/// Their hues, as shares of the circle: from blue by way of red to yellow, each at a lightness
/// that it can have.
const AGE_HUE: Range<f64> = 0.79..1.28;
/// Chroma of the age map: the most that its first, dark blue can have. That it does not
/// change makes the ramp a helix, along which equal steps are equally long.
const AGE_CHROMA: f64 = 0.12;

/// Each stroke in a colour that no other has, the bare canvas [`BARE`]. Owners are those of
/// [`Replay::owners`](crate::render::Replay::owners).
pub fn ownership_map(program: &Program, owners: &[u32]) -> Vec<Colour> {
    painted(owners, &owner_colours(program.strokes().len()))
}

/// Each stroke by its place in the program, as [`age_colour`] has it, the bare canvas
/// [`BARE`].
pub fn age_map(program: &Program, owners: &[u32]) -> Vec<Colour> {
    let last = program.strokes().len().saturating_sub(1).max(1) as f64;
    let ages = (0..program.strokes().len()).map(|index| age_colour(index as f64 / last));
    painted(owners, &std::iter::once(BARE).chain(ages).collect::<Vec<_>>())
}

/// The colour of a stroke in the age map: dark for the first, 0, bright for the last, 1, and
/// between them as far in looks as in number.
pub fn age_colour(share: f64) -> Colour {
    let share = share.clamp(0.0, 1.0);
    srgb(lerp(AGE_LIGHTNESS, share), AGE_CHROMA, lerp(AGE_HUE, share)).map(whole)
}

/// The absolute error of each channel, [`ERROR_GAIN`] times as bright as it is: black is
/// exact. Pictures must be of one size.
pub fn error_map(picture: &Image, target: &Image) -> Result<Image> {
    picture.check_same_size(target)?;
    let error = |a: &Colour, b: &Colour| {
        std::array::from_fn(|c| (ERROR_GAIN * (a[c] - b[c]).abs()).min(1.0))
    };
    let pairs = picture.pixels().iter().zip(target.pixels());
    Image::new(picture.size(), pairs.map(|(a, b)| error(a, b)).collect())
}

/// The share of the pixels, in replays so many wide, that differ between two programs of one
/// canvas; none if those are too many to compare.
pub fn changed_share(before: &Program, after: &Program, width_px: u32) -> Result<Option<f64>> {
    let view = View::of_canvas(before, width_px)?;
    if view.check_pixels().is_err() {
        return Ok(None);
    }
    let replay = |program| Replay::new(program, view, &ReplayOptions::default());
    let (before, after) = (replay(before)?, replay(after)?);
    let mut changed = 0;
    for strip in 0..before.strips() {
        let (a, b) = (before.pixels(strip..strip + 1), after.pixels(strip..strip + 1));
        changed += a.iter().zip(&b).filter(|(a, b)| a != b).count();
    }
    Ok(Some(changed as f64 / view.pixels() as f64))
}

fn painted(owners: &[u32], colours: &[Colour]) -> Vec<Colour> {
    owners.iter().map(|owner| colours[*owner as usize]).collect()
}

/// The bare canvas's colour and those of the strokes, no two alike in eight bits. The ranges
/// hold enough of them: the million strokes that a program may have are reached after 1.6
/// million steps.
fn owner_colours(strokes: usize) -> Vec<Colour> {
    let mut taken = HashSet::new();
    let sequence = (0..).map(|k| owner_colour(f64::from(k)));
    let fresh = sequence.filter(|c: &Colour| taken.insert(to_bytes(*c)));
    std::iter::once(BARE).chain(fresh.take(strokes)).collect()
}

/// Colour `k` of a sequence whose neighbours differ.
fn owner_colour(k: f64) -> Colour {
    let lightness = lerp(OWNER_LIGHTNESS, (k * LIGHTNESS_STEP).fract());
    let chroma = lerp(OWNER_CHROMA, (k * CHROMA_STEP).fract());
    srgb(lightness, chroma, k * HUE_STEP).map(whole)
}

fn lerp(range: Range<f64>, share: f64) -> f64 {
    range.start + share * (range.end - range.start)
}

/// The nearest value that eight bits can say.
fn whole(value: f64) -> f64 {
    (value.clamp(0.0, 1.0) * 255.0).round() / 255.0
}

/// A colour of OKLab in sRGB, values as stored; beyond [0, 1] where it cannot be shown. The
/// hue is a share of the circle. The matrices are those of the space's definition (Ottosson
/// 2020).
fn srgb(lightness: f64, chroma: f64, hue: f64) -> Colour {
    let angle = TAU * hue.fract();
    let (a, b) = (chroma * libm::cos(angle), chroma * libm::sin(angle));
    let cube = |by_a: f64, by_b: f64| {
        let root = lightness + by_a * a + by_b * b;
        root * root * root
    };
    let cones = [
        cube(0.396_337_777_4, 0.215_803_757_3),
        cube(-0.105_561_345_8, -0.063_854_172_8),
        cube(-0.089_484_177_5, -1.291_485_548_0),
    ];
    let rows = [
        [4.076_741_662_1, -3.307_711_591_3, 0.230_969_929_2],
        [-1.268_438_004_6, 2.609_757_401_1, -0.341_319_396_5],
        [-0.004_196_086_3, -0.703_418_614_7, 1.707_614_701_0],
    ];
    rows.map(|row: [f64; 3]| stored(row.iter().zip(cones).map(|(m, v)| m * v).sum()))
}

/// The value that sRGB stores for an amount of light.
fn stored(light: f64) -> f64 {
    if light <= 0.003_130_8 { 12.92 * light } else { 1.055 * libm::pow(light, 1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prior;
    use crate::render::{Region, Replay, ReplayOptions, View};

    /// OKLab's coordinates of a colour: the definition, the other way.
    fn oklab(colour: Colour) -> [f64; 3] {
        let [r, g, b] = colour
            .map(|v| if v <= 0.040_45 { v / 12.92 } else { libm::pow((v + 0.055) / 1.055, 2.4) });
        let [l, m, s] = [
            0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b,
            0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b,
            0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b,
        ]
        .map(libm::cbrt);
        [
            0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
            1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
            0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
        ]
    }

    fn distance(a: Colour, b: Colour) -> f64 {
        let (a, b) = (oklab(a), oklab(b));
        (0..3).map(|c| (a[c] - b[c]) * (a[c] - b[c])).sum::<f64>().sqrt()
    }

    /// A random program that leaves some canvas bare, its owners, and pixels across.
    fn owned() -> (Program, Vec<u32>, usize) {
        let program = prior::program(60, 0.75, 3).unwrap();
        let view = View::new(Region::canvas(&program), Some(96), None).unwrap();
        let replay = Replay::new(&program, view, &ReplayOptions::default()).unwrap();
        let owners = replay.owners(0..replay.strips());
        assert!(owners.contains(&0), "the test wants bare canvas");
        (program, owners, 96)
    }

    #[test]
    fn neighbours_in_the_ownership_map_differ_where_owners_do() {
        let (program, owners, width) = owned();
        let map = ownership_map(&program, &owners);
        for (k, owner) in owners.iter().enumerate() {
            assert_eq!(*owner == 0, map[k] == BARE);
            for next in [k + 1, k + width].into_iter().filter(|next| *next < map.len()) {
                assert_eq!(owners[next] == *owner, map[next] == map[k]);
            }
        }
    }

    #[test]
    fn no_two_strokes_share_a_colour_and_those_laid_together_look_different() {
        let colours = owner_colours(50_000);
        let bytes: HashSet<_> = colours.iter().map(|c| to_bytes(*c)).collect();
        assert_eq!(bytes.len(), 50_001);
        for pair in colours[1..2_000].windows(2) {
            assert!(distance(pair[0], pair[1]) > 0.1, "{pair:?}");
        }
        for colour in &colours[1..] {
            assert!(distance(BARE, *colour) > 0.15, "{colour:?}");
        }
    }

    #[test]
    fn later_strokes_are_brighter_in_the_age_map() {
        let (program, owners, _) = owned();
        let map = age_map(&program, &owners);
        let mut seen: Vec<(u32, Colour)> = owners.into_iter().zip(map).collect();
        seen.sort_by_key(|(owner, _)| *owner);
        seen.dedup();
        assert_eq!(seen[0], (0, BARE));
        for pair in seen[1..].windows(2) {
            assert!(pair[0].0 < pair[1].0, "a stroke has two colours");
            assert!(oklab(pair[0].1)[0] < oklab(pair[1].1)[0]);
        }
    }

    #[test]
    fn steps_of_the_age_ramp_look_equal() {
        const STEPS: u32 = 20;
        let at = |k: u32| age_colour(f64::from(k) / f64::from(STEPS));
        let steps: Vec<f64> = (0..STEPS).map(|k| distance(at(k), at(k + 1))).collect();
        let mean = steps.iter().sum::<f64>() / f64::from(STEPS);
        for step in &steps {
            assert!((step / mean - 1.0).abs() < 0.1, "{steps:?}");
        }
        let inside = |k: u32| {
            srgb(
                lerp(AGE_LIGHTNESS, f64::from(k) / 20.0),
                AGE_CHROMA,
                lerp(AGE_HUE, f64::from(k) / 20.0),
            )
        };
        assert!((0..=STEPS).all(|k| inside(k).iter().all(|v| (0.0..=1.0).contains(v))));
    }

    #[test]
    fn a_program_of_one_stroke_or_none_has_maps() {
        for strokes in [0, 1] {
            let program = prior::program(strokes, 1.0, 1).unwrap();
            let owners: Vec<u32> = (0..=strokes as u32).collect();
            let maps = [ownership_map(&program, &owners), age_map(&program, &owners)];
            for map in maps {
                assert_eq!(map.iter().filter(|c| **c == BARE).count(), 1);
            }
        }
    }

    #[test]
    fn errors_are_four_times_as_bright_and_no_more_than_white() {
        let (a, b) = ([[0.5, 0.25, 1.0], [0.2; 3]], [[0.375, 0.25, 0.0], [0.2; 3]]);
        let image = |size, pixels: &[Colour]| Image::new(size, pixels.to_vec()).unwrap();
        let (tall, a, b) = (image((1, 2), &a), image((2, 1), &a), image((2, 1), &b));
        assert_eq!(error_map(&a, &b).unwrap().pixels(), [[0.5, 0.0, 1.0], [0.0; 3]]);
        assert_eq!(error_map(&b, &a).unwrap(), error_map(&a, &b).unwrap());
        assert_eq!(error_map(&a, &a).unwrap().pixels(), [[0.0; 3]; 2]);
        assert!(error_map(&a, &tall).is_err());
    }
}
