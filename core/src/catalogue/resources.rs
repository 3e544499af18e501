//! Resources as a view's clients know them: which URIs exist for them, and whose they are.

use std::borrow::Cow;

use crate::{
    catalogue::{
        pages,
        snapshot::Entry,
        uri::{self, Uri},
        view::View,
        visible_tool::VisibleTool,
    },
    name::{Kind, UpstreamName},
};

impl View {
    /// Whether clients may know an upstream's resource by another URI than the upstream does.
    pub fn shares_uris(&self) -> bool {
        !self.snapshot.shared.is_empty()
    }

    /// The URI by which clients know what an upstream calls `uri`: the same, or, where that may be another upstream's, one of ours
    /// (docs/CONTRACT.md U18).
    pub fn served_uri<'u>(&self, upstream: &str, uri: &'u str) -> Cow<'u, str> {
        self.snapshot.shared.served(upstream, uri)
    }

    /// The upstream that a URI of ours leads to, and its own URI; `None` if it is no URI of ours. Whether the caller may use it is
    /// not checked.
    pub fn leads_to(&self, uri: &str) -> Option<(&UpstreamName, String)> {
        self.snapshot.shared.leads_to(uri)
    }

    /// The upstream of the page of this URI: one of ours, a listed one, or that of a tool.
    pub fn upstream_of_page(&self, uri: &str) -> Option<&UpstreamName> {
        let led = self.leads_to(uri).map(|(upstream, _)| upstream);
        let listed = || self.entry(Kind::Resources, uri).map(Entry::upstream);
        let is_its =
            |tool: &VisibleTool<'_>| pages::of(tool.tool().definition()).iter().any(|page| page == uri);
        let of_tool = || self.all_tools().find(is_its).map(|tool| tool.tool().upstream());
        led.or_else(listed).or_else(of_tool)
    }

    /// The permitted tool that an upstream calls by this name.
    pub fn tool_of(&self, upstream: &str, own: &str) -> Option<VisibleTool<'_>> {
        let tools = self.snapshot.tools().iter();
        let mut its = tools.filter(|tool| **tool.upstream() == *upstream && **tool.upstream_name() == *own);
        self.tool(its.next()?.key()).or_else(|| self.tool(&format!("{upstream}__{own}")))
    }

    /// Whether everything that upstreams list exists for the caller.
    pub fn hides_nothing(&self) -> bool {
        let rules = &self.snapshot.rules;
        self.permits_everything()
            && !self.guards_resources()
            && !rules.allow_tools()
            && !rules.hide().iter().any(|(_, hides)| *hides)
    }

    /// Whether any resource may not exist for the caller.
    pub fn guards_resources(&self) -> bool {
        self.located.is_some() || self.snapshot.guards_resources()
    }

    /// Whether a resource that an upstream of this name speaks of does not exist for the caller: the operator hides it from
    /// everyone, or the caller may not use it. The URI is read once.
    pub fn hides_resource(&self, uri: &str) -> impl Fn(&str) -> bool + '_ {
        self.hides(self.hides_any().then(|| Uri::stated(uri)))
    }

    /// Whether the caller may not ask an upstream of this name for a URI: besides what is hidden, what is neither
    /// canonical nor listed.
    pub fn refuses_resource(&self, uri: &str) -> impl Fn(&str) -> bool + '_ {
        let is_listed = || self.entry(Kind::Resources, uri).is_some();
        let read = || if is_listed() { Uri::stated(uri) } else { Uri::requested(uri) };
        self.hides(self.hides_any().then(read))
    }

    /// Whether a rule hides an upstream's resources of this URI, or the text that may stand in one.
    pub fn has_rule_to_hide(&self, upstream: &str, text: &str) -> bool {
        self.snapshot.guard.said_of(upstream, &Uri::stated(text)).is_hidden()
    }

    fn hides_any(&self) -> bool {
        self.located.is_some() || self.snapshot.guard.hides_any()
    }

    /// Whether a URI is refused for its spelling, however often it is listed elsewhere.
    pub fn needs_canonical(&self, uri: &str) -> bool {
        self.guards_resources() && self.entry(Kind::Resources, uri).is_none() && !uri::is_canonical(uri)
    }

    fn hides(&self, uri: Option<Uri>) -> impl Fn(&str) -> bool + '_ {
        move |upstream| {
            uri.as_ref().is_some_and(|uri| {
                let is_permitted = self.located.as_ref().is_none_or(|located| located.allow(upstream, uri));
                !is_permitted || self.snapshot.guard.hides(upstream, uri)
            })
        }
    }
}
