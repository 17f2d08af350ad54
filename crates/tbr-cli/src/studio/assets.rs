//! The page: embedded in the binary, and in debug builds read from its folder at each request.

use super::refusal::{Answer, Refusal};
use axum::Router;
use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use rust_embed::RustEmbed;

/// What stands for the token in the page.
const TOKEN: &str = "{{token}}";

#[derive(RustEmbed)]
#[folder = "src/studio/page"]
struct Page;

/// The page at `/`, with the token in it, and its other files by name.
pub fn routes(token: &str) -> Router {
    let token = token.to_owned();
    let page = get(|| async move {
        let index = text("index.html")?.replace(TOKEN, &token);
        Ok::<_, Refusal>(([(header::CONTENT_TYPE, kind("index.html"))], index))
    });
    Router::new().route("/", page).route("/{file}", get(file))
}

async fn file(Path(name): Path<String>) -> Answer<Response> {
    if name == "index.html" {
        // Without its token it would be of no use.
        return Ok(Redirect::to("/").into_response());
    }
    Ok(([(header::CONTENT_TYPE, kind(&name))], text(&name)?).into_response())
}

fn text(name: &str) -> Answer<String> {
    let missing = || Refusal::missing("there is nothing at this address");
    let file = Page::get(name).ok_or_else(missing)?;
    String::from_utf8(file.data.into_owned()).map_err(|_| missing())
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.') {
        Some((_, "html")) => "text/html; charset=utf-8",
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "js")) => "text/javascript; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        _ => "application/octet-stream",
    }
}
