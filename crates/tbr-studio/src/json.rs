//! The state: all that pages show but pictures, as JSON.

use crate::exports::{self, Export};
use crate::fits::{FitCommand, FitStatus, MOST_STROKES, Run};
use crate::history::History;
use crate::opening::MOST_BYTES;
use crate::pictures::MOST_OUTLINES;
use crate::refusal::Answer;
use crate::workspace::{MOST_PIECES, Piece, Studio, Workspace, cut};
use serde_json::{Value, json};
use tbr::Program;
use tbr::colour::hex;
use tbr::sample::Pattern;
use tbr_io::film;
use tbr_io::fit::Preset;

/// The version of the interface that `docs/studio.md` describes.
const INTERFACE: u32 = 1;

/// The most bytes of what a program says it was made by: it is in every state and event, and a
/// file may say anything.
const MOST_MADE_BY_BYTES: usize = 120;

impl Studio {
    pub fn state(&self) -> Value {
        let workspace = self.workspace();
        json!({
            "interface": INTERFACE,
            "tbr": env!("CARGO_PKG_VERSION"),
            "save_folder": self.save_folder.as_ref().map(|folder| folder.to_string_lossy()),
            "limits": {
                "upload_bytes": MOST_BYTES,
                "pieces": MOST_PIECES,
                "outlines": MOST_OUTLINES,
                "strokes": MOST_STROKES,
            },
            "presets": Preset::ALL.map(|p| json!({"name": p.name(), "about": p.about()})),
            "films": films(self.has_ffmpeg),
            "samples": Pattern::ALL.map(|p| json!({"name": p.name(), "about": p.about()})),
            "pieces": workspace.pieces.iter().map(|p| piece(&workspace, p)).collect::<Vec<_>>(),
            "exports": workspace.exports.iter().map(export).collect::<Vec<_>>(),
        })
    }

    pub fn piece_state(&self, id: u64) -> Answer<Value> {
        let workspace = self.workspace();
        Ok(piece(&workspace, workspace.piece(id)?))
    }

    pub fn export_state(&self, id: u64) -> Answer<Value> {
        Ok(export(self.workspace().export(id)?))
    }
}

fn films(has_ffmpeg: bool) -> Value {
    let mp4 = match has_ffmpeg {
        true => "for phones and players",
        false => "needs ffmpeg, which is not installed",
    };
    json!([
        {"name": film::FilmKind::WebP.ending(), "about": "small and exact, for browsers", "available": true},
        {"name": film::FilmKind::Mp4.ending(), "about": mp4, "available": has_ffmpeg},
        {"name": film::FilmKind::Gif.ending(), "about": "plays anywhere, 256 colours", "available": true},
        {"name": film::FilmKind::Apng.ending(), "about": "exact and large", "available": true},
    ])
}

fn piece(workspace: &Workspace, piece: &Piece) -> Value {
    let target = piece.target.as_ref().map(|target| {
        let (width_px, height_px) = target.size();
        json!({
            "revision": target.revision,
            "name": target.name,
            "width_px": width_px,
            "height_px": height_px,
            "transparent": target.transparent,
        })
    });
    json!({
        "id": piece.id,
        "name": piece.name,
        "height": piece.height(),
        "target": target,
        "program": piece.program().map(|p| program(p, piece)),
        "fit": piece.fit.as_ref().map(|run| fit(workspace, piece.id, run)),
    })
}

fn program(program: &Program, piece: &Piece) -> Value {
    let history = piece.history.as_ref();
    json!({
        "revision": piece.revision,
        "strokes": program.strokes().len(),
        "operator": program.operator().name(),
        "background": hex(program.background()),
        "palette": program.palette().iter().map(|c| hex(*c)).collect::<Vec<_>>(),
        "own_colours": piece.own_colours,
        "made_by": program.provenance().text("made_by").map(|text| cut(text, MOST_MADE_BY_BYTES)),
        "steps": history.map_or(0, History::done),
        "undo": history.and_then(History::undoable),
        "redo": history.and_then(History::redoable),
    })
}

fn fit(workspace: &Workspace, id: u64, run: &Run) -> Value {
    let (status, error) = match &run.status {
        FitStatus::Waiting => ("waiting", None),
        FitStatus::Running => ("running", None),
        FitStatus::Paused => ("paused", None),
        FitStatus::Stopped => ("stopped", None),
        FitStatus::Done => ("done", None),
        FitStatus::Failed(error) => ("failed", Some(error)),
    };
    let wants = run.command.map(|command| match command {
        FitCommand::Pause => "pause",
        FitCommand::Stop => "stop",
    });
    let runs = workspace
        .pieces
        .iter()
        .filter_map(|p| p.fit.as_ref())
        .any(|r| r.status == FitStatus::Running);
    let place = match run.status {
        FitStatus::Waiting => {
            workspace.queue.iter().position(|w| *w == id).map(|k| k + usize::from(runs))
        }
        FitStatus::Running => Some(0),
        _ => None,
    };
    let report = run.report;
    json!({
        "status": status,
        "wants": wants,
        "place": place,
        "resumable": run.is_resumable(),
        "preset": run.request.preset,
        "strokes": run.options.strokes,
        "palette": run.request.palette,
        "seed": run.request.seed,
        "size_px": run.request.size_px,
        "from": run.request.from,
        "step": report.map_or(0, |r| r.step),
        "steps": report.map(|r| r.steps),
        "progress": run.progress,
        "floor_ratio": report.map(|r| r.floor_ratio).filter(|r| r.is_finite() && *r > 0.0),
        "ceiling": run.ceiling,
        "seconds": run.seconds,
        "curve": run.curve,
        "error": error,
    })
}

fn export(export: &Export) -> Value {
    let (status, bytes, error) = match &export.status {
        exports::ExportStatus::Working => ("working", None, None),
        exports::ExportStatus::Done { bytes } => ("done", Some(*bytes), None),
        exports::ExportStatus::Failed(error) => ("failed", None, Some(error)),
    };
    json!({
        "id": export.id,
        "piece": export.piece,
        "kind": export.kind,
        "name": export.name,
        "status": status,
        "progress": export.progress.share(),
        "bytes": bytes,
        "saved": export.saved,
        "error": error,
    })
}
