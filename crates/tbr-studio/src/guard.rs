//! The check of every request: it comes from a page that this server has served to somebody who
//! was let in at the door, or is refused.

use crate::door::{Door, is_same, secret};
use crate::refusal::{Answer, Refusal};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// The header that has the page's token.
pub const TOKEN: &str = "x-tbr-token";

/// The content security policy: the page may show and run what comes from here, and no more.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// What requests are checked against.
pub struct Guard {
    port: u16,
    token: String,
    door: Arc<Door>,
}

impl Guard {
    /// A guard with a new token.
    pub fn new(port: u16, door: Arc<Door>) -> Result<Self, getrandom::Error> {
        Ok(Self { port, token: secret()?, door })
    }

    /// The token that the page sends with all that changes something.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Refuses what other pages have browsers ask, whoever sits before them.
    fn check_source(&self, method: &Method, path: &str, headers: &HeaderMap) -> Answer<()> {
        self.check_host(headers)?;
        if !is_link_to_page(method, path, headers) {
            self.check_origin(headers)?;
        }
        Ok(())
    }

    /// Refuses changes that do not come from our page.
    fn check_token(&self, method: &Method, headers: &HeaderMap) -> Answer<()> {
        if method == Method::GET || method == Method::HEAD {
            return Ok(());
        }
        let given = headers.get(TOKEN).map(HeaderValue::as_bytes);
        if given.is_some_and(|given| is_same(given, self.token.as_bytes())) {
            return Ok(());
        }
        let error = "this request does not come from a page of this server";
        Err(Refusal::new(StatusCode::FORBIDDEN, error).hint("reload the page"))
    }

    /// The answer to a request that is not to be passed on.
    fn answer(&self, request: &Request) -> Option<Response> {
        let (method, uri, headers) = (request.method(), request.uri(), request.headers());
        if let Err(refusal) = self.check_source(method, uri.path(), headers) {
            return Some(refusal.into_response());
        }
        let at_door = self.door.answer(method, uri, headers);
        at_door.or_else(|| Some(self.check_token(method, headers).err()?.into_response()))
    }

    /// Refuses hosts but the names under which a browser can mean this server. Another name
    /// that leads here is somebody's trick to make their page and ours look like one (DNS
    /// rebinding).
    fn check_host(&self, headers: &HeaderMap) -> Answer<()> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (host, second) = (hosts.next().and_then(|h| h.to_str().ok()), hosts.next());
        if second.is_none() && host.is_some_and(|host| self.is_own(host)) {
            return Ok(());
        }
        let status = StatusCode::MISDIRECTED_REQUEST;
        let refusal = Refusal::new(status, "this server is not the one that was asked for");
        Err(refusal.hint("open the address that stands in the terminal where tbr studio runs"))
    }

    fn check_origin(&self, headers: &HeaderMap) -> Answer<()> {
        let text = |name: HeaderName| headers.get(name).map(|v| v.to_str().unwrap_or("?"));
        let own = |origin: &str| origin.strip_prefix("http://").is_some_and(|o| self.is_own(o));
        let foreign_origin = text(header::ORIGIN).is_some_and(|origin| !own(origin));
        let site = text(HeaderName::from_static("sec-fetch-site"));
        let foreign_site = site.is_some_and(|site| site != "same-origin" && site != "none");
        if foreign_origin || foreign_site {
            let error = "another page cannot use this server";
            return Err(Refusal::new(StatusCode::FORBIDDEN, error));
        }
        Ok(())
    }

    fn is_own(&self, host: &str) -> bool {
        // Browsers leave out the port that goes without saying.
        let (name, port) = host.rsplit_once(':').unwrap_or((host, "80"));
        (name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost"))
            && port == self.port.to_string()
    }
}

/// Is a request the following of a link to our page, which may stand on any other page? Ours
/// is then a document of its own, of which the other sees nothing.
fn is_link_to_page(method: &Method, path: &str, headers: &HeaderMap) -> bool {
    let is_document = headers.get("sec-fetch-dest").is_some_and(|dest| dest == "document");
    method == Method::GET && path == "/" && is_document && !headers.contains_key(header::ORIGIN)
}

/// The middleware: passes on the requests that are allowed, and gives every response the
/// headers that keep it to this page.
pub async fn watch(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let mut response = match guard.answer(&request) {
        Some(response) => response,
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(list: &[(&'static str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        list.iter().map(pair).collect()
    }

    fn guard() -> Guard {
        Guard::new(8123, Arc::new(Door::new(8123, |_| ()).unwrap())).unwrap()
    }

    #[test]
    fn hosts_and_origins_are_ours_or_refused() {
        let guard = guard();
        let get_at = |path: &str, list: &[(&'static str, &str)]| {
            guard.check_source(&Method::GET, path, &headers(list)).is_ok()
        };
        let get = |list: &[(&'static str, &str)]| get_at("/api/v1/state", list);
        assert!(get(&[("host", "127.0.0.1:8123")]));
        assert!(get(&[("host", "LocalHost:8123"), ("origin", "http://localhost:8123")]));
        assert!(get(&[("host", "localhost:8123"), ("sec-fetch-site", "none")]));
        for host in ["127.0.0.1", "127.0.0.1:80", "evil.example:8123", "127.0.0.1.evil:8123", ""] {
            assert!(!get(&[("host", host)]), "{host}");
        }
        assert!(!get(&[]));
        for origin in
            ["http://evil.example", "null", "https://127.0.0.1:8123", "http://127.0.0.1:81"]
        {
            assert!(!get(&[("host", "127.0.0.1:8123"), ("origin", origin)]), "{origin}");
        }
        for site in ["cross-site", "same-site"] {
            assert!(!get(&[("host", "127.0.0.1:8123"), ("sec-fetch-site", site)]), "{site}");
        }
        let link = [
            ("host", "127.0.0.1:8123"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-dest", "document"),
        ];
        assert!(get_at("/", &link));
        assert!(!get_at("/", &[link[0], link[1], ("sec-fetch-dest", "iframe")]));
        assert!(!get(&link));
    }

    #[test]
    fn changes_need_the_token_of_this_start() {
        let (guard, other) = (guard(), guard());
        assert_eq!(guard.token().len(), 32);
        assert_ne!(guard.token(), other.token());
        let host = ("host", "127.0.0.1:8123");
        for method in [Method::POST, Method::DELETE, Method::PUT, Method::OPTIONS] {
            let check = |list: &[(&'static str, &str)]| guard.check_token(&method, &headers(list));
            assert!(check(&[host]).is_err());
            assert!(check(&[host, (TOKEN, other.token())]).is_err());
            assert!(check(&[host, (TOKEN, guard.token())]).is_ok());
        }
    }
}
