//! Words that no tool has in this form: misspelt ones, and inflections in languages without a stemmer here.

use strsim::osa_distance;

/// Maximum number of corrections of one word.
const MOST: usize = 3;

/// Maximum length of a word that is corrected, in characters: longer ones are no words.
const LONGEST: usize = 32;

/// Maximum length of a name that is corrected, in characters.
const LONGEST_NAME: usize = 128;

/// Minimum length of what two forms of a word begin with, in characters.
const STEM: usize = 5;

/// Maximum length of what follows it in each of them, in characters.
const ENDING: usize = 3;

/// What an unknown word was probably meant to be, nearest first: the values of known words that resemble it. `has_forms` is whether
/// that may be another form of it.
pub(crate) fn corrections<'v, T>(
    word: &str,
    has_forms: bool,
    vocabulary: impl Iterator<Item = (&'v str, T)>,
) -> Vec<T> {
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
        .filter(|(known, _)| known.chars().next() == word.chars().next())
        .filter(|(known, _)| known.chars().count().abs_diff(length) <= most.max(ENDING));
    let mut near: Vec<(usize, &str, T)> = near
        .filter(|(known, _)| known.chars().any(char::is_alphabetic))
        .map(|(known, value)| (osa_distance(word, known), known, value))
        .filter(|(distance, known, _)| *distance <= most || (has_forms && are_forms(word, known)))
        .collect();
    near.sort_unstable_by_key(|(distance, known, _)| (*distance, *known));
    near.truncate(MOST);
    near.into_iter().map(|(_, _, value)| value).collect()
}

/// The value of the name that a misspelt one was probably meant to be: it differs by a letter or two. `is_another` is whether a known
/// name is no misspelt one.
pub(crate) fn meant_name<'v, T>(
    name: &str,
    names: impl Iterator<Item = (&'v str, T)>,
    is_another: impl Fn(&str) -> bool,
) -> Option<T> {
    let length = name.chars().count();
    let most = if length < 8 { 1 } else { 2 };
    if !(4..=LONGEST_NAME).contains(&length) {
        return None;
    }
    let name = name.to_lowercase();
    let near = names.filter(|(known, _)| known.chars().count().abs_diff(length) <= most);
    let near = near.map(|(known, value)| (osa_distance(&name, &known.to_lowercase()), known, value));
    near.filter(|(distance, known, _)| *distance <= most && !is_another(known))
        .min_by_key(|(distance, ..)| *distance)
        .map(|(.., value)| value)
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
        let corrections = |term| corrections(term, true, vocabulary.into_iter().map(|known| (known, known)));
        assert_eq!(corrections("brnach"), ["branch"]);
        assert_eq!(corrections("reposotory"), ["repositori"]);
        assert!(corrections("pag").is_empty());
        assert!(corrections("flight").is_empty());
        assert!(corrections("2023").is_empty());
        assert!(corrections(&"a".repeat(100)).is_empty());
    }

    #[test]
    fn a_name_is_meant_that_differs_by_a_letter_or_two() {
        let names = ["git_status", "git_log", "browser_click"];
        let meant = |name| meant_name(name, names.into_iter().map(|name| (name, name)), |_| false);
        assert_eq!((meant("git_lgo"), meant("Git_sttauss")), (Some("git_log"), Some("git_status")));
        assert_eq!((meant("git_stash"), meant("browser_close"), meant("git")), (None, None, None));
        assert_eq!(meant(&"git_log".repeat(1_000)), None);
    }

    #[test]
    fn forms_of_words_are_found_where_no_stemmer_knows_them() {
        let vocabulary = ["datei", "löscht", "status"];
        let corrections = |term| corrections(term, true, vocabulary.into_iter().map(|known| (known, known)));
        assert_eq!(corrections("dateien"), ["datei"]);
        assert_eq!(corrections("löschen"), ["löscht"]);
        assert!(corrections("statistik").is_empty());
    }
}
