//! Names of groups: 1 to 64 of `a-z`, `0-9` and hyphens, none of these at an end or doubled (docs/CONTRACT.md G3).
//!
//! A name is made of nothing but what the group is: a category, an upstream, or an upstream and its own group. So it stays when
//! anything else changes. Only where two have the same name, the one that comes later by its origin has a suffix, which is
//! made of its own origin again, and not of its place.

use std::collections::HashSet;

use mcp_disclosure_core::{Digest, digest::hex};

/// Maximum length of a name, in characters.
const LONGEST: usize = 64;

/// The length of a suffix with its hyphen.
const SUFFIX: usize = 7;

/// What a group is made of. Of two groups of the same name, the lesser one keeps it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A category of the operator's.
    Declared(String),
    /// An upstream.
    Upstream(String),
    /// A category that was found among the tools of an upstream.
    Found(String, String),
    /// A group that an upstream offers.
    Own(String, String),
}

impl Default for Origin {
    fn default() -> Self {
        Self::Upstream(String::new())
    }
}

impl Origin {
    /// Its text, of which its name is made.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Declared(text) | Self::Upstream(text) => text.clone(),
            Self::Found(upstream, category) => format!("{upstream} {category}"),
            Self::Own(upstream, group) => format!("{upstream}-{group}"),
        }
    }

    /// The suffix of a name that is taken: six hexadecimal digits of its digest.
    fn suffix(&self, attempt: usize) -> String {
        hex(&Digest::of_parts([&*format!("{self:?}"), &*attempt.to_string()]).as_bytes()[..3])
    }
}

/// The name for a text; empty if it has no letter or digit of ASCII.
///
/// ```
/// use mcp_disclosure_strategy_groups::slug::slug;
/// assert_eq!(slug("GitHub: Pull_requests!"), "github-pull-requests");
/// ```
pub fn slug(text: &str) -> String {
    let words: Vec<String> = text
        .split(|character: char| !character.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    cut(&words.join("-"), LONGEST)
}

/// The names of groups, in the same order, no two alike.
pub fn names(origins: &[Origin]) -> Vec<String> {
    let mut order: Vec<usize> = (0..origins.len()).collect();
    // What is spelled like its name keeps it, whatever else comes.
    order.sort_by_key(|at| (slug(&origins[*at].text()) != origins[*at].text(), &origins[*at]));
    let mut taken = HashSet::new();
    let mut names = vec![String::new(); origins.len()];
    for at in order {
        let origin = &origins[at];
        let plain = slug(&origin.text());
        let stem = if plain.is_empty() { "group".to_owned() } else { cut(&plain, LONGEST - SUFFIX) };
        let suffixed = (0..).map(|attempt| format!("{stem}-{}", origin.suffix(attempt)));
        let mut candidates = Some(plain.clone()).filter(|name| !name.is_empty()).into_iter().chain(suffixed);
        names[at] = candidates.find(|name| taken.insert(name.clone())).unwrap_or_default();
    }
    names
}

/// At most `longest` characters, of whole words if there are several.
fn cut(name: &str, longest: usize) -> String {
    if name.len() <= longest {
        return name.to_owned();
    }
    // All characters are ASCII.
    let head = &name[..longest];
    let is_whole = name.as_bytes()[longest] == b'-';
    let head = if is_whole { head } else { head.rfind('-').map_or(head, |end| &head[..end]) };
    head.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_name(name: &str) -> bool {
        (1..=LONGEST).contains(&name.len())
            && name.split('-').all(|word| {
                !word.is_empty()
                    && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            })
    }

    #[test]
    fn g3_names_match_the_grammar_and_are_unique() {
        let texts = ["a", "A", "--a--", "数据库", "データ", "", "a b", "a_b", "é", "x.y/z", "0"];
        let long =
            ["very-long-word-".repeat(9), "x".repeat(300), "x".repeat(301), format!("{}-y", "x".repeat(63))];
        let origins: Vec<Origin> = texts
            .iter()
            .map(|text| (*text).to_owned())
            .chain(long)
            .flat_map(|text| {
                let own = Origin::Own(text.clone(), text.clone());
                let found = Origin::Found(text.clone(), text.clone());
                [Origin::Declared(text.clone()), Origin::Upstream(text), found, own]
            })
            .collect();
        let names = names(&origins);
        assert!(names.iter().all(|name| is_name(name)), "{names:?}");
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
    }

    #[test]
    fn g3_a_name_does_not_depend_on_other_groups_or_their_order() {
        let upstream = |text: &str| Origin::Upstream(text.to_owned());
        let found = Origin::Found("git".to_owned(), "hub".to_owned());
        let all = [found, upstream("git-hub"), upstream("files"), Origin::Declared("Git Hub".to_owned())];
        let given = names(&all);
        assert_eq!((&*given[1], &*given[2]), ("git-hub", "files"));
        let mut reversed = all.clone();
        reversed.reverse();
        let mut again = names(&reversed);
        again.reverse();
        assert_eq!(again, given);
        assert_eq!(names(&all[..3]), given[..3]);
    }

    #[test]
    fn g3_long_names_are_cut_at_a_hyphen() {
        let cut = slug(&"word ".repeat(40));
        assert!(cut.ends_with("word") && cut.len() <= LONGEST, "{cut}");
        assert_eq!(slug(&"x".repeat(70)).len(), LONGEST);
    }
}
