//! Who comes into the studio: whoever has the address that stands in the terminal.

use crate::common::server::{Reply, Server, command};
use crate::common::{DROP, program};
use serde_json::json;
use std::io::{BufReader, Lines};
use std::process::ChildStdout;

/// A studio that nobody has entered, its first address, and what else it prints.
fn closed() -> (Server, String, Lines<BufReader<ChildStdout>>) {
    Server::start(command().arg("--no-open"))
}

/// What somebody is told who asks for `line` without a cookie.
fn asked(server: &Server, line: &str, more: &[&str]) -> Reply {
    let host = server.host();
    server.ask(line, &[&[host.as_str(), "Content-Length: 0"], more].concat(), b"")
}

#[test]
fn without_the_address_there_is_nothing() {
    let server = Server::new(&[]);
    let id = server.open("secret-name.tbr.json", program(DROP).as_bytes());
    server.export(id, json!({"kind": "program"}));
    let export = server.state()["exports"][0]["id"].as_u64().unwrap();
    let token = format!("x-tbr-token: {}", server.token);
    let stale = format!("Cookie: tbr-studio-{}=00000000000000000000000000000000", server.port);
    let lines = [
        "GET /".to_owned(),
        "HEAD /".to_owned(),
        "GET /?key=".to_owned(),
        "GET /?key=00000000000000000000000000000000".to_owned(),
        "GET /index.html".to_owned(),
        "GET /main.js".to_owned(),
        "GET /icon.svg".to_owned(),
        "GET /nothing".to_owned(),
        "GET /api/v1/state".to_owned(),
        "GET /api/v1/events".to_owned(),
        "GET /api/v1/nothing".to_owned(),
        "GET /api/v1/samples/tulip/picture".to_owned(),
        format!("GET /api/v1/pieces/{id}/picture?width=64"),
        format!("GET /api/v1/pieces/{id}/strokes/1"),
        format!("GET /api/v1/pieces/{id}/info"),
        format!("GET /api/v1/exports/{export}/file"),
        "POST /api/v1/pieces?name=a.png".to_owned(),
        format!("POST /api/v1/pieces/{id}/exports"),
        format!("DELETE /api/v1/pieces/{id}"),
    ];
    for line in &lines {
        // (Even the token, had somebody found it, would be of no use.)
        for cookie in ["X: none", &stale] {
            let reply = asked(&server, line, &[cookie, &token]);
            assert_eq!(reply.status, 403, "{line} {cookie}");
            assert_eq!(reply.header("set-cookie"), None);
            let said = String::from_utf8_lossy(&reply.body);
            assert!(said.len() < 700 && !said.contains("<script"), "{line}: {said}");
            assert!(said.contains("terminal") || line.starts_with("HEAD"), "{line}: {said}");
            for inner in ["secret-name", &server.token, "main.js"] {
                assert!(!said.contains(inner), "{line}: {said}");
            }
        }
    }
    assert_eq!(server.piece(id)["program"]["strokes"], 1);
}

#[test]
fn an_address_opens_once_and_the_next_is_printed() {
    let (mut server, first, mut printed) = closed();
    assert!(first.len() > "http://127.0.0.1:1/?key=".len() + 30, "{first}");
    let path = &first[first.find("/?").unwrap()..];
    // What only looks uses nothing up.
    assert_eq!(asked(&server, &format!("HEAD {path}"), &[]).status, 403);
    assert_eq!(asked(&server, &format!("GET {path}"), &["Sec-Purpose: prefetch"]).status, 403);
    let evil = asked(&server, &format!("GET {path}"), &["Host: evil.example"]);
    assert!(evil.status >= 400);
    server.come_in(&first);
    assert_eq!(server.state()["pieces"], json!([]));
    assert_eq!(asked(&server, &format!("GET {path}"), &[]).status, 403);
    // Whoever is inside may open it again, and comes to the page.
    assert_eq!(server.get_raw(path).header("location"), Some("/"));
    let second = printed.next().unwrap().unwrap();
    assert_ne!(first, second);
    let mine = server.cookie.clone();
    server.come_in(&second);
    assert_eq!(server.cookie, mine);
    assert_ne!(printed.next().unwrap().unwrap(), second);
}

#[test]
fn the_cookie_is_for_this_server_and_for_no_script() {
    let (server, first, _printed) = closed();
    let path = &first[first.find("/?").unwrap()..];
    let reply = asked(&server, &format!("GET {path}"), &["Sec-Fetch-Site: none"]);
    assert_eq!((reply.status, reply.header("location")), (303, Some("/")));
    let cookie = reply.header("set-cookie").unwrap();
    assert!(cookie.starts_with(&format!("tbr-studio-{}=", server.port)), "{cookie}");
    for part in ["; Path=/", "; HttpOnly", "; SameSite=Strict"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    assert_eq!(reply.header("referrer-policy"), Some("no-referrer"));
    assert!(!cookie.contains(first.rsplit('=').next().unwrap()));
}

#[cfg(target_os = "linux")]
#[test]
fn the_browser_is_started_without_the_secret_among_its_arguments() {
    use crate::common::{Bench, text};
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    // A browser that notes what it was started with, and what it found there.
    let (noted, page) = (bench.path("arguments"), bench.path("page"));
    let script = format!(
        "#!/bin/sh\nstat -c %a \"$1\" \"$(dirname \"$1\")\" > {0}.modes\ncp \"$1\" {1}\necho \"$@\" > {0}.tmp\nmv {0}.tmp {0}\n",
        text(&noted),
        text(&page)
    );
    let opener = bench.write("xdg-open", script);
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", text(bench.folder.path()), std::env::var("PATH").unwrap());
    let (mut server, url, _lines) =
        Server::start(command().env("PATH", path).env_remove("BROWSER"));
    let start = std::time::Instant::now();
    while !noted.exists() {
        assert!(start.elapsed().as_secs() < 60, "no browser was started");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let arguments = std::fs::read_to_string(&noted).unwrap();
    assert!(!arguments.contains("key="), "{arguments}");
    let file = std::path::PathBuf::from(arguments.trim());
    let modes = std::fs::read_to_string(format!("{}.modes", text(&noted))).unwrap();
    assert_eq!(modes, "600\n700\n");
    // The file leads in, once, and is gone; the address in the terminal is still good.
    let page = std::fs::read_to_string(page).unwrap();
    let inside = page.split_once("0;url=").unwrap().1.split_once('"').unwrap().0;
    assert_ne!(inside, url);
    server.come_in(inside);
    assert!(!file.exists());
    server.come_in(&url);
}
