//! Exports: files made of a piece in the background, to be fetched or saved.

mod job;

pub use job::ExportJob;

use crate::refusal::{Answer, Refusal};
use crate::workspace::Studio;
use serde::Deserialize;
use std::io;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, PoisonError};
use tbr::Program;
use tbr_io::Failure;
use tbr_io::files::{ENDING, Output};

/// The most exports that are kept; more are refused until some are removed.
const MOST_EXPORTS: usize = 64;
/// The longest side of a picture or film: a strip of it takes some hundred megabytes.
const MOST_SIDE_PX: u32 = 32_768;
/// What is said of an export that somebody has ended.
const CANCELLED: &str = "cancelled";

/// What a page asks for.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ExportRequest {
    Png {
        width: u32,
        #[serde(default = "one")]
        samples: u32,
        #[serde(default)]
        transparent: bool,
    },
    Svg {},
    Film {
        format: String,
        seconds: f64,
        fps: f64,
        width: u32,
        #[serde(default)]
        grow_seconds: f64,
    },
    Program {},
    Report {},
}

fn one() -> u32 {
    1
}

impl ExportRequest {
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Png { .. } => "png",
            Self::Svg {} => "svg",
            Self::Film { .. } => "film",
            Self::Program {} => "program",
            Self::Report {} => "report",
        }
    }

    /// What the file's name ends in.
    fn ending(&self) -> Answer<&str> {
        Ok(match self {
            Self::Png { .. } => "png",
            Self::Svg {} => "svg",
            Self::Program {} => "tbr.json",
            Self::Report {} => "html",
            Self::Film { format, .. } => match format.as_str() {
                known @ ("gif" | "webp" | "apng" | "mp4") => known,
                other => {
                    return Err(Refusal::bad_request(format!("\"{other}\" is no kind of film")));
                }
            },
        })
    }

    /// Refuses sizes and lengths that would take hours, for a canvas of that height.
    fn check(&self, height: f64) -> Answer<()> {
        let sides = |width: u32| {
            let down = f64::from(width) * height;
            width >= 1 && f64::from(width).max(down) <= f64::from(MOST_SIDE_PX)
        };
        match self {
            Self::Png { width, samples, .. } if !sides(*width) || !(1..=8).contains(samples) => {
                let message = format!(
                    "a picture has sides of 1 to {MOST_SIDE_PX} pixels here, and 1 to 8 samples"
                );
                Err(Refusal::bad_request(message).hint("tbr render makes larger ones"))
            }
            Self::Film { seconds, fps, width, grow_seconds, .. } => {
                let sane = (0.1..=600.0).contains(seconds)
                    && (1.0..=60.0).contains(fps)
                    && (0.0..=600.0).contains(grow_seconds);
                if sane && sides(*width) {
                    return Ok(());
                }
                let message = "a film has 0.1 to 600 seconds and 1 to 60 frames a second here";
                Err(Refusal::bad_request(message))
            }
            _ => Ok(()),
        }
    }
}

/// A file that is made or being made.
pub struct Export {
    pub id: u64,
    pub piece: u64,
    pub kind: &'static str,
    /// The file's name for people.
    pub name: String,
    pub progress: Arc<ExportProgress>,
    pub status: ExportStatus,
    /// The file, in the temporary folder.
    pub path: PathBuf,
    /// The name that it was saved under.
    pub saved: Option<String>,
    /// Has it been downloaded or saved?
    pub taken: bool,
    /// The program, where the file is just that.
    pub program: Option<Arc<Program>>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExportStatus {
    Working,
    Done { bytes: u64 },
    Failed(String),
}

impl Export {
    /// Ends the making of the file, and removes it.
    pub fn cancel(&self) {
        self.progress.cancelled.store(true, Ordering::Relaxed);
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The progress of an export, and whether it is still wanted.
#[derive(Default)]
pub struct ExportProgress {
    permille: AtomicU32,
    cancelled: AtomicBool,
}

impl ExportProgress {
    pub fn share(&self) -> f64 {
        f64::from(self.permille.load(Ordering::Relaxed)) / 1000.0
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Notes how far it is; tells pages when that can be seen.
    fn note(&self, share: f64, studio: &Studio) {
        let permille = (share.clamp(0.0, 1.0) * 1000.0) as u32;
        if self.permille.swap(permille, Ordering::Relaxed) / 10 != permille / 10 {
            studio.tell_pages();
        }
    }
}

impl Studio {
    /// Registers an export; [`Studio::make_export`] makes it.
    pub fn begin_export(&self, piece: u64, request: ExportRequest) -> Answer<ExportJob> {
        let ending = request.ending()?.to_owned();
        let mut workspace = self.workspace();
        if workspace.exports.len() >= MOST_EXPORTS {
            let refusal = Refusal::conflict(format!("{MOST_EXPORTS} exports are kept already"));
            return Err(refusal.hint("remove some first"));
        }
        let id = workspace.number();
        let subject = workspace.piece(piece)?;
        let (program, target) = (subject.needed_program()?, subject.target.clone());
        request.check(program.height())?;
        let name = format!("{}.{ending}", file_name(&subject.name));
        let path = self.scratch.path().join(format!("{id}.{ending}"));
        let progress = Arc::<ExportProgress>::default();
        let kind = request.kind();
        workspace.exports.push(Export {
            id,
            piece,
            kind,
            name: name.clone(),
            progress: Arc::clone(&progress),
            status: ExportStatus::Working,
            path: path.clone(),
            saved: None,
            taken: false,
            program: matches!(request, ExportRequest::Program {}).then(|| Arc::clone(&program)),
        });
        drop(workspace);
        self.tell_pages();
        Ok(ExportJob { id, request, name, program, target, path, progress })
    }

    /// Makes the file of an export.
    pub fn make_export(&self, job: &ExportJob) {
        let make = || job.check_wanted().and_then(|()| job.write(self));
        // A bug in one must not leave it at work for ever.
        let made = std::panic::catch_unwind(AssertUnwindSafe(make))
            .unwrap_or_else(|_| Err(Failure::usage("it broke down: this is a bug of tbr")));
        let made = made.and_then(|()| make_private(&job.path));
        let status = match (made, std::fs::metadata(&job.path)) {
            (Ok(()), Ok(file)) => ExportStatus::Done { bytes: file.len() },
            (Ok(()), Err(e)) => ExportStatus::Failed(e.to_string()),
            (Err(failure), _) => ExportStatus::Failed(failure.words().0),
        };
        if job.progress.is_cancelled() {
            let _ = std::fs::remove_file(&job.path);
        }
        job.progress.note(1.0, self);
        if let Some(export) = self.workspace().exports.iter_mut().find(|export| export.id == job.id)
        {
            export.status = status;
        }
        self.tell_pages();
    }

    /// Ends an export or forgets it.
    pub fn remove_export(&self, id: u64) -> Answer<()> {
        let mut workspace = self.workspace();
        workspace.export(id)?.cancel();
        workspace.exports.retain(|export| export.id != id);
        drop(workspace);
        self.tell_pages();
        Ok(())
    }

    /// Puts a file into the save folder, under its own name or another.
    pub fn save_export(&self, id: u64, name: Option<String>) -> Answer<()> {
        let Some(folder) = &self.save_folder else {
            let refusal = Refusal::conflict("there is no folder to save in");
            return Err(refusal.hint("start tbr studio with --save-folder FOLDER"));
        };
        let (path, own) = {
            let workspace = self.workspace();
            let export = workspace.export(id)?;
            if !matches!(export.status, ExportStatus::Done { .. }) {
                return Err(Refusal::conflict("the file is not finished"));
            }
            (export.path.clone(), export.name.clone())
        };
        let saving = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        let name = name.unwrap_or_else(|| unused(folder, &own));
        check_name(&name, &own)?;
        copy(&path, &folder.join(&name))?;
        drop(saving);
        let mut workspace = self.workspace();
        workspace.taken(id);
        if let Some(export) = workspace.exports.iter_mut().find(|export| export.id == id) {
            export.saved = Some(name);
        }
        drop(workspace);
        self.tell_pages();
        Ok(())
    }
}

/// Lets only its owner read a file.
fn make_private(path: &Path) -> Result<(), Failure> {
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(path, mode).map_err(|e| Failure::file(path, e))?;
    }
    let _ = path;
    Ok(())
}

/// The name, or the first with a number that nothing in a folder has.
fn unused(folder: &Path, name: &str) -> String {
    let stem = name.strip_suffix(ENDING).or_else(|| Some(name.rsplit_once('.')?.0)).unwrap_or(name);
    let ending = &name[stem.len()..];
    let numbered = (2..1000).map(|k| format!("{stem}-{k}{ending}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !folder.join(name).exists()).unwrap_or_else(|| name.to_owned())
}

/// Copies a file to a place where there is none.
fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    let hint = "give it another name";
    let mut output = Output::create_new(to, false).map_err(|e| e.hint(hint))?;
    let copied = std::fs::File::open(from).and_then(|mut file| io::copy(&mut file, &mut output));
    copied.map_err(|e| output.failure(e))?;
    output.finish().map_err(|e| e.hint(hint))
}

/// The name of a piece as that of a file, without what file systems do not like.
fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_control() || "/\\:*?\"<>|".contains(c) { '-' } else { c };
    let name: String = name.chars().map(plain).collect();
    let name = name.trim_start_matches('.').trim();
    if name.is_empty() { "untitled".into() } else { name.to_owned() }
}

/// Refuses a name that is anything but that of a file in a folder, of the kind that the
/// export is.
fn check_name(name: &str, own: &str) -> Answer<()> {
    let ending = own.rsplit_once('.').map_or("", |(_, ending)| ending);
    let wrong = name.len() > 200
        || name != file_name(name)
        || name.rsplit_once('.').is_none_or(|(_, e)| e != ending);
    if wrong {
        let refusal = Refusal::bad_request(format!("\"{name}\" is no name for this file"));
        return Err(refusal.hint(format!("a plain name that ends in .{ending}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_folder() {
        for (piece, file) in [
            ("tulip", "tulip"),
            ("../../etc/passwd", "-..-etc-passwd"),
            ("a/b\\c:d", "a-b-c-d"),
            (".bashrc", "bashrc"),
            ("Grüße 2", "Grüße 2"),
            ("...", "untitled"),
        ] {
            assert_eq!(file_name(piece), file);
        }
        let folder = tempfile::tempdir().unwrap();
        for (name, next) in [("v1.2.png", "v1.2-2.png"), ("a.b.tbr.json", "a.b-2.tbr.json")] {
            assert_eq!(unused(folder.path(), name), name);
            std::fs::write(folder.path().join(name), "").unwrap();
            assert_eq!(unused(folder.path(), name), next);
        }
        assert!(check_name("tulip 2.png", "tulip.png").is_ok());
        for wrong in [
            "../tulip.png",
            "a/b.png",
            "a\\b.png",
            "..",
            ".png",
            "",
            "tulip",
            "tulip.html",
            "/etc/x.png",
            "tulip.png\0",
            "x\n.png",
            ".hidden.png",
            "C:tulip.png",
        ] {
            assert!(check_name(wrong, "tulip.png").is_err(), "{wrong:?}");
        }
    }
}
