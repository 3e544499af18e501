//! Proposals of what tools could be sorted into: by upstream, by the beginning of their names, and by whether
//! they say that they change anything.

use std::collections::{HashMap, HashSet};

use mcp_disclosure_core::{Category, Tool};

use super::wording;

/// A category with fewer tools is not worth a question.
const FEWEST: usize = 3;

/// Up to this many tools are one category.
const FEW: usize = 6;

/// First words that say what is done, not what it is done to.
const VERBS: &[&str] = &[
    "add", "call", "check", "create", "delete", "do", "execute", "fetch", "find", "get", "is", "list",
    "make", "put", "query", "read", "remove", "run", "search", "send", "set", "show", "update", "write",
];

/// A category that is proposed.
#[derive(Debug)]
pub(super) struct Proposal {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) tools: Vec<String>,
}

/// Sorts the tools that are in no category yet.
pub(super) fn propose(
    tools: &[&Tool],
    declared: &[Category],
    is_unsorted: impl Fn(&Tool) -> bool,
    name_of: impl Fn(&Tool) -> String,
) -> Vec<Proposal> {
    let mut taken: HashSet<String> = tools.iter().map(|tool| tool.key().to_string()).collect();
    taken.extend(declared.iter().map(|category| category.name.clone()));
    taken.extend(tools.iter().filter_map(|tool| tool.supplement().category.clone()));
    let unsorted =
        tools.iter().copied().filter(|tool| tool.supplement().category.is_none() && is_unsorted(tool));
    let mut proposals = Vec::new();
    for (upstream, tools) in grouped(unsorted, |tool| tool.upstream().to_string()) {
        for (name, description, tools) in sort(&upstream, tools) {
            let tools = tools.into_iter().map(&name_of).collect();
            proposals.push(Proposal { name: free(&name, &upstream, &mut taken), description, tools });
        }
    }
    proposals
}

type Sorted<'t> = (String, String, Vec<&'t Tool>);

/// Sorts the tools of one upstream.
fn sort<'t>(upstream: &str, tools: Vec<&'t Tool>) -> Vec<Sorted<'t>> {
    let whole = |tools| vec![(upstream.to_owned(), wording::of_upstream(upstream), tools)];
    if tools.len() <= FEW {
        return whole(tools);
    }
    let shared = shared_words(&tools);
    let families =
        grouped(tools, |tool| words(tool.upstream_name()).into_iter().nth(shared).unwrap_or_default());
    let (families, alone): (Vec<_>, Vec<_>) =
        families.into_iter().partition(|(word, tools)| tools.len() >= FEWEST && is_noun(word));
    let rest: Vec<&Tool> = alone.into_iter().flat_map(|(_, tools)| tools).collect();
    let mut sorted: Vec<Sorted<'t>> = families
        .into_iter()
        .map(|(word, tools)| (word.clone(), wording::of_prefix(upstream, &word), tools))
        .collect();
    let (reading, changing): (Vec<_>, Vec<_>) = rest.into_iter().partition(|tool| only_reads(tool));
    if reading.len() >= FEWEST && changing.len() >= FEWEST {
        sorted.push((format!("{upstream}-reading"), wording::that_only_read(upstream), reading));
        sorted.push((format!("{upstream}-changing"), wording::that_change(upstream), changing));
    } else {
        let rest: Vec<&Tool> = reading.into_iter().chain(changing).collect();
        if !rest.is_empty() {
            sorted.extend(whole(rest));
        }
    }
    sorted
}

fn is_noun(word: &str) -> bool {
    !word.is_empty() && !VERBS.contains(&word)
}

/// In the order in which the keys come first.
fn grouped<'t>(
    tools: impl IntoIterator<Item = &'t Tool>,
    key: impl Fn(&Tool) -> String,
) -> Vec<(String, Vec<&'t Tool>)> {
    let mut groups: Vec<(String, Vec<&Tool>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for tool in tools {
        let key = key(tool);
        let place = *places.entry(key.clone()).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(tool);
    }
    groups
}

/// How many words all names begin with, as `browser_click` and `browser_close` do with one.
fn shared_words(tools: &[&Tool]) -> usize {
    let names: Vec<Vec<String>> = tools.iter().map(|tool| words(tool.upstream_name())).collect();
    let Some((first, others)) = names.split_first() else { return 0 };
    let same = |at: &usize| others.iter().all(|other| other.get(*at) == first.get(*at));
    (0..first.len()).take_while(same).count()
}

fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_lower = false;
    for character in name.chars() {
        let starts_word = is_lower && character.is_uppercase();
        is_lower = character.is_lowercase();
        if starts_word || !character.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn only_reads(tool: &Tool) -> bool {
    let annotations = tool.definition().object("annotations");
    annotations.is_some_and(|annotations| annotations.member("readOnlyHint") == Some("true"))
}

/// A name that neither a tool nor another category has, since `info` is asked for both.
fn free(name: &str, upstream: &str, taken: &mut HashSet<String>) -> String {
    let candidates = [name.to_owned(), format!("{upstream}-{name}"), format!("{name}-tools")];
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut candidates = candidates.into_iter().chain(numbered);
    let free = candidates.find(|name| !taken.contains(name)).unwrap_or_else(|| name.to_owned());
    taken.insert(free.clone());
    free
}
