//! Combs that are known are found again; what was not combed is left alone.

use super::*;
use crate::prior;
use crate::program::Program;
use crate::render::render;
use crate::tool::Pass;

/// A sheet of drops with tools drawn through it.
fn sheet(tools: &[&str], seed: u64) -> Program {
    let mut parts = prior::program(1500, 1.0, seed).unwrap().into_parts();
    let after = parts.strokes.len();
    let pass = |words: &&str| Pass { after, tool: words.parse().unwrap() };
    parts.tools = tools.iter().map(pass).collect();
    Program::new(parts).unwrap()
}

/// The difference of two directions that may be drawn either way, in degrees.
fn turn(a: f64, b: f64) -> f64 {
    let off = (a - b).rem_euclid(180.0);
    off.min(180.0 - off)
}

#[test]
fn a_comb_is_read_off_a_picture() {
    for (words, kind) in [
        ("comb through 0.4,0.4 angle 70 pull 0.06 spacing 0.05", ToolKind::Comb),
        ("rake through 0.4,0.4 angle 10 pull 0.12 spacing 0.08", ToolKind::Rake),
    ] {
        let image = render(&sheet(&[words], 4), 320).unwrap();
        let found = find(&image, &Stop::never()).unwrap();
        let (last, known) = (found.last().expect("a comb"), words.parse::<Tool>().unwrap());
        assert_eq!(last.kind(), kind);
        let [angle, spacing, pull] = ["angle", "spacing", "pull"].map(|name| {
            let of = |tool: &Tool| tool.number(name).unwrap();
            [of(last), of(&known)]
        });
        assert!(turn(angle[0], angle[1]) < 1.0, "{last}");
        assert!((spacing[0] / spacing[1] - 1.0).abs() < 0.02, "{last}");
        assert!((pull[0].abs() / pull[1] - 1.0).abs() < 0.4, "{last}");
        // The uncombed sheet is nearer to the one before the comb than the combed one is.
        let before = render(&sheet(&[], 4), 320).unwrap();
        let error = |a: &Image| {
            let pairs = a.pixels().iter().zip(before.pixels());
            pairs.map(|(a, b)| (0..3).map(|c| (a[c] - b[c]).powi(2)).sum::<f64>()).sum::<f64>()
        };
        assert!(error(&uncombed(&image, &found)) < 0.6 * error(&image), "{words}");
    }
}

#[test]
fn what_was_not_combed_is_left_alone() {
    for seed in [1, 2] {
        let image = render(&sheet(&[], seed), 256).unwrap();
        assert_eq!(find(&image, &Stop::never()).unwrap(), Vec::new());
    }
    // A picture of one colour, and one of a single pixel.
    for side in [1, 40] {
        let grey = Image::new((side, side), vec![[0.5; 3]; (side * side) as usize]).unwrap();
        assert_eq!(find(&grey, &Stop::never()).unwrap(), Vec::new());
    }
}
