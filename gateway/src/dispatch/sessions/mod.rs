//! Sessions: how they are opened, found, changed and ended, here and at other replicas.

mod lifecycle;
mod opening;
mod replicas;
mod subscriptions;
mod table;

use std::{sync::Arc, time::Duration};

use mcp_disclosure_core::{Kind, Principal};
use mcp_disclosure_transport::{ErrorText, code, printable::Short};
use parking_lot::Mutex;
pub(crate) use table::ServedSession;
use table::Table;

use super::Common;
use crate::{
    limits::SessionLimits,
    session::{
        Location,
        store::{Replicas, SessionStore},
    },
};

/// How many attempts are made after a failure, and the time before each.
const ATTEMPTS: (u32, Duration) = (30, Duration::from_secs(1));

/// The sessions that are served here.
#[derive(Debug)]
pub struct Sessions {
    common: Arc<Common>,
    /// How long a session may be idle.
    idle: Duration,
    table: Mutex<Table>,
    /// The store that other replicas share, if there is one.
    pub(super) replicas: Option<Arc<Replicas>>,
}

impl Sessions {
    /// No sessions yet. With a store, other replicas have them as well.
    pub(super) fn new(
        common: Arc<Common>,
        bounds: SessionLimits,
        store: Option<Arc<dyn SessionStore>>,
    ) -> Self {
        let unused = common.limits.unused_session;
        let replicas = store.map(|store| Arc::new(Replicas::new(store, bounds.idle, unused)));
        Self { common, idle: bounds.idle, table: Mutex::new(Table::new(bounds.most)), replicas }
    }

    /// All that are open here.
    pub fn all(&self) -> Vec<Arc<ServedSession>> {
        self.table.lock().all().cloned().collect()
    }

    /// Takes no more sessions. Returns those that there are.
    pub(super) fn close(&self) -> Vec<Arc<ServedSession>> {
        let mut table = self.table.lock();
        table.close();
        table.all().cloned().collect()
    }

    /// How many there are here.
    pub(crate) fn count(&self) -> usize {
        self.table.lock().all().count()
    }

    /// The one of this id, if it is here.
    pub fn find(&self, id: &str) -> Option<Arc<ServedSession>> {
        self.table.lock().find(id).cloned()
    }

    /// Removes those that were idle for too long.
    pub fn remove_idle(&self) -> Vec<Arc<ServedSession>> {
        let (idle, unused) = (self.idle, self.common.limits.unused_session);
        let idle = self.all().into_iter().filter(|session| session.is_idle(idle, unused));
        idle.filter_map(|session| self.remove(session.id())).collect()
    }

    /// Removes a session, and closes its stream. Its requests in progress are answered.
    fn remove(&self, id: &str) -> Option<Arc<ServedSession>> {
        let session = self.table.lock().remove(id)?;
        session.client.close();
        Some(session)
    }

    /// Ends a session here; `false` if the id is unknown.
    pub fn end(&self, id: &str) -> bool {
        let Some(session) = self.remove(id) else { return false };
        session.in_flight.end();
        tracing::info!(session = %Short(id), "session ended");
        self.let_go(&session);
        true
    }

    /// Ends a session everywhere. `false` if the id is unknown. Once begun, this is finished, even if the client hangs up.
    ///
    /// # Errors
    /// -32006 if the store cannot be used.
    pub(crate) async fn end_everywhere(self: &Arc<Self>, id: &Arc<str>) -> Result<bool, ErrorText> {
        let (sessions, id) = (Arc::clone(self), Arc::clone(id));
        let ending = async move {
            let Some(replicas) = &sessions.replicas else { return Ok(sessions.end(&id)) };
            let ended = replicas.end(&id).await;
            sessions.end(&id);
            if ended.is_err() {
                // The end has begun, and must not depend on whether the client tries again.
                tokio::spawn(Arc::clone(&sessions).end_later(Arc::clone(&id)));
            }
            ended?;
            Ok(true)
        };
        self.finishing(ending).await
    }

    async fn end_later(self: Arc<Self>, id: Arc<str>) {
        let Some(replicas) = &self.replicas else { return };
        let (attempts, after) = ATTEMPTS;
        for _ in 0..attempts {
            tokio::time::sleep(after).await;
            if replicas.end(&id).await.is_ok() {
                return;
            }
        }
        tracing::warn!(session = %Short(&id), "a session was ended, and may be served until it is idle");
    }

    /// Where a session was opened, if the principal opened it: what has to be known to end it. It needs no copy.
    ///
    /// # Errors
    /// -32006 if the store cannot be used.
    pub(crate) async fn opened_at(
        &self,
        id: &str,
        principal: &Principal,
    ) -> Result<Option<Location>, ErrorText> {
        let Some(replicas) = &self.replicas else {
            let own = self.find(id).filter(|session| session.principal().is_same(principal));
            return Ok(own.map(|session| session.location.clone()));
        };
        Ok(replicas.read_own(id, principal).await?.map(|read| read.opened.location))
    }

    /// Releases the resources of a session.
    fn let_go(&self, session: &ServedSession) {
        let backend = session.backend();
        backend.audience.leave(session);
        drop(session.keep_subscriptions(|_| false));
        self.common.backends.end(backend);
    }

    /// Ends those that were idle for too long, and those of gateways that this one leads to.
    pub(super) fn sweep(self: &Arc<Self>) {
        self.end_circles();
        for session in self.remove_idle() {
            match &self.replicas {
                // The store ends it, unless another replica serves it.
                Some(_) => {
                    tracing::debug!(session = %Short(session.id()), "copy of a session dropped: idle")
                }
                None => tracing::info!(session = %Short(session.id()), "session ended: idle"),
            }
            self.let_go(&session);
        }
    }

    /// Ends the sessions of gateways that this one leads to since they were admitted. Two gateways that start at the same
    /// time admit each other; the one whose session ends is refused when it comes again.
    fn end_circles(self: &Arc<Self>) {
        if self.common.backends.shared().leads_to().is_empty() {
            return;
        }
        let closes_one = |session: &Arc<ServedSession>| {
            let chain = session.client.chain();
            // One of both ends the other's session: else both would come again at the same time.
            let is_first = chain.iter().all(|other| self.common.lineage.instance() < other);
            is_first && chain.meets(&session.backend().leads_to())
        };
        for session in self.all().into_iter().filter(closes_one) {
            tracing::warn!(session = %Short(session.id()), "session ended: it is of a gateway that this one leads to");
            let (sessions, id) = (Arc::clone(self), Arc::clone(session.id()));
            // What fails is tried again by itself.
            tokio::spawn(async move { drop(sessions.end_everywhere(&id).await) });
        }
    }

    /// Waits until no request of a session is in progress, whether its client reads the answer here or not.
    pub(crate) async fn at_rest(&self) {
        while let Some(busy) = self.all().iter().find(|session| !session.in_flight.is_empty()) {
            busy.in_flight.emptied().await;
        }
    }

    /// The permissions of callers may have changed, by the change of this number. Sessions are notified, and take over those
    /// of their next request; what they are subscribed to waits for it.
    pub(super) fn await_readmission(&self, change: u64) {
        for session in self.all() {
            session.admitted.lock().await_change(change);
            session.notify_changed(&Kind::ALL);
        }
    }
}

/// The error for a session that is gone.
fn ended() -> ErrorText {
    ErrorText::new(code::INVALID_REQUEST, "this session has ended; initialize a new one")
}
