//! How a request is refused.

use crate::failure::Failure;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use serde_json::json;

/// The most bytes of a refusal.
const MOST_REASONS: usize = 1 << 16;

/// Why a request was refused, and what to do about it.
#[derive(Debug)]
pub struct Refusal {
    status: StatusCode,
    error: String,
    hint: Option<String>,
}

pub type Answer<T> = Result<T, Refusal>;

impl Refusal {
    pub fn new(status: StatusCode, error: impl Into<String>) -> Self {
        Self { status, error: error.into(), hint: None }
    }

    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// There is no such thing.
    pub fn missing(what: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, what)
    }

    /// Not now.
    pub fn conflict(why: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, why)
    }

    /// It does not make sense.
    pub fn senseless(why: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, why)
    }

    /// The same, of a request that does not make sense, whatever found that out.
    pub fn into_senseless(self) -> Self {
        Self { status: StatusCode::BAD_REQUEST, ..self }
    }

    /// Our own fault.
    pub fn broken(what: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, format!("something went wrong here: {what}"))
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let status = match failure.is_usage() {
            true => StatusCode::BAD_REQUEST,
            false => StatusCode::UNPROCESSABLE_ENTITY,
        };
        let (error, hint) = failure.words();
        Self { status, error, hint: hint.map(str::to_owned) }
    }
}

impl From<tbr::Error> for Refusal {
    fn from(error: tbr::Error) -> Self {
        Failure::from(error).into()
    }
}

/// Refusals that the framework has written are in words as well: they become like ours.
pub async fn in_json(response: Response) -> Response {
    let status = response.status();
    let kind = response.headers().get(header::CONTENT_TYPE);
    let is_json = kind.is_some_and(|kind| kind == "application/json");
    if is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let bytes = axum::body::to_bytes(response.into_body(), MOST_REASONS).await.unwrap_or_default();
    let words = String::from_utf8_lossy(&bytes).trim().to_owned();
    let reason = status.canonical_reason().unwrap_or("refused");
    Refusal::new(status, if words.is_empty() { reason.to_owned() } else { words }).into_response()
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = match self.hint {
            Some(hint) => json!({"error": self.error, "hint": hint}),
            None => json!({"error": self.error}),
        };
        (self.status, Json(body)).into_response()
    }
}

/// What a page says, as JSON. What cannot be understood is refused as senseless.
pub struct Words<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Words<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Answer<Self> {
        let bytes = Bytes::from_request(request, state)
            .await
            .map_err(|e| Refusal::new(e.status(), e.body_text()))?;
        let words = serde_json::from_slice(&bytes);
        words.map(Self).map_err(|e| Refusal::senseless(format!("cannot be understood: {e}")))
    }
}
