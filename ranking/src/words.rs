//! Text as terms: words of any language and script, parts of identifiers, stems.

use mcp_disclosure_core::{case_parts, given::first};
use snowball_stemmers_rs::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation;

/// A word as written, in lower case, and the term that is indexed for it. In scripts without spaces each pair of characters is
/// a term, and what is written is the whole run of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) written: String,
    pub(crate) term: String,
    pub(crate) role: Role,
}

/// What a word is of one in mixed case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Nothing: it stands alone.
    Alone,
    /// The whole, written like the name of a product: `BigQuery`.
    Name,
    /// The whole, written otherwise: `getUser`, `HTTPServer`.
    Identifier,
    /// A part of the last whole.
    Part,
}

/// The beginning of a text, of at most this many bytes and without half a word.
pub(crate) fn beginning(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let beginning = first(text, bytes);
    // Where no space is, there is no better place.
    beginning.rfind(char::is_whitespace).map_or(beginning, |space| &beginning[..space])
}

/// The words of a text, in order. Identifiers are split (`get_user`, `getUser`, `HTTPServer`), and what is split by case is a word as
/// a whole as well, before its parts; scripts without spaces between words become pairs of characters.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    each(text, |part| {
        let (written, term, role) = match part {
            Part::Word(written) => (written, stem(written), Role::Alone),
            Part::Whole { word, is_name } => {
                (word, stem(word), if is_name { Role::Name } else { Role::Identifier })
            }
            Part::OfWhole(written) => (written, stem(written), Role::Part),
            Part::Pair { term, run } => (run, term.to_owned(), Role::Alone),
        };
        words.push(Word { written: written.to_owned(), term, role });
    });
    words
}

/// A part of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'t> {
    /// A word in lower case.
    Word(&'t str),
    /// The same of one that is split by case; the parts follow.
    Whole {
        /// The word.
        word: &'t str,
        /// Whether it is written like the name of a product.
        is_name: bool,
    },
    /// A part of the last whole, in lower case.
    OfWhole(&'t str),
    /// A pair of characters in a run of a script without spaces, or the only one.
    Pair {
        /// The pair.
        term: &'t str,
        /// The whole run.
        run: &'t str,
    },
}

/// Visits [`words`] without storing them.
pub(crate) fn each(text: &str, mut visit: impl FnMut(Part<'_>)) {
    let mut unspaced = String::new();
    let mut end = 0;
    for (at, piece) in text.unicode_word_indices() {
        if at != end {
            pairs(&mut unspaced, &mut visit);
        }
        end = at + piece.len();
        // The usual case, which needs no copy.
        if piece.bytes().all(|byte| byte.is_ascii_lowercase()) {
            pairs(&mut unspaced, &mut visit);
            visit(Part::Word(piece));
        } else if piece.chars().all(is_unspaced) {
            unspaced.push_str(piece);
        } else {
            pairs(&mut unspaced, &mut visit);
            for word in piece.split(['_', '.', ':', '\'', '’', ',', ';', '·']).filter(|word| !word.is_empty())
            {
                match *case_parts(word) {
                    [_] => visit(Part::Word(&word.to_lowercase())),
                    ref parts => {
                        visit(Part::Whole { word: &word.to_lowercase(), is_name: is_name(word) });
                        parts.iter().for_each(|part| visit(Part::OfWhole(&part.to_lowercase())));
                    }
                }
            }
        }
    }
    pairs(&mut unspaced, &mut visit);
}

/// A word's stem, by the script's most common language. `word` is in lower case.
pub(crate) fn stem(word: &str) -> String {
    let Some(algorithm) = word.chars().next().and_then(language) else { return word.to_owned() };
    Stemmer::create(algorithm).stem(word).into_owned()
}

/// The language whose stemmer suits words of a character's script; `None` if there is no stemmer.
fn language(character: char) -> Option<Algorithm> {
    Some(match character {
        'a'..='z' => Algorithm::English,
        '\u{370}'..='\u{3ff}' => Algorithm::Greek,
        '\u{400}'..='\u{4ff}' => Algorithm::Russian,
        '\u{531}'..='\u{58f}' => Algorithm::Armenian,
        '\u{600}'..='\u{6ff}' => Algorithm::Arabic,
        '\u{900}'..='\u{97f}' => Algorithm::Hindi,
        '\u{b80}'..='\u{bff}' => Algorithm::Tamil,
        _ => return None,
    })
}

/// Whether a character belongs to a script that is read by pairs: one without spaces between words (Han, Kana, Thai, Lao,
/// Myanmar, Khmer), or whose words have endings that no stemmer here knows (Hangul).
pub(crate) fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7a3}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

/// Visits the pairs of neighbouring characters, or the only character, and empties the text.
fn pairs(unspaced: &mut String, visit: &mut impl FnMut(Part<'_>)) {
    if unspaced.is_empty() {
        return;
    }
    let run = std::mem::take(unspaced);
    let ends: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
    match ends.len() {
        2 => visit(Part::Pair { term: &run, run: &run }),
        _ => ends.windows(3).for_each(|ends| visit(Part::Pair { term: &run[ends[0]..ends[2]], run: &run })),
    }
}

/// Whether a word in mixed case is written like the name of a product: `BigQuery`, `OAuth`, and not `getUser` or `HTTPServer`.
fn is_name(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some_and(char::is_uppercase) && characters.take(2).any(|next| !next.is_uppercase())
}

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
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Stems of English words, sorted. Where a request has one, nothing speaks against tools that write.
const CHANGES: &[&str] = &[
    "add", "append", "archiv", "assign", "attach", "book", "build", "cancel", "chang", "clear", "clone",
    "close", "commit", "copi", "creat", "delet", "deploy", "disabl", "drop", "edit", "enabl", "eras",
    "execut", "fill", "fix", "forget", "insert", "instal", "invit", "kill", "make", "merg", "modifi", "move",
    "new", "patch", "pay", "post", "publish", "purg", "push", "put", "reboot", "remov", "renam", "replac",
    "repli", "reset", "restart", "restor", "revert", "revok", "run", "save", "schedul", "send", "set",
    "share", "start", "stop", "store", "submit", "truncat", "turn", "unassign", "undo", "uninstal", "updat",
    "upload", "write",
];

/// Whether a stem asks to change something.
pub(crate) fn is_change(stem: &str) -> bool {
    CHANGES.binary_search(&stem).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The terms in scripts without spaces, else the words as written.
    fn split(text: &str) -> Vec<String> {
        let shown = |word: Word| if word.term.chars().all(is_unspaced) { word.term } else { word.written };
        words(text).into_iter().map(shown).collect()
    }

    #[test]
    fn identifiers_and_prose_become_words() {
        for (text, expected) in [
            ("create_issue", vec!["create", "issue"]),
            ("getUser, HTTPServer2", vec!["getuser", "get", "user", "httpserver2", "http", "server2"]),
            ("URLs of IDs", vec!["urls", "of", "ids"]),
            ("OAuth2 on_macOS", vec!["oauth2", "o", "auth2", "on", "macos", "mac", "os"]),
            ("API-patch-page: v2.0!", vec!["api", "patch", "page", "v2", "0"]),
            ("browser.click", vec!["browser", "click"]),
            ("GitHub's BigQuery", vec!["github", "git", "hub", "s", "bigquery", "big", "query"]),
            ("don't", vec!["don", "t"]),
            ("Größe ändern", vec!["größe", "ändern"]),
            ("天気予報 tokyo", vec!["天気", "気予", "予報", "tokyo"]),
            ("雨", vec!["雨"]),
            ("파일을 읽기", vec!["파일", "일을", "읽기"]),
            ("ค้นหา", vec!["ค้", "้น", "นห", "หา"]),
            ("हिन्दी में खोज", vec!["हिन्दी", "में", "खोज"]),
            ("🙂 -- ...", vec![]),
        ] {
            assert_eq!(split(text), expected, "{text}");
        }
    }

    #[test]
    fn a_beginning_has_whole_words() {
        for (text, bytes, expected) in
            [("ab cd", 4, "ab"), ("ab cd", 5, "ab cd"), ("ab cd", 3, "ab"), ("äöü", 3, "ä"), ("", 0, "")]
        {
            assert_eq!(beginning(text, bytes), expected, "{text} {bytes}");
        }
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for (one, other) in [
            ("directories", "directory"),
            ("deleting", "deletes"),
            ("файлы", "файл"),
            ("relations", "relation"),
        ] {
            assert_eq!(stem(one), stem(other), "{one}");
        }
    }

    #[test]
    fn lists_of_words_are_sorted_and_of_stems() {
        assert!(STOP_WORDS.is_sorted() && CHANGES.is_sorted());
        assert!(is_stop_word("the") && !is_stop_word("delete"));
        for word in
            ["deleting", "copies", "scheduled", "installs", "modify", "renamed", "executes", "replies"]
        {
            assert!(is_change(&stem(word)), "{word}");
        }
        assert!(!is_change(&stem("listing")) && !is_change(&stem("many")));
    }
}
