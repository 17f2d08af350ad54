//! How the studio ends: not by mistake, and with nothing left behind.

use crate::common::server::{Server, command};
use crate::common::{Bench, DROP, fails, program, tbr, text};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::Duration;

/// A studio whose temporary files are in a folder of ours, and whom we listen to.
fn server(bench: &Bench) -> Server {
    let mut command = command();
    command.arg("--no-open").env("TMPDIR", bench.folder.path()).stderr(Stdio::piped());
    let (mut server, url, _) = Server::start(&mut command);
    server.come_in(&url);
    server
}

#[test]
fn what_waits_to_be_fetched_is_private_and_goes() {
    for (signal, exit_code) in [("TERM", 143), ("HUP", 129), ("INT", 130)] {
        let bench = Bench::new();
        let server = server(&bench);
        let id = server.open("one.tbr.json", program(DROP).as_bytes());
        server.export(id, json!({"kind": "program"}));
        server.export(id, json!({"kind": "png", "width": 32}));
        let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
        let scratch = bench.path(&bench.files()[0]);
        assert_eq!(mode(&scratch), 0o700);
        for file in std::fs::read_dir(&scratch).unwrap() {
            assert_eq!(mode(&file.unwrap().path()), 0o600);
        }
        assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 2);
        server.signal(signal);
        let (code, said) = server.ended();
        assert_eq!(code, Some(exit_code), "{signal}: {said}");
        assert!(!said.contains("not saved"), "{said}");
        assert!(bench.files().is_empty(), "{signal}: {:?}", bench.files());
    }
}

#[test]
fn a_port_that_is_taken_leaves_nothing_behind() {
    let (bench, server) = (Bench::new(), Server::new(&[]));
    let port = server.port.to_string();
    let args = ["studio", "--no-open", "--port", &port];
    fails(&args, 2, &["cannot be had"]);
    assert!(!tbr(&args).env("TMPDIR", bench.folder.path()).output().unwrap().status.success());
    assert!(bench.files().is_empty(), "{:?}", bench.files());
    let broken = Bench::new();
    let file = broken.write("broken.tbr.json", "{");
    let mut refused = tbr(&["studio", "--no-open", text(&file)]);
    assert!(!refused.env("TMPDIR", bench.folder.path()).output().unwrap().status.success());
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}

#[test]
fn ctrl_c_asks_first_if_something_would_be_lost() {
    let bench = Bench::new();
    let mut server = server(&bench);
    let id = server.open("wave.tbr.json", program(DROP).as_bytes());
    let edit = format!("pieces/{id}/edit");
    server.post(&edit, json!({"op": "background", "colour": "#000000"}));
    server.signal("INT");
    std::thread::sleep(Duration::from_millis(500));
    assert!(server.is_alive());
    assert_eq!(server.piece(id)["program"]["background"], "#000000");
    server.signal("INT");
    let (code, said) = server.ended();
    assert_eq!(code, Some(130));
    assert!(said.contains("not saved: the program of wave\n"), "{said}");
    assert!(said.contains("Ctrl-C again within 10 seconds"), "{said}");
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}

#[test]
fn ctrl_c_ends_at_once_if_nothing_would_be_lost() {
    // What was undone, or has been taken away, is not lost.
    for undone in [true, false] {
        let bench = Bench::new();
        let server = server(&bench);
        let id = server.open("wave.tbr.json", program(DROP).as_bytes());
        let edit = json!({"op": "background", "colour": "#000000"});
        server.post(&format!("pieces/{id}/edit"), edit);
        if undone {
            server.post(&format!("pieces/{id}/undo"), json!({}));
        } else {
            server.export(id, json!({"kind": "program"}));
        }
        server.signal("INT");
        let (code, said) = server.ended();
        assert!(code == Some(130) && !said.contains("not saved"), "{undone}: {said}");
    }
}

#[test]
fn an_end_that_is_asked_for_by_a_script_comes_at_once() {
    let bench = Bench::new();
    let server = server(&bench);
    let id = server.post("samples/battal", json!({}))["id"].clone();
    server.post(&format!("pieces/{id}/fit"), json!({"preset": "best", "strokes": 300}));
    server.signal("TERM");
    let (code, said) = server.ended();
    assert!(code == Some(143) && !said.contains("not saved"), "{said}");
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}
