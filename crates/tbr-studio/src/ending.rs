//! The end of the studio: Ctrl-C says first what would be lost, and nothing stays behind.

use crate::exports;
use crate::workspace::{Piece, Studio};
use std::io;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use tbr_io::{interrupt, tell};
use tokio::sync::mpsc;

/// How long a warning holds: a second Ctrl-C within this time is meant.
const MEANT_WITHIN: Duration = Duration::from_secs(10);
/// The most names of pieces in a warning; more would hide what to do.
const MOST_NAMES: usize = 5;

/// How somebody wants the studio to end.
#[derive(Clone, Copy)]
struct Wish {
    /// The signal's number.
    signal: i32,
    /// Was it a key, which may have been hit by mistake? The system and scripts do not read
    /// what is said.
    by_hand: bool,
}

/// Ends the studio when that is wanted. To be called within a runtime.
pub fn watch(studio: &Arc<Studio>) -> io::Result<()> {
    let mut wishes = wishes()?;
    let studio = Arc::downgrade(studio);
    tokio::spawn(async move {
        let mut warned: Option<Instant> = None;
        while let Some(wish) = wishes.recv().await {
            let Some(studio) = studio.upgrade() else { return };
            let lost = studio.unsaved();
            let is_meant = warned.is_some_and(|at| at.elapsed() < MEANT_WITHIN);
            if !wish.by_hand || is_meant || lost.is_empty() {
                studio.end(wish.signal);
            }
            let seconds = MEANT_WITHIN.as_secs();
            tell!("not saved: {}", lost.join("; "));
            tell!("Ctrl-C again within {seconds} seconds closes the studio all the same");
            warned = Some(Instant::now());
        }
    });
    Ok(())
}

/// The signals that mean an end, as they come.
#[cfg(unix)]
fn wishes() -> io::Result<mpsc::Receiver<Wish>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (tell, wishes) = mpsc::channel(4);
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
        let by_hand = kind == SignalKind::interrupt();
        let wish = Wish { signal: kind.as_raw_value(), by_hand };
        let (mut signals, tell) = (signal(kind)?, tell.clone());
        tokio::spawn(async move {
            while signals.recv().await.is_some() && tell.send(wish).await.is_ok() {}
        });
    }
    Ok(wishes)
}

/// Ctrl-C, as it comes.
#[cfg(not(unix))]
fn wishes() -> io::Result<mpsc::Receiver<Wish>> {
    let (tell, wishes) = mpsc::channel(4);
    let wish = Wish { signal: interrupt::SIGINT, by_hand: true };
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() && tell.send(wish).await.is_ok() {}
    });
    Ok(wishes)
}

impl Studio {
    /// What would be lost if the studio ended now, in words.
    fn unsaved(&self) -> Vec<String> {
        let workspace = self.workspace();
        let names: Vec<&str> = workspace
            .pieces
            .iter()
            .filter(|piece| is_unsaved(piece))
            .map(|piece| piece.name.as_str())
            .collect();
        let mut lost = Vec::new();
        if !names.is_empty() {
            let more = names.len().saturating_sub(MOST_NAMES);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let listed = names[..names.len().min(MOST_NAMES)].join(", ");
            lost.push(format!("the program of {listed}{more}"));
        }
        let is_fitted = |piece: &&Piece| piece.fit.as_ref().is_some_and(|run| run.is_pending());
        match workspace.pieces.iter().filter(is_fitted).count() {
            0 => {}
            1 => lost.push("a fit that is not over".to_owned()),
            count => lost.push(format!("{count} fits that are not over")),
        }
        let exports = workspace.exports.iter();
        match exports
            .filter(|e| !e.taken && !matches!(e.status, exports::ExportStatus::Failed(_)))
            .count()
        {
            0 => {}
            1 => lost.push("a file that was not downloaded".to_owned()),
            count => lost.push(format!("{count} files that were not downloaded")),
        }
        lost
    }

    /// Ends the process. A file that is being saved is finished first; files that wait to be
    /// fetched go.
    fn end(&self, signal: i32) -> ! {
        let _saving = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        interrupt::end(signal)
    }
}

/// Has a piece a program that no file has?
fn is_unsaved(piece: &Piece) -> bool {
    match (piece.program(), &piece.kept) {
        (Some(now), Some(kept)) => !Arc::ptr_eq(now, kept) && now != kept,
        (Some(_), None) => true,
        (None, _) => false,
    }
}
