//! The bodies of requests: of a limited size, and read only as long as they come.

use crate::refusal::{Answer, Refusal};
use axum::body::Body;
use axum::http::StatusCode;
use futures_util::StreamExt;
use std::time::Duration;

/// How long to wait for the next part of a body. It comes from this machine: one that takes
/// longer has been given up, or is meant to hold us up.
const PATIENCE: Duration = Duration::from_secs(10);

/// A body of at most `most` bytes. `arrived` hears how many have come so far, and may refuse them.
pub async fn read(
    body: Body,
    most: usize,
    mut arrived: impl FnMut(usize) -> Answer<()>,
) -> Answer<Vec<u8>> {
    let (mut bytes, mut parts) = (Vec::new(), body.into_data_stream());
    loop {
        let part = tokio::time::timeout(PATIENCE, parts.next()).await.map_err(|_| slow())?;
        let Some(part) = part else { return Ok(bytes) };
        let part = part.map_err(|e| Refusal::bad_request(format!("the upload broke off: {e}")))?;
        if bytes.len() + part.len() > most {
            return Err(too_large(most));
        }
        bytes.extend_from_slice(&part);
        arrived(bytes.len())?;
    }
}

/// The refusal of a body that does not come.
fn slow() -> Refusal {
    let seconds = PATIENCE.as_secs();
    let message = format!("nothing more of it came for {seconds} seconds");
    Refusal::new(StatusCode::REQUEST_TIMEOUT, message)
}

/// The refusal of a body of more than so many bytes.
pub fn too_large(most: usize) -> Refusal {
    let message = format!("that is larger than {} MB", most >> 20);
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse;
    use futures_util::stream;
    use std::io::Error;

    fn status(answer: Answer<Vec<u8>>) -> u16 {
        answer.unwrap_err().into_response().status().as_u16()
    }

    fn wait<T>(work: impl Future<Output = T>) -> T {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_time().build().unwrap().block_on(work)
    }

    fn body(parts: Vec<Result<&'static str, Error>>) -> Body {
        Body::from_stream(stream::iter(parts))
    }

    #[test]
    fn what_breaks_off_is_not_called_large() {
        let broken = body(vec![Ok("abc"), Err(Error::other("no chunk"))]);
        assert_eq!(status(wait(read(broken, 100, |_| Ok(())))), 400);
        let whole = || body(vec![Ok("abc"), Ok("def")]);
        assert_eq!(status(wait(read(whole(), 5, |_| Ok(())))), 413);
        assert_eq!(wait(read(whole(), 6, |_| Ok(()))).unwrap(), b"abcdef");
        let full = |count: usize| if count > 3 { Err(Refusal::conflict("full")) } else { Ok(()) };
        assert_eq!(status(wait(read(whole(), 6, full))), 409);
    }
}
