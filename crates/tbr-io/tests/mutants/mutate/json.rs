//! Changes of JSON that leave most of it what it was.

use super::{bytes, words};
use crate::random::Random;
use serde_json::{Map, Value};

/// What stands where something else is expected.
const STRANGERS: [&str; 14] = [
    "null",
    "true",
    "false",
    "\"\"",
    "\"x\"",
    "[]",
    "{}",
    "[[]]",
    "{\"a\":1}",
    "[1,2,3]",
    "[0.5]",
    "\"1\"",
    "1.5",
    "[null,null,null]",
];
/// How deep things may be put: around the reader's limit, and where a stack would end.
const DEPTHS: [usize; 6] = [1, 100, 119, 125, 130, 100_000];

/// JSON with a change; what is none is changed as bytes.
pub fn changed(json: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let text = String::from_utf8_lossy(&json);
    if random.once_in(3) {
        return words::poisoned(text.into_owned(), random).into_bytes();
    }
    let Ok(value) = serde_json::from_str::<Value>(&text) else {
        return bytes::changed(json, b"{}[],:\"", random);
    };
    let at = place(&value, random);
    let mut writer = Writer { text: String::new(), left: at, random };
    writer.write(&value);
    writer.text.into_bytes()
}

/// A value to change. Values near the root are as likely as the many numbers below them.
fn place(value: &Value, random: &mut Random) -> usize {
    let count = count(value);
    if random.once_in(2) { random.below(count) } else { random.below(count.min(24)) }
}

/// Values in a value, itself included.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum(),
        _ => 0,
    }
}

/// Writes JSON, and something else when it comes to the value to change.
struct Writer<'a> {
    text: String,
    /// Values to go before that one.
    left: usize,
    random: &'a mut Random,
}

impl Writer<'_> {
    fn write(&mut self, value: &Value) {
        if self.left == 0 {
            self.left = usize::MAX;
            return self.write_changed(value);
        }
        self.left -= 1;
        match value {
            Value::Array(items) => {
                let items: Vec<&Value> = items.iter().collect();
                self.list(&items);
            }
            Value::Object(fields) => self.object(&fields.iter().collect::<Vec<_>>()),
            other => self.text.push_str(&other.to_string()),
        }
    }

    fn write_changed(&mut self, value: &Value) {
        match value {
            Value::Array(items) if !self.random.once_in(4) => self.changed_list(items),
            Value::Object(fields) if !self.random.once_in(4) => self.changed_object(fields),
            _ => self.stranger(value),
        }
    }

    /// Something else instead of a value, or the value somewhere deep.
    fn stranger(&mut self, value: &Value) {
        match self.random.below(4) {
            0 => self.text.push_str(words::poison(self.random)),
            1 => self.text.push_str(self.random.of(&STRANGERS)),
            2 => {
                let depth = DEPTHS[self.random.below(DEPTHS.len())];
                let (open, close) =
                    if self.random.once_in(2) { ("[", "]") } else { ("{\"a\":", "}") };
                self.text.push_str(&open.repeat(depth));
                self.text.push_str(&value.to_string());
                self.text.push_str(&close.repeat(depth));
            }
            _ => {
                let long = "x".repeat(self.random.length());
                self.text.push_str(&format!("\"{long}\""));
            }
        }
    }

    /// Items dropped, doubled, swapped, repeated.
    fn changed_list(&mut self, items: &[Value]) {
        let mut items: Vec<&Value> = items.iter().collect();
        if items.is_empty() {
            return self.stranger(&Value::Null);
        }
        let (at, other) = (self.random.below(items.len()), self.random.below(items.len()));
        match self.random.below(5) {
            0 => drop(items.remove(at)),
            1 => items.insert(other, items[at]),
            2 => items.swap(at, other),
            3 => items.truncate(at),
            _ => {
                let many = std::iter::repeat_n(items[at], self.random.length().min(2000));
                items.splice(at..at, many);
            }
        }
        self.list(&items);
    }

    /// Fields dropped, doubled, renamed, swapped, added.
    fn changed_object(&mut self, fields: &Map<String, Value>) {
        let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
        let (new, strange) =
            (self.random.of(&["a", "", "version", "\u{0}"]).to_owned(), Value::Null);
        if fields.is_empty() {
            return self.object(&[(&new, &strange)]);
        }
        let (at, other) = (self.random.below(fields.len()), self.random.below(fields.len()));
        match self.random.below(5) {
            0 => drop(fields.remove(at)),
            1 => fields.insert(other, fields[at]),
            2 => fields[at].0 = &new,
            3 => {
                let value = fields[at].1;
                fields[at].1 = fields[other].1;
                fields[other].1 = value;
            }
            _ => fields.push((&new, fields[at].1)),
        }
        self.object(&fields);
    }

    fn list(&mut self, items: &[&Value]) {
        self.text.push('[');
        for (k, item) in items.iter().enumerate() {
            if k > 0 {
                self.text.push(',');
            }
            self.write(item);
        }
        self.text.push(']');
    }

    fn object(&mut self, fields: &[(&String, &Value)]) {
        self.text.push('{');
        for (k, (name, value)) in fields.iter().enumerate() {
            if k > 0 {
                self.text.push(',');
            }
            self.text.push_str(&Value::from(name.as_str()).to_string());
            self.text.push(':');
            self.write(value);
        }
        self.text.push('}');
    }
}
