//! Which rules are about a tool or prompt, and what they say together.
//!
//! A rule names a thing by `upstream/name`, by `upstream__name`, or by its bare name, which means that of every
//! upstream; each of them may be a pattern. Whether it matches depends on the thing alone and never on what other
//! upstreams bring, so that nothing is uncovered when one of them is missing or changes.
//!
//! What names a thing with its upstream is stronger than its bare name, and both are stronger than its description
//! file; that is stronger than a pattern. Among patterns the first that says something counts.
//!
//! `hidden` is read more widely than the rest: a text with `/` in it may be a bare name as well; a pattern without an
//! upstream is held against `upstream__name`, too, where there is more than one upstream; and where an upstream named
//! itself, a rule that names an upstream that is not there hides its tools of that name. It also holds against the name
//! that the operator gives a thing (see `naming`), in each of the three forms. What un-hides is read narrowly: `a/x` then
//! means `x` of `a` and nothing else.

use std::collections::{HashMap, HashSet};

use crate::{
    catalogue::{
        lock::DefinitionChange,
        pattern::{CLASH_SEPARATOR, Pattern, SEPARATOR},
        rules::Rule,
    },
    name::UpstreamName,
    raw::RawObject,
};

/// A tool or prompt as an upstream brings it.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) upstream: UpstreamName,
    /// Whether its upstream chose its own name.
    pub(crate) self_named: bool,
    /// Its own name.
    pub(crate) own: String,
    /// The name that the operator gives it, or its own.
    pub(crate) named: String,
    /// The name it is served by: this, or `<upstream>__<own>` where another has that name.
    pub(crate) served: String,
    pub(crate) object: RawObject,
    /// Why it does not exist until it is accepted. What is new does not take a name from others either.
    pub(crate) held: Option<DefinitionChange>,
}

impl Item {
    /// Whether it is held and was never accepted, so that nothing depends on it.
    pub(crate) fn is_held_as_new(&self) -> bool {
        self.held.as_ref().is_some_and(|change| change.before.is_none())
    }

    /// Whether the operator gives it another name.
    pub(crate) fn is_named(&self) -> bool {
        self.named != self.own
    }
}

/// What is there, as far as it matters to how rules are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownUpstreams<'a> {
    /// The names of the upstreams that are there.
    pub(crate) upstreams: &'a HashSet<&'a str>,
    /// Whether one upstream is all that was configured, so that names never clash.
    pub(crate) alone: bool,
}

/// What all rules say of all things of a kind.
#[derive(Debug)]
pub(crate) struct Matched<'r> {
    /// In the order of the items.
    pub(crate) said: Vec<MatchedRules<'r>>,
    /// The rules that are about nothing.
    pub(crate) unused: Vec<&'r Rule>,
}

impl<'r> Matched<'r> {
    /// Applies rules to items.
    pub(crate) fn of(rules: &'r [Rule], items: &[Item], known: KnownUpstreams<'_>) -> Self {
        let index = Index::new(rules);
        let mut used = vec![false; rules.len()];
        let mut said: Vec<MatchedRules<'r>> =
            items.iter().map(|item| index.said_of(item, known, &mut used)).collect();
        let stray = stray(rules, known, &used);
        for (item, said) in items.iter().zip(&mut said).filter(|(item, _)| item.self_named) {
            for (at, _) in stray.iter().filter(|(_, name)| name.matches(&item.own)) {
                used[*at] = true;
                said.is_stray = true;
            }
        }
        let unused = rules.iter().zip(used).filter(|(_, used)| !used).map(|(rule, _)| rule).collect();
        Self { said, unused }
    }
}

/// The rules that hide things of upstreams that are not there, with the pattern of the things' names. An upstream that
/// chose its own name may have chosen another one since the rule was written.
fn stray(rules: &[Rule], known: KnownUpstreams<'_>, used: &[bool]) -> Vec<(usize, Pattern)> {
    let is_there = |upstream: &str| {
        let upstream = Pattern::new(upstream);
        known.upstreams.iter().any(|name| upstream.matches(name))
    };
    let mut found = Vec::new();
    for (at, rule) in rules.iter().enumerate().filter(|(_, rule)| rule.hides()) {
        let by_slash = rule.pattern.splits("/").collect::<Vec<_>>();
        // `__` is frequent in names, so it is taken for a separator only where nothing else explains the rule.
        let by_clash = rule.pattern.splits(CLASH_SEPARATOR).filter(|_| !used[at]);
        let absent = by_slash.into_iter().chain(by_clash).filter(|(upstream, _)| !is_there(upstream));
        found.extend(absent.map(|(_, name)| (at, Pattern::new(name))));
    }
    found
}

/// The rules of one kind, findable by name.
struct Index<'r> {
    rules: &'r [Rule],
    by_name: HashMap<&'r str, Vec<usize>>,
    wild: Vec<usize>,
}

impl<'r> Index<'r> {
    fn new(rules: &'r [Rule]) -> Self {
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, rule) in rules.iter().enumerate() {
            by_name.entry(rule.pattern.text()).or_default().push(at);
        }
        let wild = (0..rules.len()).filter(|at| rules[*at].pattern.is_wild()).collect();
        Self { rules, by_name, wild }
    }

    fn said_of(&self, item: &Item, known: KnownUpstreams<'_>, used: &mut [bool]) -> MatchedRules<'r> {
        let own = Forms::of(&item.upstream, &item.own);
        let named = item.is_named().then(|| Forms::of(&item.upstream, &item.named));
        let mut said = MatchedRules::default();
        let mut seen = HashSet::new();
        let firm = own.keys().map(|key| (key, true)).into_iter();
        let loose = named.iter().flat_map(Forms::keys).map(|key| (key, false));
        for ((rank, key), is_firm) in firm.chain(loose) {
            for at in self.by_name.get(key).into_iter().flatten() {
                if (is_firm || self.rules[*at].hides()) && seen.insert(*at) {
                    said.all.push(self.matched(*at, rank, item, is_firm));
                    used[*at] = true;
                }
            }
        }
        let may_clash = !known.alone || item.served != item.named;
        for at in &self.wild {
            let rule = &self.rules[*at];
            let named = named.as_ref().filter(|_| rule.hides());
            let is_firm = own.fit(&rule.pattern);
            if is_firm
                || (may_clash && rule.pattern.matches(&own.with_clash))
                || named.is_some_and(|named| named.fit(&rule.pattern))
                || named.is_some_and(|named| may_clash && rule.pattern.matches(&named.with_clash))
            {
                said.all.push(self.matched(*at, Rank::Pattern, item, is_firm));
                used[*at] = true;
            }
        }
        said
    }

    fn matched(&self, at: usize, rank: Rank, item: &Item, is_firm: bool) -> Match<'r> {
        let rule = &self.rules[at];
        let is_narrow =
            || !rule.pattern.text().contains(SEPARATOR) || rule.pattern.names(&item.upstream, &item.own);
        let may_show = rule.hidden != Some(false) || (is_firm && is_narrow());
        Match { rule, rank, is_firm, may_show }
    }
}

/// The forms in which a rule can name a thing.
struct Forms<'a> {
    bare: &'a str,
    with_slash: String,
    with_clash: String,
}

impl<'a> Forms<'a> {
    fn of(upstream: &UpstreamName, bare: &'a str) -> Self {
        let with_slash = format!("{upstream}{SEPARATOR}{bare}");
        Self { bare, with_slash, with_clash: format!("{upstream}{CLASH_SEPARATOR}{bare}") }
    }

    fn keys(&self) -> [(Rank, &str); 3] {
        [(Rank::Qualified, &self.with_slash), (Rank::Qualified, &self.with_clash), (Rank::Bare, self.bare)]
    }

    /// Whether a pattern matches one of them. What has no separator in it is a pattern of bare names.
    fn fit(&self, pattern: &Pattern) -> bool {
        pattern.matches(self.bare)
            || (pattern.text().contains(SEPARATOR) && pattern.matches(&self.with_slash))
            || (pattern.text().contains(CLASH_SEPARATOR) && pattern.matches(&self.with_clash))
    }
}

/// How a rule is about a thing; the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// It names it with its upstream.
    Qualified,
    /// It names it by its name or URI alone.
    Bare,
    /// It names what may be another spelling of it.
    Loose,
    /// Its pattern matches it.
    Pattern,
}

/// A rule about a thing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Match<'r> {
    pub(crate) rule: &'r Rule,
    pub(crate) rank: Rank,
    /// Whether all that it says counts; else only that it hides.
    pub(crate) is_firm: bool,
    /// Whether `hidden = false` counts.
    pub(crate) may_show: bool,
}

impl Match<'_> {
    fn hidden(&self) -> Option<bool> {
        self.rule.hidden.filter(|hidden| *hidden || self.may_show)
    }
}

/// What rules say of one thing.
#[derive(Debug, Default)]
pub(crate) struct MatchedRules<'r> {
    /// The firm ones in order, the strongest first; patterns in the order in which they were written.
    pub(crate) all: Vec<Match<'r>>,
    is_stray: bool,
}

impl<'r> MatchedRules<'r> {
    /// What the strongest rule with a word on a matter says; `filed` is what a description file says.
    pub(crate) fn strongest<T>(&self, filed: Option<T>, word: impl Fn(&'r Rule) -> Option<T>) -> Option<T> {
        let by_name = self.firm(false).find_map(&word);
        by_name.or(filed).or_else(|| self.firm(true).find_map(&word))
    }

    /// Whether it is hidden. Where rules of the same strength disagree, it is.
    pub(crate) fn is_hidden(&self) -> bool {
        let hidden = |rank: Rank| {
            let of_rank = self.all.iter().filter(move |matched| matched.rank == rank);
            of_rank.filter_map(Match::hidden)
        };
        let mut ranks = [Rank::Qualified, Rank::Bare, Rank::Loose].into_iter();
        let by_name = ranks.find_map(|rank| hidden(rank).reduce(|one, other| one || other));
        let verdict = by_name.or_else(|| hidden(Rank::Pattern).next());
        self.is_stray || verdict.unwrap_or(false)
    }

    /// What all of them say of concerns, name by name.
    pub(crate) fn concerns(&self, filed: Option<RawObject>) -> Option<RawObject> {
        let weakest_first =
            |rules: Vec<&'r Rule>| rules.into_iter().rev().filter_map(|rule| rule.concerns.clone());
        let wild = weakest_first(self.firm(true).collect());
        let named = weakest_first(self.firm(false).collect());
        wild.chain(filed).chain(named).reduce(|weaker, stronger| stronger.over(&weaker))
    }

    /// The rules of which all counts: those that only match it, or else those that name it.
    fn firm(&self, by_pattern: bool) -> impl Iterator<Item = &'r Rule> {
        let is_meant =
            move |matched: &&Match<'_>| matched.is_firm && (matched.rank == Rank::Pattern) == by_pattern;
        self.all.iter().filter(is_meant).map(|matched| matched.rule)
    }
}

#[cfg(test)]
#[path = "matching_tests.rs"]
mod tests;
