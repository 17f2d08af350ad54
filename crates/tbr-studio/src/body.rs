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

    /// Runs on a clock that goes on by itself while nothing else happens.
    fn wait<T>(work: impl Future<Output = T>) -> T {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_time().build().unwrap().block_on(work)
    }

    #[test]
    fn what_breaks_off_is_not_called_large() {
        let parts = [Ok("abc"), Err(Error::other("no chunk"))];
        let broken = read(Body::from_stream(stream::iter(parts)), 100, |_| Ok(()));
        assert_eq!(status(wait(broken)), 400);
        let parts = [Ok::<_, Error>("abc"), Ok("def")];
        let body = || {
            Body::from_stream(stream::iter(
                parts
                    .iter()
                    .map(|part| part.as_ref().map(|text| *text).map_err(|_| Error::other("")))
                    .collect::<Vec<_>>(),
            ))
        };
        assert_eq!(status(wait(read(body(), 5, |_| Ok(())))), 413);
        assert_eq!(wait(read(body(), 6, |_| Ok(()))).unwrap(), b"abcdef");
        let full = |count: usize| if count > 3 { Err(Refusal::conflict("full")) } else { Ok(()) };
        assert_eq!(status(wait(read(body(), 6, full))), 409);
    }
}
