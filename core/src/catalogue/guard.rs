//! The one decision on resources: which URIs exist for clients.
//!
//! A rule that hides holds for every form of a URI: in any case, and with a query, a fragment or a slash at its end that
//! the rule does not have. What shows or allows has to match its key. A URI that a client asks for and that is neither
//! canonical nor listed passes only where what allows or shows has it verbatim.
//!
//! `upstream/URI` is about the resource of that upstream alone.

use crate::catalogue::{
    lists::UpstreamLists,
    matching::{Match, MatchedRules, Rank},
    pattern::{Pattern, SEPARATOR},
    rules::{Rule, Rules},
    uri::{self, Uri},
};

/// The rules about resources, ready to be applied.
#[derive(Debug, Default)]
pub(crate) struct Guard {
    rules: Vec<(Rule, About)>,
    allowed: Option<Vec<(Rule, About)>>,
    /// What definitions are delivered by, hidden tools' too (docs/CONTRACT.md U16).
    channels: Vec<About>,
}

impl Guard {
    /// Prepares these rules, for these upstreams.
    pub(crate) fn new(rules: &Rules, upstreams: &[&UpstreamLists]) -> Self {
        let read = |rule: &Rule| (rule.clone(), About::new(rule.pattern.text()));
        let allowed = rules.allowed_resources.as_ref();
        let allowed = allowed.map(|list| list.iter().map(read).collect());
        let rules = rules.resources.iter().map(read).collect();
        let channel = |lists: &&UpstreamLists| Some(About::of(&lists.name, lists.channel.as_ref()?));
        Self { rules, allowed, channels: upstreams.iter().filter_map(channel).collect() }
    }

    /// Whether anything can be refused.
    pub(crate) fn is_on(&self) -> bool {
        self.allowed.is_some() || self.rules.iter().any(|(rule, _)| rule.hides())
    }

    /// Whether anything does not exist for clients: what is refused, or what only serves the gateway.
    pub(crate) fn hides_any(&self) -> bool {
        self.is_on() || !self.channels.is_empty()
    }

    /// Whether a resource or resource template of an upstream does not exist for clients.
    pub(crate) fn hides(&self, upstream: &str, uri: &Uri) -> bool {
        let is_refused = || {
            !self.allows(upstream, uri)
                || (uri.is_doubtful && !self.names(upstream, uri))
                || self.said_of(upstream, uri).is_hidden()
        };
        self.channels.iter().any(|channel| channel.rank(upstream, uri).is_some())
            || (self.is_on() && is_refused())
    }

    /// The rules, and then the entries of what is allowed, that are about none of these resources and templates.
    pub(crate) fn idle<'g>(&'g self, listed: &'g [(&str, Uri)]) -> impl Iterator<Item = &'g Rule> {
        let is_idle = move |about: &About, is_meant: fn(&About, &str, &Uri) -> bool| {
            listed.iter().all(|(of, uri)| !is_meant(about, of, uri) && !about.may_be_one_of(of, uri))
        };
        let rules = self
            .rules
            .iter()
            .filter(move |(_, about)| is_idle(about, |about, of, uri| about.rank(of, uri).is_some()));
        let allowed = self.allowed.iter().flatten().filter(move |(_, about)| is_idle(about, About::allows));
        rules.chain(allowed).map(|(rule, _)| rule)
    }

    fn allows(&self, upstream: &str, uri: &Uri) -> bool {
        let allows = |allowed: &Vec<(_, About)>| allowed.iter().any(|(_, about)| about.allows(upstream, uri));
        self.allowed.as_ref().is_none_or(allows)
    }

    /// Whether what allows or shows has it verbatim.
    fn names(&self, upstream: &str, uri: &Uri) -> bool {
        let shown = self.rules.iter().filter(|(rule, _)| rule.hidden == Some(false));
        self.allowed.iter().flatten().chain(shown).any(|(_, about)| about.is_verbatim(upstream, uri))
    }

    /// What the rules say of a resource.
    pub(crate) fn said_of(&self, upstream: &str, uri: &Uri) -> MatchedRules<'_> {
        let mut said = MatchedRules::default();
        for (rule, about) in &self.rules {
            if let Some((rank, is_firm)) = about.rank(upstream, uri) {
                said.all.push(Match { rule, rank, is_firm, may_show: is_firm });
            }
        }
        said.all.sort_by_key(|matched| matched.rank);
        said
    }
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
    whole: Option<Box<About>>,
}

impl About {
    fn new(text: &str) -> Self {
        match qualified(text) {
            Some((upstream, uri)) => {
                Self { whole: Some(Box::new(Self::read(None, text))), ..Self::of(upstream, uri) }
            }
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
        Self { upstream, uri, shown, hidden: patterns(text), queried, whole: None }
    }

    fn may_be_of(&self, upstream: &str) -> bool {
        self.upstream.as_ref().is_none_or(|pattern| pattern.matches(upstream))
    }

    fn is_verbatim(&self, upstream: &str, uri: &Uri) -> bool {
        self.uri.text() == uri.text && self.may_be_of(upstream)
    }

    fn shows(&self, uri: &Uri) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.matches(&uri.key))
    }

    /// Whether it permits a resource: one that is doubtful only verbatim.
    pub(crate) fn allows(&self, upstream: &str, uri: &Uri) -> bool {
        self.is_verbatim(upstream, uri) || (!uri.is_doubtful && self.may_be_of(upstream) && self.shows(uri))
    }

    /// Whether a URI that it is about may be one of this template.
    pub(crate) fn may_be_one_of(&self, upstream: &str, template: &Uri) -> bool {
        let Some((template, _)) = template.key.split_once('{') else { return false };
        let own = self.shown.as_ref().unwrap_or(&self.uri).text();
        let own = own.split(['*', '?']).next().unwrap_or_default();
        self.may_be_of(upstream) && (template.starts_with(own) || own.starts_with(template))
    }

    /// How it is about a URI, if it is, and whether all that its rule says counts: of what some server may take for the same,
    /// only that it hides.
    fn rank(&self, upstream: &str, uri: &Uri) -> Option<(Rank, bool)> {
        let hides = |patterns: &[Pattern]| {
            uri.forms.iter().any(|form| patterns.iter().any(|pattern| pattern.matches(form)))
        };
        let has_parameters = |parameters: &[Pattern]| {
            parameters.iter().all(|pattern| uri.parameters.iter().any(|one| pattern.matches(one)))
        };
        let is_hidden_by = |about: &Self| {
            let is_queried = about
                .queried
                .as_ref()
                .is_some_and(|(path, parameters)| hides(path) && has_parameters(parameters));
            is_queried || hides(&about.hidden)
        };
        let is_of = self.may_be_of(upstream);
        let shows = is_of && self.shows(uri);
        if self.is_verbatim(upstream, uri) || (shows && !self.uri.is_wild()) {
            return Some((if self.upstream.is_some() { Rank::Qualified } else { Rank::Bare }, true));
        }
        if shows {
            return Some((Rank::Pattern, true));
        }
        let is_wild = self.uri.is_wild() || self.upstream.as_ref().is_some_and(Pattern::is_wild);
        let hides = (is_of && is_hidden_by(self)) || self.whole.as_deref().is_some_and(is_hidden_by);
        hides.then_some((if is_wild { Rank::Pattern } else { Rank::Loose }, false))
    }
}

fn patterns(text: &str) -> Vec<Pattern> {
    uri::pattern_forms(text).iter().map(|form| Pattern::new(form)).collect()
}

/// The upstream and the URI of `upstream/URI`. What stands before a URI's scheme can be nothing else, since no scheme has a slash
/// in it; nor can what has no colon, unless it has a wildcard, which may stand for one.
fn qualified(text: &str) -> Option<(&str, &str)> {
    const WILDCARDS: [char; 2] = ['*', '?'];
    let splits = text.match_indices(SEPARATOR).map(|(at, _)| (&text[..at], &text[at + 1..]));
    let mut splits = splits.filter(|(upstream, _)| !upstream.is_empty() && !upstream.contains(':'));
    let has_scheme = |(_, uri): &(&str, &str)| {
        let scheme = uri.split_once(':').map_or("", |(scheme, _)| scheme);
        let fits = |character: char| character.is_ascii_alphanumeric() || "+-.*?".contains(character);
        !scheme.is_empty() && scheme.chars().all(fits)
    };
    let is_of_one =
        |(upstream, uri): &(&str, &str)| !upstream.contains(WILDCARDS) || uri.starts_with(WILDCARDS);
    splits.clone().find(has_scheme).or_else(|| splits.next().filter(is_of_one))
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
