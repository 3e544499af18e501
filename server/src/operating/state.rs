//! The state of a gateway at one moment.

use std::collections::BTreeMap;

use mcp_disclosure_gateway::slot::{Slot, State};
use serde::Serialize;

use super::served::Served;

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
            name: slot.name().map_or_else(
                || slot.configured().config().target.to_string(),
                |name| name.as_str().to_owned(),
            ),
            state: match status.supervision.state() {
                State::Starting => "starting",
                State::Ready { .. } | State::Pinged { .. } => READY,
                State::Silent { .. } => "silent",
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
        let name = session.strategy();
        match clients.get_mut(&**name) {
            Some(count) => *count += 1,
            None => drop(clients.insert(name.to_string(), 1)),
        }
    }
    clients
}
