//! Long texts, cut to what fits, with a note of what is left out.

use mcp_disclosure_core::printable::{one_line, printable};

use crate::number::grouped;

/// The text in one line of at most `width` characters; what is left out is counted in bytes.
pub(crate) fn cut(text: &str, width: usize) -> String {
    let text = one_line(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned();
    if text.chars().count() <= width {
        return text;
    }
    // The note is at most this long for texts up to 999 GB.
    let note = |left: usize| format!("… {} more bytes", grouped(left as u64));
    let kept = width.saturating_sub(note(text.len()).chars().count()).max(1);
    let end = text.char_indices().nth(kept).map_or(text.len(), |(at, _)| at);
    format!("{}{}", &text[..end], note(text.len() - end))
}

/// The lines of a text, wrapped at spaces to `width` characters; longer words are broken.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    for line in printable(&text.replace('\t', " ")).lines() {
        let (mut current, mut used) = (String::new(), 0);
        for word in line.split_whitespace() {
            let mut word: Vec<char> = word.chars().collect();
            if used > 0 && used + 1 + word.len() > width {
                lines.push(std::mem::take(&mut current));
                used = 0;
            }
            if used > 0 {
                current.push(' ');
                used += 1;
            }
            while word.len() > width {
                lines.push(word.drain(..width).collect());
            }
            used += word.len();
            current.extend(word);
        }
        lines.push(current);
    }
    lines
}

/// The first `most` lines, and how many are left out.
pub(crate) fn first<T>(lines: &[T], most: usize) -> (&[T], usize) {
    // One line more takes no more space than the note of its absence.
    if lines.len() <= most + 1 { (lines, 0) } else { (&lines[..most], lines.len() - most) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_is_counted() {
        assert_eq!(cut("a  b\nc", 5), "a b c");
        let long = "x".repeat(2_000);
        let shown = cut(&long, 40);
        assert_eq!(shown.chars().count(), 40);
        let kept = shown.chars().take_while(|letter| *letter == 'x').count();
        assert!(shown.ends_with(&format!("… {} more bytes", grouped(2_000 - kept as u64))), "{shown}");
        // Bytes, not characters, and never within one.
        assert!(cut(&"é".repeat(100), 30).ends_with(" more bytes"));
        assert!(cut(&long, 1).starts_with("x…"));
    }

    #[test]
    fn nothing_moves_a_terminal() {
        let hostile = "a\u{1b}[2Jb\u{202e}c";
        assert_eq!(cut(hostile, 50), "a\\u001b[2Jb\\u202ec");
        assert_eq!(wrapped(hostile, 50), ["a\\u001b[2Jb\\u202ec"]);
    }

    #[test]
    fn lines_are_wrapped_and_long_words_broken() {
        assert_eq!(wrapped("one two three\nfour", 8), ["one two", "three", "four"]);
        assert_eq!(wrapped("a abcdefgh b", 3), ["a", "abc", "def", "gh", "b"]);
        assert_eq!(first(&[1, 2, 3], 2), (&[1, 2, 3][..], 0));
        assert_eq!(first(&[1, 2, 3, 4], 2), (&[1, 2][..], 2));
    }
}
