//! A studio to talk to, and a client so simple that it can say anything.

use image::RgbImage;
use serde_json::Value;
use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use tbr::prior;
use tbr::program::Program;

/// A studio that ends when it is dropped.
pub struct Server {
    process: Child,
    pub port: u16,
    /// The cookie that it has let us in with, as a line of a head.
    pub cookie: String,
    pub token: String,
}

/// What a server answers.
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&self.body)))
    }

    /// A line of the head, by its name in small letters.
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// What a refusal says.
    pub fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_else(|| panic!("{}", self.json())).to_owned()
    }
}

/// The command that starts a studio, which nobody listens to.
pub fn command() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("tbr"));
    command.arg("studio").env_remove("TBR_WEIGHTS").stderr(Stdio::null());
    command
}

impl Server {
    /// Starts one with some arguments, and comes in.
    pub fn new(args: &[&str]) -> Self {
        let (mut server, url, _) = Self::start(command().arg("--no-open").args(args));
        server.come_in(&url);
        server
    }

    /// Starts one that nobody has entered; with its first address and what else it prints.
    pub fn start(command: &mut Command) -> (Self, String, Lines<BufReader<ChildStdout>>) {
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let url = lines.next().unwrap().unwrap();
        (Self::at(process, &url), url, lines)
    }

    /// The server behind an address, before anybody was let in.
    fn at(process: Child, url: &str) -> Self {
        let (_, port) = url.split_once("http://127.0.0.1:").unwrap();
        let port = port.split_once('/').unwrap().0.parse().unwrap();
        Self { process, port, cookie: "X: none".to_owned(), token: String::new() }
    }

    /// Comes in through the door, as a browser does: by the address, the cookie, the page.
    pub fn come_in(&mut self, url: &str) {
        let path = &url[url.find("/?").unwrap()..];
        let reply = self.ask(&format!("GET {path}"), &[&self.host()], b"");
        assert_eq!(reply.status, 303, "{}", reply.head);
        assert_eq!(reply.header("location"), Some("/"));
        let cookie = reply.header("set-cookie").unwrap().split_once(';').unwrap().0;
        self.cookie = format!("Cookie: {cookie}");
        let page = String::from_utf8(self.get_raw("/").body).unwrap();
        let (_, rest) = page.split_once("name=\"tbr-token\" content=\"").unwrap();
        rest.split_once('"').unwrap().0.clone_into(&mut self.token);
    }

    /// Sends it a signal by its name.
    pub fn signal(&self, name: &str) {
        let (signal, id) = (format!("-{name}"), self.process.id().to_string());
        assert!(Command::new("kill").args([signal, id]).status().unwrap().success());
    }

    /// Waits until it has ended; its exit code, and what it said on standard error.
    pub fn ended(mut self) -> (Option<i32>, String) {
        let mut said = String::new();
        if let Some(mut errors) = self.process.stderr.take() {
            errors.read_to_string(&mut said).unwrap();
        }
        (self.process.wait().unwrap().code(), said)
    }

    /// Is it there?
    pub fn is_alive(&mut self) -> bool {
        self.process.try_wait().unwrap().is_none()
    }

    /// Asks exactly this, with the lines of a head as given.
    pub fn ask(&self, first_line: &str, head: &[&str], body: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let lines: String = head.iter().map(|line| format!("{line}\r\n")).collect();
        write!(stream, "{first_line} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n").unwrap();
        // (A server that refuses a body may not wait for it.)
        let _ = stream.write_all(body);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let split = bytes.windows(4).position(|w| w == b"\r\n\r\n");
        let split = split.unwrap_or_else(|| panic!("no answer to {first_line}"));
        let head = String::from_utf8(bytes[..split].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Reply { status, head, body: bytes[split + 4..].to_vec() }
    }

    pub fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}", self.port)
    }

    /// The host and the cookie: what a browser that was let in sends with everything.
    pub fn own_lines(&self) -> String {
        format!("{}\r\n{}", self.host(), self.cookie)
    }

    /// Gets an address of the server.
    pub fn get_raw(&self, address: &str) -> Reply {
        self.ask(&format!("GET {address}"), &[&self.own_lines()], b"")
    }

    /// Gets an address of the interface.
    pub fn get(&self, address: &str) -> Reply {
        self.get_raw(&format!("/api/v1/{address}"))
    }

    /// Sends bytes, with the token.
    pub fn send(&self, method: &str, address: &str, body: &[u8]) -> Reply {
        let (token, length) =
            (format!("x-tbr-token: {}", self.token), format!("Content-Length: {}", body.len()));
        let head = [&self.own_lines(), &token, &length, "Content-Type: application/json"];
        self.ask(&format!("{method} /api/v1/{address}"), &head, body)
    }

    /// Posts words that must be taken.
    #[track_caller]
    pub fn post(&self, address: &str, body: Value) -> Value {
        let reply = self.send("POST", address, body.to_string().as_bytes());
        assert_eq!(reply.status, 200, "{address} {body}: {}", reply.error());
        reply.json()
    }

    /// Posts words that must be refused; why.
    #[track_caller]
    pub fn refused(&self, status: u16, address: &str, body: Value) -> String {
        let reply = self.send("POST", address, body.to_string().as_bytes());
        assert_eq!(reply.status, status, "{address} {body}");
        reply.error()
    }

    /// Opens a file; the piece's number.
    #[track_caller]
    pub fn open(&self, name: &str, bytes: &[u8]) -> u64 {
        let reply = self.send("POST", &format!("pieces?name={name}"), bytes);
        assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
        reply.json()["id"].as_u64().unwrap()
    }

    pub fn state(&self) -> Value {
        self.get("state").json()
    }

    pub fn piece(&self, id: u64) -> Value {
        let state = self.state();
        let pieces = state["pieces"].as_array().unwrap();
        pieces.iter().find(|p| p["id"] == id).unwrap_or_else(|| panic!("no piece {id}")).clone()
    }

    /// Looks at the state until something holds of it.
    #[track_caller]
    pub fn wait(&self, what: &str, mut holds: impl FnMut(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            let state = self.state();
            if holds(&state) {
                return state;
            }
            assert!(start.elapsed().as_secs() < 120, "waited for {what}: {state}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Exports a piece; the file.
    #[track_caller]
    pub fn export(&self, id: u64, request: Value) -> Vec<u8> {
        let export = self.post(&format!("pieces/{id}/exports"), request)["id"].as_u64().unwrap();
        self.wait("an export", |state| export_of(state, export)["status"] != "working");
        let state = export_of(&self.state(), export);
        assert_eq!(state["status"], "done", "{state}");
        let file = self.get(&format!("exports/{export}/file"));
        assert_eq!(state["bytes"], file.body.len());
        file.body
    }
}

/// One of the exports.
pub fn export_of(state: &Value, id: u64) -> Value {
    let exports = state["exports"].as_array().unwrap();
    exports.iter().find(|e| e["id"] == id).cloned().unwrap_or_default()
}

/// A program to look at.
pub fn sheet() -> Program {
    prior::program(60, 0.75, 3).unwrap()
}

/// The pixels of a file.
pub fn decoded(bytes: &[u8]) -> RgbImage {
    image::load_from_memory(bytes).unwrap().into_rgb8()
}

/// A picture that the studio shows.
#[track_caller]
pub fn shown(server: &Server, id: u64, query: &str) -> RgbImage {
    let reply = server.get(&format!("pieces/{id}/picture?{query}"));
    assert_eq!(reply.status, 200, "{query}: {}", String::from_utf8_lossy(&reply.body));
    decoded(&reply.body)
}

impl Drop for Server {
    fn drop(&mut self) {
        if !self.is_alive() {
            return;
        }
        // Asked to end it leaves no files behind.
        let asked = Command::new("kill").arg(self.process.id().to_string()).status();
        if !asked.is_ok_and(|status| status.success()) {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}
