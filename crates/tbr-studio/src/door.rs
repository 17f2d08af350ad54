//! The door: whoever has the address that stands in the terminal comes in, and nobody else.
//!
//! The server listens on this machine only, but a machine may have many users, and each of them
//! can open connections. So an address holds a key that works once. It is exchanged for a
//! cookie, which every other request must have; without it there is one small page, which says
//! where the address is to be found.

use crate::refusal::Refusal;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The parameter of an address that holds its key.
const KEY: &str = "key";
/// What all addresses of the interface begin with: there refusals are JSON.
const INTERFACE: &str = "/api/";

/// The page of those who are outside. It tells nothing about what is inside.
const OUTSIDE: &str = "<!DOCTYPE html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<title>tbr studio</title>
<h1>tbr studio</h1>
<p>To come in, open the address that stands in the terminal where tbr studio runs: the last one,
if there are several. Each works once; when it has been used, the next one is printed there.</p>
<p>This browser has been let in already? Then <a href=\"/\">open the studio</a>.</p>
</html>
";

/// The page of those who come in from another page. A redirect would still be the other page's
/// doing, and the browser would not send the cookie along; this page's own step is not.
const COME_IN: &str = "<!DOCTYPE html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta http-equiv=\"refresh\" content=\"0;url=/\">
<title>tbr studio</title>
<p><a href=\"/\">Open the studio</a></p>
</html>
";

/// A secret of 128 bits from the system's source of random numbers, in hexadecimal digits.
pub fn secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Compares in constant time, which does not tell how much is right.
pub fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

/// The keys that open, and the cookie of those who are inside.
pub struct Door {
    port: u16,
    /// Name of the cookie. Cookies are shared by all ports of a host, so it has the port in it.
    name: String,
    /// Value of the cookie: one for all, as long as this server runs.
    session: String,
    keys: Mutex<Keys>,
    /// Called with the next address when the one that stands in the terminal has been used.
    used: Box<dyn Fn(&str) + Send + Sync>,
}

/// The keys that have not been used. Each is a single one, of a single place.
struct Keys {
    /// That of the address in the terminal; none if no random numbers could be had for it.
    printed: Option<String>,
    /// That of the file which the browser is started with, and the file.
    opener: Option<(String, PathBuf)>,
}

impl Door {
    /// A door with new secrets.
    pub fn new(
        port: u16,
        used: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, getrandom::Error> {
        Ok(Self {
            port,
            name: format!("tbr-studio-{port}"),
            session: secret()?,
            keys: Mutex::new(Keys { printed: Some(secret()?), opener: None }),
            used: Box::new(used),
        })
    }

    /// The address for the terminal, as long as it has not been used.
    pub fn address(&self) -> Option<String> {
        self.keys().printed.as_deref().map(|key| self.address_of(key))
    }

    /// Writes a file that leads in, for a browser to be started with. An address among a
    /// command's arguments could be read by every user of the machine; a private file cannot.
    pub fn write_opener(&self, folder: &Path) -> std::io::Result<PathBuf> {
        let key = secret().map_err(std::io::Error::other)?;
        let path = folder.join("open.html");
        let address = self.address_of(&key);
        write_private(
            &path,
            &COME_IN
                .replace("url=/", &format!("url={address}"))
                .replace("href=\"/\"", &format!("href=\"{address}\"")),
        )?;
        self.keys().opener = Some((key, path.clone()));
        Ok(path)
    }

    /// The address with a key.
    fn address_of(&self, key: &str) -> String {
        format!("http://127.0.0.1:{}/?{KEY}={key}", self.port)
    }

    /// The keys, locked.
    fn keys(&self) -> MutexGuard<'_, Keys> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer to those who are at the door; none for those who are inside and want more
    /// than to come in.
    pub fn answer(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<Response> {
        let key = key_in(method, uri);
        // What a browser fetches before anybody wants it uses nothing up.
        let opens = key.is_some_and(|key| !is_prefetch(headers) && self.open(key));
        match (opens, self.is_inside(headers), key) {
            (true, _, _) | (_, true, Some(_)) => Some(self.let_in(headers)),
            (_, true, None) => None,
            (_, false, _) => Some(refused(uri.path())),
        }
    }

    /// Has a request the cookie of this start?
    fn is_inside(&self, headers: &HeaderMap) -> bool {
        let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
        let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| {
            let (name, value) = pair.trim().split_once('=')?;
            (name == self.name).then_some(value)
        });
        pairs.any(|value| is_same(value.as_bytes(), self.session.as_bytes()))
    }

    /// Does a key open? It does so once.
    fn open(&self, given: &str) -> bool {
        let is = |key: &str| is_same(given.as_bytes(), key.as_bytes());
        let mut keys = self.keys();
        if let Some((_, file)) = keys.opener.take_if(|(key, _)| is(key)) {
            let _ = std::fs::remove_file(file);
            return true;
        }
        if keys.printed.take_if(|key| is(key)).is_none() {
            return false;
        }
        keys.printed = secret().ok();
        let next = keys.printed.as_deref().map(|key| self.address_of(key));
        drop(keys);
        if let Some(next) = next {
            (self.used)(&next);
        }
        true
    }

    /// Gives the cookie, and leads to the page: the key stays in no address bar.
    fn let_in(&self, headers: &HeaderMap) -> Response {
        let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
        let mut response = match site {
            None | Some(b"none" | b"same-origin") => Redirect::to("/").into_response(),
            Some(_) => Html(COME_IN).into_response(),
        };
        let Self { name, session, .. } = self;
        let cookie = format!("{name}={session}; Path=/; HttpOnly; SameSite=Strict");
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers_mut().insert(header::SET_COOKIE, cookie);
        }
        response
    }
}

/// The key in an address, if somebody wants to come in with it.
fn key_in<'a>(method: &Method, uri: &'a Uri) -> Option<&'a str> {
    let wants_page = method == Method::GET && uri.path() == "/";
    let mut pairs = uri.query().filter(|_| wants_page)?.split('&');
    pairs.find_map(|pair| pair.strip_prefix(KEY)?.strip_prefix('='))
}

/// Does a browser ask before anybody has?
fn is_prefetch(headers: &HeaderMap) -> bool {
    let says = |name: &str| {
        let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.into_iter().any(|value| value.contains("prefetch") || value.contains("preview"))
    };
    says("sec-purpose") || says("purpose") || says("x-purpose") || says("x-moz")
}

/// What is said to those outside, whatever they ask for.
fn refused(path: &str) -> Response {
    if path.starts_with(INTERFACE) {
        let refusal = Refusal::new(StatusCode::FORBIDDEN, "this is for those who have been let in");
        return refusal
            .hint("open the address that stands in the terminal where tbr studio runs")
            .into_response();
    }
    (StatusCode::FORBIDDEN, Html(OUTSIDE)).into_response()
}

/// Writes a new file that only its owner can read.
fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    std::io::Write::write_all(&mut options.open(path)?, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderName;
    use std::sync::Arc;

    /// A door, and the addresses that it has printed since.
    fn new_door() -> (Door, Arc<Mutex<Vec<String>>>) {
        let printed = Arc::<Mutex<Vec<String>>>::default();
        let note = Arc::clone(&printed);
        let door = Door::new(8123, move |next| note.lock().unwrap().push(next.to_owned()));
        (door.unwrap(), printed)
    }

    fn get(door: &Door, address: &str, list: &[(&'static str, &str)]) -> Option<Response> {
        let pair = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        let path = address.strip_prefix("http://127.0.0.1:8123").unwrap_or(address);
        door.answer(&Method::GET, &path.parse().unwrap(), &list.iter().map(pair).collect())
    }

    fn cookie(response: &Response) -> String {
        let line = response.headers()[header::SET_COOKIE].to_str().unwrap();
        assert!(line.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{line}");
        line.split_once(';').unwrap().0.to_owned()
    }

    #[test]
    fn an_address_opens_once_and_the_next_is_printed() {
        let (door, printed) = new_door();
        let first = door.address().unwrap();
        let let_in = get(&door, &first, &[]).unwrap();
        assert_eq!(let_in.status(), StatusCode::SEE_OTHER);
        assert_eq!(let_in.headers()[header::LOCATION], "/");
        let cookie = cookie(&let_in);
        assert!(cookie.starts_with("tbr-studio-8123="), "{cookie}");
        assert!(get(&door, "/", &[("cookie", &format!("a=b; {cookie}"))]).is_none());
        // Again: no for a stranger, yes for whoever is inside and reloads.
        let again = get(&door, &first, &[]).unwrap();
        assert_eq!(again.status(), StatusCode::FORBIDDEN);
        assert!(!again.headers().contains_key(header::SET_COOKIE));
        let reloaded = get(&door, &first, &[("cookie", &cookie)]).unwrap();
        assert_eq!(reloaded.status(), StatusCode::SEE_OTHER);
        let next = door.address().unwrap();
        assert_eq!(printed.lock().unwrap().as_slice(), std::slice::from_ref(&next));
        assert_ne!(first, next);
        assert_eq!(get(&door, &next, &[]).unwrap().status(), StatusCode::SEE_OTHER);
    }

    #[test]
    fn nothing_but_the_key_and_the_cookie_opens() {
        let (door, printed) = new_door();
        let (other, _) = new_door();
        let of_other = get(&other, &other.address().unwrap(), &[]).unwrap();
        let (foreign, key) = (cookie(&of_other), door.address().unwrap());
        for address in ["/", "/?key=", "/?key=0", "/?kex=1", "/main.js", "/api/v1/state", "/x"] {
            for cookies in ["", "tbr-studio-8123=", &foreign, "tbr-studio-8124=1"] {
                let reply = get(&door, address, &[("cookie", cookies)]).unwrap();
                assert_eq!(reply.status(), StatusCode::FORBIDDEN, "{address} {cookies}");
                assert!(!reply.headers().contains_key(header::SET_COOKIE));
            }
        }
        let elsewhere = key.replace("/?", "/api/v1/state?");
        assert_eq!(get(&door, &elsewhere, &[]).unwrap().status(), StatusCode::FORBIDDEN);
        // Looking ahead uses nothing up.
        let early = get(&door, &key, &[("sec-purpose", "prefetch;prerender")]).unwrap();
        assert_eq!(early.status(), StatusCode::FORBIDDEN);
        let path: Uri = key.strip_prefix("http://127.0.0.1:8123").unwrap().parse().unwrap();
        let head = door.answer(&Method::HEAD, &path, &HeaderMap::new()).unwrap();
        assert_eq!(head.status(), StatusCode::FORBIDDEN);
        assert!(printed.lock().unwrap().is_empty());
        assert_eq!(get(&door, &key, &[]).unwrap().status(), StatusCode::SEE_OTHER);
    }

    #[test]
    fn a_browser_is_started_with_a_private_file_that_goes_when_it_was_used() {
        let (door, printed) = new_door();
        let folder = tempfile::tempdir().unwrap();
        let path = door.write_opener(folder.path()).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        let page = std::fs::read_to_string(&path).unwrap();
        let (_, rest) = page.split_once("0;url=").unwrap();
        let address = rest.split_once('"').unwrap().0;
        assert_eq!(page.matches(address).count(), 2);
        // A file is another site, whose redirects bring no cookie: a page of our own does.
        let let_in = get(&door, address, &[("sec-fetch-site", "cross-site")]).unwrap();
        assert_eq!(let_in.status(), StatusCode::OK);
        cookie(&let_in);
        assert!(!path.exists());
        // The address in the terminal is another, and still good.
        assert!(printed.lock().unwrap().is_empty());
        assert_eq!(get(&door, address, &[]).unwrap().status(), StatusCode::FORBIDDEN);
        let printed = door.address().unwrap();
        assert_eq!(get(&door, &printed, &[]).unwrap().status(), StatusCode::SEE_OTHER);
    }
}
