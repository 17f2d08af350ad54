//! MP4 (H.264), by ffmpeg where it is installed: frames go to it through a pipe.

use super::{Format, Frames};
use crate::failure::Failure;
use crate::ffmpeg::{self, INSTALL};
use crate::files::{self, Output};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

/// Quality: flat colours stay flat, and files small.
const CRF: &str = "16";

pub fn write(mut output: Output, format: &Format, frames: Frames) -> Result<(), Failure> {
    // ffmpeg writes to a folder of its own; the film moves to its place when it is whole.
    let folder = files::scratch_folder()?;
    let unfinished = folder.path().join("film.mp4");
    let mut ffmpeg = Ffmpeg::start(format, &unfinished)?;
    for (k, frame) in frames.enumerate() {
        let frame = frame?;
        for _ in 0..format.times(k) {
            ffmpeg.send(&frame)?;
        }
    }
    ffmpeg.finish()?;
    std::fs::File::open(&unfinished)
        .and_then(|mut film| std::io::copy(&mut film, &mut output))
        .map_err(|e| output.failure(e))?;
    output.finish()
}

/// ffmpeg at work, and a thread that hears what it says: if nobody did, a pipe full of
/// complaints would stop it, and us with it.
struct Ffmpeg {
    child: Child,
    said: Option<JoinHandle<String>>,
}

impl Ffmpeg {
    fn start(format: &Format, path: &Path) -> Result<Self, Failure> {
        let size = format!("{}x{}", format.width_px, format.height_px);
        let child = Command::new(ffmpeg::FFMPEG)
            .args(["-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"])
            .args(["-video_size", &size, "-framerate", &format.fps.to_string(), "-i", "-"])
            // What players of all kinds show, in the right colours.
            .args(["-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p"])
            .args(["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"])
            .args(["-color_range", "tv", "-c:v", "libx264", "-crf", CRF])
            .args(["-movflags", "+faststart"])
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.map_err(|e| {
            let missing = "an MP4 needs ffmpeg, which is not installed";
            ffmpeg::not_started(&e, missing)
                .hint(format!("{INSTALL}, or write a *.webp, *.gif or *.png"))
        })?;
        let said = child.stderr.take().map(|pipe| std::thread::spawn(|| ffmpeg::hear(pipe)));
        Ok(Self { child, said })
    }

    fn send(&mut self, pixels: &[u8]) -> Result<(), Failure> {
        let pipe = self.child.stdin.as_mut();
        let sent = pipe.map_or(Ok(()), |pipe| pipe.write_all(pixels));
        sent.map_err(|e| self.complaint(&e.to_string()))
    }

    fn finish(mut self) -> Result<(), Failure> {
        drop(self.child.stdin.take());
        match self.child.wait() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(self.complaint(&status.to_string())),
            Err(e) => Err(self.complaint(&e.to_string())),
        }
    }

    /// What ffmpeg said, or else what was noticed.
    fn complaint(&mut self, noticed: &str) -> Failure {
        let _ = self.child.kill();
        let said = self.said.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        let said = if said.trim().is_empty() { noticed } else { said.trim() };
        Failure::usage(format!("ffmpeg failed: {said}"))
    }
}

impl Drop for Ffmpeg {
    fn drop(&mut self) {
        // If something went wrong before the end, nobody waits for it any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
