//! Resource subscriptions of a backend's clients: one at the upstream for any number of them.

use std::{collections::HashMap, sync::Arc};

use mcp_disclosure_transport::{ErrorText, code};
use parking_lot::Mutex;
use tokio::sync::mpsc;

use super::Backend;
use crate::{catalogue::Page, session::Session, slot::Slot};

/// Subscriber counts by resource, and the upstream that is subscribed to.
#[derive(Clone, Debug)]
pub(super) struct Subscriptions {
    held: Arc<Mutex<HashMap<String, Held>>>,
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
        Release { subscriptions: self.clone(), uris: Vec::new() }
    }

    fn release(&self, uri: &str) {
        let mut held = self.held.lock();
        let Some(entry) = held.get_mut(uri) else { return };
        entry.count -= 1;
        if entry.count == 0 {
            let slot = Arc::clone(&entry.slot);
            held.remove(uri);
            let _shutting_down = self.abandoned.send((slot, uri.to_owned()));
        }
    }

    /// Adds a subscriber to an existing subscription at one of these; `false` if there is none.
    fn join(&self, uri: &str, owners: &[Arc<Slot>]) -> bool {
        let mut held = self.held.lock();
        let is_owner = |held: &&mut Held| owners.iter().any(|owner| Arc::ptr_eq(owner, &held.slot));
        held.get_mut(uri).filter(is_owner).map(|entry| entry.count += 1).is_some()
    }

    fn add(&self, uri: &str, slot: Arc<Slot>) {
        self.held.lock().entry(uri.to_owned()).or_insert(Held { count: 0, slot }).count += 1;
    }
}

/// Releases subscriptions on drop.
#[derive(Debug)]
pub struct Release {
    subscriptions: Subscriptions,
    uris: Vec<String>,
}

impl Release {
    /// Adds a resource.
    pub fn add(&mut self, uri: &str) {
        self.uris.push(uri.to_owned());
    }

    /// Whether a resource was added.
    pub fn has(&self, uri: &str) -> bool {
        self.uris.iter().any(|held| held == uri)
    }
}

impl Drop for Release {
    fn drop(&mut self) {
        self.uris.iter().for_each(|uri| self.subscriptions.release(uri));
    }
}

impl Backend {
    /// A guard that releases the resources added to it when it is dropped.
    pub fn release_on_drop(&self) -> Release {
        self.subscriptions.release_on_drop()
    }

    /// Releases one subscription.
    pub fn release(&self, uri: &str) {
        self.subscriptions.release(uri);
    }

    /// Releases the subscriptions of a session that ended.
    pub fn release_all(&self, session: &Session) {
        session.take_subscriptions().iter().for_each(|uri| self.subscriptions.release(uri));
    }

    /// Subscribes to a resource, at its upstream if this is the first subscriber.
    ///
    /// # Errors
    /// The upstream's error.
    pub async fn hold(&self, page: &Page, uri: &str) -> Result<(), ErrorText> {
        let owners = self.owners(page, uri);
        // A resource hidden since others subscribed must be unknown to this caller.
        if self.subscriptions.join(uri, &owners) {
            return Ok(());
        }
        let unknown = || ErrorText::new(code::RESOURCE_NOT_FOUND, format_args!("Resource not found: {uri}"));
        let mut refused = unknown();
        for owner in owners {
            match owner.subscribe(uri).await {
                Ok(()) => {
                    self.subscriptions.add(uri, owner);
                    return Ok(());
                }
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
