//! Words that say nothing about a tool.

/// English words without a meaning of their own, in lower case. They count only in a query that has no others.
const STOP_WORDS: &[&str] = &[
    "a", "all", "an", "and", "any", "are", "as", "at", "be", "by", "can", "for", "from", "how", "i", "if",
    "in", "into", "is", "it", "its", "me", "my", "not", "of", "on", "one", "or", "please", "that", "the",
    "these", "this", "those", "to", "use", "used", "using", "was", "what", "when", "which", "will", "with",
    "you", "your",
];

/// Whether a word, in lower case, says nothing about a tool.
pub(crate) fn contains(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
        assert!(contains("the") && !contains("delete"));
    }
}
