//! Small files that claim to be large pictures, in little memory.

use crate::common::{Bench, DROP, fails, program, text};
use std::path::Path;
use std::process::{Command, Output};

/// The address space that a command gets here, kB. Sixteen million pixels once took 700 MB.
const SPACE_KB: u32 = 600_000;

/// Runs the command in little address space.
fn confined(args: &[&str]) -> Output {
    let script = format!("ulimit -v {SPACE_KB} && exec \"$@\"");
    let tbr = assert_cmd::cargo::cargo_bin("tbr");
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh"]).arg(tbr).args(args).args(["--threads", "2"]);
    command.env_remove("TBR_WEIGHTS").output().unwrap()
}

#[track_caller]
fn succeeds_confined(args: &[&str]) {
    let output = confined(args);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {:?}: {said}", output.status);
}

/// A BMP of 64 bytes: run lengths of which the first says that all is over.
fn bmp(side_px: u32) -> Vec<u8> {
    let mut file = b"BM\x40\0\0\0\0\0\0\0\x3e\0\0\0\x28\0\0\0".to_vec();
    file.extend([side_px.to_le_bytes(), side_px.to_le_bytes()].concat());
    // One plane of eight bits, in run lengths, of two colours.
    file.extend(b"\x01\0\x08\0\x01\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\0\x02\0\0\0\x02\0\0\0");
    file.extend(b"\0\0\0\0\xff\xff\xff\0\0\x01");
    file
}

/// A PNG of zeros, of so many channels and bits.
fn png(width: u32, height: u32, color: png::ColorType, depth: png::BitDepth) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder.set_compression(png::Compression::Fastest);
    let row = color.samples() * width as usize * (depth as usize).div_ceil(8);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&vec![0; row * height as usize]).unwrap();
    writer.finish().unwrap();
    file
}

/// The head of a PNG, which says its size, and no pixels.
fn png_head(side_px: u32) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, side_px, side_px);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Sixteen);
    let mut writer = encoder.write_header().unwrap();
    writer.write_chunk(png::chunk::IDAT, b"\x78\x01").unwrap();
    drop(writer);
    file
}

fn fit<'a>(picture: &'a Path, output: &'a Path) -> [&'a str; 10] {
    let (picture, output) = (text(picture), text(output));
    ["fit", picture, "--strokes", "5", "--steps", "0", "--size", "64", "-o", output]
}

#[test]
fn pictures_of_many_pixels_take_a_few_bytes_for_each() {
    let bench = Bench::new();
    let output = bench.path("out.tbr.json");
    let rgb = (png::ColorType::Rgb, png::BitDepth::Sixteen);
    for (name, file) in [
        ("runs.bmp", bmp(4000)),
        ("deep.png", png(4000, 4000, rgb.0, rgb.1)),
        ("bits.png", png(4000, 4000, png::ColorType::Grayscale, png::BitDepth::Eight)),
    ] {
        succeeds_confined(&fit(&bench.write(name, file), &output));
    }
}

#[test]
fn other_commands_read_them_too() {
    let bench = Bench::new();
    let picture =
        bench.write("wide.png", png(5600, 2800, png::ColorType::Rgb, png::BitDepth::Eight));
    let drop = bench.write("drop.tbr.json", program(DROP));
    let (picture, drop, output) = (text(&picture), text(&drop), bench.path("new.tbr.json"));
    succeeds_confined(&["score", picture, picture, "--width", "64"]);
    succeeds_confined(&["score", drop, picture, "--width", "64"]);
    let recolour = format!("recolour palette {picture}");
    succeeds_confined(&["edit", drop, &recolour, "-o", text(&output)]);
}

/// Frames of as many pixels as they may have are held once or twice, and their indices.
#[test]
fn films_of_large_frames_take_a_few_bytes_for_each_pixel() {
    let bench = Bench::new();
    let drop = bench.write("drop.tbr.json", program(DROP));
    for output in ["a.gif", "a.png", "a.webp", "frames"] {
        let film = ["animate", text(&drop), "--width", "8192", "--frames", "1", "--hold", "0"];
        let more: &[&str] = if output == "a.gif" { &[] } else { &["--background", "none"] };
        succeeds_confined(&[&film, more, &["-o", text(&bench.path(output))]].concat());
    }
    let output = bench.path("b.gif");
    let too_wide = ["animate", text(&drop), "-o", text(&output), "--width", "8194"];
    fails(
        &[&too_wide[..], &["--frames", "1"]].concat(),
        5,
        &["8194 x 4097", "limit: 33554432 pixels"],
    );
}

#[test]
fn what_would_not_fit_into_a_gigabyte_is_refused_with_the_limit() {
    let bench = Bench::new();
    let output = bench.path("out.tbr.json");
    // Within the limit of other pictures, but of eight bytes a pixel.
    let deep = bench.write("deep.png", png_head(9000));
    fails(&fit(&deep, &output), 5, &["9000 x 9000", "50 million"]);
    let large = bench.write("large.bmp", bmp(30_000));
    fails(&fit(&large, &output), 5, &["30000 x 30000", "134 million"]);
    fails(&fit(Path::new("/dev/zero"), &output), 5, &["/dev/zero"]);
    let small = bench.write("small.bmp", bmp(16));
    let mut args = fit(&small, &output);
    args[7] = "8192";
    fails(&args, 5, &["8192 x 8192", "16 million"]);
    let drop = bench.write("drop.tbr.json", program(DROP));
    let args = ["edit", text(&drop), "recolour palette /dev/zero", "-o", text(&output)];
    fails(&args, 5, &["/dev/zero"]);
    assert!(!output.exists());
}
