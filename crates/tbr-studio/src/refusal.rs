//! Refusals: requests that are not granted, as the errors of the interface.

use crate::body;
use axum::Json;
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use serde_json::json;
use std::path::Path;
use tbr_io::{Failure, FailureKind};

/// The most bytes of a refusal.
const MOST_REASONS: usize = 1 << 16;

/// Why a request was refused, and what to do about it.
#[derive(Debug)]
pub struct Refusal {
    status: StatusCode,
    error: String,
    hint: Option<String>,
}

/// What a request gives, unless it is refused.
pub type Answer<T> = Result<T, Refusal>;

impl Refusal {
    pub fn new(status: StatusCode, error: impl Into<String>) -> Self {
        Self { status, error: error.into(), hint: None }
    }

    /// Adds what to do.
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

    /// The request does not make sense.
    pub fn bad_request(why: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, why)
    }

    /// The same refusal, of a request that does not make sense, whatever found that out.
    pub fn into_bad_request(self) -> Self {
        Self { status: StatusCode::BAD_REQUEST, ..self }
    }

    /// Our own fault.
    pub fn broken(what: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, format!("something went wrong here: {what}"))
    }

    /// The same for the command line, where it is a file's fault.
    pub fn of_file(self, path: &Path) -> Failure {
        let failure = Failure::file(path, self.error);
        match self.hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let status = match failure.kind() {
            FailureKind::Usage => StatusCode::BAD_REQUEST,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
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

/// Gives refusals that the framework has written, as plain text, the form of ours.
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

/// The most bytes of a request that is no file: a lasso, or the numbers of a million strokes.
const MOST_BODY_BYTES: usize = 16 << 20;

/// The JSON body of a request. One that cannot be understood is refused as a bad request.
pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &S) -> Answer<Self> {
        let bytes = body::read(request.into_body(), MOST_BODY_BYTES, |_| Ok(())).await?;
        let body = serde_json::from_slice(&bytes);
        body.map(Self).map_err(|e| Refusal::bad_request(format!("cannot be understood: {e}")))
    }
}
