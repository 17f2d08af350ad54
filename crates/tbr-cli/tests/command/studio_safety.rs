//! What the studio must survive: other pages, wrong files, and too much of everything.

use crate::common::server::Server;
use crate::common::{Bench, DROP, program, text};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;

/// An address that would change something.
const CHANGE: &str = "POST /api/v1/samples/battal";

#[test]
fn other_hosts_and_origins_are_refused() {
    let server = Server::new(&[]);
    let (host, token) = (server.own_lines(), format!("x-tbr-token: {}", server.token));
    let status = |line: &str, head: &[&str]| server.ask(line, head, b"").status;
    for foreign in ["Host: evil.example", "Host: 127.0.0.1", "Host: evil.example:80", "X: y"] {
        assert_eq!(status("GET /", &[foreign]), 421, "{foreign}");
        assert_eq!(status("GET /api/v1/state", &[foreign]), 421, "{foreign}");
        assert_eq!(status(CHANGE, &[foreign, &token]), 421, "{foreign}");
    }
    let evil = server.ask("GET /", &["Host: evil.example"], b"");
    assert!(!String::from_utf8_lossy(&evil.body).contains(&server.token));
    for foreign in ["Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site"] {
        assert_eq!(status("GET /api/v1/state", &[&host, foreign]), 403, "{foreign}");
        assert_eq!(status(CHANGE, &[&host, &token, foreign]), 403, "{foreign}");
    }
    // What a browser asks before it lets another page send our header.
    let preflight = server.ask(
        "OPTIONS /api/v1/pieces",
        &[&host, "Origin: http://evil.example", "Access-Control-Request-Method: POST"],
        b"",
    );
    assert_eq!(preflight.status, 403);
    assert!(!preflight.head.to_lowercase().contains("access-control-allow"));
    assert_eq!(server.state()["pieces"], json!([]));
    let own = format!("Origin: http://127.0.0.1:{}", server.port);
    assert_eq!(status(CHANGE, &[&host, &token, &own, "Content-Length: 0"]), 200);
}

#[test]
fn changes_need_the_token() {
    let server = Server::new(&[]);
    let id = server.open("one.tbr.json", program(DROP).as_bytes());
    let changes = [
        "POST /api/v1/pieces?name=a.png".to_owned(),
        CHANGE.to_owned(),
        format!("POST /api/v1/pieces/{id}/edit"),
        format!("POST /api/v1/pieces/{id}/fit"),
        format!("POST /api/v1/pieces/{id}/exports"),
        format!("DELETE /api/v1/pieces/{id}"),
    ];
    for change in &changes {
        for token in ["X: none", "x-tbr-token:", "x-tbr-token: 00000000000000000000000000000000"] {
            let reply = server.ask(change, &[&server.own_lines(), token, "Content-Length: 0"], b"");
            assert_eq!(reply.status, 403, "{change} {token}");
            assert!(reply.error().contains("does not come from a page"));
        }
    }
    assert_eq!(server.piece(id)["program"]["strokes"], 1);
}

#[test]
fn every_answer_is_kept_here_and_the_page_may_do_little() {
    let server = Server::new(&[]);
    for address in ["/", "/main.js", "/api/v1/state", "/nothing"] {
        let head = server.get_raw(address).head.to_lowercase();
        let policy = head.lines().find(|l| l.starts_with("content-security-policy:")).unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"));
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"));
        for line in ["x-content-type-options: nosniff", "cache-control: no-store"] {
            assert!(head.contains(line), "{address}: {head}");
        }
        assert!(!head.contains("access-control"));
    }
    let page = String::from_utf8(server.get_raw("/").body).unwrap();
    for outside in ["http://", "https://", "//cdn", "<style", " style=", "onclick", "{{"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn no_path_leads_out() {
    let bench = Bench::new();
    bench.write("secret.txt", "secret");
    let folder = bench.path("saved");
    std::fs::create_dir(&folder).unwrap();
    let server = Server::new(&["--save-folder", text(&folder)]);
    for path in [
        "/../Cargo.toml",
        "/..%2fmod.rs",
        "/%2e%2e/mod.rs",
        "/..%5cmod.rs",
        "//etc/passwd",
        "/%2fetc%2fpasswd",
        "/api/v1/samples/..%2f..%2fetc/picture",
        "/api/v1/exports/..%2f1/file",
        "/api/v1/pieces/..%2f1/picture?width=9",
    ] {
        let reply = server.get_raw(path);
        assert!((400..=404).contains(&reply.status), "{path}: {}", reply.status);
        assert!(!String::from_utf8_lossy(&reply.body).contains("fn "), "{path}");
    }
    let id = server.open("..%2f..%2fone.tbr.json", program(DROP).as_bytes());
    assert_eq!(server.piece(id)["name"], "one");
    server.export(id, json!({"kind": "program"}));
    let export = server.state()["exports"][0]["id"].as_u64().unwrap();
    for name in [
        "../out.tbr.json",
        "/elsewhere/out.tbr.json",
        "a/b.json",
        "..",
        ".json",
        "out.sh",
        "",
        "a\\b.json",
    ] {
        let refused = server.refused(400, &format!("exports/{export}/save"), json!({"name": name}));
        assert!(refused.contains("no name for this file"), "{name}: {refused}");
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    let files = bench.files();
    assert!(files.len() == 2, "{files:?}");
    let other = Server::new(&[]);
    let id = other.open("one.tbr.json", program(DROP).as_bytes());
    other.export(id, json!({"kind": "program"}));
    let export = other.state()["exports"][0]["id"].as_u64().unwrap();
    let refused = other.refused(409, &format!("exports/{export}/save"), json!({}));
    assert!(refused.contains("no folder"));
    // A palette of the command line may be a file; one of a page may not.
    let palette = json!({"palette": text(&bench.path("secret.txt"))});
    let target = server.post("samples/battal", json!({}))["id"].clone();
    let refused = server.refused(400, &format!("pieces/{target}/fit"), palette);
    assert!(refused.contains("is no palette"), "{refused}");
}

/// A picture of one colour that claims to be `side` pixels wide and high, in a small file.
fn bomb(side: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side, side);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::One);
    let mut writer = encoder.write_header().unwrap();
    let mut stream = writer.stream_writer().unwrap();
    let row = vec![0; side.div_ceil(8) as usize];
    for _ in 0..side {
        stream.write_all(&row).unwrap();
    }
    stream.finish().unwrap();
    drop(writer);
    bytes
}

#[test]
fn too_much_is_refused() {
    let mut server = Server::new(&[]);
    let (host, token) = (server.own_lines(), format!("x-tbr-token: {}", server.token));
    // Two gigabytes, said beforehand: refused before they are sent.
    let length = "Content-Length: 2147483648";
    let reply = server.ask("POST /api/v1/pieces?name=a.png", &[&host, &token, length], b"");
    assert_eq!(reply.status, 413);
    assert!(reply.error().contains("larger than 256 MB"));
    // And unsaid, in chunks: the server stops listening long before their end.
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    let head = "POST /api/v1/pieces?name=a.png HTTP/1.1\r\nTransfer-Encoding: chunked";
    write!(stream, "{head}\r\n{host}\r\n{token}\r\nConnection: close\r\n\r\n").unwrap();
    let chunk = vec![7_u8; 1 << 20];
    let mut sent = 0;
    for _ in 0..2048 {
        let went = write!(stream, "{:x}\r\n", chunk.len())
            .and_then(|()| stream.write_all(&chunk))
            .and_then(|()| stream.write_all(b"\r\n"));
        if went.is_err() {
            break;
        }
        sent += 1;
    }
    assert!(sent < 400, "{sent} MB were taken");
    // (It may hang up before its answer has been read.)
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.is_empty() || answer.contains("413"), "{answer}");
    let bomb = bomb(30_000);
    assert!(bomb.len() < 1 << 20);
    let reply = server.send("POST", "pieces?name=bomb.png", &bomb);
    assert_eq!(reply.status, 422);
    assert!(reply.error().contains("too many to read"), "{}", reply.error());
    // Words may not be endless either.
    let reply = server.send("POST", "pieces/1/select", &vec![b' '; 17 << 20]);
    assert_eq!(reply.status, 413);
    assert!(server.is_alive());
    assert_eq!(server.state()["pieces"], json!([]));
}

/// Two long strokes on one place, so many times: each of the first has thousands of pieces.
fn twins(count: usize, half_width: f64) -> String {
    let twin = |k: usize| {
        let y = 10.0 * k as f64 - 300.0;
        let stroke = format!(
            r#"{{"anchor": [-500, {y}], "offset": [1000, 0], "half_width": {half_width}, "colour": 1}}"#
        );
        format!("{stroke}, {stroke}")
    };
    program(&(0..count).map(twin).collect::<Vec<_>>().join(","))
}

#[test]
fn outlines_of_too_many_pieces_are_refused() {
    let server = Server::new(&[]);
    let outlines = |id: u64, numbers: &str| {
        server.get(&format!("pieces/{id}/outlines?strokes={numbers}&width=100"))
    };
    let thin = server.open("thin.tbr.json", twins(1, 3e-6).as_bytes());
    let reply = outlines(thin, "1");
    assert_eq!(reply.status, 422);
    assert!(reply.error().contains("limit: 65536"), "{}", reply.error());
    // Each by itself can be had; all of them together cannot.
    let many = server.open("many.tbr.json", twins(60, 0.01).as_bytes());
    assert_eq!(outlines(many, "1").status, 200);
    let odd: Vec<String> = (0..60).map(|k| (2 * k + 1).to_string()).collect();
    let reply = outlines(many, &odd.join(","));
    assert_eq!(reply.status, 422);
    assert!(reply.error().contains("too long together"), "{}", reply.error());
}

#[test]
fn broken_files_are_named_and_change_nothing() {
    let mut server = Server::new(&[]);
    let whole = program(DROP);
    for (name, bytes, said) in [
        ("a.tbr.json", &b"{\"format\": \"tbr-prog"[..], "a.tbr.json"),
        ("b.tbr.json", whole.replace("0.1, \"colour\"", "-1, \"colour\"").as_bytes(), "half_width"),
        ("c.tbr.json", whole.replace("\"colour\": 1", "\"colour\": 7").as_bytes(), "stroke 1"),
        ("d.png", b"\x89PNG\r\n\x1a\nrubbish", "d.png"),
        ("e.txt", b"hello", "not a picture"),
        ("f.png", b"", "empty"),
    ] {
        let reply = server.send("POST", &format!("pieces?name={name}"), bytes);
        assert_eq!(reply.status, 422, "{name}");
        assert!(reply.error().contains(said), "{name}: {}", reply.error());
    }
    let long = program(DROP).replace("\"height\": 0.5", "\"height\": 900");
    assert_eq!(server.send("POST", "pieces?name=long.tbr.json", long.as_bytes()).status, 422);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let nested = whole.replace("\"provenance\": {}", &format!("\"provenance\": {{\"a\": {deep}}}"));
    assert_eq!(server.send("POST", "pieces?name=g.tbr.json", nested.as_bytes()).status, 422);
    assert!(server.is_alive());
    assert_eq!(server.state()["pieces"], json!([]));
}

#[test]
fn fifty_clients_are_served_and_the_fit_goes_on() {
    let mut server = Server::new(&[]);
    let id = server.post("samples/tulip", json!({}))["id"].as_u64().unwrap();
    let fit = json!({"preset": "best", "strokes": 400, "size_px": 256});
    server.post(&format!("pieces/{id}/fit"), fit);
    server.wait("a program", |state| !state["pieces"][0]["program"].is_null());
    let step = server.piece(id)["fit"]["step"].as_u64();
    std::thread::scope(|scope| {
        for client in 0..50 {
            let server = &server;
            scope.spawn(move || {
                for k in 0..2 {
                    let layer = ["paint", "target", "error", "owners"][(client + k) % 4];
                    let picture =
                        server.get(&format!("pieces/{id}/picture?width=128&layer={layer}"));
                    assert_eq!(picture.status, 200);
                    assert!(picture.body.starts_with(b"\x89PNG"));
                    assert_eq!(server.get("state").status, 200);
                    let wrong = server.get(&format!("pieces/{id}/picture?width=128&time=9e9"));
                    assert_eq!(wrong.status, 400);
                    // Some hang up in the middle.
                    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
                    let lines = server.own_lines();
                    let _ = write!(stream, "GET /api/v1/events HTTP/1.1\r\n{lines}\r\n\r\n");
                }
            });
        }
    });
    assert!(server.is_alive());
    server.wait("the fit to go on", |state| state["pieces"][0]["fit"]["step"].as_u64() > step);
    assert_eq!(server.piece(id)["fit"]["status"], "running");
}

#[test]
fn a_full_desk_says_so() {
    let server = Server::new(&[]);
    let most = server.state()["limits"]["pieces"].as_u64().unwrap();
    let file = program(DROP);
    let ids: Vec<u64> = (0..most).map(|_| server.open("one.tbr.json", file.as_bytes())).collect();
    let reply = server.send("POST", "pieces?name=more.tbr.json", file.as_bytes());
    assert_eq!(reply.status, 409);
    assert!(reply.error().contains("open already"));
    assert_eq!(server.send("DELETE", &format!("pieces/{}", ids[3]), b"").status, 204);
    server.open("more.tbr.json", file.as_bytes());
}
