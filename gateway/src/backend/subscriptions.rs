//! Resource subscriptions of a backend's clients: one at each upstream for any number of them.

use std::{collections::HashMap, sync::Arc};

use mcp_disclosure_transport::{ErrorText, code};
use parking_lot::Mutex;
use tokio::sync::mpsc;

use super::Backend;
use crate::{
    catalogue::Page,
    session::{Session, Watched},
    slot::Slot,
};

/// Subscriber counts by resource and upstream.
#[derive(Clone, Debug)]
pub(super) struct Subscriptions {
    held: Arc<Mutex<HashMap<Watched, Held>>>,
    abandoned: mpsc::UnboundedSender<(Arc<Slot>, String)>,
}

#[derive(Debug)]
struct Held {
    count: usize,
    slot: Arc<Slot>,
}

impl Subscriptions {
    /// No subscriptions. Those without subscribers left are sent to `abandoned`.
    pub(super) fn new(abandoned: mpsc::UnboundedSender<(Arc<Slot>, String)>) -> Self {
        Self { held: Arc::default(), abandoned }
    }

    /// A guard that releases the resources added to it when it is dropped.
    pub(super) fn release_on_drop(&self) -> Release {
        Release { subscriptions: self.clone(), held: Vec::new() }
    }

    fn release(&self, watched: &Watched) {
        let mut held = self.held.lock();
        let Some(entry) = held.get_mut(watched) else { return };
        entry.count -= 1;
        if entry.count == 0 {
            let slot = Arc::clone(&entry.slot);
            held.remove(watched);
            let _shutting_down = self.abandoned.send((slot, watched.uri.clone()));
        }
    }

    /// Adds a subscriber to an existing subscription at one of these, if there is one.
    fn join(&self, uri: &str, owners: &[Arc<Slot>]) -> Option<Watched> {
        let mut held = self.held.lock();
        let mut watched = owners.iter().map(|owner| Watched::of(owner.number(), uri));
        watched.find(|watched| held.get_mut(watched).map(|entry| entry.count += 1).is_some())
    }

    fn add(&self, uri: &str, slot: Arc<Slot>) -> Watched {
        let watched = Watched::of(slot.number(), uri);
        self.held.lock().entry(watched.clone()).or_insert(Held { count: 0, slot }).count += 1;
        watched
    }
}

/// Releases subscriptions on drop.
#[derive(Debug)]
pub struct Release {
    subscriptions: Subscriptions,
    held: Vec<Watched>,
}

impl Release {
    /// Adds a resource.
    pub fn add(&mut self, watched: Watched) {
        self.held.push(watched);
    }

    /// Leaves the resources to others to release.
    pub fn keep(mut self) {
        self.held.clear();
    }

    /// The resources that were added.
    pub fn held(&self) -> &[Watched] {
        &self.held
    }
}

impl Drop for Release {
    fn drop(&mut self) {
        self.held.iter().for_each(|watched| self.subscriptions.release(watched));
    }
}

impl Backend {
    /// A guard that releases the resources added to it when it is dropped.
    pub fn release_on_drop(&self) -> Release {
        self.subscriptions.release_on_drop()
    }

    /// Releases one subscription.
    pub fn release(&self, watched: &Watched) {
        self.subscriptions.release(watched);
    }

    /// Releases the subscriptions of a session that ended.
    pub fn release_all(&self, session: &Session) {
        session.take_subscriptions().iter().for_each(|watched| self.subscriptions.release(watched));
    }

    /// Subscribes to a resource, at its upstream if this is the first subscriber. Returns which upstream's it is.
    ///
    /// # Errors
    /// The upstream's error.
    pub async fn hold(&self, page: &Page, uri: &str) -> Result<Watched, ErrorText> {
        let owners = self.owners(page, uri);
        // A resource hidden since others subscribed must be unknown to this caller.
        if let Some(joined) = self.subscriptions.join(uri, &owners) {
            return Ok(joined);
        }
        let unknown = || ErrorText::new(code::RESOURCE_NOT_FOUND, format_args!("Resource not found: {uri}"));
        let mut refused = unknown();
        for owner in owners {
            match owner.subscribe(uri).await {
                Ok(()) => return Ok(self.subscriptions.add(uri, owner)),
                Err(error) if error.code() != code::UPSTREAM_FAILED && page.is_unlisted_and_guarded(uri) => {
                    refused = unknown();
                }
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }

    /// Unsubscribes from upstreams for resources without subscribers, until the backend ends.
    pub(super) async fn let_go(self: Arc<Self>, mut abandoned: mpsc::UnboundedReceiver<(Arc<Slot>, String)>) {
        loop {
            let abandoned = tokio::select! {
                abandoned = abandoned.recv() => abandoned,
                () = self.ending.cancelled() => None,
            };
            let Some((slot, uri)) = abandoned else { return };
            slot.unsubscribe(&uri).await;
        }
    }
}
