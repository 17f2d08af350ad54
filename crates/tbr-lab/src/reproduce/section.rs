//! Sections of the report: the tables, figures and findings of an experiment, and how they are
//! written as HTML, Markdown and JSON.

use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write;
use tbr_io::html::{self, Figure, escaped, section, table};
use tbr_io::table::Table;

/// An experiment's tables, figures and findings.
#[derive(Default)]
pub struct Section {
    blocks: Vec<SectionBlock>,
    pub findings: Vec<Finding>,
    data: Value,
}

enum SectionBlock {
    Text(String),
    Table(Table),
    /// Pictures, and whether they are small.
    Figures(Vec<Figure>, bool),
}

/// Something that the paper found: does it hold here?
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    pub claim: String,
    /// None if it could not be tested.
    pub holds: Option<bool>,
    pub evidence: String,
}

/// A section under its experiment's name.
pub struct Titled {
    pub name: &'static str,
    pub title: &'static str,
    pub section: Section,
}

impl Section {
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.blocks.push(SectionBlock::Text(text.into()));
        self
    }

    pub fn table(mut self, table: Table) -> Self {
        self.blocks.push(SectionBlock::Table(table));
        self
    }

    pub fn tables(self, tables: impl IntoIterator<Item = Table>) -> Self {
        tables.into_iter().fold(self, Self::table)
    }

    pub fn figures(mut self, figures: Vec<Figure>) -> Self {
        self.blocks.push(SectionBlock::Figures(figures, false));
        self
    }

    /// Small pictures, many in a row.
    pub fn strip(mut self, figures: Vec<Figure>) -> Self {
        self.blocks.push(SectionBlock::Figures(figures, true));
        self
    }

    /// What the paper found, whether it holds here (if that could be tested), and by what.
    pub fn finding(
        mut self,
        claim: &str,
        holds: impl Into<Option<bool>>,
        evidence: impl Into<String>,
    ) -> Self {
        let (claim, holds, evidence) = (claim.into(), holds.into(), evidence.into());
        self.findings.push(Finding { claim, holds, evidence });
        self
    }

    /// The figures as they were measured, for `results.json`.
    pub fn data(self, data: impl Serialize) -> Self {
        Self { data: json!(data), ..self }
    }

    fn html(&self) -> String {
        let block = |block: &SectionBlock| match block {
            SectionBlock::Text(text) => format!("<p>{}</p>\n", escaped(text)),
            SectionBlock::Table(t) => format!(
                "<p class=\"caption\">{}</p>\n<div class=\"wide\">\n{}</div>\n",
                escaped(&t.caption),
                table(&t.rows)
            ),
            SectionBlock::Figures(figures, small) => {
                let class = if *small { "prefixes" } else { "pictures" };
                let figures: String = figures.iter().map(Figure::html).collect();
                format!("<div class=\"{class}\">\n{figures}</div>\n")
            }
        };
        self.blocks.iter().map(block).collect()
    }

    fn markdown(&self) -> String {
        let block = |block: &SectionBlock| match block {
            SectionBlock::Text(text) => format!("{text}\n\n"),
            SectionBlock::Table(table) => table.markdown(),
            SectionBlock::Figures(figures, _) => {
                format!("({} pictures in the report)\n\n", figures.len())
            }
        };
        self.blocks.iter().map(block).collect()
    }
}

/// All findings, as a table.
fn findings(sections: &[Titled]) -> Table {
    let mut rows = vec![vec!["the paper found".into(), "here".into(), "evidence".into()]];
    for finding in sections.iter().flat_map(|s| &s.section.findings) {
        let holds = match finding.holds {
            Some(true) => "holds",
            Some(false) => "does not hold",
            None => "not tested",
        };
        rows.push(vec![finding.claim.clone(), holds.into(), finding.evidence.clone()]);
    }
    Table::new("", rows)
}

/// The page.
pub fn page(about: &[String], sections: &[Titled]) -> String {
    let about: String = about.iter().map(|line| format!("<p>{}</p>\n", escaped(line))).collect();
    let found = findings(sections);
    let mut body = String::new();
    if found.rows.len() > 1 {
        body += &section(
            "Findings",
            &format!("<div class=\"findings\">\n{}</div>\n", table(&found.rows)),
        );
    }
    for titled in sections {
        let heading = format!("{} <code>{}</code>", escaped(titled.title), titled.name);
        body += &section(&heading, &titled.section.html());
    }
    let version = env!("CARGO_PKG_VERSION");
    html::page(
        "TBR: the paper's experiments",
        &format!(
            "<header>\n<p>TBR, transport-based rendering</p>\n<h1>The paper's experiments</h1>\n\
             {about}</header>\n<main>\n{body}</main>\n\
             <footer>Written by tbr reproduce, version {version}.</footer>\n"
        ),
    )
}

/// The tables alone, as Markdown.
pub fn markdown(about: &[String], sections: &[Titled]) -> String {
    let mut text: String = about.iter().map(|line| format!("{line}\n\n")).collect();
    let found = findings(sections);
    if found.rows.len() > 1 {
        text += &format!("## Findings\n\n{}", found.markdown().trim_start());
    }
    for Titled { name, title, section } in sections {
        let _ = write!(text, "## {title} (`{name}`)\n\n{}", section.markdown());
    }
    text.trim_end().to_owned() + "\n"
}

/// Everything that was measured.
pub fn results(settings: &Value, sections: &[Titled]) -> Value {
    let one = |t: &Titled| {
        let Section { data, findings, .. } = &t.section;
        (t.name.to_owned(), json!({ "title": t.title, "findings": findings, "data": data }))
    };
    let experiments: serde_json::Map<String, Value> = sections.iter().map(one).collect();
    json!({ "settings": settings, "experiments": experiments })
}
