//! What would change in a file, for people.

use std::{fmt::Write, path::Path};

use mcp_disclosure_transport::printable::one_line;
use similar::TextDiff;

use super::edit::quoted;
use crate::config::hosts::document::Document;

/// Lines around a change.
const CONTEXT: usize = 3;

/// The shortest text that is taken for a secret, and how much of one is shown, in characters.
const SHORTEST: usize = 8;
const SHOWN: usize = 4;

/// The longest secrets first, as a file may write them, and what is shown of each.
fn masks(path: &Path, text: &str) -> Vec<(String, String)> {
    let Ok(document) = Document::parse(path, text, Path::new("")) else { return Vec::new() };
    let secrets = document.secrets().into_iter();
    // A variable says where a secret is.
    let secrets = secrets.filter(|text| text.chars().count() >= SHORTEST && !text.contains('$'));
    let mask = |text: &str| (quoted(text), format!("\"{}…\"", text.chars().take(SHOWN).collect::<String>()));
    let plain = |text: &str| (text.to_owned(), format!("{}…", text.chars().take(SHOWN).collect::<String>()));
    secrets.flat_map(|text| [mask(text), plain(text)]).collect()
}

/// A unified diff of a file, with control characters escaped, and of secrets only their beginning.
pub(crate) fn unified(path: &Path, before: &str, after: &str, coloured: bool) -> String {
    let masks = [masks(path, before), masks(path, after)].concat();
    let diff = TextDiff::from_lines(before, after);
    let name = one_line(&path.display().to_string()).into_owned();
    let mut shown = String::new();
    for line in diff.unified_diff().context_radius(CONTEXT).header(&name, &name).to_string().lines() {
        let colour = match line.as_bytes().first() {
            Some(b'+') => Some(32),
            Some(b'-') => Some(31),
            Some(b'@') => Some(36),
            _ => None,
        };
        let line = masks.iter().fold(line.to_owned(), |line, (secret, shown)| line.replace(secret, shown));
        let text = one_line(line.trim_end_matches('\r'));
        // Writing to a string cannot fail.
        let _written = match colour.filter(|_| coloured) {
            Some(colour) => writeln!(shown, "\u{1b}[{colour}m{text}\u{1b}[0m"),
            None => writeln!(shown, "{text}"),
        };
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w1_of_secrets_a_diff_shows_the_beginning() {
        let file = |command: &str| {
            let servers =
                r#"{"a": {"command": "COMMAND", "env": {"KEY": "ghp_1234567890", "AT": "${env:TOKEN}"}}}"#;
            format!("{{\"mcpServers\": {}}}\n", servers.replace("COMMAND", command))
        };
        let shown = unified(Path::new("mcp.json"), &file("x"), &file("y"), false);
        assert!(
            shown.contains(r#""KEY": "ghp_…", "AT": "${env:TOKEN}""#) && !shown.contains("1234567890"),
            "{shown}"
        );
    }

    #[test]
    fn w1_a_diff_shows_what_changes_and_obeys_no_control_characters() {
        let (before, after) = ("a\r\n\u{1b}[2J\r\nc\r\n", "a\r\n\u{1b}[2J\r\nd\r\n");
        let shown = unified(Path::new("f.json"), before, after, false);
        assert_eq!(shown, "--- f.json\n+++ f.json\n@@ -1,3 +1,3 @@\n a\n \\u001b[2J\n-c\n+d\n");
        assert!(unified(Path::new("f.json"), before, after, true).contains("\u{1b}[32m+d\u{1b}[0m"));
    }
}
