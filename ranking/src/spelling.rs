//! Words that no tool has in this form: misspelt ones, and inflections in languages without a stemmer here.

use strsim::osa_distance;

/// Maximum number of corrections of one word.
const MOST: usize = 3;

/// Maximum length of a word that is corrected, in characters: longer ones are no words.
const LONGEST: usize = 32;

/// Minimum length of what two forms of a word begin with, in characters.
const STEM: usize = 5;

/// Maximum length of what follows it in each of them, in characters.
const ENDING: usize = 3;

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
    // The first letter is rarely wrong, and "flight" is not meant to be "light".
    let near = vocabulary
        .filter(|known| known.chars().next() == word.chars().next())
        .filter(|known| known.chars().count().abs_diff(length) <= most.max(ENDING));
    let mut near: Vec<(usize, &str)> = near
        .filter(|known| known.chars().any(char::is_alphabetic))
        .map(|known| (osa_distance(word, known), known))
        .filter(|(distance, known)| *distance <= most || are_forms(word, known))
        .collect();
    near.sort_unstable();
    near.truncate(MOST);
    near.into_iter().map(|(_, known)| known).collect()
}

/// Whether two words begin with the same stem, and differ in their endings only.
fn are_forms(word: &str, other: &str) -> bool {
    let common = word.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    common >= STEM && word.chars().count().max(other.chars().count()) <= common + ENDING
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_others_are_not() {
        let vocabulary = ["branch", "repositori", "page", "light", "2024"];
        let corrections = |term| corrections(term, vocabulary.into_iter());
        assert_eq!(corrections("brnach"), ["branch"]);
        assert_eq!(corrections("reposotory"), ["repositori"]);
        assert!(corrections("pag").is_empty());
        assert!(corrections("flight").is_empty());
        assert!(corrections("2023").is_empty());
        assert!(corrections(&"a".repeat(100)).is_empty());
    }

    #[test]
    fn forms_of_words_are_found_where_no_stemmer_knows_them() {
        let vocabulary = ["datei", "löscht", "status"];
        let corrections = |term| corrections(term, vocabulary.into_iter());
        assert_eq!(corrections("dateien"), ["datei"]);
        assert_eq!(corrections("löschen"), ["löscht"]);
        assert!(corrections("statistik").is_empty());
    }
}
