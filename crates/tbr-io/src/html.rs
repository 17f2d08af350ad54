//! HTML of texts, tables and pictures. What is written is well-formed XML as well, so that
//! tests can read it.

use crate::failure::Failure;
use crate::picture::{Size, png_bytes};
use crate::table::Row;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use tbr::Image;

const STYLE: &str = include_str!("style.css");

/// A page of one file. Nothing in it may be fetched or run.
pub fn page(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         img-src data:; style-src 'unsafe-inline'\" />\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n\
         <meta name=\"color-scheme\" content=\"light dark\" />\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escaped(title)
    )
}

/// A part of a page with a heading.
pub fn section(title: &str, body: &str) -> String {
    format!("<section>\n<h2>{title}</h2>\n{body}</section>\n")
}

/// Text escaped for HTML, in elements and in quoted attributes. Characters that a page may not
/// hold become U+FFFD.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            c if c.is_control() => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}

/// A picture with what is said of it.
pub struct Figure {
    title: String,
    caption: String,
    alt: String,
    uri: String,
    size: Size,
}

impl Figure {
    /// `alt` is for whoever cannot see it.
    pub fn new(title: &str, alt: String, image: &Image) -> Result<Self, Failure> {
        let (png, size) = (BASE64_STANDARD.encode(png_bytes(image)?), image.size());
        let uri = format!("data:image/png;base64,{png}");
        Ok(Self { title: title.into(), caption: String::new(), alt, uri, size })
    }

    /// Adds to its caption.
    pub fn caption(self, text: &str) -> Self {
        self.caption_html(&escaped(text))
    }

    /// Adds to its caption what is HTML already.
    pub fn caption_html(self, html: &str) -> Self {
        Self { caption: self.caption + html, ..self }
    }

    /// As HTML.
    pub fn html(&self) -> String {
        let Self { caption, uri, size: (width, height), .. } = self;
        let (title, alt) = (escaped(&self.title), escaped(&self.alt));
        format!(
            "<figure>\n<img src=\"{uri}\" width=\"{width}\" height=\"{height}\" alt=\"{alt}\" />\n\
             <figcaption><b>{title}</b> {caption}</figcaption>\n</figure>\n"
        )
    }
}

/// Names and what is said of them.
pub fn facts(rows: &[Row]) -> String {
    let line = |row: &Row| {
        let class = if row.name.starts_with("  ") { " class=\"under\"" } else { "" };
        let (name, text) = (escaped(row.name.trim_start()), escaped(&row.text));
        format!("<tr{class}><th scope=\"row\">{name}</th><td>{text}</td></tr>\n")
    };
    format!("<table class=\"facts\">\n{}</table>\n", rows.iter().map(line).collect::<String>())
}

/// A line of headings, then lines that begin with a name.
pub fn table(rows: &[Vec<String>]) -> String {
    let Some((head, body)) = rows.split_first() else { return String::new() };
    let cell = |tag: &str, text: &String| format!("<{tag}>{}</{}>", escaped(text), &tag[..2]);
    let cells = |tag: &str, row: &[String]| row.iter().map(|c| cell(tag, c)).collect::<String>();
    let line = |row: &Vec<String>| {
        let (name, rest) = row.split_at(1.min(row.len()));
        format!("<tr>{}{}</tr>\n", cells("th scope=\"row\"", name), cells("td", rest))
    };
    format!(
        "<table class=\"grid\">\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>\n</table>\n",
        cells("th scope=\"col\"", head),
        body.iter().map(line).collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_taken_for_markup() {
        let nasty = "<script>\"a\" & 'b'\u{0}\u{1b}\u{ffff}</script>\n";
        let text = escaped(nasty);
        assert!(!text.contains(['<', '>', '"', '\'', '\u{0}', '\u{1b}', '\u{ffff}']), "{text}");
        let page = format!("<p title=\"{text}\">{text}</p>");
        let read = roxmltree::Document::parse(&page).unwrap();
        let expected = "<script>\"a\" & 'b'\u{fffd}\u{fffd}\u{fffd}</script>\n";
        assert_eq!(read.root_element().text(), Some(expected));
    }
}
