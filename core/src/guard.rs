//! The one decision on resources: which URIs exist for clients.
//!
//! Rules and requests are both compared by their [`Spellings`]. A rule that hides holds against every reading of a
//! URI; it also holds for the URI with a query, a fragment or a slash at its end that the rule does not have. What
//! shows or allows has to be said of the URI as it is normalized. A URI that cannot be read to its end is refused
//! where its readable part begins like what a hiding rule is about, and, where there is a list of what is allowed, an
//! ambiguous one is refused unless the list has it to the letter.
//!
//! `upstream/URI` is about the resource of that upstream alone.

use std::sync::Arc;

use crate::{
    matching::{Match, Rank, Said},
    pattern::{Glob, Pattern, SEPARATOR},
    rules::Rules,
    spellings::{Reading, Spellings},
};

/// The rules about resources, ready to be applied.
#[derive(Debug, Default)]
pub(crate) struct Guard {
    rules: Arc<Rules>,
    /// One for each rule about resources.
    about: Vec<About>,
    allowed: Option<Vec<About>>,
}

impl Guard {
    /// Prepares these rules.
    pub(crate) fn new(rules: &Arc<Rules>) -> Self {
        let about = rules.resources.iter().map(|rule| About::new(rule.pattern.text())).collect();
        let allowed = rules.allowed_resources.as_ref();
        let allowed = allowed.map(|list| list.iter().map(|pattern| About::new(pattern.text())).collect());
        Self { rules: Arc::clone(rules), about, allowed }
    }

    /// Whether anything can be refused.
    pub(crate) fn is_on(&self) -> bool {
        self.allowed.is_some() || self.rules.resources.iter().any(crate::Rule::hides)
    }

    /// Whether a resource or resource template of an upstream does not exist for clients.
    pub(crate) fn hides(&self, upstream: &str, uri: &Spellings) -> bool {
        if !self.is_on() {
            return false;
        }
        !self.allows(upstream, uri)
            || uri.readings().iter().any(|reading| self.said(upstream, uri, reading).is_hidden())
            || uri.doubt().is_some_and(|readable| self.begins_like_a_hidden_one(upstream, uri, readable))
    }

    /// What rules say of a resource beside whether it is hidden.
    pub(crate) fn said_of(&self, upstream: &str, uri: &Spellings) -> Said<'_> {
        self.said(upstream, uri, uri.normal())
    }

    /// The rules, by their place among those about resources, that are about this one.
    pub(crate) fn mark_used(&self, upstream: &str, uri: &Spellings, used: &mut [bool]) {
        for (about, used) in self.about.iter().zip(used) {
            let matches = |reading: &Reading| about.fits(upstream, uri, reading).is_some();
            *used |= uri.readings().iter().any(matches);
        }
    }

    fn allows(&self, upstream: &str, uri: &Spellings) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.iter().any(|about| about.allows(upstream, uri)))
    }

    /// What the rules say of one reading.
    fn said(&self, upstream: &str, uri: &Spellings, reading: &Reading) -> Said<'_> {
        let mut said = Said::default();
        for (rule, about) in self.rules.resources.iter().zip(&self.about) {
            let Some(fit) = about.fits(upstream, uri, reading) else { continue };
            let is_firm = fit != Fit::Loose;
            let matched = Match { rule, is_firm, may_show: is_firm };
            let rank = match fit {
                Fit::Exact if about.upstream.is_some() => Rank::Qualified,
                Fit::Exact => Rank::Bare,
                Fit::Loose if !about.whole.is_wild() => Rank::Loose,
                Fit::Loose | Fit::Wild => {
                    said.by_pattern.push(matched);
                    continue;
                }
            };
            said.by_name.push((rank, matched));
        }
        said.by_name.sort_by_key(|(rank, _)| *rank);
        said
    }

    fn begins_like_a_hidden_one(&self, upstream: &str, uri: &Spellings, readable: &str) -> bool {
        let rules = self.rules.resources.iter().zip(&self.about);
        let mut shown = rules.clone().filter(|(rule, _)| rule.hidden == Some(false));
        if shown.any(|(_, about)| about.is_to_the_letter(upstream, uri)) {
            return false;
        }
        let mut hiding = rules.filter(|(rule, about)| rule.hides() && about.may_be_of(upstream));
        hiding.any(|(_, about)| about.begins_like(readable))
    }
}

/// How a rule fits a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    /// It names it.
    Exact,
    /// Its pattern matches it.
    Wild,
    /// It would fit another spelling.
    Loose,
}

/// What a rule or an entry of a list is about.
#[derive(Debug)]
pub(crate) struct About {
    /// The text as it was written.
    whole: Pattern,
    upstream: Option<Pattern>,
    uri: Pattern,
    normal: Glob,
    readings: Vec<Glob>,
    /// What readings begin with, in lower case.
    heads: Vec<String>,
}

impl About {
    fn new(text: &str) -> Self {
        let (upstream, uri) = qualified(text).map_or((None, text), |(upstream, uri)| (Some(upstream), uri));
        Self::read(text, upstream, uri)
    }

    /// The resources of one upstream, or of those that a pattern matches.
    pub(crate) fn of(upstream: &str, uri: &str) -> Self {
        Self::read(uri, Some(upstream), uri)
    }

    fn read(text: &str, upstream: Option<&str>, uri: &str) -> Self {
        let spellings = Spellings::of_pattern(uri);
        let readings = spellings.readings().iter();
        Self {
            whole: Pattern::new(text),
            upstream: upstream.map(Pattern::new),
            uri: Pattern::new(uri),
            normal: Glob::new(&spellings.normal().text),
            heads: readings
                .clone()
                .map(|reading| Pattern::new(&reading.text).head().to_lowercase())
                .collect(),
            readings: readings.map(|reading| Glob::new(&reading.text)).collect(),
        }
    }

    fn may_be_of(&self, upstream: &str) -> bool {
        self.upstream.as_ref().is_none_or(|pattern| pattern.matches(upstream))
    }

    fn is_to_the_letter(&self, upstream: &str, uri: &Spellings) -> bool {
        self.may_be_of(upstream) && self.uri.text() == uri.raw()
    }

    /// Whether it permits a resource: one that is ambiguous only to the letter.
    pub(crate) fn allows(&self, upstream: &str, uri: &Spellings) -> bool {
        let Reading { text, folded } = uri.normal();
        let is_readable = || !uri.is_ambiguous() && self.normal.matches(text, *folded);
        self.is_to_the_letter(upstream, uri) || (self.may_be_of(upstream) && is_readable())
    }

    fn fits(&self, upstream: &str, uri: &Spellings, reading: &Reading) -> Option<Fit> {
        let Reading { text, folded } = reading;
        if self.may_be_of(upstream) {
            if self.uri.text() == uri.raw() {
                return Some(Fit::Exact);
            }
            if self.normal.matches(text, *folded) {
                return Some(if self.uri.is_wild() { Fit::Wild } else { Fit::Exact });
            }
            let shorter = shorter(text);
            let mut keys = shorter.into_iter().chain([&**text]);
            let fits = |key: &str| self.readings.iter().any(|known| known.matches(key, *folded));
            if keys.any(fits) || self.uri.matches(uri.raw()) {
                return Some(Fit::Loose);
            }
        }
        // What looks like `upstream/URI` may be a pattern of URIs all the same.
        let is_plain = self.upstream.is_some() && (self.whole.matches(text) || self.whole.matches(uri.raw()));
        is_plain.then_some(Fit::Loose)
    }

    fn begins_like(&self, readable: &str) -> bool {
        let readable = readable.to_lowercase();
        self.heads.iter().any(|head| head.starts_with(&readable) || readable.starts_with(head))
    }
}

/// The upstream and the URI of `upstream/URI`. What stands before a URI's scheme can be nothing else, since no scheme
/// has a slash in it.
fn qualified(text: &str) -> Option<(&str, &str)> {
    let whole = Pattern::new(text);
    let found = whole.splits(&SEPARATOR.to_string()).find(|(upstream, uri)| {
        let scheme = uri.split_once(':').map_or("", |(scheme, _)| scheme);
        let fits = |character: char| character.is_ascii_alphanumeric() || "+-.*?".contains(character);
        !upstream.is_empty() && !upstream.contains(':') && !scheme.is_empty() && scheme.chars().all(fits)
    });
    found.map(|(upstream, _)| text.split_at(upstream.len())).map(|(upstream, uri)| (upstream, &uri[1..]))
}

/// The same without a fragment, a query, and a slash at its end, as far as it has them.
fn shorter(reading: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = reading;
    for delimiter in ['#', '?'] {
        if let Some((before, _)) = rest.split_once(delimiter) {
            rest = before;
            found.push(rest);
        }
    }
    let trimmed = rest.trim_end_matches('/');
    if trimmed.len() < rest.len() {
        found.push(trimmed);
    }
    found
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
