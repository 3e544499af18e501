//! Marks: what a model must know before it chooses a tool, in a few words that are never lost.

use std::fmt;

use super::{headline::name_words, sentence, verbs::is_same};

use super::tables::{
    ADJECTIVES, CALLS, CONFIRMATION, COSTS, DEPRECATED, DESTRUCTIVE, EXPERIMENTAL, GOES, INTERNAL,
    IRREVERSIBLE, LOSS, NEGATIONS, NOT_IN_PRODUCTION, NOT_TO_BE_USED, ON_REQUEST, REPLACED_BY, REPORTS,
    UNSAFE,
};

/// The longest name within a mark, in characters.
const LONGEST_NAME: usize = 40;

/// The longest name within a short mark, in characters.
const SHORT_NAME: usize = 22;

/// A mark of danger, deprecation or a required order of calls. The order is that in which marks are shown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    /// What is to be used instead, if it is said.
    Deprecated(Option<String>),
    NotToBeUsed,
    /// Why, if it is said.
    Unsafe(Option<&'static str>),
    Irreversible,
    Destructive,
    Confirmation,
    OnRequest,
    Costs,
    Internal,
    NotInProduction,
    Experimental,
    /// The tool that is to be called first.
    After(String),
    /// A warning of something else.
    Caution,
}

impl Mark {
    /// Whether it is a mark of the same kind.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// A tool that is called by its title gets the name that a description has for it, all of whose words are in the
    /// title.
    pub(super) fn name_in(&mut self, description: &str) {
        let Self::After(first) = self else { return };
        let title: Vec<String> = sentence::words(first).collect();
        if title.len() < 2 {
            return;
        }
        let is_of_it = |word: &String| {
            let words = name_words(word);
            words.len() > 1 && words.iter().all(|word| title.contains(word))
        };
        let mut names = description.split_whitespace().filter_map(name);
        if let Some(name) = names.find(is_of_it) {
            *first = name;
        }
    }

    /// Whether it is left out of short marks: half of a name is none.
    pub(super) fn is_too_long(&self) -> bool {
        matches!(self, Self::After(first) if first.chars().count() > SHORT_NAME)
    }

    /// The same in fewer characters.
    pub(super) fn short(&self) -> String {
        match self {
            Self::Deprecated(_) => Self::Deprecated(None).to_string(),
            Self::Unsafe(_) => Self::Unsafe(None).to_string(),
            Self::Confirmation => "[confirm]".to_owned(),
            Self::OnRequest => "[on request]".to_owned(),
            Self::Costs => "[costs]".to_owned(),
            Self::Internal => "[internal]".to_owned(),
            other => other.to_string(),
        }
    }

    /// All marks of a sentence. `warns` says that the sentence does nothing but warn or order.
    pub(super) fn all(sentence: &str, warns: bool) -> Vec<Self> {
        let text = Said::new(sentence);
        let mut marks = Vec::new();
        if let Some(replacement) = deprecation(&text) {
            marks.push(Self::Deprecated(replacement));
        }
        if text.any(NOT_TO_BE_USED, |after| matches!(after, "" | "anymore" | "directly")) {
            marks.push(Self::NotToBeUsed);
        }
        if let Some((_, why)) = UNSAFE.iter().find(|(phrase, _)| text.says(phrase)) {
            marks.push(Self::Unsafe(Some(why)));
        }
        if marks.is_empty() && ["[unsafe", "(unsafe)"].iter().any(|phrase| text.says(phrase)) {
            marks.push(Self::Unsafe(None));
        }
        let irreversible = IRREVERSIBLE.iter().any(|phrase| text.says(phrase));
        if irreversible {
            marks.push(Self::Irreversible);
        }
        let destroys = |table: &[&str]| table.iter().any(|phrase| text.says(phrase));
        if !irreversible && (destroys(LOSS) || (warns && destroys(DESTRUCTIVE))) {
            marks.push(Self::Destructive);
        }
        for (phrases, mark) in [
            (CONFIRMATION, Self::Confirmation),
            (ON_REQUEST, Self::OnRequest),
            (COSTS, Self::Costs),
            (INTERNAL, Self::Internal),
            (NOT_IN_PRODUCTION, Self::NotInProduction),
            (EXPERIMENTAL, Self::Experimental),
        ] {
            marks.extend(phrases.iter().any(|phrase| text.says(phrase)).then_some(mark));
        }
        marks.extend(called_first(sentence).map(Self::After));
        marks
    }

    /// The tool that a sentence, which follows one that says no more than that a tool is deprecated, names instead.
    pub(super) fn replacement(sentence: &str) -> Option<String> {
        let lower = sentence.to_lowercase();
        let is_instead = REPLACED_BY.iter().any(|phrase| lower.starts_with(phrase));
        is_instead.then(|| replacement(sentence)).flatten()
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deprecated(None) => formatter.write_str("[deprecated]"),
            Self::Deprecated(Some(instead)) => write!(formatter, "[deprecated: use {instead}]"),
            Self::NotToBeUsed => formatter.write_str("[do not use]"),
            Self::Unsafe(None) => formatter.write_str("[unsafe]"),
            Self::Unsafe(Some(why)) => write!(formatter, "[unsafe: {why}]"),
            Self::Irreversible => formatter.write_str("[irreversible]"),
            Self::Destructive => formatter.write_str("[destructive]"),
            Self::Confirmation => formatter.write_str("[requires confirmation]"),
            Self::OnRequest => formatter.write_str("[only on request]"),
            Self::Internal => formatter.write_str("[internal use only]"),
            Self::NotInProduction => formatter.write_str("[not in production]"),
            Self::Experimental => formatter.write_str("[experimental]"),
            Self::Costs => formatter.write_str("[may incur costs]"),
            Self::After(first) => write!(formatter, "[call {first} first]"),
            Self::Caution => formatter.write_str("[caution]"),
        }
    }
}

/// A sentence in lower case, in which phrases are found as whole words that nothing negates.
struct Said<'s> {
    text: &'s str,
    lower: String,
    /// Whether it is about a tool that says how something else is.
    reports: bool,
}

impl<'s> Said<'s> {
    fn new(text: &'s str) -> Self {
        let lower = text.to_lowercase().replace('’', "'");
        let verb = sentence::words(sentence::without_openings(text)).next();
        let reports = verb.is_some_and(|verb| REPORTS.iter().any(|own| is_same(own, &verb)));
        Self { text, lower, reports }
    }

    fn says(&self, phrase: &str) -> bool {
        self.lower.match_indices(phrase).any(|(at, _)| {
            let (before, after) = (&self.lower[..at], &self.lower[at + phrase.len()..]);
            let is_whole = !before.ends_with(char::is_alphanumeric);
            let is_plain = phrase.contains(' ') || !after.starts_with(|next: char| next.is_alphanumeric());
            let mut words = before.rsplit(|letter: char| !letter.is_alphanumeric() && letter != '\'');
            let is_negated =
                words.find(|word| !word.is_empty()).is_some_and(|word| NEGATIONS.contains(&word));
            let is_reported = self.reports
                && (before.contains("whether ")
                    || before.contains(" if ")
                    || (ADJECTIVES.contains(&phrase) && !before.trim_end().ends_with("is")));
            is_whole && is_plain && !is_negated && !is_reported
        })
    }

    /// Whether one of the phrases is there, followed by a word that meets a condition.
    fn any(&self, phrases: &[&str], next: impl Fn(&str) -> bool) -> bool {
        phrases.iter().any(|phrase| {
            self.lower.split_once(phrase).is_some_and(|(_, after)| {
                next(
                    after
                        .trim_start()
                        .split(|letter: char| !letter.is_alphanumeric())
                        .next()
                        .unwrap_or_default(),
                )
            })
        })
    }
}

/// Whether a sentence says that the tool is deprecated, and what replaces it.
fn deprecation(said: &Said<'_>) -> Option<Option<String>> {
    let lower = said.lower.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let goes = |phrase: &&&str| {
        let before = lower.split_once(**phrase).map(|(before, _)| before);
        before.is_some_and(|before| {
            before.is_empty()
                || ["this ", "it ", "the tool", "tool ", "legacy"].iter().any(|own| before.starts_with(own))
        })
    };
    if GOES.iter().any(|phrase| goes(&phrase)) {
        return Some(replacement(said.text));
    }
    let mut found = DEPRECATED.iter().filter_map(|word| Some((word, lower.find(word)?)));
    let (word, at) = found.next()?;
    let (before, after) = (&lower[..at], lower[at + word.len()..].trim_start());
    let words = before.split_whitespace().count();
    let is_bracketed =
        before.ends_with(['(', '[', ':', '-', '|', '*']) || before.trim_end().ends_with(['—', '–', '-']);
    let is_statement = before.trim_end().ends_with(" is")
        || before.trim_end().ends_with("been")
        || before.trim_end().ends_with(" now")
        || before.trim_end().ends_with("are");
    let of_tool = ["this ", "it ", "the tool", "tool ", "the endpoint", "note"]
        .iter()
        .any(|subject| before.starts_with(subject));
    let ends = after.is_empty() || after.starts_with(|next: char| !next.is_alphanumeric());
    let goes_on = ["use", "in favo", "since", "as of", "tool", "please", "by ", "and ", "alias", "version"];
    let about_tool = if before.is_empty() {
        ends || goes_on.iter().any(|word| after.starts_with(word)) || !lower.is_ascii()
    } else if is_bracketed {
        ends || goes_on.iter().any(|word| after.starts_with(word))
    } else {
        (is_statement && (of_tool || words <= 3)) || (!lower.is_ascii() && words <= 4)
    };
    about_tool.then(|| replacement(said.text))
}

/// What is to be used instead, as a sentence says it: a name, or a few words.
fn replacement(sentence: &str) -> Option<String> {
    let lower = sentence.to_lowercase();
    // Lower case can have another length.
    let text = if lower.len() == sentence.len() { sentence } else { &lower };
    let at = REPLACED_BY.iter().find_map(|phrase| {
        lower
            .match_indices(phrase)
            .map(|(at, _)| at)
            .find(|at| !lower[..*at].ends_with(char::is_alphanumeric))
            .map(|at| at + phrase.len())
    })?;
    let rest = text.get(at..)?.trim_start();
    if let Some(name) = name(rest) {
        return Some(name);
    }
    let words =
        rest.split_whitespace().take_while(|word| !["instead", "for", "when", "if", "to"].contains(word));
    let mut few = Vec::new();
    for word in words.take(4) {
        few.push(word.trim_end_matches(['.', ',', ';', ')', ']']));
        if word.ends_with(['.', ',', ';', ')', ']']) {
            break;
        }
    }
    let few = few.strip_prefix(&["the"]).unwrap_or(&few).join(" ");
    let is_useful = !few.is_empty() && few.chars().count() <= LONGEST_NAME && few != "it" && few != "this";
    is_useful.then_some(few)
}

/// The name of a tool at the beginning of a text: quoted, or of several parts.
fn name(text: &str) -> Option<String> {
    let text = text.strip_prefix("the ").unwrap_or(text);
    let quote = text.chars().next().filter(|first| "`'\"“‘".contains(*first));
    let quoted = quote.and_then(|first| {
        let last = match first {
            '“' => '”',
            '‘' => '’',
            same => same,
        };
        let inner = &text[first.len_utf8()..];
        Some(&inner[..inner.find(last)?])
    });
    if let Some(name) = quoted.filter(|name| !name.is_empty() && name.chars().count() <= LONGEST_NAME) {
        return Some(name.to_owned());
    }
    let word = text.split_whitespace().next()?;
    let is_edge = |letter: char| !letter.is_alphanumeric() && letter != '_';
    let bare = word.trim_matches(is_edge).trim_end_matches("'s");
    let is_identifier = !bare.is_empty()
        && bare.chars().all(|letter| letter.is_alphanumeric() || "_-./:".contains(letter))
        && bare.chars().count() <= LONGEST_NAME;
    let mut letters = bare.chars().skip(1);
    let has_parts = bare.contains(['_', '-'])
        || (bare.starts_with(char::is_lowercase) && letters.any(char::is_uppercase));
    (is_identifier && has_parts).then(|| bare.to_owned())
}

/// The tool that a sentence wants to be called first.
fn called_first(sentence: &str) -> Option<String> {
    let lower = sentence.to_lowercase();
    if ["if ", "for ", "to ", "when "].iter().any(|condition| lower.starts_with(condition)) {
        return None;
    }
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let plain = |word: &str| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    let orders = lower.starts_with("first call")
        || lower.contains("need to ")
        || lower.contains("must ")
        || lower.contains("always ")
        || lower.contains("required")
        || lower.contains("requires");
    let comes_before = lower.starts_with("before ") || lower.contains(" before ");
    let is_before = lower.starts_with("before ") || lower.starts_with("first") || (comes_before && orders);
    // The first few: each is compared with what follows.
    let calls = words.iter().enumerate().filter(|(_, word)| CALLS.contains(&&*plain(word))).take(8);
    let mut named = calls.filter_map(|(at, _)| {
        let after = words.get(at + 1..)?;
        // "the first page" is none.
        let is_order = |pair: &[&str]| plain(pair[1]) == "first" && !["the", "its", "a"].contains(&pair[0]);
        let is_first = is_before || (orders && words[at..].windows(2).any(is_order));
        let is_parameter = after
            .iter()
            .take(3)
            .any(|word| ["parameter", "argument", "option", "field"].contains(&&*plain(word)));
        (is_first && !is_parameter)
            .then(|| name(&after.iter().take(16).copied().collect::<Vec<_>>().join(" ")))
            .flatten()
    });
    // "X must be called first"
    let passive = || {
        let is_passive = lower.contains("must be called") || lower.contains("must be run");
        let is_first = comes_before || words.last().is_some_and(|word| plain(word) == "first");
        (is_passive && is_first).then(|| name(sentence)).flatten()
    };
    named.next().or_else(passive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b1_marks_are_found_in_sentences() {
        for (sentence, marks) in [
            ("DEPRECATED: Use read_text_file instead.", "[deprecated: use read_text_file]"),
            ("[DEPRECATED] Lists pages.", "[deprecated]"),
            ("This tool is deprecated in favor of `search-v2`.", "[deprecated: use search-v2]"),
            (
                "This endpoint has been deprecated, please use the new search API instead.",
                "[deprecated: use new search API]",
            ),
            ("Deprecated since 3.2.", "[deprecated]"),
            ("Lists deprecated functions of a module.", ""),
            ("Find packages whose licence is deprecated.", ""),
            ("已弃用。", "[deprecated]"),
            ("Unsafe: executes arbitrary JavaScript and is RCE-equivalent.", "[unsafe: RCE-equivalent]"),
            ("This action cannot be undone.", "[irreversible]"),
            ("A non-destructive, reversible change.", ""),
            ("Use with caution as it will overwrite existing files without warning.", "[destructive]"),
            ("Deletes without user confirmation.", "[destructive]"),
            ("Requires confirmation.", "[requires confirmation]"),
            ("You MUST call get_context first.", "[call get_context first]"),
            ("You MUST call 'resolve-library-id' before using this tool.", "[call resolve-library-id first]"),
            ("Before calling this tool, call `listProjects`.", "[call listProjects first]"),
            ("You can get all messages by calling list_console_messages.", ""),
            ("Returns the first page; use next_page for others.", ""),
            ("Use the 'head' parameter to read the first lines.", ""),
            ("Only use when explicitly requested by the user.", "[only on request]"),
            ("This makes a call which may incur costs.", "[may incur costs]"),
            ("Do not use this tool for large files.", ""),
            ("Do NOT use this tool.", "[do not use]"),
        ] {
            let found: Vec<String> = Mark::all(sentence, true).iter().map(Mark::to_string).collect();
            assert_eq!(found.join(" "), marks, "{sentence}");
        }
    }
}
