//! How figures and texts are written: numbers, long texts, and texts of others.

pub(crate) use mcp_disclosure_core::printable::{counted as of, grouped};
use mcp_disclosure_core::printable::{one_line, printable};

/// The same, or the mark of an unknown figure.
pub(crate) fn known(number: Option<u64>) -> String {
    number.map_or_else(|| "unknown".to_owned(), grouped)
}

/// A share, in percent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A saved share. What costs more is said in words: no figure is ever a negative saving.
pub(crate) fn saved(share: Option<f64>) -> String {
    match share {
        None => "unknown".to_owned(),
        Some(share) if share < 0.0 => format!("costs {} more", percent(-share)),
        Some(0.0) => "–".to_owned(),
        Some(share) => percent(share),
    }
}

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
    // Between words, unless that leaves less than half of the room.
    let space = if text[end..].starts_with(' ') { None } else { text[..end].rfind(' ') };
    let end = space.filter(|space| 2 * space > end).unwrap_or(end);
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

/// The lines of a text, wrapped to `width` characters in all: the first begins with `first`, which takes `indent` columns,
/// or none; the others begin with as many spaces.
pub(crate) fn hung(first: &str, indent: usize, text: &str, width: usize) -> Vec<String> {
    let lines = wrapped(text, width.saturating_sub(indent)).into_iter().enumerate();
    lines
        .map(|(at, line)| if at == 0 { format!("{first}{line}") } else { format!("{:indent$}{line}", "") })
        .collect()
}

/// The first `most` lines, and how many are left out.
pub(crate) fn first<T>(lines: &[T], most: usize) -> (&[T], usize) {
    // One line more takes no more space than the note of its absence.
    if lines.len() <= most + 1 { (lines, 0) } else { (&lines[..most], lines.len() - most) }
}

/// Names and texts are untrusted, and must not become markup. An underscore within a word is not markup.
pub(crate) fn escaped(text: &str) -> String {
    let letters: Vec<char> = printable(text).chars().collect();
    let is_word =
        |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(|letter| letter.is_alphanumeric());
    let mut escaped = String::with_capacity(text.len());
    for (at, letter) in letters.iter().enumerate() {
        match letter {
            '\n' => escaped.push(' '),
            '_' if is_word(at.checked_sub(1)) && is_word(Some(at + 1)) => escaped.push('_'),
            '|' | '<' | '`' | '*' | '_' | '[' | '\\' | '#' => escaped.extend(['\\', *letter]),
            _ => escaped.push(*letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn q3_what_is_saved_is_never_negative() {
        assert_eq!(saved(Some(0.805)), "80.5 %");
        assert_eq!(saved(Some(-0.5)), "costs 50.0 % more");
        assert_eq!((saved(Some(0.0)), saved(None)), ("–".to_owned(), "unknown".to_owned()));
    }

    #[test]
    fn what_is_cut_is_counted() {
        assert_eq!(cut("a  b\nc", 5), "a b c");
        let long = "x".repeat(2_000);
        let shown = cut(&long, 40);
        assert_eq!(shown.chars().count(), 40);
        let kept = shown.chars().take_while(|letter| *letter == 'x').count();
        assert!(shown.ends_with(&format!("… {} more bytes", grouped(2_000 - kept as u64))), "{shown}");
        assert_eq!(cut("one two three four five six seven eight", 30), "one two three… 26 more bytes");
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

    #[test]
    fn no_text_becomes_markup() {
        assert_eq!(
            escaped("get_data_ _x_ *a* [b](c) `d`\n#e"),
            "get_data\\_ \\_x\\_ \\*a\\* \\[b](c) \\`d\\` \\#e"
        );
    }
}
