//! Who is served from which backend.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use mcp_disclosure_core::{DescriptionFile, Era, Principal, RawObject};
use tokio::sync::{Semaphore, watch};

use super::{Backend, Recipe};
use crate::{
    failure::Failure,
    session::{Client, askable},
    wire::{ErrorText, code},
};

/// Whether clients share upstreams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::Display, strum::EnumString, clap::ValueEnum)]
#[strum(serialize_all = "lowercase")]
pub enum Scope {
    /// All clients share one connection to each upstream, and are asked nothing.
    #[default]
    Shared,
    /// Each session has connections of its own, and each request without a session that may be asked
    /// something has them while it runs.
    Session,
}

/// All backends of a gateway.
#[derive(Debug)]
pub struct Backends {
    recipe: Recipe,
    scope: Scope,
    shared: Arc<Backend>,
    files: watch::Receiver<Arc<[DescriptionFile]>>,
    pool: Arc<Pool>,
    /// Turns to start upstreams.
    starting: Semaphore,
}

/// So many backends are started at the same time; others wait.
const AT_ONCE: usize = 8;

/// Backends between two requests, by whom they may ask what.
#[derive(Debug, Default)]
struct Pool(Mutex<HashMap<Key, Vec<Idle>>>);

type Key = (Principal, Arc<str>);

#[derive(Debug)]
struct Idle {
    backend: Arc<Backend>,
    since: Instant,
}

/// A backend that serves one request and no other, until this is dropped.
#[derive(Debug)]
pub struct Lease {
    pool: Arc<Pool>,
    key: Key,
    backend: Arc<Backend>,
}

impl Backends {
    /// Backends beside `shared`, which serves whoever needs none of their own.
    pub fn new(
        recipe: Recipe,
        scope: Scope,
        shared: Arc<Backend>,
        files: watch::Receiver<Arc<[DescriptionFile]>>,
    ) -> Self {
        Self { recipe, scope, shared, files, pool: Arc::default(), starting: Semaphore::new(AT_ONCE) }
    }

    /// The backend of everyone who has none of their own.
    pub fn shared(&self) -> &Arc<Backend> {
        &self.shared
    }

    /// The backend of a session.
    ///
    /// # Errors
    /// -32000 where no upstream could be reached for it.
    pub async fn for_session(&self, client: &Arc<Client>) -> Result<Arc<Backend>, ErrorText> {
        match self.scope {
            Scope::Shared => Ok(Arc::clone(&self.shared)),
            Scope::Session => self.another(Era::Session, Arc::clone(client)).await,
        }
    }

    /// A backend for one request without a session, of a client of these capabilities; `None` where the
    /// shared one will do.
    ///
    /// # Errors
    /// -32000 where no upstream could be reached for it.
    pub async fn for_request(
        &self,
        principal: &Principal,
        capabilities: &RawObject,
    ) -> Result<Option<Lease>, ErrorText> {
        let capabilities = askable(capabilities);
        if self.scope == Scope::Shared || capabilities.is_empty() {
            return Ok(None);
        }
        let key = (principal.clone(), Arc::from(capabilities.text()));
        let backend = match self.pool.take(&key) {
            Some(backend) => backend,
            None => self.another(Era::Stateless, Arc::new(Client::new(&capabilities))).await?,
        };
        Ok(Some(Lease { pool: Arc::clone(&self.pool), key, backend }))
    }

    /// Ends backends that served nobody for so long.
    pub fn sweep(&self, idle: Duration) {
        self.pool.remove(|entry| entry.since.elapsed() >= idle).into_iter().for_each(end);
    }

    /// Ends all but those that sessions have.
    pub async fn close(&self) {
        let idle = self.pool.remove(|_| true);
        let closing = idle.iter().chain([&self.shared]).map(|backend| backend.close());
        futures::future::join_all(closing).await;
    }

    async fn another(&self, era: Era, client: Arc<Client>) -> Result<Arc<Backend>, ErrorText> {
        // It is never closed.
        let _turn = self.starting.acquire().await;
        let made = self.recipe.another(era, client, self.files.clone(), self.shared.catalogue()).await;
        made.map_err(|failure: Failure| {
            let told = failure.to_string();
            tracing::warn!("a client gets no upstreams of its own: {told}");
            ErrorText::new(code::UPSTREAM_FAILED, told)
        })
    }
}

impl Pool {
    fn take(&self, key: &Key) -> Option<Arc<Backend>> {
        let mut idle = self.lock();
        let backends = idle.get_mut(key)?;
        // The last one back is the likeliest to be warm.
        let taken = backends.pop();
        if backends.is_empty() {
            idle.remove(key);
        }
        taken.map(|idle| idle.backend)
    }

    fn remove(&self, which: impl Fn(&Idle) -> bool) -> Vec<Arc<Backend>> {
        let mut idle = self.lock();
        let removed: Vec<Idle> =
            idle.values_mut().flat_map(|backends| backends.extract_if(.., |entry| which(entry))).collect();
        idle.retain(|_, backends| !backends.is_empty());
        removed.into_iter().map(|idle| idle.backend).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Vec<Idle>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lease {
    /// The backend.
    pub fn backend(&self) -> &Arc<Backend> {
        &self.backend
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let backend = Arc::clone(&self.backend);
        if backend.is_broken() {
            return end(backend);
        }
        let mut idle = self.pool.lock();
        idle.entry(self.key.clone()).or_default().push(Idle { backend, since: Instant::now() });
    }
}

/// Ends a backend that nobody waits for.
pub(crate) fn end(backend: Arc<Backend>) {
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn(async move { backend.close().await });
    }
}
