//! Subscriptions to resources: many clients, one subscription at the upstream.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use mcp_disclosure_core::RawObject;
use tokio::sync::mpsc;

use super::{Caller, Gateway};
use crate::{
    catalogue::Page,
    session::Session,
    upstream::{CallError, Upstream},
    wire::{ErrorText, Json, code},
};

/// How many want to hear of each resource, and who was asked to tell.
#[derive(Clone, Debug)]
pub(super) struct Subscriptions {
    held: Arc<Mutex<HashMap<String, Held>>>,
    abandoned: mpsc::UnboundedSender<(usize, String)>,
}

#[derive(Debug)]
struct Held {
    count: usize,
    upstream: usize,
}

impl Subscriptions {
    /// No subscriptions; those that nobody wants any more go to `abandoned`, with their upstream.
    pub(super) fn new(abandoned: mpsc::UnboundedSender<(usize, String)>) -> Self {
        Self { held: Arc::default(), abandoned }
    }

    /// Releases what is added to the result when that is dropped.
    pub(super) fn release_on_drop(&self) -> Release {
        Release { subscriptions: self.clone(), uris: Vec::new() }
    }

    fn release(&self, uri: &str) {
        let mut held = self.lock();
        let Some(entry) = held.get_mut(uri) else { return };
        entry.count -= 1;
        if entry.count == 0 {
            let upstream = entry.upstream;
            held.remove(uri);
            let _shutting_down = self.abandoned.send((upstream, uri.to_owned()));
        }
    }

    /// Counts one more for a resource that is held already.
    fn join(&self, uri: &str) -> bool {
        self.lock().get_mut(uri).map(|entry| entry.count += 1).is_some()
    }

    fn add(&self, uri: &str, upstream: usize) {
        self.lock().entry(uri.to_owned()).or_insert(Held { count: 0, upstream }).count += 1;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Releases subscriptions when dropped.
#[derive(Debug)]
pub(super) struct Release {
    subscriptions: Subscriptions,
    uris: Vec<String>,
}

impl Release {
    pub(super) fn add(&mut self, uri: &str) {
        self.uris.push(uri.to_owned());
    }

    pub(super) fn has(&self, uri: &str) -> bool {
        self.uris.iter().any(|held| held == uri)
    }
}

impl Drop for Release {
    fn drop(&mut self) {
        self.uris.iter().for_each(|uri| self.subscriptions.release(uri));
    }
}

impl Gateway {
    pub(super) async fn subscribe(
        &self,
        caller: &Caller,
        page: &Page,
        params: &RawObject,
    ) -> Result<Json, ErrorText> {
        let uri = uri_of(params)?;
        let Some(session) = &caller.session else { return Ok(Json::empty_object()) };
        if session.is_subscribed(&uri) {
            return Ok(Json::empty_object());
        }
        self.hold(page, &uri).await?;
        if !session.subscribe(&uri) {
            self.subscriptions.release(&uri);
        }
        Ok(Json::empty_object())
    }

    pub(super) async fn unsubscribe(&self, caller: &Caller, params: &RawObject) -> Result<Json, ErrorText> {
        let uri = uri_of(params)?;
        if caller.session.as_ref().is_some_and(|session| session.unsubscribe(&uri)) {
            self.subscriptions.release(&uri);
        }
        Ok(Json::empty_object())
    }

    /// Lets go of what a session that ended had subscribed to.
    pub(super) fn release_all(&self, session: &Session) {
        session.take_subscriptions().iter().for_each(|uri| self.subscriptions.release(uri));
    }

    /// Makes sure that changes of a resource are heard of.
    pub(super) async fn hold(&self, page: &Page, uri: &str) -> Result<(), ErrorText> {
        if self.subscriptions.join(uri) {
            return Ok(());
        }
        let mut refused = ErrorText::new(code::RESOURCE_NOT_FOUND, format_args!("Resource not found: {uri}"));
        for owner in self.owners(page, uri) {
            let number = self.upstreams.iter().position(|upstream| upstream.name() == owner.name());
            match ask(owner, "resources/subscribe", uri).await {
                Ok(_) => {
                    self.subscriptions.add(uri, number.unwrap_or_default());
                    return Ok(());
                }
                Err(CallError::Answered(error)) => refused = error,
                Err(failed) => {
                    let told = format_args!("upstream '{}' {failed}", owner.name());
                    refused = ErrorText::new(code::UPSTREAM_FAILED, told);
                }
            }
        }
        Err(refused)
    }

    /// Tells upstreams what nobody wants to hear of any more, until the gateway ends.
    pub(super) async fn let_go(&self, mut abandoned: mpsc::UnboundedReceiver<(usize, String)>) {
        while let Some((number, uri)) = abandoned.recv().await {
            let Some(upstream) = self.upstreams.get(number) else { continue };
            if let Err(error) = ask(upstream, "resources/unsubscribe", &uri).await {
                tracing::debug!(upstream = %upstream.name(), uri, %error, "could not unsubscribe");
            }
        }
    }
}

async fn ask(upstream: &Upstream, method: &str, uri: &str) -> Result<Json, CallError> {
    let params = RawObject::empty().with_value("uri", uri);
    upstream.connection().request(method, params, None, upstream.patience()).await
}

fn uri_of(params: &RawObject) -> Result<String, ErrorText> {
    params.string("uri").ok_or_else(|| ErrorText::invalid_params("params.uri must be a string"))
}
