//! Opening: files that are uploaded, and the samples.

use crate::assets;
use crate::body;
use crate::painters::{Weight, in_background, on_painters};
use crate::refusal::{Answer, Refusal};
use crate::routes::Shared;
use crate::target::OpenPicture;
use crate::workspace::Studio;
use axum::Json;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use tbr::render::View;
use tbr::sample::{self, Pattern};
use tbr::{Image, Program};
use tbr_io::picture::Picture;
use tbr_io::{Failure, files};
use tokio::sync::OwnedSemaphorePermit;

/// The most bytes of a file that is opened.
pub const MOST_BYTES: usize = 256 << 20;
/// The most bytes, in KiB, of all files that are being received or wait to be decoded.
pub const MOST_WAITING_KIB: usize = 512 << 10;
/// Pixels along a side of a sample.
const SAMPLE_PX: u32 = 512;

#[derive(Deserialize)]
pub struct Named {
    pub name: Option<String>,
}

/// Receives a file, of a limited number of bytes; gives them with the turn to decode them.
async fn upload(studio: &Studio, headers: &HeaderMap, body: Body) -> Answer<(Vec<u8>, Turn)> {
    let hint = "scale the picture down first";
    let length = headers.get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: u64| length > MOST_BYTES as u64) {
        return Err(body::too_large(MOST_BYTES).hint(hint));
    }
    let mut room = None;
    let bytes = body::read(body, MOST_BYTES, |bytes| take_room(studio, &mut room, bytes)).await?;
    // Only what is here can be decoded: whoever stalls holds up nobody.
    let turn = Arc::clone(&studio.decoding).acquire_owned().await.map_err(Refusal::broken)?;
    Ok((bytes, Turn { _turn: turn, _room: room }))
}

/// The turn to decode a file, and the room that its bytes take meanwhile.
struct Turn {
    _turn: OwnedSemaphorePermit,
    _room: Option<OwnedSemaphorePermit>,
}

/// Takes room for a file of which so many bytes are here, or refuses it: whoever waited for
/// room would keep what it has from others who do the same.
fn take_room(studio: &Studio, room: &mut Option<OwnedSemaphorePermit>, bytes: usize) -> Answer<()> {
    let has = room.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
    let needs = bytes.div_ceil(1024) - has;
    let more = Arc::clone(&studio.waiting_room).try_acquire_many_owned(needs as u32);
    let full = |_| {
        let message = "too many large files are being opened at once";
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message).hint("try again in a moment")
    };
    let more = more.map_err(full)?;
    match room {
        Some(room) => room.merge(more),
        None => *room = Some(more),
    }
    Ok(())
}

/// What a file holds.
pub enum Opened {
    Program(Program),
    Target(OpenPicture),
}

impl Opened {
    /// A program if it is named or begins as one, else a picture.
    pub fn read(bytes: Vec<u8>, name: &str) -> Result<Self, Failure> {
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        if first == Some(&b'{') || name.to_ascii_lowercase().ends_with(".json") {
            let path = std::path::Path::new(name);
            return Ok(Self::Program(files::parse_program(&bytes, path)?));
        }
        OpenPicture::decode(bytes, name).map(Self::Target)
    }

    pub fn open(self, studio: &Studio, name: &str) -> Answer<u64> {
        match self {
            Self::Program(program) => studio.open(name, None, Some(program)),
            Self::Target(target) => studio.open(name, Some(target), None),
        }
    }
}

pub async fn open(
    State(studio): Shared,
    Query(Named { name }): Query<Named>,
    headers: HeaderMap,
    body: Body,
) -> Answer<Json<Value>> {
    studio.workspace().check_room()?;
    let (bytes, turn) = upload(&studio, &headers, body).await?;
    in_background(move || {
        let _turn = turn;
        let name = name.unwrap_or_else(|| "untitled".into());
        let id = Opened::read(bytes, &name)?.open(&studio, &name)?;
        studio.piece_state(id).map(Json)
    })
    .await
}

pub async fn set_target(
    State(studio): Shared,
    Path(id): Path<u64>,
    Query(Named { name }): Query<Named>,
    headers: HeaderMap,
    body: Body,
) -> Answer<Json<Value>> {
    studio.with(id, |piece| piece.check_idle())?;
    let (bytes, turn) = upload(&studio, &headers, body).await?;
    in_background(move || {
        let _turn = turn;
        studio.set_target(
            id,
            OpenPicture::decode(bytes, &name.unwrap_or_else(|| "target".into()))?,
        )?;
        studio.piece_state(id).map(Json)
    })
    .await
}

pub async fn close(State(studio): Shared, Path(id): Path<u64>) -> Answer<StatusCode> {
    studio.close(id)?;
    Ok(StatusCode::NO_CONTENT)
}

fn pattern(name: &str) -> Answer<Pattern> {
    name.parse().map_err(|e: tbr::Error| Refusal::missing(e.to_string()))
}

/// A square sheet of a pattern, drawn.
pub fn drawn(pattern: Pattern, side_px: u32) -> Answer<Image> {
    let program = pattern.program(1.0, 1)?;
    let replay = sample::picture(&program, View::of_canvas(&program, side_px)?)?;
    let colours = replay
        .pixels(0..replay.strips())
        .iter()
        .map(|p| [p[0], p[1], p[2]].map(f64::from))
        .collect();
    Ok(Image::new((side_px, side_px), colours)?)
}

pub async fn open_sample(State(studio): Shared, Path(name): Path<String>) -> Answer<Json<Value>> {
    let pattern = pattern(&name)?;
    on_painters(Arc::clone(&studio), Weight::Light, move || {
        let picture = Picture::of(&drawn(pattern, SAMPLE_PX)?);
        let target = OpenPicture::new(picture, &format!("{name}.png"))?;
        let id = studio.open(&name, Some(target), None)?;
        studio.piece_state(id).map(Json)
    })
    .await
}

pub async fn sample_picture(Path(name): Path<String>) -> Answer<Response> {
    assets::file(&format!("sample-{}.jpg", pattern(&name)?))
}
