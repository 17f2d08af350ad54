//! Parsing of palettes: `free`, a number, a file, or hex colours.

use crate::files;
use std::path::Path;
use tbr::Colour;
use tbr::colour::from_hex;
use tbr::fit::{MAX_CHOSEN_COLOURS, Palette};

/// The largest file of colours that is read: far more than a palette has, with notes.
const MOST_BYTES: u64 = 1 << 20;

/// Parses a palette: `free`, a number, a file, or hex colours.
pub fn parse(text: &str) -> Result<Palette, String> {
    if let Some(palette) = in_words(text)? {
        return Ok(palette);
    }
    let file = files::read_text(Path::new(text), MOST_BYTES).map_err(|failure| {
        let (message, _) = failure.words();
        format!(
            "{message}; must be free, a number, hex colours like #1d3f73,#ede8d9, or a file of them"
        )
    })?;
    from_lines(&file).map(Palette::Fixed)
}

/// `free`, a number, or hex colours; none if it is nothing of these.
pub fn in_words(text: &str) -> Result<Option<Palette>, String> {
    if text == "free" {
        return Ok(Some(Palette::Free));
    }
    // Six digits are a colour, as everywhere else.
    if text.len() != 6
        && let Ok(count) = text.parse::<usize>()
    {
        return match count {
            0 => Err("a palette has at least one colour".into()),
            1..=MAX_CHOSEN_COLOURS => Ok(Some(Palette::Size(count))),
            _ => Err(format!("at most {MAX_CHOSEN_COLOURS} colours can be chosen for a picture")),
        };
    }
    let listed: Option<Vec<Colour>> = text.split(',').map(|t| from_hex(t.trim())).collect();
    Ok(listed.map(Palette::Fixed))
}

/// Parses the text of a palette file: a hex colour a line; empty lines and what follows `//`
/// are skipped.
pub fn from_lines(text: &str) -> Result<Vec<Colour>, String> {
    let mut colours = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split("//").next().unwrap_or_default().trim();
        if !line.is_empty() {
            let colour = from_hex(line).ok_or_else(|| {
                format!("line {}: \"{line}\" is no colour like #1d3f73", number + 1)
            })?;
            colours.push(colour);
        }
    }
    if colours.is_empty() { Err("the file holds no colour".into()) } else { Ok(colours) }
}

/// A hex colour.
pub fn colour(text: &str) -> Result<Colour, String> {
    from_hex(text).ok_or_else(|| "must be a colour like #ede8d9".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_digits_are_a_colour_and_numbers_have_a_limit() {
        let blue = from_hex("#112233").unwrap();
        assert_eq!(in_words("112233"), Ok(Some(Palette::Fixed(vec![blue]))));
        assert_eq!(in_words("112233,#112233"), Ok(Some(Palette::Fixed(vec![blue; 2]))));
        assert_eq!(in_words("12"), Ok(Some(Palette::Size(12))));
        assert_eq!(in_words("free"), Ok(Some(Palette::Free)));
        assert_eq!(in_words("inks.txt"), Ok(None));
        for wrong in ["0", "65536", "1000000"] {
            assert!(in_words(wrong).is_err(), "{wrong}");
        }
    }
}
