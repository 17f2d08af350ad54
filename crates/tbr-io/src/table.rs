//! Tables as plain text, with aligned columns.

use serde::{Deserialize, Serialize};

/// A table with what is said of it: rows of cells, the headings first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// What is said of it.
    pub caption: String,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table, the headings first.
    pub fn new(caption: impl Into<String>, rows: Vec<Vec<String>>) -> Self {
        Self { caption: caption.into(), rows }
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        let mut text = format!("{}\n\n", self.caption.replace('\n', " "));
        for (k, row) in self.rows.iter().enumerate() {
            let cells: String =
                row.iter().map(|c| format!(" {} |", c.replace('|', "\\|"))).collect();
            text += &format!("|{cells}\n");
            if k == 0 {
                text += &format!("|---|{}\n", "--:|".repeat(row.len().saturating_sub(1)));
            }
        }
        text + "\n"
    }

    /// As plain text.
    pub fn text(&self) -> String {
        format!("{}\n\n{}", self.caption, aligned(&self.rows))
    }
}

/// Rows of cells as columns of equal width: the first aligned left, the rest right.
pub fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |k: usize| {
        rows.iter().filter_map(|r| r.get(k)).map(|c| c.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (k, cell) in row.iter().enumerate() {
            let gap = " ".repeat(widths[k] - cell.chars().count());
            let (before, after) = if k == 0 { ("", gap.as_str()) } else { (gap.as_str(), "") };
            let space = if k == 0 { "" } else { "  " };
            line += &format!("{space}{before}{cell}{after}");
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// Cells from anything printable.
pub fn cells<const N: usize>(cells: [&dyn std::fmt::Display; N]) -> Vec<String> {
    cells.iter().map(ToString::to_string).collect()
}

/// A name and what is said of it. Two spaces before the name put it under the one above.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The name.
    pub name: String,
    /// What is said of it.
    pub text: String,
}

impl Row {
    /// A row from anything printable.
    pub fn new(name: impl Into<String>, text: impl std::fmt::Display) -> Self {
        Self { name: name.into(), text: text.to_string() }
    }
}

/// Rows as two columns.
pub fn aligned_rows(rows: &[Row]) -> String {
    aligned(&rows.iter().map(|row| cells([&row.name, &row.text])).collect::<Vec<_>>())
}
