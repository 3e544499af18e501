//! `/readyz`: whether requests have somewhere to go.

use mcp_disclosure_gateway::Gateway;
use serde::Serialize;

use super::state::{self, UpstreamState};

/// Which upstreams are not ready.
#[derive(Debug, Serialize)]
pub(super) struct Readiness {
    /// Whether any upstream serves. While another does, one that restarts does not make the gateway unready: its tools stay
    /// listed, and calls wait for it.
    pub(super) ready: bool,
    /// The upstreams that are not ready.
    not_ready: Vec<UpstreamState>,
}

impl Readiness {
    pub(super) fn of(gateway: &Gateway) -> Self {
        let upstreams = state::upstreams(gateway);
        let ready = upstreams.iter().any(UpstreamState::is_ready);
        Self { ready, not_ready: upstreams.into_iter().filter(|upstream| !upstream.is_ready()).collect() }
    }
}
