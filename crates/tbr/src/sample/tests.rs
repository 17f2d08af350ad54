//! Laws of the sample sheets and their maps.

use super::*;
use crate::numbers::vec2;

/// A tool of each kind, none of them gentle.
fn tools() -> [Tool; 6] {
    let (through, direction) = (vec2(0.4, 0.3), vec2(0.6, 0.8));
    let tine = Tine { through, direction, pull: 0.2, reach: 0.05 };
    let comb = Comb { tine, spacing: 0.1, teeth: Teeth::Together };
    [
        Tool::Tine(tine),
        Tool::Comb(comb),
        Tool::Comb(Comb { teeth: Teeth::ToAndFro, ..comb }),
        Tool::WavyComb(WavyComb { comb, amplitude: 0.05, wavelength: 0.2, phase_rad: 1.0 }),
        Tool::Swirl(Swirl { centre: vec2(0.5, 0.4), radius: 0.4, turn: 2.0 }),
        Tool::Stylus(Stylus { from: vec2(0.2, 0.6), to: vec2(0.7, 0.3), reach: 0.3, grip: 1.1 }),
    ]
}

/// Points on no edge and no tooth, where the maps are smooth.
fn points() -> impl Iterator<Item = Point> {
    (0..200).map(|k| {
        let lattice = |step: f64| (0.123 + step * f64::from(k)).fract();
        vec2(lattice(0.754_877_666), lattice(0.569_840_291))
    })
}

/// How much a map stretches areas, by central differences.
fn determinant(map: impl Fn(Point) -> Point, p: Point) -> f64 {
    let h = 1e-6;
    let slope = |step: Point| (map(p + step) - map(p - step)) * (0.5 / h);
    let (x, y) = (slope(vec2(h, 0.0)), slope(vec2(0.0, h)));
    x.x * y.y - x.y * y.x
}

#[test]
fn no_map_changes_areas() {
    let drop = PaintDrop { centre: vec2(0.5, 0.5), radius: 0.2 };
    for p in points() {
        let found = determinant(|p| drop.forward(p), p);
        assert!((found - 1.0).abs() < 1e-5, "drop at {p:?}: {found}");
        for tool in tools() {
            for found in [determinant(|p| tool.forward(p), p), determinant(|p| tool.inverse(p), p)]
            {
                assert!((found - 1.0).abs() < 1e-5, "{tool:?} at {p:?}: {found}");
            }
        }
    }
}

#[test]
fn the_inverse_undoes_each_map() {
    let drop = PaintDrop { centre: vec2(0.5, 0.5), radius: 0.2 };
    for p in points() {
        let back = drop.inverse(drop.forward(p)).unwrap();
        assert!((back - p).norm() < 1e-12, "drop at {p:?}: {back:?}");
        for tool in tools() {
            let (back, forth) = (tool.inverse(tool.forward(p)), tool.forward(tool.inverse(p)));
            assert!((back - p).norm() < 1e-12, "{tool:?} at {p:?}: {back:?}");
            assert!((forth - p).norm() < 1e-12, "{tool:?} at {p:?}: {forth:?}");
        }
    }
}

#[test]
fn every_tool_moves_paint() {
    for tool in tools() {
        let moved = points().filter(|p| (tool.forward(*p) - *p).norm() > 1e-3).count();
        assert!(moved > 50, "{tool:?} moved {moved} of 200 points");
    }
}

#[test]
fn a_drop_holds_its_disc_and_nothing_else() {
    let drop = PaintDrop { centre: vec2(0.5, 0.5), radius: 0.2 };
    assert_eq!(drop.inverse(drop.centre), None);
    for p in points() {
        assert_eq!(drop.inverse(p).is_none(), (p - drop.centre).norm() < drop.radius, "{p:?}");
    }
}

/// The closed forms are sums of single teeth.
#[test]
fn a_comb_is_the_sum_of_its_teeth() {
    let (direction, spacing) = (vec2(1.0, 0.0), 0.1);
    let tine = Tine { through: vec2(0.0, 0.0), direction, pull: 0.2, reach: 0.03 };
    let tooth = |p: Point, k: i32| {
        let through = vec2(0.0, spacing * f64::from(k));
        Tool::Tine(Tine { through, ..tine }).forward(p).x - p.x
    };
    let mean = tine.pull * 2.0 * tine.reach / spacing;
    for p in points() {
        let together: f64 = (-20..=30).map(|k| tooth(p, k)).sum();
        let to_and_fro: f64 =
            (-20..=30).map(|k| if k % 2 == 0 { tooth(p, k) } else { -tooth(p, k) }).sum();
        for (teeth, sum) in [(Teeth::Together, together - mean), (Teeth::ToAndFro, to_and_fro)] {
            let found = Tool::Comb(Comb { tine, spacing, teeth }).forward(p) - p;
            assert!((found.x - sum).abs() < 1e-12 && found.y == 0.0, "{teeth:?} at {p:?}");
        }
    }
}

/// The way from start to end: paint at the needle's tip goes with it.
#[test]
fn a_stylus_takes_the_paint_at_its_tip_along() {
    let (from, to) = (vec2(0.2, 0.5), vec2(0.8, 0.5));
    let stylus = Tool::Stylus(Stylus { from, to, reach: 0.15, grip: 1.0 });
    let end = stylus.forward(from + vec2(0.01, 0.0));
    assert!((end - to).norm() < 0.1, "{end:?}");
    let beside = vec2(0.5, 0.5 + 0.08);
    assert!(stylus.forward(beside).x < beside.x, "it comes back beside the path");
    let far = vec2(0.5, 0.66);
    assert_eq!(stylus.forward(far), far);
}

#[test]
fn many_samples_at_once_are_as_one_by_one() {
    let sheet = Pattern::Tulip.sheet(0.5, 3).unwrap();
    let width_px = 80;
    let found = sheet.pixels(width_px, 20..22);
    for (k, pixel) in found.iter().enumerate() {
        let (i, j) = (k as u32 % width_px, 20 + k as u32 / width_px);
        let mut mean = [0.0; 3];
        for sample in 0..SAMPLES * SAMPLES {
            let place = |k: u32, s: u32| {
                (f64::from(k) + (f64::from(s) + 0.5) / f64::from(SAMPLES)) / f64::from(width_px)
            };
            let colour =
                sheet.colour_at(vec2(place(i, sample % SAMPLES), place(j, sample / SAMPLES)));
            mean = std::array::from_fn(|c| mean[c] + colour[c] / f64::from(SAMPLES * SAMPLES));
        }
        for (a, b) in pixel.iter().zip(mean) {
            assert!((f64::from(*a) - b).abs() < 1e-6, "pixel {i}, {j}: {pixel:?}, not {mean:?}");
        }
        assert_eq!(pixel[3], 1.0);
    }
}

#[test]
fn a_seed_gives_the_same_sheet_and_another_another() {
    for pattern in Pattern::ALL {
        let sheet = |seed| pattern.sheet(1.0, seed).unwrap();
        assert_eq!(sheet(1), sheet(1), "{pattern}");
        assert_ne!(sheet(1), sheet(2), "{pattern}");
    }
}

#[test]
fn threads_change_nothing() {
    let sheet = Pattern::Battal.sheet(0.5, 1).unwrap();
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| sheet.pixels(48, 0..24))
    };
    assert_eq!(with(1), with(5));
}

/// A sheet without several colours, or with bare paper all over, is no sample.
#[test]
fn every_pattern_has_colours_at_every_shape() {
    for pattern in Pattern::ALL {
        for height in [1.0 / MAX_ASPECT, 1.0, 3.0] {
            let sheet = pattern.sheet(height, 5).unwrap();
            let place = |p: Point| vec2(p.x, p.y * height);
            let colours: Vec<_> = points().map(|p| sheet.colour_at(place(p))).collect();
            let bare = colours.iter().filter(|c| **c == sheet.paper).count();
            let mut kinds = colours.clone();
            kinds.sort_by(|a, b| a.partial_cmp(b).unwrap());
            kinds.dedup();
            assert!(bare < 60, "{pattern}: {bare} of 200 points are bare");
            assert!(kinds.len() >= 4, "{pattern}: {} colours", kinds.len());
        }
    }
}

#[test]
fn names_are_read_back_and_wrong_ones_refused() {
    for pattern in Pattern::ALL {
        assert_eq!(pattern.name().parse::<Pattern>().unwrap(), pattern);
    }
    let problem = "paisley".parse::<Pattern>().unwrap_err().to_string();
    assert!(problem.contains("paisley") && problem.contains("gel-git"), "{problem}");
    assert!(Pattern::Battal.sheet(8.1, 1).is_err());
    assert!(Pattern::Battal.sheet(f64::NAN, 1).is_err());
}
