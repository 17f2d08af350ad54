//! Pixels whose derivatives are out of all proportion.

use super::super::step::SoftStep;
use super::*;

const SIDE_PX: u32 = 128;

/// Pixels that lie right on an edge in float32, with the slope of a rim that is all but hard,
/// and sixty rims beside it in float64, with no slope.
fn edge_scene(tau_min: f64) -> Scene {
    let region = Region { x: 0.0, y: 0.0, width: 1.0, height: 1.0 };
    let view = View::new(region, Some(SIDE_PX), None).unwrap();
    let drop = |anchor, half_width| Shape::drop(anchor, half_width);
    // Two drops of a radius of sixteen pixels and a little, about the centres of pixels, on
    // one that covers everything.
    let radius = 0.125 + 6e-9;
    assert_eq!(radius as f32, 0.125);
    let shapes = vec![
        drop(vec2(0.5, 0.5), 2.0),
        drop(view.centre(32, 40), radius),
        drop(view.centre(90, 80), radius),
    ];
    let colours = vec![[0.9, 0.8, 0.7], [0.1, 0.5, 0.2], [0.3, 0.1, 0.6]];
    let relaxation = Relaxation { tau: 0.0, tau_min };
    Scene::new(shapes, colours, [0.0; 3], Operator::Capsule, relaxation, view).unwrap()
}

/// The gradient of that scene, with a loss that looks at the edge above all.
pub(crate) fn edge_gradient(engine: Engine, precision: Precision, tau_min: f64) -> Gradient {
    let edge = [(90 - 16, 80), (90 + 16, 80), (90, 80 - 16), (90, 80 + 16)];
    let loss = |pixel: usize, colour: Colour| {
        let at = (pixel as u32 % SIDE_PX, pixel as u32 / SIDE_PX);
        let d = if edge.contains(&at) { [1.0; 3] } else { [0.05; 3] };
        (d[0] * colour.iter().sum::<f64>(), d)
    };
    gradient_of(&edge_scene(tau_min), engine, precision, &loss).unwrap().gradient
}

/// What float32 says of such pixels must not get into the sums.
#[test]
fn slopes_that_only_rounding_makes_are_walked_again() {
    let run = |engine, precision| edge_gradient(engine, precision, 1e-10);
    let exact = run(Engine::Stored, Precision::Double);
    // What float32 says where nothing is set aside: there is a slope to be kept out.
    let (error, _) = run(Engine::Stored, Precision::Single).error_and_cosine(&exact);
    assert!(error > 1e6, "float32 sees no slope: {error:e}");
    let ours = run(Engine::Tiled, Precision::Single);
    assert!(ours.flat().iter().all(|d| d.is_finite()));
    // (Strokes under the edge still have their part of those pixels' colours from float32:
    // half instead of nothing.)
    let (error, cosine) = ours.error_and_cosine(&exact);
    assert!(error < 1e-2, "error {error:e}, cosine {cosine}");
}

/// A lane whose derivative is not a number, or too large, is left out of the sum over lanes,
/// has no derivatives after it, and is heard of; the other lanes are as without it.
#[test]
fn outlier_lanes_are_left_out_and_heard_of() {
    let (scene, _) = random_scene(1, 4, 0.2);
    with_simd!(level(), simd => leave_out::<F32s<_>>(simd, &scene));
}

fn leave_out<V: Lanes<Scalar = f32>>(simd: V::Simd, scene: &Scene) {
    const BAD: [usize; 2] = [3, 9];
    let kernel = soft_kernel::<V>(Operator::Capsule);
    let SoftStep::Stroke(stroke) = scene.soft_steps::<f32>()[0].splat::<V>(simd) else {
        unreachable!("it has strokes only")
    };
    let zero = V::splat(simd, 0.0);
    let met = Met { x: scene.positions(simd, |lane| lane), transmittance: zero.lit(1.0) };
    // The way back with some numbers coming in, in two lanes others than usual.
    let back = |bad: [f32; 2], weight: f32, limit: f32| {
        let mut lanes = [1.0; LANES];
        let mut weights = [1.0; LANES];
        for (lane, bad) in BAD.into_iter().zip(bad) {
            (lanes[lane], weights[lane]) = (bad, weight);
        }
        let d_x = V::load(simd, &lanes);
        let weights = V::load(simd, &weights);
        let (mut d_x, mut heard) = ([vec2(d_x, zero)], Vec::new());
        let mut d_composites = [CompositeGrad { colour: [weights; 3], transmittance: weights }];
        let mut sum = StrokeGrad::zero(zero);
        let mut hear = |vector: usize, lanes: u32| heard.push((vector, lanes));
        let limit = Some((V::splat(simd, limit), &mut hear as &mut dyn FnMut(usize, u32)));
        let back = Backward { d_x: &mut d_x, d_composites: &mut d_composites, limit };
        kernel.composite_vjp(simd, &stroke, &[met], back, &mut sum);
        let [d_x] = d_x;
        let [CompositeGrad { colour, transmittance }] = d_composites;
        let left = [d_x.x, d_x.y, colour[0], colour[1], colour[2], transmittance];
        (sum.sum(), left.map(V::to_array), heard)
    };
    let (sum, left, heard) = back([f32::NAN, 1e12], 1.0, 1e12);
    assert_eq!(heard, [(0, 1 << BAD[0] | 1 << BAD[1])]);
    // Without outliers, and with nothing in the two lanes.
    let (expected, usual, none) = back([0.0; 2], 0.0, f32::INFINITY);
    assert_eq!(none, []);
    let numbers = |g: &StrokeGrad<f64>| {
        let frame = g.frame;
        ([frame.mid, frame.offset], frame.half_width, g.colour)
    };
    assert_eq!(numbers(&sum), numbers(&expected));
    for (left, usual) in left.iter().zip(&usual) {
        for lane in 0..LANES {
            let expected = if BAD.contains(&lane) { 0.0 } else { usual[lane] };
            assert_eq!(left[lane], expected, "lane {lane}");
        }
    }
}
