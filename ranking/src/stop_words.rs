//! Words that say nothing about a tool.

/// English words without a meaning of their own, in lower case, and what apostrophes leave of others. They never count.
const STOP_WORDS: &[&str] = &[
    "a", "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by",
    "can", "could", "d", "did", "do", "does", "don", "for", "from", "get", "had", "has", "have", "he",
    "hello", "her", "here", "hey", "hi", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its",
    "just", "let", "like", "ll", "m", "many", "may", "me", "might", "more", "most", "much", "must", "my",
    "need", "needs", "no", "not", "now", "of", "on", "one", "or", "our", "out", "over", "own", "please",
    "re", "s", "shall", "she", "should", "so", "some", "such", "t", "than", "thank", "thanks", "that", "the",
    "their", "them", "then", "there", "these", "they", "this", "those", "to", "too", "up", "us", "use",
    "used", "using", "ve", "very", "want", "was", "we", "were", "what", "when", "where", "which", "who",
    "whom", "whose", "why", "will", "with", "would", "you", "your",
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
