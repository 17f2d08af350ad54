//! Every way in from outside, attacked with mutants of valid inputs (`doors.rs`).
//!
//! `TBR_MUTANTS` says how many for each door, `TBR_MUTANTS_SEED` with which seed they begin; a
//! name beside them, `cargo test --test mutants -- picture`, chooses doors. The same seed gives
//! the same mutant on every machine. Each door is a process of its own, so that one which
//! overflows its stack or is out of memory is reported like one that panics. What failed is
//! left in `target/mutants`, with what was said on standard error.
//!
//! With `TBR_MUTANTS_CORPUS` the seeds are written into a folder for the fuzzers instead.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "it is a test that tells figures")]

mod doors;
mod mutate;
mod png;
mod random;
mod run;
mod seeds;

use mutate::Kind;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A way in.
pub struct Door {
    /// Its name.
    pub name: &'static str,
    /// Takes any bytes, and says whether it accepted them.
    pub enter: fn(&[u8]) -> bool,
    /// Valid inputs.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// What they are.
    pub kind: Kind,
}

const DOORS: [Door; 8] = [
    Door { name: "program", enter: doors::program, seeds: seeds::programs, kind: Kind::Json },
    Door { name: "reel", enter: doors::reel, seeds: seeds::reels, kind: Kind::Json },
    Door {
        name: "stroke_list",
        enter: doors::stroke_list,
        seeds: seeds::stroke_lists,
        kind: Kind::Words(&seeds::LIST_WORDS),
    },
    Door {
        name: "edit",
        enter: doors::edit,
        seeds: seeds::edits,
        kind: Kind::Words(&seeds::EDIT_WORDS),
    },
    Door {
        name: "selection",
        enter: doors::selection,
        seeds: seeds::selections,
        kind: Kind::Words(&seeds::EDIT_WORDS),
    },
    Door {
        name: "checkpoint",
        enter: doors::checkpoint,
        seeds: seeds::checkpoints,
        kind: Kind::Json,
    },
    Door { name: "picture", enter: doors::picture, seeds: seeds::pictures, kind: Kind::Picture },
    Door {
        name: "palette",
        enter: doors::palette,
        seeds: seeds::palettes,
        kind: Kind::Words(&seeds::PALETTE_WORDS),
    },
];

/// Says which door a process is to attack.
const DOOR: &str = "TBR_MUTANTS_DOOR";

fn main() -> ExitCode {
    if let Ok(name) = std::env::var(DOOR) {
        let door = DOORS.iter().find(|door| door.name == name).expect("a door");
        return run::attack(door);
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<&String> = arguments.iter().filter(|a| !a.starts_with('-')).collect();
    let is_meant = |door: &&Door| names.is_empty() || names.iter().any(|n| door.name.contains(*n));
    let doors: Vec<&Door> = DOORS.iter().filter(is_meant).collect();
    if arguments.iter().any(|a| a == "--list") {
        doors.iter().for_each(|door| println!("{}: test", door.name));
        return ExitCode::SUCCESS;
    }
    if let Ok(folder) = std::env::var("TBR_MUTANTS_CORPUS") {
        doors.iter().for_each(|door| write_seeds(door, Path::new(&folder)));
        return ExitCode::SUCCESS;
    }
    if all_hold(&doors) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Attacks doors, as many at a time as there are processors.
fn all_hold(doors: &[&Door]) -> bool {
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some(door) = doors.get(next.fetch_add(1, Ordering::Relaxed)) {
            failed.fetch_add(usize::from(!holds(door)), Ordering::Relaxed);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    failed.into_inner() == 0
}

/// Attacks a door in a process of its own, in an empty folder.
fn holds(door: &Door) -> bool {
    // In memory where that can be had: every mutant is a file for a moment.
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let scratch = tempfile::tempdir_in(place).unwrap();
    let empty = scratch.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let log = run::folder().join(format!("{}.log", door.name));
    let status = Command::new(std::env::current_exe().unwrap())
        .env(DOOR, door.name)
        .env("TMPDIR", scratch.path())
        .env("TMP", scratch.path())
        // The inputs are too small for more threads to help.
        .env("RAYON_NUM_THREADS", "1")
        .current_dir(&empty)
        .stderr(std::fs::File::create(&log).unwrap())
        .status()
        .unwrap();
    if !status.success() {
        println!("{:12} FAILED ({status}); what it said is in {}", door.name, log.display());
        for mutant in run::kept(door, scratch.path()) {
            println!("{:12} it was at {}", "", mutant.display());
        }
    }
    status.success()
}

/// The seeds of a door, made here and kept in `fuzz/seeds`.
pub fn all_seeds(door: &Door) -> Vec<Vec<u8>> {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(door.name);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(kept)
        .map(|entries| entries.map(|entry| entry.unwrap().path()).collect())
        .unwrap_or_default();
    paths.sort();
    let kept = paths.iter().map(|path| std::fs::read(path).unwrap());
    (door.seeds)().into_iter().chain(kept).collect()
}

/// Writes a door's seeds into its folder of a corpus.
fn write_seeds(door: &Door, corpus: &Path) {
    let folder = corpus.join(door.name);
    std::fs::create_dir_all(&folder).unwrap();
    for (k, seed) in all_seeds(door).iter().enumerate() {
        std::fs::write(folder.join(format!("seed-{k}")), seed).unwrap();
    }
}
