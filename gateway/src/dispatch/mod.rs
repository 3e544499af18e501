//! Dispatch: requests go to strategies, and calls to upstreams.
//!
//! A front passes in a [`Caller`] with a request and receives a result or an error in the caller's era. Every
//! path to a tool passes through `call`, and in it through
//! [`before_call`](mcp_disclosure_core::DisclosureStrategy::before_call).

mod admission;
mod adoption;
mod allowance;
mod apart;
mod beside;
mod call;
mod caller;
mod checks;
mod choices;
mod circles;
mod effects;
mod ending;
mod fetches;
mod left;
mod lifecycle;
mod links;
mod lists;
mod method;
mod pages;
mod passage;
mod passed_on;
mod read;
mod relay;
mod replicas;
mod reports;
mod requests;
mod resolve;
mod revisions;
mod rounds;
mod skills;
mod start;
mod state;
mod subscribe;
mod suggestions;
mod tasks;
mod unlisted;
mod unopened;
mod variants;

use std::{sync::Arc, time::Duration};

pub(crate) use admission::Admitted;
pub use admission::{Admission, Admittance, Arriving, Denied, Open};
use allowance::Allowances;
use apart::Apart;
pub use apart::KeptMarks;
pub(crate) use beside::beside;
pub use caller::Caller;
use checks::Checks;
pub use fetches::FetchLimits;
use mcp_disclosure_core::{Kind, ReceiptKey};
pub(crate) use requests::unfinished;
pub use revisions::OfferedRevisions;
use rounds::Rounds;
pub use start::{Assembly, StartedGateway};
use strum::IntoEnumIterator;
use tasks::Tasks;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{
    backend::Backends,
    catalogue::Declared,
    explain::Explained,
    limits::Limits,
    lineage::Lineage,
    negotiation::Strategies,
    observe::Observer,
    problem::Problem,
    session::{Peers, Sessions, store::Replicas},
};

/// The gateway: everything that serves clients, shared by all of them.
#[derive(Debug)]
pub struct Gateway {
    strategies: Strategies,
    backends: Backends,
    sessions: Sessions,
    /// Where other replicas have the same sessions.
    replicas: Option<Arc<Replicas>>,
    peers: Peers,
    rounds: Rounds,
    tasks: Tasks,
    receipts: ReceiptSettings,
    apart: Apart,
    limits: Limits,
    revisions: OfferedRevisions,
    checks: Checks,
    fetches: FetchLimits,
    allowances: Allowances,
    /// The number of changes of callers' permissions so far.
    permissions: watch::Sender<u64>,
    explained: Explained,
    lineage: Arc<Lineage>,
    admission: Arc<dyn Admission>,
    observer: Arc<dyn Observer>,
    shutdown: CancellationToken,
    drain: Duration,
    /// Cancelled when no request may run any longer.
    drained: CancellationToken,
}

/// Settings for signed receipt handles.
#[derive(Clone, Debug)]
pub struct ReceiptSettings {
    /// The signing key.
    pub key: ReceiptKey,
    /// How long a handle is valid.
    pub lifetime: Duration,
}

impl Gateway {
    /// The strategies, and which of them serves which client.
    pub fn strategies(&self) -> &Strategies {
        &self.strategies
    }

    /// The backends, and which of them serves which client.
    pub fn backends(&self) -> &Backends {
        &self.backends
    }

    /// Whether the store of sessions can be used; `None` if there is none.
    pub fn has_store(&self) -> Option<bool> {
        self.replicas.as_ref().map(|replicas| replicas.store().is_connected())
    }

    /// The open sessions.
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Resource use by peer.
    pub fn peers(&self) -> &Peers {
        &self.peers
    }

    /// Limits on the resources that clients and upstreams may use.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Decides which callers are accepted.
    pub fn admission(&self) -> &dyn Admission {
        &*self.admission
    }

    /// The permissions of callers may have changed. Sessions are notified, and take over those of their next request;
    /// what they are subscribed to waits for it. Streams of the stateless era end, so that they are opened anew.
    pub fn permissions_changed(&self) {
        let mut change = 0;
        self.permissions.send_modify(|last| {
            *last += 1;
            change = *last;
        });
        for session in self.sessions.all() {
            session.await_readmission(change);
            session.notify_changed(&Kind::iter().collect::<Vec<_>>());
        }
    }

    /// The number of changes of callers' permissions, as it grows.
    pub(crate) fn permission_changes(&self) -> watch::Receiver<u64> {
        self.permissions.subscribe()
    }

    /// Observes what happens.
    pub fn observer(&self) -> &Arc<dyn Observer> {
        &self.observer
    }

    /// Cancelled at shutdown; long-lived streams end then.
    pub fn shutdown(&self) -> &CancellationToken {
        &self.shutdown
    }

    /// How long requests may still run after a shutdown.
    pub(crate) fn drain(&self) -> Duration {
        self.drain
    }

    /// Cancelled when that time is over, or nothing is left to run: what still runs is answered with an error.
    pub fn drained(&self) -> &CancellationToken {
        &self.drained
    }

    /// Waits until no request of a session is in progress, whether its client reads the answer here or not.
    pub(crate) async fn at_rest(&self) {
        while let Some(busy) = self.sessions.all().iter().find(|session| !session.in_flight.is_empty()) {
            busy.in_flight.emptied().await;
        }
    }

    /// Replaces all declarations at once. Returns the kinds whose lists changed.
    ///
    /// # Errors
    /// If the gateway is closing.
    pub async fn declare(&self, declared: Declared) -> Result<Vec<Kind>, Problem> {
        self.backends.declare(declared).await
    }

    /// Shuts down: closes client streams gracefully, then upstreams.
    pub async fn close(&self) {
        self.shutdown.cancel();
        self.drained.cancel();
        self.rounds.forget_all();
        self.tasks.forget_all();
        if let Some(replicas) = &self.replicas {
            replicas.store().close();
        }
        self.backends.close().await;
    }
}
