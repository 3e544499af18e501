//! The state of a gateway at one moment, what it did since its start, and `/readyz`: whether requests have somewhere to go.

use std::{collections::BTreeMap, sync::Arc};

use mcp_disclosure_gateway::slot::{Slot, State};
use serde::Serialize;

use super::{audit::Losses, metrics::Metrics, served::Served};

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
            name: slot
                .name()
                .map_or_else(|| slot.configured.config.target.to_string(), |name| name.as_str().to_owned()),
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
    #[serde(flatten)]
    pub(super) totals: Totals,
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

/// What the status shows of what happened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Totals {
    /// Calls of tools, of strategies' own as well, whatever became of them.
    pub(super) calls: u64,
    /// Calls and fetches that a strategy or the check of arguments refused.
    pub(super) refusals: u64,
    /// Requests that delivered descriptions.
    pub(super) fetches: u64,
    /// Tokens of the lists of tools that were sent.
    pub(super) tokens_listed: u64,
    /// Tokens that complete lists of the same tools would have had.
    pub(super) tokens_full: u64,
    /// The same by principal.
    pub(super) principals: BTreeMap<String, Tokens>,
    /// Calls that were sent to an upstream or waited for it, by upstream and by what became of them.
    pub(super) upstream_calls: BTreeMap<String, BTreeMap<String, u64>>,
    /// Searches that found nothing, or only weak hits.
    pub(super) searches_missed: u64,
    /// Changed files that were not taken over.
    pub(super) reload_failures: u64,
    /// Open HTTP connections of clients, and how many there may be; 0 over stdio.
    pub(super) http_connections: i64,
    pub(super) http_connections_limit: i64,
}

/// Tokens of the lists of one principal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Tokens {
    /// Of those that were sent.
    pub(super) listed: u64,
    /// Of complete ones of the same tools.
    pub(super) full: u64,
}
