//! Scenes that make no sense are refused.

use super::*;

#[test]
fn scenes_that_cannot_be_are_refused() {
    let (scene, _) = random_scene(3, 8, 0.2);
    let with = |colours: usize, operator, tau, tau_min| {
        let colours = vec![[0.5; 3]; colours];
        let relaxation = Relaxation { tau, tau_min };
        Scene::new(scene.shapes().to_vec(), colours, [1.0; 3], operator, relaxation, *scene.view())
    };
    assert!(with(3, Operator::Capsule, 0.2, 0.01).is_ok());
    assert!(with(3, Operator::Capsule, 0.2, 0.0).is_ok());
    assert!(with(3, Operator::Capsule, 0.0, 0.01).is_ok());
    let refused = [
        with(2, Operator::Capsule, 0.2, 0.01),
        with(4, Operator::Capsule, 0.2, 0.01),
        with(3, Operator::LineSource, 0.2, 0.01),
        with(3, Operator::Capsule, 0.0, 0.0),
        with(3, Operator::Capsule, -0.2, 0.3),
        with(3, Operator::Capsule, f64::NAN, 0.01),
        with(3, Operator::Capsule, 0.2, f64::NAN),
        with(3, Operator::Capsule, f64::INFINITY, 0.01),
    ];
    for (k, refused) in refused.into_iter().enumerate() {
        assert!(matches!(refused, Err(Error::Request(_))), "case {k}");
    }
}
