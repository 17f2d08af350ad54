//! Tools from files: a program's, or a tool in words a line.

use crate::failure::Failure;
use crate::files;
use std::path::Path;
use tbr::Tool;

/// The most bytes of a file of words.
const MAX_BYTES: u64 = 1 << 20;

/// Reads the tools of a program (`*.json`), or of a text with one in words a line; empty lines
/// and what follows a `#` are passed over.
pub fn read(path: &Path) -> Result<Vec<Tool>, Failure> {
    let tools: Vec<Tool> = if path.extension().is_some_and(|e| e == "json") {
        files::read_program(path)?.tools().iter().map(|pass| pass.tool).collect()
    } else {
        let text = files::read_text(path, MAX_BYTES)?;
        parse(&text).map_err(|problem| Failure::file(path, problem))?
    };
    if tools.is_empty() {
        return Err(Failure::file(path, "has no tools")
            .hint("a tool a line: comb through 0.5,0.5 angle 90 pull 0.05 spacing 0.03"));
    }
    Ok(tools)
}

fn parse(text: &str) -> Result<Vec<Tool>, String> {
    let mut tools = Vec::new();
    for (k, line) in text.lines().enumerate() {
        let words = line.split('#').next().unwrap_or_default().trim();
        if !words.is_empty() {
            tools.push(words.parse().map_err(|e| format!("line {}: {e}", k + 1))?);
        }
    }
    Ok(tools)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_read_line_by_line() {
        let text = "# fine\n\ncomb through 0.5,0.5 angle 90 pull 0.05 spacing 0.03 # down\n\
                    swirl centre 0.5,0.5 radius 0.2 turn 90\n";
        let tools = parse(text).unwrap();
        assert_eq!(tools.len(), 2);
        assert_eq!(tools[0].number("pull"), Some(0.05));
        assert!(parse("comb\nbrush").unwrap_err().starts_with("line 1: comb: a comb needs"));
    }
}
