//! Dispatch: requests go to strategies, and calls to upstreams.
//!
//! A front passes in a [`Caller`] with a request and receives a result or an error in the caller's era. Every
//! path to a tool passes through `call`, and in it through
//! [`before_call`](mcp_disclosure_core::DisclosureStrategy::before_call).

mod admission;
mod allowance;
mod caller;
mod calls;
mod common;
mod context;
mod fetches;
mod handshake;
mod lists;
mod method;
mod requests;
mod sessions;
mod start;
mod variants;
mod watch;

use std::{sync::Arc, time::Duration};

pub use admission::{Admission, Admittance, Arriving, Denied, Open};
pub(crate) use admission::{Admitted, arriving};
use allowance::Allowances;
pub(crate) use allowance::RETRY_AFTER;
pub use caller::Caller;
pub(crate) use calls::Calls;
pub use calls::KeptMarks;
pub(crate) use common::unfinished;
use common::{Answer, Common};
pub(crate) use context::RequestContext;
pub use fetches::FETCHES_PER_MINUTE;
use fetches::FetchLimits;
pub use handshake::OfferedRevisions;
use mcp_disclosure_core::Kind;
pub(crate) use sessions::ServedSession;
pub use sessions::Sessions;
pub use start::{Assembly, StartedGateway};
use tokio::sync::watch as changes;
use tokio_util::sync::CancellationToken;
use watch::Watch;

use crate::{
    backend::Backends, catalogue::Declared, limits::Limits, negotiation::Strategies, observe::Observer,
    problem::Problem, session::Peers,
};

/// The gateway: everything that serves clients, shared by all of them.
#[derive(Debug)]
pub struct Gateway {
    common: Arc<Common>,
    sessions: Arc<Sessions>,
    /// Calls, and other requests that upstreams answer.
    pub(crate) calls: Calls,
    /// Resource use by peer.
    pub(crate) peers: Peers,
    revisions: OfferedRevisions,
    admission: Arc<dyn Admission>,
    /// How long requests may still run after a shutdown.
    pub(crate) drain: Duration,
    /// Cancelled when no request may run any longer.
    drained: CancellationToken,
}

impl Gateway {
    /// The strategies, and which of them serves which client.
    pub fn strategies(&self) -> &Strategies {
        &self.common.strategies
    }

    /// The backends, and which of them serves which client.
    pub fn backends(&self) -> &Backends {
        &self.common.backends
    }

    /// Whether the store of sessions can be used; `None` if there is none.
    pub fn has_store(&self) -> Option<bool> {
        self.sessions.replicas.as_ref().map(|replicas| replicas.store().is_connected())
    }

    /// The open sessions.
    pub fn sessions(&self) -> &Arc<Sessions> {
        &self.sessions
    }

    /// Limits on the resources that clients and upstreams may use.
    pub fn limits(&self) -> &Limits {
        &self.common.limits
    }

    /// Decides which callers are accepted.
    pub fn admission(&self) -> &dyn Admission {
        &*self.admission
    }

    /// The permissions of callers may have changed. Sessions are notified, and take over those of their next request;
    /// what they are subscribed to waits for it. Streams of the stateless era end, so that they are opened anew.
    pub fn permissions_changed(&self) {
        let mut change = 0;
        self.common.permissions.send_modify(|last| {
            *last += 1;
            change = *last;
        });
        self.sessions.await_readmission(change);
    }

    /// The number of changes of callers' permissions, as it grows.
    pub(crate) fn permission_changes(&self) -> changes::Receiver<u64> {
        self.common.permissions.subscribe()
    }

    /// Observes what happens.
    pub fn observer(&self) -> &Arc<dyn Observer> {
        &self.common.observer
    }

    /// Cancelled at shutdown; long-lived streams end then.
    pub fn shutdown(&self) -> &CancellationToken {
        &self.common.shutdown
    }

    /// Cancelled when that time is over, or nothing is left to run: what still runs is answered with an error.
    pub fn drained(&self) -> &CancellationToken {
        &self.drained
    }

    /// Replaces all declarations at once. Returns the kinds whose lists changed.
    ///
    /// # Errors
    /// If the gateway is closing.
    pub async fn declare(&self, declared: Declared) -> Result<Vec<Kind>, Problem> {
        self.common.backends.declare(declared).await
    }

    /// Shuts down: closes client streams gracefully, then upstreams.
    pub async fn close(&self) {
        self.common.shutdown.cancel();
        self.drained.cancel();
        self.calls.rounds.forget_all();
        self.calls.tasks.forget_all();
        if let Some(replicas) = &self.sessions.replicas {
            replicas.store().close();
        }
        let sessions = self.sessions.close();
        self.common.backends.close(sessions.iter().map(|session| Arc::clone(session.backend()))).await;
    }
}
