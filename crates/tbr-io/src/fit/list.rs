//! Lists of pictures in files, and shards of them: each list is shared out among machines by the
//! pictures' names alone, so that a picture stays in its shard while the list grows.

use crate::digest::Digest;
use crate::failure::Failure;
use crate::files::{self, ENDING};
use std::ffi::OsString;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

/// The largest list that is read: some millions of names.
const MOST_BYTES: u64 = 1 << 28;
/// The most shards.
const MOST_SHARDS: u64 = 1 << 32;

/// Reads a list: a picture a line. Empty lines are passed over.
pub fn read(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let bytes = files::read_bytes(path, MOST_BYTES)?;
    let lines = bytes.split(|byte| *byte == b'\n');
    let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let named = lines.enumerate().filter(|(_, line)| !line.is_empty());
    named
        .map(|(k, line)| {
            let problem = || Failure::file(path, format!("line {} is no file's name", k + 1));
            Ok(PathBuf::from(name(line).ok_or_else(problem)?))
        })
        .collect()
}

/// A file's name from its bytes in a list; none if it can be none.
fn name(bytes: &[u8]) -> Option<OsString> {
    #[cfg(unix)]
    let name = std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec());
    #[cfg(not(unix))]
    let name = OsString::from(String::from_utf8(bytes.to_vec()).ok()?);
    (!bytes.contains(&0)).then_some(name)
}

/// Where the program of a listed picture goes: into a folder, under the path that the list has.
pub fn program_in(folder: &Path, picture: &Path) -> Result<PathBuf, Failure> {
    let mut place = folder.to_owned();
    for component in picture.parent().into_iter().flat_map(Path::components) {
        match component {
            Component::Normal(name) => place.push(name),
            Component::ParentDir => {
                let message = "a listed picture's path must not hold ..";
                return Err(Failure::usage(message)
                    .in_file(picture)
                    .hint("list the pictures from a folder that holds all of them"));
            }
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
        }
    }
    let stem = picture.file_stem();
    let mut name = stem.ok_or_else(|| Failure::file(picture, "is no picture's name"))?.to_owned();
    name.push(ENDING);
    Ok(place.join(name))
}

/// One of so many equal parts of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which, from 0.
    index: u64,
    /// Of how many.
    count: u64,
}

impl Shard {
    /// Which it is, counted from 0.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Of how many.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Is a picture in it? That depends on its path in the list, and on nothing else.
    pub fn has(&self, picture: &Path) -> bool {
        let mut digest = Digest::new();
        digest.add(picture.as_os_str().as_encoded_bytes());
        digest.spread() % self.count == self.index
    }
}

/// K/N, counted from 1.
impl FromStr for Shard {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let parse = |number: &str| number.parse::<u64>().ok();
        let both = text.split_once('/').and_then(|(k, n)| Some((parse(k)?, parse(n)?)));
        match both {
            Some((k, n)) if (1..=n).contains(&k) && n <= MOST_SHARDS => {
                Ok(Self { index: k - 1, count: n })
            }
            Some((0, n)) => Err(format!("shards are counted from 1: the first is 1/{n}")),
            _ => Err("must be K/N: the K-th of N shards, such as 3/1000".into()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_is_in_one_shard_and_shards_are_alike() {
        for count in [1, 2, 7, 64, 100] {
            let shards: Vec<Shard> =
                (1..=count).map(|k| format!("{k}/{count}").parse().unwrap()).collect();
            let mut sizes = vec![0_u32; count];
            for k in 0..20_000 {
                let picture = PathBuf::from(format!("frames/{k:05}.png"));
                let of: Vec<usize> = (0..count).filter(|i| shards[*i].has(&picture)).collect();
                assert_eq!(of.len(), 1, "{}", picture.display());
                sizes[of[0]] += 1;
            }
            // Five standard deviations of a fair share.
            let mean = 20_000.0 / count as f64;
            let far = sizes.iter().map(|s| (f64::from(*s) - mean).abs()).fold(0.0, f64::max);
            assert!(far <= 5.0 * mean.sqrt(), "{count}: {sizes:?}");
        }
    }

    /// Frozen: another way of sharing out would do finished work again, elsewhere.
    #[test]
    fn a_picture_stays_in_its_shard() {
        let shard: Shard = "3/10".parse().unwrap();
        let names = (0..40).map(|k| format!("p{k}.png"));
        let own: Vec<String> = names.filter(|name| shard.has(Path::new(name))).collect();
        assert_eq!(own, ["p8.png", "p29.png"]);
        assert_eq!(shard.to_string(), "3/10");
    }

    #[test]
    fn what_is_no_shard_is_refused() {
        for text in ["", "3", "/", "4/3", "1/0", "-1/3", "a/b", "1/3/5", "1/99999999999"] {
            assert!(text.parse::<Shard>().unwrap_err().contains("K/N"), "{text}");
        }
        assert!("0/3".parse::<Shard>().unwrap_err().contains("from 1"));
    }

    #[test]
    fn programs_lie_as_their_pictures_do() {
        let place = |picture: &str| program_in(Path::new("out"), Path::new(picture));
        let lies = |picture: &str, program: &str| {
            assert_eq!(place(picture).unwrap(), Path::new(program), "{picture}");
        };
        lies("x.png", "out/x.tbr.json");
        lies("./a/b/x.tar.png", "out/a/b/x.tar.tbr.json");
        lies("/data/a/x.png", "out/data/a/x.tbr.json");
        assert!(place("../x.png").unwrap_err().words().0.contains(".."));
        assert!(place("/").is_err());
    }
}
