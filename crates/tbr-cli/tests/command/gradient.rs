//! `tbr gradient` and `tbr bench adjoint`: what comes out, that it is the
//! gradient, how pictures are read, and what is said when something is wrong.

use crate::common::{Bench, DROP, LINE, fails, program, tbr, text};
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder, Rgb, RgbImage};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const BACKGROUND: [f64; 3] = [0.9, 0.8, 0.7];
const GARDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs/garden.tbr.json");

/// `tbr gradient --json`, parsed.
#[track_caller]
pub fn gradient(program: &Path, target: &Path, args: &[&str]) -> Value {
    let mut all = vec!["gradient", text(program), text(target), "--json"];
    all.extend(args);
    let output = tbr(&all).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// All numbers of a gradient in a row.
pub fn flat(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(flat).collect(),
        Value::Object(fields) => fields.values().flat_map(flat).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}

/// Writes bytes of a picture as PNG.
fn write_png(path: &Path, bytes: &[u8], size: (u32, u32), colour: ExtendedColorType) {
    let file = fs::File::create(path).unwrap();
    PngEncoder::new(file).write_image(bytes, size.0, size.1, colour).unwrap();
}

/// A smooth picture.
pub fn waves(bench: &Bench, width: u32, height: u32) -> PathBuf {
    let path = bench.path(&format!("waves-{width}-{height}.png"));
    let wave =
        |i: u32, j: u32| Rgb([(i * 5 % 256) as u8, (j * 7 % 256) as u8, ((i + j) % 256) as u8]);
    RgbImage::from_fn(width, height, wave).save(&path).unwrap();
    path
}

/// The mean colour that a picture is read as, by the gradient of a bare canvas.
#[track_caller]
fn mean_colour(bench: &Bench, picture: &Path) -> [f64; 3] {
    let bare = bench.write("bare.tbr.json", program(""));
    let object = gradient(&bare, picture, &["--precision", "f64"]);
    let slope = flat(&object["gradient"]["background"]);
    std::array::from_fn(|c| BACKGROUND[c] - 1.5 * slope[c])
}

#[track_caller]
fn assert_close(found: [f64; 3], expected: [f64; 3], tolerance: f64) {
    let off = (0..3).any(|c| (found[c] - expected[c]).abs() > tolerance);
    assert!(!off, "{found:?} is not {expected:?}");
}

#[test]
fn json_holds_the_loss_and_every_part_of_the_gradient() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(&format!("{DROP}, {LINE}")));
    let object = gradient(&file, &waves(&bench, 32, 16), &[]);
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&object), ["loss", "gradient"]);
    let parts = &object["gradient"];
    assert_eq!(keys(parts), ["anchor", "offset", "half_width", "colour", "background"]);
    for (part, numbers) in [("anchor", 4), ("offset", 4), ("half_width", 2), ("colour", 6)] {
        assert_eq!(parts[part].as_array().unwrap().len(), 2, "{part}");
        assert_eq!(flat(&parts[part]).len(), numbers, "{part}");
    }
    assert_eq!(flat(&parts["background"]).len(), 3);
    assert!(object["loss"].as_f64().unwrap() > 0.0);
}

/// A target of the view's own size is taken as it is: the loss of a bare canvas is
/// known to the last digits.
#[test]
fn the_loss_is_the_mean_square_over_pixels_and_channels() {
    let bench = Bench::new();
    let bare = bench.write("bare.tbr.json", program(""));
    let picture = waves(&bench, 32, 16);
    let loss = gradient(&bare, &picture, &["--precision", "f64"])["loss"].as_f64().unwrap();
    let pixels = image::open(&picture).unwrap().into_rgb8();
    let square = |p: &Rgb<u8>| -> f64 {
        (0..3).map(|c| (BACKGROUND[c] - f64::from(p.0[c]) / 255.0).powi(2)).sum()
    };
    let expected = pixels.pixels().map(square).sum::<f64>() / (3.0 * 32.0 * 16.0);
    assert!((loss / expected - 1.0).abs() < 1e-14, "{loss} is not {expected}");
}

#[test]
fn the_summary_names_what_matters() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(&format!("{DROP}, {LINE}")));
    let output = tbr(&["gradient", text(&file), text(&waves(&bench, 32, 16))]).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    for part in ["loss", "32 x 16", "tiled, f32", "anchor", "background", "stroke"] {
        assert!(said.contains(part), "{said}");
    }
}

/// Relative error of a gradient in f32, or by the tiled engine, which leaves out what
/// is far and faint: several times what either has here (1.5e-3).
const SINGLE: f64 = 1e-2;

#[test]
fn engines_agree_on_the_shipped_program() {
    let bench = Bench::new();
    let (garden, picture) = (Path::new(GARDEN), waves(&bench, 48, 32));
    let exact = gradient(garden, &picture, &["--engine", "stored", "--precision", "f64"]);
    let check = |args: &[&str], most: f64| {
        let found = gradient(garden, &picture, args);
        let (a, b) = (flat(&found["gradient"]), flat(&exact["gradient"]));
        let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|x| x * x).sum::<f64>().sqrt();
        let error = norm(&mut a.iter().zip(&b).map(|(a, b)| a - b)) / norm(&mut b.iter().copied());
        assert!(error < most, "{args:?}: {error:e}");
        let losses = [&found, &exact].map(|o| o["loss"].as_f64().unwrap());
        assert!((losses[0] / losses[1] - 1.0).abs() < most, "{args:?}: {losses:?}");
    };
    check(&["--engine", "tiled"], SINGLE);
    check(&["--engine", "tiled", "--precision", "f64"], SINGLE);
    check(&["--engine", "checkpointed", "--interval", "7", "--precision", "f64"], 1e-12);
    check(&["--engine", "checkpointed"], SINGLE);
}

/// Step of the central difference: its error is of second order in the step over a
/// rim's width, and the digits that are lost leave enough.
const STEP: f64 = 1e-5;

#[test]
fn the_gradient_is_the_slope_of_the_loss() {
    let bench = Bench::new();
    let picture = waves(&bench, 32, 16);
    let whole = program(&format!("{DROP}, {LINE}"));
    let run = |source: String| {
        let file = bench.write("p.tbr.json", source);
        gradient(&file, &picture, &["--engine", "stored", "--precision", "f64"])
    };
    let parts = &run(whole.clone())["gradient"];
    let cases = [
        ("[0.3, 0.2]", "[{}, 0.2]", 0.3, &parts["anchor"][0][0]),
        ("[0.5, 0.3]", "[0.5, {}]", 0.3, &parts["anchor"][1][1]),
        ("[0.2, -0.1]", "[{}, -0.1]", 0.2, &parts["offset"][1][0]),
        (r#""half_width": 0.03"#, r#""half_width": {}"#, 0.03, &parts["half_width"][1]),
        ("[0, 1, 0.25]", "[0, 1, {}]", 0.25, &parts["colour"][1][2]),
        ("[0.9, 0.8, 0.7]", "[0.9, {}, 0.7]", 0.8, &parts["background"][1]),
    ];
    for (old, new, value, slope) in cases {
        let loss = |value: f64| {
            let source = whole.replacen(old, &new.replace("{}", &value.to_string()), 1);
            run(source)["loss"].as_f64().unwrap()
        };
        let difference = (loss(value + STEP) - loss(value - STEP)) / (2.0 * STEP);
        let slope = slope.as_f64().unwrap();
        assert!((slope / difference - 1.0).abs() < 1e-5, "{new}: {slope} is not {difference}");
    }
}

#[test]
fn another_width_resamples_the_target() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(&format!("{DROP}, {LINE}")));
    let picture = bench.path("ramp.png");
    let ramp = |i: u32, j: u32| Rgb([(2 * i) as u8, (4 * j) as u8, 100]);
    RgbImage::from_fn(128, 64, ramp).save(&picture).unwrap();
    let loss = |width: &str| {
        let object = gradient(&file, &picture, &["--width", width, "--tau-min", "0.02"]);
        object["loss"].as_f64().unwrap()
    };
    let (own, half, twice) = (loss("128"), loss("64"), loss("200"));
    assert!((half / own - 1.0).abs() < 0.01 && (twice / own - 1.0).abs() < 0.01);
    assert!(half != own);
}

#[test]
fn pictures_of_every_depth_are_read_exactly() {
    let bench = Bench::new();
    let path = bench.path("a.png");
    let size = (8, 4);
    let fill = |pixel: &[u8]| pixel.repeat(32);
    let words =
        |pixel: &[u16]| fill(&pixel.iter().flat_map(|v| v.to_ne_bytes()).collect::<Vec<_>>());
    write_png(&path, &words(&[1000, 30_001, 65_535]), size, ExtendedColorType::Rgb16);
    let sixteen = [1000.0, 30_001.0, 65_535.0].map(|v| v / 65_535.0);
    assert_close(mean_colour(&bench, &path), sixteen, 1e-12);
    write_png(&path, &fill(&[77]), size, ExtendedColorType::L8);
    assert_close(mean_colour(&bench, &path), [77.0 / 255.0; 3], 1e-12);
    write_png(&path, &words(&[777]), size, ExtendedColorType::L16);
    assert_close(mean_colour(&bench, &path), [777.0 / 65_535.0; 3], 1e-12);
    write_png(&path, &fill(&[51, 102, 255, 51]), size, ExtendedColorType::Rgba8);
    let over = [0.2, 0.4, 1.0].map(|v: f64| 0.2 * v);
    // A transparent picture lies over white, where no fit says otherwise.
    let over = over.map(|v| v + 0.8);
    assert_close(mean_colour(&bench, &path), over, 1e-12);
    write_png(&path, &fill(&[255, 0]), size, ExtendedColorType::La8);
    assert_close(mean_colour(&bench, &path), [1.0; 3], 1e-12);
    let webp = bench.path("a.webp");
    RgbImage::from_pixel(8, 4, Rgb([9, 99, 199])).save(&webp).unwrap();
    assert_close(mean_colour(&bench, &webp), [9.0, 99.0, 199.0].map(|v| v / 255.0), 1e-12);
    fs::rename(&webp, &path).unwrap();
    assert_close(mean_colour(&bench, &path), [9.0, 99.0, 199.0].map(|v| v / 255.0), 1e-12);
}

/// Orientation 6 says: turn me clockwise.
#[test]
fn the_orientation_of_a_photograph_is_followed() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(DROP));
    let corner =
        |i: u32, j: u32| if i < 32 && j < 16 { Rgb([200, 40, 40]) } else { Rgb([230, 230, 200]) };
    let upright = RgbImage::from_fn(64, 32, corner);
    let (png, jpeg) = (bench.path("a.png"), bench.path("a.jpg"));
    upright.save(&png).unwrap();
    let lying = image::imageops::rotate270(&upright);
    let mut encoder = JpegEncoder::new_with_quality(fs::File::create(&jpeg).unwrap(), 100);
    let exif = b"II\x2a\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0".to_vec();
    encoder.set_exif_metadata(exif).unwrap();
    encoder.write_image(&lying, 32, 64, ExtendedColorType::Rgb8).unwrap();
    let loss = |path: &Path| gradient(&file, path, &[])["loss"].as_f64().unwrap();
    let (right, found) = (loss(&png), loss(&jpeg));
    assert!((found / right - 1.0).abs() < 0.02, "{found} is not {right}");
    let turned = bench.path("b.png");
    image::imageops::rotate180(&upright).save(&turned).unwrap();
    assert!(loss(&turned) > 1.5 * right, "the test can tell");
}

#[test]
fn colour_profiles_are_converted_to_srgb() {
    let bench = Bench::new();
    let path = bench.path("a.png");
    let write = |profile: &moxcms::ColorProfile, pixel: [u8; 3]| {
        let mut encoder = PngEncoder::new(fs::File::create(&path).unwrap());
        encoder.set_icc_profile(profile.encode().unwrap()).unwrap();
        encoder.write_image(&pixel.repeat(32), 8, 4, ExtendedColorType::Rgb8).unwrap();
        mean_colour(&bench, &path)
    };
    let srgb = write(&moxcms::ColorProfile::new_srgb(), [10, 100, 200]);
    assert_close(srgb, [10.0, 100.0, 200.0].map(|v| v / 255.0), 1e-12);
    let mut rounded = moxcms::ColorProfile::new_srgb();
    rounded.green_colorant.x += 1e-4;
    assert_eq!(write(&rounded, [10, 100, 200]), srgb, "sRGB, as others write it");
    // P3's (0.5, 0.6, 0.4) in sRGB, by the published matrices.
    let p3 = write(&moxcms::ColorProfile::new_display_p3(), [128, 153, 102]);
    assert_close(p3, [0.4763, 0.6037, 0.3760], 2e-3);
    let mut grey = PngEncoder::new(fs::File::create(&path).unwrap());
    let profile = moxcms::ColorProfile::new_gray_with_gamma(1.0).encode().unwrap();
    grey.set_icc_profile(profile).unwrap();
    grey.write_image(&[55; 32], 8, 4, ExtendedColorType::L8).unwrap();
    // Linear 0.2157 is 0.5020 in sRGB.
    assert_close(mean_colour(&bench, &path), [0.5020; 3], 2e-3);
    let mut broken = PngEncoder::new(fs::File::create(&path).unwrap());
    broken.set_icc_profile(b"no profile".to_vec()).unwrap();
    broken.write_image(&[51; 32], 8, 4, ExtendedColorType::L8).unwrap();
    assert_close(mean_colour(&bench, &path), [0.2; 3], 1e-12);
}

#[test]
fn standard_input_is_a_target_too() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(DROP));
    let picture = fs::read(waves(&bench, 32, 16)).unwrap();
    tbr(&["gradient", text(&file), "-"]).write_stdin(picture).assert().success();
    fails(&["gradient", "-", "-"], 2, &["both"]);
}

#[test]
fn bad_targets_are_refused() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(DROP));
    let bad = |target: &Path, code: i32, parts: &[&str]| {
        fails(&["gradient", text(&file), text(target)], code, parts);
    };
    bad(&bench.path("gone.png"), 3, &["gone.png"]);
    bad(bench.folder.path(), 3, &["directory"]);
    bad(&bench.write("empty.png", ""), 3, &["empty.png", "empty"]);
    bad(&file, 3, &["p.tbr.json", "not a picture"]);
    bad(&bench.write("a.png", b"\x89PNG\r\n\x1a\nrubbish"), 3, &["a.png", "cannot be read"]);
    let picture = fs::read(waves(&bench, 32, 16)).unwrap();
    bad(&bench.write("half.png", &picture[..picture.len() / 2]), 3, &["half.png"]);
    bad(&waves(&bench, 32, 24), 2, &["32 x 24", "0.75", "0.5"]);
    bad(&waves(&bench, 2, 2), 2, &["2 x 2", "canvas"]);
    bad(
        &bench.write("bomb.png", bomb(&picture, 60_000, 30_000)),
        5,
        &["bomb.png", "60000 x 30000"],
    );
    bad(&bench.write("none.png", bomb(&picture, 0, 0)), 3, &["none.png"]);
    let gone = bench.path("gone.tbr.json");
    fails(&["gradient", text(&gone), text(&waves(&bench, 32, 16))], 3, &["gone.tbr.json"]);
}

/// A small PNG that claims another size.
fn bomb(png: &[u8], width: u32, height: u32) -> Vec<u8> {
    let mut bytes = png.to_vec();
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    let crc = !bytes[12..29].iter().fold(!0u32, |crc, byte| {
        (0..8).fold(
            crc ^ u32::from(*byte),
            |c, _| if c & 1 == 1 { c >> 1 ^ 0xedb8_8320 } else { c >> 1 },
        )
    });
    bytes[29..33].copy_from_slice(&crc.to_be_bytes());
    bytes
}

#[test]
fn bad_requests_are_refused() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(&format!("{DROP}, {LINE}")));
    let picture = waves(&bench, 32, 16);
    let bad = |args: &[&str], code: i32, parts: &[&str]| {
        let mut all = vec!["gradient", text(&file), text(&picture)];
        all.extend(args);
        fails(&all, code, parts);
    };
    bad(&["--engine", "magic"], 2, &["magic"]);
    bad(&["--interval", "5"], 2, &["interval", "tiled"]);
    bad(&["--engine", "stored", "--interval", "none"], 2, &["interval", "stored"]);
    bad(&["--engine", "checkpointed", "--interval", "none"], 2, &["none"]);
    bad(&["--engine", "checkpointed", "--interval", "0"], 2, &["at least 1"]);
    bad(&["--engine", "replay", "--interval", "often"], 2, &["often"]);
    bad(&["--precision", "f16"], 2, &["f16"]);
    bad(&["--tau", "-1"], 2, &["-1", "0 or more"]);
    bad(&["--tau", "nan"], 2, &["finite"]);
    bad(&["--tau-min", "0"], 2, &["above 0"]);
    bad(&["--tau-min", "inf"], 2, &["finite"]);
    bad(&["--tau", "0", "--tau-min", "1e-60", "--engine", "stored"], 2, &["not finite"]);
    bad(&["--width", "0"], 2, &["at least 1 pixel"]);
    bad(&["--width", "100000"], 5, &["100000 x 50000", "limit"]);
    bad(&["--width", "4000000"], 5, &["limit"]);
    let four = bench.write("four.tbr.json", program(&[DROP; 4].join(",")));
    let large = ["--width", "3000", "--engine", "stored", "--precision", "f64"];
    let all = [&["gradient", text(&four), text(&picture)][..], &large].concat();
    fails(&all, 5, &["stored", "0.9 GB", "0.5 GB"]);
    // A checkpoint of positions before every stroke, and some numbers besides.
    let large = ["--width", "3000", "--engine", "replay", "--interval", "1", "--precision", "f64"];
    let all = [&["gradient", text(&four), text(&picture)][..], &large].concat();
    fails(&all, 5, &["replay", "1.0 GB", "0.5 GB"]);
    let line_source = program(DROP).replace("\"capsule\"", "\"line-source\"");
    let line_source = bench.write("l.tbr.json", line_source);
    fails(&["gradient", text(&line_source), text(&picture)], 2, &["line-source", "adjoint"]);
    assert_eq!(bench.files().len(), 4, "nothing is written");
}

#[test]
fn bench_adjoint_refuses_what_it_cannot_measure() {
    let bench = Bench::new();
    fails(&["bench", "adjoint", "--width", "0"], 2, &["at least 1 pixel"]);
    fails(&["bench", "adjoint", "--tau", "nan"], 2, &["finite"]);
    fails(&["bench", "adjoint", "--strokes", "2000000"], 5, &["2000000 strokes"]);
    fails(&["bench", "adjoint", "--strokes", "300001"], 5, &["300001 strokes", "limit: 300000"]);
    fails(&["bench", "adjoint", text(&bench.path("gone.tbr.json"))], 3, &["gone"]);
    let nowhere = bench.path("no/such/a.svg");
    fails(&["bench", "adjoint", "--plot", text(&nowhere)], 3, &["a.svg"]);
}

/// Small, so that it is a matter of seconds; the figures mean nothing.
#[test]
fn bench_adjoint_speaks_json_and_draws() {
    let bench = Bench::new();
    let plot = bench.path("a.svg");
    let mut args = vec!["bench", "adjoint", "--quick", "--json", "--width", "64"];
    args.extend(["--strokes", "100", "--plot", text(&plot)]);
    let output = tbr(&args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["width"], &report["strokes"]), (&64.into(), &100.into()));
    assert!(report["machine"]["threads"].as_u64().unwrap() > 0);
    let engines = report["engines"].as_array().unwrap();
    let names: Vec<&str> = engines.iter().map(|e| e["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"checkpointed") && names.contains(&"tiled"), "{names:?}");
    for engine in engines {
        assert!(engine["step_s"].as_f64().unwrap() > 0.0);
        assert!(engine["relative_error"].as_f64().unwrap() < 0.1);
        assert!(engine["cosine"].as_f64().unwrap() > 0.99);
        assert!(engine["records_per_pixel"].is_number());
        assert_eq!(engine["peak_mb"].is_number(), cfg!(target_os = "linux"));
    }
    assert_eq!(report["over_strokes"].as_array().unwrap().len(), 3);
    assert!(report["over_pixels"][1]["exponent"].is_number());
    assert_eq!(bench.files(), ["a.svg"]);
    assert!(fs::read_to_string(plot).unwrap().starts_with("<svg"));
}
