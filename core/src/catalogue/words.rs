//! How the tools of an upstream are sorted that has no categories of its own: by the words of their names, nouns first.

use std::collections::{BTreeSet, HashMap, HashSet};

/// No category has more tools.
pub(super) const MOST: usize = 40;

/// As many tools are read at a glance.
const GLANCE: usize = 12;

/// What is left is called.
pub(super) const OTHER: &str = "other";

/// Words of names that say what is done, if they stand at an end.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "activate", "add", "append", "apply", "approve", "archive", "assign", "attach", "bulk", "call", "cancel", "check", "clear",
    "clone", "close", "compare", "configure", "connect", "convert", "copy", "count", "create", "deactivate", "delete",
    "deploy", "describe", "detach", "disable", "download", "drop", "edit", "enable", "execute", "explain", "export", "fetch",
    "find", "generate", "get", "give", "handle", "import", "insert", "install", "invoke", "kill", "list", "load", "lookup",
    "make", "manage", "merge", "modify", "monitor", "move", "new", "open", "patch", "pause", "post", "publish", "put", "read",
    "rebase", "remove", "rename", "replace", "reset", "resolve", "restart", "resume", "retrieve", "retry", "revoke", "run",
    "save", "scale", "search", "select", "send", "set", "show", "simulate", "start", "stop", "submit", "switch", "sync",
    "take", "toggle", "transfer", "trigger", "unassign", "unpublish", "update", "upload", "upsert", "validate", "verify",
    "view", "wait", "write",
];

/// Words of names that say nothing about a tool.
#[rustfmt::skip]
const FILLERS: &[&str] = &[
    "a", "all", "an", "and", "as", "at", "batch", "by", "for", "from", "in", "into", "is", "it", "its", "many", "mcp",
    "more", "multiple", "my", "of", "on", "one", "or", "per", "single", "the", "to", "tool", "up", "via", "with",
];

/// A word of a name: as it is compared, as it is written, and whether it says what is done.
struct Word {
    key: String,
    written: String,
    is_verb: bool,
}

/// Tools of one upstream, by name and description, as categories: a word of their names and their places, in the order of the first of
/// each. `None` stands for the upstream as a whole.
pub(super) fn sorted(tools: &[(&str, &str)]) -> Vec<(Option<String>, Vec<usize>)> {
    let words: Vec<Vec<Word>> = tools.iter().map(|(name, _)| words(name)).collect();
    let shared = shared(&words);
    let mut rest: Vec<usize> = (0..tools.len()).collect();
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    if shared.is_none() || tools.len() > GLANCE {
        for with_verbs in [false, true] {
            let is_common = |key: &str| shared.as_deref() == Some(key);
            take(&words, &mut rest, &mut groups, |word| {
                (with_verbs || !word.is_verb) && !is_common(&word.key)
            });
        }
    }
    if shared.is_none() {
        let nouns = groups.iter().enumerate().filter(|(_, (key, _))| !VERBS.contains(&&**key));
        let homes = nouns.map(|(place, (key, _))| (key.clone(), place)).collect();
        rest.retain(|at| !adopt(*at, tools[*at].1, &homes, &mut groups));
    }
    if shared.is_none() && tools.len() <= GLANCE && rest.len() > 1 {
        return vec![(None, (0..tools.len()).collect())];
    }
    groups.sort_by_key(|(_, members)| members.first().copied());
    let whole = groups.is_empty();
    let named = |(key, members): (String, Vec<usize>)| (Some(spelled(&words, &key, &members)), members);
    let mut sorted: Vec<(Option<String>, Vec<usize>)> = groups.into_iter().map(named).collect();
    let name = match shared {
        Some(key) => Some(spelled(&words, &key, &rest)),
        None => Some(OTHER.to_owned()).filter(|_| !whole),
    };
    sorted.push((name, rest));
    sorted.into_iter().flat_map(parts).collect()
}

/// Puts a tool into the category that its description names first, if there is room.
fn adopt(
    at: usize,
    description: &str,
    homes: &HashMap<String, usize>,
    groups: &mut [(String, Vec<usize>)],
) -> bool {
    let words = description.split(|letter: char| !letter.is_alphanumeric());
    let mut homes = words.filter_map(|word| homes.get(&singular(&word.to_lowercase())));
    let home = homes.find(|home| groups[**home].1.len() < MOST);
    home.map(|home| {
        groups[*home].1.push(at);
        groups[*home].1.sort_unstable();
    })
    .is_some()
}

/// Takes the tools that have a word in common out of the rest, those of the most frequent word first.
fn take(
    words: &[Vec<Word>],
    rest: &mut Vec<usize>,
    groups: &mut Vec<(String, Vec<usize>)>,
    counts: impl Fn(&Word) -> bool,
) {
    let keys_of = |at: usize| words[at].iter().filter(|word| counts(word)).map(|word| &*word.key);
    let mut having: HashMap<&str, BTreeSet<usize>> = HashMap::new();
    for at in &*rest {
        for key in keys_of(*at) {
            having.entry(key).or_default().insert(*at);
        }
    }
    let mut order: BTreeSet<_> = having.iter().map(|(key, members)| rank(key, members.len())).collect();
    let mut taken = HashSet::new();
    while let Some((.., key)) = order.pop_last() {
        let members = having.remove(key).unwrap_or_default();
        if members.len() < 2 {
            continue;
        }
        for at in &members {
            for other in keys_of(*at) {
                let Some(others) = having.get_mut(other).filter(|others| others.contains(at)) else {
                    continue;
                };
                order.remove(&rank(other, others.len()));
                others.remove(at);
                order.insert(rank(other, others.len()));
            }
        }
        taken.extend(members.iter().copied());
        groups.push((key.to_owned(), members.into_iter().collect()));
    }
    rest.retain(|at| !taken.contains(at));
}

/// Which word takes its tools first. What is too much for one category is first made less by other words. Of equals the longer
/// word says more.
fn rank(key: &str, size: usize) -> (bool, usize, usize, &str) {
    (size <= MOST, if size <= MOST { size } else { usize::MAX - size }, key.len(), key)
}

/// The words of a name that say something.
fn words(name: &str) -> Vec<Word> {
    let all = name_words(name);
    let all: Vec<String> =
        all.into_iter().filter(|word| !FILLERS.contains(&&**word) && has_letters(word)).collect();
    let has_noun = all.iter().any(|word| !VERBS.contains(&&**word));
    let last = all.len().saturating_sub(1);
    let is_verb = |at: usize, word: &str| has_noun && VERBS.contains(&word) && (at <= 1 || at == last);
    let word = |(at, written): (usize, String)| Word {
        key: singular(&written),
        is_verb: is_verb(at, &written),
        written,
    };
    all.into_iter().enumerate().map(word).collect()
}

fn has_letters(word: &str) -> bool {
    word.chars().any(char::is_alphabetic)
}

/// The last word that all of several names have.
fn shared(words: &[Vec<Word>]) -> Option<String> {
    let (first, others) = words.split_first().filter(|(_, others)| !others.is_empty())?;
    let in_all = |word: &&Word| others.iter().all(|other| other.iter().any(|own| own.key == word.key));
    first.iter().rfind(in_all).map(|word| word.key.clone())
}

/// The shortest form in which the names have a word, which is part of the others as a rule.
fn spelled(words: &[Vec<Word>], key: &str, members: &[usize]) -> String {
    let forms = members.iter().flat_map(|at| &words[*at]).filter(|word| word.key == key);
    forms.map(|word| &*word.written).min_by_key(|form| form.len()).unwrap_or(key).to_owned()
}

/// The words of a name, in lower case, in whatever style it is written: `get_data`, `getHTTPUser`, `listPDFs`.
pub(crate) fn name_words(name: &str) -> Vec<String> {
    let pieces = name.split(|letter: char| !letter.is_alphanumeric()).filter(|piece| !piece.is_empty());
    pieces.flat_map(case_parts).map(str::to_lowercase).collect()
}

/// The parts of a word: they begin where the case changes, but for the plural of `URLs`.
///
/// ```
/// use mcp_disclosure_core::case_parts;
/// assert_eq!(case_parts("getHTTPUser"), ["get", "HTTP", "User"]);
/// assert_eq!(case_parts("listURLsOfAPIv2"), ["list", "URLs", "Of", "APIv2"]);
/// ```
pub fn case_parts(word: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut is_within_capitals) = (Vec::new(), 0, true);
    for (at, letter) in word.char_indices() {
        let next = word[at + letter.len_utf8()..].chars().take(2);
        let is_capitalized = next.filter(|next| next.is_lowercase()).count() == 2;
        if at > 0 && letter.is_uppercase() && (is_capitalized || !is_within_capitals) {
            parts.push(&word[begin..at]);
            begin = at;
        }
        is_within_capitals = letter.is_uppercase();
    }
    parts.push(&word[begin..]);
    parts
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
    let is_plural = word.len() > 3 && !["ss", "us", "is", "as"].iter().any(|ending| word.ends_with(ending));
    word.strip_suffix('s').filter(|_| is_plural).unwrap_or(word).to_owned()
}

/// A category in parts of equal size, if it is too large.
fn parts((name, members): (Option<String>, Vec<usize>)) -> Vec<(Option<String>, Vec<usize>)> {
    let size = members.len().div_ceil(members.len().div_ceil(MOST).max(1)).max(1);
    members.chunks(size).map(|part| (name.clone(), part.to_vec())).collect()
}
