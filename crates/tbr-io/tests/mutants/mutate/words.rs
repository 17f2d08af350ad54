//! Changes of words and numbers in text.

use super::bytes;
use crate::random::Random;
use std::ops::Range;

/// Numbers that break what was not made for them.
const POISON: [&str; 30] = [
    "-0",
    "-0.0",
    "-1",
    "1e308",
    "-1e308",
    "1e309",
    "1e-320",
    "-1e-320",
    "1e9",
    "1000000000",
    "65537",
    "1000001",
    "2147483647",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "1e19",
    "99999999999999999999999999",
    "NaN",
    "nan",
    "inf",
    "-inf",
    "infinity",
    "1e999999999",
    "0.1e",
    "+5",
];
/// Numbers at the limits of what is allowed somewhere, on both sides.
const LIMITS: [&str; 24] = [
    "0",
    "1",
    "2",
    "0.5",
    "0.999999999999",
    "1.0000000000000002",
    "1e-9",
    "9.999999999e-10",
    "1e-3",
    "0.000999",
    "1e3",
    "999.999",
    "-1000",
    "1000.0000001",
    "1e-7",
    "3e-5",
    "0.01",
    "-0.25",
    "5e-324",
    "2.2250738585072014e-308",
    "1e-30",
    "255",
    "1024",
    "65536",
];

/// What numbers are multiplied with, so that most of them stay allowed.
const FACTORS: [f64; 10] = [0.0, -1.0, 0.5, 2.0, 0.9999999999, 1.0000001, 1e-3, 1e-6, 30.0, 1e3];

/// A number that somebody may not have thought of.
pub fn poison(random: &mut Random) -> &'static str {
    if random.once_in(2) { random.of(&POISON) } else { random.of(&LIMITS) }
}

/// Text with a change; what is no text is changed as bytes.
pub fn changed(text: Vec<u8>, known: &[&str], random: &mut Random) -> Vec<u8> {
    let Ok(text) = String::from_utf8(text.clone()) else {
        return bytes::changed(text, known.concat().as_bytes(), random);
    };
    if random.once_in(3) {
        return poisoned(text, random).into_bytes();
    }
    if random.once_in(4) {
        return by_line(&text, random).into_bytes();
    }
    by_word(text, known, random).into_bytes()
}

/// Text with one of its numbers replaced.
pub fn poisoned(mut text: String, random: &mut Random) -> String {
    let numbers = spans(&text, |c| c.is_ascii_digit() || "+-.eE".contains(c));
    let numbers: Vec<_> = numbers
        .into_iter()
        .filter(|span| text[span.clone()].contains(|c: char| c.is_ascii_digit()))
        .collect();
    if !numbers.is_empty() {
        let span = numbers[random.below(numbers.len())].clone();
        let new = match text[span.clone()].parse::<f64>() {
            Ok(old) if random.once_in(3) => {
                (old * FACTORS[random.below(FACTORS.len())]).to_string()
            }
            _ => poison(random).to_owned(),
        };
        text.replace_range(span, &new);
    }
    text
}

/// Words dropped, doubled, swapped, replaced and put in.
fn by_word(mut text: String, known: &[&str], random: &mut Random) -> String {
    let words = spans(&text, |c| !c.is_whitespace() && !",:()%".contains(c));
    if words.is_empty() {
        return text + random.of(known);
    }
    let span = words[random.below(words.len())].clone();
    let other = words[random.below(words.len())].clone();
    let word = text[span.clone()].to_owned();
    match random.below(6) {
        0 => text.replace_range(span, ""),
        1 => text.insert_str(span.start, &format!("{word} ")),
        2 => {
            let other_word = text[other.clone()].to_owned();
            let ((first, to_first), (last, to_last)) = if span.start < other.start {
                ((span, other_word), (other, word))
            } else {
                ((other, word), (span, other_word))
            };
            text.replace_range(last, &to_last);
            text.replace_range(first, &to_first);
        }
        3 => text.replace_range(span, random.of(known)),
        4 => text.insert_str(span.start, &format!("{} ", random.of(known))),
        _ => {
            let many = format!("{} ", random.of(known)).repeat(random.length());
            text.insert_str(span.start, &many);
        }
    }
    text
}

/// Lines dropped, doubled, swapped and repeated; other ends of lines.
fn by_line(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    if lines.is_empty() {
        return "\n".repeat(random.length());
    }
    let (at, other) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(6) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(other, lines[at]),
        2 => lines.swap(at, other),
        3 => {
            let many = std::iter::repeat_n(lines[at], random.length().min(1000));
            lines.splice(at..at, many);
        }
        4 => return text.replace('\n', "\r\n"),
        _ => return text.replace('\n', "\r"),
    }
    lines.concat()
}

/// Where characters of a kind stand together.
fn spans(text: &str, is_in: impl Fn(char) -> bool) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| is_in(*c)) {
        let end = at + c.len_utf8();
        match spans.last_mut() {
            Some(last) if last.end == at => last.end = end,
            _ => spans.push(at..end),
        }
    }
    spans
}
