//! Videos, by ffmpeg where it is installed: it decodes them into a pipe.

use crate::failure::Failure;
use crate::ffmpeg::{self, FFMPEG, INSTALL};
use crate::picture::{Picture, Values};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;

/// The program that comes with ffmpeg and tells of a video.
const FFPROBE: &str = "ffprobe";
/// The most pixels of a frame.
const MOST_PX: usize = 1 << 24;

/// A video, frame by frame.
pub struct Video {
    path: PathBuf,
    child: Child,
    frames: BufReader<ChildStdout>,
    said: Option<JoinHandle<String>>,
}

impl Video {
    /// The video, and its frames a second: those that are asked for, or its own.
    pub fn open(path: &Path, frames_per_second: Option<f64>) -> Result<(Self, f64), Failure> {
        let rate = match frames_per_second {
            Some(rate) => rate,
            None => own_rate(path)?,
        };
        let mut command = Command::new(FFMPEG);
        command.args(["-loglevel", "error", "-nostdin", "-i"]).arg(named(path));
        command.args(["-map", "0:v:0", "-vf", &format!("fps={rate}"), "-pix_fmt", "rgb24"]);
        command.args(["-f", "image2pipe", "-c:v", "ppm", "-"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|e| not_started(&e, path))?;
        let said = child.stderr.take().map(|pipe| std::thread::spawn(|| ffmpeg::hear(pipe)));
        let Some(pipe) = child.stdout.take() else {
            return Err(Failure::usage("ffmpeg cannot be heard"));
        };
        let frames = BufReader::with_capacity(1 << 20, pipe);
        Ok((Self { path: path.to_owned(), child, frames, said }, rate))
    }

    pub fn read(&mut self) -> Result<Option<Picture>, Failure> {
        match read_ppm(&mut self.frames) {
            Ok(Some(picture)) => Ok(Some(picture)),
            Ok(None) => match self.child.wait() {
                Ok(status) if status.success() => Ok(None),
                Ok(status) => Err(self.complaint(&status.to_string())),
                Err(e) => Err(self.complaint(&e.to_string())),
            },
            Err(problem) => Err(self.complaint(&problem)),
        }
    }

    /// What ffmpeg said, or else what was noticed.
    fn complaint(&mut self, noticed: &str) -> Failure {
        let _ = self.child.kill();
        let said = self.said.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        let said = said.lines().last().unwrap_or(noticed).trim();
        Failure::file(&self.path, format!("the film cannot be read: {said}"))
    }
}

impl Drop for Video {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A file's name as ffmpeg takes it: never an option, nor an address.
fn named(path: &Path) -> OsString {
    let mut name = OsString::from("file:");
    name.push(path);
    name
}

fn not_started(error: &std::io::Error, path: &Path) -> Failure {
    let missing =
        "it is no picture, GIF, PNG or WebP, and other films need ffmpeg, which is not installed";
    ffmpeg::not_started(error, missing).in_file(path).hint(INSTALL)
}

/// A video's own frames a second.
fn own_rate(path: &Path) -> Result<f64, Failure> {
    let mut command = Command::new(FFPROBE);
    command.args(["-loglevel", "error", "-select_streams", "v:0"]);
    command.args(["-show_entries", "stream=avg_frame_rate", "-of", "csv=p=0"]).arg(named(path));
    let output = command.stdin(Stdio::null()).output().map_err(|e| not_started(&e, path))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let rate = text.trim().trim_end_matches(',').split_once('/');
    let rate = rate.and_then(|(a, b)| Some(a.parse::<f64>().ok()? / b.parse::<f64>().ok()?));
    rate.filter(|rate| (0.1..=1000.0).contains(rate)).ok_or_else(|| {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().last().unwrap_or("it has no frames");
        Failure::file(path, format!("the film cannot be read: {said}"))
    })
}

/// The next picture of a stream of PPMs, eight bits a channel; none at its end.
fn read_ppm(source: &mut impl BufRead) -> Result<Option<Picture>, String> {
    let Some(magic) = word(source)? else { return Ok(None) };
    let mut number = || -> Result<usize, String> {
        let text = word(source)?.ok_or("it is cut short")?;
        text.parse().map_err(|_| format!("\"{text}\" is no number of a PPM"))
    };
    let (width, height, most) = (number()?, number()?, number()?);
    if magic != "P6" || most != 255 || width.saturating_mul(height) > MOST_PX {
        return Err(format!(
            "frames of {width} x {height} pixels are too large (limit: {MOST_PX})"
        ));
    }
    let mut bytes = vec![0; 3 * width * height];
    source.read_exact(&mut bytes).map_err(|e| e.to_string())?;
    let picture = Picture::of_values((width as u32, height as u32), 3, Values::Bytes(bytes));
    picture.map(Some).map_err(|failure| failure.words().0.to_owned())
}

/// The next word of a PPM's head, up to one white byte; none at the end of the stream.
fn word(source: &mut impl BufRead) -> Result<Option<String>, String> {
    const MOST_BYTES: usize = 20;
    let mut word = String::new();
    for byte in source.bytes().take(MOST_BYTES) {
        match byte.map_err(|e| e.to_string())? {
            byte if byte.is_ascii_whitespace() => return Ok(Some(word)),
            byte => word.push(char::from(byte)),
        }
    }
    if word.is_empty() { Ok(None) } else { Err("it is cut short".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ppms_are_read_one_after_the_other() {
        let mut stream = b"P6\n2 1\n255\nabcdefP6\n1 1\n255\nxyz".to_vec();
        let mut source = &stream[..];
        let sizes: Vec<_> =
            std::iter::from_fn(|| read_ppm(&mut source).unwrap()).map(|p| p.size()).collect();
        assert_eq!(sizes, [(2, 1), (1, 1)]);
        stream.pop();
        let mut source = &stream[..];
        assert!(read_ppm(&mut source).unwrap().is_some());
        assert!(read_ppm(&mut source).is_err());
        for bad in ["P6\n2 x\n255\n", "P5\n2 2\n255\nabcd", "P6\n99999 99999\n255\n", "P6\n1"] {
            assert!(read_ppm(&mut bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
