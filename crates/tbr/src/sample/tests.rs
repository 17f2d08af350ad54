//! Laws of the recipes.

use super::*;
use crate::program::{Paint, format};
use crate::tool::ToolKind;

/// Pixels across a picture in which bare paper is counted.
const WIDTH_PX: u32 = 128;

#[test]
fn a_seed_gives_the_same_recipe_and_another_another() {
    for pattern in Pattern::ALL {
        let program = |seed| pattern.program(1.0, seed).unwrap();
        assert_eq!(program(1), program(1), "{pattern}");
        assert_ne!(program(1), program(2), "{pattern}");
    }
}

#[test]
fn a_recipe_is_read_back_from_its_file_and_says_how_it_was_made() {
    for pattern in Pattern::ALL {
        let program = pattern.program(0.75, 7).unwrap();
        assert_eq!(format::parse(format::write(&program).as_bytes()).unwrap(), program);
        let made = program.provenance();
        assert_eq!((made.text("pattern"), made.number("seed")), (Some(pattern.name()), Some(7.0)));
    }
}

/// The inks are the palette, and every one of them is used.
#[test]
fn the_palette_is_the_inks_that_are_used() {
    for pattern in Pattern::ALL {
        let program = pattern.program(1.0, 3).unwrap();
        let mut is_used = vec![false; program.palette().len()];
        for stroke in program.strokes() {
            let Paint::Palette(index) = stroke.paint else {
                panic!("{pattern}: a colour of its own")
            };
            is_used[index] = true;
        }
        assert!(is_used.len() >= 4 && is_used.iter().all(|used| *used), "{pattern}: {is_used:?}");
    }
}

#[test]
fn tools_are_those_of_the_pattern() {
    let last = |pattern: Pattern| {
        let program = pattern.program(1.0, 1).unwrap();
        program.tools().last().map(|pass| pass.tool.kind())
    };
    let expected = [
        (Pattern::Battal, None),
        (Pattern::GelGit, Some(ToolKind::Rake)),
        (Pattern::Nonpareil, Some(ToolKind::Comb)),
        (Pattern::Bouquet, Some(ToolKind::WavyComb)),
        (Pattern::Feather, Some(ToolKind::Rake)),
        (Pattern::SpanishWave, Some(ToolKind::Wave)),
        (Pattern::Hatip, Some(ToolKind::Stylus)),
        (Pattern::Tulip, Some(ToolKind::Stylus)),
        (Pattern::WavedGelGit, Some(ToolKind::WavyComb)),
        (Pattern::Whirl, Some(ToolKind::Swirl)),
    ];
    assert_eq!(expected.map(|(pattern, _)| pattern), Pattern::ALL);
    for (pattern, kind) in expected {
        assert_eq!(last(pattern), kind, "{pattern}");
    }
}

/// How much of some pixels shows bare paper: those that are at most so many from the edge.
fn bare(program: &Program, from_edge_px: u32) -> f64 {
    let view = View::of_canvas(program, WIDTH_PX).unwrap();
    let replay = Replay::new(program, view, &ReplayOptions::default()).unwrap();
    let (right, bottom) = (view.width_px - 1, view.height_px - 1);
    let near = |k: u32| {
        let (i, j) = (k % view.width_px, k / view.width_px);
        i.min(j).min(right - i).min(bottom - j) <= from_edge_px
    };
    let owners = (0..).zip(replay.owners(0..replay.strips()));
    let seen: Vec<u32> = owners.filter(|(k, _)| near(*k)).map(|(_, owner)| owner).collect();
    seen.iter().filter(|owner| **owner == 0).count() as f64 / seen.len() as f64
}

/// Paper shows between the drops, as a pale vein: a tenth of most sheets, a fifth of a narrow
/// strip, whose paint is pushed off on both sides. The rim is covered as the middle is.
#[test]
fn no_sheet_is_bare() {
    for pattern in Pattern::ALL {
        for height in [1.0 / MAX_ASPECT, 1.0, 3.0] {
            let program = pattern.program(height, 5).unwrap();
            let (all, rim) = (bare(&program, WIDTH_PX), bare(&program, 3));
            assert!(all < 0.25, "{pattern}, height {height}: {all} is bare");
            assert!(rim < all + 0.08, "{pattern}, height {height}: {rim} of the rim, {all} of all");
        }
    }
}

#[test]
fn names_are_read_back_and_wrong_ones_refused() {
    for pattern in Pattern::ALL {
        assert_eq!(pattern.name().parse::<Pattern>().unwrap(), pattern);
    }
    assert_eq!("combed".parse::<Pattern>().unwrap(), Pattern::Nonpareil);
    let problem = "paisley".parse::<Pattern>().unwrap_err().to_string();
    assert!(problem.contains("paisley") && problem.contains("gel-git"), "{problem}");
    assert!(Pattern::Battal.program(8.1, 1).is_err());
    assert!(Pattern::Battal.program(f64::NAN, 1).is_err());
}
