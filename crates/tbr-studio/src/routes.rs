//! The addresses of the interface of `docs/studio.md`, and what each does.

use crate::edit::{Edit, Pick};
use crate::history::changed_strokes;
use crate::opening::{Named, close, open, open_sample, sample_picture, set_target};
use crate::painters::{Weight, in_background, on_painters};
use crate::pictures::{PictureQuery, Snapshot};
use crate::refusal::{Answer, JsonBody, Refusal};
use crate::workspace::Studio;
use crate::{exports, fits};
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use futures_util::stream::{self, Stream};
use serde::Deserialize;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tbr::animate::laid_at;
use tbr::explain::changed_share;
use tbr::info::Info;
use tbr_io::{WIDTH_PX, report};
use tokio_util::io::ReaderStream;

/// The least time between two events: what eyes can follow.
const BETWEEN_EVENTS: Duration = Duration::from_millis(100);

/// What the handler of every address is given.
pub type Shared = State<Arc<Studio>>;

pub fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/state", get(state))
        .route("/events", get(events))
        .route("/pieces", post(open))
        .route("/pieces/{id}", delete(close))
        .route("/pieces/{id}/target", post(set_target))
        .route("/samples/{name}", post(open_sample))
        .route("/samples/{name}/picture", get(sample_picture))
        .route("/pieces/{id}/picture", get(picture))
        .route("/pieces/{id}/at", get(at))
        .route("/pieces/{id}/outlines", get(outlines))
        .route("/pieces/{id}/strokes/{number}", get(stroke))
        .route("/pieces/{id}/info", get(info))
        .route("/pieces/{id}/changes", get(changes))
        .route("/pieces/{id}/select", post(select))
        .route("/pieces/{id}/edit", post(edit))
        .route("/pieces/{id}/undo", post(undo))
        .route("/pieces/{id}/redo", post(redo))
        .route("/pieces/{id}/fit", post(fit))
        .route("/pieces/{id}/fit/{command}", post(command_fit))
        .route("/pieces/{id}/exports", post(begin_export))
        .route("/exports/{id}", delete(remove_export))
        .route("/exports/{id}/file", get(export_file))
        .route("/exports/{id}/save", post(save_export))
}

async fn state(State(studio): Shared) -> Json<Value> {
    Json(studio.state())
}

/// A stream of the state, at once and again whenever it has changed.
async fn events(State(studio): Shared) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let mut changes = studio.listen();
    changes.mark_changed();
    let events =
        stream::unfold((studio, changes, None), |(studio, mut changes, pause)| async move {
            if let Some(pause) = pause {
                tokio::time::sleep(pause).await;
            }
            changes.changed().await.ok()?;
            let event = Event::default().event("state").data(studio.state().to_string());
            Some((Ok(event), (studio, changes, Some(BETWEEN_EVENTS))))
        });
    Sse::new(events).keep_alive(KeepAlive::default())
}

fn png(bytes: Vec<u8>) -> Response {
    ([(header::CONTENT_TYPE, "image/png")], bytes).into_response()
}

async fn picture(
    State(studio): Shared,
    Path(id): Path<u64>,
    Query(query): Query<PictureQuery>,
) -> Answer<Response> {
    let snapshot = studio.with(id, |piece| {
        if query.revision.is_some_and(|revision| revision != piece.revision) {
            return Err(Refusal::conflict("the program has changed meanwhile"));
        }
        Ok(Snapshot::of(piece))
    })?;
    on_painters(studio, snapshot.weight(), move || snapshot.picture(&query)).await.map(png)
}

#[derive(Deserialize)]
struct Place {
    x: f64,
    y: f64,
    time: Option<f64>,
}

async fn at(
    State(studio): Shared,
    Path(id): Path<u64>,
    Query(Place { x, y, time }): Query<Place>,
) -> Answer<Json<Value>> {
    let snapshot = studio.with(id, |piece| Ok(Snapshot::of(piece)))?;
    on_painters(studio, Weight::Light, move || snapshot.at([x, y], time).map(Json)).await
}

#[derive(Deserialize)]
struct Listed {
    strokes: String,
}

async fn outlines(
    State(studio): Shared,
    Path(id): Path<u64>,
    Query(Listed { strokes }): Query<Listed>,
    Query(query): Query<PictureQuery>,
) -> Answer<Json<Value>> {
    let numbers = strokes.split(',').filter(|n| !n.is_empty()).map(|number| {
        let wrong = |_| Refusal::bad_request(format!("\"{number}\" is no number of a stroke"));
        number.parse::<usize>().map_err(wrong)
    });
    let numbers = numbers.collect::<Answer<Vec<usize>>>()?;
    let snapshot = studio.with(id, |piece| Ok(Snapshot::of(piece)))?;
    on_painters(studio, snapshot.weight(), move || snapshot.outlines(&numbers, &query).map(Json))
        .await
}

async fn stroke(
    State(studio): Shared,
    Path((id, number)): Path<(u64, usize)>,
) -> Answer<Json<Value>> {
    studio.with(id, |piece| Snapshot::of(piece).stroke(number)).map(Json)
}

async fn info(State(studio): Shared, Path(id): Path<u64>) -> Answer<Json<Value>> {
    let program = studio.with(id, |piece| piece.needed_program())?;
    on_painters(studio, Weight::of(&program), move || {
        let info = Info::within(&program, None, WIDTH_PX)?;
        let rows = report::info::rows(&info);
        let rows: Vec<Value> =
            rows.iter().map(|row| json!({"name": row.name, "text": row.text})).collect();
        Ok(Json(json!({"rows": rows})))
    })
    .await
}

async fn changes(State(studio): Shared, Path(id): Path<u64>) -> Answer<Json<Value>> {
    let (base, now, steps, undone) = studio.with(id, |piece| {
        let history = piece.history.as_ref();
        let history = history.ok_or_else(|| Refusal::conflict("there is no program yet"))?;
        let (labels, undone) = history.labels();
        let steps: Vec<String> = labels.into_iter().map(str::to_owned).collect();
        Ok((Arc::clone(history.base()), Arc::clone(history.now()), steps, undone))
    })?;
    on_painters(studio, Weight::of(&now), move || {
        let same_canvas = base.height() == now.height();
        let share = if same_canvas { changed_share(&base, &now, WIDTH_PX)? } else { None };
        Ok(Json(json!({
            "steps": steps,
            "undone": undone,
            "strokes_before": base.strokes().len(),
            "strokes": now.strokes().len(),
            "changed_strokes": changed_strokes(&base, &now),
            "pixels_share": share,
        })))
    })
    .await
}

#[derive(Deserialize)]
struct Selecting {
    #[serde(flatten)]
    pick: Pick,
    time: Option<f64>,
}

async fn select(
    State(studio): Shared,
    Path(id): Path<u64>,
    JsonBody(Selecting { pick, time }): JsonBody<Selecting>,
) -> Answer<Json<Value>> {
    let program = studio.with(id, |piece| piece.needed_program())?;
    on_painters(studio, Weight::of(&program), move || {
        let program = laid_at(&program, time, None)?;
        let strokes = pick.strokes(&program).map_err(Refusal::into_bad_request)?;
        Ok(Json(json!({"strokes": strokes})))
    })
    .await
}

async fn edit(
    State(studio): Shared,
    Path(id): Path<u64>,
    JsonBody(edit): JsonBody<Edit>,
) -> Answer<Response> {
    in_background(move || studio.edit(id, &edit).map(|changed| Json(changed).into_response())).await
}

async fn undo(State(studio): Shared, Path(id): Path<u64>) -> Answer<Response> {
    in_background(move || studio.undo(id).map(|changed| Json(changed).into_response())).await
}

async fn redo(State(studio): Shared, Path(id): Path<u64>) -> Answer<Response> {
    in_background(move || studio.redo(id).map(|changed| Json(changed).into_response())).await
}

async fn fit(
    State(studio): Shared,
    Path(id): Path<u64>,
    JsonBody(request): JsonBody<fits::FitRequest>,
) -> Answer<Json<Value>> {
    studio.fit(id, request)?;
    studio.piece_state(id).map(Json)
}

async fn command_fit(
    State(studio): Shared,
    Path((id, command)): Path<(u64, String)>,
) -> Answer<Json<Value>> {
    match command.as_str() {
        "pause" => studio.pause_fit(id)?,
        "continue" => studio.continue_fit(id)?,
        "stop" => studio.stop_fit(id)?,
        other => return Err(Refusal::missing(format!("a fit cannot {other}"))),
    }
    studio.piece_state(id).map(Json)
}

async fn begin_export(
    State(studio): Shared,
    Path(id): Path<u64>,
    JsonBody(request): JsonBody<exports::ExportRequest>,
) -> Answer<Json<Value>> {
    let job = studio.begin_export(id, request)?;
    let state = studio.export_state(job.id)?;
    tokio::spawn(async move {
        let maker = Arc::clone(&studio);
        let _turn = studio.exporting.acquire().await;
        let _ = tokio::task::spawn_blocking(move || maker.make_export(&job)).await;
    });
    Ok(Json(state))
}

async fn remove_export(State(studio): Shared, Path(id): Path<u64>) -> Answer<StatusCode> {
    studio.remove_export(id)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn export_file(State(studio): Shared, Path(id): Path<u64>) -> Answer<Response> {
    let (path, name, bytes) = {
        let workspace = studio.workspace();
        let export = workspace.export(id)?;
        let exports::ExportStatus::Done { bytes } = export.status else {
            return Err(Refusal::conflict("the file is not finished"));
        };
        (export.path.clone(), export.name.clone(), bytes)
    };
    let file = tokio::fs::File::open(&path).await.map_err(Refusal::broken)?;
    studio.workspace().taken(id);
    let mut response = Body::from_stream(ReaderStream::new(file)).into_response();
    let headers = response.headers_mut();
    let octets = HeaderValue::from_static("application/octet-stream");
    headers.insert(header::CONTENT_TYPE, octets);
    headers.insert(header::CONTENT_LENGTH, bytes.into());
    let disposition = format!("attachment; filename*=UTF-8''{}", percent_encoded(&name));
    let disposition = HeaderValue::from_str(&disposition).map_err(Refusal::broken)?;
    headers.insert(header::CONTENT_DISPOSITION, disposition);
    Ok(response)
}

/// Percent-encodes all but letters, digits and a few marks, for a header.
fn percent_encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let encoded =
        |byte: u8| if plain(byte) { (byte as char).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(encoded).collect()
}

async fn save_export(
    State(studio): Shared,
    Path(id): Path<u64>,
    JsonBody(Named { name }): JsonBody<Named>,
) -> Answer<Json<Value>> {
    in_background(move || {
        studio.save_export(id, name)?;
        studio.export_state(id).map(Json)
    })
    .await
}
