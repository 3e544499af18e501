//! Bounds on the length of a text, and shortening a text to them.

use unicode_segmentation::UnicodeSegmentation;

/// The mark at a cut. One character, and one UTF-16 code unit.
const ELLIPSIS: char = '…';

/// Punctuation that is dropped before the mark, as white space is.
const DANGLING: &str = ",;:-–—([{";

/// The maximum length of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cap {
    most: usize,
    unit: Unit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Character,
    Utf16,
}

impl Cap {
    /// At most `most` characters (Unicode scalar values).
    pub const fn characters(most: usize) -> Self {
        Self { most, unit: Unit::Character }
    }

    /// At most `most` UTF-16 code units, as JavaScript counts the length of a string, and so at most `most` characters.
    pub const fn utf16(most: usize) -> Self {
        Self { most, unit: Unit::Utf16 }
    }

    /// The maximum, in this cap's unit.
    pub const fn most(self) -> usize {
        self.most
    }

    /// The same with room for this much less.
    pub(crate) const fn less(self, taken: usize) -> Self {
        Self { most: self.most.saturating_sub(taken), ..self }
    }

    /// The length of a text, in this cap's unit.
    pub fn length(self, text: &str) -> usize {
        match self.unit {
            Unit::Character => text.chars().count(),
            Unit::Utf16 => text.encode_utf16().count(),
        }
    }

    /// Whether a text is within the maximum.
    pub fn holds(self, text: &str) -> bool {
        // A character has at most four bytes and two UTF-16 units.
        text.len() <= self.most || (text.len() / 4 <= self.most && self.length(text) <= self.most)
    }

    /// The text if it fits, else as many of its first words as fit, followed by `…`; `None` if not even one fits.
    fn words(self, text: &str) -> Option<String> {
        if self.holds(text) {
            return Some(text.to_owned());
        }
        let graphemes = self.fitting_graphemes(text);
        let ends = text.split_word_bound_indices().map(|(at, word)| at + word.len());
        let fitting = ends.take_while(|end| graphemes.last() >= Some(end));
        let cut = fitting.filter(|end| graphemes.binary_search(end).is_ok() && ends_word(text, *end)).last();
        let cut = text[..cut?].trim_end_matches(|last: char| last.is_whitespace() || DANGLING.contains(last));
        (!cut.is_empty()).then(|| format!("{cut}{ELLIPSIS}"))
    }

    /// The text if it fits, else its beginning, followed by `…`: cut after a word if possible, and never within a
    /// grapheme.
    ///
    /// ```
    /// use mcp_disclosure_core::Cap;
    /// assert_eq!(Cap::utf16(12).shorten("Searches, and sorts"), "Searches…");
    /// assert_eq!(Cap::utf16(12).shorten("Unbroken\u{301}lettering"), "Unbroken\u{301}le…");
    /// ```
    pub fn shorten(self, text: &str) -> String {
        self.words(text).unwrap_or_else(|| {
            let end = self.fitting_graphemes(text).pop().unwrap_or(0);
            let ellipsis = if self.most > 0 { ELLIPSIS.to_string() } else { String::new() };
            format!("{}{ellipsis}", &text[..end])
        })
    }

    /// The ends of the graphemes that fit together with the ellipsis.
    fn fitting_graphemes(self, text: &str) -> Vec<usize> {
        let room = self.most.saturating_sub(1);
        let mut length = 0;
        let ends = text.grapheme_indices(true).map(|(at, grapheme)| {
            length += self.length(grapheme);
            (at + grapheme.len(), length)
        });
        ends.take_while(|(_, length)| *length <= room).map(|(end, _)| end).collect()
    }
}

/// Whether a word ends at this word boundary: before white space, and in scripts without white space between words.
fn ends_word(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at(at);
    after.starts_with(|next: char| next.is_whitespace() || is_unspaced(next)) || before.ends_with(is_unspaced)
}

/// Thai to Myanmar, Khmer, Chinese and Japanese.
fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3000}'..='\u{30ff}'
        | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff9f}'
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_are_cut_after_words() {
        for (most, text, short) in [
            (10, "one two three", "one two…"),
            (8, "one two three", "one two…"),
            (7, "one two three", "one…"),
            (13, "one two three", "one two three"),
            (11, "one (two) three", "one (two)…"),
            (10, "one, (two) three", "one…"),
            (9, "one – two three", "one…"),
            (6, "天気を取得します", "天気を取得…"),
            (7, "read/write everything", "read/w…"),
            (5, "\u{1F468}\u{200D}\u{1F469} family", "…"),
            (6, "\u{1F468}\u{200D}\u{1F469} family", "\u{1F468}\u{200D}\u{1F469}…"),
            (3, "(((( ", "((…"),
            (1, "long", "…"),
            (0, "long", ""),
        ] {
            assert_eq!(Cap::utf16(most).shorten(text), short, "{most} of {text}");
        }
        assert_eq!(Cap::utf16(7).words("read/write everything"), None);
    }

    proptest! {
        #[test]
        fn shortened_texts_end_at_a_grapheme_boundary(
            text in "([a-z\u{300}\u{301}\u{1F468}\u{200D}\u{1F3FD}\u{1F1E9}が가\r\n ,(]|\\PC){0,90}",
            most in 0usize..80,
        ) {
            for cap in [Cap::utf16(most), Cap::characters(most)] {
                let short = cap.shorten(&text);
                prop_assert!(cap.length(&short) <= most);
                prop_assert_eq!(&cap.shorten(&text), &short);
                let kept = short.strip_suffix(ELLIPSIS).filter(|_| short != text).unwrap_or(&short);
                prop_assert!(text.starts_with(kept));
                let mut ends = text.grapheme_indices(true).map(|(at, _)| at).chain([text.len()]);
                prop_assert!(ends.any(|end| end == kept.len()), "{kept:?} of {text:?}");
            }
        }

        #[test]
        fn shortened_texts_never_break_a_word(text in "[a-z]{1,9}( [a-z.'-]{1,9}){0,30}", most in 11usize..80) {
            let short = Cap::utf16(most).words(&text).unwrap();
            let kept = short.trim_end_matches(ELLIPSIS);
            prop_assert!(text[kept.len()..].trim_start_matches('-').chars().next().is_none_or(|next| next == ' '));
        }
    }
}
