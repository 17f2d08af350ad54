//! All that pages show but pictures, as JSON.

use super::desk::{Desk, MOST_PIECES, Piece, Studio};
use super::exports::{self, Export};
use super::fits::{MOST_STROKES, Run, Status, Wish};
use super::history::History;
use super::look::MOST_OUTLINES;
use super::opening::MOST_BYTES;
use super::refusal::Answer;
use crate::commands::fit::Preset;
use crate::film;
use clap::ValueEnum;
use serde_json::{Value, json};
use tbr::colour::hex;
use tbr::program::Program;
use tbr::sample::Pattern;

/// Version of the interface: `docs/studio.md`.
const INTERFACE: u32 = 1;

impl Studio {
    pub fn state(&self) -> Value {
        let desk = self.desk();
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
            "presets": Preset::value_variants().iter().map(preset).collect::<Vec<_>>(),
            "films": films(self.has_ffmpeg),
            "samples": Pattern::ALL.map(|p| json!({"name": p.name(), "about": p.about()})),
            "pieces": desk.pieces.iter().map(|p| piece(&desk, p)).collect::<Vec<_>>(),
            "exports": desk.exports.iter().map(export).collect::<Vec<_>>(),
        })
    }

    pub fn piece_state(&self, id: u64) -> Answer<Value> {
        let desk = self.desk();
        Ok(piece(&desk, desk.piece(id)?))
    }

    pub fn export_state(&self, id: u64) -> Answer<Value> {
        Ok(export(self.desk().export(id)?))
    }
}

fn preset(preset: &Preset) -> Value {
    let about = preset.to_possible_value().and_then(|v| v.get_help().map(ToString::to_string));
    json!({"name": preset.name(), "about": about})
}

fn films(has_ffmpeg: bool) -> Value {
    let mp4 = match has_ffmpeg {
        true => "for phones and players",
        false => "needs ffmpeg, which is not installed",
    };
    json!([
        {"name": film::Kind::WebP.ending(), "about": "small and exact, for browsers", "available": true},
        {"name": film::Kind::Mp4.ending(), "about": mp4, "available": has_ffmpeg},
        {"name": film::Kind::Gif.ending(), "about": "plays anywhere, 256 colours", "available": true},
        {"name": film::Kind::Apng.ending(), "about": "exact and large", "available": true},
    ])
}

fn piece(desk: &Desk, piece: &Piece) -> Value {
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
        "fit": piece.fit.as_ref().map(|run| fit(desk, piece.id, run)),
    })
}

fn program(program: &Program, piece: &Piece) -> Value {
    let history = piece.history.as_ref();
    json!({
        "revision": piece.revision,
        "strokes": program.strokes.len(),
        "operator": program.operator.name(),
        "background": hex(program.background),
        "palette": program.palette.iter().map(|c| hex(*c)).collect::<Vec<_>>(),
        "own_colours": piece.own_colours,
        "made_by": program.provenance.get("made_by"),
        "steps": history.map_or(0, History::done),
        "undo": history.and_then(History::undoable),
        "redo": history.and_then(History::redoable),
    })
}

fn fit(desk: &Desk, id: u64, run: &Run) -> Value {
    let (status, error) = match &run.status {
        Status::Waiting => ("waiting", None),
        Status::Running => ("running", None),
        Status::Paused => ("paused", None),
        Status::Stopped => ("stopped", None),
        Status::Done => ("done", None),
        Status::Failed(error) => ("failed", Some(error)),
    };
    let wants = run.wish.map(|wish| match wish {
        Wish::Pause => "pause",
        Wish::Stop => "stop",
    });
    let runs =
        desk.pieces.iter().filter_map(|p| p.fit.as_ref()).any(|r| r.status == Status::Running);
    let place = match run.status {
        Status::Waiting => desk.queue.iter().position(|w| *w == id).map(|k| k + usize::from(runs)),
        Status::Running => Some(0),
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
        exports::Status::Working => ("working", None, None),
        exports::Status::Done { bytes } => ("done", Some(*bytes), None),
        exports::Status::Failed(error) => ("failed", None, Some(error)),
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
