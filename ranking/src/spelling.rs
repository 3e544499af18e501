//! Misspelt words.

use strsim::osa_distance;

/// Maximum number of corrections of one word.
const MOST: usize = 3;

/// Maximum length of a word that is corrected, in characters: longer ones are no words.
const LONGEST: usize = 32;

/// The known terms that an unknown word was probably meant to be, nearest first.
pub(crate) fn corrections<'v>(word: &str, vocabulary: impl Iterator<Item = &'v str>) -> Vec<&'v str> {
    let length = word.chars().count();
    let most = match length {
        0..=3 => return Vec::new(),
        4..=7 => 1,
        8..=LONGEST => 2,
        _ => return Vec::new(),
    };
    // Lengths first: the distance is at least their difference, and costs a thousand times as much.
    let near = vocabulary.filter(|known| known.chars().count().abs_diff(length) <= most);
    let mut near: Vec<(usize, &str)> = near
        .filter(|known| known.chars().any(char::is_alphabetic))
        .map(|known| (osa_distance(word, known), known))
        .filter(|(distance, _)| *distance <= most)
        .collect();
    near.sort_unstable();
    near.truncate(MOST);
    near.into_iter().map(|(_, known)| known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_others_are_not() {
        let vocabulary = ["branch", "repositori", "page", "2024"];
        let corrections = |term| corrections(term, vocabulary.into_iter());
        assert_eq!(corrections("brnach"), ["branch"]);
        assert_eq!(corrections("reposotory"), ["repositori"]);
        assert!(corrections("pag").is_empty());
        assert!(corrections("2023").is_empty());
        assert!(corrections(&"a".repeat(100)).is_empty());
    }
}
