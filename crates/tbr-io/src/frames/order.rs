//! The order of numbered files.

use std::cmp::Ordering;
use std::path::Path;

/// Names as people count: `frame9.png` comes before `frame10.png`.
pub fn by_numbers(a: &Path, b: &Path) -> Ordering {
    let (names, paths) = ([a, b].map(|path| path.to_string_lossy().into_owned()), (a, b));
    let [a, b] = names.each_ref().map(|name| parts(name));
    a.cmp(&b).then_with(|| paths.0.cmp(paths.1))
}

/// What a name is made of.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Part<'a> {
    /// Digits, by their length without zeros at the front, and then by their value.
    Number(usize, &'a str),
    Text(&'a str),
}

fn parts(name: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let digits = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != digits).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        let number = part.trim_start_matches('0');
        parts.push(if digits { Part::Number(number.len(), number) } else { Part::Text(part) });
        rest = after;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_comes_before_ten() {
        let mut names = ["f10.png", "f9.png", "f009b.png", "g1.png", "f1.png", "10.png", "9.png"];
        names.sort_by(|a, b| by_numbers(Path::new(a), Path::new(b)));
        assert_eq!(
            names,
            ["9.png", "10.png", "f1.png", "f9.png", "f009b.png", "f10.png", "g1.png"]
        );
        // Different names are never equal.
        assert_ne!(by_numbers(Path::new("01.png"), Path::new("1.png")), Ordering::Equal);
    }
}
