//! Scopes: which backend serves which client.

use std::{collections::HashMap, sync::Arc, time::Duration};

use mcp_disclosure_core::{Era, Principal, RawObject};
use mcp_disclosure_transport::{ErrorText, Request, code};
use parking_lot::Mutex;
use tokio::sync::{Semaphore, mpsc, oneshot, watch};

use super::{
    Backend, Claim, Declaration, Lease, Recipe, Started,
    lease::{Pool, end},
};
use crate::{
    catalogue::Declared,
    error::Error,
    session::{Client, Peer},
};

/// Whether clients share upstreams.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    strum::Display,
    strum::EnumMessage,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
    serde::Deserialize,
    serde::Serialize,
)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// All clients share one connection to each upstream, and are asked nothing.
    #[default]
    Shared,
    /// Each session has connections of its own, and each request without a session has them while it runs.
    Session,
}

/// All backends of a gateway.
#[derive(Debug)]
pub struct Backends {
    recipe: Recipe,
    scope: Scope,
    shared: Arc<Backend>,
    declared: watch::Receiver<Declared>,
    pub(super) declarations: mpsc::Sender<Declaration>,
    /// Dedicated backends by session id.
    own: Mutex<HashMap<Arc<str>, Arc<Backend>>>,
    pool: Arc<Pool>,
    /// Permits for starting backends.
    starting: Arc<Semaphore>,
}

/// Maximum concurrent backend starts.
const AT_ONCE: usize = 8;

impl Backends {
    /// `first` serves every client without a dedicated backend.
    pub fn new(recipe: Recipe, scope: Scope, first: Started) -> Self {
        let (own, starting) = (Mutex::default(), Arc::new(Semaphore::new(AT_ONCE)));
        let Started { backend: shared, declared, declarations, .. } = first;
        Self { recipe, scope, shared, declared, declarations, own, pool: Arc::default(), starting }
    }

    /// The backend shared by all clients without a dedicated one.
    pub fn shared(&self) -> &Arc<Backend> {
        &self.shared
    }

    /// The backend for a new session.
    ///
    /// # Errors
    /// -32000 if no upstream could be started for it; -32005 if its peer has too many.
    pub async fn for_session(
        &self,
        id: &Arc<str>,
        client: &Arc<Client>,
        peer: &Peer,
    ) -> Result<Arc<Backend>, ErrorText> {
        if self.scope == Scope::Shared {
            return Ok(Arc::clone(&self.shared));
        }
        let backend = self.connect_dedicated(Era::Session, Arc::clone(client), peer).await?;
        self.own.lock().insert(Arc::clone(id), Arc::clone(&backend));
        Ok(backend)
    }

    /// Closes the dedicated backend of a session.
    pub fn end_session(&self, id: &str) {
        let own = self.own.lock().remove(id);
        own.into_iter().for_each(end);
    }

    /// The claim of a request without a session; `None` if all clients share upstreams.
    pub fn claim(&self, principal: &Principal, capabilities: &RawObject, request: &Request) -> Option<Claim> {
        (self.scope == Scope::Session).then(|| Claim::new(principal, capabilities, request))
    }

    /// The backend for a stateless request to an upstream; `None` if the shared one can be used, since its
    /// upstreams keep no state.
    ///
    /// # Errors
    /// -32000 if no upstream could be started for it; -32005 if its peer has too many.
    pub async fn for_request(&self, claim: &Claim, peer: &Peer) -> Result<Option<Arc<Lease>>, ErrorText> {
        if !claim.can_be_asked() && self.shared.keeps_nothing() {
            return Ok(None);
        }
        if let Some(lease) = self.pool.take(claim) {
            return Ok(Some(lease));
        }
        let client = Arc::new(Client::new(&claim.capabilities()));
        let backend = self.connect_dedicated(Era::Stateless, client, peer).await?;
        Ok(Some(self.pool.take_new(claim, backend)))
    }

    /// Closes backends that were idle for this long.
    pub fn sweep(&self, idle: Duration) {
        self.pool.expire(idle).into_iter().for_each(end);
    }

    /// Closes all backends.
    pub async fn close(&self) {
        let own = std::mem::take(&mut *self.own.lock());
        let idle = self.pool.drain();
        let closing = own.values().chain(&idle).chain([&self.shared]).map(|backend| backend.close());
        futures::future::join_all(closing).await;
    }

    /// Starts a backend in its own task, so that upstreams remain counted and are closed even if the caller
    /// disconnects meanwhile.
    async fn connect_dedicated(
        &self,
        era: Era,
        client: Arc<Client>,
        peer: &Peer,
    ) -> Result<Arc<Backend>, ErrorText> {
        let place = peer.upstreams(self.recipe.targets.len())?;
        let (recipe, declared, peer) = (self.recipe.clone(), self.declared.clone(), peer.clone());
        let (shared, starting) = (Arc::clone(&self.shared), Arc::clone(&self.starting));
        let (made, taken) = oneshot::channel();
        tokio::spawn(async move {
            // The peer's own permit first, so that one peer's slow upstreams cannot hold all permits. Neither
            // semaphore is ever closed.
            let _own_turn = peer.starts().acquire().await;
            let _turn = starting.acquire().await;
            // The caller disconnected while waiting.
            if made.is_closed() {
                return;
            }
            let backend = recipe.another(era, client, declared, shared.catalogue()).await;
            let backend = backend.inspect(|backend| backend.hold_place(place));
            if let Err(Ok(unwanted)) = made.send(backend) {
                unwanted.close().await;
            }
        });
        let made = taken.await.map_err(|_| panicked("starting upstreams"))?;
        made.map_err(|error: Error| {
            tracing::warn!(%error, "cannot start dedicated upstreams");
            ErrorText::new(code::UPSTREAM_FAILED, error.for_clients())
        })
    }
}

fn panicked(what: &str) -> ErrorText {
    ErrorText::new(code::INTERNAL_ERROR, format_args!("internal error: {what} panicked"))
}
