//! The command as a stranger meets it: what works, and what is said when it
//! does not.

use crate::common::{BENT, Bench, DROP, LINE, bent_program, fails, program, tbr, text};
use std::fs;
use std::path::{Path, PathBuf};

fn decode(path: &Path) -> (png::OutputInfo, Vec<u8>, bool) {
    let decoder = png::Decoder::new(std::io::BufReader::new(fs::File::open(path).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let tagged = reader.info().srgb.is_some();
    (info, pixels, tagged)
}

#[test]
fn render_writes_every_kind_of_picture() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(&format!("{DROP}, {LINE}")));
    for (name, magic) in
        [("a.png", &b"\x89PNG"[..]), ("a.jpg", b"\xff\xd8\xff"), ("a.webp", b"RIFF")]
    {
        let out = bench.path(name);
        tbr(&["render", text(&file), "-o", text(&out), "--width", "60"]).assert().success();
        assert!(fs::read(&out).unwrap().starts_with(magic), "{name}");
    }
    let (info, pixels, tagged) = decode(&bench.path("a.png"));
    assert_eq!((info.width, info.height), (60, 30));
    assert!(tagged, "the PNG says that it is sRGB");
    assert_eq!(pixels[..3], [230, 204, 179], "the background");
    let drop = (12 * 60 + 18) * 3;
    assert_eq!(pixels[drop..drop + 3], [204, 77, 51], "the drop");
    assert!(bench.files().iter().all(|f| !f.contains(".tmp")), "no temporary file is left");
}

#[test]
fn render_honours_its_options() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(&format!("{DROP}, {LINE}")));
    let out = bench.path("a.png");
    let render = |args: &[&str]| {
        let mut all = vec!["render", text(&file), "-o", text(&out), "--force"];
        all.extend(args);
        tbr(&all).assert().success();
        decode(&out)
    };
    let (info, pixels, _) = render(&["--height", "20", "--background", "none"]);
    assert_eq!((info.width, info.height, info.color_type), (40, 20, png::ColorType::Rgba));
    assert_eq!(pixels[..4], [0, 0, 0, 0]);
    let (info, pixels, _) = render(&["--width", "16", "--depth", "16", "--background", "#ff0080"]);
    assert_eq!(info.bit_depth, png::BitDepth::Sixteen);
    assert_eq!(pixels[..6], [255, 255, 0, 0, 128, 128]);
    let (_, first, _) = render(&["--width", "40", "--first", "0"]);
    assert!(first.chunks(3).all(|p| p == [230, 204, 179]));
    let (info, zoomed, _) = render(&["--width", "32", "--region", "0.28,0.18,0.04,0.04"]);
    assert_eq!((info.width, info.height), (32, 32));
    assert!(zoomed.chunks(3).all(|p| p == [204, 77, 51]), "the inside of the drop");
    let (_, hard, _) = render(&["--width", "40"]);
    let (_, soft, _) = render(&["--width", "40", "--samples", "4"]);
    let colours = |pixels: &[u8]| {
        pixels.chunks(3).map(<[u8]>::to_vec).collect::<std::collections::HashSet<_>>().len()
    };
    assert_eq!(colours(&hard), 3);
    assert!(colours(&soft) > 10);
    let (_, inert, _) = render(&["--width", "40", "--operator", "inert"]);
    assert_ne!(inert, hard);
}

#[test]
fn threads_do_not_change_a_byte() {
    let bench = Bench::new();
    let strokes: Vec<String> = (0..60)
        .map(|i| {
            let (x, y) = (f64::from(i * 37 % 100) / 100.0, f64::from(i * 61 % 50) / 100.0);
            format!(
                r#"{{"anchor": [{x}, {y}], "offset": [0.0{}, -0.02], "half_width": 0.03, "colour": {}}}"#,
                i % 9,
                i % 2
            )
        })
        .collect();
    let file = bench.write("p.tbr.json", program(&strokes.join(",")));
    let bytes = |threads: &str| {
        let out = bench.path(&format!("{threads}.png"));
        tbr(&["render", text(&file), "-o", text(&out), "--width", "700", "--threads", threads])
            .assert()
            .success();
        fs::read(out).unwrap()
    };
    assert_eq!(bytes("1"), bytes("5"));
}

#[test]
fn standard_input_and_output_work() {
    let output = tbr(&["render", "-", "-o", "-", "--width", "8"])
        .write_stdin(program(DROP))
        .output()
        .unwrap();
    assert!(output.status.success());
    assert!(output.stdout.starts_with(b"\x89PNG"));
}

#[test]
fn no_strokes_are_a_valid_program() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(""));
    let out = bench.path("a.png");
    tbr(&["render", text(&file), "-o", text(&out), "--width", "10"]).assert().success();
    assert!(decode(&out).1.chunks(3).all(|p| p == [230, 204, 179]));
    tbr(&["info", text(&file)]).assert().success();
}

/// Each broken program, and what its error must name.
#[test]
fn broken_programs_are_refused_with_the_place() {
    let good = program(&format!("{DROP}, {LINE}"));
    let bent = bent_program(&format!("{DROP}, {BENT}"));
    let cases: Vec<(String, &[&str])> = vec![
        (String::new(), &["empty"]),
        ("  \n".into(), &["empty"]),
        (good[..good.len() / 2].into(), &["line", "column"]),
        ("[1, 2]".into(), &["line 1"]),
        (good.replace("tbr-program", "svg"), &["format", "svg", "tbr-program"]),
        (good.replace(r#""format": "tbr-program", "#, ""), &["format", "missing"]),
        (good.replace(r#""version": 1"#, r#""version": 3"#), &["version", "3", "1 and 2"]),
        (good.replace(r#""version": 1"#, r#""version": 2"#), &["version 2", "steps"]),
        (good.replace(r#""strokes""#, r#""steps""#), &["version 1", "strokes"]),
        (good.replace(r#""strokes""#, r#""steps": [], "strokes""#), &["version 1", "strokes"]),
        (good.replace(r#""strokes""#, r#""steps": null, "strokes""#), &["null", "steps"]),
        (good.replace(r#""half_width": 0.03"#, r#""half_width": 0.03, "bend": 1"#), &["bend"]),
        (bent.replace(r#""bend": 1"#, r#""bend": 2.5"#), &["stroke 2", "bend", "-2 to 2"]),
        (bent.replace(r#""bend": 1"#, r#""bend": null"#), &["step 2", "line"]),
        (bent.replace(r#""bend": 1"#, r#""bent": 1"#), &["step 2", "bent"]),
        (bent.replace(DROP, "[[0.3, 0.2], [0, 0], 0.1, 0, 1]"), &["step 1", "object"]),
        (good.replace("0.03", "NaN"), &["stroke 2", "line"]),
        (good.replace("0.03", "Infinity"), &["stroke 2", "line"]),
        (good.replace("0.03", "1e400"), &["stroke 2", "out of range"]),
        (good.replace("[0.5, 0.3]", "[0.5, 1e400]"), &["stroke 2", "out of range"]),
        (good.replace(r#""height": 0.5"#, r#""height": 1e400"#), &["out of range"]),
        (good.replace(r#""provenance": {}"#, r#""provenance": {"a": 1e400}"#), &["out of range"]),
        (good.replace("0.03", "-0.03"), &["stroke 2", "half_width", "-0.03"]),
        (good.replace("0.03", "0"), &["stroke 2", "half_width"]),
        (good.replace("0.03", "\"wide\""), &["stroke 2", "line"]),
        (good.replace("[0, 1, 0.25]", "[0, 1.5, 0.25]"), &["stroke 2", "colour", "1.5"]),
        (good.replace("[0, 1, 0.25]", "[0, 1]"), &["stroke 2"]),
        (good.replace("[0, 1, 0.25]", "-1"), &["stroke 2", "palette index"]),
        (good.replace(r#""colour": 1"#, r#""colour": 2"#), &["stroke 1", "index 2", "2 colours"]),
        (good.replace("[0.9, 0.8, 0.7]", "[0.9, -0.1, 0.7]"), &["background", "-0.1"]),
        (good.replace("[0.1, 0.2, 0.5]", "[0.1, 7, 0.5]"), &["palette colour 0", "7"]),
        (good.replace("\"capsule\"", "\"oil\""), &["operator", "oil", "inert"]),
        (good.replace(r#""width": 1"#, r#""width": 2"#), &["canvas width"]),
        (good.replace(r#""height": 0.5"#, r#""height": -1"#), &["canvas height"]),
        (good.replace("[0.5, 0.3]", "[0.5, 3e7]"), &["stroke 2", "anchor", "1000"]),
        (good.replace(r#""operator""#, r#""oprator""#), &["oprator"]),
        (good.replace(r#""half_width": 0.03"#, r#""width": 0.03"#), &["stroke 2", "width"]),
        (good.replace(r#""canvas""#, r#""version": 1, "canvas""#), &["duplicate", "version"]),
        (format!("{good} x"), &["trailing"]),
        (good.replace(DROP, "[[0.3, 0.2], [0, 0], 0.1, 1]"), &["stroke 1", "object"]),
    ];
    let bench = Bench::new();
    let out = bench.path("never.png");
    for (source, parts) in cases {
        assert!(source != good && source != bent, "the case changes nothing");
        let file = bench.write("broken.tbr.json", source);
        let mut all = vec!["broken.tbr.json"];
        all.extend(parts);
        fails(&["render", text(&file), "-o", text(&out)], 4, &all);
        assert_eq!(bench.files(), ["broken.tbr.json"], "nothing is written");
    }
}

#[test]
fn missing_files_and_directories_are_named() {
    let bench = Bench::new();
    let folder = text(bench.folder.path()).to_owned();
    let out = bench.path("a.png");
    let gone = bench.path("gone.tbr.json");
    fails(&["render", text(&gone), "-o", text(&out)], 3, &["gone.tbr.json"]);
    fails(&["render", &folder, "-o", text(&out)], 3, &[&folder, "directory"]);
    fails(&["info", text(&gone)], 3, &["gone.tbr.json"]);
}

#[test]
fn unwritable_outputs_are_named_and_leave_nothing() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(DROP));
    let nowhere = bench.path("no/such/folder/a.png");
    fails(&["render", text(&file), "-o", text(&nowhere)], 3, &["a.png", "cannot be written"]);
    let folder = bench.path("taken.png");
    fs::create_dir(&folder).unwrap();
    fails(&["render", text(&file), "-o", text(&folder)], 3, &["taken.png", "directory"]);
    fails(&["render", text(&file), "-o", text(&bench.path("a.bmp"))], 2, &["a.bmp", "picture"]);
    fails(&["render", text(&file), "-o", text(&bench.path("picture"))], 2, &["picture"]);
    let mut left = bench.files();
    left.sort();
    assert_eq!(left, ["p.tbr.json", "taken.png"]);
}

#[test]
fn impossible_sizes_and_options_are_refused() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(DROP));
    let (png, jpg, webp) = (bench.path("a.png"), bench.path("a.jpg"), bench.path("a.webp"));
    let render = |out: &PathBuf, args: &[&str], code, parts: &[&str]| {
        let mut all = vec!["render", text(&file), "-o", text(out)];
        all.extend(args);
        fails(&all, code, parts);
    };
    render(&png, &["--width", "0"], 2, &["at least 1 pixel"]);
    render(&png, &["--height", "0"], 2, &["at least 1 pixel"]);
    render(&png, &["--width", "1000000000"], 5, &["1000000000", "limit"]);
    render(&png, &["--width", "-3"], 2, &["-3"]);
    render(&jpg, &["--width", "70000"], 5, &["Jpeg", "65535"]);
    render(&webp, &["--width", "20000"], 5, &["WebP", "16384"]);
    render(&png, &["--width", "100", "--height", "300"], 2, &["stretch"]);
    render(&png, &["--samples", "0"], 5, &["samples", "32"]);
    render(&png, &["--first", "9"], 2, &["1 strokes"]);
    render(&png, &["--region", "0,0,0,1"], 2, &["region"]);
    render(&png, &["--region", "0,0,nan,1"], 2, &["region"]);
    render(&png, &["--region", "0,0,1"], 2, &["four numbers"]);
    render(&png, &["--background", "mauve"], 2, &["mauve"]);
    render(&jpg, &["--background", "none"], 2, &["transparency"]);
    render(&jpg, &["--depth", "16"], 2, &["PNG"]);
    render(&webp, &["--dpi", "300"], 2, &["WebP"]);
    render(&png, &["--dpi", "-1"], 2, &["65535"]);
    render(&png, &["--operator", "oil"], 2, &["oil", "capsule"]);
    render(&png, &["--threads", "0"], 2, &["threads"]);
    render(&png, &["--operator", "line-source", "--width", "20000"], 5, &["line source", "limit"]);
    assert_eq!(bench.files(), ["p.tbr.json"]);
}

#[test]
fn a_million_strokes_work_and_more_are_refused() {
    let bench = Bench::new();
    let stroke = r#"{"anchor": [0.5, 0.2], "offset": [0, 0], "half_width": 1e-4, "colour": 0}"#;
    let mut strokes = vec![stroke; 1_000_000];
    let out = bench.path("a.png");
    let file = bench.write("p.tbr.json", program(&strokes.join(",")));
    tbr(&["render", text(&file), "-o", text(&out), "--width", "4"]).assert().success();
    let gradient = ["gradient", text(&file), text(&out)];
    fails(&gradient, 5, &["1000000 strokes", "limit: 300000"]);
    strokes.push(stroke);
    let file = bench.write("q.tbr.json", program(&strokes.join(",")));
    let out = bench.path("b.png");
    fails(&["render", text(&file), "-o", text(&out)], 5, &["1000001 strokes", "limit: 1000000"]);
}

#[test]
fn trace_follows_points_both_ways() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(&format!("{DROP}, {LINE}")));
    let json = |args: &[&str]| -> serde_json::Value {
        let mut all = vec!["trace", text(&file), "--json"];
        all.extend(args);
        let output = tbr(&all).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let back = json(&["--at", "0.6,0.25", "--at", "0.3,0.2", "--at", "0.95,0.45"]);
    assert_eq!(back[0]["stroke"], 2);
    assert_eq!(back[0]["at"], serde_json::json!([0.6, 0.25]));
    assert_eq!(back[1]["stroke"], 1);
    assert!(back[2]["stroke"].is_null());
    // Forward from the start undoes the way back.
    let start = &back[2]["position"];
    let at = format!("{},{}", start[0], start[1]);
    let ahead = json(&["--forward", "--at", &at]);
    let error = ahead[0]["position"][0].as_f64().unwrap() - 0.95;
    assert!(error.abs() < 1e-12, "{error}");
    let points = bench.write("points.txt", "0.6 0.25\n# nothing\n0.3, 0.2\n");
    assert_eq!(json(&["--points", text(&points)]).as_array().unwrap().len(), 2);
    assert_eq!(json(&["--through", "--at", "0.6,0.25"])[0]["stroke"], 2);

    fails(&["trace", text(&file)], 2, &["no points"]);
    fails(&["trace", text(&file), "--at", "here"], 2, &["here"]);
    fails(&["trace", text(&file), "--forward", "--after", "3", "--at", "0,0"], 2, &["2 strokes"]);
    let bad = bench.write("bad.txt", "0.1 0.2\n0.3\n");
    fails(&["trace", text(&file), "--points", text(&bad)], 2, &["bad.txt", "line 2"]);
}

#[test]
fn info_check_bench_and_calibrate_speak_json() {
    let bench = Bench::new();
    let file = bench.write("p.tbr.json", program(&format!("{DROP}, {LINE}")));
    let json = |args: &[&str]| -> serde_json::Value {
        let output = tbr(args).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let info = json(&["info", text(&file), "--json", "--width", "200"]);
    assert_eq!(info["strokes"], 2);
    assert_eq!(info["visible_strokes"], 2);
    assert_eq!((&info["bent_strokes"], &info["bend"]["median"]), (&0.into(), &0.0.into()));
    let bent = bench.write("bent.tbr.json", bent_program(&format!("{DROP}, {BENT}")));
    let bent = json(&["info", text(&bent), "--json", "--width", "200"]);
    assert_eq!((&bent["bent_strokes"], &bent["bend"]["median"]), (&1.into(), &1.0.into()));
    let area =
        std::f64::consts::PI * 0.01 + 2.0 * 0.05f64.sqrt() * 0.03 + std::f64::consts::PI * 9e-4;
    assert!((info["deposited_area"].as_f64().unwrap() - area / 0.5).abs() < 1e-12);
    let rows = json(&["bench", "render", "--json", "--width", "64", "--strokes", "20", "--check"]);
    for key in ["width", "strokes", "naive_s", "fast_s", "ratio", "differing"] {
        assert!(rows[0][key].is_number(), "{key}");
    }
    let check = json(&["check", "--json"]);
    assert_eq!(check["foliation"].as_array().unwrap().len(), 9);
    assert_eq!(check["detj"].as_array().unwrap().len(), 5);
    assert!(json(&["calibrate", "--json"]).as_array().unwrap().len() > 10);
}

#[test]
fn the_calibrate_command_makes_the_frozen_table() {
    let bench = Bench::new();
    let table = bench.path("table.rs");
    tbr(&["calibrate", "--table", text(&table)]).assert().success();
    let frozen = include_str!("../../../tbr/src/stroke/coupling_table.rs");
    assert_eq!(fs::read_to_string(table).unwrap(), frozen);
}

#[test]
fn completions_are_printed_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = tbr(&["completions", shell]).output().unwrap();
        assert!(output.status.success());
        assert!(String::from_utf8(output.stdout).unwrap().contains("tbr"), "{shell}");
    }
}

/// Whoever listened may have gone: the work is done all the same.
#[cfg(unix)]
#[test]
fn nobody_listening_is_no_failure() {
    let bench = Bench::new();
    let path = bench.write("p.tbr.json", program(DROP));
    let out = bench.path("p.png");
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("tbr"));
    command.args(["render", text(&path), "-o", text(&out), "--width", "64"]);
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    assert!(child.wait().unwrap().success());
    assert!(out.exists());
}
