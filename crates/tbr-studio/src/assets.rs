//! The page: embedded in the binary, and in debug builds read from its folder at each request.
//! (Files are listed when this is compiled: a new one asks for another build.)

use crate::refusal::{Answer, Refusal};
use axum::Router;
use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use include_dir::{Dir, include_dir};

/// The placeholder of the token in the page.
const TOKEN: &str = "{{token}}";

/// The page's files.
static PAGE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/page");

/// The page at `/`, with the token in it, and its other files by name.
pub fn routes(token: &str) -> Router {
    let token = token.to_owned();
    let page = get(|| async move {
        let index = String::from_utf8_lossy(&bytes("index.html")?).replace(TOKEN, &token);
        Ok::<_, Refusal>(([(header::CONTENT_TYPE, kind("index.html"))], index))
    });
    Router::new().route("/", page).route("/{file}", get(by_name))
}

async fn by_name(Path(name): Path<String>) -> Answer<Response> {
    if name == "index.html" {
        // Without its token it would be of no use.
        return Ok(Redirect::to("/").into_response());
    }
    file(&name)
}

/// One of the page's files.
pub fn file(name: &str) -> Answer<Response> {
    Ok(([(header::CONTENT_TYPE, kind(name))], bytes(name)?).into_response())
}

fn bytes(name: &str) -> Answer<Vec<u8>> {
    let missing = || Refusal::missing("there is nothing at this address");
    let file = PAGE.get_file(name).ok_or_else(missing)?;
    let fresh = cfg!(debug_assertions).then(|| {
        std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page").join(name))
    });
    Ok(fresh.and_then(Result::ok).unwrap_or_else(|| file.contents().to_vec()))
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.') {
        Some((_, "html")) => "text/html; charset=utf-8",
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "js")) => "text/javascript; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        Some((_, "jpg")) => "image/jpeg",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening;
    use tbr::Colour;
    use tbr::sample::Pattern;
    use tbr_io::picture::{MATTE, Picture};

    #[test]
    fn samples_look_like_their_small_pictures() {
        for pattern in Pattern::ALL {
            let file = PAGE.get_file(format!("sample-{pattern}.jpg")).unwrap();
            let small = Picture::decode(file.contents().to_vec(), pattern.name().as_ref()).unwrap();
            let (width, height) = small.size();
            let small = small.over_at(MATTE, small.size()).unwrap();
            let drawn = opening::drawn(pattern, width).unwrap();
            assert_eq!(drawn.size(), (width, height));
            let off = |(drawn, small): (&Colour, &Colour)| {
                (0..3).map(|c| (drawn[c] - small[c]).abs()).sum::<f64>() / 3.0
            };
            let sum: f64 = drawn.pixels().iter().zip(small.pixels()).map(off).sum();
            let mean = 255.0 * sum / drawn.pixels().len() as f64;
            assert!(mean < 8.0, "{pattern} is off by {mean}: draw it anew with tbr sample");
        }
    }
}
