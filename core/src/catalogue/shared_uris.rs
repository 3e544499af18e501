//! URIs that several upstreams offer. Each is served under a URI of ours, which leads back to its upstream
//! (docs/CONTRACT.md U18); what one upstream alone offers keeps its URI.
//!
//! A URI of ours has the upstream's name and [`MARK`] in front of what follows its scheme (`ui://a__/app/chart.html`), so that
//! scheme and path stay what clients and specifications look at. Of what a client may open by itself it is the fragment, so that
//! the client still opens the same.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::{
    catalogue::{guard::Guard, lists::UpstreamLists, pages, uri::Uri},
    name::{Kind, SKILLS_INDEX, UpstreamName},
    raw::RawObject,
};

/// What follows an upstream's name in a URI of ours.
const MARK: &str = "__";

/// Schemes of what clients may open by themselves.
const OPENED_BY_CLIENTS: [&str; 3] = ["http:", "https:", "file:"];

/// What is escaped in an upstream's name: all that does not stand for itself in every part of a URI.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Who offers which URIs.
#[derive(Debug, Default)]
pub(crate) struct SharedUris {
    upstreams: HashSet<UpstreamName>,
    /// By URI, or by the [shape] of a template. `None`: several do.
    offered: HashMap<String, Option<UpstreamName>>,
    templates: Vec<(UpstreamName, String)>,
}

impl SharedUris {
    /// What these upstreams offer: what they list, and the pages of their tools, which need not be listed. What is hidden from
    /// everyone clashes with nothing.
    pub(crate) fn of(upstreams: &[&UpstreamLists], guard: &Guard) -> Self {
        let mut shared = Self::default();
        for lists in upstreams {
            let upstream = &lists.name;
            shared.upstreams.insert(upstream.clone());
            let objects = |kind: Kind| lists.of(kind).iter().filter_map(|item| RawObject::of(item).ok());
            let listed = objects(Kind::Resources).filter_map(|resource| resource.string("uri"));
            let pages = objects(Kind::Tools).flat_map(|tool| pages::of(&tool));
            let templates: Vec<String> =
                objects(Kind::Templates).filter_map(|one| one.string("uriTemplate")).collect();
            let is_there = |uri: &String| !guard.hides(upstream, &Uri::stated(uri));
            for uri in listed.chain(pages).filter(is_there) {
                shared.add(uri, upstream);
            }
            for template in templates.into_iter().filter(is_there) {
                shared.add(shape(&template), upstream);
                shared.templates.push((upstream.clone(), template));
            }
        }
        shared
    }

    fn add(&mut self, uri: String, upstream: &UpstreamName) {
        if uri == SKILLS_INDEX {
            return;
        }
        let only = self.offered.entry(uri).or_insert_with(|| Some(upstream.clone()));
        if only.as_ref().is_some_and(|only| only != upstream) {
            *only = None;
        }
    }

    /// Whether no URI is served as another.
    pub(crate) fn is_empty(&self) -> bool {
        self.upstreams.len() < 2 || self.offered.is_empty()
    }

    /// The URI by which clients know what this upstream calls `uri`.
    pub(crate) fn served<'u>(&self, upstream: &str, uri: &'u str) -> Cow<'u, str> {
        let may_be_of_another = || {
            self.templates.iter().any(|(of, template)| **of != *upstream && matches_template(template, uri))
        };
        let is_of_another = self.is_of_another(upstream, uri).unwrap_or_else(may_be_of_another);
        let is_of_another = is_of_another && uri != SKILLS_INDEX;
        // What looks like ours would lead elsewhere.
        if is_of_another || self.leads_to(uri).is_some() { our_uri(upstream, uri).into() } else { uri.into() }
    }

    /// The same of a template. Those that differ in the names of their variables alone have the same expansions.
    pub(crate) fn served_template<'u>(&self, upstream: &str, template: &'u str) -> Cow<'u, str> {
        let is_of_another = self.is_of_another(upstream, &shape(template)) == Some(true);
        let is_like_ours = || self.leads_to(template).is_some();
        if is_of_another || is_like_ours() { our_uri(upstream, template).into() } else { template.into() }
    }

    fn is_of_another(&self, upstream: &str, offered: &str) -> Option<bool> {
        let only = self.offered.get(offered)?;
        Some(only.as_ref().is_none_or(|only| **only != *upstream))
    }

    /// The upstream that a URI of ours leads to, and its own URI; `None` if it is no URI of ours.
    pub(crate) fn leads_to(&self, uri: &str) -> Option<(&UpstreamName, String)> {
        let (upstream, own) = split(uri)?;
        Some((self.upstreams.get(&*upstream)?, own))
    }
}

/// What an upstream calls the resource that a client knows by `uri`.
pub fn own_uri<'u>(upstream: &str, uri: &'u str) -> Cow<'u, str> {
    match split(uri) {
        Some((name, own)) if *name == *upstream => own.into(),
        _ => uri.into(),
    }
}

/// The URI of ours that leads to a URI, or template, of an upstream.
pub fn our_uri(upstream: &str, own: &str) -> String {
    let mark = format!("{}{MARK}", utf8_percent_encode(upstream, ESCAPED));
    let (beginning, rest) = own.split_at(beginning(own));
    if is_opened_by_clients(beginning) {
        format!("{own}#{mark}")
    } else {
        format!("{beginning}{mark}/{rest}")
    }
}

/// The upstream and its own URI, of what [`our_uri`] made.
fn split(uri: &str) -> Option<(String, String)> {
    let (beginning, rest) = uri.split_at(beginning(uri));
    let (mark, own) = if is_opened_by_clients(beginning) {
        let (own, mark) = uri.rsplit_once('#')?;
        (mark, own.to_owned())
    } else {
        let (mark, rest) = rest.split_once('/')?;
        (mark, format!("{beginning}{rest}"))
    };
    let name = percent_decode_str(mark.strip_suffix(MARK)?).decode_utf8().ok()?;
    Some((name.into_owned(), own))
}

/// The length of the scheme and of the slashes before an authority; 0 if there is no scheme.
fn beginning(uri: &str) -> usize {
    let Some((scheme, rest)) = uri.split_once(':') else { return 0 };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let slashes = if rest.starts_with("//") { 2 } else { 0 };
    if is_scheme { scheme.len() + 1 + slashes } else { 0 }
}

fn is_opened_by_clients(beginning: &str) -> bool {
    let scheme = beginning.trim_end_matches('/');
    OPENED_BY_CLIENTS.iter().any(|opened| opened.eq_ignore_ascii_case(scheme))
}

/// A template without what stands in its expressions.
fn shape(template: &str) -> String {
    let mut pieces = template.split('{');
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |shape, piece| shape + "{}" + piece.split_once('}').map_or("", |(_, literal)| literal))
}

/// Whether a URI could be an expansion of a template: the literal parts occur in order.
pub fn matches_template(template: &str, uri: &str) -> bool {
    let mut pieces = template.split('{');
    let Some(mut rest) = uri.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    pieces.all(|piece| {
        let literal = piece.split_once('}').map_or("", |(_, literal)| literal);
        let found = rest.find(literal).map(|at| &rest[at + literal.len()..]);
        rest = found.unwrap_or(rest);
        found.is_some()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::fixtures::{self, raw};

    fn upstream(name: &str, resources: &[&str], templates: &[&str], pages: &[Value]) -> UpstreamLists {
        UpstreamLists {
            resources: resources.iter().map(|uri| raw(&json!({"uri": uri, "name": uri}))).collect(),
            templates: templates.iter().map(|uri| raw(&json!({"uriTemplate": uri, "name": uri}))).collect(),
            ..fixtures::upstream(name, pages.iter().map(|meta| json!({"name": "t", "_meta": meta})))
        }
    }

    #[test]
    fn u18_what_clashes_has_a_uri_of_ours_and_the_rest_keeps_its_own() {
        let page = json!({"ui": {"resourceUri": "ui://unlisted"}});
        let a =
            upstream("a", &["ui://app/x", "b:1", "x://only/a"], &["t://{id}/x"], std::slice::from_ref(&page));
        let b =
            upstream("b c", &["ui://app/x", "b:1", "https://h/p"], &["t://{name}/x", "u://{id}"], &[page]);
        let c = upstream("c", &["https://h/p", "ui://a__/app/x"], &["file:///{+path}"], &[]);
        let shared = SharedUris::of(&[&a, &b, &c], &Guard::default());
        for (of, own, served) in [
            ("a", "ui://app/x", "ui://a__/app/x"),
            ("b c", "ui://app/x", "ui://b%20c__/app/x"),
            ("a", "b:1", "b:a__/1"),
            ("a", "ui://unlisted", "ui://a__/unlisted"),
            ("a", "x://only/a", "x://only/a"),
            // Another's, if it were not said whose it is.
            ("c", "x://only/a", "x://c__/only/a"),
            ("c", "t://7/x", "t://c__/7/x"),
            ("a", "u://7", "u://a__/7"),
            ("b c", "u://7", "u://7"),
            ("a", "nobody://lists", "nobody://lists"),
            ("c", "https://h/p", "https://h/p#c__"),
            ("a", "file:///x", "file:///x#a__"),
            ("c", "file:///x", "file:///x"),
            // What another upstream calls what is ours.
            ("c", "ui://a__/app/x", "ui://c__/a__/app/x"),
        ] {
            assert_eq!(shared.served(of, own), served, "{of}: {own}");
            let led = shared.leads_to(served).map(|(name, own)| (name.to_string(), own));
            let is_ours = served != own;
            assert_eq!(led, is_ours.then(|| (of.to_owned(), own.to_owned())), "{served}");
            assert_eq!(own_uri(of, served), own);
        }
        assert_eq!(shared.served_template("a", "t://{id}/x"), "t://a__/{id}/x");
        assert_eq!(shared.served_template("b c", "u://{id}"), "u://{id}");
        assert_eq!(shared.leads_to("ui://other__/app/x"), None);
        let alone = SharedUris::of(&[&a], &Guard::default());
        assert_eq!(alone.served("a", "ui://app/x"), "ui://app/x");
    }

    #[test]
    fn u18_a_template_matches_its_expansions() {
        for (template, uri, is_matched) in [
            ("demo://item/{id}/text", "demo://item/7/text", true),
            ("file:///{+path}", "file:///a/b", true),
            ("demo://item/{id}/text", "demo://item/7/blob", false),
            ("demo://item/{id}", "other://item/7", false),
        ] {
            assert_eq!(matches_template(template, uri), is_matched, "{template} {uri}");
        }
    }

    proptest! {
        #[test]
        fn u18_a_uri_of_ours_leads_back(name in "\\PC{1,9}", uri in "([a-zA-Z]{1,5}:)?/{0,3}\\PC{0,12}") {
            prop_assert_eq!(split(&our_uri(&name, &uri)), Some((name, uri)));
        }
    }
}
