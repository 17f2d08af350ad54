//! The picture alone, and derivatives of any loss of it.

use super::*;
use crate::prior;

const ENGINES: [Engine; 6] = [
    Engine::Stored,
    Engine::Checkpointed(7),
    Engine::Replay(None),
    Engine::Replay(Some(9)),
    Engine::Tiled,
    Engine::Coarse,
];

/// Strokes and tools, those that come last among them, and a bend.
fn scenes() -> Vec<(Scene, Image)> {
    let bent = prior::bent_program(60, 0.8, 3).unwrap();
    let combed = prior::combed_program(60, 0.8, 3).unwrap();
    [bent, combed].iter().map(|program| scene_of(program, 72, 0.35)).collect()
}

/// What no way back is made for is the very picture of the gradient, and a loss handed in from
/// outside gives the very derivatives of the one inside: to the last bit.
#[test]
fn forward_and_back_are_the_two_halves_of_the_gradient() {
    let never = Stop::never();
    for (scene, target) in scenes() {
        let loss = mean_squared_error(&target);
        for engine in ENGINES {
            for precision in [Precision::Double, Precision::Single] {
                let whole = gradient_of(&scene, engine, precision, &loss).unwrap();
                let picture = relaxed(&scene, engine, precision, &never).unwrap();
                assert!(picture == whole.image, "{engine:?}, {precision:?}");
                let pixels = picture.pixels().iter().enumerate();
                let d_picture: Vec<Colour> = pixels.map(|(k, c)| loss(k, *c).1).collect();
                let back = pull_back(&scene, engine, precision, &d_picture, &never).unwrap();
                assert!(back == whole.gradient, "{engine:?}, {precision:?}");
            }
        }
    }
}

#[test]
fn what_is_stopped_gives_nothing() {
    let (scene, target) = scenes().swap_remove(0);
    let loss = mean_squared_error(&target);
    let now = Stop::when(|| true);
    for engine in ENGINES {
        let picture = relaxed(&scene, engine, Precision::Single, &now);
        assert!(matches!(picture, Err(Error::Stopped)), "{engine:?}");
        let gradient = gradient_until(&scene, engine, Precision::Single, &loss, &now);
        assert!(matches!(gradient, Err(Error::Stopped)), "{engine:?}");
    }
}

#[test]
fn derivatives_of_another_picture_are_refused() {
    let (scene, _) = scenes().swap_remove(0);
    let back = |d: &[Colour]| {
        pull_back(&scene, Engine::Tiled, Precision::Single, d, &Stop::never())
            .map_err(|e| e.to_string())
    };
    let mut d = vec![[0.0; 3]; scene.pixels()];
    assert!(back(&d).is_ok());
    assert!(back(&d[1..]).unwrap_err().contains("derivatives"));
    d[17][2] = f64::NAN;
    assert!(back(&d).unwrap_err().contains("pixel 17"));
}
