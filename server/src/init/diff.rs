//! What would change in a file, for people.

use std::{fmt::Write, path::Path};

use mcp_disclosure_transport::printable::one_line;
use similar::TextDiff;

/// Lines around a change.
const CONTEXT: usize = 3;

/// A unified diff of a file, with control characters escaped.
pub(crate) fn unified(path: &Path, before: &str, after: &str, coloured: bool) -> String {
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
    fn w1_a_diff_shows_what_changes_and_obeys_no_control_characters() {
        let (before, after) = ("a\r\n\u{1b}[2J\r\nc\r\n", "a\r\n\u{1b}[2J\r\nd\r\n");
        let shown = unified(Path::new("f.json"), before, after, false);
        assert_eq!(shown, "--- f.json\n+++ f.json\n@@ -1,3 +1,3 @@\n a\n \\u001b[2J\n-c\n+d\n");
        assert!(unified(Path::new("f.json"), before, after, true).contains("\u{1b}[32m+d\u{1b}[0m"));
    }
}
