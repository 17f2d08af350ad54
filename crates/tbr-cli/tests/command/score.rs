//! `tbr score`: figures against an independent implementation, what comes out, and
//! what is said when something is wrong.

use crate::common::{Bench, DROP, LINE, fails, program, tbr, text};
use image::{Rgb, RgbImage};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const ORACLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracle/metrics");
/// A folder of weights that lies beside the checkout on some machines.
const WEIGHTS_BESIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/weights");
const KEYS: [&str; 10] = [
    "mse",
    "floor",
    "floor_ratio",
    "psnr",
    "ssim",
    "lpips_alex",
    "vgg_feature",
    "visible_strokes",
    "deposited_area",
    "unseen_share",
];

/// `tbr score --json`, parsed.
#[track_caller]
fn score(subject: &Path, target: &Path, args: &[&str]) -> Value {
    let mut all = vec!["score", text(subject), text(target), "--json"];
    all.extend(args);
    let output = tbr(&all).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What a successful score prints, and what it says besides.
#[track_caller]
fn said(args: &[&str]) -> (String, String) {
    let output = tbr(args).output().unwrap();
    let [out, talk] = [output.stdout, output.stderr].map(|b| String::from_utf8(b).unwrap());
    assert!(output.status.success(), "{talk}");
    (out, talk)
}

/// The pairs of the oracle: the two pictures and the figures.
fn pairs() -> Vec<(PathBuf, PathBuf, Value)> {
    let folder = Path::new(ORACLE);
    let file: Value =
        serde_json::from_slice(&fs::read(folder.join("metrics.json")).unwrap()).unwrap();
    let pairs = file["pairs"].as_array().unwrap().iter();
    let path = |pair: &Value, key: &str| folder.join(pair[key].as_str().unwrap());
    pairs.map(|pair| (path(pair, "a"), path(pair, "b"), pair.clone())).collect()
}

#[track_caller]
fn assert_near(found: &Value, expected: &Value, tolerance: f64) {
    let (found, expected) = (found.as_f64().unwrap(), expected.as_f64().unwrap());
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
}

/// A folder with the real weights, if this machine has one.
fn real_weights() -> Option<PathBuf> {
    let named = std::env::var_os("TBR_WEIGHTS").map(PathBuf::from);
    named.or_else(|| Some(PathBuf::from(WEIGHTS_BESIDE)).filter(|folder| folder.is_dir()))
}

#[test]
fn pixel_scores_agree_with_the_oracle() {
    assert_eq!(pairs().len(), 3);
    for (a, b, expected) in pairs() {
        let found = score(&b, &a, &["--width", "native"]);
        assert_near(&found["mse"], &expected["mse"], 1e-12);
        assert_near(&found["psnr"], &expected["psnr"], 1e-9);
        assert_near(&found["ssim"], &expected["ssim"], 1e-6);
        assert_near(&found["floor"], &expected["floor_of_a"], 1e-12);
    }
}

#[test]
fn network_scores_agree_with_the_oracle() {
    let Some(folder) = real_weights() else {
        eprintln!(
            "SKIPPED: no weights in TBR_WEIGHTS or ../shared/weights (scripts/fetch-weights)"
        );
        return;
    };
    for (a, b, expected) in pairs() {
        let found = score(&b, &a, &["--width", "native", "--weights", text(&folder)]);
        for (key, relative) in [("lpips_alex", 1e-4), ("vgg_feature", 1e-3)] {
            assert_near(&found[key], &expected[key], relative * expected[key].as_f64().unwrap());
        }
    }
}

/// A smooth picture.
fn waves(bench: &Bench, width: u32, height: u32) -> PathBuf {
    let path = bench.path(&format!("waves-{width}-{height}.png"));
    let wave = |i: u32, j: u32| {
        let (x, y) =
            (f64::from(2 * i + 1) / f64::from(width), f64::from(2 * j + 1) / f64::from(height));
        Rgb([x, y, 0.5 * (x * x + y)].map(|v| (v * 127.0).round() as u8))
    };
    RgbImage::from_fn(width, height, wave).save(&path).unwrap();
    path
}

#[test]
fn a_program_is_scored_against_its_own_render() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(&format!("{DROP}, {LINE}")));
    let render = bench.path("p.png");
    tbr(&["render", text(&file), "-o", text(&render), "--width", "200", "--depth", "16"])
        .assert()
        .success();
    let found = score(&file, &render, &["--width", "native"]);
    let keys: Vec<&String> = found.as_object().unwrap().keys().collect();
    assert_eq!(keys, KEYS);
    // Sixteen bits round a colour by half of 1/65535 at most.
    let half_bit = 0.5 / 65535.0;
    assert!(found["mse"].as_f64().unwrap() < half_bit * half_bit);
    assert!(found["psnr"].as_f64().unwrap() > 100.0);
    assert!(found["ssim"].as_f64().unwrap() > 0.9999);
    assert!(found["lpips_alex"].is_null() && found["vgg_feature"].is_null());
    let info = tbr(&["info", text(&file), "--width", "200", "--json"]).output().unwrap();
    let info: Value = serde_json::from_slice(&info.stdout).unwrap();
    assert_eq!(found["visible_strokes"], 2);
    for key in ["visible_strokes", "deposited_area", "unseen_share"] {
        assert_eq!(found[key], info[key], "{key}");
    }
    // Without the line it is another picture.
    let less = bench.write("less.tbr.json", program(DROP));
    let worse = score(&less, &render, &["--width", "native"]);
    assert!(worse["mse"].as_f64().unwrap() > 1e-4);
    let ratio = worse["floor"].as_f64().unwrap() / worse["mse"].as_f64().unwrap();
    assert_near(&worse["floor_ratio"], &ratio.into(), 1e-12);
}

#[test]
fn a_picture_is_exactly_itself() {
    let bench = Bench::new();
    let picture = waves(&bench, 60, 40);
    let found = score(&picture, &picture, &["--width", "native"]);
    assert_eq!(found["mse"], 0.0);
    assert_eq!(found["ssim"], 1.0);
    for key in ["psnr", "floor_ratio", "visible_strokes", "deposited_area", "unseen_share"] {
        assert!(found[key].is_null(), "{key}");
    }
    let (out, _) = said(&["score", text(&picture), text(&picture)]);
    assert_eq!(out.matches("exact").count(), 2, "{out}");
    assert!(out.contains("1024 x 683"), "{out}");
}

#[test]
fn pictures_of_other_sizes_are_resampled() {
    let bench = Bench::new();
    let (small, large) = (waves(&bench, 60, 40), waves(&bench, 180, 120));
    for width in ["native", "90"] {
        let found = score(&large, &small, &["--width", width]);
        assert!(found["mse"].as_f64().unwrap() < 1e-5, "{found}");
    }
    let (out, _) = said(&["score", text(&large), text(&small), "--width", "90"]);
    assert!(out.contains("90 x 60"), "{out}");
}

#[test]
fn a_program_may_come_from_standard_input() {
    let bench = Bench::new();
    let target = waves(&bench, 40, 20);
    let file = bench.write("p.tbr.json", program(DROP));
    let args = ["score", "-", text(&target), "--width", "native", "--json"];
    let output = tbr(&args).write_stdin(program(DROP)).output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found, score(&file, &target, &["--width", "native"]));
    fails(&["score", "-", "-"], 2, &["standard input"]);
}

#[test]
fn without_weights_it_says_how_to_get_them() {
    let bench = Bench::new();
    let picture = waves(&bench, 40, 20);
    let args = ["score", text(&picture), text(&picture), "--width", "native"];
    let (out, talk) = said(&args);
    assert!(!out.contains("LPIPS") && !out.contains("VGG"), "{out}");
    for part in ["LPIPS and VGG features are left out", "scripts/fetch-weights", "TBR_WEIGHTS"] {
        assert!(talk.contains(part), "{talk}");
    }
    let output = tbr(&args).env("TBR_WEIGHTS", "").output().unwrap();
    assert!(output.status.success());
}

#[test]
fn small_pictures_lack_what_needs_large_ones() {
    let bench = Bench::new();
    let picture = waves(&bench, 10, 6);
    let (out, talk) = said(&["score", text(&picture), text(&picture), "--width", "native"]);
    assert!(!out.contains("SSIM") && talk.contains("SSIM is left out"), "{out}{talk}");
}

#[test]
fn shapes_that_differ_are_refused() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(DROP));
    let (wide, square) = (waves(&bench, 40, 20), waves(&bench, 40, 40));
    fails(
        &["score", text(&file), text(&square)],
        2,
        &["waves-40-40.png", "40 x 40", "1.0000", "the program's canvas is 0.5000"],
    );
    fails(
        &["score", text(&square), text(&wide)],
        2,
        &["waves-40-40.png", "the target is 0.5000 times as high"],
    );
    // A pixel more or less is what rounding costs.
    score(&file, &waves(&bench, 41, 20), &["--width", "native"]);
}

#[test]
fn requests_that_cannot_be_met() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(DROP));
    let picture = waves(&bench, 40, 20);
    for width in ["0", "wide", "-3"] {
        let width = format!("--width={width}");
        fails(&["score", text(&file), text(&picture), &width], 2, &["native"]);
    }
    fails(&["score", text(&file), text(&picture), "--width", "90000"], 5, &["too many"]);
    let broken = bench.write("broken.tbr.json", "strokes");
    fails(&["score", text(&broken), text(&picture)], 4, &["broken.tbr.json"]);
    let noise = bench.write("noise.png", [7; 100]);
    fails(&["score", text(&noise), text(&picture)], 3, &["noise.png", "not a picture"]);
    fails(&["score", text(&picture), text(&noise)], 3, &["noise.png", "not a picture"]);
    fails(&["score", "nothing.png", text(&picture)], 3, &["nothing.png"]);
    assert_eq!(bench.files().len(), 4, "a score writes no files");
}

const ALEXNET: &str = "alexnet_lpips_v01_f32.safetensors";
const VGG16: &str = "vgg16_to_conv4_3_f16.safetensors";

/// A file of tensors, of bytes that repeat `pattern`.
fn tensors(named: &[(String, Vec<usize>)], dtype: &str, pattern: &[u8]) -> Vec<u8> {
    let width = if dtype == "F16" { 2 } else { 4 };
    let (mut header, mut end) = (serde_json::Map::new(), 0);
    for (name, shape) in named {
        let start = end;
        end += width * shape.iter().product::<usize>();
        let entry =
            serde_json::json!({"dtype": dtype, "shape": shape, "data_offsets": [start, end]});
        header.insert(name.clone(), entry);
    }
    let header = Value::Object(header).to_string();
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend(pattern.iter().cycle().take(end));
    bytes
}

/// Names and shapes of a network's convolutions.
fn convolutions(layers: &[(usize, usize, usize)]) -> Vec<(String, Vec<usize>)> {
    let mut inputs = 3;
    let mut named = Vec::new();
    for &(layer, outputs, side) in layers {
        named.push((format!("features.{layer}.weight"), vec![outputs, inputs, side, side]));
        named.push((format!("features.{layer}.bias"), vec![outputs]));
        inputs = outputs;
    }
    named
}

/// All tensors of AlexNet with LPIPS's layers.
fn alexnet() -> Vec<(String, Vec<usize>)> {
    let layers = [(0, 64, 11), (3, 192, 5), (6, 384, 3), (8, 256, 3), (10, 256, 3)];
    let mut named = convolutions(&layers);
    let lines = layers.iter().enumerate();
    named.extend(lines.map(|(k, layer)| (format!("lin{k}.weight"), vec![layer.1])));
    named
}

/// All tensors of VGG16 up to conv4_3.
fn vgg16() -> Vec<(String, Vec<usize>)> {
    let channels = [64, 64, 128, 128, 256, 256, 256, 512, 512, 512];
    let layers = [0, 2, 5, 7, 10, 12, 14, 17, 19, 21].into_iter().zip(channels);
    convolutions(&layers.map(|(layer, outputs)| (layer, outputs, 3)).collect::<Vec<_>>())
}

/// Numbers of either sign; 7 of them, so that no two kernels are alike.
const SINGLES: [f32; 7] = [0.02, -0.03, 0.04, 0.01, -0.02, 0.05, -0.01];
/// 0.03, -0.03, 0.06 in half precision.
const HALVES: [u16; 3] = [0x27ae, 0xa7ae, 0x2bae];

/// A folder of weights that are whole, but not trained.
fn untrained(bench: &Bench) -> PathBuf {
    let folder = bench.path("weights");
    fs::create_dir(&folder).unwrap();
    let singles: Vec<u8> = SINGLES.iter().flat_map(|v| v.to_le_bytes()).collect();
    let halves: Vec<u8> = HALVES.iter().flat_map(|v| v.to_le_bytes()).collect();
    fs::write(folder.join(ALEXNET), tensors(&alexnet(), "F32", &singles)).unwrap();
    fs::write(folder.join(VGG16), tensors(&vgg16(), "F16", &halves)).unwrap();
    folder
}

#[test]
fn networks_are_scored_the_same_on_any_number_of_threads() {
    let bench = Bench::new();
    let folder = untrained(&bench);
    let (a, b) = (Path::new(ORACLE).join("0_a.png"), Path::new(ORACLE).join("0_b.png"));
    let args = ["--width", "96", "--weights", text(&folder)];
    let found = score(&a, &b, &[&args[..], &["--threads", "1"]].concat());
    assert!(found["lpips_alex"].as_f64().unwrap() != 0.0, "{found}");
    assert!(found["vgg_feature"].as_f64().unwrap() > 0.0, "{found}");
    assert_eq!(found, score(&a, &b, &[&args[..], &["--threads", "3"]].concat()));
    let same = score(&a, &a, &args);
    assert_eq!((&same["lpips_alex"], &same["vgg_feature"]), (&0.0.into(), &0.0.into()));
    let small = waves(&bench, 20, 12);
    let (out, talk) = said(&[
        "score",
        text(&small),
        text(&small),
        "--width",
        "native",
        "--weights",
        text(&folder),
    ]);
    assert!(out.contains("VGG") && talk.contains("LPIPS is left out"), "{out}{talk}");
}

#[test]
fn bad_weights_are_named() {
    let bench = Bench::new();
    let picture = waves(&bench, 60, 40);
    let folder = untrained(&bench);
    let args = ["score", text(&picture), text(&picture), "--width", "native", "--weights"];
    let refused = |folder: &Path, parts: &[&str]| {
        fails(&[&args[..], &[text(folder)]].concat(), 3, parts);
    };
    refused(&bench.path("nowhere"), &["nowhere", ALEXNET]);
    let (alex, vgg) = (folder.join(ALEXNET), folder.join(VGG16));
    let (whole_alex, whole_vgg) = (fs::read(&alex).unwrap(), fs::read(&vgg).unwrap());
    fs::write(&vgg, &whole_vgg[..whole_vgg.len() - 1]).unwrap();
    refused(&folder, &[VGG16, "not a whole file of safetensors"]);
    fs::write(&vgg, whole_vgg).unwrap();
    fs::write(&alex, "weights").unwrap();
    refused(&folder, &[ALEXNET, "not a whole file of safetensors"]);
    let mut less = alexnet();
    less.retain(|(name, _)| name != "lin3.weight");
    fs::write(&alex, tensors(&less, "F32", &[0])).unwrap();
    refused(&folder, &[ALEXNET, "the tensor lin3.weight is missing"]);
    fs::write(&alex, whole_alex).unwrap();
    let mut turned = vgg16();
    turned[2].1 = vec![3, 3, 64, 64];
    fs::write(&vgg, tensors(&turned, "F16", &[0])).unwrap();
    refused(&folder, &[VGG16, "features.2.weight", "[3, 3, 64, 64], not [64, 64, 3, 3]"]);
}
