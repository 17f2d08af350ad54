//! Selections in words, parsed: by recursive descent, `or` above `and` above `not`.

use super::select::{Amount, Interval, Selection};
use crate::error::{Error, Result};
use crate::program::Paint;
use crate::program::colour::from_hex;
use crate::tool::ToolKind;
use std::str::FromStr;

/// The most words of a selection.
const MAX_WORDS: usize = 1000;

impl FromStr for Selection {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        if words.len() > MAX_WORDS {
            return Err(wrong(format!("more than {MAX_WORDS} words are too many")));
        }
        let mut words = Words { words: &words };
        let selection = words.either()?;
        match words.next() {
            None => Ok(selection),
            Some(word) => Err(wrong(format!("\"{word}\" is one word too many"))),
        }
    }
}

fn wrong(problem: String) -> Error {
    Error::Request(format!("selection: {problem}"))
}

/// What is left of a selection's words.
struct Words<'a> {
    words: &'a [&'a str],
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }

    fn next_if(&mut self, word: &str) -> bool {
        let is = self.words.first() == Some(&word);
        if is {
            self.words = &self.words[1..];
        }
        is
    }

    fn either(&mut self) -> Result<Selection> {
        let mut left = self.both()?;
        while self.next_if("or") {
            left = Selection::Or(Box::new(left), Box::new(self.both()?));
        }
        Ok(left)
    }

    fn both(&mut self) -> Result<Selection> {
        let mut left = self.single()?;
        while self.next_if("and") {
            left = Selection::And(Box::new(left), Box::new(self.single()?));
        }
        Ok(left)
    }

    fn single(&mut self) -> Result<Selection> {
        let Some(word) = self.next() else {
            return Err(wrong("a rule is missing".into()));
        };
        Ok(match word {
            "(" => {
                let inner = self.either()?;
                if !self.next_if(")") {
                    return Err(wrong("a ) is missing".into()));
                }
                inner
            }
            "not" => Selection::Not(Box::new(self.single()?)),
            "all" => Selection::All,
            "strokes" => Selection::Strokes,
            "tools" => Selection::Tools(None),
            "tool" => Selection::Tools(Some(tool_kind(self.value(word)?)?)),
            "visible" => Selection::Visible,
            "invisible" => Selection::Not(Box::new(Selection::Visible)),
            "unseen" => Selection::Pixels(Interval { from: 0.0, to: 0.0 }),
            "first" => Selection::First(amount(self.value(word)?)?),
            "last" => Selection::Last(amount(self.value(word)?)?),
            "colour" | "color" => Selection::Colour(parse_paint(self.value(word)?)?),
            "half-width" => Selection::HalfWidth(interval(self.value(word)?)?),
            "length" => Selection::Length(interval(self.value(word)?)?),
            "bend" => Selection::Bend(interval(self.value(word)?)?),
            "pixels" => Selection::Pixels(interval(self.value(word)?)?),
            "region" => Selection::Region(self.value(word)?.parse()?),
            number if number.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
                Selection::Numbers(whole_numbers(number)?)
            }
            other => {
                return Err(wrong(format!(
                    "\"{other}\" is none of all, strokes, tools, tool, visible, invisible, unseen, first, \
                     last, colour, half-width, length, bend, pixels, region, a number or a range \
                     of them"
                )));
            }
        })
    }

    fn value(&mut self, after: &str) -> Result<&'a str> {
        self.next().ok_or_else(|| wrong(format!("something must follow \"{after}\"")))
    }
}

/// The name of a tool.
fn tool_kind(name: &str) -> Result<ToolKind> {
    ToolKind::named(name).ok_or_else(|| {
        let names = ToolKind::ALL.map(ToolKind::name).join(", ");
        wrong(format!("\"{name}\" is no tool: there are {names}"))
    })
}

/// `20%` or `400`.
fn amount(text: &str) -> Result<Amount> {
    let amount = match text.strip_suffix('%') {
        Some(percent) => {
            percent.parse().ok().filter(|p| (0.0..=100.0).contains(p)).map(Amount::Percent)
        }
        None => text.parse().ok().map(Amount::Count),
    };
    amount.ok_or_else(|| wrong(format!("\"{text}\" is neither a count nor a share like 20%")))
}

/// Reads `3` for a palette entry, `#1d3f73` for a colour.
pub fn parse_paint(text: &str) -> Result<Paint> {
    let entry = text.parse().ok().filter(|_| text.len() < 6).map(Paint::Palette);
    entry.or_else(|| from_hex(text).map(Paint::Own)).ok_or_else(|| {
        Error::Request(format!("\"{text}\" is neither a palette entry nor a colour like #1d3f73"))
    })
}

/// An interval between whole numbers.
fn whole_numbers(text: &str) -> Result<Interval> {
    let interval = interval(text)?;
    let is_whole = |v: f64| v.is_infinite() || v == v.trunc();
    if is_whole(interval.from) && is_whole(interval.to) {
        return Ok(interval);
    }
    Err(wrong(format!("steps have whole numbers, not \"{text}\"")))
}

/// `5`, `5..`, `..8` or `5..8`.
fn interval(text: &str) -> Result<Interval> {
    let number = |part: &str, open: f64| match part {
        "" => Some(open),
        part => part.parse().ok().filter(|v: &f64| v.is_finite()),
    };
    let ends = match text.split_once("..") {
        Some((from, to)) => number(from, f64::NEG_INFINITY).zip(number(to, f64::INFINITY)),
        None => number(text, f64::NAN).map(|v| (v, v)),
    };
    match ends {
        Some((from, to)) if from <= to => Ok(Interval { from, to }),
        _ => Err(wrong(format!("\"{text}\" is no number, nor a range like 5..8"))),
    }
}
