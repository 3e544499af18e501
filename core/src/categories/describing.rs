//! What a category is for, in one line that a model reads before it looks into it.

use std::collections::{HashMap, HashSet};

use super::subject::Subject;
use crate::{brief::LONGEST, tool::Tool};

/// The most things and verbs that are named.
const MOST_THINGS: usize = 12;
const MOST_VERBS: usize = 6;

/// The descriptions in which names of products are looked for.
const MOST_READ: usize = 64;

/// A tool and what it is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Described<'t> {
    pub(super) tool: &'t Tool,
    pub(super) subject: &'t Subject,
}

/// The description of a group of one upstream's tools. Without a subject these are all of its tools.
pub(super) fn of_group(tools: &[Described<'_>], subject: Option<&str>, common: &[String]) -> String {
    let Some(first) = tools.first() else { return String::new() };
    let origin = first.tool.origin();
    match (subject, &origin.description) {
        (None, Some(said)) => match product(tools).filter(|product| !names(said, product)) {
            Some(product) => line(&format!("{product}: {said}")),
            None => line(said),
        },
        (None, None) => of_things(tools),
        (Some(subject), _) => {
            let front =
                product(tools).map_or_else(|| subject.to_owned(), |product| format!("{product} {subject}"));
            let verbs = ranked(tools.iter().map(|tool| tool.subject.verb.clone()), MOST_VERBS);
            filled(&front, &[verbs, nouns(tools, common)])
        }
    }
}

/// The product, and the things that tools are about.
pub(super) fn of_things(tools: &[Described<'_>]) -> String {
    let one = tools.iter().all(|tool| tool.tool.upstream() == tools[0].tool.upstream());
    let product = product(tools).filter(|_| one);
    let things = things(tools);
    match product {
        Some(product) => filled(&product, &[things]),
        None if things.is_empty() => line(&format!("tools of {}", tools[0].tool.upstream())),
        None => filled("", &[things]),
    }
}

/// The product of an upstream's tools, with a name in front that its descriptions use and its title does not: "AWS"
/// before a server for IAM.
fn product(tools: &[Described<'_>]) -> Option<String> {
    let title = tools.first()?.tool.origin().product.as_ref()?.title().to_owned();
    let brand = brand(tools, &title).filter(|brand| !names(&title, brand));
    Some(brand.map_or_else(|| title.clone(), |brand| format!("{brand} {title}")))
}

/// Whether a text has one of the words of a name.
fn names(text: &str, name: &str) -> bool {
    let said: HashSet<String> = words(text).map(str::to_lowercase).collect();
    words(name).any(|word| said.contains(&word.to_lowercase()))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The name in capitals that most descriptions have: a product's, such as AWS.
fn brand(tools: &[Described<'_>], title: &str) -> Option<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let read = tools.iter().take(MOST_READ);
    for described in read.clone() {
        let description = described.tool.definition().string("description").unwrap_or_default();
        let all: Vec<&str> = words(&description).collect();
        let is_brand = |at: &usize| {
            let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|at| all.get(at));
            // Beside others it is an exclamation, or one of several.
            is_capitals(all[*at])
                && all[*at].len() <= 6
                && !GENERIC.contains(&all[*at])
                && beside.filter(|word| is_capitals(word)).all(|word| names(title, word))
        };
        let capitals = (0..all.len()).filter(is_brand).map(|at| all[at]);
        let own: HashSet<&str> = capitals.collect();
        own.into_iter().for_each(|word| *counts.entry(word.to_owned()).or_default() += 1);
    }
    let most = counts.into_iter().max_by(|one, other| one.1.cmp(&other.1).then_with(|| other.0.cmp(&one.0)));
    most.filter(|(_, count)| *count * 3 >= read.len() && *count >= 2).map(|(word, _)| word)
}

fn is_capitals(word: &str) -> bool {
    word.len() > 1 && word.chars().all(|letter| letter.is_ascii_uppercase())
}

/// Words in capitals that are no products.
#[rustfmt::skip]
const GENERIC: &[&str] = &[
    "DIR", "FILE",
    "ALL", "ALWAYS", "AND", "API", "BEST", "COST", "CSS", "CSV", "DO", "DOM", "FOR", "HTML", "HTTP",
    "HTTPS", "ID", "IDS", "IF", "ISO", "JSON", "MCP", "MIME", "MUST", "NEVER", "NO", "NOT", "NOTE", "ONLY",
    "OR", "PDF", "SQL", "THE", "THIS", "UI", "UID", "URI", "URL", "URLS", "USE", "UTC", "UTF", "UUID",
    "WHEN", "XML", "YAML", "YOU",
];

/// What tools are about: the nouns of their names, and what they do where there are none.
fn things(tools: &[Described<'_>]) -> Vec<String> {
    let without = tools.iter().filter(|tool| tool.subject.nouns.is_empty());
    let verbs = ranked(without.map(|tool| tool.subject.verb.clone()), MOST_THINGS);
    let mut things = nouns(tools, &[]);
    things.extend(verbs);
    things
}

/// The nouns of names, the most frequent first, in the plural where one of them is.
fn nouns(tools: &[Described<'_>], common: &[String]) -> Vec<String> {
    let mut forms: HashMap<String, String> = HashMap::new();
    for Described { subject, .. } in tools {
        let (singular, written) = (subject.singular_thing(common), subject.thing(common));
        let form = forms.entry(singular.clone()).or_insert_with(|| written.clone());
        if written != singular {
            *form = written;
        }
    }
    let of =
        |tool: &Described<'_>| forms.get(&tool.subject.singular_thing(common)).cloned().unwrap_or_default();
    ranked(tools.iter().map(of), MOST_THINGS)
}

/// Texts without repetitions, the most frequent first, and else in order.
fn ranked(texts: impl Iterator<Item = String>, most: usize) -> Vec<String> {
    let mut counted: Vec<(String, usize)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for text in texts.filter(|text| !text.is_empty()) {
        let place = *places.entry(text.clone()).or_insert_with(|| {
            counted.push((text, 0));
            counted.len() - 1
        });
        counted[place].1 += 1;
    }
    counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counted.into_iter().take(most).map(|(text, _)| text).collect()
}

/// A front and lists of words, as far as they fit.
fn filled(front: &str, lists: &[Vec<String>]) -> String {
    let mut text = front.to_owned();
    let mut separator = if front.is_empty() { "" } else { ": " };
    'lists: for list in lists {
        for word in list {
            let more = format!("{text}{separator}{word}");
            if !LONGEST.holds(&more) {
                break 'lists;
            }
            text = more;
            separator = ", ";
        }
        separator = if text == front { separator } else { "; " };
    }
    line(&text)
}

fn line(text: &str) -> String {
    LONGEST.shorten(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}
