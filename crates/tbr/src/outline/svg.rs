//! A program as vector outlines: SVG 1.1, one path for each stroke that is seen.

use crate::error::{Error, Result};
use crate::numbers::Vec2;
use crate::outline::{Outline, Outlines};
use crate::program::colour::hex;
use crate::program::{Paint, Program};
use crate::render::{Background, Region, View};
use crate::stroke::Operator;
use rayon::prelude::*;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Units of the file per width of what is shown.
const WIDTH: f64 = 1000.0;
/// Digits after the point: a ten-millionth of the width, well below the outlines' own
/// error.
const DIGITS: i32 = 4;
/// Outlines made at once, for each thread. More would be a megabyte or two each, and progress in
/// larger steps: under the sixteen drops an outline can take a second.
const AT_ONCE: usize = 4;

/// The least and the most pixels per inch of a picture: what a JPEG can note.
pub const DPI: [f64; 2] = [1.0, 65_535.0];

/// How to write a program.
#[derive(Clone, Debug, PartialEq)]
pub struct SvgOptions {
    /// Another operator than the program's own.
    pub operator: Option<Operator>,
    /// Only so many strokes from the first; all if none.
    pub first: Option<usize>,
    /// What shows where there is no paint.
    pub background: Background,
    /// Pixels per inch: the file then says its size in inches.
    pub dpi: Option<f64>,
    /// Ask viewers for hard edges instead of smooth ones.
    pub crisp: bool,
}

impl Default for SvgOptions {
    fn default() -> Self {
        let background = Background::Program;
        Self { operator: None, first: None, background, dpi: None, crisp: false }
    }
}

/// Refuses pixels per inch that no picture has.
pub fn check_dpi(dpi: f64) -> Result<()> {
    let [least, most] = DPI;
    if (least..=most).contains(&dpi) {
        return Ok(());
    }
    Err(Error::Request(format!("{dpi} pixels per inch: must be from {least} to {most}")))
}

/// A piece of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its text.
    pub text: String,
    /// How many paths are in it.
    pub paths: usize,
    /// How many strokes have been followed at its end.
    pub strokes: usize,
}

/// A program ready to be written.
pub struct Svg<'a> {
    program: &'a Program,
    outlines: Outlines,
    view: View,
    options: SvgOptions,
}

impl<'a> Svg<'a> {
    /// Checks the request. The view's pixels are the size that the file asks to be
    /// shown at.
    pub fn new(program: &'a Program, view: View, options: &SvgOptions) -> Result<Self> {
        let outlines = Outlines::new(program, options.operator, options.first)?;
        options.dpi.map_or(Ok(()), check_dpi)?;
        Ok(Self { program, outlines, view, options: options.clone() })
    }

    /// Writes the file; gives the number of paths.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<usize> {
        let mut paths = 0;
        for chunk in self.chunks() {
            let chunk = chunk.map_err(io::Error::other)?;
            out.write_all(chunk.text.as_bytes())?;
            paths += chunk.paths;
        }
        Ok(paths)
    }

    /// How many strokes are followed.
    pub fn strokes(&self) -> usize {
        self.outlines.len()
    }

    /// The file, some strokes at a time: for whoever writes it and wants to know how far it is.
    pub fn chunks(&self) -> impl Iterator<Item = Result<Chunk>> {
        let at_once = AT_ONCE * rayon::current_num_threads();
        let starts = (0..self.strokes()).step_by(at_once);
        let chunk = move |text, paths, strokes| Ok(Chunk { text, paths, strokes });
        let body = starts.map(move |start| {
            let end = (start + at_once).min(self.strokes());
            let lines: Vec<String> = (start..end)
                .into_par_iter()
                .filter_map(|index| self.path(index).transpose())
                .collect::<Result<_>>()?;
            chunk(lines.concat(), lines.len(), end)
        });
        let tail = chunk("</g>\n</svg>\n".to_owned(), 0, self.strokes());
        std::iter::once(chunk(self.head(), 0, 0)).chain(body).chain(std::iter::once(tail))
    }

    /// Everything before the paths.
    fn head(&self) -> String {
        let height = self.scale().length(self.view.region.height).max(1.0 / steps_per_unit());
        // The exact shape, not that of whole pixels: viewers would leave a margin.
        let across = f64::from(self.view.width_px);
        let down = across * self.view.region.height / self.view.region.width;
        let size = |px: f64| match self.options.dpi {
            Some(dpi) => format!("{}in", px / dpi),
            None => px.to_string(),
        };
        let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let _ = writeln!(
            text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{}\" height=\"{}\" \
             viewBox=\"0 0 {WIDTH} {height}\">",
            size(across),
            size(down)
        );
        let _ = writeln!(text, "<title>{} strokes of paint</title>", self.outlines.len());
        text.push_str("<style type=\"text/css\">\n");
        for (i, colour) in self.program.palette().iter().enumerate() {
            let _ = writeln!(text, ".c{i} {{ fill: {} }}", hex(*colour));
        }
        text.push_str("</style>\n");
        let background = match self.options.background {
            Background::Program => Some(self.program.background()),
            Background::Colour(colour) => Some(colour),
            Background::Bare => None,
        };
        if let Some(colour) = background {
            let fill = hex(colour);
            let _ = writeln!(
                text,
                "<rect id=\"background\" width=\"{WIDTH}\" height=\"{height}\" fill=\"{fill}\"/>"
            );
        }
        let rendering = if self.options.crisp { "crispEdges" } else { "geometricPrecision" };
        let _ = writeln!(text, "<g id=\"strokes\" shape-rendering=\"{rendering}\">");
        text
    }

    /// One stroke's path, if some of it may be seen.
    fn path(&self, index: usize) -> Result<Option<String>> {
        let outline = self.outlines.outline(index)?;
        if !outline.touches(&self.view.region) {
            return Ok(None);
        }
        let fill = match self.program.strokes()[index].paint {
            Paint::Palette(entry) => format!("class=\"c{entry}\""),
            Paint::Own(colour) => format!("fill=\"{}\"", hex(colour)),
        };
        let data = self.scale().path_data(&outline);
        let number = self.program.step_number(index);
        Ok(Some(format!("<path id=\"stroke-{number}\" {fill} d=\"{data}\"/>\n")))
    }

    fn scale(&self) -> Scale {
        Scale { region: self.view.region }
    }
}

/// From canvas units to the file's.
struct Scale {
    region: Region,
}

impl Scale {
    /// A length, rounded as the file's numbers are.
    fn length(&self, length: f64) -> f64 {
        self.steps(length) as f64 / steps_per_unit()
    }

    /// A length in the file's smallest steps.
    fn steps(&self, length: f64) -> i64 {
        (length / self.region.width * WIDTH * steps_per_unit()).round() as i64
    }

    fn point(&self, p: Vec2<f64>) -> [i64; 2] {
        [self.steps(p.x - self.region.x), self.steps(p.y - self.region.y)]
    }

    /// An outline as relative cubics. Differences of rounded places do not drift.
    fn path_data(&self, outline: &Outline) -> String {
        let mut here = self.point(outline.start);
        let mut data = format!("M{} {}c", number(here[0]), number(here[1]));
        for curve in &outline.curves {
            for control in curve {
                let there = self.point(*control);
                for (from, to) in here.iter().zip(there) {
                    let text = number(to - from);
                    if !text.starts_with('-') {
                        data.push(' ');
                    }
                    data.push_str(&text);
                }
            }
            here = self.point(curve[2]);
        }
        data.push('z');
        data
    }
}

fn steps_per_unit() -> f64 {
    f64::from(10i32.pow(DIGITS as u32))
}

/// A number of the file in its fewest characters.
fn number(steps: i64) -> String {
    let text = format!("{}", steps as f64 / steps_per_unit());
    match text.strip_prefix("0.").map(|rest| format!(".{rest}")) {
        Some(short) => short,
        None => text.replacen("-0.", "-.", 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_per_inch_that_no_picture_has_are_refused() {
        let program = crate::prior::program(2, 1.0, 1).unwrap();
        let view = View::of_canvas(&program, 300).unwrap();
        let svg = |dpi| {
            let options = SvgOptions { dpi: Some(dpi), ..SvgOptions::default() };
            Svg::new(&program, view, &options).map(|svg| svg.head())
        };
        assert!(svg(150.0).unwrap().contains("width=\"2in\""));
        assert!([0.0, -150.0, 65_536.0, f64::NAN].into_iter().all(|dpi| svg(dpi).is_err()));
    }
}
