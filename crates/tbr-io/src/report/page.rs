//! The HTML of a report's page.

use super::info::{deciles, palette, rows, spreads, tools};
use super::score::Scored;
use super::{charts, settings};
use crate::html::{self, Figure, escaped, facts, section, table};
use crate::table::Row;
use tbr::colour::hex;
use tbr::info::{Info, least_visible};
use tbr::stroke::Shape;
use tbr::{Operator, Program};

/// Colours of a palette that the page lists.
const MOST_COLOURS: usize = 256;

/// Everything that the page tells.
pub struct Page<'a> {
    pub name: String,
    pub image: Option<String>,
    pub program: &'a Program,
    pub info: &'a Info,
    pub scored: Option<&'a Scored>,
    pub figures: Vec<Figure>,
    pub prefixes: Vec<Figure>,
}

impl Page<'_> {
    /// The page, well-formed as XML too.
    pub fn html(&self) -> String {
        let sections = [
            section("Pictures", &self.pictures()),
            section("How it grows", &self.growth()),
            section("Strokes", &self.strokes()),
            self.tools(),
            section("Paint", &self.paint()),
            section("Settings", &settings::html(self.program.provenance())),
        ];
        let body = format!(
            "{}<main>\n{}</main>\n<footer>Written by tbr report, version {}.</footer>\n",
            self.header(),
            sections.concat(),
            env!("CARGO_PKG_VERSION")
        );
        html::page(&format!("{}: report", self.name), &body)
    }

    fn header(&self) -> String {
        // The first three lines are strokes, canvas and operator.
        let mut facts: Vec<Row> = rows(self.info).into_iter().take(3).collect();
        facts.extend(self.image.as_ref().map(|name| Row::new("compared with", name)));
        let fact = |row: &Row| {
            let (name, text) = (escaped(&row.name), escaped(&row.text));
            format!("<div><dt>{name}</dt><dd>{text}</dd></div>\n")
        };
        format!(
            "<header>\n<p>A program of deposition strokes</p>\n<h1>{}</h1>\n<dl>\n{}</dl>\n</header>\n",
            escaped(&self.name),
            facts.iter().map(fact).collect::<String>()
        )
    }

    fn pictures(&self) -> String {
        let figures: String = self.figures.iter().map(Figure::html).collect();
        format!("<div class=\"pictures\">\n{figures}{}</div>\n", self.scores())
    }

    /// The scores that the facts about the program do not tell already.
    fn scores(&self) -> String {
        let Some(scored) = self.scored else { return String::new() };
        let told = rows(self.info);
        let is_told = |name: &str| told.iter().any(|row| row.name.trim_start() == name);
        let mut scores = scored.rows();
        scores.retain(|row| !is_told(&row.name));
        let note = |text: String| format!("<p class=\"note\">{}</p>\n", escaped(&text));
        let notes: String = scored.notes().into_iter().map(note).collect();
        format!("<div class=\"card\">\n<h3>Scores</h3>\n{}{notes}</div>\n", facts(&scores))
    }

    fn growth(&self) -> String {
        let figures: String = self.prefixes.iter().map(Figure::html).collect();
        let why = if self.program.operator() == Operator::Inert {
            "Each stroke covers what is there."
        } else {
            "Each stroke pushes aside what is there, so that early marks end up elsewhere."
        };
        let what = self.program.step_word();
        format!(
            "<p>The first {what}, as a share of all. {why}</p>\n\
             <div class=\"prefixes\">\n{figures}</div>\n"
        )
    }

    fn strokes(&self) -> String {
        let shapes = || self.program.strokes().iter().map(|s| &s.shape);
        let half_widths: Vec<f64> = shapes().map(|s| s.half_width).collect();
        let lengths: Vec<f64> = shapes().map(Shape::length).collect();
        let spreads = spreads(self.info);
        let info = self.info;
        let visible = format!(
            "Per cent of each tenth that is seen: {} pixels or more of 1024 x 1024.",
            least_visible(info.strokes, 1024 * 1024)
        );
        let charts = [
            chart(
                "Half-width",
                "Strokes by half-width.",
                &charts::sizes(
                    &half_widths,
                    "half-width",
                    (info.half_width.median, &spreads[1][2]),
                ),
            ),
            chart(
                "Length",
                "Strokes by length; a drop has none.",
                &charts::sizes(&lengths, "length", (info.length.median, &spreads[2][2])),
            ),
            chart("Visible", &visible, &charts::deciles(info.visible_by_decile, &deciles(info))),
        ];
        format!("<div class=\"charts\">\n{}</div>\n{}", charts.concat(), table(&spreads))
    }

    /// The tools in words, if there are any.
    fn tools(&self) -> String {
        match &tools(self.info)[..] {
            [] => String::new(),
            tools => section("Tools", &facts(tools)),
        }
    }

    fn paint(&self) -> String {
        format!(
            "<div class=\"halves\">\n<div>\n<h3>Numbers</h3>\n{}</div>\n<div>\n<h3>Palette</h3>\n{}\
             </div>\n</div>\n",
            facts(&rows(self.info)),
            self.palette()
        )
    }

    fn palette(&self) -> String {
        let own = match (self.info.own_colours, self.info.strokes) {
            (0, _) => String::new(),
            (own, all) => format!("<p>{own} of {all} strokes have a colour of their own.</p>\n"),
        };
        let lines = palette(self.info);
        let Some((head, lines)) = lines.split_first().filter(|(_, lines)| !lines.is_empty()) else {
            return format!("{own}<p>There is no palette.</p>\n");
        };
        let more = match lines.len().saturating_sub(MOST_COLOURS) {
            0 => String::new(),
            more => format!("<p>{more} more colours are left out.</p>\n"),
        };
        let largest = self.info.palette.iter().map(|entry| entry.canvas_share).fold(0.0, f64::max);
        let uses = lines.iter().zip(&self.info.palette).take(MOST_COLOURS);
        let uses = uses.map(|(cells, entry)| {
            let share = if largest > 0.0 { 100.0 * entry.canvas_share / largest } else { 0.0 };
            colour_row(cells, &hex(entry.colour), share)
        });
        let head: String =
            head.iter().map(|c| format!("<th scope=\"col\">{}</th>", escaped(c))).collect();
        format!(
            "{own}<table class=\"grid palette\">\n<thead><tr>{head}<th></th></tr></thead>\n\
             <tbody>\n{}</tbody>\n</table>\n{more}",
            uses.collect::<String>()
        )
    }
}

/// A colour's number, swatch and use; `share` is the length of its bar in per cent.
fn colour_row(cells: &[String], colour: &str, share: f64) -> String {
    let [index, text, rest @ ..] = cells else { return String::new() };
    let rest: String = rest.iter().map(|c| format!("<td>{}</td>", escaped(c))).collect();
    format!(
        "<tr><th scope=\"row\">{index}</th><td class=\"colour\"><span class=\"swatch\" \
         style=\"background: {colour}\"></span><code>{text}</code></td>{rest}<td class=\"use\">\
         <span style=\"width: {share:.1}%; background: {colour}\"></span></td></tr>\n"
    )
}

fn chart(title: &str, caption: &str, svg: &str) -> String {
    format!("<figure>\n{svg}<figcaption><b>{title}</b> {caption}</figcaption>\n</figure>\n")
}
