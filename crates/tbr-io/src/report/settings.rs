//! A program's provenance, for people to read.

use crate::html::escaped;
use serde_json::{Map, Value};
use tbr::Provenance;

/// Lines after which the rest is left out: a provenance may hold anything, and a page should
/// open at once.
const MOST_LINES: usize = 2000;
/// Characters of one value after which the rest is left out.
const MOST_CHARACTERS: usize = 1000;
/// The deepest level that is still moved to the right.
const MOST_INDENT: usize = 8;

/// All settings as a table, inner ones under the names that hold them.
pub fn html(provenance: &Provenance) -> String {
    if provenance.is_empty() {
        return "<p>The program does not say how it was made.</p>\n".into();
    }
    let mut lines = SettingLines { rows: String::new(), count: 0 };
    if let Ok(Value::Object(fields)) = serde_json::to_value(provenance) {
        lines.object(&fields, 0);
    }
    let left_out = lines.count.saturating_sub(MOST_LINES);
    let note = if left_out > 0 {
        format!("<p>{left_out} more lines are left out.</p>\n")
    } else {
        String::new()
    };
    format!("<table class=\"settings\">\n{}</table>\n{note}", lines.rows)
}

struct SettingLines {
    rows: String,
    count: usize,
}

impl SettingLines {
    fn object(&mut self, fields: &Map<String, Value>, depth: usize) {
        for (name, value) in fields {
            self.entry(name, value, depth);
        }
    }

    fn entry(&mut self, name: &str, value: &Value, depth: usize) {
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                self.line(name, "", depth);
                self.object(fields, depth + 1);
            }
            Value::Array(items) if items.iter().any(|i| i.is_object() || i.is_array()) => {
                self.line(name, "", depth);
                for (i, item) in items.iter().enumerate() {
                    self.entry(&format!("{}", i + 1), item, depth + 1);
                }
            }
            Value::Array(items) if items.is_empty() => self.line(name, "none", depth),
            Value::Array(items) => {
                let texts: Vec<String> = items.iter().map(scalar).collect();
                self.line(name, &texts.join(", "), depth);
            }
            value => self.line(name, &scalar(value), depth),
        }
    }

    fn line(&mut self, name: &str, text: &str, depth: usize) {
        self.count += 1;
        if self.count > MOST_LINES {
            return;
        }
        let indent = depth.min(MOST_INDENT);
        let (name, text) = (escaped(&shortened(name)), escaped(&shortened(text)));
        self.rows += &format!(
            "<tr class=\"level-{indent}\"><th scope=\"row\">{name}</th><td>{text}</td></tr>\n"
        );
    }
}

/// A value that holds no others.
fn scalar(value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::String(text) => text.clone(),
        Value::Object(_) => "none".into(),
        value => value.to_string(),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{} … and more", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(value: &Value) -> String {
        html(&Provenance::of(&value).unwrap())
    }

    #[test]
    fn inner_settings_are_under_the_names_that_hold_them() {
        let text = of(&json!({"a": {"b": [0.5, 2]}, "c": [{"d": null}, {}], "e": "x"}));
        let lines: Vec<(&str, &str)> = [("0", "a"), ("1", "b"), ("0", "c"), ("1", "1"), ("2", "d")]
            .into_iter()
            .chain([("1", "2"), ("0", "e")])
            .collect();
        let mut rest = text.as_str();
        for (level, name) in lines {
            let wanted = format!("<tr class=\"level-{level}\"><th scope=\"row\">{name}</th>");
            let at = rest.find(&wanted).unwrap_or_else(|| panic!("{wanted} is not next: {rest}"));
            rest = &rest[at + wanted.len()..];
        }
        assert!(text.contains("<td>0.5, 2</td>") && text.contains("<td>x</td>"));
    }

    #[test]
    fn a_provenance_of_any_size_makes_a_short_table() {
        let many: Map<String, Value> = (0..50_000).map(|i| (format!("{i}"), json!(i))).collect();
        let text = of(&json!({"many": many, "long": "é".repeat(100_000)}));
        assert!(text.len() < 300_000, "{} bytes", text.len());
        assert!(text.contains(&format!("{} more lines", 50_002 - MOST_LINES)));
        let text = of(&json!({"long": "é".repeat(100_000)}));
        assert!(text.len() < 10_000 && text.contains("and more"));
    }
}
