//! The interface of `tbr studio`: what it shows, changes, fits and gives away.

use crate::common::server::{Server, decoded, sheet, shown};
use crate::common::{Bench, DROP, LINE, fails, program, said, text};
use image::RgbImage;
use serde_json::{Value, json};
use tbr::program::Program;
use tbr::{edit, format};

/// Share of the pixels that differ.
fn differing(a: &RgbImage, b: &RgbImage) -> f64 {
    let count = a.pixels().zip(b.pixels()).filter(|(a, b)| a != b).count();
    count as f64 / a.pixels().len() as f64
}

/// The same by the command.
fn rendered(bench: &Bench, program: &Program, options: &[&str]) -> RgbImage {
    let (file, out) = (bench.write("r.tbr.json", format::write(program)), bench.path("r.png"));
    said(&[&["render", text(&file), "-o", text(&out), "--force"], options].concat());
    image::open(&out).unwrap().into_rgb8()
}

#[test]
fn pictures_are_those_of_render() {
    let (bench, server, program) = (Bench::new(), Server::new(&[]), sheet());
    let id = server.open("sheet.tbr.json", format::write(&program).as_bytes());
    let whole = shown(&server, id, "width=200");
    assert_eq!(whole, rendered(&bench, &program, &["--width", "200"]));
    let smooth = shown(&server, id, "width=200&samples=3");
    assert_eq!(smooth, rendered(&bench, &program, &["--width", "200", "--samples", "3"]));
    let early = shown(&server, id, "width=200&time=20");
    assert_eq!(early, rendered(&bench, &program, &["--width", "200", "--first", "20"]));
    let part = "0.40625,0.25,0.0009765625,0.0009765625";
    let deep = shown(&server, id, &format!("region={part}&width=64&height=64"));
    assert_eq!(deep, rendered(&bench, &program, &["--width", "64", "--region", part]));
    let growing = shown(&server, id, "width=200&time=20&grow=10");
    assert!(differing(&growing, &early) > 0.0);
    // Frames that are played are made in a hurry.
    assert!(differing(&shown(&server, id, "width=200&time=60&grow=10"), &whole) < 0.01);
    assert_ne!(shown(&server, id, "width=200&layer=owners"), whole);
    assert_ne!(shown(&server, id, "width=200&layer=age"), whole);
    for wrong in
        ["width=0", "width=5000", "width=9&region=1,2", "width=9&time=61", "width=9&layer=x", ""]
    {
        let reply = server.get(&format!("pieces/{id}/picture?{wrong}"));
        assert_eq!(reply.status, 400, "{wrong}");
        assert!(!reply.error().is_empty());
    }
    let target = server.get(&format!("pieces/{id}/picture?width=9&layer=target"));
    assert_eq!((target.status, target.error().as_str()), (409, "there is no target"));
}

#[test]
fn places_have_strokes_and_strokes_have_outlines() {
    let server = Server::new(&[]);
    let id = server.open("two.tbr.json", program(&format!("{DROP}, {LINE}")).as_bytes());
    let at = |x: f64, y: f64, time: &str| {
        server.get(&format!("pieces/{id}/at?x={x}&y={y}{time}")).json()
    };
    assert_eq!(at(0.29, 0.2, "")["stroke"], 1);
    assert_eq!(at(0.6, 0.25, "")["stroke"], 2);
    assert_eq!(at(0.6, 0.25, "&time=1")["stroke"], Value::Null);
    let drop = at(0.29, 0.2, "");
    assert_eq!((&drop["colour"], &drop["palette"]), (&json!("#cc4d33"), &json!(1)));
    // The line has pushed the drop a little to the left.
    assert!(drop["from"][0].as_f64().unwrap() > 0.29);
    let line = server.get(&format!("pieces/{id}/strokes/2")).json();
    assert_eq!((&line["colour"], &line["palette"]), (&json!("#00ff40"), &Value::Null));
    assert_eq!(server.get(&format!("pieces/{id}/strokes/3")).status, 404);
    let outlines = |time: &str| {
        let query = format!("pieces/{id}/outlines?strokes=1,2&width=100{time}");
        server.get(&query).json()["outlines"].clone()
    };
    let now = outlines("");
    assert_ne!(now[0]["laid"], now[0]["lies"]);
    assert_eq!(now[1]["laid"], now[1]["lies"]);
    assert_eq!(outlines("&time=1")[1]["lies"], Value::Null);
    // A drop of radius 10 around (30, 20), in pixels.
    let laid = now[0]["laid"].as_str().unwrap();
    let numbers: Vec<f64> =
        laid.split(['M', 'C', 'Z', ' ']).filter_map(|n| n.parse().ok()).collect();
    let (dx, dy) = (numbers[0] - 30.0, numbers[1] - 20.0);
    let start = (dx * dx + dy * dy).sqrt();
    assert!((start - 10.0).abs() < 0.02, "{laid}");
    let info = server.get(&format!("pieces/{id}/info")).json();
    assert_eq!(info["rows"][0], json!({"name": "strokes", "text": "2"}));
}

#[test]
fn edits_are_those_of_the_library_and_can_be_undone() {
    let (server, program) = (Server::new(&[]), sheet());
    let id = server.open("sheet.tbr.json", format::write(&program).as_bytes());
    let edit = |body: Value| server.post(&format!("pieces/{id}/edit"), body);
    let now = || {
        let file = server.export(id, json!({"kind": "program"}));
        format::read(file.as_slice()).unwrap()
    };
    let fifth = edit::Choice::of(&program, |i| i == 4);
    let answer = edit(json!({"op": "translate", "strokes": [5], "by": [0.1, 0.0]}));
    assert_eq!(answer["label"], "move stroke 5");
    let moved = edit::translate(&program, &fifth, tbr::vec2(0.1, 0.0)).unwrap();
    assert_eq!(now(), moved);
    edit(json!({"op": "recolour", "strokes": [1, 2, 3], "colour": "#123456"}));
    edit(json!({"op": "scale", "strokes": [7], "factor": 1.5}));
    edit(json!({"op": "rotate", "strokes": [7, 8], "degrees": 30.0, "about": [0.5, 0.5]}));
    let answer = edit(json!({"op": "bend", "strokes": [7, 9], "bend": -0.5}));
    assert_eq!(answer["label"], "bend 2 strokes");
    assert_eq!(server.get(&format!("pieces/{id}/strokes/9")).json()["bend"], -0.5);
    assert_eq!(server.get(&format!("pieces/{id}/strokes/8")).json()["bend"], 0.0);
    edit(json!({"op": "delete", "strokes": [60, 2]}));
    edit(json!({"op": "duplicate", "strokes": [1]}));
    edit(
        json!({"op": "insert", "number": 30, "anchor": [0.5, 0.3], "offset": [0, 0], "half_width": 0.05, "colour": "#00ff00"}),
    );
    edit(
        json!({"op": "insert", "number": 31, "anchor": [0.5, 0.3], "offset": [0.1, 0], "half_width": 0.01, "bend": 1.5, "colour": "#0000ff"}),
    );
    assert_eq!([29, 30].map(|k| now().strokes()[k].shape.bend), [0.0, 1.5]);
    edit(json!({"op": "background", "colour": "#000000"}));
    edit(json!({"op": "reduce", "colours": 4}));
    let state = server.piece(id)["program"].clone();
    assert_eq!((&state["strokes"], &state["steps"]), (&json!(61), &json!(11)));
    assert_eq!(state["palette"].as_array().unwrap().len(), 4);
    edit(json!({"op": "palette", "colours": ["#000000", "#555555", "#aaaaaa", "#ffffff"]}));
    let changes = server.get(&format!("pieces/{id}/changes")).json();
    assert_eq!(changes["steps"].as_array().unwrap().len(), 12);
    assert!(changes["pixels_share"].as_f64().unwrap() > 0.5, "{changes}");
    let last = now();
    for _ in 0..12 {
        server.post(&format!("pieces/{id}/undo"), json!({}));
    }
    assert_eq!(now(), program);
    assert_eq!(server.get(&format!("pieces/{id}/changes")).json()["pixels_share"], 0.0);
    assert!(
        server.refused(409, &format!("pieces/{id}/undo"), json!({})).contains("nothing to undo")
    );
    for _ in 0..12 {
        server.post(&format!("pieces/{id}/redo"), json!({}));
    }
    assert_eq!(now(), last);
}

#[test]
fn a_drag_is_one_step_and_wrong_edits_change_nothing() {
    let (server, program) = (Server::new(&[]), sheet());
    let id = server.open("sheet.tbr.json", format::write(&program).as_bytes());
    let address = format!("pieces/{id}/edit");
    for k in 1..=5 {
        let by = [0.02 * f64::from(k), 0.0];
        server.post(&address, json!({"op": "translate", "strokes": [9], "by": by, "drag": 3}));
    }
    let anchor =
        server.get(&format!("pieces/{id}/strokes/9")).json()["anchor"][0].as_f64().unwrap();
    assert!((anchor - program.strokes()[8].shape.anchor.x - 0.1).abs() < 1e-12);
    let before = server.piece(id);
    assert_eq!(before["program"]["steps"], 1);
    for wrong in [
        json!({"op": "delete", "strokes": []}),
        json!({"op": "delete", "strokes": [0]}),
        json!({"op": "delete", "strokes": [61]}),
        json!({"op": "scale", "strokes": [1], "factor": 0.0}),
        json!({"op": "scale", "strokes": [1], "factor": -1.0}),
        json!({"op": "translate", "strokes": [1], "by": [1e9, 0.0]}),
        json!({"op": "bend", "strokes": [1], "bend": 2.5}),
        json!({"op": "bend", "strokes": [1]}),
        json!({"op": "bend", "strokes": [], "bend": 1}),
        json!({"op": "recolour", "strokes": [1]}),
        json!({"op": "recolour", "strokes": [1], "colour": "red"}),
        json!({"op": "recolour", "strokes": [1], "palette": 99}),
        json!({"op": "insert", "number": 99, "anchor": [0, 0], "offset": [0, 0], "half_width": 0.1, "colour": "#000000"}),
        json!({"op": "palette", "colours": ["#000000"]}),
        json!({"op": "reduce", "colours": 0}),
        json!({"op": "explode"}),
        json!({}),
    ] {
        assert!(!server.refused(400, &address, wrong).is_empty());
    }
    server.refused(409, &format!("pieces/{id}/redo"), json!({}));
    assert_eq!(server.piece(id), before);
}

#[test]
fn strokes_are_picked_by_place_line_and_rule() {
    let (server, program) = (Server::new(&[]), sheet());
    let id = server.open("sheet.tbr.json", format::write(&program).as_bytes());
    let pick = |body: Value| server.post(&format!("pieces/{id}/select"), body)["strokes"].clone();
    assert_eq!(pick(json!({"rule": "last 3"})), json!([58, 59, 60]));
    assert_eq!(pick(json!({"rule": "first 2 or 5"})), json!([1, 2, 5]));
    let all = [[-1.0, -1.0], [2.0, -1.0], [2.0, 2.0], [-1.0, 2.0]];
    let seen = pick(json!({"rule": "pixels 1.."}));
    assert_eq!(pick(json!({"lasso": all})), seen);
    let early = pick(json!({"lasso": all, "time": 10}));
    assert!(early.as_array().unwrap().iter().all(|n| n.as_u64().unwrap() <= 10));
    let at = pick(json!({"at": [0.5, 0.4]}));
    let owner = server.get(&format!("pieces/{id}/at?x=0.5&y=0.4")).json()["stroke"].clone();
    assert_eq!(at, if owner.is_null() { json!([]) } else { json!([owner]) });
    let refused = server.refused(400, &format!("pieces/{id}/select"), json!({"rule": "loudest 3"}));
    assert!(refused.contains("loudest"), "{refused}");
}

#[test]
fn samples_and_events() {
    use std::io::{BufRead, BufReader, Write};
    let server = Server::new(&[]);
    assert!(decoded(&server.get("samples/tulip/picture").body).width() > 100);
    assert_eq!(server.get("samples/nothing/picture").status, 404);
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    write!(stream, "GET /api/v1/events HTTP/1.1\r\n{}\r\n\r\n", server.own_lines()).unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let mut next = || {
        let line = lines.find(|line| line.starts_with("data: ")).unwrap();
        serde_json::from_str::<Value>(&line["data: ".len()..]).unwrap()
    };
    assert_eq!(next()["pieces"], json!([]));
    let id = server.post("samples/battal", json!({}))["id"].clone();
    let state = next();
    assert_eq!((&state["interface"], &state["pieces"][0]["id"]), (&json!(1), &id));
    assert_eq!(state["pieces"][0]["target"]["width_px"], 512);
}

#[test]
fn the_command_line_is_checked() {
    let bench = Bench::new();
    let file = bench.write("broken.tbr.json", "{");
    fails(&["studio", "--no-open", text(&file)], 4, &["broken.tbr.json"]);
    fails(&["studio", "--no-open", text(&bench.path("none.png"))], 3, &["none.png"]);
    fails(&["studio", "--no-open", "--save-folder", text(&file)], 3, &["is no folder"]);
    let server = Server::new(&[text(&bench.write("two.tbr.json", program(DROP)))]);
    assert_eq!(server.state()["pieces"][0]["name"], "two");
    let port = server.port.to_string();
    fails(&["studio", "--no-open", "--port", &port], 2, &[&port, "cannot be had"]);
}

#[test]
fn one_colour_of_a_palette_changes_alone() {
    let server = Server::new(&[]);
    let id = server.open("two.tbr.json", program(&format!("{DROP}, {LINE}")).as_bytes());
    let palette = server.piece(id)["program"]["palette"].clone();
    let colours = json!(["#000000", palette[1]]);
    let edit = json!({"op": "palette", "colours": colours});
    let answer = server.post(&format!("pieces/{id}/edit"), edit);
    assert_eq!(answer["label"], "change a colour of the palette");
    let file = server.export(id, json!({"kind": "program"}));
    let now = format::read(file.as_slice()).unwrap();
    // The other was given in more than eight bits.
    assert_eq!(now.palette(), [[0.0; 3], [0.8, 0.3, 0.2]]);
    assert_eq!(server.get(&format!("pieces/{id}/changes")).json()["changed_strokes"], 0);
}

#[test]
fn what_has_changed_is_shown_while_playing_too() {
    let (server, program) = (Server::new(&[]), sheet());
    let id = server.open("sheet.tbr.json", format::write(&program).as_bytes());
    let grey = |image: &RgbImage| {
        let count = image.pixels().filter(|p| p[0] == p[1] && p[1] == p[2]).count();
        count as f64 / image.pixels().len() as f64
    };
    let last = program.strokes().len();
    let recolour = json!({"op": "recolour", "strokes": [last], "colour": "#ff0000"});
    server.post(&format!("pieces/{id}/edit"), recolour);
    let still = grey(&shown(&server, id, "width=200&layer=changes"));
    let played = grey(&shown(&server, id, "width=200&layer=changes&time=50&grow=20"));
    assert!(still < 1.0 && still > 0.8, "{still}");
    assert!(played > still, "{played}");
}

#[test]
fn what_is_undone_has_the_same_bytes() {
    let server = Server::new(&[]);
    let file = format::write(&format::read(program(DROP).as_bytes()).unwrap());
    let id = server.open("one.tbr.json", file.as_bytes());
    // About itself: nothing of a drop changes but the sign of a zero.
    let turn = json!({"op": "rotate", "strokes": [1], "degrees": 180.0, "about": [0.3, 0.2]});
    server.post(&format!("pieces/{id}/edit"), turn);
    let turned = server.export(id, json!({"kind": "program"}));
    assert_ne!(String::from_utf8(turned).unwrap(), file);
    server.post(&format!("pieces/{id}/undo"), json!({}));
    let undone = server.export(id, json!({"kind": "program"}));
    assert_eq!(String::from_utf8(undone).unwrap(), file);
    assert_eq!(server.get(&format!("pieces/{id}/changes")).json()["changed_strokes"], 0);
}

#[test]
fn what_a_file_says_of_itself_is_cut_short() {
    let server = Server::new(&[]);
    let long = format!("\"provenance\": {{\"made_by\": \"{}\"}}", "x".repeat(100_000));
    let file = program(DROP).replace("\"provenance\": {}", &long);
    let id = server.open("one.tbr.json", file.as_bytes());
    assert_eq!(server.piece(id)["program"]["made_by"].as_str().unwrap().len(), 120);
    let longer = long.replace('x', "xxx");
    let file = program(DROP).replace("\"provenance\": {}", &longer);
    let reply = server.send("POST", "pieces?name=two.tbr.json", file.as_bytes());
    assert_eq!(reply.status, 422);
    assert!(reply.error().contains("provenance"), "{}", reply.error());
}
