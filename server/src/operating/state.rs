//! The state of a gateway at one moment.

use std::collections::BTreeMap;

use mcp_disclosure_gateway::{
    Gateway,
    slot::{Slot, State},
};
use serde::Serialize;

/// An upstream as operators see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct UpstreamState {
    /// Its name; that of a command line has one from its first handshake on.
    pub(super) name: String,
    /// `starting`, `ready`, `failing` or `stopped`.
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
            name: slot.name().map_or_else(|| UNNAMED.to_owned(), |name| name.as_str().to_owned()),
            state: match status.supervision.state() {
                State::Starting => "starting",
                State::Ready { .. } => READY,
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

/// An upstream that has not introduced itself yet.
const UNNAMED: &str = "upstream";

/// The upstreams that clients share, or that the next session is served from, in the order of the configuration.
pub(super) fn upstreams(gateway: &Gateway) -> Vec<UpstreamState> {
    gateway.backends().shared().slots().iter().map(|slot| UpstreamState::of(slot)).collect()
}

/// Open sessions by strategy. Every offered strategy has an entry.
pub(super) fn clients(gateway: &Gateway) -> BTreeMap<String, usize> {
    let offered = gateway.strategies().offered();
    let mut clients: BTreeMap<String, usize> = offered.into_iter().map(|name| (name, 0)).collect();
    for name in gateway.sessions().strategies() {
        match clients.get_mut(&*name) {
            Some(count) => *count += 1,
            None => drop(clients.insert(name.to_string(), 1)),
        }
    }
    clients
}
