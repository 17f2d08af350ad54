//! Text for people's terminals and shells, whatever is in it.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// The longest message, in characters: a few lines. What it quotes may be megabytes.
const MOST_CHARACTERS: usize = 1000;

/// Text without control characters but ends of lines: each is shown as an escape, as JSON has
/// it, so that no terminal obeys it and JSON stays what it was. Those that turn the direction of
/// writing count as control characters.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_control(c) && c != '\n')
}

/// A message in one line that a terminal can show: printable, and cut in the middle if it is
/// too long.
pub fn line(text: &str) -> String {
    let text = text.replace('\n', " ");
    let text = escaped(&text, is_control);
    let count = text.chars().count();
    if count <= MOST_CHARACTERS {
        return text.into_owned();
    }
    let (head, tail) = (MOST_CHARACTERS * 2 / 3, MOST_CHARACTERS / 3);
    let first: String = text.chars().take(head).collect();
    let last: String = text.chars().skip(count - tail).collect();
    format!("{first} [... {} characters ...] {last}", count - head - tail)
}

/// A file's name as a shell takes it: as it is, or in quotes where it needs them.
pub fn shell(path: &Path) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%".contains(c);
    match path.to_str() {
        Some(name) if !name.is_empty() && name.chars().all(plain) && !name.starts_with('-') => {
            name.to_owned()
        }
        Some(name) if !name.chars().any(is_control) => {
            let dashed = if name.starts_with('-') { "./" } else { "" };
            format!("'{dashed}{}'", name.replace('\'', r"'\''"))
        }
        _ => in_bytes(path),
    }
}

/// A name that is no plain text, in the quotes of bash and zsh that spell bytes out.
fn in_bytes(path: &Path) -> String {
    let mut quoted = String::from("$'");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'\'' | b'\\' => quoted.extend(['\\', char::from(*byte)]),
            b' '..=b'~' => quoted.push(char::from(*byte)),
            _ => write!(quoted, "\\x{byte:02x}").unwrap_or_default(),
        }
    }
    quoted + "'"
}

fn escaped(text: &str, is_bad: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_bad) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if is_bad(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                write!(clean, "\\u{unit:04x}").unwrap_or_default();
            }
        } else {
            clean.push(c);
        }
    }
    Cow::Owned(clean)
}

/// Does a character steer a terminal, or the direction in which it writes?
fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn control_characters_are_shown_and_not_obeyed() {
        let nasty = "a\u{1b}]0;title\u{7}\u{9b}2J\r\u{202e}z\tb";
        let shown = line(nasty);
        assert_eq!(shown, r"a\u001b]0;title\u0007\u009b2J\u000d\u202ez\u0009b");
        assert_eq!(line("two\nlines"), "two lines");
        assert_eq!(printable("two\nlines"), "two\nlines");
        let json = serde_json::to_string(nasty).unwrap();
        let back: String = serde_json::from_str(&printable(&json)).unwrap();
        assert_eq!(back, nasty, "JSON says the same");
    }

    #[test]
    fn long_messages_are_cut_in_the_middle() {
        let long = format!("start {} end", "é".repeat(5_000_000));
        let shown = line(&long);
        assert!(shown.chars().count() < MOST_CHARACTERS + 50, "{}", shown.len());
        assert!(shown.starts_with("start ") && shown.ends_with(" end"), "{shown}");
    }

    /// A shell gives back what was quoted, and runs nothing.
    #[test]
    #[cfg(unix)]
    fn names_survive_a_shell() {
        use std::os::unix::ffi::OsStrExt;
        let names: [&[u8]; 7] = [
            b"plain.json",
            b"a b",
            b"it's; rm -rf $(x) `y`",
            b"-dash",
            b"",
            b"\xe9.png",
            b"a\nb\\'",
        ];
        for name in names {
            let quoted = shell(Path::new(std::ffi::OsStr::from_bytes(name)));
            let script = format!("printf %s {quoted}");
            let Ok(output) = Command::new("bash").args(["-c", &script]).output() else { return };
            let expected = if name == b"-dash" { b"./-dash" } else { name };
            assert_eq!(output.stdout, expected, "{quoted}");
        }
    }
}
