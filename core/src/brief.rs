//! Briefs: the short text by which a model selects a tool, derived where the operator wrote none.

/// The longest derived brief, in characters.
pub const LONGEST: usize = 160;

/// Openings that say nothing about the tool. Longest first, since the first match is dropped.
const BOILERPLATE: &[&str] = &[
    "this tool allows you to ",
    "this tool can be used to ",
    "this tool enables you to ",
    "this tool is used to ",
    "this tool lets you ",
    "this tool will ",
    "this tool ",
    "this function ",
    "use this tool when you need to ",
    "use this tool to ",
    "use this to ",
    "a tool that ",
    "a tool to ",
    "a tool for ",
    "tool that ",
    "tool to ",
    "tool for ",
    "allows you to ",
    "lets you ",
];

/// Lines that begin like this end the part that says WHAT: what follows says HOW.
const SECTIONS: &[&str] = &[
    "arg:",
    "args:",
    "arguments:",
    "parameters:",
    "params:",
    "inputs:",
    "input:",
    "returns:",
    "return:",
    "example:",
    "examples:",
    "usage:",
    "usage example",
    "note:",
    "notes:",
    "output:",
    "outputs:",
];

/// After these a full stop does not end a sentence.
const ABBREVIATIONS: &[&str] =
    &["e.g", "i.e", "etc", "vs", "cf", "approx", "incl", "resp", "no", "max", "min"];

/// Derives a brief: boilerplate openings dropped, the first sentence, no parameters, examples or usage,
/// at most [`LONGEST`] characters, never empty.
///
/// `title` and then `name` stand in where the description says nothing.
///
/// ```
/// use mcp_disclosure_core::brief::derive;
/// assert_eq!(
///     derive("search", None, "This tool allows you to search docs, e.g. by title. Args: q (string)"),
///     "Search docs, e.g. by title."
/// );
/// assert_eq!(derive("get_data", None, " "), "Get data");
/// ```
pub fn derive(name: &str, title: Option<&str>, description: &str) -> String {
    let sentence = first_sentence(&without_sections(description));
    let sentence = without_boilerplate(&sentence);
    let useful = sentence.chars().any(char::is_alphanumeric);
    match title.filter(|title| !title.trim().is_empty()) {
        _ if useful => shorten(&sentence, LONGEST),
        Some(title) => shorten(title.trim(), LONGEST),
        None => shorten(&spoken(name), LONGEST),
    }
}

/// Cuts text to at most `longest` characters: at a word where there is one, and then ending in `…`.
pub fn shorten(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    let head: String = text.chars().take(longest.saturating_sub(1)).collect();
    let at_word = head.rfind(char::is_whitespace).filter(|cut| *cut > 0).map_or(&*head, |cut| &head[..cut]);
    format!("{}…", at_word.trim_end_matches(|c: char| c.is_whitespace() || ",;:-(".contains(c)))
}

/// The prose before the first section heading, one line a paragraph.
fn without_sections(description: &str) -> String {
    let mut prose = String::new();
    for line in description.lines() {
        let line = line.trim().trim_start_matches(['#', '*', '-', '>', '=', '`']).trim();
        let lower = line.to_lowercase();
        let lower = lower.trim_start_matches('*');
        if SECTIONS.iter().any(|section| lower.starts_with(section)) {
            break;
        }
        if line.is_empty() {
            if prose.chars().any(char::is_alphanumeric) {
                break;
            }
            continue;
        }
        if !prose.is_empty() {
            prose.push(' ');
        }
        prose.push_str(line);
    }
    prose
}

fn first_sentence(prose: &str) -> String {
    let words: Vec<&str> = prose.split_whitespace().collect();
    let mut sentence = String::new();
    for (index, word) in words.iter().enumerate() {
        let is_section = SECTIONS.iter().any(|section| {
            section.ends_with(':') && word.to_lowercase() == *section && word.starts_with(char::is_uppercase)
        });
        if is_section && index > 0 {
            break;
        }
        if !sentence.is_empty() {
            sentence.push(' ');
        }
        sentence.push_str(word);
        if ends_sentence(word, words.get(index + 1)) {
            break;
        }
    }
    sentence
}

fn ends_sentence(word: &str, next: Option<&&str>) -> bool {
    let bare = word.trim_end_matches(['"', '\'', ')', ']', '`', '*']);
    if bare.ends_with(['!', '?', '。']) {
        return true;
    }
    let Some(stem) = bare.strip_suffix('.') else { return false };
    let stem = stem.trim_start_matches(['(', '"', '\'']).to_lowercase();
    let abbreviated = ABBREVIATIONS.contains(&stem.as_str()) && next.is_some_and(|next| !starts_upper(next));
    let always = matches!(stem.as_str(), "e.g" | "i.e");
    !abbreviated && !always
}

fn starts_upper(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
}

fn without_boilerplate(sentence: &str) -> String {
    let mut rest = sentence.trim();
    while let Some(opening) = BOILERPLATE.iter().find(|opening| {
        rest.get(..opening.len()).is_some_and(|head| head.eq_ignore_ascii_case(opening))
            && rest[opening.len()..].chars().any(char::is_alphanumeric)
    }) {
        rest = rest[opening.len()..].trim_start();
    }
    capitalized(rest)
}

/// `get_data` and `getData` become "Get data".
fn spoken(name: &str) -> String {
    let mut words = String::new();
    let mut previous_lower = false;
    for character in name.chars() {
        if matches!(character, '_' | '-' | '.' | '/' | ':') {
            if !words.ends_with(' ') {
                words.push(' ');
            }
            previous_lower = false;
        } else {
            if character.is_uppercase() && previous_lower {
                words.push(' ');
            }
            words.extend(character.to_lowercase());
            previous_lower = character.is_lowercase();
        }
    }
    let spoken = capitalized(words.trim());
    if spoken.is_empty() { name.to_owned() } else { spoken }
}

fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keeps_what_and_drops_how() {
        for (description, brief) in [
            ("Echoes back the input string", "Echoes back the input string"),
            ("Reads a file. Only works in allowed directories.", "Reads a file."),
            ("Shows changes\n\nArgs:\n  path: where", "Shows changes"),
            ("# Search\n\nUse this tool to find Node.js 2.0 packages. Then install.", "Search"),
            ("Use this tool to find Node.js v2.0 packages. Then install.", "Find Node.js v2.0 packages."),
            ("This tool", "This tool"),
            ("Get weather for a city (e.g. Paris). Parameters: city", "Get weather for a city (e.g. Paris)."),
            ("Returns data Parameters: a, b", "Returns data"),
            ("天気を取得します。詳細", "天気を取得します。詳細"),
            ("Wow! Great.", "Wow!"),
        ] {
            assert_eq!(derive("a_tool", None, description), brief);
        }
    }

    #[test]
    fn falls_back_to_title_and_name() {
        assert_eq!(derive("x", Some("Fetch page"), "\n--\n"), "Fetch page");
        assert_eq!(derive("browser_takeScreenshot", None, ""), "Browser take screenshot");
        assert_eq!(derive("___", None, ""), "___");
    }

    proptest! {
        #[test]
        fn is_never_empty_nor_too_long(name in "\\PC{1,40}", description in "(\\PC|[ .\n]){0,400}") {
            let brief = derive(&name, None, &description);
            prop_assert!(!brief.trim().is_empty() || name.trim().is_empty());
            prop_assert!(brief.chars().count() <= LONGEST);
        }

        #[test]
        fn shortening_keeps_a_beginning(text in "[a-z ]{0,300}", longest in 2usize..200) {
            let short = shorten(&text, longest);
            prop_assert!(short.chars().count() <= longest);
            prop_assert!(text.starts_with(short.trim_end_matches('…')));
        }
    }
}
