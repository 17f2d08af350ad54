//! The workspace: what is open. Pieces, the queue of fits, and exports live in the server, so
//! that pages may come and go.

use crate::exports::Export;
use crate::fits::Run;
use crate::history::History;
use crate::memory::check_provenance;
use crate::opening::MOST_WAITING_KIB;
use crate::painters::Painters;
use crate::refusal::{Answer, Refusal};
use crate::target::OpenPicture;
use axum::http::StatusCode;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tbr::{Paint, Program, Stroke};
use tbr_io::ffmpeg;
use tbr_io::files::ENDING;
use tbr_io::files::ScratchFolder;
use tbr_io::picture::check_aspect;
use tokio::sync::{Semaphore, watch};

/// The most bytes of a piece's name: with an ending it is still short enough for a file.
const MOST_NAME_BYTES: usize = 120;
/// The most pieces that may be open: each holds a picture of some tens of megabytes.
pub const MOST_PIECES: usize = 32;

/// The largest aspect ratio of a canvas, either way. Pictures whose pixels are counted have a
/// fixed width, and would be endless.
const MOST_ASPECT: f64 = 32.0;

/// The studio: what is open, and what works on it.
pub struct Studio {
    workspace: Mutex<Workspace>,
    /// Notified when a fit is wanted.
    pub fits_wanted: Condvar,
    /// Counts changes, for pages to be told.
    changes: watch::Sender<u64>,
    /// Threads for pictures that a person waits for, so that these need not wait for a fit.
    pub painters: Arc<Painters>,
    /// A thread for pictures that take long, so that the others need not wait for those.
    pub slow_painter: Arc<Painters>,
    /// The turn to decode a file, one at a time: a large picture takes gigabytes on its way.
    pub decoding: Arc<Semaphore>,
    /// Room, in KiB, for files that are being received or wait for that turn.
    pub waiting_room: Arc<Semaphore>,
    /// The turn to make an export, one at a time.
    pub exporting: Semaphore,
    /// Held while a file is saved, so that an end waits for it.
    pub saving: Mutex<()>,
    /// The temporary folder in which exports wait to be fetched.
    pub scratch: ScratchFolder,
    /// The folder that files may be saved in; none if they may not.
    pub save_folder: Option<PathBuf>,
    /// The folder of the networks' weights, if there is one.
    pub weights: Option<PathBuf>,
    /// Can films be written as MP4?
    pub has_ffmpeg: bool,
}

/// Everything that is open.
#[derive(Default)]
pub struct Workspace {
    pub pieces: Vec<Piece>,
    /// Pieces whose fits wait, in order.
    pub queue: VecDeque<u64>,
    pub exports: Vec<Export>,
    numbers: u64,
}

/// A picture, a program, or both.
pub struct Piece {
    pub id: u64,
    pub name: String,
    pub target: Option<Arc<OpenPicture>>,
    pub history: Option<History>,
    /// The best program so far of a fit that is not over.
    pub live: Option<Arc<Program>>,
    /// The revision of the program: another after every change.
    pub revision: u64,
    /// Strokes of the program that have a colour of their own.
    pub own_colours: usize,
    pub fit: Option<Run>,
    /// The program as a file has it: the one that was opened, or was taken away last.
    pub kept: Option<Arc<Program>>,
}

impl Studio {
    pub fn new(
        painters: Painters,
        slow_painter: Painters,
        scratch: ScratchFolder,
        save_folder: Option<PathBuf>,
        weights: Option<PathBuf>,
    ) -> Self {
        Self {
            workspace: Mutex::default(),
            fits_wanted: Condvar::new(),
            changes: watch::Sender::new(0),
            painters: Arc::new(painters),
            slow_painter: Arc::new(slow_painter),
            decoding: Arc::new(Semaphore::new(1)),
            waiting_room: Arc::new(Semaphore::new(MOST_WAITING_KIB)),
            exporting: Semaphore::new(1),
            saving: Mutex::default(),
            scratch,
            save_folder,
            weights,
            has_ffmpeg: ffmpeg::is_there(),
        }
    }

    /// The workspace, locked. A thread that broke down while it had the lock does not take the
    /// workspace along.
    pub fn workspace(&self) -> MutexGuard<'_, Workspace> {
        self.workspace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells all pages that something has changed.
    pub fn tell_pages(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// A receiver of changes, for a page.
    pub fn listen(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Reads a piece under the lock.
    pub fn with<T>(&self, id: u64, look: impl FnOnce(&Piece) -> Answer<T>) -> Answer<T> {
        let workspace = self.workspace();
        look(workspace.piece(id)?)
    }

    /// Changes a piece under the lock, and tells all pages.
    pub fn change<T>(&self, id: u64, change: impl FnOnce(&mut Piece) -> Answer<T>) -> Answer<T> {
        let result = {
            let mut workspace = self.workspace();
            // What is refused has no new revision: pages would wait for it.
            let result = change(workspace.piece_mut(id)?)?;
            workspace.revised(id, |_| ())?;
            result
        };
        self.tell_pages();
        Ok(result)
    }

    /// Opens a piece; gives its number.
    pub fn open(
        &self,
        name: &str,
        target: Option<OpenPicture>,
        program: Option<Program>,
    ) -> Answer<u64> {
        program.as_ref().map_or(Ok(()), check_provenance)?;
        let id = {
            let mut workspace = self.workspace();
            workspace.check_room()?;
            let (id, revision) = (workspace.number(), workspace.number());
            let target = target.map(|target| Arc::new(target.revised(revision)));
            let history = program.map(History::new);
            let kept = history.as_ref().map(|history| Arc::clone(history.now()));
            let (name, live, fit, own_colours) = (stem(name), None, None, 0);
            let piece = Piece { id, name, target, history, live, revision, own_colours, fit, kept };
            check_shape(piece.height())?;
            workspace.check_memory(piece.bytes())?;
            workspace.pieces.push(piece);
            workspace.revised(id, |_| ())?;
            id
        };
        self.tell_pages();
        Ok(id)
    }

    /// Gives a piece another target.
    pub fn set_target(&self, id: u64, target: OpenPicture) -> Answer<()> {
        {
            let mut workspace = self.workspace();
            let revision = workspace.number();
            let before = workspace.piece(id)?.target.as_ref().map_or(0, |target| target.bytes());
            workspace.check_memory(target.bytes().saturating_sub(before))?;
            let piece = workspace.piece_mut(id)?;
            piece.check_idle()?;
            check_aspect(target.size(), piece.height(), "the canvas")?;
            piece.target = Some(Arc::new(target.revised(revision)));
            // A fit of another picture cannot go on.
            piece.fit = None;
        }
        self.tell_pages();
        Ok(())
    }

    /// Closes a piece; its fit ends at the next step, its exports go with it.
    pub fn close(&self, id: u64) -> Answer<()> {
        {
            let mut workspace = self.workspace();
            workspace.piece(id)?;
            workspace.pieces.retain(|piece| piece.id != id);
            workspace.queue.retain(|waiting| *waiting != id);
            workspace.exports.iter().filter(|export| export.piece == id).for_each(Export::cancel);
            workspace.exports.retain(|export| export.piece != id);
        }
        self.tell_pages();
        Ok(())
    }
}

impl Workspace {
    /// A number that nothing has had.
    pub fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// Changes a piece's program, which gets another revision.
    pub fn revised<T>(&mut self, id: u64, change: impl FnOnce(&mut Piece) -> T) -> Answer<T> {
        let revision = self.number();
        let piece = self.piece_mut(id)?;
        let result = change(piece);
        piece.revision = revision;
        let is_own = |stroke: &&Stroke| matches!(stroke.paint, Paint::Own(_));
        let own = piece.program().map(|program| program.strokes().iter().filter(is_own).count());
        piece.own_colours = own.unwrap_or(0);
        self.forget_oldest_steps();
        Ok(result)
    }

    /// Refuses one more piece than may be open.
    pub fn check_room(&self) -> Answer<()> {
        if self.pieces.len() < MOST_PIECES {
            return Ok(());
        }
        let refusal = Refusal::conflict(format!("{MOST_PIECES} pieces are open already"));
        Err(refusal.hint("close some first"))
    }

    pub fn piece(&self, id: u64) -> Answer<&Piece> {
        self.pieces.iter().find(|piece| piece.id == id).ok_or_else(|| no_piece(id))
    }

    pub fn piece_mut(&mut self, id: u64) -> Answer<&mut Piece> {
        self.pieces.iter_mut().find(|piece| piece.id == id).ok_or_else(|| no_piece(id))
    }

    /// Notes that an export has been taken away: its piece's program is safe then, if it is that.
    pub fn taken(&mut self, id: u64) {
        let Some(export) = self.exports.iter_mut().find(|export| export.id == id) else { return };
        export.taken = true;
        let (piece, program) = (export.piece, export.program.clone());
        if let (Ok(piece), Some(program)) = (self.piece_mut(piece), program) {
            piece.kept = Some(program);
        }
    }

    pub fn export(&self, id: u64) -> Answer<&Export> {
        let missing = || Refusal::missing(format!("there is no export {id}"));
        self.exports.iter().find(|export| export.id == id).ok_or_else(missing)
    }
}

fn no_piece(id: u64) -> Refusal {
    Refusal::missing(format!("there is no piece {id}; it may have been closed"))
}

impl Piece {
    /// The program that is shown: the best so far while a fit is at work.
    pub fn program(&self) -> Option<&Arc<Program>> {
        self.live.as_ref().or_else(|| self.history.as_ref().map(History::now))
    }

    pub fn needed_program(&self) -> Answer<Arc<Program>> {
        let program = self.program().map(Arc::clone);
        program.ok_or_else(|| Refusal::conflict("there is no program yet").hint("fit the picture"))
    }

    /// The height of the canvas, whose width is 1.
    pub fn height(&self) -> f64 {
        let by_target = || self.target.as_ref().map_or(1.0, |target| target.height());
        self.program().map_or_else(by_target, |program| program.height())
    }

    /// Refuses a piece that a fit is at work on.
    pub fn check_idle(&self) -> Answer<()> {
        match &self.fit {
            Some(run) if run.is_pending() => {
                let refusal = Refusal::conflict("a fit is at work on this piece");
                Err(refusal.hint("stop it to change the piece"))
            }
            _ => Ok(()),
        }
    }
}

/// Refuses a canvas that is too long or too tall.
fn check_shape(height: f64) -> Answer<()> {
    if (1.0 / MOST_ASPECT..=MOST_ASPECT).contains(&height) {
        return Ok(());
    }
    let message = format!("one side is more than {MOST_ASPECT} times as long as the other");
    Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, message))
}

/// The start of a text, of at most so many bytes.
pub fn cut(text: &str, most: usize) -> &str {
    let end = text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= most);
    &text[..end.last().unwrap_or(0)]
}

/// What a piece is called: its file's name without endings, and without what no name needs.
fn stem(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = last.strip_suffix(ENDING).unwrap_or(last);
    let stem = match stem.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && ending.len() <= 5 => stem,
        _ => stem,
    };
    let plain: String = stem.chars().filter(|c| !c.is_control()).collect();
    let plain = cut(plain.trim(), MOST_NAME_BYTES).trim();
    if plain.is_empty() { "untitled".into() } else { plain.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_called_after_their_files() {
        for (file, name) in [
            ("tulip.png", "tulip"),
            ("/a/b/wave.tbr.json", "wave"),
            (r"C:\pictures\night.JPEG", "night"),
            ("../../etc/passwd", "passwd"),
            ("v1.2 of it.png", "v1.2 of it"),
            (".png", ".png"),
            ("\u{7}", "untitled"),
            ("", "untitled"),
        ] {
            assert_eq!(stem(file), name);
        }
        assert_eq!(stem(&"\u{1f58c}".repeat(99)), "\u{1f58c}".repeat(30));
    }
}
