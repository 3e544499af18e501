//! Words that say nothing about a tool.

/// English words without a meaning of their own, in lower case, and what apostrophes leave of others. They never count.
const STOP_WORDS: &[&str] = &[
    "a", "all", "am", "an", "and", "any", "are", "as", "at", "be", "by", "can", "could", "do", "does", "don",
    "for", "from", "how", "i", "if", "in", "into", "is", "it", "its", "ll", "me", "my", "not", "of", "on",
    "one", "or", "please", "re", "s", "should", "t", "that", "the", "these", "this", "those", "to", "use",
    "used", "using", "ve", "want", "was", "we", "what", "when", "which", "will", "with", "would", "you",
    "your",
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
