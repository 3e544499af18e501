//! Dedicated upstreams for requests without a session, and who may reuse them.
//!
//! Nothing identifies the client of an anonymous request, so a backend that served one serves another only if
//! that one returns the `requestState` issued with it, with which its guard is kept. The next request of the same principal may
//! reuse it.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::http::HeaderMap;
use mcp_disclosure_core::{Digest, Principal, RawObject, digest::hex};
use parking_lot::Mutex;

use super::Backend;
use crate::session::client_features;

/// Identifies the backends that a request without a session may use.
#[derive(Clone, Debug)]
pub struct Claim {
    holder: Holder,
    /// The client features that upstreams may use.
    pub(super) capabilities: RawObject,
    /// The headers that upstreams are sent.
    pub(super) forwarded: Option<Arc<HeaderMap>>,
}

/// Backends with equal holders are interchangeable: same principal, same client capabilities, same headers passed on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Holder {
    /// `None` for anonymous requests, each of which may come from a different client.
    principal: Option<Arc<str>>,
    capabilities: Arc<str>,
    /// Digest of the headers that upstreams are sent.
    forwarded: Option<Digest>,
}

impl Claim {
    /// The claim of a client with these capabilities.
    pub fn new(principal: &Principal, capabilities: &RawObject, forwarded: Option<Arc<HeaderMap>>) -> Self {
        let capabilities = client_features(capabilities);
        let holder = Holder {
            principal: principal.id().map(Arc::from),
            capabilities: capabilities.text().into(),
            forwarded: forwarded.as_deref().map(digest_of),
        };
        Self { holder, capabilities, forwarded }
    }

    /// Whether upstreams may send requests to the client. What they list may depend on it.
    pub fn can_be_asked(&self) -> bool {
        !self.capabilities.is_empty()
    }
}

fn digest_of(headers: &HeaderMap) -> Digest {
    let mut all: Vec<_> =
        headers.iter().map(|(name, value)| format!("{name}={}", hex(value.as_bytes()))).collect();
    all.sort();
    Digest::of_parts(all.iter().map(String::as_str))
}

/// Backends that are not serving a request.
#[derive(Debug, Default)]
pub(super) struct Pool {
    idle: Mutex<HashMap<Holder, Vec<Idle>>>,
}

#[derive(Debug)]
struct Idle {
    backend: Arc<Backend>,
    since: Instant,
    /// Cloned by each request that currently shares the backend.
    users: Arc<()>,
}

/// The use of a backend by one request, until this is dropped.
#[derive(Debug)]
pub struct BackendGuard {
    pool: Arc<Pool>,
    holder: Holder,
    /// The backend.
    pub(crate) backend: Arc<Backend>,
    /// Prevents a shared backend from being ended as idle; `None` if it is exclusive.
    shared: Option<Arc<()>>,
}

impl Pool {
    /// An existing backend that the claim may use.
    pub(super) fn take(self: &Arc<Self>, claim: &Claim) -> Option<Arc<BackendGuard>> {
        let (backend, shared) = self.take_idle(&claim.holder)?;
        let (pool, holder) = (Arc::clone(self), claim.holder.clone());
        Some(Arc::new(BackendGuard { pool, holder, backend, shared }))
    }

    /// Reserves a backend that was started for this claim.
    pub(super) fn take_new(self: &Arc<Self>, claim: &Claim, backend: Arc<Backend>) -> Arc<BackendGuard> {
        let known = claim.holder.principal.is_some();
        let shareable = backend.keeps_nothing() || (known && backend.is_shareable());
        let shared = shareable.then(|| self.put(claim.holder.clone(), Arc::clone(&backend)));
        let (pool, holder) = (Arc::clone(self), claim.holder.clone());
        Arc::new(BackendGuard { pool, holder, backend, shared })
    }

    /// An idle backend; with its use count if it is shared.
    fn take_idle(&self, holder: &Holder) -> Option<(Arc<Backend>, Option<Arc<()>>)> {
        let mut idle = self.idle.lock();
        let backends = idle.get_mut(holder)?;
        // Closing what is left of them releases their reservation.
        backends.extract_if(.., |idle| idle.backend.is_broken()).for_each(|broken| end(broken.backend));
        // The most recently used one is the likeliest to be warm.
        let last = backends.last_mut()?;
        if last.backend.is_shareable() {
            last.since = Instant::now();
            return Some((Arc::clone(&last.backend), Some(Arc::clone(&last.users))));
        }
        backends.pop().map(|idle| (idle.backend, None))
    }

    fn put(&self, holder: Holder, backend: Arc<Backend>) -> Arc<()> {
        let users = Arc::new(());
        let idle = Idle { backend, since: Instant::now(), users: Arc::clone(&users) };
        self.idle.lock().entry(holder).or_default().push(idle);
        users
    }

    /// Removes the backends that were idle for `limit`.
    pub(super) fn expire(&self, limit: Duration) -> Vec<Arc<Backend>> {
        self.remove(|idle| idle.since.elapsed() >= limit && Arc::strong_count(&idle.users) == 1)
    }

    /// Removes all backends.
    pub(super) fn drain(&self) -> Vec<Arc<Backend>> {
        self.remove(|_| true)
    }

    fn remove(&self, which: impl Fn(&Idle) -> bool) -> Vec<Arc<Backend>> {
        let mut idle = self.idle.lock();
        let removed: Vec<Idle> =
            idle.values_mut().flat_map(|backends| backends.extract_if(.., |entry| which(entry))).collect();
        idle.retain(|_, backends| !backends.is_empty());
        removed.into_iter().map(|idle| idle.backend).collect()
    }
}

impl BackendGuard {
    /// Whether the backend can still serve a request with this claim.
    pub(crate) fn is_for(&self, claim: &Claim) -> bool {
        self.holder == claim.holder && !self.backend.is_broken()
    }

    /// Whether another backend of the same holder could continue a request as well.
    pub(crate) fn is_shared(&self) -> bool {
        self.shared.is_some()
    }
}

impl Drop for BackendGuard {
    fn drop(&mut self) {
        if self.is_shared() {
            return;
        }
        let backend = Arc::clone(&self.backend);
        if self.holder.principal.is_some() && !backend.is_broken() {
            drop(self.pool.put(self.holder.clone(), backend));
        } else {
            end(backend);
        }
    }
}

/// Closes a backend in the background.
pub(super) fn end(backend: Arc<Backend>) {
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn(async move { backend.close().await });
    }
}
