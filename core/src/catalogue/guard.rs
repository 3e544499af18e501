//! The one decision on resources: which URIs exist for clients.
//!
//! A rule that hides holds for every form of a URI: in any case, and with a query, a fragment or a slash at its end that
//! the rule does not have. What shows or allows has to match its key. A URI that a client asks for and that is neither
//! canonical nor listed passes only where what allows or shows has it verbatim.
//!
//! `upstream/URI` is about the resource of that upstream alone.

use std::sync::Arc;

use crate::catalogue::{
    matching::{Match, MatchedRules, Rank},
    pattern::{Pattern, SEPARATOR},
    rules::Rules,
    uri::{self, Uri},
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
    pub(crate) fn hides(&self, upstream: &str, uri: &Uri) -> bool {
        self.is_on()
            && (!self.allows(upstream, uri)
                || (uri.is_doubtful() && !self.names(upstream, uri))
                || self.said_of(upstream, uri).is_hidden())
    }

    /// The rules, by their place among those about resources, that are about this one.
    pub(crate) fn mark_used(&self, upstream: &str, uri: &Uri, used: &mut [bool]) {
        for (about, used) in self.about.iter().zip(used) {
            *used |= about.fits(upstream, uri).is_some();
        }
    }

    fn allows(&self, upstream: &str, uri: &Uri) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.iter().any(|about| about.allows(upstream, uri)))
    }

    /// Whether what allows or shows has it verbatim.
    fn names(&self, upstream: &str, uri: &Uri) -> bool {
        let shown = self.rules.resources.iter().zip(&self.about);
        let shown = shown.filter(|(rule, _)| rule.hidden == Some(false)).map(|(_, about)| about);
        self.allowed.iter().flatten().chain(shown).any(|about| about.is_verbatim(upstream, uri))
    }

    /// What the rules say of a resource.
    pub(crate) fn said_of(&self, upstream: &str, uri: &Uri) -> MatchedRules<'_> {
        let mut said = MatchedRules::default();
        for (rule, about) in self.rules.resources.iter().zip(&self.about) {
            let Some(fit) = about.fits(upstream, uri) else { continue };
            let is_firm = fit != Fit::Loose;
            let matched = Match { rule, is_firm, may_show: is_firm };
            let rank = match fit {
                Fit::Exact if about.upstream.is_some() => Rank::Qualified,
                Fit::Exact => Rank::Bare,
                Fit::Loose if !rule.pattern.is_wild() => Rank::Loose,
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
}

/// How a rule fits a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    /// It names it.
    Exact,
    /// Its pattern matches it.
    Wild,
    /// It fits what some server may take for the same.
    Loose,
}

/// What a rule or an entry of a list is about.
#[derive(Debug)]
pub(crate) struct About {
    upstream: Option<Pattern>,
    uri: Pattern,
    /// The keys that it shows and allows.
    shown: Option<Pattern>,
    /// The forms that it hides.
    hidden: Vec<Pattern>,
    /// Where it has a query, the forms of its path, and the parameters that it hides in any order and among others.
    queried: Option<(Vec<Pattern>, Vec<Pattern>)>,
    /// The same of what looks like `upstream/URI` and may be a pattern of URIs all the same.
    whole: Vec<Pattern>,
}

impl About {
    fn new(text: &str) -> Self {
        match qualified(text) {
            Some((upstream, uri)) => Self { whole: patterns(text), ..Self::of(upstream, uri) },
            None => Self::read(None, text),
        }
    }

    /// The resources of one upstream, or of those that a pattern matches.
    pub(crate) fn of(upstream: &str, uri: &str) -> Self {
        Self::read(Some(Pattern::new(upstream)), uri)
    }

    fn read(upstream: Option<Pattern>, text: &str) -> Self {
        let uri = Pattern::new(text);
        let shown = if uri.is_wild() { uri::decoded(text) } else { uri::key(text) };
        // What an escape stands for is no wildcard.
        let wildcards = |text: &str| text.matches(['*', '?']).count();
        let shown = (wildcards(&shown) == wildcards(text)).then(|| Pattern::new(&shown));
        let parameters: Vec<Pattern> = uri::parameters(text).iter().map(|one| Pattern::new(one)).collect();
        let path = text.split('?').next().unwrap_or_default();
        let queried = (!parameters.is_empty()).then(|| (patterns(path), parameters));
        Self { upstream, uri, shown, hidden: patterns(text), queried, whole: Vec::new() }
    }

    fn may_be_of(&self, upstream: &str) -> bool {
        self.upstream.as_ref().is_none_or(|pattern| pattern.matches(upstream))
    }

    fn is_verbatim(&self, upstream: &str, uri: &Uri) -> bool {
        self.uri.text() == uri.text() && self.may_be_of(upstream)
    }

    fn shows(&self, uri: &Uri) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.matches(uri.key()))
    }

    /// Whether it permits a resource: one that is doubtful only verbatim.
    pub(crate) fn allows(&self, upstream: &str, uri: &Uri) -> bool {
        self.is_verbatim(upstream, uri) || (!uri.is_doubtful() && self.may_be_of(upstream) && self.shows(uri))
    }

    fn fits(&self, upstream: &str, uri: &Uri) -> Option<Fit> {
        let hides = |patterns: &[Pattern]| {
            uri.forms().iter().any(|form| patterns.iter().any(|pattern| pattern.matches(form)))
        };
        let has_parameters = |parameters: &[Pattern]| {
            parameters.iter().all(|pattern| uri.parameters().iter().any(|one| pattern.matches(one)))
        };
        let is_queried = || {
            self.queried.as_ref().is_some_and(|(path, parameters)| has_parameters(parameters) && hides(path))
        };
        let is_of = self.may_be_of(upstream);
        match () {
            () if self.is_verbatim(upstream, uri) => Some(Fit::Exact),
            () if is_of && self.shows(uri) && self.uri.is_wild() => Some(Fit::Wild),
            () if is_of && self.shows(uri) => Some(Fit::Exact),
            () => {
                ((is_of && (hides(&self.hidden) || is_queried())) || hides(&self.whole)).then_some(Fit::Loose)
            }
        }
    }
}

fn patterns(text: &str) -> Vec<Pattern> {
    uri::pattern_forms(text).iter().map(|form| Pattern::new(form)).collect()
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

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
