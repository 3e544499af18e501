//! Permissions: what exists for a caller, as lists of what it may use.
//!
//! A grant is written by an operator, and names things by their upstream and by the upstream's own name for them, so that
//! it does not depend on which upstreams are connected, nor on the names that they are served by. Where several grants
//! hold (a principal's and a profile's), a thing exists that all of them permit.

use std::{
    hash::{Hash, Hasher},
    num::NonZeroU32,
    sync::Arc,
};

use crate::{
    catalogue::{
        guard::About,
        pattern::{Pattern, SEPARATOR},
        uri::Uri,
    },
    digest::Digest,
    name::UpstreamName,
};

/// The pattern of everything.
const EVERYTHING: &str = "*";

/// What exists for a caller. Cheap to clone; those that permit the same are equal.
#[derive(Clone, Debug, Default)]
pub struct Permits(Option<Arc<Inner>>);

#[derive(Debug)]
struct Inner {
    grants: Vec<Grant>,
    quotas: Vec<(Arc<str>, Quotas)>,
    identity: Digest,
}

/// One list of what may be used, as an operator wrote it. What is `None` is not restricted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grant {
    /// Tools, as `upstream/tool` or patterns of that.
    pub tools: Option<Vec<String>>,
    /// Resources and resource templates, as `upstream/URI` or patterns of that.
    pub resources: Option<Vec<String>>,
    /// Prompts, like tools.
    pub prompts: Option<Vec<String>>,
    /// The strategies that may serve the caller.
    pub strategies: Option<Vec<String>>,
    /// How much the caller may use.
    pub quotas: Quotas,
    /// What that is counted for, beside the caller: use under grants of other names is counted by itself. Empty for the
    /// caller as such.
    pub account: String,
}

/// How much one caller may use. What is `None` is not limited here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Quotas {
    /// Description fetches in a minute.
    pub fetches_per_minute: Option<NonZeroU32>,
    /// Calls in a minute.
    pub calls_per_minute: Option<NonZeroU32>,
    /// Other requests in a minute; `None` where calls are limited: as many as these need.
    pub requests_per_minute: Option<NonZeroU32>,
    /// Calls at the same time.
    pub concurrent_calls: Option<NonZeroU32>,
}

impl Grant {
    /// The grant that permits nothing.
    pub fn nothing() -> Self {
        let none = || Some(Vec::new());
        Self { tools: none(), resources: none(), prompts: none(), ..Self::default() }
    }

    /// The patterns that name no upstream, and therefore permit nothing.
    pub fn unusable(&self) -> Vec<&str> {
        let names = self.tools.iter().chain(&self.prompts).flatten();
        let unnamed = names.filter(|text| *text != EVERYTHING && !text.contains(SEPARATOR));
        let unlocated =
            self.resources.iter().flatten().filter(|text| *text != EVERYTHING && located(text).is_none());
        unnamed.chain(unlocated).map(String::as_str).collect()
    }
}

impl Permits {
    /// Everything.
    pub fn all() -> Self {
        Self::default()
    }

    /// What all of these grants permit.
    pub fn of(grants: impl IntoIterator<Item = Grant>) -> Self {
        let grants: Vec<Grant> = grants.into_iter().collect();
        if grants.is_empty() {
            return Self::all();
        }
        let mut quotas: Vec<(Arc<str>, Quotas)> = Vec::new();
        for grant in grants.iter().filter(|grant| grant.quotas != Quotas::default()) {
            let limit = (grant.account.as_str().into(), grant.quotas);
            // Use is counted once.
            if !quotas.contains(&limit) {
                quotas.push(limit);
            }
        }
        let nameless = grants.iter().map(|grant| Grant { account: String::new(), ..grant.clone() });
        let identity = Digest::of_bytes(format!("{:?}", nameless.collect::<Vec<_>>()).as_bytes());
        Self(Some(Arc::new(Inner { grants, quotas, identity })))
    }

    /// These tools, by `upstream/tool`, and nothing else.
    pub fn of_tools(tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let tools = tools.into_iter().map(Into::into).collect();
        Self::of([Grant { tools: Some(tools), ..Grant::nothing() }])
    }

    /// What both permit.
    pub fn and(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (None, _) => other.clone(),
            (_, None) => self.clone(),
            (Some(own), Some(others)) => Self::of(own.grants.iter().chain(&others.grants).cloned()),
        }
    }

    /// What they say exists, whichever strategy shows it, and however often it is used.
    #[must_use]
    pub fn of_what_exists(&self) -> Self {
        let whole = |grant: &Grant| Grant { strategies: None, quotas: Quotas::default(), ..grant.clone() };
        Self::of(self.grants().iter().map(whole))
    }

    /// Whether the tool that an upstream calls by this name is permitted, listed or not.
    pub fn allow_tool(&self, upstream: &str, own: &str) -> bool {
        self.tools().is_none_or(|tools| tools.allow(upstream, own))
    }

    /// The tools that are permitted, ready to be applied; `None` for all of them.
    pub(crate) fn tools(&self) -> Option<Named> {
        self.named(|grant| grant.tools.as_deref())
    }

    /// The same of prompts.
    pub(crate) fn prompts(&self) -> Option<Named> {
        self.named(|grant| grant.prompts.as_deref())
    }

    /// The same of resources and templates.
    pub(crate) fn resources(&self) -> Option<PermittedResources> {
        let lists = self.lists(|grant| grant.resources.as_deref());
        let lists = lists.map(|list| list.iter().filter_map(|text| located(text)).collect());
        let lists: Vec<Vec<About>> = lists.collect();
        (!lists.is_empty()).then_some(PermittedResources(lists))
    }

    /// The strategies that may serve the caller, in the order of preference; `None` for all of them.
    ///
    /// What no two grants have in common is that of the first: a caller is always served by some strategy, and none
    /// shows more than another.
    pub fn strategies(&self) -> Option<Vec<&str>> {
        let mut lists = self.grants().iter().filter_map(|grant| grant.strategies.as_deref());
        let first: Vec<&str> = lists.next()?.iter().map(String::as_str).collect();
        let others: Vec<&[String]> = lists.collect();
        let is_in_all = |name: &&str| others.iter().all(|list| list.iter().any(|other| other == name));
        let common: Vec<&str> = first.iter().copied().filter(is_in_all).collect();
        Some(if common.is_empty() { first } else { common })
    }

    /// Whether all tools, resources and prompts are permitted.
    pub fn see_all(&self) -> bool {
        let named =
            self.lists(|grant| grant.tools.as_deref()).chain(self.lists(|grant| grant.prompts.as_deref()));
        named.chain(self.lists(|grant| grant.resources.as_deref())).next().is_none()
    }

    /// How much the caller may use: each of these holds by itself, and is counted for the account beside it.
    pub fn quotas(&self) -> &[(Arc<str>, Quotas)] {
        self.0.as_ref().map_or(&[], |inner| &inner.quotas)
    }

    /// What names a tool in lists that permit it; `None` also where no list restricts tools.
    pub fn naming(&self, upstream: &str, own: &str) -> Option<&str> {
        let names = |text: &&String| Pattern::new(text).names(upstream, own);
        let lists = self.lists(|grant| grant.tools.as_deref());
        let found: Option<Vec<&String>> = lists.map(|list| list.iter().find(names)).collect();
        found?.first().map(|text| text.as_str())
    }

    /// The lists that it is made of; without any, everything is permitted.
    pub fn grants(&self) -> &[Grant] {
        self.0.as_ref().map_or(&[], |inner| &inner.grants)
    }

    fn lists<'a>(
        &'a self,
        of: impl Fn(&'a Grant) -> Option<&'a [String]> + 'a,
    ) -> impl Iterator<Item = &'a [String]> + 'a {
        self.grants().iter().filter_map(of).filter(|list| !list.iter().any(|text| text == EVERYTHING))
    }

    fn named<'a>(&'a self, of: impl Fn(&'a Grant) -> Option<&'a [String]> + 'a) -> Option<Named> {
        let parts = |text: &String| {
            let whole = Pattern::new(text);
            let parts = whole.splits("/").map(|(left, right)| (Pattern::new(left), Pattern::new(right)));
            parts.collect::<Vec<_>>()
        };
        let lists: Vec<Vec<(Pattern, Pattern)>> =
            self.lists(of).map(|list| list.iter().flat_map(parts).collect()).collect();
        (!lists.is_empty()).then_some(Named(lists))
    }
}

impl PartialEq for Permits {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(own), Some(others)) => Arc::ptr_eq(own, others) || own.identity == others.identity,
            _ => false,
        }
    }
}

impl Eq for Permits {}

impl Hash for Permits {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_ref().map(|inner| inner.identity).hash(state);
    }
}

/// Lists of tools or prompts by upstream and own name. Each of them has to permit a thing. What is read as an upstream's
/// name is that alone: no name that another upstream gives its tools is permitted by it (see [`Pattern::names`]).
#[derive(Debug)]
pub(crate) struct Named(Vec<Vec<(Pattern, Pattern)>>);

impl Named {
    pub(crate) fn allow(&self, upstream: &str, own: &str) -> bool {
        self.0.iter().all(|list| list.iter().any(|(of, name)| of.matches(upstream) && name.matches(own)))
    }
}

/// Lists of resources. A URI that is doubtful is permitted by what has it verbatim alone.
#[derive(Debug)]
pub(crate) struct PermittedResources(Vec<Vec<About>>);

impl PermittedResources {
    pub(crate) fn allow(&self, upstream: &str, uri: &Uri) -> bool {
        self.0.iter().all(|list| list.iter().any(|about| about.allows(upstream, uri)))
    }
}

/// What upstreams list of resources and templates, as grants see it.
#[derive(Debug)]
pub struct ListedResources(Vec<(UpstreamName, Uri)>);

impl ListedResources {
    /// These, by upstream and own URI or template.
    pub fn of<'l>(listed: impl Iterator<Item = (&'l UpstreamName, &'l str)>) -> Self {
        Self(listed.map(|(upstream, own)| (upstream.clone(), Uri::stated(own))).collect())
    }

    /// Whether a grant of this text permits any, or what a template may stand for.
    pub fn has_some_of(&self, text: &str) -> bool {
        located(text).is_some_and(|about| {
            self.0.iter().any(|(of, uri)| about.allows(of, uri) || about.may_be_one_of(of, uri))
        })
    }
}

/// The upstream and the URI of `upstream/URI`, or of patterns. A URI has a colon before its first slash, an upstream's
/// name has none.
fn located(text: &str) -> Option<About> {
    let (upstream, uri) = text.split_once(SEPARATOR)?;
    (!upstream.is_empty() && !upstream.contains(':')).then(|| About::of(upstream, uri))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a3_a_pattern_permits_things_of_the_upstream_that_it_names() {
        let permits = Permits::of_tools(["a/x", "b*/y*", "d/e/f"]);
        let tools = permits.tools().unwrap();
        for (upstream, own, is_permitted) in [
            ("a", "x", true),
            ("b", "y1", true),
            ("c", "x", false),
            ("c", "a/x", false),
            ("a", "xx", false),
            ("c", "a__x", false),
            ("d", "e/f", true),
            ("d/e", "f", true),
        ] {
            assert_eq!(tools.allow(upstream, own), is_permitted, "{upstream} {own}");
        }
        let strategies = Some(vec!["full".to_owned()]);
        assert!(
            Permits::all().see_all() && Permits::of([Grant { strategies, ..Grant::default() }]).see_all()
        );
        assert!(!Permits::of_tools(["*"]).see_all() && !Permits::of([Grant::nothing()]).see_all());
        assert!(Permits::of_tools(["*"]).tools().is_none() && permits.prompts().unwrap().0[0].is_empty());
    }

    #[test]
    fn a3_only_a_canonical_uri_is_permitted_by_a_pattern() {
        let grant = Grant { resources: Some(vec!["a/file:///pub/*".to_owned()]), ..Grant::default() };
        let permits = Permits::of([grant]);
        let resources = permits.resources().unwrap();
        let allow = |upstream: &str, uri: &str| resources.allow(upstream, &Uri::requested(uri));
        assert!(allow("a", "file:///pub/x") && !allow("a", "FILE:///pub/x"));
        for uri in [
            "file:///secret",
            "file:///pub/../secret",
            "file:///pub/%2e%2e/secret",
            "file:///pub%2Fx",
            "file:///PUB/x",
        ] {
            assert!(!allow("a", uri), "{uri}");
        }
        assert!(!allow("b", "file:///pub/x"));
    }

    #[test]
    fn a4_what_two_grants_permit_both_exists() {
        let both = Permits::of_tools(["a/*"]).and(&Permits::of_tools(["*/x"]));
        let tools = both.tools().unwrap();
        assert!(tools.allow("a", "x") && !tools.allow("a", "y") && !tools.allow("b", "x"));
        assert_eq!(Permits::all().and(&both), both);
        assert_eq!(both, Permits::of_tools(["a/*"]).and(&Permits::of_tools(["*/x"])));
        assert_ne!(Permits::of_tools(["a/b", "c"]), Permits::of_tools(["a/b,c"]));
    }

    #[test]
    fn a3_what_names_no_upstream_is_unusable() {
        let list = |texts: &[&str]| Some(texts.iter().map(|text| (*text).to_owned()).collect());
        let grant = Grant {
            tools: list(&["echo", "*/echo", "*"]),
            resources: list(&["file:///x", "*/*", "a/file:///x"]),
            ..Grant::default()
        };
        assert_eq!(grant.unusable(), ["echo", "file:///x"]);
    }
}
