//! Connections that hold up nobody: idle ones, too many, stalled and broken uploads, slow tiles.

use crate::common::server::Server;
use crate::common::{DROP, program};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use tbr::{Operator, Parts, Program, format, prior};

/// Longer than the studio waits for anything that should come, with time for a busy machine.
const LONG: Duration = Duration::from_secs(40);
/// What an answer takes that waits for nobody, on a busy machine.
const SOON: Duration = Duration::from_secs(8);

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream
}

/// Begins an upload, with lines of a head that say how it will come; sends none of it.
fn begin_upload(server: &Server, how: &str) -> TcpStream {
    let mut stream = connect(server);
    let (own, token) = (server.own_lines(), &server.token);
    let line = "POST /api/v1/pieces?name=a.tbr.json HTTP/1.1";
    write!(stream, "{line}\r\n{own}\r\nx-tbr-token: {token}\r\n{how}\r\n\r\n").unwrap();
    stream
}

/// All that comes until the other side ends the connection.
fn rest(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("the connection should end");
    String::from_utf8(bytes).unwrap()
}

#[test]
fn idle_connections_end() {
    let server = Server::new(&[]);
    let silent = connect(&server);
    let mut half = connect(&server);
    write!(half, "GET /api/v1/state HTTP/1.1\r\nHost: ").unwrap();
    let mut kept = connect(&server);
    write!(kept, "GET /api/v1/state HTTP/1.1\r\n{}\r\n\r\n", server.own_lines()).unwrap();
    assert_eq!(rest(silent), "");
    assert!(!rest(half).contains("200 OK"));
    assert!(rest(kept).starts_with("HTTP/1.1 200 OK"));
}

#[cfg(unix)]
#[test]
fn when_descriptors_run_out_it_goes_on() {
    let tbr = assert_cmd::cargo::cargo_bin("tbr");
    let line = format!("ulimit -n 64; exec {} studio --no-open", tbr.display());
    let mut shell = std::process::Command::new("sh");
    let (mut server, url, _lines) =
        Server::start(shell.args(["-c", &line]).stderr(std::process::Stdio::null()));
    let mut idle: Vec<TcpStream> = (0..100).map(|_| connect(&server)).collect();
    server.come_in(&url);
    let id = server.open("one.tbr.json", program(DROP).as_bytes());
    assert_eq!(server.piece(id)["name"], "one");
    assert!(server.is_alive());
    // It was not us who gave way.
    assert!(idle.iter_mut().all(|stream| stream.peer_addr().is_ok()));
}

#[test]
fn a_stalled_upload_holds_up_nobody_and_ends() {
    let server = Server::new(&[]);
    let mut stalled = begin_upload(&server, "Content-Length: 1000\r\nConnection: close");
    write!(stalled, "{{").unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let start = Instant::now();
    server.open("one.tbr.json", program(DROP).as_bytes());
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    let said = rest(stalled);
    assert!(said.starts_with("HTTP/1.1 408"), "{said}");
}

#[test]
fn a_broken_upload_is_not_called_large() {
    let server = Server::new(&[]);
    let mut broken = begin_upload(&server, "Transfer-Encoding: chunked\r\nConnection: close");
    write!(broken, "3\r\n{{  \r\nzz\r\nrubbish\r\n").unwrap();
    let said = rest(broken);
    assert!(said.starts_with("HTTP/1.1 400"), "{said}");
    assert!(said.contains("broke off"), "{said}");
}

/// A program of the line source, which is integrated step by step.
fn line_source(strokes: usize) -> String {
    let parts = prior::program(strokes, 1.0, 3).unwrap().into_parts();
    format::write(&Program::new(Parts { operator: Operator::LineSource, ..parts }).unwrap())
}

#[test]
fn slow_pictures_are_refused() {
    let server = Server::new(&[]);
    let many = server.open("many.tbr.json", line_source(891).as_bytes());
    let start = Instant::now();
    let reply = server.get(&format!("pieces/{many}/picture?width=64&height=64"));
    assert_eq!(reply.status, 422);
    assert!(reply.error().contains("line source"), "{}", reply.error());
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    // A few strokes can be looked at.
    let few = server.open("few.tbr.json", line_source(20).as_bytes());
    assert_eq!(server.get(&format!("pieces/{few}/picture?width=64&height=64")).status, 200);
}

#[test]
fn slow_work_leaves_room_for_others() {
    let server = Server::new(&[]);
    // This takes most of a minute, and is asked for again and again.
    let few = server.open("few.tbr.json", line_source(9).as_bytes());
    let own = server.own_lines();
    let mut asking: Vec<TcpStream> = (0..5).map(|_| connect(&server)).collect();
    for stream in &mut asking {
        write!(stream, "GET /api/v1/pieces/{few}/info HTTP/1.1\r\n{own}\r\n\r\n").unwrap();
    }
    std::thread::sleep(Duration::from_millis(500));
    let quick = server.open("quick.tbr.json", program(DROP).as_bytes());
    let start = Instant::now();
    assert_eq!(server.get(&format!("pieces/{quick}/picture?width=64")).status, 200);
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}
