//! What clients see, and which notifications they get when it changes.

use std::{fmt::Debug, sync::Arc};

use mcp_disclosure_core::{Extension, Kind, Memory, Principal, RawObject, UpstreamName};
use mcp_disclosure_transport::Notification;

use crate::{
    catalogue::{Page, Published},
    negotiation::Choice,
};

/// One `list_changed` notification per method: both kinds of resource share theirs.
pub(crate) fn list_changed(kinds: &[Kind]) -> Vec<(Kind, Notification)> {
    let methods = [
        (&[Kind::Tools][..], "notifications/tools/list_changed"),
        (&[Kind::Resources, Kind::Templates], "notifications/resources/list_changed"),
        (&[Kind::Prompts], "notifications/prompts/list_changed"),
    ];
    let changed = methods.into_iter().filter(|(of, _)| of.iter().any(|kind| kinds.contains(kind)));
    changed.map(|(of, method)| (of[0], Notification::new(method, RawObject::empty()))).collect()
}

/// Everything about a client that its lists depend on.
#[derive(Clone, Debug)]
pub struct Viewer {
    pub principal: Principal,
    pub choice: Choice,
    pub memory: Memory,
}

impl Viewer {
    /// The extension by which it uses its strategy, if it declared it.
    pub fn extension(&self) -> Option<Extension> {
        self.choice.strategy.profile().extension.filter(|_| self.choice.traits.declared)
    }

    /// Its page of a catalogue.
    pub fn page(&self, of: &Published) -> Arc<Page> {
        of.page(&self.principal, &self.choice, &self.memory)
    }

    /// The notification of that extension, if its list differs between two catalogues.
    pub fn news(&self, before: &Published, now: &Published) -> Option<Notification> {
        self.extension()?;
        self.announces(&self.page(before), &self.page(now))
    }

    /// The same, if its list differs between two pages.
    pub fn announces(&self, before: &Page, now: &Page) -> Option<Notification> {
        let extension = self.extension().filter(|_| before.announced != now.announced)?;
        Some(Notification::new(extension.changed, RawObject::empty()))
    }
}

/// What keeps a resource subscribed to at its upstream, until it is dropped.
pub(crate) type Held = Box<dyn Debug + Send + Sync>;

/// A resource of one upstream. Several may serve the same URI, and not everyone who may read it of one may do so of another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Watched {
    /// The upstream, also if its entry changes.
    pub upstream: UpstreamName,
    /// The URI.
    pub uri: String,
}

impl Watched {
    /// The resource of this URI.
    pub fn of(upstream: &UpstreamName, uri: &str) -> Self {
        Self { upstream: upstream.clone(), uri: uri.to_owned() }
    }
}
