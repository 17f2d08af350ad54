//! One door attacked: panics caught, time and memory watched.

use crate::random::Random;
use crate::{Door, all_seeds, mutate};
use std::collections::BTreeMap;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};
use tbr_io::memory::peak_bytes;

/// Mutants for each door, if nothing else is asked for: all doors take some twenty seconds.
const MUTANTS: u64 = 200;
/// The most time that a mutant may take of a processor. (They take milliseconds.)
const MOST_TIME: Duration = Duration::from_secs(20);
/// The same by the clock, for those that wait for something: on a busy machine all do.
const MOST_WAIT: Duration = Duration::from_secs(200);
/// Ticks of a second in which Linux counts processor time.
const TICKS: u64 = 100;
/// Mutants that take so long are kept, though they do not fail.
const SLOW: Duration = Duration::from_secs(5);
/// The most memory that a door may take, bytes.
const MOST_BYTES: f64 = 1e9;
/// How often the time is looked at.
const LOOK: Duration = Duration::from_millis(250);

/// What the last panic said, and where.
static PANIC: Mutex<String> = Mutex::new(String::new());
/// When this process began.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);
/// When the mutant at work began, in milliseconds since then; 0 between two.
static BEGAN: AtomicU64 = AtomicU64::new(0);

/// What became of a door's mutants.
#[derive(Default)]
struct Figures {
    accepted: usize,
    refused: usize,
    slowest: (Duration, String),
    /// Failures by what they say: how many, and the first mutant.
    failures: BTreeMap<String, (usize, String)>,
}

/// Where mutants that failed are left.
pub fn folder() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let folder = target.join("mutants");
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// What lies in the folder of a process that has ended is the mutant that it was at: keeps it,
/// and says where.
pub fn kept(door: &Door, scratch: &Path) -> Vec<PathBuf> {
    let keep = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.to_owned();
        let to = folder().join(&name);
        (name.starts_with(door.name) && fs::copy(&path, &to).is_ok()).then_some(to)
    };
    let entries = fs::read_dir(scratch).unwrap();
    entries.filter_map(|entry| keep(entry.unwrap().path())).collect()
}

/// The seeds themselves, then mutants of them.
pub fn attack(door: &Door) -> ExitCode {
    let seeds = all_seeds(door);
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let count: u64 = number("TBR_MUTANTS").unwrap_or(MUTANTS);
    let first: u64 = number("TBR_MUTANTS_SEED").unwrap_or(1);
    panic::set_hook(Box::new(|info| *PANIC.lock().unwrap() = info.to_string()));
    std::thread::spawn(watch);
    // Seeds are made; from here on the peak is the door's.
    let _ = fs::write("/proc/self/clear_refs", "5");
    let mut figures = Figures::default();
    for (k, seed) in seeds.iter().enumerate() {
        figures.enter(door, &format!("seed-{k}"), seed);
    }
    for seed in first..first + count {
        let mutant = mutate::mutant(door.kind, &seeds, &mut Random::new(seed));
        figures.enter(door, &seed.to_string(), &mutant);
    }
    figures.tell(door, count);
    if figures.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Ends the process if a mutant takes too long: there is no other way to stop it.
fn watch() {
    let mut at_work = (0, 0);
    loop {
        std::thread::sleep(LOOK);
        let began = BEGAN.load(Ordering::Relaxed);
        if began != at_work.0 {
            at_work = (began, processor_ticks());
        }
        let used = processor_ticks() - at_work.1;
        let waited = (START.elapsed().as_millis() as u64).saturating_sub(began);
        let too_long = used > TICKS * MOST_TIME.as_secs() || waited > MOST_WAIT.as_millis() as u64;
        if began > 0 && too_long {
            println!("             a mutant takes more than {MOST_TIME:?}");
            std::process::exit(1);
        }
    }
}

/// Processor time that this process has taken, in ticks; 0 where the system does not say.
fn processor_ticks() -> u64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // User and system time are the 12th and 13th word after the name, which is in parentheses.
    let rest = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    rest.split_whitespace().skip(11).take(2).filter_map(|n| n.parse::<u64>().ok()).sum()
}

impl Figures {
    /// Tries bytes on a door. They are in a file while they are tried, for the case that nothing
    /// of this process is left, and are kept if they fail.
    fn enter(&mut self, door: &Door, name: &str, bytes: &[u8]) {
        let name = format!("{}-{name}", door.name);
        let path = std::env::temp_dir().join(&name);
        fs::write(&path, bytes).unwrap();
        let start = Instant::now();
        BEGAN.store(START.elapsed().as_millis() as u64 + 1, Ordering::Relaxed);
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| (door.enter)(bytes)));
        BEGAN.store(0, Ordering::Relaxed);
        let took = start.elapsed();
        if took > self.slowest.0 {
            self.slowest = (took, name.clone());
        }
        if took > SLOW {
            fs::copy(&path, folder().join(&name)).unwrap();
        }
        let failure = match outcome {
            Ok(true) => self.accepted(),
            Ok(false) => self.refused(),
            Err(_) => Some(PANIC.lock().unwrap().clone()),
        };
        if let Some(said) = failure {
            fs::copy(&path, folder().join(&name)).unwrap();
            self.failures.entry(said).or_insert((0, name)).0 += 1;
        }
        fs::remove_file(&path).unwrap();
    }

    fn accepted(&mut self) -> Option<String> {
        self.accepted += 1;
        too_much_memory()
    }

    fn refused(&mut self) -> Option<String> {
        self.refused += 1;
        too_much_memory()
    }

    /// A line for the door, and one for each way in which it failed.
    fn tell(&self, door: &Door, count: u64) {
        let Self { accepted, refused, slowest: (slowest, which), failures } = self;
        let peak = peak_bytes().map_or("unknown".to_owned(), |b| format!("{:.0} MB", b / 1e6));
        println!(
            "{:12} {count} mutants: {accepted} accepted, {refused} refused; slowest {:.3} s \
             ({which}); peak {peak}",
            door.name,
            slowest.as_secs_f64()
        );
        for (said, (times, first)) in failures {
            let first = folder().join(first);
            println!("{:12} {times} x, first {}: {said}", "", first.display());
        }
    }
}

/// Says so if a mutant has taken too much memory, and forgets it.
fn too_much_memory() -> Option<String> {
    let peak = peak_bytes().filter(|bytes| *bytes > MOST_BYTES)?;
    let _ = fs::write("/proc/self/clear_refs", "5");
    Some(format!("takes more than {:.0} MB of memory (limit: {:.0})", peak / 1e6, MOST_BYTES / 1e6))
}
