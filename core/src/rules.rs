//! Rules: what an operator says of single tools, resources and prompts, by name or by pattern.
//!
//! What names a thing to the letter is stronger than a pattern, and stands above a description file; a pattern
//! stands below it. Among patterns the first that says something counts.

use std::collections::HashMap;

use wildmatch::WildMatch;

use crate::{raw::RawObject, snapshot::Kind};

/// All rules, in the order in which they were written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules {
    /// Of tools, by the names they are served under.
    pub tools: Vec<Rule>,
    /// Of resources and resource templates, by URI.
    pub resources: Vec<Rule>,
    /// Of prompts, by the names they are served under.
    pub prompts: Vec<Rule>,
}

/// What is said of everything that a pattern matches.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// What it is about.
    pub pattern: Pattern,
    /// Where it is written, for messages.
    pub place: String,
    /// The text for selection; tools only.
    pub brief: Option<String>,
    /// The category; tools only.
    pub category: Option<String>,
    /// Values by concern, as a description file has them.
    pub concerns: Option<RawObject>,
    /// Whether it does not exist for clients.
    pub hidden: Option<bool>,
}

/// A name or URI, in which `*` stands for any text and `?` for any one character.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    text: String,
    wild: Option<WildMatch>,
}

impl Pattern {
    /// Takes any text.
    pub fn new(text: &str) -> Self {
        let wild = text.contains(['*', '?']).then(|| WildMatch::new(text));
        Self { text: text.to_owned(), wild }
    }

    /// The pattern as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it can match more than itself.
    pub fn is_wild(&self) -> bool {
        self.wild.is_some()
    }

    /// Whether it matches; a name that is written like the pattern is matched by it, too.
    pub fn matches(&self, key: &str) -> bool {
        self.text == key || self.wild.as_ref().is_some_and(|wild| wild.matches(key))
    }
}

impl Rule {
    /// A rule that says nothing yet.
    pub fn new(pattern: &str, place: String) -> Self {
        let pattern = Pattern::new(pattern);
        Self { pattern, place, brief: None, category: None, concerns: None, hidden: None }
    }
}

impl Rules {
    /// Whether a resource or resource template is hidden.
    pub fn hide_resource(&self, uri: &str) -> bool {
        let exact = self.resources.iter().filter(|rule| rule.pattern.text() == uri);
        let wild = self.resources.iter().filter(|rule| rule.pattern.matches(uri));
        exact.chain(wild).find_map(|rule| rule.hidden).unwrap_or(false)
    }

    fn of(&self, kind: Kind) -> &[Rule] {
        match kind {
            Kind::Tools => &self.tools,
            Kind::Resources | Kind::Templates => &self.resources,
            Kind::Prompts => &self.prompts,
        }
    }
}

/// The rules of one kind, findable by key, and which of them were about anything.
#[derive(Debug)]
pub(crate) struct Index<'r> {
    rules: &'r [Rule],
    by_name: HashMap<&'r str, Vec<usize>>,
    wild: Vec<usize>,
    used: Vec<bool>,
}

impl<'r> Index<'r> {
    pub(crate) fn new(rules: &'r Rules, kind: Kind) -> Self {
        let rules = rules.of(kind);
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, rule) in rules.iter().enumerate() {
            by_name.entry(rule.pattern.text()).or_default().push(at);
        }
        let wild = (0..rules.len()).filter(|at| rules[*at].pattern.is_wild()).collect();
        Self { rules, by_name, wild, used: vec![false; rules.len()] }
    }

    /// Everything that is said of a key.
    pub(crate) fn said_of(&mut self, key: &str) -> Said<'r> {
        let by_name = self.by_name.get(key).cloned().unwrap_or_default();
        let matching = self.wild.iter().filter(|at| self.rules[**at].pattern.matches(key));
        let by_pattern: Vec<usize> = matching.copied().collect();
        by_name.iter().chain(&by_pattern).for_each(|at| self.used[*at] = true);
        let rules = |places: Vec<usize>| places.into_iter().map(|at| &self.rules[at]).collect();
        Said { by_name: rules(by_name), by_pattern: rules(by_pattern) }
    }

    /// The rules that were about nothing.
    pub(crate) fn unused(&self) -> impl Iterator<Item = &'r Rule> {
        self.rules.iter().zip(&self.used).filter(|(_, used)| !**used).map(|(rule, _)| rule)
    }
}

/// What rules say of one thing.
#[derive(Debug)]
pub(crate) struct Said<'r> {
    by_name: Vec<&'r Rule>,
    by_pattern: Vec<&'r Rule>,
}

impl<'r> Said<'r> {
    /// The strongest word on a matter; `filed` is what a description file has to say.
    pub(crate) fn strongest<T>(&self, filed: Option<T>, word: impl Fn(&'r Rule) -> Option<T>) -> Option<T> {
        let by_name = self.by_name.iter().find_map(|rule| word(rule));
        by_name.or(filed).or_else(|| self.by_pattern.iter().find_map(|rule| word(rule)))
    }

    /// Whether it is hidden.
    pub(crate) fn is_hidden(&self) -> bool {
        self.strongest(None, |rule| rule.hidden).unwrap_or(false)
    }

    /// What all of them say of concerns, name by name.
    pub(crate) fn concerns(&self, filed: Option<RawObject>) -> Option<RawObject> {
        let wild = self.by_pattern.iter().rev().filter_map(|rule| rule.concerns.clone());
        let named = self.by_name.iter().rev().filter_map(|rule| rule.concerns.clone());
        wild.chain(filed).chain(named).reduce(|weaker, stronger| {
            stronger.iter().fold(weaker, |merged, (name, value)| merged.with(name, value))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(written: &[(&str, &str)]) -> Rules {
        let rule = |(pattern, brief): &(&str, &str)| Rule {
            brief: Some((*brief).to_owned()),
            ..Rule::new(pattern, String::new())
        };
        Rules { tools: written.iter().map(rule).collect(), ..Rules::default() }
    }

    #[test]
    fn a_name_is_stronger_than_a_file_and_a_file_than_a_pattern() {
        let rules = rules(&[("git_*", "wild"), ("*", "wilder"), ("git_log", "named"), ("git_?", "none")]);
        let mut index = Index::new(&rules, Kind::Tools);
        let mut brief = |key: &str, filed: Option<&str>| {
            let brief = index.said_of(key).strongest(filed.map(str::to_owned), |rule| rule.brief.clone());
            brief.unwrap()
        };
        assert_eq!(brief("git_log", Some("filed")), "named");
        assert_eq!(brief("git_add", Some("filed")), "filed");
        assert_eq!(brief("git_add", None), "wild");
        assert_eq!(brief("svn", None), "wilder");
        let unused: Vec<_> = index.unused().map(|rule| rule.pattern.text()).collect();
        assert_eq!(unused, ["git_?"]);
    }

    #[test]
    fn a_pattern_matches_what_is_written_like_it() {
        for (pattern, key, matches) in [
            ("a*", "abc", true),
            ("a?", "abc", false),
            ("file://*", "file:///a/b?c", true),
            ("x[1]*", "x[1]*", true),
            ("x{id}", "x{id}", true),
            ("x", "X", false),
        ] {
            assert_eq!(Pattern::new(pattern).matches(key), matches, "{pattern} {key}");
        }
    }

    #[test]
    fn concerns_are_merged_name_by_name() {
        let rule = |pattern: &str, concerns: &str| Rule {
            concerns: Some(RawObject::parse(concerns).unwrap()),
            ..Rule::new(pattern, String::new())
        };
        let rules = Rules {
            tools: vec![rule("*", r#"{"a":1,"b":1,"c":1}"#), rule("t", r#"{"a":3}"#)],
            ..Rules::default()
        };
        let said = Index::new(&rules, Kind::Tools).said_of("t");
        let merged = said.concerns(Some(RawObject::parse(r#"{"b":2}"#).unwrap())).unwrap();
        assert_eq!(merged.text(), r#"{"a":3,"b":2,"c":1}"#);
    }
}
