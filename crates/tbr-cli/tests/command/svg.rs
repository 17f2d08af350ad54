//! `tbr render -o *.svg`, rasterised by somebody else's renderer and compared with ours.

use crate::common::{Bench, DROP, LINE, fails, program, said, text};
use image::RgbImage;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg;
use std::path::{Path, PathBuf};
use tbr::program::Program;
use tbr::stroke::Operator;
use tbr::{format, prior};

/// An SVG's pixels, by resvg.
fn rasterised(path: &Path, width: u32) -> RgbImage {
    let svg = std::fs::read_to_string(path).unwrap();
    let tree = usvg::Tree::from_str(&svg, &usvg::Options::default()).unwrap();
    let scale = width as f32 / tree.size().width();
    let height = (tree.size().height() * scale).round() as u32;
    let mut pixels = Pixmap::new(width, height).unwrap();
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    let bytes = pixels.pixels().iter().flat_map(|p| [p.red(), p.green(), p.blue()]).collect();
    RgbImage::from_raw(width, height, bytes).unwrap()
}

fn rendered(bench: &Bench, program: &Path, width: u32, more: &[&str]) -> RgbImage {
    let (out, width) = (bench.path("plain.png"), width.to_string());
    said(
        &[&["render", text(program), "-o", text(&out), "--force", "--width", &width], more]
            .concat(),
    );
    image::open(&out).unwrap().into_rgb8()
}

fn outlined(bench: &Bench, program: &Path, more: &[&str]) -> PathBuf {
    let out = bench.path("outlines.svg");
    said(&[&["render", text(program), "-o", text(&out), "--force"], more].concat());
    out
}

fn written(bench: &Bench, program: Program, operator: Operator) -> PathBuf {
    let mut parts = program.into_parts();
    parts.operator = operator;
    bench.write("a.tbr.json", format::write(&Program::new(parts).unwrap()))
}

fn differ(a: [u8; 3], b: [u8; 3]) -> bool {
    a.iter().zip(b).any(|(a, b)| a.abs_diff(b) > 2)
}

/// With hard edges it is our plain render, but for a few pixels that edges pass through the
/// middle of.
#[test]
fn crisp_outlines_are_the_plain_render() {
    let bench = Bench::new();
    for (count, height, operator) in [
        (2000, 1.0, Operator::Capsule),
        (300, 0.625, Operator::Calibrated),
        (150, 1.25, Operator::Drops),
        (300, 1.0, Operator::Inert),
    ] {
        let file = written(&bench, prior::program(count, height, 12).unwrap(), operator);
        let svg = outlined(&bench, &file, &["--crisp"]);
        assert!(std::fs::metadata(&svg).unwrap().len() < 20_000_000);
        let (ours, theirs) = (rendered(&bench, &file, 1024, &[]), rasterised(&svg, 1024));
        assert_eq!(ours.dimensions(), theirs.dimensions());
        let pairs = ours.pixels().zip(theirs.pixels());
        let wrong = pairs.filter(|(a, b)| differ(a.0, b.0)).count();
        let share = wrong as f64 / f64::from(ours.width() * ours.height());
        assert!(share < 0.005, "{operator}: {:.3} % differ", 100.0 * share);
    }
}

/// With smooth edges nothing differs but at edges, and no seam shows between neighbours:
/// where all that is near has one colour, so has the pixel.
#[test]
fn smooth_outlines_have_no_seams() {
    let bench = Bench::new();
    let file = written(&bench, prior::program(400, 1.0, 5).unwrap(), Operator::Capsule);
    let theirs = rasterised(&outlined(&bench, &file, &[]), 256);
    // 256 samples a pixel tell where there is no edge, not even of a filament.
    let ours = rendered(&bench, &file, 256, &["--samples", "16"]);
    let colour = |x: i64, y: i64| {
        let inside = |v: i64| v.clamp(0, 255) as u32;
        ours.get_pixel(inside(x), inside(y)).0
    };
    let mut flat = 0;
    for (x, y, pixel) in theirs.enumerate_pixels() {
        let (x0, y0) = (i64::from(x), i64::from(y));
        let here = colour(x0, y0);
        let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)));
        if around.into_iter().all(|(dx, dy)| colour(x0 + dx, y0 + dy) == here) {
            flat += 1;
            assert!(!differ(pixel.0, here), "at {x}, {y}: {pixel:?} instead of {here:?}");
        }
    }
    assert!(flat > 256 * 256 / 8, "the test sees {flat} pixels");
}

#[test]
fn paths_are_named_and_classes_are_the_palette() {
    let bench = Bench::new();
    let file = bench.write("a.tbr.json", program(&format!("{DROP}, {LINE}")));
    let svg = std::fs::read_to_string(outlined(&bench, &file, &[])).unwrap();
    for part in [
        "viewBox=\"0 0 1000 500\"",
        "width=\"1024\" height=\"512\"",
        ".c1 { fill: #cc4d33 }",
        "<rect id=\"background\"",
        "<path id=\"stroke-1\" class=\"c1\"",
        "<path id=\"stroke-2\" fill=\"#00ff40\"",
        "geometricPrecision",
    ] {
        assert!(svg.contains(part), "\"{part}\" is not in {svg}");
    }
    let more = ["--first", "1", "--background", "none", "--dpi", "512", "--crisp"];
    let svg = std::fs::read_to_string(outlined(&bench, &file, &more)).unwrap();
    assert!(svg.contains("width=\"2in\" height=\"1in\"") && svg.contains("crispEdges"));
    assert!(!svg.contains("background") && !svg.contains("stroke-2"), "{svg}");
    // The line lies outside this part.
    let svg = outlined(&bench, &file, &["--region", "0.1,0.1,0.2,0.2", "--width", "64"]);
    let svg_text = std::fs::read_to_string(&svg).unwrap();
    assert!(svg_text.contains("stroke-1") && !svg_text.contains("stroke-2"));
    let ours = rendered(&bench, &file, 64, &["--region", "0.1,0.1,0.2,0.2"]);
    let pairs: Vec<_> = ours
        .pixels()
        .zip(rasterised(&svg, 64).pixels().copied())
        .map(|(a, b)| differ(a.0, b.0))
        .collect();
    assert!(pairs.iter().filter(|d| **d).count() < 64 * 4, "only the edge may differ");
}

#[test]
fn what_outlines_cannot_do_is_said() {
    let bench = Bench::new();
    let file = bench.write("a.tbr.json", program(&format!("{DROP}, {LINE}")));
    let (file, out) = (text(&file).to_owned(), bench.path("a.svg"));
    let render = |more: &[&str], code, parts: &[&str]| {
        fails(&[&["render", &file, "-o", text(&out)], more].concat(), code, parts);
    };
    render(&["--samples", "3"], 2, &["--samples", "SVG"]);
    render(&["--depth", "16"], 2, &["--depth"]);
    render(&["--operator", "line-source"], 2, &["line source"]);
    render(&["--first", "9"], 2, &["2 strokes, not 9"]);
    fails(&["render", &file, "-o", text(&bench.path("a.png")), "--crisp"], 2, &["--crisp"]);
    assert_eq!(bench.files(), ["a.tbr.json"]);
}
