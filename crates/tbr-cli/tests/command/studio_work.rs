//! What `tbr studio` takes a while for: fits and exports.

use crate::common::server::{Server, export_of, sheet, shown};
use crate::common::{Bench, said, text};
use image::RgbImage;
use serde_json::{Value, json};
use tbr::{format, prior};

/// A picture of a few flat shapes, as PNG.
fn picture() -> Vec<u8> {
    let image = RgbImage::from_fn(96, 64, |x, y| match (x / 24 + y / 16) % 3 {
        0 => image::Rgb([200, 40, 40]),
        1 => image::Rgb([240, 230, 210]),
        _ => image::Rgb([30, 60, 120]),
    });
    let mut bytes = std::io::Cursor::new(Vec::new());
    image.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

fn status(state: &Value, id: u64) -> String {
    let pieces = state["pieces"].as_array().unwrap();
    let piece = pieces.iter().find(|p| p["id"] == id).unwrap();
    piece["fit"]["status"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_fit_is_that_of_the_command() {
    let (bench, server) = (Bench::new(), Server::new(&[]));
    let id = server.open("flags.png", &picture());
    assert_eq!(server.piece(id)["program"], Value::Null);
    server.post(
        &format!("pieces/{id}/fit"),
        json!({"preset": "fast", "strokes": 60, "size_px": 96, "palette": "4", "seed": 5}),
    );
    let state = server.wait("the fit", |state| status(state, id) == "done");
    let fit = &state["pieces"][0]["fit"];
    assert!(fit["floor_ratio"].as_f64().unwrap() > 2.0, "{fit}");
    assert!(fit["ceiling"].as_f64().is_some());
    let curve = fit["curve"].as_array().unwrap();
    assert!(curve.windows(2).all(|w| w[0][1].as_f64() < w[1][1].as_f64()), "{curve:?}");
    let (file, out) = (bench.write("flags.png", picture()), bench.path("f.tbr.json"));
    let options =
        ["--preset", "fast", "--strokes", "60", "--size", "96", "--palette", "4", "--seed", "5"];
    said(&[&["fit", text(&file), "-o", text(&out)], &options[..]].concat());
    let exported = server.export(id, json!({"kind": "program"}));
    assert_eq!(exported, std::fs::read(&out).unwrap());
}

#[test]
fn fits_wait_pause_stop_and_go_on() {
    let server = Server::new(&[]);
    let (first, second) = (server.open("a.png", &picture()), server.open("b.png", &picture()));
    let body = json!({"preset": "best", "strokes": 300, "size_px": 512});
    for id in [first, second] {
        server.post(&format!("pieces/{id}/fit"), body.clone());
    }
    server.wait("a first program", |state| !state["pieces"][0]["program"].is_null());
    assert_eq!(status(&server.state(), second), "waiting");
    let busy = server.refused(
        409,
        &format!("pieces/{first}/edit"),
        json!({"op": "delete", "strokes": [1]}),
    );
    assert!(busy.contains("a fit is at work"), "{busy}");
    assert!(server.refused(409, &format!("pieces/{first}/fit"), json!({})).contains("at work"));
    server.post(&format!("pieces/{first}/fit/pause"), json!({}));
    server.wait("the next to begin", |state| {
        status(state, first) == "paused" && status(state, second) == "running"
    });
    let paused = server.piece(first);
    server.post(&format!("pieces/{first}/fit/continue"), json!({}));
    assert_eq!(status(&server.state(), first), "waiting");
    server.post(&format!("pieces/{second}/fit/stop"), json!({}));
    let state = server.wait("both", |state| {
        status(state, second) == "stopped"
            && status(state, first) == "running"
            && state["pieces"][0]["fit"]["step"].as_u64() > paused["fit"]["step"].as_u64()
    });
    assert!(state["pieces"][1]["fit"]["resumable"].as_bool().unwrap());
    // What was stopped can be changed, and then no longer goes on.
    server.post(&format!("pieces/{second}/edit"), json!({"op": "delete", "strokes": [1]}));
    assert!(!server.piece(second)["fit"]["resumable"].as_bool().unwrap());
    server.refused(409, &format!("pieces/{second}/fit/continue"), json!({}));
    server.refused(409, &format!("pieces/{second}/fit/stop"), json!({}));
    server.post(&format!("pieces/{first}/fit/stop"), json!({}));
    server.wait("the end", |state| status(state, first) == "stopped");
    let kept = server.piece(first)["program"].clone();
    assert_eq!((&kept["strokes"], &kept["made_by"]), (&json!(300), &json!("tbr fit")));
    assert_eq!(server.send("DELETE", &format!("pieces/{second}"), b"").status, 204);
    assert_eq!(server.get(&format!("pieces/{second}/picture?width=9")).status, 404);
}

#[test]
fn a_fit_from_a_program_is_a_step_that_can_be_undone() {
    let server = Server::new(&[]);
    let id = server.open(
        "sheet.tbr.json",
        format::write(&prior::program(40, 2.0 / 3.0, 3).unwrap()).as_bytes(),
    );
    assert!(server.refused(409, &format!("pieces/{id}/fit"), json!({})).contains("no picture"));
    let reply = server.send("POST", &format!("pieces/{id}/target?name=flags.png"), &picture());
    assert_eq!(reply.status, 200);
    let error = shown(&server, id, "width=90&layer=error");
    let fit = json!({"preset": "default", "size_px": 96, "from": true});
    server.post(&format!("pieces/{id}/fit"), fit);
    server.wait("the fit", |state| status(state, id) == "done");
    let brightness = |i: &RgbImage| i.as_raw().iter().map(|v| u64::from(*v)).sum::<u64>();
    let after = shown(&server, id, "width=90&layer=error");
    let [before, after] = [brightness(&error), brightness(&after)];
    assert!(5 * after < 4 * before, "{before} to {after}");
    assert_eq!(server.piece(id)["program"]["undo"], "fit, default");
    assert_eq!(server.piece(id)["program"]["strokes"], 40);
    server.post(&format!("pieces/{id}/undo"), json!({}));
    assert_eq!(shown(&server, id, "width=90&layer=error"), error);
}

#[test]
fn exports_are_the_files_of_the_other_commands() {
    let (bench, program) = (Bench::new(), sheet());
    let folder = bench.path("saved");
    std::fs::create_dir(&folder).unwrap();
    let server = Server::new(&["--save-folder", text(&folder)]);
    let file = bench.write("sheet.tbr.json", format::write(&program));
    let id = server.open("sheet.tbr.json", &std::fs::read(&file).unwrap());
    let by_command = |args: &[&str], out: &str| {
        let out = bench.path(out);
        said(&[&[args[0], text(&file), "-o", text(&out)], &args[1..]].concat());
        std::fs::read(out).unwrap()
    };
    let png = server.export(id, json!({"kind": "png", "width": 300, "samples": 3}));
    assert_eq!(png, by_command(&["render", "--width", "300", "--samples", "3"], "a.png"));
    let bare = server.export(id, json!({"kind": "png", "width": 300, "transparent": true}));
    assert_eq!(bare, by_command(&["render", "--width", "300", "--background", "none"], "b.png"));
    let svg = server.export(id, json!({"kind": "svg"}));
    assert_eq!(svg, by_command(&["render"], "a.svg"));
    let film = json!({"kind": "film", "format": "webp", "seconds": 1, "fps": 10, "width": 64, "grow_seconds": 0.5});
    assert_eq!(
        server.export(id, film),
        by_command(&["animate", "--seconds", "1", "--fps", "10", "--width", "64"], "a.webp")
    );
    assert_eq!(server.export(id, json!({"kind": "program"})), std::fs::read(&file).unwrap());
    let report = String::from_utf8(server.export(id, json!({"kind": "report"}))).unwrap();
    assert!(report.contains("<h1>sheet</h1>"));
    // Saved under its name, once.
    let export = server.state()["exports"][0]["id"].as_u64().unwrap();
    let address = format!("exports/{export}/save");
    assert_eq!(server.post(&address, json!({}))["saved"], "sheet.png");
    assert_eq!(std::fs::read(folder.join("sheet.png")).unwrap(), png);
    assert_eq!(server.post(&address, json!({}))["saved"], "sheet-2.png");
    let taken = server.refused(422, &address, json!({"name": "sheet.png"}));
    assert!(taken.contains("there already"), "{taken}");
    assert_eq!(server.post(&address, json!({"name": "again.png"}))["saved"], "again.png");
    assert_eq!(server.send("DELETE", &format!("exports/{export}"), b"").status, 204);
    assert_eq!(server.get(&format!("exports/{export}/file")).status, 404);
}

#[test]
fn an_export_can_be_ended() {
    let server = Server::new(&[]);
    let id = server
        .open("sheet.tbr.json", format::write(&prior::program(2000, 1.0, 3).unwrap()).as_bytes());
    let film = json!({"kind": "film", "format": "webp", "seconds": 600, "fps": 60, "width": 512});
    let export = server.post(&format!("pieces/{id}/exports"), film)["id"].as_u64().unwrap();
    server.wait("some frames", |state| export_of(state, export)["progress"].as_f64() > Some(0.0));
    assert_eq!(server.get(&format!("exports/{export}/file")).status, 409);
    assert_eq!(server.send("DELETE", &format!("exports/{export}"), b"").status, 204);
    // The next is made although the first would have taken hours.
    server.export(id, json!({"kind": "program"}));
}

#[test]
fn a_fit_that_never_began_does_not_begin_after_a_change() {
    let server = Server::new(&[]);
    let (busy, id) = (server.open("a.png", &picture()), server.open("b.png", &picture()));
    let long = json!({"preset": "best", "strokes": 300, "size_px": 512});
    let short = json!({"preset": "fast", "strokes": 20, "size_px": 64});
    server.post(&format!("pieces/{id}/fit"), short.clone());
    server.wait("a program", |state| status(state, id) == "done");
    server.post(&format!("pieces/{busy}/fit"), long);
    server
        .post(&format!("pieces/{id}/fit"), json!({"preset": "fast", "size_px": 64, "from": true}));
    assert_eq!(server.piece(id)["fit"]["place"], 1);
    server.post(&format!("pieces/{id}/fit/stop"), json!({}));
    assert!(server.piece(id)["fit"]["resumable"].as_bool().unwrap());
    server.post(&format!("pieces/{id}/edit"), json!({"op": "delete", "strokes": [1]}));
    server.refused(409, &format!("pieces/{id}/fit/continue"), json!({}));
    // A piece that is closed frees the queue at the next step.
    assert_eq!(server.send("DELETE", &format!("pieces/{busy}"), b"").status, 204);
    server.post(&format!("pieces/{id}/fit"), short);
    server.wait("the next fit", |state| status(state, id) == "done");
    assert_eq!(server.piece(id)["program"]["steps"], 2);
}

#[test]
fn a_large_picture_can_be_ended() {
    let server = Server::new(&[]);
    let id = server.open("sheet.tbr.json", format::write(&sheet()).as_bytes());
    let exports = format!("pieces/{id}/exports");
    let png = json!({"kind": "png", "width": 32768, "samples": 8});
    let export = server.post(&exports, png)["id"].as_u64().unwrap();
    assert_eq!(server.send("DELETE", &format!("exports/{export}"), b"").status, 204);
    server.export(id, json!({"kind": "program"}));
    for wrong in [
        json!({"kind": "png", "width": 0}),
        json!({"kind": "png", "width": 1_000_000}),
        json!({"kind": "png", "width": 100, "samples": 99}),
        json!({"kind": "film", "format": "webp", "seconds": 1e9, "fps": 30, "width": 64}),
        json!({"kind": "film", "format": "exe", "seconds": 1, "fps": 30, "width": 64}),
        json!({"kind": "film", "format": "webp", "seconds": 1, "fps": 30, "width": 64, "grow_seconds": 1e300}),
        json!({"kind": "poem"}),
    ] {
        server.refused(400, &exports, wrong);
    }
}
