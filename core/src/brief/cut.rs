//! Cutting a sentence after a word, and never within a bracket.

use unicode_segmentation::UnicodeSegmentation;

use super::tables::CONNECTIVES;
use crate::cap::{Cap, ELLIPSIS, tidy};

/// Pairs within which nothing is cut. Quotes of one kind close themselves.
const PAIRS: &[(char, char)] = &[
    ('(', ')'),
    ('[', ']'),
    ('{', '}'),
    ('（', '）'),
    ('「', '」'),
    ('“', '”'),
    ('«', '»'),
    ('`', '`'),
    ('"', '"'),
];

/// The text if it fits, else its first words and `…`; `None` if fewer than two words would be left.
pub(super) fn cut(text: &str, cap: Cap) -> Option<String> {
    if cap.holds(text) {
        return Some(text.to_owned());
    }
    let words = cap.words(text)?;
    let kept = without_connectives(before_open_pair(words.trim_end_matches(ELLIPSIS)));
    // A single word of a longer text says too little.
    kept.unicode_words().nth(1).is_some().then(|| format!("{kept}{ELLIPSIS}"))
}

/// The text before the first pair that is open at its end.
fn before_open_pair(text: &str) -> &str {
    let mut open: Vec<(char, usize)> = Vec::new();
    for (at, character) in text.char_indices() {
        if open.last().is_some_and(|(close, _)| *close == character) {
            open.pop();
        } else if let Some((_, close)) = PAIRS.iter().find(|(start, _)| *start == character) {
            open.push((*close, at));
        }
    }
    open.first().map_or(text, |(_, at)| &text[..*at])
}

/// The text without [`CONNECTIVES`] and punctuation at its end.
pub(super) fn without_connectives(text: &str) -> &str {
    let mut kept = tidy(text);
    while let Some((before, _)) =
        kept.rsplit_once(' ').filter(|(_, last)| CONNECTIVES.contains(&&*last.to_lowercase()))
    {
        kept = tidy(before);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b1_nothing_is_cut_within_a_word_or_bracket() {
        for (text, kept) in [
            ("Fetches documents, and the attachments of those", "Fetches documents, and the attachments…"),
            ("Retrieve CSS rules, inline styles (element.style) here", "Retrieve CSS rules, inline styles…"),
            ("Fetches all of it, and also from \"the archive\" of mine", "Fetches all of it, and also…"),
            ("List everything that is part of the (unclosed bracket", "List everything that is part…"),
            ("short", "short"),
        ] {
            assert_eq!(cut(text, Cap::utf16(41)).as_deref(), Some(kept), "{text}");
        }
        assert_eq!(cut("Unbreakable".repeat(9).as_str(), Cap::utf16(41)), None);
        assert_eq!(cut("(Only this bracket which is longer than that)", Cap::utf16(30)), None);
    }
}
