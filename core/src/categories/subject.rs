//! What a tool is about: the verb and the nouns of its name.

use std::collections::HashMap;

use crate::{
    brief::{Verb, is_verb_in_names, is_verb_only, name_words},
    tool::Tool,
};

/// Words of names that say nothing about a tool.
#[rustfmt::skip]
const FILLERS: &[&str] = &[
    "a", "all", "an", "and", "api", "at", "batch", "bulk", "by", "for", "from", "in", "into", "is", "it",
    "its", "mcp", "more", "multiple", "my", "new", "of", "on", "one", "or", "per", "single", "the", "to",
    "tool", "up", "via", "with",
];

/// What one tool is about.
#[derive(Clone, Debug, Default)]
pub(super) struct Subject {
    /// What it does, in lower case; empty if the name does not say.
    pub(super) verb: String,
    /// What it does that to, in the order of the name, as written and as compared.
    pub(super) nouns: Vec<Noun>,
    /// The category that the upstream's own annotations give it.
    pub(super) category: Option<String>,
}

/// A word of a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Noun {
    pub(super) written: String,
    pub(super) singular: String,
}

impl Subject {
    /// The subjects of tools of one upstream. Words that all names begin with are left out.
    pub(super) fn all<'t>(tools: impl Iterator<Item = &'t Tool>) -> Vec<Self> {
        let tools: Vec<&Tool> = tools.collect();
        let names: Vec<Vec<String>> = tools.iter().map(|tool| name_words(tool.upstream_name())).collect();
        let shared = shared(&names);
        tools.iter().zip(names).map(|(tool, words)| Self::of(tool, &words[shared..])).collect()
    }

    fn of(tool: &Tool, words: &[String]) -> Self {
        let is_first = |is_verb: fn(&str) -> bool| {
            words.first().is_some_and(|word| words.len() > 1 && is_verb(word)).then_some(0)
        };
        let at = is_first(is_verb_in_names)
            .or_else(|| words.iter().position(|word| is_verb_only(word)))
            .or_else(|| words.iter().position(|word| is_verb_in_names(word)))
            .or_else(|| is_first(|word| Verb::of(word).is_some()));
        let is_noun = |(place, word): &(usize, &String)| {
            Some(*place) != at
                && !FILLERS.contains(&&***word)
                && !is_verb_only(word)
                && !word.chars().all(|letter| letter.is_ascii_digit())
        };
        let nouns = words.iter().enumerate().filter(is_noun).map(|(_, word)| Noun::of(word));
        let nouns: Vec<Noun> = nouns.collect();
        let verb = match at {
            Some(at) => words[at].clone(),
            None if nouns.is_empty() => words.join(" "),
            None => String::new(),
        };
        let annotations = tool.definition().object("annotations");
        let meta = || tool.definition().object("_meta");
        let category = annotations.and_then(|annotations| annotations.string("category"));
        let category = category.or_else(|| meta()?.string("category"));
        Self { verb, nouns, category: category.filter(|category| is_short_line(category)) }
    }

    /// What it does that to, as a phrase, without nouns that a group has in common.
    pub(super) fn thing(&self, common: &[String]) -> String {
        let own = self.nouns.iter().filter(|noun| !common.contains(&noun.singular));
        own.map(|noun| &*noun.written).collect::<Vec<_>>().join(" ")
    }

    /// The same, by which things are compared.
    pub(super) fn singular_thing(&self, common: &[String]) -> String {
        let own = self.nouns.iter().filter(|noun| !common.contains(&noun.singular));
        own.map(|noun| &*noun.singular).collect::<Vec<_>>().join(" ")
    }
}

impl Noun {
    fn of(word: &str) -> Self {
        Self { written: word.to_owned(), singular: singular(word) }
    }
}

fn is_short_line(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= 40 && !text.contains(char::is_control)
}

/// How many words all names begin with; every name keeps one.
fn shared(names: &[Vec<String>]) -> usize {
    let Some((first, others)) = names.split_first() else { return 0 };
    if others.is_empty() {
        return 0;
    }
    let most = names.iter().map(Vec::len).min().unwrap_or_default().saturating_sub(1);
    let same = |at: &usize| others.iter().all(|other| other.get(*at) == first.get(*at));
    (0..most).take_while(same).count()
}

/// A plain English singular: what only compares need be no word.
fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return format!("{stem}y");
    }
    for (ending, kept) in [("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh")] {
        if let Some(stem) = word.strip_suffix(ending) {
            return format!("{stem}{kept}");
        }
    }
    let is_plural = word.ends_with('s')
        && word.len() > 3
        && !["ss", "us", "is", "as"].iter().any(|ending| word.ends_with(ending));
    if is_plural { word[..word.len() - 1].to_owned() } else { word.to_owned() }
}

/// The forms of a noun that tools use most, by its singular: the plural where there is one.
pub(super) fn spelled<'s>(nouns: impl Iterator<Item = &'s Noun>) -> HashMap<&'s str, &'s str> {
    let mut forms: HashMap<&str, &str> = HashMap::new();
    for noun in nouns {
        let form = forms.entry(&noun.singular).or_insert(&noun.written);
        if noun.written != noun.singular {
            *form = &noun.written;
        }
    }
    forms
}
