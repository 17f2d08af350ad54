//! Connections: so many at a time, and none that only holds its place.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// The most connections at a time; more wait until one of these ends. A browser opens six. Well
/// below the descriptors that a process may have anywhere (256 on a Mac), so that some are left
/// for files.
const MOST_CONNECTIONS: usize = 128;
/// How long a connection may take to send the head of a request, or the next one. A browser
/// sends it in one piece, and opens another connection where one has ended.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);
/// How long to wait when no connection can be had, because descriptors or memory have run out.
const BACK_OFF: Duration = Duration::from_millis(100);

/// Answers requests, for ever.
pub async fn serve(listener: TcpListener, app: Router) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        // (The places are never closed.)
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let app = app.clone();
                tokio::spawn(async move {
                    let _place = place;
                    answer(stream, app).await;
                });
            }
            Err(e) if is_of_the_other_side(&e) => {}
            Err(_) => tokio::time::sleep(BACK_OFF).await,
        }
    }
}

/// Did a connection fail before we had it? Then it is nothing to wait for.
fn is_of_the_other_side(error: &io::Error) -> bool {
    let kinds =
        [ErrorKind::ConnectionRefused, ErrorKind::ConnectionAborted, ErrorKind::ConnectionReset];
    kinds.contains(&error.kind())
}

/// Answers the requests of a connection until it ends.
async fn answer(stream: TcpStream, app: Router) {
    let _ = stream.set_nodelay(true);
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_PATIENCE);
    // Whatever goes wrong with a connection is the business of whoever has opened it.
    let _ = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(app)).await;
}
