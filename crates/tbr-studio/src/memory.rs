//! Memory: how much of it may be taken by what is open and by what can be undone.

use crate::history::History;
use crate::refusal::{Answer, Refusal};
use crate::workspace::{Piece, Workspace};
use axum::http::StatusCode;
use tbr::Program;

/// The most bytes that all pieces may take, with their pictures and programs. With what histories
/// take it stays below a gigabyte.
const MOST_OPEN_BYTES: usize = 640 << 20;
/// The most bytes that the steps of all histories may take; beyond, the oldest are forgotten. A
/// step that moves a thousand strokes takes 160 kB.
const MOST_HISTORY_BYTES: usize = 192 << 20;
/// The most bytes of a provenance, as JSON, of a program that is opened here: in memory it takes
/// forty times as much. (Those of our own have some thousands.)
const MOST_PROVENANCE_BYTES: usize = 256 << 10;

impl Workspace {
    /// Forgets the oldest steps of the longest histories until all take as little as they should.
    pub fn forget_oldest_steps(&mut self) {
        self.forget_steps_beyond(MOST_HISTORY_BYTES);
    }

    /// Forgets the oldest steps of the longest histories until all take at most so much memory.
    fn forget_steps_beyond(&mut self, most_bytes: usize) {
        let histories = || self.pieces.iter().filter_map(|piece| piece.history.as_ref());
        let mut bytes: usize = histories().map(History::bytes).sum();
        let mut histories: Vec<&mut History> =
            self.pieces.iter_mut().filter_map(|piece| piece.history.as_mut()).collect();
        histories.sort_by_key(|history| std::cmp::Reverse(history.bytes()));
        for history in histories {
            while bytes > most_bytes {
                let before = history.bytes();
                if !history.forget_oldest() {
                    break;
                }
                bytes -= before - history.bytes();
            }
        }
    }

    /// Refuses what would take more memory, in bytes, than there may be.
    pub fn check_memory(&self, more: usize) -> Answer<()> {
        let bytes: usize = self.pieces.iter().map(Piece::bytes).sum();
        if bytes + more <= MOST_OPEN_BYTES {
            return Ok(());
        }
        let message = format!("what is open takes {} MB of memory already", bytes >> 20);
        Err(Refusal::conflict(message).hint("close some of it first"))
    }
}

impl Piece {
    /// The memory that it takes, in bytes, but for the steps of its history.
    pub fn bytes(&self) -> usize {
        let target = self.target.as_ref().map_or(0, |target| target.bytes());
        let base = self.history.as_ref().map(|history| bytes_of(history.base()));
        target + base.unwrap_or(0) + self.program().map_or(0, |program| bytes_of(program))
    }
}

/// The memory that a program takes, in bytes, but for its provenance.
fn bytes_of(program: &Program) -> usize {
    size_of_val(program.strokes()) + size_of_val(program.palette())
}

/// Refuses a program that says too much about how it was made.
pub fn check_provenance(program: &Program) -> Answer<()> {
    let bytes = program.provenance().to_string().len();
    if bytes <= MOST_PROVENANCE_BYTES {
        return Ok(());
    }
    let message = format!(
        "its provenance has {bytes} bytes, which are too many here (limit: {MOST_PROVENANCE_BYTES})"
    );
    Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, message)
        .hint("the other commands take more"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::OpenPicture;
    use tbr::edit::{Choice, translate};
    use tbr::{Image, Provenance, prior, vec2};
    use tbr_io::picture::Picture;

    /// Moves all strokes of a piece, as a step.
    fn moved(workspace: &mut Workspace, id: u64) {
        let step = |piece: &mut Piece| {
            let history = piece.history.as_mut().unwrap();
            let now = history.now();
            let next = translate(now, &Choice::all(now), vec2(1e-3, 0.0)).unwrap();
            history.push("move".into(), next, None);
        };
        workspace.revised(id, step).unwrap();
    }

    #[test]
    fn the_longest_history_forgets_first_and_every_piece_keeps_a_step() {
        let studio = crate::studio(&crate::ServeOptions::default()).unwrap();
        let program = || Some(prior::program(100, 1.0, 3).unwrap());
        let [long, short] = ["a", "b"].map(|name| studio.open(name, None, program()).unwrap());
        let mut workspace = studio.workspace();
        (0..20).for_each(|_| moved(&mut workspace, long));
        (0..2).for_each(|_| moved(&mut workspace, short));
        let history = |workspace: &Workspace, id| {
            let history = workspace.piece(id).unwrap().history.as_ref().unwrap();
            (history.labels().0.len(), history.bytes())
        };
        let step = history(&workspace, long).1 / 20;
        assert!(step > 100 * 2 * size_of::<tbr::Stroke>());
        workspace.forget_steps_beyond(10 * step);
        assert_eq!((history(&workspace, long).0, history(&workspace, short).0), (8, 2));
        workspace.forget_steps_beyond(0);
        assert_eq!((history(&workspace, long).0, history(&workspace, short).0), (1, 1));
    }

    #[test]
    fn a_step_of_many_strokes_counts() {
        let studio = crate::studio(&crate::ServeOptions::default()).unwrap();
        let id = studio.open("a", None, Some(prior::program(100_000, 1.0, 3).unwrap())).unwrap();
        let mut workspace = studio.workspace();
        (0..14).for_each(|_| moved(&mut workspace, id));
        let history = workspace.piece(id).unwrap().history.as_ref().unwrap();
        assert!(history.bytes() <= MOST_HISTORY_BYTES && history.bytes() > MOST_HISTORY_BYTES / 2);
        assert_eq!(history.done(), 14);
    }

    #[test]
    fn what_is_open_fills_the_studio() {
        let studio = crate::studio(&crate::ServeOptions::default()).unwrap();
        let picture = Picture::of(&Image::new((64, 64), vec![[0.5; 3]; 4096]).unwrap());
        let target = OpenPicture::new(picture, "small.png").unwrap();
        let program = prior::program(100, 1.0, 3).unwrap();
        let strokes = 2 * size_of_val(program.strokes()) + 2 * size_of_val(program.palette());
        studio.open("a", Some(target), Some(program)).unwrap();
        let workspace = studio.workspace();
        let taken = 11 * 4096 + strokes;
        assert_eq!(workspace.pieces[0].bytes(), taken);
        assert!(workspace.check_memory(MOST_OPEN_BYTES - taken).is_ok());
        assert!(workspace.check_memory(MOST_OPEN_BYTES - taken + 1).is_err());
    }

    #[test]
    fn a_long_provenance_is_refused() {
        let studio = crate::studio(&crate::ServeOptions::default()).unwrap();
        let open = |count: usize| {
            let json = format!("{{\"numbers\": [0{}]}}", ",1".repeat(count));
            let mut parts = prior::program(5, 1.0, 3).unwrap().into_parts();
            parts.provenance = Provenance::parse(&json).unwrap();
            studio.open("a", None, Some(Program::new(parts).unwrap()))
        };
        assert!(open(100_000).is_ok());
        assert!(format!("{:?}", open(200_000).unwrap_err()).contains("provenance"));
    }
}
