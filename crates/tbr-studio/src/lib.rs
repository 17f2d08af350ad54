//! The studio: a page in the browser, and the small server behind it. `docs/studio.md`
//! describes the interface between the two.
//!
//! [`serve`] is all of it. A `Studio` (`workspace`) holds what is open; `routes` gives it
//! addresses, behind `guard` and its `door`; `fits` is a thread with a queue, `history` keeps what each edit
//! has changed, `pictures` makes what the page looks at, `exports` files to take away, and
//! `json` tells pages how all of that stands.

mod assets;
mod body;
mod connections;
mod door;
mod edit;
mod ending;
mod exports;
mod fits;
mod guard;
mod history;
mod json;
mod memory;
mod opening;
mod painters;
mod pictures;
mod refusal;
mod routes;
mod target;
mod workspace;

use axum::Router;
use door::Door;
use guard::Guard;
use opening::Opened;
use painters::Painters;
use refusal::Refusal;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tbr_io::{Failure, files, tell};
use tokio::net::TcpListener;
use workspace::Studio;

/// Threads that answer requests; the work is done by others.
const ANSWERING: usize = 2;

/// How to serve.
#[derive(Clone, Debug, Default)]
pub struct ServeOptions {
    /// A program or picture to open first.
    pub file: Option<PathBuf>,
    /// The port to listen on, on this machine only; 0 takes one that is free.
    pub port: u16,
    /// Open the browser?
    pub browser: bool,
    /// The folder that files may be saved in; none if they may not.
    pub save_folder: Option<PathBuf>,
    /// The folder of the networks' weights, if there is one.
    pub weights: Option<PathBuf>,
}

/// Serves the studio until the process ends. The page's address is printed on standard output.
pub fn serve(options: ServeOptions) -> Result<(), Failure> {
    // First, since it may be refused: nothing has been made yet.
    let (listener, port) = bind(options.port)?;
    let studio = Arc::new(studio(&options)?);
    let cannot = |e| Failure::usage(format!("the server cannot start: {e}"));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(ANSWERING)
        .enable_all()
        .build()
        .map_err(cannot)?;
    let _inside = runtime.enter();
    ending::watch(&studio).map_err(cannot)?;
    if let Some(file) = &options.file {
        open(&studio, file)?;
    }
    let app = open_door(&studio, port, options.browser)?;
    let listener = TcpListener::from_std(listener).map_err(cannot)?;
    std::thread::spawn(move || studio.work_on_fits());
    runtime.block_on(connections::serve(listener, app));
    Ok(())
}

/// Takes the port; gives the number that it turned out to have.
fn bind(port: u16) -> Result<(std::net::TcpListener, u16), Failure> {
    let bound = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).and_then(|listener| {
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        Ok((listener, port))
    });
    bound.map_err(|e| {
        Failure::usage(format!("port {port} cannot be had: {e}"))
            .hint("leave --port out to take one that is free")
    })
}

/// A studio in which nothing is open.
fn studio(options: &ServeOptions) -> Result<Studio, Failure> {
    let save_folder = match &options.save_folder {
        Some(folder) if !folder.is_dir() => {
            let failure = Failure::file(folder, "is no folder");
            return Err(failure.hint("make it first, or name one that is there"));
        }
        Some(folder) => Some(folder.canonicalize().map_err(|e| Failure::file(folder, e))?),
        None => None,
    };
    let painters = |count| {
        Painters::new(count).map_err(|e| Failure::usage(format!("no threads can be had: {e}")))
    };
    let (many, slow) = (painters(rayon::current_num_threads())?, painters(1)?);
    let scratch = files::scratch_folder()?;
    Ok(Studio::new(many, slow, scratch, save_folder, options.weights.clone()))
}

/// Opens the file that was named on the command line.
fn open(studio: &Studio, path: &Path) -> Result<(), Failure> {
    let bytes = files::read_bytes(path, opening::MOST_BYTES as u64)?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let opened = Opened::read(bytes, &name)?.open(studio, &name);
    opened.map(|_| ()).map_err(|refusal| refusal.of_file(path))
}

/// Makes the door, and prints the address that opens it; gives what is behind.
fn open_door(studio: &Arc<Studio>, port: u16, browser: bool) -> Result<Router, Failure> {
    let no_numbers = |e| Failure::usage(format!("no random numbers can be had: {e}"));
    let door = Arc::new(Door::new(port, tell_next).map_err(no_numbers)?);
    let guard = Guard::new(port, Arc::clone(&door)).map_err(no_numbers)?;
    if let Some(address) = door.address() {
        files::print(&format!("{address}\n"))?;
    }
    tell!("the studio is open at this address, which works once; Ctrl-C closes it");
    if browser {
        open_browser(&door, studio.scratch.path());
    }
    Ok(app(Arc::clone(studio), Arc::new(guard)))
}

/// Prints the next address, when the last has been used.
fn tell_next(address: &str) {
    tell!("that address has been used; the next, for another browser, is");
    // Nobody may be listening any more; the page works all the same.
    let _ = files::print(&format!("{address}\n"));
}

/// Starts the browser, by a file that leads in.
fn open_browser(door: &Door, folder: &Path) {
    let opened = door.write_opener(folder).and_then(open::that_detached);
    match opened {
        Ok(()) => tell!("(if the browser does not show it, open the address above)"),
        Err(_) => tell!("note: no browser could be opened; open the address above in one"),
    }
}

/// The page, its interface, and the guard before both.
fn app(studio: Arc<Studio>, guard: Arc<Guard>) -> Router {
    Router::new()
        .nest("/api/v1", routes::routes().with_state(studio))
        .merge(assets::routes(guard.token()))
        .fallback(|| async { Refusal::missing("there is nothing at this address") })
        .layer(axum::middleware::map_response(refusal::in_json))
        .layer(axum::middleware::from_fn_with_state(guard, guard::watch))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tbr::Image;
    use tbr_io::picture::png_bytes;

    #[test]
    fn a_file_that_cannot_be_opened_is_named_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ribbon.png");
        let ribbon = Image::new((66, 2), vec![[0.5; 3]; 132]).unwrap();
        std::fs::write(&path, png_bytes(&ribbon).unwrap()).unwrap();
        let studio = studio(&ServeOptions::default()).unwrap();
        let (said, _) = open(&studio, &path).unwrap_err().words();
        assert!(said.contains("ribbon.png"), "{said}");
        assert!(said.contains("more than 32 times as long as the other"), "{said}");
        assert!(studio.workspace().pieces.is_empty());
    }
}
