//! The gateway that operators look at, before it serves and afterwards; its state at one moment, what it did since its start, and
//! `/readyz`: whether requests have somewhere to go.

use std::{
    collections::BTreeMap,
    sync::{Arc, Weak},
};

use mcp_disclosure_gateway::{
    Gateway,
    slot::{Slot, State, Witness},
};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::SetOnce;

use super::{audit::Losses, metrics::Metrics};

/// What there is of a gateway so far. It does not keep the gateway alive.
#[derive(Debug, Default)]
pub(super) struct Served {
    starting: Mutex<Option<Arc<[Arc<Slot>]>>>,
    gateway: SetOnce<Weak<Gateway>>,
}

impl Served {
    /// The gateway serves from now on.
    pub(super) fn serves(&self, gateway: &Arc<Gateway>) {
        let _once = self.gateway.set(Arc::downgrade(gateway));
        *self.starting.lock() = None;
    }

    /// The gateway, while it serves.
    pub(super) fn gateway(&self) -> Option<Arc<Gateway>> {
        self.gateway.get()?.upgrade()
    }

    /// The upstreams that clients share, or that the next session is served from, in the order of the configuration.
    pub(super) fn slots(&self) -> Arc<[Arc<Slot>]> {
        match self.gateway() {
            Some(gateway) => gateway.backends().shared().slots(),
            None => self.starting.lock().clone().unwrap_or_default(),
        }
    }

    /// Waits until the gateway served, and was given its time to end.
    pub(super) async fn ending(&self) {
        let drained = self.gateway.wait().await.upgrade().map(|gateway| gateway.drained().clone());
        if let Some(drained) = drained {
            drained.cancelled().await;
        }
    }
}

impl Witness for Served {
    fn starting(&self, slots: &Arc<[Arc<Slot>]>) {
        *self.starting.lock() = Some(Arc::clone(slots));
    }
}

/// An upstream as operators see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct UpstreamState {
    /// Its name; one of a command line that has not introduced itself yet is called by its program or URL.
    pub(super) name: String,
    /// `starting`, `ready`, `silent` (it is connected, and does not answer), `failing` or `stopped`.
    pub(super) state: &'static str,
    /// How many tools it lists; 0 if they are not offered.
    pub(super) tools: usize,
    /// How often it was connected again.
    pub(super) restarts: u64,
    /// Why it is not ready, in the words that clients read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

impl UpstreamState {
    /// Whether calls are sent to it at once.
    pub(super) fn is_ready(&self) -> bool {
        self.state == READY
    }

    fn of(slot: &Slot) -> Self {
        let status = slot.status();
        Self {
            name: slot.configured.called(),
            state: match status.supervision.state() {
                State::Starting => "starting",
                State::Ready | State::Pinged => READY,
                State::Silent => "silent",
                State::Failing { .. } => "failing",
                State::Stopped => "stopped",
            },
            tools: status.offered().map_or(0, |lists| lists.tools.len()),
            restarts: status.supervision.restarts(),
            error: status.error.as_ref().map(|error| error.for_clients().to_string()),
        }
    }
}

const READY: &str = "ready";

/// The upstreams, in the order of the configuration.
pub(super) fn upstreams(served: &Served) -> Vec<UpstreamState> {
    served.slots().iter().map(|slot| UpstreamState::of(slot)).collect()
}

/// Whether the store of sessions is `up` or `down`; `None` if there is none, or no gateway yet.
pub(super) fn store(served: &Served) -> Option<&'static str> {
    let is_up = served.gateway()?.has_store()?;
    Some(if is_up { "up" } else { "down" })
}

/// Open sessions by strategy. Every offered strategy has an entry, once there is a gateway.
pub(super) fn clients(served: &Served) -> BTreeMap<String, usize> {
    let Some(gateway) = served.gateway() else { return BTreeMap::new() };
    let offered = gateway.strategies().offered();
    let mut clients: BTreeMap<String, usize> = offered.into_iter().map(|name| (name, 0)).collect();
    for session in gateway.sessions().all() {
        *clients.entry(session.strategy().to_string()).or_default() += 1;
    }
    clients
}

/// The state of a gateway, and what it did since its start.
#[derive(Debug, Serialize)]
pub(super) struct Status {
    /// The program's version.
    pub(super) version: &'static str,
    /// Since the start.
    pub(super) uptime_seconds: u64,
    /// The upstreams, in the order of the configuration.
    pub(super) upstreams: Vec<UpstreamState>,
    /// Whether the store of sessions is `up` or `down`, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) store: Option<&'static str>,
    /// Open sessions, by the strategy that serves them.
    pub(super) clients: BTreeMap<String, usize>,
    /// What happened.
    #[serde(flatten)]
    pub(super) totals: Value,
    /// The audit log, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) audit: Option<Arc<Losses>>,
}

impl Status {
    pub(super) fn of(served: &Served, metrics: &Metrics) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            uptime_seconds: metrics.begun.elapsed().as_secs(),
            upstreams: upstreams(served),
            store: store(served),
            clients: clients(served),
            totals: metrics.totals(),
            audit: metrics.losses.clone(),
        }
    }
}

/// Which upstreams are not ready.
#[derive(Debug, Serialize)]
pub(super) struct Readiness {
    /// Whether there is a gateway that is not about to end, and any upstream serves. While another does, one that restarts does
    /// not make the gateway unready: its tools stay listed, and calls wait for it.
    pub(super) ready: bool,
    /// Whether it was asked to end: running requests are finished.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    draining: bool,
    /// The store of sessions, if there is one. Without it clients without sessions are served, so it does not make the
    /// gateway unready.
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<&'static str>,
    /// The upstreams that are not ready.
    not_ready: Vec<UpstreamState>,
}

impl Readiness {
    pub(super) fn of(served: &Served) -> Self {
        let upstreams = upstreams(served);
        let gateway = served.gateway();
        let draining = gateway.as_ref().is_some_and(|gateway| gateway.shutdown().is_cancelled());
        let ready = gateway.is_some() && !draining && upstreams.iter().any(UpstreamState::is_ready);
        let not_ready = upstreams.into_iter().filter(|upstream| !upstream.is_ready()).collect();
        Self { ready, draining, store: store(served), not_ready }
    }
}
