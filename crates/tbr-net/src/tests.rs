//! Convolution and pool against plain loops; gradients against differences; bands
//! against wholes. All in f64, with small random weights.

use super::band::{Band, MapSize};
use super::conv::{Conv, ConvShape};
use super::distance::FeatureDistance;
use super::pool::{max_pool, max_pool_vjp};
use super::stage::Stage;
use super::weights::Weights;
use super::window::Window;
use super::{Lpips, VggFeatures, lpips, vgg};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use tbr::{Colour, Error, Image, Stop};

/// Rounding of sums of a few hundred products.
const EXACT: f64 = 1e-12;

fn random(count: usize, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| rng.random_range(-1.0..1.0)).collect()
}

fn random_f32(count: usize, scale: f64, seed: u64) -> Vec<f32> {
    random(count, seed).into_iter().map(|v| (v * scale) as f32).collect()
}

fn random_map(width: usize, height: usize, channels: usize, seed: u64) -> Band<f64> {
    let size = MapSize { width, height, channels };
    Band { size, rows: size.rows(), values: random(size.numbers(), seed) }
}

fn random_conv(shape: ConvShape, seed: u64) -> Conv<f64> {
    let count = shape.outputs * shape.inputs * shape.window.side * shape.window.side;
    let scale = 2.0 / (count as f64 / shape.outputs as f64).sqrt();
    let bias = random_f32(shape.outputs, 0.1, seed + 1);
    Conv::new(shape, &random_f32(count, scale, seed), &bias)
}

fn image_of(width: usize, pixels: &[Colour]) -> Image {
    let (width, height) = (width as u32, (pixels.len() / width) as u32);
    Image::new((width, height), pixels.to_vec()).unwrap()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

const WINDOWS: [Window; 4] = [
    Window { side: 3, stride: 1, pad: 1 },
    Window { side: 5, stride: 1, pad: 2 },
    Window { side: 11, stride: 4, pad: 2 },
    Window { side: 2, stride: 2, pad: 0 },
];

/// The definition of a convolution, at one place.
fn naive_conv(
    shape: ConvShape,
    weights: &[f32],
    bias: &[f32],
    map: &Band<f64>,
    (x, y, o): (usize, usize, usize),
) -> f64 {
    let Window { side, stride, pad } = shape.window;
    let MapSize { width, height, .. } = map.size;
    let mut sum = f64::from(bias[o]);
    for i in 0..shape.inputs {
        for ky in 0..side {
            for kx in 0..side {
                let (at_x, at_y) = (x * stride + kx, y * stride + ky);
                let inside =
                    (pad..pad + width).contains(&at_x) && (pad..pad + height).contains(&at_y);
                if inside {
                    let weight = weights[((o * shape.inputs + i) * side + ky) * side + kx];
                    sum += f64::from(weight) * map.at(at_x - pad, at_y - pad)[i];
                }
            }
        }
    }
    sum
}

#[test]
fn convolution_is_the_plain_loop() {
    for window in WINDOWS {
        let shape = ConvShape { window, inputs: 3, outputs: 5 };
        let weights = random_f32(5 * 3 * window.side * window.side, 1.0, 1);
        let bias = random_f32(5, 1.0, 2);
        let map = random_map(43, 27, 3, 3);
        let conv = Conv::<f64>::new(shape, &weights, &bias);
        let size = conv.size(map.size);
        let out = conv.forward(&map, size.rows());
        for (at, found) in out.values.iter().enumerate() {
            let place = (at / 5 % size.width, at / 5 / size.width, at % 5);
            let expected = naive_conv(shape, &weights, &bias, &map, place);
            assert!((found - expected).abs() < EXACT, "{window:?} {place:?}");
        }
    }
}

#[test]
fn the_adjoint_of_a_convolution_is_its_transpose() {
    for window in WINDOWS {
        let shape = ConvShape { window, inputs: 3, outputs: 5 };
        let count = 15 * window.side * window.side;
        let conv = Conv::<f64>::new(shape, &random_f32(count, 1.0, 4), &[0.0; 5]);
        let map = random_map(41, 30, 3, 5);
        let out = conv.forward(&map, conv.size(map.size).rows());
        let d_out = random_map(out.size.width, out.size.height, 5, 6);
        let d_map = conv.forward_vjp(&d_out, map.size, map.size.rows());
        let (left, right) = (dot(&out.values, &d_out.values), dot(&map.values, &d_map.values));
        assert!((left - right).abs() < 1e3 * EXACT, "{window:?}: {left} {right}");
    }
}

#[test]
fn rows_of_a_convolution_are_those_of_the_whole() {
    for window in WINDOWS {
        let conv = random_conv(ConvShape { window, inputs: 2, outputs: 3 }, 7);
        let map = random_map(30, 40, 2, 8);
        let whole = conv.forward(&map, conv.size(map.size).rows());
        let rows = 2..6;
        // Only the rows that are needed are there.
        let needs = window.needs(rows.clone(), map.size.height);
        let input =
            Band { values: map.part(needs.clone()).to_vec(), rows: needs.clone(), size: map.size };
        let part = conv.forward(&input, rows.clone());
        assert_eq!(part.values, whole.part(rows.clone()));
        // Backward, rows that are not there count as zero.
        let mut d_whole = Band::zeros(whole.size, whole.size.rows());
        d_whole.add(&part, rows);
        let d_map = conv.forward_vjp(&d_whole, map.size, map.size.rows());
        let d_part = conv.forward_vjp(&part, map.size, needs.clone());
        let off = d_part.values.iter().zip(d_map.part(needs.clone()));
        assert!(off.into_iter().all(|(a, b)| (a - b).abs() < EXACT));
        let outside = d_map.rows.clone().filter(|y| !needs.contains(y));
        assert!(outside.into_iter().all(|y| d_map.part(y..y + 1).iter().all(|v| *v == 0.0)));
    }
}

const POOLS: [Window; 2] =
    [Window { side: 2, stride: 2, pad: 0 }, Window { side: 3, stride: 2, pad: 0 }];

#[test]
fn a_pool_takes_the_largest_and_its_adjoint_finds_it() {
    for window in POOLS {
        let map = random_map(12, 9, 3, 9);
        let rows = 0..window.places(9);
        let out = max_pool(window, &map, rows.clone());
        let d_out = random_map(out.size.width, out.size.height, 3, 10);
        let mut d_expected = vec![0.0; map.values.len()];
        for (at, (found, d)) in out.values.iter().zip(&d_out.values).enumerate() {
            let (x, y, c) = (at / 3 % out.size.width, at / 3 / out.size.width, at % 3);
            let seen = (0..window.side * window.side).map(|k| {
                let (x, y) = (2 * x + k % window.side, 2 * y + k / window.side);
                (y * 12 + x) * 3 + c
            });
            let largest = seen.max_by(|a, b| map.values[*a].total_cmp(&map.values[*b])).unwrap();
            assert_eq!(*found, map.values[largest]);
            d_expected[largest] += d;
        }
        let d_map = max_pool_vjp(window, &map, &d_out, rows);
        let off = d_map.values.iter().zip(&d_expected).map(|(a, b)| (a - b).abs());
        assert!(off.fold(0.0, f64::max) < EXACT);
    }
}

#[test]
fn of_equal_numbers_only_the_first_has_a_derivative() {
    let size = MapSize { width: 2, height: 2, channels: 1 };
    let map = Band { size, rows: 0..2, values: vec![0.5; 4] };
    let d_out =
        Band { size: MapSize { width: 1, height: 1, ..size }, rows: 0..1, values: vec![3.0] };
    let d_map = max_pool_vjp(POOLS[0], &map, &d_out, 0..1);
    assert_eq!(d_map.values, [3.0, 0.0, 0.0, 0.0]);
}

/// A stage's kernels and channels, and its pool.
type Plan = (&'static [(Window, usize)], Option<Window>);

const THREE: Window = WINDOWS[0];
const LIKE_VGG16: [Plan; 3] = [
    (&[(THREE, 4), (THREE, 4)], Some(POOLS[0])),
    (&[(THREE, 5), (THREE, 5)], Some(POOLS[0])),
    (&[(THREE, 6), (THREE, 6), (THREE, 6)], None),
];
const LIKE_ALEXNET: [Plan; 3] = [
    (&[(Window { side: 5, stride: 2, pad: 2 }, 4)], Some(POOLS[1])),
    (&[(THREE, 5)], None),
    (&[(THREE, 6)], None),
];

/// A network in the manner of AlexNet (`overlap`: of its pools) or of VGG16.
fn stages(overlap: bool) -> Vec<Stage<f64>> {
    let (mut inputs, mut seed) = (3, 100);
    let mut stages = Vec::new();
    for (layers, pool) in if overlap { LIKE_ALEXNET } else { LIKE_VGG16 } {
        let mut convs = Vec::new();
        for &(window, outputs) in layers {
            convs.push(random_conv(ConvShape { window, inputs, outputs }, seed));
            (inputs, seed) = (outputs, seed + 2);
        }
        let tap_weights = random(inputs, seed + 50).iter().map(|w| w.abs()).collect();
        stages.push(Stage { convs, tap_weights, pool });
    }
    stages
}

fn random_picture(width: usize, height: usize, seed: u64) -> Vec<Colour> {
    let values = random(3 * width * height, seed);
    values.chunks(3).map(|v| std::array::from_fn(|c| 0.5 + 0.5 * v[c])).collect()
}

/// Of central differences: so small that no rectifier changes sides.
const STEP: f64 = 1e-6;
/// What rounding leaves of them, against the largest component.
const DIFFERENCE: f64 = 1e-6;

#[test]
fn gradients_agree_with_differences() {
    // Higher than two bands, so that their seams are differentiated as well.
    let (width, height) = (9, 150);
    for overlap in [false, true] {
        let target = random_picture(width, height, 11);
        let distance = FeatureDistance::new(stages(overlap), &image_of(width, &target)).unwrap();
        let loss = |image: &[Colour]| -> f64 {
            distance.layers(&image_of(width, image)).unwrap().iter().sum()
        };
        let image = random_picture(width, height, 12);
        let (value, gradient) = distance.with_gradient(&image_of(width, &image)).unwrap();
        assert_eq!(value, loss(&image));
        let largest = gradient.iter().flatten().fold(0.0_f64, |a, v| a.max(v.abs()));
        assert!(largest > 1e-5);
        for at in (0..width * height).step_by(17).chain(width * 60..width * 68) {
            let moved = |by: f64| {
                let mut image = image.clone();
                image[at][at % 3] += by;
                loss(&image)
            };
            let numeric = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
            let off = (gradient[at][at % 3] - numeric).abs() / largest;
            assert!(off < DIFFERENCE, "{overlap} {at}: {off}");
        }
    }
}

#[test]
fn a_gradient_computed_again_is_the_one_that_was_kept() {
    let (width, height) = (10, 140);
    for overlap in [false, true] {
        let target = random_picture(width, height, 13);
        let distance = FeatureDistance::new(stages(overlap), &image_of(width, &target)).unwrap();
        let image = random_picture(width, height, 14);
        let raster = &image_of(width, &image);
        let kept = distance.gradient_keeping(raster, true).unwrap();
        assert_eq!(kept, distance.gradient_keeping(raster, false).unwrap());
    }
}

#[test]
fn a_picture_is_at_no_distance_from_itself() {
    let picture = random_picture(20, 70, 15);
    let raster = &image_of(20, &picture);
    let distance = FeatureDistance::new(stages(false), raster).unwrap();
    assert_eq!(distance.layers(raster).unwrap(), [0.0; 3]);
    let (loss, gradient) = distance.with_gradient(raster).unwrap();
    assert_eq!(loss, 0.0);
    assert!(gradient.iter().flatten().all(|v| *v == 0.0));
}

#[test]
fn sizes_that_do_not_suit_are_refused() {
    let picture = random_picture(3, 3, 16);
    let tiny = &image_of(3, &picture);
    assert!(FeatureDistance::new(stages(false), tiny).is_err());
    let picture = random_picture(8, 12, 17);
    let distance = FeatureDistance::new(stages(false), &image_of(8, &picture)).unwrap();
    let turned = &image_of(12, &picture);
    assert!(distance.layers(turned).is_err() && distance.with_gradient(turned).is_err());
}

#[test]
fn whichever_convolution_it_is_stopped_at_it_says_so() {
    static LEFT: AtomicUsize = AtomicUsize::new(usize::MAX);
    let stop = Stop::when(|| LEFT.fetch_sub(1, Ordering::Relaxed) == 0);
    let raster = &image_of(8, &random_picture(8, 12, 20));
    let distance = FeatureDistance::new_until(stages(false), raster, &stop).unwrap();
    for left in 0..6 {
        LEFT.store(left, Ordering::Relaxed);
        assert!(matches!(distance.gradient_keeping(raster, true), Err(Error::Stopped)), "{left}");
    }
}

#[test]
fn one_thread_and_seven_give_the_same_bytes() {
    let (target, image) = (random_picture(40, 70, 18), random_picture(40, 70, 19));
    let on_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let target = &image_of(40, &target);
            let distance = FeatureDistance::new(stages(false), target).unwrap();
            distance.with_gradient(&image_of(40, &image)).unwrap()
        })
    };
    assert_eq!(on_threads(1), on_threads(7));
}

/// A folder with the trained weights, if this machine has one.
fn trained() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/weights");
    let named = std::env::var_os("TBR_WEIGHTS").map(PathBuf::from);
    let found = named.or_else(|| Some(beside).filter(|folder| folder.is_dir()));
    if found.is_none() {
        eprintln!(
            "SKIPPED: no weights in TBR_WEIGHTS or ../shared/weights (scripts/fetch-weights)"
        );
    }
    found
}

/// Single precision loses as much of a trained network's gradient, by its norm.
const SINGLE: f64 = 1e-4;

/// The derivative along a random direction against a difference, in f64; and the
/// gradient in f32 against it.
fn check_trained(
    distance: &FeatureDistance<f64>,
    single: (f64, Vec<Colour>),
    (width, image): (usize, &[Colour]),
) {
    let loss = |image: &[Colour]| -> f64 {
        distance.layers(&image_of(width, image)).unwrap().iter().sum()
    };
    let (value, gradient) = distance.with_gradient(&image_of(width, image)).unwrap();
    let direction = random_picture(width, image.len() / width, 21);
    let moved = |by: f64| -> Vec<Colour> {
        let pixels = image.iter().zip(&direction);
        pixels.map(|(v, d)| std::array::from_fn(|c| v[c] + by * (d[c] - 0.5))).collect()
    };
    let flat: Vec<f64> = gradient.as_flattened().to_vec();
    let shifts: Vec<f64> = direction.as_flattened().iter().map(|d| d - 0.5).collect();
    let step = 1e-8; // of thousands of rectifiers, hardly one changes sides
    let numeric = (loss(&moved(step)) - loss(&moved(-step))) / (2.0 * step);
    let slope = dot(&flat, &shifts);
    let scale = dot(&flat, &flat).sqrt();
    assert!((slope - numeric).abs() < 1e-5 * scale, "{slope} {numeric}");
    assert!((single.0 - value).abs() < 1e-6 * value);
    let off: Vec<f64> = flat.iter().zip(single.1.as_flattened()).map(|(a, b)| a - b).collect();
    let relative = dot(&off, &off).sqrt() / scale;
    assert!(relative < SINGLE, "{relative}");
}

#[test]
fn trained_networks_have_the_gradient_of_their_differences() {
    let Some(folder) = trained() else { return };
    let weights = |file: &str| Weights::read(&folder.join(file)).unwrap();
    let (width, height) = (41, 37);
    let (target, image) = (random_picture(width, height, 22), random_picture(width, height, 23));
    let [target, raster] = [&target, &image].map(|p| image_of(width, p));
    let (target, raster) = (&target, &raster);
    let alex = weights(Lpips::FILE);
    let single = Lpips::new(&alex, target).unwrap().loss_and_gradient(raster).unwrap();
    let distance = FeatureDistance::new(lpips::stages(&alex).unwrap(), target).unwrap();
    check_trained(&distance, single, (width, &image));
    let vgg16 = weights(VggFeatures::FILE);
    let single = VggFeatures::new(&vgg16, target).unwrap().loss_and_gradient(raster).unwrap();
    let distance = FeatureDistance::new(vgg::stages(&vgg16).unwrap(), target).unwrap();
    check_trained(&distance, single, (width, &image));
}

#[test]
fn the_smallest_pictures_are_as_small_as_is_said() {
    let zero = |outputs: usize, inputs: usize, window: Window| {
        let shape = ConvShape { window, inputs, outputs };
        Conv::<f32>::new(
            shape,
            &vec![0.0; outputs * inputs * window.side * window.side],
            &vec![0.0; outputs],
        )
    };
    let alex = [(WINDOWS[2], Some(POOLS[1])), (WINDOWS[1], Some(POOLS[1])), (WINDOWS[0], None)];
    let vgg = [(WINDOWS[0], Some(POOLS[0])); 3].into_iter().chain([(WINDOWS[0], None)]);
    let plans = [(alex.to_vec(), Lpips::MIN_SIDE_PX), (vgg.collect(), VggFeatures::MIN_SIDE_PX)];
    for (plan, side) in plans {
        for (side, fits) in [(side, true), (side - 1, false)] {
            let stage = |(window, pool)| Stage {
                convs: vec![zero(3, 3, window)],
                tap_weights: vec![1.0; 3],
                pool,
            };
            let side = side as usize;
            let picture = random_picture(side, side, 24);
            let target = &image_of(side, &picture);
            let stages = plan.iter().copied().map(stage).collect();
            assert_eq!(FeatureDistance::new(stages, target).is_ok(), fits, "{side}");
        }
    }
}
